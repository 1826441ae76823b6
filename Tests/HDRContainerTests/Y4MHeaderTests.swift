import Testing

@testable import HDRContainer
@testable import HDRMetadata

/// Headers of YUV4MPEG2 files.
@Suite struct Y4MHeaderTests {
    private func header(_ words: String) throws -> Y4MHeader? {
        try Y4MHeader(ArrayByteSource(Array("YUV4MPEG2 \(words)\n".utf8)))
    }

    @Test func everyFieldIsRead() throws {
        let words = "W1024 H428 F24000:1001 It A4:3 C422p10 XYSCSS=422P10 XCOLORRANGE=FULL"
        let found = try #require(try header(words))
        #expect(found.width == 1024 && found.height == 428 && found.size == words.utf8.count + 11)
        #expect(found.frameRate == FrameRate(24000, 1001) && found.interlacing == .topFieldFirst)
        #expect(found.pixelAspect == .init(horizontal: 4, vertical: 3) && found.isFullRange == true)
        #expect(found.sampling.bitDepth == 10 && found.sampling.chromaFormat == 2)
        #expect(found.frameSize == 1024 * 428 * 4 && found.frameStride == found.frameSize + 6)
        #expect(found.time(ofFrame: 24000) == 1_001_000_000_000)
    }

    /// Names, their chroma_format_idc, bits, and bytes of a frame of 5x3.
    static let samplings: [(String, UInt8?, UInt8, Int)] = [
        ("420", 1, 8, 15 + 12), ("420jpeg", 1, 8, 15 + 12), ("420mpeg2", 1, 8, 15 + 12), ("420paldv", 1, 8, 15 + 12),
        ("422", 2, 8, 15 + 18), ("444", 3, 8, 45), ("411", nil, 8, 15 + 12), ("444alpha", 3, 8, 60), ("mono", 0, 8, 15),
        ("mono16", 0, 16, 30), ("420p10", 1, 10, 54), ("420p12", 1, 12, 54), ("422p12", 2, 12, 66),
        ("444p16", 3, 16, 90), ("420p9", 1, 9, 54),
    ]

    @Test(arguments: samplings) func samplesLie(as name: String, chroma: UInt8?, depth: UInt8, size: Int) throws {
        let found = try #require(try header("W5 H3 F1:1 C\(name)"))
        #expect(found.sampling.chromaFormat == chroma && found.sampling.bitDepth == depth)
        #expect(found.frameSize == size)
    }

    @Test func whatIsLeftOutHasADefault() throws {
        let found = try #require(try header("H2 W2"))
        #expect(found.sampling.name == "420jpeg" && found.frameRate == nil && found.pixelAspect == nil)
        #expect(found.isFullRange == nil && found.interlacing == .progressive && found.time(ofFrame: 1) == nil)
        // 0 is "unknown".
        #expect(try header("W2 H2 F0:0 A0:0")?.frameRate == nil)
    }

    @Test(arguments: [
        "", "W2", "W0 H2", "W-2 H2", "W65536 H2", "W2 H99999999999999999999", "W2 H2 C420p8", "W2 H2 C420p17",
        "W2 H2 C440", "W2 H2 Cmono7", "W2 H2 F25", "W2 H2 F-25:1", "W2 H2 F99999999999:1", "W2 H2 A1", "W2 H2 Iq",
        "W2 H2 C", "W2 H2 C420p",
    ]) func whatIsNotValidIsRefused(words: String) throws {
        #expect(throws: ContainerError.self) { try header(words) }
    }

    @Test func otherFilesAreNone() throws {
        #expect(try Y4MHeader(ArrayByteSource([])) == nil)
        #expect(try Y4MHeader(ArrayByteSource(Array("YUV4MPEG".utf8))) == nil)
        let endless = Array("YUV4MPEG2 ".utf8) + [UInt8](repeating: 32, count: 10_000)
        #expect(throws: ContainerError.truncated(what: "the Y4M header", offset: 0)) {
            try Y4MHeader(ArrayByteSource(endless))
        }
    }

    // MARK: Files

    @Test func aTrackIsDescribed() throws {
        let found = try ContainerInspection(
            ArrayByteSource(Y4MFixture.file(frames: 50, "W5 H3 F25:1 C420p10 XCOLORRANGE=FULL")))
        let track = try #require(found.mainTrack)
        #expect(found.format == .y4m && found.duration == 2_000_000_000 && found.tracks.count == 1)
        #expect(track.width == 5 && track.height == 3 && track.bitDepth == 10 && track.chromaFormat == 1)
        #expect(track.color == ColorDescription(isFullRange: true) && track.frameRate == FrameRate(25, 1))
    }

    @Test func aMissingEndIsFound() throws {
        let whole = Y4MFixture.file(frames: 3)
        func defect(_ bytes: [UInt8]) throws -> FileDefect? { try FileDefect.find(in: ArrayByteSource(bytes)) }
        #expect(try defect(whole) == nil)
        for lost in [1, 30, 54, 56, 59] { #expect(try defect(Array(whole.dropLast(lost))) == .truncated, "\(lost)") }
        // Frames with parameters: the rest is no frame's beginning.
        #expect(try defect(whole + Array("xyz".utf8)) == nil)
    }
}
