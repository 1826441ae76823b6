import MetadataTestSupport
import Testing

@testable import HDRBitstream

@Suite struct ProResFrameHeaderTests {
    /// The first 30 bytes of frames of FFmpeg's encoder, 322x182: progressive 4:2:2, and interlaced 4:4:4 with alpha.
    static let plain = frame("000079f5 69637066 00940000 4c617663 014200b6 80000202 02400003 0404")
    static let interlaced = frame("0000f0cb 69637066 00940000 4c617663 014200b6 c4000202 02420003 0404")

    /// The header and as many bytes as it says.
    static func frame(_ hex: String) -> [UInt8] {
        let head = MetadataFixture.bytes(hex)
        let size = head[0..<4].reduce(0) { $0 << 8 | Int($1) }
        return head + (head.count..<size).map { UInt8(truncatingIfNeeded: $0 * 7) }
    }

    @Test func fieldsOfBothChromaFormats() throws {
        let plain = try ProResFrameHeader(Self.plain)
        #expect(plain.width == 322 && plain.height == 182 && plain.frameSize == 0x79F5)
        #expect(plain.chromaFormat == .yuv422 && plain.interlaceMode == .progressive && plain.alphaType == 0)
        #expect(plain.color.isUnspecified && plain.bitDepth == 10)
        let rich = try ProResFrameHeader(Self.interlaced)
        #expect(rich.chromaFormat == .yuv444 && rich.interlaceMode == .topFieldFirst && rich.alphaType == 2)
        #expect(rich.profileName == "ProRes 4444" && rich.bitDepth == 12)
    }

    @Test func onlyThreeBytesChange() throws {
        for original in [Self.plain, Self.interlaced] {
            var frame = original
            #expect(try ProResFrameHeader.setColor(.bt2100HLG, in: &frame))
            #expect(frame.indices.filter { frame[$0] != original[$0] } == [22, 23, 24])
            #expect(Array(frame[22...24]) == [9, 18, 9])
            #expect(try ProResFrameHeader(frame).color == .bt2100HLG)
            #expect(try !ProResFrameHeader.setColor(.bt2100HLG, in: &frame))
        }
    }

    @Test func buffersMayBeLongerAndNotShorter() throws {
        #expect(try ProResFrameHeader(Self.plain + [0, 0]).frameSize == Self.plain.count)
        for count in Array(0..<40) + [Self.plain.count - 1] {
            var cut = Array(Self.plain.prefix(count))
            #expect(throws: BitstreamError.self) { try ProResFrameHeader.setColor(.bt2100PQ, in: &cut) }
            #expect(cut == Array(Self.plain.prefix(count)))
        }
    }

    @Test(
        arguments: [
            (0, 0xFF, "bytes"), (5, 0x64, "icpf"), (9, 0x13, "header of 19"), (8, 0xFF, "bytes"), (11, 2, "version 2"),
            (17, 0, "0x182"), (20, 0x40, "chroma format 1"), (20, 0x8C, "interlace mode 3"),
        ] as [(Int, UInt8, String)]) func badFieldsAreErrors(offset: Int, value: UInt8, says: String)
    {
        var frame = Self.plain
        frame[offset] = value
        if offset == 17 { frame[16] = 0 }
        let error = #expect(throws: BitstreamError.self) { try ProResFrameHeader(frame) }
        #expect(error?.description.contains(says) == true, "\(error?.description ?? "")")
    }
}
