import MetadataTestSupport
import Testing

@testable import HDRContainer
@testable import HDRExport
@testable import HDRMetadata

/// The track of a file that a stream comes from, its first picture, and the data that a copy keeps.
@Suite struct SourceTrackTests {
    typealias Movie = MovieBuilder
    typealias Matroska = MatroskaBuilder

    private static let tracks: [UInt8] = {
        let large = Movie.track(1, entries: [Movie.entry([Movie.hvcC])])
        let small = Movie.track(2, entries: [Movie.entry([Movie.hvcC], width: 320, height: 180)])
        let other = Movie.track(3, entries: [Movie.entry([], codec: "apco")])
        return Movie.quickTime + Movie.moov(large, small, other)
    }()

    @Test(
        arguments: [
            (2, .hevc, (0, 0), 2), (nil, .hevc, (320, 180), 2), (nil, .hevc, (1920, 1080), 1),
            (nil, .hevc, (640, 480), nil), (9, .hevc, (640, 480), nil), (nil, .proRes422, (1, 1), 3),
            (3, nil, (1, 1), 3), (nil, nil, (320, 180), 2), (nil, nil, (1920, 1080), nil), (nil, .vp9, (1, 1), nil),
        ] as [(UInt64?, VideoCodec?, (Int, Int), UInt64?)])
    func matching(_ number: UInt64?, _ codec: VideoCodec?, _ size: (Int, Int), _ expected: UInt64?) throws {
        let inspection = try ContainerInspection(ArrayByteSource(Self.tracks))
        let track = inspection.track(identifier: number, codec: codec, size: FrameSize(size.0, size.1))
        #expect(track?.identifier == expected)
    }

    @Test func theOnlyTrackIsTheStreams() throws {
        let movie = Movie.iso + Movie.moov(Movie.track(7, entries: [Movie.entry([Movie.hvcC])]))
        let inspection = try ContainerInspection(ArrayByteSource(movie))
        #expect(inspection.track(identifier: 1, codec: nil, size: FrameSize(64, 36))?.identifier == 7)
    }

    @Test(arguments: [false, true]) func firstPictureOfAMovie(isWide: Bool) throws {
        let picture: [UInt8] = [9, 8, 7, 6, 5]
        func movie(_ position: UInt64) -> [UInt8] {
            let sizes = Movie.fullBox(
                "stsz", bigEndian(UInt32(0)) + bigEndian(UInt32(2)) + bigEndian(UInt32(5)) + [0, 0, 0, 3])
            let offsets = Movie.offsets([position, 4], wide: isWide)
            return Movie.iso
                + Movie.moov(Movie.track(entries: [Movie.entry([Movie.hvcC])], offsets: [sizes, offsets]))
        }
        let head = movie(0)
        let file = ArrayByteSource(movie(UInt64(head.count + 8)) + Movie.box("mdat", picture + [1, 1, 1]))
        let inspection = try ContainerInspection(file)
        let track = try #require(inspection.tracks.first)
        #expect(try inspection.firstSample(of: track, in: file) == picture)
        // Positions behind the end lead nowhere.
        let short = ArrayByteSource(movie(1 << 31))
        #expect(try inspection.firstSample(of: track, in: short) == nil)
    }

    @Test func firstPictureOfMatroska() throws {
        let block = Matroska.element(0xa3, [0x82, 0, 0, 0x80, 1, 2])
        let laced = Matroska.element(0xa3, [0x81, 0, 0, 0x84, 3, 3])
        let group = Matroska.element(0xa0, Matroska.element(0xa1, [0x81, 0, 0, 0, 5, 6, 7]))
        let cluster = Matroska.element(0x1f43_b675, Matroska.number(0xe7, 0), block, laced, group)
        let segment = Matroska.element(
            0x1853_8067, Matroska.tracks(Matroska.videoTrack(), Matroska.audioTrack), cluster)
        let file = ArrayByteSource(Matroska.header() + segment)
        let inspection = try ContainerInspection(file)
        let track = try #require(inspection.tracks.first)
        #expect(try inspection.firstSample(of: track, in: file) == [5, 6, 7])
        // The picture ends the file.
        for count in 0..<file.bytes.count {
            let part = ArrayByteSource(Array(file.bytes.prefix(count)))
            #expect(try inspection.firstSample(of: track, in: part) == nil, "\(count) bytes")
        }
    }

    @Test func languagesThatAreNotGiven() throws {
        let named = Matroska.element(
            0xae, Matroska.number(0xd7, 3), Matroska.number(0x83, 2), Matroska.element(0x22_b59c, Array("fre".utf8)))
        let tracks = Matroska.tracks(Matroska.videoTrack(), Matroska.audioTrack, named)
        var metadata = ContainerMetadata.nothing
        #expect(try MatroskaTracksPatcher(metadata: metadata).patch(tracks) == tracks)
        metadata.undeterminedLanguages = [0, 2]
        #expect(
            String(decoding: try MatroskaTracksPatcher(metadata: metadata).patch(tracks), as: UTF8.self)
                .components("und") == 1)
        metadata.undeterminedLanguages = [0, 1, 2]
        let patched = try MatroskaTracksPatcher(metadata: metadata).patch(tracks)
        let text = String(decoding: patched, as: UTF8.self)
        #expect(text.components("und") == 2 && text.components("fre") == 1)
        #expect(try MatroskaTracksPatcher(metadata: metadata).patch(patched) == patched)
        // A movie's tracks have a language always.
        let moov = Movie.moov(Movie.track(entries: [Movie.entry([Movie.hvcC])]))
        #expect(try MovieBoxPatcher(flavor: .iso).patch(moov, with: metadata).bytes == moov)
    }
}

extension String {
    /// The number of times that a text occurs.
    fileprivate func components(_ text: String) -> Int { ranges(of: text).count }
}
