import HDRMetadata

/// Metadata as values, and as the bytes that SEI messages and boxes have of them.
package enum MetadataFixture {
    package static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.utf8.filter { $0 != 32 && $0 != 10 }
        return stride(from: 0, to: digits.count, by: 2).map { index in
            UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16)!
        }
    }

    package static let display = MasteringDisplay(
        red: SIMD2(34000, 16000), green: SIMD2(13250, 34500), blue: SIMD2(7500, 3000), white: SIMD2(15635, 16450),
        maximum: 10_000_000, minimum: 50)
    package static let displayPayload = bytes("33c286c41d4c0bb884d03e803d134042 00989680 00000032")
    package static let level = ContentLightLevel(maximum: 1000, frameAverage: 400)
    package static let ambient = AmbientViewing(illuminance: 3_140_000, light: SIMD2(15635, 16450))
    /// SEI 148 of an iPhone's recording.
    package static let ambientPayload = bytes("002fe9a03d134042")
    package static let hdr10Plus = bytes("b5003c000104014000")
}

extension ColorDescription {
    package static func codes(
        _ primaries: UInt8, _ transfer: UInt8, _ matrix: UInt8, isFullRange: Bool? = nil, chromaLocation: UInt8? = nil
    ) -> ColorDescription {
        ColorDescription(
            primaries: primaries, transfer: transfer, matrix: matrix, isFullRange: isFullRange,
            chromaLocation: chromaLocation)
    }
}
