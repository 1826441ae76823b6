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

    private func patched(_ moov: [UInt8], _ shown: UInt64?) throws -> [UInt8] {
        var metadata = ContainerMetadata()
        metadata.shownDurations = [shown]
        let result = try MovieBoxPatcher(flavor: .iso).patch(moov, with: metadata)
        #expect(result.growth == 0)
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
