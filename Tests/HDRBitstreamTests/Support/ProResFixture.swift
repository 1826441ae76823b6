import MetadataTestSupport

@testable import HDRBitstream

/// Frames of ProRes.
enum ProResFixture {
    /// The first 30 bytes of frames of FFmpeg's encoder, 322x182: progressive 4:2:2, and interlaced 4:4:4 with alpha.
    static let plain = frame("000079f5 69637066 00940000 4c617663 014200b6 80000202 02400003 0404")
    static let interlaced = frame("0000f0cb 69637066 00940000 4c617663 014200b6 c4000202 02420003 0404")

    /// The header and as many bytes as it says.
    static func frame(_ hex: String) -> [UInt8] {
        let head = MetadataFixture.bytes(hex)
        let size = head[0..<4].reduce(0) { $0 << 8 | Int($1) }
        return head + (head.count..<size).map { UInt8(truncatingIfNeeded: $0 * 7) }
    }
}
