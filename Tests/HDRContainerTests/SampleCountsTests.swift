import HDRMetadata

import Testing

@testable import HDRContainer

/// Files that are written piece by piece, and how many samples each of their tracks has.
@Suite struct SampleCountsTests {
    private typealias Movie = MovieBuilder
    private typealias Matroska = MatroskaBuilder

    private static func full(_ type: String, _ numbers: UInt32...) -> [UInt8] {
        var bytes: [UInt8] = []
        for number in numbers { BigEndian.append(number, to: &bytes) }
        return Movie.box(type, bytes)
    }

    private static func track(_ identifier: UInt32, _ handler: String, _ sizes: [UInt8]) -> [UInt8] {
        let header = full("tkhd", 0, 0, 0, identifier, 0, 0)
        let kind = Movie.box(
            "hdlr", [UInt8](repeating: 0, count: 8) + Array(handler.utf8) + [UInt8](repeating: 0, count: 13))
        return Movie.box("trak", header + Movie.box("mdia", kind + Movie.box("minf", Movie.box("stbl", sizes))))
    }

    @Test func tablesOfAMovie() {
        let moov = Movie.box(
            "moov",
            Self.track(1, "vide", Self.full("stsz", 0, 0, 3, 10, 20, 30))
                + Self.track(2, "soun", Self.full("stz2", 0, 8, 5))
                + Self.track(7, "text", []))
        #expect(
            MovieSamples().tracks(moov) == [
                TrackSamples(kind: .video, identifier: 1, count: 3),
                TrackSamples(kind: .sound, identifier: 2, count: 5),
                TrackSamples(kind: .other, identifier: 7, count: 0),
            ])
        #expect(MovieSamples().tracks(Movie.box("free", [])) == nil)
    }

    @Test func fragmentsAreAdded() {
        let moov = Movie.box("moov", Self.track(1, "vide", Self.full("stsz", 0, 0, 0)))
        let run = Movie.box("traf", Self.full("tfhd", 0, 1) + Self.full("trun", 0, 4) + Self.full("trun", 0, 2))
        var samples = MovieSamples()
        samples.add(
            fragment: Movie.box("moof", run + Movie.box("traf", Self.full("tfhd", 0, 9) + Self.full("trun", 0, 8))))
        samples.add(fragment: Movie.box("moof", run))
        samples.add(fragment: [0, 0, 0, 8])
        #expect(samples.tracks(moov) == [TrackSamples(kind: .video, identifier: 1, count: 12)])
    }

    private static func cluster(_ tracks: [UInt8]) -> [UInt8] {
        var data = Matroska.element(0xe7, [0])
        for (index, track) in tracks.enumerated() {
            let block = [0x80 | track, 0, 0, 0] + [UInt8](repeating: 0xa3, count: 40 + index)
            data +=
                index % 2 == 0 ? Matroska.element(0xa3, block) : Matroska.element(0xa0, Matroska.element(0xa1, block))
        }
        return Matroska.element(0x1f43_b675, data)
    }

    /// In whatever pieces the blocks come, of which those that lie in a block's data are not looked at.
    @Test(arguments: [1, 3, 7, 50, 10_000]) func blocksOfMatroska(piece: Int) {
        let tracks = Matroska.tracks(Matroska.videoTrack(1), Matroska.audioTrack)
        let bytes = tracks + Self.cluster([1, 2, 1]) + Self.cluster([1, 2])
        var samples = MatroskaSamples()
        var next = 0
        var passed = 0
        while next < bytes.count {
            let end = min(bytes.count, next + piece)
            if samples.passes(end - next) {
                samples.skip(end - next)
                passed += end - next
            } else {
                samples.read(Array(bytes[next..<end]))
            }
            next = end
        }
        #expect(samples.tracks(tracks)?.map(\.count) == [3, 2])
        #expect(samples.tracks(tracks)?.map(\.kind) == [.video, .sound])
        if piece < 20 { #expect(passed > 100) }
    }

    @Test func whatIsLostIsNotCounted() {
        let tracks = Matroska.tracks(Matroska.videoTrack(1))
        var samples = MatroskaSamples()
        samples.read(tracks + Self.cluster([1]))
        #expect(samples.tracks(tracks)?.map(\.count) == [1])
        samples.lose()
        #expect(samples.tracks(tracks) == nil && samples.passes(1000))
        var broken = MatroskaSamples()
        broken.read(tracks + [UInt8](repeating: 0, count: 64))
        #expect(broken.tracks(tracks) == nil)
    }
}
