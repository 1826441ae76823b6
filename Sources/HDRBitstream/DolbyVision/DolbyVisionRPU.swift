import HDRMetadata

/// A picture's Dolby Vision metadata, a reference processing unit: rpu_data() of ETSI TS 103 572 and ETSI GS CCM 001.
///
/// Everything that is read is kept, so that an RPU is written as it was read, byte for byte, and may be edited in
/// between: the CRC follows, and emulation prevention. In HEVC it is a NAL unit of type 62 at the end of each access
/// unit, in AV1 a message of ITU-T T.35.
package struct DolbyVisionRPU: Equatable, Sendable {
    /// rpu_nal_prefix.
    static let prefix: UInt8 = 25
    private static let terminator: UInt8 = 0x80
    /// CRC and terminator.
    private static let tail = 5
    private static let unitHeader: [UInt8] = [0x7C, 1]

    package var header = Header()
    /// The mapping; `nil` where that of an earlier RPU applies (use_prev_vdr_rpu_flag).
    package var mapping: Mapping?
    /// prev_vdr_rpu_id: the mapping that is valid where this RPU has none.
    package var previousMappingID: UInt32 = 0
    /// The display management data; `nil` where vdr_dm_metadata_present_flag is not set.
    package var displayManagement: DisplayManagement?
    /// Bytes between the metadata and the CRC, whose meaning is not known.
    package var unknownBytes: [UInt8] = []
    /// Bytes behind the end of the RPU: zeros, or zeros with emulation prevention.
    package var trailingBytes: [UInt8] = []

    package init() {}

    /// Reads a NAL unit of type 62, with its header or from the prefix byte 25 on, with emulation prevention.
    ///
    /// - Parameter sequence: that of an earlier RPU, for streams that have it in some RPUs only.
    package init(nalUnit: UnsafeRawBufferPointer, sequence: SequenceInfo? = nil) throws(BitstreamError) {
        let start = nalUnit.first == Self.prefix ? 0 : 2
        guard start == 0 || (nalUnit.count > 2 && nalUnit[0] >> 1 & 0x3F == HEVCUnitType.dolbyVisionRPU) else {
            throw BitstreamError("this is no Dolby Vision RPU: it begins with neither 25 nor a NAL unit's type 62")
        }
        let content = nalUnit.part(start..<nalUnit.count)
        let end = Self.end(of: content)
        self = try Self(
            core: EmulationPrevention.removed(from: content.part(0..<end)), sequence: sequence)
        trailingBytes = Array(content.part(end..<content.count))
    }

    package init(nalUnit: [UInt8], sequence: SequenceInfo? = nil) throws(BitstreamError) {
        self = try nalUnit.withRawBytes { (bytes) throws(BitstreamError) in try Self(nalUnit: bytes, sequence: sequence)
        }
    }

    /// Reads an RPU without emulation prevention, from its prefix byte 25 on.
    package init(payload: [UInt8], sequence: SequenceInfo? = nil) throws(BitstreamError) {
        let end = payload.withRawBytes { Self.end(of: $0) }
        self = try Self(core: end == payload.count ? payload : Array(payload[..<end]), sequence: sequence)
        trailingBytes = Array(payload[end...])
    }

    /// A NAL unit of type 62, with its header.
    package func nalUnit(sequence: SequenceInfo? = nil) throws(BitstreamError) -> [UInt8] {
        try Self.unitHeader + escaped(sequence: sequence)
    }

    /// The RPU with emulation prevention, starting with the prefix byte: the form for encoders and dovi_tool's files.
    package func escaped(sequence: SequenceInfo? = nil) throws(BitstreamError) -> [UInt8] {
        try EmulationPrevention.inserted(into: core(sequence: sequence)) + trailingBytes
    }

    /// The RPU without emulation prevention, starting with the prefix byte.
    package func payload(sequence: SequenceInfo? = nil) throws(BitstreamError) -> [UInt8] {
        try core(sequence: sequence) + trailingBytes
    }

    /// The end of the terminator, which only zeros follow, or zeros that emulation prevention interrupts.
    private static func end(of bytes: UnsafeRawBufferPointer) -> Int {
        (bytes.lastIndex { $0 != 0 && $0 != 3 } ?? bytes.count - 1) + 1
    }

    /// Reads an RPU from its prefix to its terminator.
    init(core: [UInt8], sequence: SequenceInfo?) throws(BitstreamError) {
        guard core.first == Self.prefix else {
            throw BitstreamError("Dolby Vision RPU does not begin with 25", at: 0)
        }
        guard core.last == Self.terminator, core.count > Self.tail + 1 else {
            throw BitstreamError("Dolby Vision RPU is cut off: it does not end with 128", at: max(core.count - 1, 0))
        }
        let end = core.count - Self.tail
        let stored = core[end..<end + 4].reduce(0) { $0 << 8 | UInt32($1) }
        let computed = MPEGChecksum.of(core[1..<end])
        guard stored == computed else {
            throw BitstreamError(
                """
                Dolby Vision RPU is damaged: its CRC is 0x\(String(stored, radix: 16)), and 0x\
                \(String(computed, radix: 16)) is that of its bytes
                """, at: end)
        }
        var coder = RPUCoder(reading: Array(core[1..<end]))
        try code(&coder, sequence)
    }

    func core(sequence: SequenceInfo?) throws(BitstreamError) -> [UInt8] {
        var (copy, coder) = (self, RPUCoder())
        try copy.code(&coder, sequence)
        var bytes = [Self.prefix] + coder.writer.bytes
        let checksum = MPEGChecksum.of(bytes[1...])
        for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: checksum >> shift)) }
        bytes.append(Self.terminator)
        return bytes
    }

    private mutating func code(_ coder: inout RPUCoder, _ inherited: SequenceInfo?) throws(BitstreamError) {
        try header.code(&coder)
        let sequence = header.sequence ?? inherited
        var (hasDisplayManagement, usesPrevious) = (displayManagement != nil, mapping == nil)
        try coder.flag(&hasDisplayManagement)
        try coder.flag(&usesPrevious)
        if usesPrevious {
            try coder.ue(&previousMappingID, "prev_vdr_rpu_id")
        } else {
            guard let sequence else {
                throw coder.failure("lacks vdr_seq_info, which an earlier RPU has, and cannot be understood without")
            }
            var value = mapping ?? Mapping(curves: [])
            try value.code(&coder, sequence)
            mapping = value
        }
        if hasDisplayManagement {
            var value = displayManagement ?? DisplayManagement()
            try value.code(&coder, sequence, unknownBytes: unknownBytes.count)
            displayManagement = value
        }
        try coder.align("rpu_alignment_zero_bit")
        try coder.bytes(&unknownBytes, count: coder.remaining / 8)
    }
}
