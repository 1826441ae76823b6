/// The first fields of a Dolby Vision RPU, from which its profile can be inferred: ETSI GS CCM 001, rpu_data_header().
struct DolbyVisionRPUHeader: Equatable {
    private static let prefix: UInt8 = 25

    /// 5, 7 or 8; `nil` where the fields match none of these. The base layer of profile 8 is HDR10, SDR or HLG, which
    /// only its VUI distinguishes.
    let profile: UInt8?

    /// Reads a NAL unit of type 62 with its header. `nil` where it is no RPU.
    init?(unit: UnsafeRawBufferPointer) {
        // The fields of interest end within 32 bytes.
        let bytes = EmulationPrevention.removed(from: unit.part(0..<80), limit: 64)
        self.init(payload: Array(bytes.dropFirst(2)))
    }

    /// Reads an unescaped RPU from its prefix byte on.
    init?(payload: [UInt8]) {
        guard payload.first == Self.prefix else { return nil }
        var reader = RBSPReader(all: Array(payload.dropFirst()), name: "RPU")
        guard let profile = try? Self.readProfile(&reader) else { return nil }
        self.profile = profile == 0 ? nil : profile
    }

    /// 0 where the profile is unknown.
    private static func readProfile(_ reader: inout RBSPReader) throws(BitstreamError) -> UInt8 {
        guard try reader.bits(6) == 2 else { throw reader.failure("is of another type") }
        let format = try reader.bits(11)
        let code = try reader.bits(4)
        try reader.skip(4)
        // Without sequence information the header ends here.
        guard try reader.flag() else { return code == 0 ? 5 : 0 }
        try reader.skip(1)
        if try reader.bits(2) == 0 { _ = try reader.unsigned() }
        try reader.skip(2)
        let isFullRange = try reader.flag()
        var isResidualOff = true
        if format & 0x700 == 0 {
            for _ in 0..<3 { _ = try reader.unsigned() }
            try reader.skip(5)
            isResidualOff = try reader.flag()
        }
        switch code {
        case 0: return isFullRange ? 5 : 0
        case 1: return isResidualOff ? 8 : 7
        default: return 0
        }
    }
}
