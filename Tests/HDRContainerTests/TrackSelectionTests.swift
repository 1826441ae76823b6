import Testing

@testable import HDRContainer

/// The orientation of a track's picture, and the choice among several tracks.
@Suite struct TrackSelectionTests {
    typealias Movie = MovieBuilder
    typealias Matroska = MatroskaBuilder

    private func inspect(_ bytes: [UInt8]) throws -> ContainerInspection {
        try ContainerInspection(ArrayByteSource(bytes))
    }

    private static let one: Int32 = 0x10000

    /// The positions of a picture's top left and top right corner after the matrix of a track header.
    @Test(
        arguments: [
            ([1, 0, 0, 1], PictureOrientation(), "rotate-0"),
            ([0, 1, -1, 0], .init(rotation: 90), "rotate-90"), ([-1, 0, 0, -1], .init(rotation: 180), "rotate-180"),
            ([0, -1, 1, 0], .init(rotation: 270), "rotate-270"),
            ([-1, 0, 0, 1], .init(isMirrored: true), "flip-rotate-0"),
            ([0, -1, -1, 0], .init(rotation: 90, isMirrored: true), "flip-rotate-90"),
            ([1, 0, 0, -1], .init(rotation: 180, isMirrored: true), "flip-rotate-180"),
            ([0, 1, 1, 0], .init(rotation: 270, isMirrored: true), "flip-rotate-270"),
        ] as [([Int32], PictureOrientation, String)])
    func movieMatrices(_ signs: [Int32], _ expected: PictureOrientation, tag: String) throws {
        let (a, b, c, d) = (signs[0] * Self.one, signs[1] * Self.one, signs[2] * Self.one, signs[3] * Self.one)
        let moov = Movie.moov(
            Movie.track(entries: [Movie.entry([Movie.hvcC])], matrix: [a, b, 0, c, d, 0, 0, 0, 0x4000_0000]))
        let track = try #require(try inspect(Movie.quickTime + moov).tracks.first)
        #expect(track.orientation == expected && expected.tag == tag)
        #expect(track.rotation == (expected.isMirrored ? nil : expected.rotation))
        // The definition: exchange left and right, then turn clockwise, with y downwards.
        let turns: [Int: (Int32, Int32, Int32, Int32)] = [
            0: (1, 0, 0, 1), 90: (0, 1, -1, 0), 180: (-1, 0, 0, -1), 270: (0, -1, 1, 0),
        ]
        let turn = try #require(turns[expected.rotation])
        let side: Int32 = expected.isMirrored ? -1 : 1
        #expect(signs == [side * turn.0, side * turn.1, turn.2, turn.3])
    }

    @Test func matricesThatTurnByAnyAngle() throws {
        let moov = Movie.moov(
            Movie.track(
                entries: [Movie.entry([Movie.hvcC])], matrix: [56756, 32768, 0, -32768, 56756, 0, 0, 0, 0x4000_0000]))
        #expect(try #require(try inspect(Movie.iso + moov).tracks.first).orientation == nil)
    }

    /// FFmpeg writes a yaw of 180 for what is mirrored, and a counter-clockwise roll.
    @Test(
        arguments: [
            ([:], .init()), ([0x7675: -90], .init(rotation: 90)), ([0x7675: 90], .init(rotation: 270)),
            ([0x7675: 179.999], .init(rotation: 180)), ([0x7673: 180], .init(isMirrored: true)),
            ([0x7673: -180, 0x7675: -90], .init(rotation: 90, isMirrored: true)),
            ([0x7674: 180], .init(rotation: 180, isMirrored: true)),
            ([0x7673: 180, 0x7674: 180], .init(rotation: 180)),
            ([0x7675: 45], nil), ([0x7673: 90], nil), ([0x7674: 30], nil), ([0x7675: .nan], nil),
            ([0x7675: .infinity], nil), ([0x7671: 1, 0x7673: 30], .init()),
        ] as [([UInt32: Double], PictureOrientation?)])
    func matroskaPoses(_ pose: [UInt32: Double], _ expected: PictureOrientation?) throws {
        let elements = pose.flatMap { $0 == 0x7671 ? Matroska.number($0, UInt64($1)) : Matroska.float($0, $1) }
        let tracks = Matroska.tracks(Matroska.videoTrack(colour: Matroska.element(0x7670, elements)))
        let track = try #require(try MatroskaInspection.tracks(tracks).first)
        #expect(track.orientation == expected)
    }

    @Test func theFirstEnabledTrackStandsForTheFile() throws {
        let entry = Movie.entry([Movie.hvcC])
        let off = Movie.track(1, entries: [entry], flags: 6)
        let on = { Movie.track($0, entries: [entry]) }
        let file = try inspect(Movie.iso + Movie.moov(off, on(2), on(3)))
        #expect(file.tracks.map(\.isEnabled) == [false, true, true])
        #expect(file.mainTrack?.identifier == 2)
        // Where no track is enabled, the first one is taken.
        let alsoOff = Movie.track(2, entries: [entry], flags: 0)
        #expect(try inspect(Movie.iso + Movie.moov(off, alsoOff)).mainTrack?.index == 0)
        let disabled = Matroska.videoTrack(4, colour: [], extra: Matroska.number(0xb9, 0))
        let segment =
            Matroska.header() + Matroska.unknownSize(0x1853_8067)
            + Matroska.tracks(disabled, Matroska.videoTrack(5, colour: []))
        #expect(try inspect(segment).mainTrack?.identifier == 5)
    }

    @Test func anEnhancementLayerStandsForNothing() throws {
        let record = DolbyVisionRecord(
            profile: 7, level: 6, compatibility: 0, hasEnhancementLayer: true, hasBaseLayer: false)
        let layer = Movie.track(
            1, entries: [Movie.entry([Movie.hvcC, Box.bytes("dvcC", record.payload)], codec: "dvhe")],
            references: Movie.box("tref", Movie.box("vdep", bigEndian(UInt32(2)))))
        let file = try inspect(Movie.iso + Movie.moov(layer, Movie.track(2, entries: [Movie.entry([Movie.hvcC])])))
        #expect(file.tracks.map(\.isEnhancementLayer) == [true, false] && file.tracks[0].baseTrack == 2)
        #expect(file.mainTrack?.identifier == 2)
        #expect(!record.needsDolbyVision)
        #expect(DolbyVisionRecord(profile: 5, level: 6, compatibility: 0).needsDolbyVision)
        #expect(!DolbyVisionRecord(profile: 8, level: 6, compatibility: 4).needsDolbyVision)
    }
}
