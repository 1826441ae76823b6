import HDRMetadata

/// The picture format in a sequence parameter set: H.265 7.3.2.2, up to the chroma location of its VUI.
package struct HEVCSequenceParameterSet: SequenceParameterSet, Equatable, Sendable {
    package let id: Int
    package let profile: HEVCProfile
    /// chroma_format_idc: 0 monochrome, 1 4:2:0, 2 4:2:2, 3 4:4:4.
    package let chromaFormat: UInt8
    /// Luma samples, after cropping.
    package let width: Int
    package let height: Int
    package let lumaDepth: UInt8
    package let chromaDepth: UInt8
    package let color: ColorDescription
    /// video_format of the VUI, 0...7; 5, unspecified, where there is none.
    package let videoFormat: UInt8
    let layout: VUILayout
    let order: PictureOrderParameters.Sequence

    var profileName: String { profile.name }
    var levelName: String { profile.levelName }

    /// Reads an escaped NAL unit of type 33 with its header.
    package init(unit: UnsafeRawBufferPointer) throws(BitstreamError) {
        try self.init(payload: EmulationPrevention.removed(from: unit))
    }

    /// Reads a NAL unit without emulation prevention.
    init(payload: [UInt8]) throws(BitstreamError) {
        var reader = try RBSPReader(payload, from: 2, name: "SPS")
        guard payload[0] >> 1 & 0x3F == HEVCUnitType.sps else { throw reader.failure("is a NAL unit of another type") }
        // In higher layers these bits and the syntax behind them have another meaning.
        guard (payload[0] & 1) << 5 | payload[1] >> 3 == 0 else { throw reader.failure("is not of the base layer") }

        try reader.skip(4)
        let subLayers = Int(try reader.bits(3))
        guard subLayers <= 6 else { throw reader.failure("has 8 sub-layers, and 7 is the maximum") }
        try reader.skip(1)
        profile = try HEVCProfile(&reader)
        try Self.skipSubLayerLevels(&reader, count: subLayers)
        id = try reader.unsigned(upTo: 15, "sps_seq_parameter_set_id")

        let chroma = try reader.unsigned(upTo: 3, "chroma_format_idc")
        chromaFormat = UInt8(truncatingIfNeeded: chroma)
        let hasPlanes = chroma == 3 ? try reader.flag() : false
        let size = try CroppedSize(
            width: try reader.unsigned(upTo: CroppedSize.limit, "pic_width_in_luma_samples"),
            height: try reader.unsigned(upTo: CroppedSize.limit, "pic_height_in_luma_samples"),
            cropX: chroma == 1 || chroma == 2 ? 2 : 1, cropY: chroma == 1 ? 2 : 1, &reader)
        width = size.width
        height = size.height
        lumaDepth = UInt8(truncatingIfNeeded: try reader.unsigned(upTo: 8, "bit_depth_luma_minus8")) + 8
        chromaDepth = UInt8(truncatingIfNeeded: try reader.unsigned(upTo: 8, "bit_depth_chroma_minus8")) + 8

        var order = try Self.readCodingTools(&reader, subLayers: subLayers)
        order.hasPlanes = hasPlanes
        self.order = order
        (layout, color, videoFormat) = try VUILayout.read(&reader)
    }

    /// Skips sub_layer_profile_present_flag and the syntax behind it in profile_tier_level().
    private static func skipSubLayerLevels(
        _ reader: inout RBSPReader, count: Int
    ) throws(BitstreamError) {
        guard count > 0 else { return }
        var size = 0
        for _ in 0..<count {
            if try reader.flag() { size += 88 }
            if try reader.flag() { size += 8 }
        }
        try reader.skip((8 - count) * 2 + size)
    }

    /// Reads the syntax from log2_max_pic_order_cnt_lsb_minus4 to strong_intra_smoothing_enabled_flag.
    private static func readCodingTools(
        _ reader: inout RBSPReader, subLayers: Int
    ) throws(BitstreamError) -> PictureOrderParameters.Sequence {
        let orderBits = 4 + (try reader.unsigned(upTo: 12, "log2_max_pic_order_cnt_lsb_minus4"))
        let hasAllSubLayers = try reader.flag()
        var order = PictureOrderParameters.Sequence(lsbBits: orderBits)
        for _ in 0..<(hasAllSubLayers ? subLayers + 1 : 1) {
            _ = try reader.unsigned()
            // A decoder holds at most 16 pictures.
            order.delay = min(16, Int(try reader.unsigned()))
            _ = try reader.unsigned()
        }
        for _ in 0..<6 { _ = try reader.unsigned() }
        if try reader.flag(), try reader.flag() { try skipScalingLists(&reader) }
        try reader.skip(2)
        if try reader.flag() {
            try reader.skip(8)
            for _ in 0..<2 { _ = try reader.unsigned() }
            try reader.skip(1)
        }
        try HEVCReferenceSets.skip(&reader)
        if try reader.flag() {
            let count = try reader.unsigned(upTo: 32, "num_long_term_ref_pics_sps")
            try reader.skip(count * (orderBits + 1))
        }
        try reader.skip(2)
        return order
    }

    /// scaling_list_data(), 7.3.4.
    private static func skipScalingLists(_ reader: inout RBSPReader) throws(BitstreamError) {
        for size in 0..<4 {
            for _ in stride(from: 0, to: 6, by: size == 3 ? 3 : 1) {
                guard try reader.flag() else {
                    _ = try reader.unsigned()
                    continue
                }
                if size > 1 { _ = try reader.signed() }
                for _ in 0..<min(64, 16 << (size * 2)) { _ = try reader.signed() }
            }
        }
    }
}
