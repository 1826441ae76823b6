import HDRContainer
import HDRMetadata

/// A video track's signal as its container describes it.
package struct ContainerSignal: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// QuickTime, with `nclc` colour, and ISO files such as MP4.
        case quickTime
        case iso
        case matroska
        case mxf
        /// MPEG-2, which says of Dolby Vision and of HDR that they are there, and has no values of either.
        case transportStream
        /// Any other, in which no HDR metadata are known to this module.
        case other
    }

    package var kind: Kind
    /// Type of the sample entry, such as `hvc1`, Matroska's CodecID, or the type of a transport stream's stream; empty
    /// where unknown.
    package var codec = ""
    package var color: ColorDescription?
    /// There is an ICC profile in place of code points.
    package var hasProfile = false
    package var masteringDisplay: MasteringDisplay?
    /// There is mastering metadata, valid or not.
    package var hasMasteringMetadata = false
    package var contentLightLevel: ContentLightLevel?
    package var ambientViewing: AmbientViewing?
    package var dolbyVision: DolbyVisionRecord?
    /// Whether a transport stream says that the video is HDR; `nil` where it has no word about it.
    package var declaresHDR: Bool?
    /// Luma samples.
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

    /// Whether there is a place for colours and light in it that is known here.
    var hasPlaceForColor: Bool { kind != .other && kind != .transportStream }

    /// The name of what announces Dolby Vision, for people.
    var dolbyVisionName: String {
        if kind == .transportStream { return "descriptor in the program map" }
        return isMovie ? "dvvC box" : "dvvC block addition mapping"
    }

    /// The name of what holds the code points, for people.
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
