// The payload of an SEI message is also the payload of the box: `mdcv`, `clli` and `amve` have no version or flags.

extension MasteringDisplay {
    package static let payloadSize = 24

    /// The payload of SEI 137 (H.265 D.2.28) and of box `mdcv`: 24 bytes, big-endian, in the order green, blue, red,
    /// white, maximum, minimum. `nil` where the size is another.
    package init?(payload: some Collection<UInt8>) {
        guard let bytes = PayloadBytes(payload, count: Self.payloadSize) else { return nil }
        self.init(
            red: bytes.pair(at: 8), green: bytes.pair(at: 0), blue: bytes.pair(at: 4), white: bytes.pair(at: 12),
            maximum: bytes.word(at: 16), minimum: bytes.word(at: 20))
    }

    package var payload: [UInt8] {
        PayloadBytes.bytes(of: [green, blue, red, white]) + PayloadBytes.bytes(of: maximum)
            + PayloadBytes.bytes(of: minimum)
    }
}

extension ContentLightLevel {
    package static let payloadSize = 4

    /// The payload of SEI 144 (H.265 D.2.35) and of box `clli`: MaxCLL and MaxFALL, 4 bytes, big-endian. `nil` where
    /// the size is another.
    package init?(payload: some Collection<UInt8>) {
        guard let bytes = PayloadBytes(payload, count: Self.payloadSize) else { return nil }
        let levels = bytes.pair(at: 0)
        self.init(maximum: levels.x, frameAverage: levels.y)
    }

    package var payload: [UInt8] { PayloadBytes.bytes(of: [SIMD2(maximum, frameAverage)]) }
}

extension AmbientViewing {
    package static let payloadSize = 8

    /// The payload of SEI 148 (H.265 D.2.39) and of box `amve`: illuminance, x and y, 8 bytes, big-endian. `nil` where
    /// the size is another.
    package init?(payload: some Collection<UInt8>) {
        guard let bytes = PayloadBytes(payload, count: Self.payloadSize) else { return nil }
        self.init(illuminance: bytes.word(at: 0), light: bytes.pair(at: 4))
    }

    package var payload: [UInt8] { PayloadBytes.bytes(of: illuminance) + PayloadBytes.bytes(of: [light]) }
}

/// Big-endian fields of a payload whose size has been checked.
private struct PayloadBytes {
    private let bytes: [UInt8]

    init?(_ payload: some Collection<UInt8>, count: Int) {
        guard payload.count == count else { return nil }
        bytes = Array(payload)
    }

    private func byte(at offset: Int) -> UInt8 { bytes.indices.contains(offset) ? bytes[offset] : 0 }

    private func half(at offset: Int) -> UInt16 { UInt16(byte(at: offset)) << 8 | UInt16(byte(at: offset + 1)) }

    func pair(at offset: Int) -> SIMD2<UInt16> { SIMD2(half(at: offset), half(at: offset + 2)) }

    func word(at offset: Int) -> UInt32 { UInt32(half(at: offset)) << 16 | UInt32(half(at: offset + 2)) }

    static func bytes(of pairs: [SIMD2<UInt16>]) -> [UInt8] {
        pairs.flatMap { bytes(of: UInt32($0.x) << 16 | UInt32($0.y)) }
    }

    static func bytes(of word: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) }
    }
}
