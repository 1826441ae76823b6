import HDRMetadata

/// The picture format in a key frame of VP9: uncompressed_header() of the VP9 bitstream specification, section 6.2, up
/// to frame_size().
struct VP9FrameHeader: Equatable {
    let profile: UInt8
    let width: Int
    let height: Int
    let bitDepth: UInt8
    /// The chroma format by the values of chroma_format_idc: 1 4:2:0, 2 4:2:2, 3 4:4:4; `nil` for 4:4:0, which has no
    /// value.
    let chromaFormat: UInt8?
    /// Matrix and range: VP9 has no code points of primaries and transfer.
    let color: ColorDescription

    /// Reads a frame, or the first one of a superframe. `nil` where it is not a key frame.
    init?(_ frame: UnsafeRawBufferPointer) throws(BitstreamError) {
        var reader = RBSPReader(all: Array(frame.prefix(24)), name: "VP9 frame header")
        guard try reader.bits(2) == 2 else { throw reader.failure("has no frame marker") }
        let low = try reader.bits(1)
        profile = UInt8(try reader.bits(1) << 1 | low)
        if profile == 3 { try reader.skip(1) }
        // show_existing_frame, frame_type.
        if try reader.flag() { return nil }
        if try reader.flag() { return nil }
        try reader.skip(2)
        guard try reader.bits(24) == 0x49_8342 else { throw reader.failure("has no sync code") }
        (bitDepth, chromaFormat, color) = try Self.readColor(&reader, profile: profile)
        width = 1 + Int(try reader.bits(16))
        height = 1 + Int(try reader.bits(16))
    }

    /// color_config(), section 6.2.2.
    private static func readColor(
        _ reader: inout RBSPReader, profile: UInt8
    ) throws(BitstreamError) -> (depth: UInt8, chroma: UInt8?, ColorDescription) {
        let depth: UInt8 = profile < 2 ? 8 : try reader.flag() ? 12 : 10
        let space = try reader.bits(3)
        var color = ColorDescription.unspecified
        // Table of section 7.2.2: BT.601, BT.709, SMPTE 170M, SMPTE 240M, BT.2020; 7 is RGB.
        color.matrix = [2, 5, 1, 6, 7, 9, 2, 0][Int(space & 7)]
        if space == 7 {
            color.isFullRange = true
            if profile & 1 == 1 { try reader.skip(1) }
            return (depth, 3, color)
        }
        color.isFullRange = try reader.flag()
        guard profile & 1 == 1 else { return (depth, 1, color) }
        let (across, down) = (try reader.flag(), try reader.flag())
        try reader.skip(1)
        return (depth, across ? (down ? 1 : 2) : (down ? nil : 3), color)
    }
}
