import HDRMetadata

/// Bit positions of the colour syntax of vui_parameters() in the payload of an SPS: H.265 E.2.1, and H.264 E.1.1, which
/// is the same up to there.
struct VUILayout: Equatable, Sendable {
    /// vui_parameters_present_flag.
    let presence: Int
    let hasVUI: Bool
    /// The bits from video_signal_type_present_flag and chroma_loc_info_present_flag on; empty where there is no VUI,
    /// at the position where they would be inserted.
    let signalType: Range<Int>
    let chromaLocation: Range<Int>
    /// The stop bit.
    let end: Int
    let hasSignalType: Bool
    let hasColorDescription: Bool
    /// chroma_sample_loc_type_bottom_field is present and differs from that of the top field.
    let bottomDiffers: Bool

    static func read(
        _ reader: inout RBSPReader
    ) throws(BitstreamError) -> (layout: Self, color: ColorDescription, videoFormat: UInt8) {
        var signal = VideoSignalType()
        let presence = reader.position
        guard try reader.flag() else {
            let after = reader.position..<reader.position
            let layout = Self(
                presence: presence, hasVUI: false, signalType: after, chromaLocation: after, end: reader.end,
                hasSignalType: false, hasColorDescription: false, bottomDiffers: false)
            return (layout, .unspecified, signal.format)
        }
        try VideoSignalType.skipAspectAndOverscan(&reader)

        let signalStart = reader.position
        signal = try VideoSignalType(&reader)
        let chromaStart = reader.position
        let location = try ChromaLocations(&reader)
        signal.color.chromaLocation = location.top
        let layout = Self(
            presence: presence, hasVUI: true, signalType: signalStart..<chromaStart,
            chromaLocation: chromaStart..<reader.position, end: reader.end, hasSignalType: signal.isPresent,
            hasColorDescription: signal.hasColor, bottomDiffers: location.top != location.bottom)
        return (layout, signal.color, signal.format)
    }
}

/// video_signal_type_present_flag and what depends on it, the same syntax in H.264 and H.265.
struct VideoSignalType {
    var isPresent = false
    var hasColor = false
    /// video_format; 5 is unspecified.
    var format: UInt8 = 5
    var color = ColorDescription.unspecified

    init() {}

    init(_ reader: inout RBSPReader) throws(BitstreamError) {
        isPresent = try reader.flag()
        guard isPresent else { return }
        format = UInt8(truncatingIfNeeded: try reader.bits(3))
        color.isFullRange = try reader.flag()
        hasColor = try reader.flag()
        guard hasColor else { return }
        color.primaries = try reader.byte()
        color.transfer = try reader.byte()
        color.matrix = try reader.byte()
    }

    /// aspect_ratio_info_present_flag and overscan_info_present_flag, which come before it.
    static func skipAspectAndOverscan(_ reader: inout RBSPReader) throws(BitstreamError) {
        let extendedAspect: UInt8 = 255
        if try reader.flag(), try reader.byte() == extendedAspect { try reader.skip(32) }
        if try reader.flag() { try reader.skip(1) }
    }
}

/// chroma_loc_info_present_flag and what depends on it, the same syntax in H.264 and H.265.
struct ChromaLocations {
    var top: UInt8?
    var bottom: UInt8?

    init(_ reader: inout RBSPReader) throws(BitstreamError) {
        guard try reader.flag() else { return }
        top = UInt8(truncatingIfNeeded: try reader.unsigned(upTo: 5, "chroma_sample_loc_type_top_field"))
        bottom = UInt8(truncatingIfNeeded: try reader.unsigned(upTo: 5, "chroma_sample_loc_type_bottom_field"))
    }
}

/// The common part of sequence parameter sets of H.264 and H.265: the colour description, and its position.
protocol SequenceParameterSet {
    var layout: VUILayout { get }
    var color: ColorDescription { get }
    /// video_format of the VUI, 0...7; 5, unspecified, where there is none.
    var videoFormat: UInt8 { get }
    /// chroma_format_idc: 0 monochrome, 1 4:2:0, 2 4:2:2, 3 4:4:4.
    var chromaFormat: UInt8 { get }
    /// Luma samples of a frame, after cropping.
    var width: Int { get }
    var height: Int { get }
    var lumaDepth: UInt8 { get }
    var chromaDepth: UInt8 { get }
    var profileName: String { get }
    var levelName: String { get }
}
