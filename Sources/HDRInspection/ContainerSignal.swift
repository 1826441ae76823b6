import HDRContainer
import HDRMetadata

/// A video track's signal as its container describes it.
package struct ContainerSignal: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// A QuickTime file, with `nclc` colour, as opposed to ISO files such as MP4.
        case quickTime
        case iso
        case matroska
        case mxf
        /// An MPEG-2 transport stream, which declares Dolby Vision and HDR, but has no values of either.
        case transportStream
        /// Any other container, in which no HDR metadata are known to this module.
        case other
    }

    package var kind: Kind
    /// The type of the sample entry, such as `hvc1`, Matroska's CodecID, or the type of a transport stream's stream;
    /// empty where it is unknown.
    package var codec = ""
    package var color: ColorDescription?
    /// Whether there is an ICC profile in place of code points.
    package var hasProfile = false
    package var masteringDisplay: MasteringDisplay?
    /// Whether there is mastering metadata, valid or not.
    package var hasMasteringMetadata = false
    package var contentLightLevel: ContentLightLevel?
    package var ambientViewing: AmbientViewing?
    package var dolbyVision: DolbyVisionRecord?
    /// Whether a transport stream declares the video HDR; `nil` where it says nothing about it.
    package var declaresHDR: Bool?
    /// The size in luma samples.
    package var width: Int?
    package var height: Int?

    package init(kind: Kind) { self.kind = kind }

    package init(_ track: VideoTrack, in format: ContainerInspection.Format) {
        switch format {
        case .quickTime: kind = .quickTime
        case .iso: kind = .iso
        case .matroska, .webm: kind = .matroska
        case .mxf: kind = .mxf
        case .transportStream: kind = .transportStream
        case .y4m: kind = .other
        }
        codec = track.codec
        color = track.color
        hasProfile = track.colorTypes.contains { ["prof", "rICC"].contains($0) }
        masteringDisplay = track.masteringDisplay
        hasMasteringMetadata =
            track.masteringDisplay != nil || track.masteringValues != nil || track.hasMasteringItems
        contentLightLevel = track.contentLightLevel
        ambientViewing = track.ambientViewing
        dolbyVision = track.dolbyVision
        declaresHDR = track.declaresHDR
        width = Int(exactly: track.width)
        height = Int(exactly: track.height)
    }

    package var isMovie: Bool { kind == .quickTime || kind == .iso }

    /// Whether the container can describe colours and light in a way that is known here.
    var hasPlaceForColor: Bool { kind != .other && kind != .transportStream }

    /// The name, for people, of the structure that announces Dolby Vision.
    var dolbyVisionName: String {
        if kind == .transportStream { return "descriptor in the program map" }
        return isMovie ? "dvvC box" : "dvvC block addition mapping"
    }

    /// The name, for people, of the structure that holds the code points.
    var colorName: String { name("colr box", "Colour element", "colour in the picture descriptor", "colour") }
    var masteringName: String {
        let other = "MasteringMetadata element"
        return name("mdcv box", other, "mastering display in the picture descriptor", other)
    }
    var lightName: String {
        name("clli box", "MaxCLL element", "light level in the picture descriptor", "MaxCLL element")
    }

    private func name(_ movie: String, _ matroska: String, _ mxf: String, _ other: String) -> String {
        isMovie ? movie : kind == .matroska ? matroska : kind == .mxf ? mxf : other
    }
}
