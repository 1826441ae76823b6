import MetadataTestSupport
import Testing

@testable import HDRContainer
@testable import HDRMetadata

/// Files whose end or whose header is missing.
@Suite struct FileDefectTests {
    typealias Movie = MovieBuilder
    typealias Matroska = MatroskaBuilder

    private func defect(_ bytes: [UInt8]) throws -> FileDefect? { try FileDefect.find(in: ArrayByteSource(bytes)) }

    private static let moov = Movie.moov(Movie.track(entries: [Movie.entry([Movie.hvcC])]))
    private static let movie = Movie.quickTime + Movie.box("mdat", Movie.media(40)) + moov
    private static let segment =
        Matroska.header() + Matroska.element(0x1853_8067, Matroska.tracks(Matroska.videoTrack()), sizeLength: 8)

    @Test func wholeFiles() throws {
        #expect(try defect(Self.movie) == nil)
        // Some writers end a file with zeros.
        #expect(try defect(Self.movie + [0, 0, 0, 0]) == nil)
        #expect(try defect(Movie.iso + Self.moov + bigEndian(UInt32(0)) + Array("mdat".utf8) + [1, 2, 3]) == nil)
        #expect(try defect(Movie.iso + Self.moov + Movie.largeBox("mdat", [1, 2, 3])) == nil)
        #expect(try defect(Self.segment) == nil)
        #expect(try defect(Matroska.header() + Matroska.unknownSize(0x1853_8067) + [1, 2]) == nil)
    }

    @Test func truncatedFiles() throws {
        for count in [20 + 9, Self.movie.count - 40, Self.movie.count - 1] {
            #expect(try defect(Array(Self.movie.prefix(count))) == .truncated, "\(count)")
        }
        #expect(
            try defect(Array((Movie.iso + Self.moov + Movie.largeBox("mdat", [1, 2, 3])).dropLast())) == .truncated)
        #expect(try defect(Array(Self.segment.dropLast())) == .truncated)
    }

    @Test func recordingsThatWereCutShort() throws {
        #expect(try defect(Movie.quickTime + Movie.box("mdat", Movie.media(40))) == .headless)
        #expect(try defect(Movie.quickTime) == .headless)
    }

    @Test func otherFiles() throws {
        #expect(try defect([]) == nil)
        #expect(try defect(Array("This is not a video.".utf8)) == nil)
        #expect(try defect([0x1a, 0x45, 0xdf, 0xa3]) == nil)
        // A size less than its header's: the demuxer judges it.
        #expect(try defect(Movie.quickTime + Self.moov + [0, 0, 0, 3, 1, 2, 3, 4]) == nil)
    }

    /// Blocks behind each other to the end, and the same file where a part of it is zero, cut or another.
    @Test func unbrokenMatroska() {
        func isWhole(_ bytes: [UInt8]) -> Bool { FileDefect.isUnbrokenMatroska(ArrayByteSource(bytes)) }
        let group = MatroskaBlockFixture.group(1, addition: 4)
        let last = Matroska.element(0xa3, [0x81, 0, 0, 0x80] + Movie.media(9))
        let file = MatroskaBlockFixture.file(group + group + group, group + last)
        #expect(isWhole(file))
        #expect(!isWhole([]) && !isWhole(Array(file.dropLast())) && !isWhole(file + [0]))
        var zeroed = file
        for index in file.count - last.count - 2 * group.count..<file.count - last.count { zeroed[index] = 0 }
        #expect(!isWhole(zeroed))
        // A byte of a block's size.
        var longer = file
        longer[file.count - last.count + 1] ^= 1
        #expect(!isWhole(longer))
    }
}
