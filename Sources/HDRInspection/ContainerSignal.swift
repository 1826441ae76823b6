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
        /// Any other, in which no HDR metadata are known to this module.
        case other
    }

    package var kind: Kind
    /// Type of the sample entry, such as `hvc1`, or Matroska's CodecID; empty where unknown.
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
        width = Int(exactly: track.width)
        height = Int(exactly: track.height)
    }

    package var isMovie: Bool { kind == .quickTime || kind == .iso }

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
