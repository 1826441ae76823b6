import MetadataTestSupport
import TestSupport
import Testing

@testable import HDRContainer

/// The brand of ISO files with Dolby Vision.
@Suite struct FileTypeBoxTests {
    typealias Build = MovieBuilder
    typealias Write = ContainerRun.Write

    @Test func aBrandIsAddedOnce() throws {
        let grown = try #require(FileTypeBox.adding(.dby1, to: Build.iso))
        #expect(grown == Build.box("ftyp", Array("mp42".utf8), bigEndian(UInt32(0)), Array("isomdby1".utf8)))
        #expect(FileTypeBox.adding(.dby1, to: grown) == nil)
        let major = Build.box("ftyp", Array("dby1".utf8), bigEndian(UInt32(0)))
        #expect(FileTypeBox.adding(.dby1, to: major) == nil)
        for broken in [[], Array(Build.iso.dropLast()), Build.box("free", [0, 0, 0, 0, 0, 0, 0, 0])] {
            #expect(FileTypeBox.adding(.dby1, to: broken) == nil)
        }
    }

    private static func iso(_ writes: [Write]) -> [Write] {
        let growth = Build.iso.count - Build.quickTime.count
        #expect(growth == 0)
        return [(0, Build.iso)] + writes.dropFirst()
    }

    /// Media data that follow the brands move with them, wherever the movie box is.
    @Test func filesWithTheRecordHaveTheBrand() throws {
        let tests = MovieRewriterTests()
        for writes in [Self.iso(MovieRewriterTests.movieLast), Self.iso(MovieRewriterTests.movieFirst())] {
            let (file, rewriter) = try tests.run(writes)
            #expect(rewriter.notices.isEmpty)
            try tests.expectComplete(file.bytes)
            #expect(file.bytes[4..<24].elementsEqual("ftypmp42\0\0\0\0isomdby1".utf8))
            var without = ContainerMetadata.everything
            without.first.dolbyVision = .remove
            let plain = try tests.run(writes, without).file.bytes
            #expect(plain.starts(with: Build.iso))
        }
        let movie = try tests.run(MovieRewriterTests.movieLast).file.bytes
        #expect(movie.starts(with: Build.quickTime))
    }
}
