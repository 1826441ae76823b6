import MetadataTestSupport
import Testing

@testable import HDRBitstream

@Suite struct ProResFrameHeaderTests {
    @Test func fieldsOfBothChromaFormats() throws {
        let plain = try ProResFrameHeader(ProResFixture.plain)
        #expect(plain.width == 322 && plain.height == 182 && plain.frameSize == 0x79F5)
        #expect(plain.chromaFormat == .yuv422 && plain.interlaceMode == .progressive && plain.alphaType == 0)
        #expect(plain.color.isUnspecified && plain.bitDepth == 10)
        let rich = try ProResFrameHeader(ProResFixture.interlaced)
        #expect(rich.chromaFormat == .yuv444 && rich.interlaceMode == .topFieldFirst && rich.alphaType == 2)
        #expect(rich.profileName == "ProRes 4444" && rich.bitDepth == 12)
    }

    @Test func onlyThreeBytesChange() throws {
        for original in [ProResFixture.plain, ProResFixture.interlaced] {
            var frame = original
            #expect(try ProResFrameHeader.setColor(.bt2100HLG, in: &frame))
            #expect(frame.indices.filter { frame[$0] != original[$0] } == [22, 23, 24])
            #expect(Array(frame[22...24]) == [9, 18, 9])
            #expect(try ProResFrameHeader(frame).color == .bt2100HLG)
            #expect(try !ProResFrameHeader.setColor(.bt2100HLG, in: &frame))
        }
    }

    @Test func buffersMayBeLongerAndNotShorter() throws {
        #expect(try ProResFrameHeader(ProResFixture.plain + [0, 0]).frameSize == ProResFixture.plain.count)
        for count in Array(0..<40) + [ProResFixture.plain.count - 1] {
            var cut = Array(ProResFixture.plain.prefix(count))
            #expect(throws: BitstreamError.self) { try ProResFrameHeader.setColor(.bt2100PQ, in: &cut) }
            #expect(cut == Array(ProResFixture.plain.prefix(count)))
        }
    }

    @Test(
        arguments: [
            (0, 0xFF, "bytes"), (5, 0x64, "icpf"), (9, 0x13, "header of 19"), (8, 0xFF, "bytes"), (11, 2, "version 2"),
            (17, 0, "0x182"), (20, 0x40, "chroma format 1"), (20, 0x8C, "interlace mode 3"),
        ] as [(Int, UInt8, String)]) func badFieldsAreErrors(offset: Int, value: UInt8, says: String)
    {
        var frame = ProResFixture.plain
        frame[offset] = value
        if offset == 17 { frame[16] = 0 }
        let error = #expect(throws: BitstreamError.self) { try ProResFrameHeader(frame) }
        #expect(error?.description.contains(says) == true, "\(error?.description ?? "")")
    }
}
