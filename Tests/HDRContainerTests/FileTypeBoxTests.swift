import MetadataTestSupport
import TestSupport
import Testing

@testable import HDRContainer

/// The brand of ISO files with Dolby Vision.
@Suite struct FileTypeBoxTests {
    typealias Build = MovieBuilder
    typealias Write = ContainerRun.Write

    private static func brands(_ names: String...) -> [UInt8] {
        Build.box("ftyp", Array(names[0].utf8), bigEndian(UInt32(0)), names.dropFirst().flatMap { Array($0.utf8) })
    }

    /// The box as GStreamer's mp4mux writes it.
    private static let muxers = brands("mp42", "mp42", "mp41", "isom", "iso2")
    private static let named = brands("mp42", "mp42", "dby1", "isom", "iso2")

    @Test func thePlaceIsThatOfTheOldVersion() {
        #expect(FileTypeBox.place(for: .dby1, in: Self.muxers) == 20)
        for other in [
            Self.named, Self.brands("dby1", "mp41"), Self.brands("mp41"), Build.iso, [],
            Array(Self.muxers.dropLast()), Build.box("free", Array(Self.muxers.dropFirst(8))),
        ] {
            #expect(FileTypeBox.place(for: .dby1, in: other) == nil)
        }
    }

    /// The brands are written once, again at the end, and again in parts.
    @Test(arguments: [true, false]) func filesWithTheRecordHaveTheBrand(isLast: Bool) throws {
        let tests = MovieRewriterTests()
        let once =
            isLast
            ? MovieRewriterTests.movieLast(after: Self.muxers) : MovieRewriterTests.movieFirst(after: Self.muxers)
        let parts: [Write] = stride(from: 0, to: 30, by: 3).map { ($0, Array(Self.muxers[$0..<$0 + 3])) }
        for again in [[], [(0, Self.muxers)], parts] as [[Write]] {
            let (file, rewriter) = try tests.run(once + again)
            #expect(rewriter.notices.isEmpty)
            try tests.expectComplete(file.bytes)
            #expect(file.bytes.starts(with: Self.named))
            var without = ContainerMetadata.everything
            without.first.dolbyVision = .remove
            let plain = try tests.run(once + again, without).file.bytes
            #expect(plain.starts(with: Self.muxers))
            #expect(plain.count < file.bytes.count)
        }
        let quickTime = try tests.run(MovieRewriterTests.movieLast).file.bytes
        #expect(quickTime.starts(with: Build.quickTime))
    }
}
