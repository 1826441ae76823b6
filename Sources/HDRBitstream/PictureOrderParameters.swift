/// Fields of parameter sets that a slice's picture order needs.
struct PictureOrderParameters: Sendable {
    /// The parameters in an SPS.
    struct Sequence: Equatable, Sendable {
        /// log2_max_pic_order_cnt_lsb; `nil`: pic_order_cnt_type 2 of H.264, whose output order is decoding order.
        var lsbBits: Int?
        /// separate_colour_plane_flag.
        var hasPlanes = false
        /// sps_max_num_reorder_pics of the highest sub-layer, max_num_reorder_frames.
        var delay = 0
        /// H.264: log2_max_frame_num, frame_mbs_only_flag, pic_order_cnt_type 1.
        var frameNumberBits = 4
        var isFrame = true
        var isCyclic = false
    }

    private struct Picture {
        var sequence: Int
        var hasOutputFlag = false
        var extraBits = 0
    }

    private var sequences: [Int: Sequence] = [:]
    private var pictures: [Int: Picture] = [:]

    var delay: Int? { sequences.values.map(\.delay).max() }

    // MARK: HEVC

    mutating func readHEVC(_ unit: [UInt8], type: UInt8) throws(BitstreamError) {
        switch type {
        case HEVCUnitType.sps:
            let set = try unit.withRawBytes { (bytes) throws(BitstreamError) in
                try HEVCSequenceParameterSet(unit: bytes)
            }
            sequences[set.id] = set.order
        case HEVCUnitType.pps:
            var reader = try Self.reader(unit, from: 2, name: "PPS")
            let id = try reader.unsigned(upTo: 63, "pps_pic_parameter_set_id")
            var picture = Picture(sequence: try reader.unsigned(upTo: 15, "pps_seq_parameter_set_id"))
            try reader.skip(1)
            picture.hasOutputFlag = try reader.flag()
            picture.extraBits = Int(try reader.bits(3))
            pictures[id] = picture
        default: break
        }
    }

    /// slice_segment_header() up to slice_pic_order_cnt_lsb: H.265 7.3.6.1.
    func hevcSlice(_ unit: [UInt8], type: UInt8) throws(BitstreamError) -> PictureOrderSlice? {
        guard unit.count > 2 else { throw BitstreamError("slice is cut off") }
        var reader = Self.reader(cut: unit, from: 2, name: "slice")
        // A later slice of a picture whose first slice is missing has no order.
        guard try reader.flag() else { return nil }
        let isIDR = type == 19 || type == 20
        var slice = PictureOrderSlice()
        slice.isInstant = (16...20).contains(type)
        slice.isRandomAccess = HEVCUnitType.intraRandomAccess.contains(type)
        // Neither leading pictures nor ones that others do not refer to, and of the lowest sub-layer.
        let isLeading = (6...9).contains(type)
        let isUnused = type < 16 && type % 2 == 0
        slice.isAnchor = !isLeading && !isUnused && unit[1] & 7 == 1
        if slice.isRandomAccess { try reader.skip(1) }
        let id = try reader.unsigned(upTo: 63, "slice_pic_parameter_set_id")
        guard let picture = pictures[id], let sequence = sequences[picture.sequence] else {
            throw reader.failure("is of parameter sets that have not come")
        }
        slice.lsbBits = sequence.lsbBits
        guard !isIDR, let bits = sequence.lsbBits else { return slice }
        try reader.skip(picture.extraBits)
        _ = try reader.unsigned()
        if picture.hasOutputFlag { try reader.skip(1) }
        if sequence.hasPlanes { try reader.skip(2) }
        slice.lsb = Int(try reader.bits(bits))
        return slice
    }

    // MARK: H.264

    mutating func readAVC(_ unit: [UInt8]) throws(BitstreamError) {
        switch unit.first.map({ $0 & 0x1f }) {
        case AVCUnitType.sps?:
            let set = try unit.withRawBytes { (bytes) throws(BitstreamError) in
                try AVCSequenceParameterSet(unit: bytes)
            }
            sequences[set.id] = set.order
        case AVCUnitType.pps?:
            var reader = try Self.reader(unit, from: 1, name: "PPS")
            let id = try reader.unsigned(upTo: 255, "pic_parameter_set_id")
            pictures[id] = Picture(sequence: try reader.unsigned(upTo: 31, "seq_parameter_set_id"))
        default: break
        }
    }

    /// slice_header() up to pic_order_cnt_lsb: H.264 7.3.3.
    func avcSlice(_ unit: [UInt8]) throws(BitstreamError) -> PictureOrderSlice {
        guard unit.count > 1 else { throw BitstreamError("slice is cut off") }
        let isIDR = unit[0] & 0x1f == 5
        var reader = Self.reader(cut: unit, from: 1, name: "slice")
        for _ in 0..<2 { _ = try reader.unsigned() }
        let id = try reader.unsigned(upTo: 255, "pic_parameter_set_id")
        guard let picture = pictures[id], let sequence = sequences[picture.sequence] else {
            throw reader.failure("is of parameter sets that have not come")
        }
        var slice = PictureOrderSlice(isInstant: isIDR, isRandomAccess: isIDR, isAnchor: unit[0] & 0x60 != 0)
        guard !sequence.isCyclic else {
            throw reader.failure("has its order by pic_order_cnt_type 1, which is not read")
        }
        if sequence.hasPlanes { try reader.skip(2) }
        try reader.skip(sequence.frameNumberBits)
        if !sequence.isFrame, try reader.flag() {
            throw reader.failure("is of a field, and only frames are put in order")
        }
        if isIDR { _ = try reader.unsigned() }
        slice.lsbBits = sequence.lsbBits
        if let bits = sequence.lsbBits { slice.lsb = Int(try reader.bits(bits)) }
        return slice
    }

    private static func reader(
        _ unit: [UInt8], from first: Int, name: StaticString
    ) throws(BitstreamError) -> RBSPReader {
        let payload = unit.withUnsafeBytes { EmulationPrevention.removed(from: $0) }
        return try RBSPReader(payload, from: first, name: name)
    }

    /// The beginning of a unit, without its stop bit.
    private static func reader(cut unit: [UInt8], from first: Int, name: StaticString) -> RBSPReader {
        let payload = unit.withUnsafeBytes { EmulationPrevention.removed(from: $0) }
        return RBSPReader(all: Array(payload.dropFirst(first)), name: name)
    }
}
