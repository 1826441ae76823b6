import HDRMetadata
import Testing

@testable import HDRContainer

/// Tracks without a sample description, as qtmux writes them for a pad that got no data.
@Suite struct EmptyTracksTests {
    typealias Build = MovieBuilder

    private static let video = Build.track(entries: [Build.entry([])], offsets: [Build.offsets([5000])])
    private static let empty = Build.track(2, handler: "soun", entries: [])
    private static let sound = Build.track(
        3, handler: "soun", entries: [SoundSampleEntryTests.entry("sowt", bits: 16, channels: 2, rate: 96000)],
        offsets: [Build.offsets([6000])])

    private static let edits: ContainerMetadata = {
        var metadata = ContainerMetadata()
        metadata.removesEmptyTracks = true
        return metadata
    }()

    @Test func theyAreRemoved() throws {
        let moov = Build.moov(Self.video, Self.empty, Self.sound)
        let result = try MovieBoxPatcher(flavor: .iso).patch(moov, with: Self.edits)
        #expect(result.bytes == Build.moov(Self.video, Self.sound))
        #expect(result.growth == -Self.empty.count)
        let placed = Build.track(2, handler: "soun", entries: [], offsets: [Build.offsets([1], wide: true)])
        #expect(try MovieBoxPatcher(flavor: .iso).patch(moov, with: .nothing).bytes == moov)
        let whole = Build.moov(Self.video, placed, Self.sound)
        #expect(try MovieBoxPatcher(flavor: .iso).patch(whole, with: Self.edits).bytes == whole)
    }

    /// A muxer knows a late stream before its first sample, which may never come; in fragments it may come later.
    @Test func describedOnesAreRemovedWhereNothingFollows() throws {
        let unused = Build.track(
            2, handler: "soun", entries: [SoundSampleEntryTests.entry("sowt", bits: 16, channels: 2, rate: 48000)],
            offsets: [Build.offsets([])])
        let moov = Build.moov(Self.video, unused, Self.sound)
        #expect(try MovieBoxPatcher(flavor: .iso).patch(moov, with: Self.edits).bytes == moov)
        var edits = Self.edits
        edits.removesUnusedTracks = true
        let result = try MovieBoxPatcher(flavor: .iso).patch(moov, with: edits)
        #expect(result.bytes == Build.moov(Self.video, Self.sound))
        let fragmented = Build.box(
            "moov", Build.movieHeader, Self.video, unused,
            Build.box("mvex", Build.fullBox("trex", bigEndian(UInt32(2)) + [UInt8](repeating: 0, count: 16))))
        #expect(try MovieBoxPatcher(flavor: .iso).patch(fragmented, with: edits).bytes == fragmented)
    }

    /// Media data behind the box move towards it, and edits count the tracks that are left.
    @Test func whatFollowsMoves() throws {
        let moov = Build.moov(Self.video, Self.empty, Self.sound)
        var metadata = Self.edits
        metadata.audio = [AudioTrackMetadata(pcm: PCMDescription(sampleRate: 96000, channelMask: 0))]
        let result = try MovieBoxPatcher(flavor: .quickTime, mediaData: .movesFrom(4000)).patch(moov, with: metadata)
        #expect(result.growth == 36 - Self.empty.count)
        var offsets: [UInt32?] = []
        try BoxReader(result.bytes).walk { box, _ in
            if box.type == .stco { offsets.append(BigEndian.u32(result.bytes, box.payload.lowerBound + 8)) }
        }
        #expect(offsets == [5000, 6000].map { UInt32($0 + result.growth) })
        #expect(result.bytes.count == moov.count + result.growth)
    }

    @Test func fragmentsHaveNoDefaultsForThem() throws {
        func defaults(_ number: UInt32) -> [UInt8] {
            Build.fullBox("trex", bigEndian(number) + [UInt8](repeating: 0, count: 16))
        }
        func moov(_ tracks: [[UInt8]], _ numbers: [UInt32]) -> [UInt8] {
            Build.box("moov", Build.movieHeader, tracks.flatMap { $0 }, Build.box("mvex", numbers.flatMap(defaults)))
        }
        let result = try MovieBoxPatcher(flavor: .iso).patch(
            moov([Self.video, Self.empty, Self.sound], [1, 2, 3]), with: Self.edits)
        #expect(result.bytes == moov([Self.video, Self.sound], [1, 3]))
    }

    @Test func theyAreNotCounted() {
        let tracks = MovieSamples().tracks(Build.moov(Self.video, Self.empty, Self.sound))
        #expect(tracks?.map(\.identifier) == [1, 3])
    }
}
