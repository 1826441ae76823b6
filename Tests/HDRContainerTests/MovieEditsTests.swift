import MetadataTestSupport
import Testing

@testable import HDRContainer
@testable import HDRMetadata

/// What is read of edit lists that end before a track's last samples.
@Suite struct MovieEditsTests {
    typealias Movie = MovieBuilder
    typealias Edit = MovieEditFixture.Edit

    private func edits(_ file: [UInt8]) throws -> MovieEdits {
        let source = ArrayByteSource(file)
        return try MovieEdits(source, ContainerInspection(source), limit: 1 << 20)
    }

    /// The file as a demuxer reads it.
    private func patched(_ file: [UInt8], _ edits: MovieEdits) -> [UInt8] {
        var bytes = file
        for patch in edits.patches {
            BigEndian.set(
                patch.bytes.reduce(0) { $0 << 8 | UInt64($1) }, count: patch.bytes.count, in: &bytes,
                at: Int(patch.offset))
        }
        return bytes
    }

    @Test(arguments: [false, true]) func aTrimmedTrackIsLengthened(isLong: Bool) throws {
        // Media of 2 s, of which 0.1 s to 1.1 s are played.
        let file = MovieEditFixture.file(
            1000, MovieEditFixture.track(7, media: 1200, [Edit(duration: 1000, start: 60)], isLong: isLong))
        let found = try edits(file)
        #expect(found.videoEnds == [7: 1_000_000_000])
        let longer = MovieEditFixture.track(7, media: 1200, [Edit(duration: 1900, start: 60)], isLong: isLong)
        // The movie is longer by as much as the edit, and by the media before it.
        #expect(patched(file, found) == MovieEditFixture.file(2001, longer))
    }

    @Test func severalEditsAndAnEmptyOne() throws {
        let list = [Edit(duration: 500, start: -1), Edit(duration: 300, start: 0), Edit(duration: 200, start: 600)]
        let found = try edits(MovieEditFixture.file(1000, MovieEditFixture.track(media: 1200, list)))
        #expect(found.videoEnds == [1: 1_000_000_000])
        #expect(found.patches.count == 2)
        #expect(found.patches.first?.bytes == [0, 0, 3, 0xe8])
    }

    @Test func soundNeedsALongerMovie() throws {
        let sound = MovieEditFixture.track(
            2, handler: "soun", media: 49024, clock: 48000, [Edit(duration: 1000, start: 1024)])
        let file = MovieEditFixture.file(1000, sound)
        let found = try edits(file)
        #expect(found.videoEnds.isEmpty)
        #expect(patched(file, found) == MovieEditFixture.file(1022, sound))
    }

    /// A demuxer takes a track of less than a fifth of the movie for a preview.
    @Test func shortSoundIsKept() throws {
        let video = MovieEditFixture.track(media: 6000, [])
        let file = MovieEditFixture.file(
            10000, video, MovieEditFixture.track(2, handler: "soun", media: 48000, clock: 48000, []))
        let found = try edits(file)
        #expect(
            patched(file, found)
                == MovieEditFixture.file(
                    10000, video, MovieEditFixture.track(2, handler: "soun", media: 120_000, clock: 48000, [])))
        #expect(found.patches.count == 1 && found.videoEnds.isEmpty)
    }

    /// The only video of a movie whose sound lasts longer is no preview, nor are several that are all short.
    @Test func shortVideoIsKept() throws {
        let sound = MovieEditFixture.track(3, handler: "soun", media: 480_000, clock: 48000, [])
        func file(_ media: UInt32, _ other: UInt32, _ list: [Edit] = []) -> [UInt8] {
            MovieEditFixture.file(
                10000, MovieEditFixture.track(1, media: media, list), MovieEditFixture.track(2, media: other, []), sound
            )
        }
        let short = file(600, 900)
        let found = try edits(short)
        #expect(patched(short, found) == file(1500, 1500))
        #expect(found.videoEnds == [1: 1_000_000_000, 2: 1_500_000_000])
        #expect(try edits(file(600, 6000)) == MovieEdits())
        // It begins late, and its edit ends before its samples do.
        let list = [Edit(duration: 500, start: -1), Edit(duration: 800, start: 0)]
        let edited = try edits(file(600, 900, list))
        #expect(edited.videoEnds == [1: 1_300_000_000, 2: 1_500_000_000])
        let longer = [Edit(duration: 500, start: -1), Edit(duration: 1000, start: 0)]
        #expect(patched(file(600, 900, list), edited).suffix(1000) == file(1500, 1500, longer).suffix(1000))
    }

    @Test(
        arguments: [
            [], [Edit(duration: 2000, start: 0)], [Edit(duration: 0, start: 0)], [Edit(duration: 2000, start: -1)],
        ]) func whatIsWholeStaysAsItIs(_ list: [Edit]) throws
    {
        #expect(try edits(MovieEditFixture.file(2000, MovieEditFixture.track(media: 1200, list))) == MovieEdits())
    }

    @Test func largestNumbers() throws {
        let list = [Edit(duration: .max, start: 1), Edit(duration: 3, start: .max)]
        _ = try edits(MovieEditFixture.file(.max - 1, MovieEditFixture.track(media: .max - 1, list, isLong: true)))
        _ = try edits(
            MovieEditFixture.file(1, MovieEditFixture.track(media: .max - 1, clock: 1, [Edit(duration: 1, start: 0)])))
        // A movie of unknown length, and one in fragments.
        #expect(
            try edits(MovieEditFixture.file(.max, MovieEditFixture.track(media: 1200, [Edit(duration: 1, start: 0)])))
                == MovieEdits())
        let fragmented = Movie.iso + Movie.moov(Movie.track(entries: [Movie.entry([Movie.hvcC])]), fragmented: true)
        #expect(try edits(fragmented) == MovieEdits())
    }

    @Test func theClockOfATrack() throws {
        let file = try ContainerInspection(
            ArrayByteSource(MovieEditFixture.file(1000, MovieEditFixture.track(media: 600, []))))
        #expect(file.tracks.first?.timescale == 600)
    }
}
