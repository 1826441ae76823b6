import HDRMetadata

/// The picture format in a sequence parameter set: H.264 7.3.2.1.1, up to the chroma location of its VUI.
package struct AVCSequenceParameterSet: SequenceParameterSet, Equatable, Sendable {
    package let id: Int
    /// profile_idc, and constraint_set0_flag...constraint_set5_flag in the highest bits.
    package let profile: UInt8
    package let constraints: UInt8
    /// level_idc: ten times the level's number.
    package let level: UInt8
    /// chroma_format_idc: 0 monochrome, 1 4:2:0, 2 4:2:2, 3 4:4:4.
    package let chromaFormat: UInt8
    package let lumaDepth: UInt8
    package let chromaDepth: UInt8
    /// Luma samples of a frame, after cropping.
    package let width: Int
    package let height: Int
    package let color: ColorDescription
    /// video_format of the VUI, 0...7; 5, unspecified, where there is none.
    package let videoFormat: UInt8
    let layout: VUILayout
    let order: PictureOrderParameters.Sequence

    /// Reads an escaped NAL unit of type 7 with its header.
    package init(unit: UnsafeRawBufferPointer) throws(BitstreamError) {
        try self.init(payload: EmulationPrevention.removed(from: unit))
    }

    /// Reads a NAL unit without emulation prevention.
    init(payload: [UInt8]) throws(BitstreamError) {
        var reader = try RBSPReader(payload, from: 1, name: "SPS")
        guard payload[0] & 0x1F == AVCUnitType.sps else { throw reader.failure("is a NAL unit of another type") }
        profile = try reader.byte()
        constraints = try reader.byte()
        level = try reader.byte()
        id = try reader.unsigned(upTo: 31, "seq_parameter_set_id")

        let format = try Self.readFormat(&reader, profile: profile)
        chromaFormat = UInt8(truncatingIfNeeded: format.chroma)
        lumaDepth = UInt8(truncatingIfNeeded: format.luma)
        chromaDepth = UInt8(truncatingIfNeeded: format.depth)
        var order = try Self.readPictureOrder(&reader)
        order.hasPlanes = format.isSeparate
        let references = min(16, Int(try reader.unsigned()))
        try reader.skip(1)
        let columns = 1 + (try reader.unsigned(upTo: CroppedSize.limit / 16, "pic_width_in_mbs_minus1"))
        let rows = 1 + (try reader.unsigned(upTo: CroppedSize.limit / 16, "pic_height_in_map_units_minus1"))
        let isFrame = try reader.flag()
        order.isFrame = isFrame
        if !isFrame { try reader.skip(1) }
        try reader.skip(1)
        let hasPlanes = format.chroma == 0 || format.isSeparate
        let size = try CroppedSize(
            width: columns * 16, height: rows * (isFrame ? 16 : 32),
            cropX: hasPlanes || format.chroma == 3 ? 1 : 2,
            cropY: (!hasPlanes && format.chroma == 1 ? 2 : 1) * (isFrame ? 1 : 2), &reader)
        width = size.width
        height = size.height

        (layout, color, videoFormat) = try VUILayout.read(&reader)
        // The decoder's capacity, where the stream does not specify fewer pictures.
        let macroblocks = columns * rows * (isFrame ? 1 : 2)
        let most = profile == 66 ? 0 : max(references, Self.pictures(level: level, macroblocks: macroblocks))
        order.delay = order.lsbBits == nil ? 0 : layout.hasVUI ? Self.reorder(&reader) ?? most : most
        self.order = order
    }

    /// max_num_reorder_frames, behind what is read of vui_parameters() otherwise: H.264 E.1.1.
    private static func reorder(_ reader: inout RBSPReader) -> Int? {
        func rest() throws(BitstreamError) -> Int? {
            if try reader.flag() { try reader.skip(65) }
            var hasDecoder = false
            for _ in 0..<2 where try reader.flag() {
                hasDecoder = true
                let count = 1 + (try reader.unsigned(upTo: 31, "cpb_cnt_minus1"))
                try reader.skip(8)
                for _ in 0..<count {
                    for _ in 0..<2 { _ = try reader.unsigned() }
                    try reader.skip(1)
                }
                try reader.skip(20)
            }
            if hasDecoder { try reader.skip(1) }
            try reader.skip(1)
            guard try reader.flag() else { return nil }
            try reader.skip(1)
            for _ in 0..<4 { _ = try reader.unsigned() }
            return min(16, Int(try reader.unsigned()))
        }
        return (try? rest()) ?? nil
    }

    /// MaxDpbFrames: H.264 table A-1.
    private static func pictures(level: UInt8, macroblocks: Int) -> Int {
        let sizes: [(level: UInt8, macroblocks: Int)] = [
            (10, 396), (11, 900), (20, 2376), (21, 4752), (30, 8100), (31, 18000), (32, 20480), (41, 32768),
            (42, 34816), (50, 110_400), (52, 184_320),
        ]
        let size = sizes.first { level <= $0.level }?.macroblocks ?? 696_320
        return macroblocks > 0 ? min(16, size / macroblocks) : 16
    }

    /// H.264 annex A.
    package var profileName: String {
        func constraint(_ index: UInt8) -> Bool { constraints << index & 0x80 != 0 }
        switch profile {
        case 44: return "CAVLC 4:4:4 Intra"
        case 66: return constraint(1) ? "Constrained Baseline" : "Baseline"
        case 77: return "Main"
        case 83: return "Scalable Baseline"
        case 86: return "Scalable High"
        case 88: return "Extended"
        case 100: return constraint(4) ? constraint(5) ? "Constrained High" : "Progressive High" : "High"
        case 110: return constraint(3) ? "High 10 Intra" : "High 10"
        case 118: return "Multiview High"
        case 122: return constraint(3) ? "High 4:2:2 Intra" : "High 4:2:2"
        case 128: return "Stereo High"
        case 244: return constraint(3) ? "High 4:4:4 Intra" : "High 4:4:4 Predictive"
        default: return "profile \(profile)"
        }
    }

    /// The name of the level, such as "4.1" or "1b".
    package var levelName: String {
        // In profiles before the High ones, level 1b is coded as 1.1 with a flag.
        if level == 9 || level == 11 && constraints & 0x10 != 0 && !Self.hasFormat(profile) { return "1b" }
        return level % 10 == 0 ? "\(level / 10)" : "\(level / 10).\(level % 10)"
    }

    /// The profiles whose SPS has a chroma format.
    private static func hasFormat(_ profile: UInt8) -> Bool {
        switch profile {
        case 44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 244: true
        default: false
        }
    }

    private static func readFormat(
        _ reader: inout RBSPReader, profile: UInt8
    ) throws(BitstreamError) -> (chroma: Int, luma: Int, depth: Int, isSeparate: Bool) {
        guard hasFormat(profile) else { return (1, 8, 8, false) }
        let chroma = try reader.unsigned(upTo: 3, "chroma_format_idc")
        let isSeparate = chroma == 3 ? try reader.flag() : false
        let luma = 8 + (try reader.unsigned(upTo: 6, "bit_depth_luma_minus8"))
        let depth = 8 + (try reader.unsigned(upTo: 6, "bit_depth_chroma_minus8"))
        try reader.skip(1)
        if try reader.flag() {
            for index in 0..<(chroma == 3 ? 12 : 8) where try reader.flag() {
                try skipScalingList(&reader, count: index < 6 ? 16 : 64)
            }
        }
        return (chroma, luma, depth, isSeparate)
    }

    /// scaling_list(), 7.3.2.1.1.1: a list ends early where a scale becomes 0.
    private static func skipScalingList(_ reader: inout RBSPReader, count: Int) throws(BitstreamError) {
        var scale = 8
        for _ in 0..<count where scale != 0 {
            let delta = try reader.signed()
            scale = (scale + delta) & 0xFF
        }
    }

    private static func readPictureOrder(
        _ reader: inout RBSPReader
    ) throws(BitstreamError) -> PictureOrderParameters.Sequence {
        var order = PictureOrderParameters.Sequence()
        order.frameNumberBits = 4 + (try reader.unsigned(upTo: 12, "log2_max_frame_num_minus4"))
        switch try reader.unsigned(upTo: 2, "pic_order_cnt_type") {
        case 0: order.lsbBits = 4 + (try reader.unsigned(upTo: 12, "log2_max_pic_order_cnt_lsb_minus4"))
        case 1:
            order.isCyclic = true
            try reader.skip(1)
            for _ in 0..<2 { _ = try reader.signed() }
            let count = try reader.unsigned(upTo: 255, "num_ref_frames_in_pic_order_cnt_cycle")
            for _ in 0..<count { _ = try reader.signed() }
        default: break
        }
        return order
    }
}

/// Types of NAL units: H.264 table 7-1.
enum AVCUnitType {
    static let sei: UInt8 = 6
    static let sps: UInt8 = 7
    static let pps: UInt8 = 8
}
