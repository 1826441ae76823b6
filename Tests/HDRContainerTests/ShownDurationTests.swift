import Testing

@testable import HDRContainer

/// Edit lists of video that is decoded for longer than it is shown: AudioPrimingTests.movie() with a track of 2 s.
@Suite struct ShownDurationTests {
    typealias Build = MovieBuilder
    typealias Edit = AudioPrimingTests.Edit

    private static func list(_ edits: [Edit], version: UInt8 = 0) -> [UInt8] {
        let entries = edits.flatMap { edit in
            (version == 1
                ? bigEndian(edit.duration) + bigEndian(edit.start)
                : bigEndian(UInt32(truncatingIfNeeded: edit.duration))
                    + bigEndian(Int32(truncatingIfNeeded: edit.start)))
                + bigEndian(UInt32(1 << 16))
        }
        return Build.box("edts", Build.fullBox("elst", version: version, bigEndian(UInt32(edits.count)) + entries))
    }

    private func patched(_ moov: [UInt8], _ shown: UInt64?, hidden: UInt64 = 0) throws -> [UInt8] {
        var metadata = ContainerMetadata()
        metadata.shownDurations = [shown]
        metadata.hiddenStarts = [hidden]
        let result = try MovieBoxPatcher(flavor: .iso).patch(moov, with: metadata)
        // Times that need 64 bits make the list longer.
        #expect(result.growth == 0 || hidden > 1 << 60)
        return result.bytes
    }

    @Test(arguments: [0, 1] as [UInt8]) func theEditEndsWithTheLastPicture(_ version: UInt8) throws {
        let list = Self.list(
            [Edit(duration: 60, start: -1), Edit(duration: 1140, start: 9600)], version: version)
        let movie = AudioPrimingTests.movie(edit: list, version: version, handler: "vide")
        let result = try AudioPrimingTests.edits(try patched(movie, 1_750_000_000))
        #expect(result.edits == [Edit(duration: 60, start: -1), Edit(duration: 1050, start: 9600)])
        #expect(result.track == 1110 && result.movie == 1110)
    }

    /// The first half second of what is decoded is not shown.
    @Test(arguments: [(nil, 900), (2_000_000_000, 900), (1_750_000_000, 750)] as [(UInt64?, UInt64)])
    func theEditBeginsBehindWhatIsHidden(_ shown: UInt64?, _ duration: UInt64) throws {
        let movie = AudioPrimingTests.movie(edit: Self.list([Edit(duration: 1200, start: 9600)]), handler: "vide")
        let result = try AudioPrimingTests.edits(try patched(movie, shown, hidden: 500_000_000))
        #expect(result.edits == [Edit(duration: duration, start: 33600)])
        // Another track of the movie lasts 900 ticks.
        #expect(result.track == duration && result.movie == 900)
        for hidden in [UInt64.max, 1 << 62, 1 << 40] { _ = try patched(movie, shown, hidden: hidden) }
    }

    /// A time that is the edit's but for rounding, one that is longer, several edits, and other tracks.
    @Test func othersStay() throws {
        let list = Self.list([Edit(duration: 1200, start: 9600)])
        let movie = AudioPrimingTests.movie(edit: list, handler: "vide")
        for shown in [nil, 0, 2_000_000_000, 1_998_400_000, 3_000_000_000, UInt64.max] as [UInt64?] {
            #expect(try patched(movie, shown) == movie)
        }
        for edits in [
            [Edit(duration: 600, start: 0), Edit(duration: 600, start: 9600)], [Edit(duration: 1200, start: -1)], [],
        ] {
            let movie = AudioPrimingTests.movie(edit: Self.list(edits), handler: "vide")
            #expect(try patched(movie, 1_000_000_000) == movie)
        }
        let sound = AudioPrimingTests.movie(edit: list)
        #expect(try patched(sound, 1_000_000_000) == sound)
    }
}
