import MetadataTestSupport

@testable import HDRContainer
@testable import HDRMetadata

/// Movies with edit lists.
enum MovieEditFixture {
    typealias Movie = MovieBuilder

    struct Edit {
        var duration: UInt64
        var start: Int64
    }

    /// A track with a clock of 600 ticks a second, in a movie of 1000.
    static func track(
        _ identifier: UInt32 = 1, handler: String = "vide", media: UInt32, clock: UInt32 = 600, _ edits: [Edit],
        isLong: Bool = false
    ) -> [UInt8] {
        let zeros = [UInt8](repeating: 0, count: 8)
        let header = zeros + bigEndian(identifier) + [UInt8](repeating: 0, count: 68)
        let clock = Movie.fullBox("mdhd", zeros + bigEndian(clock) + bigEndian(media) + [0, 0, 0, 0])
        let reference = bigEndian(UInt32(0)) + Array(handler.utf8) + [UInt8](repeating: 0, count: 13)
        let entries = edits.flatMap { edit in
            (isLong
                ? bigEndian(edit.duration) + bigEndian(edit.start)
                : bigEndian(UInt32(edit.duration)) + bigEndian(Int32(edit.start))) + bigEndian(UInt32(0x1_0000))
        }
        let list = Movie.fullBox("elst", version: isLong ? 1 : 0, bigEndian(UInt32(edits.count)) + entries)
        let description = Movie.fullBox("stsd", bigEndian(UInt32(1)) + Movie.entry([Movie.hvcC]))
        return Movie.box(
            "trak", Movie.fullBox("tkhd", flags: 7, header), edits.isEmpty ? [] : Movie.box("edts", list),
            Movie.box(
                "mdia", clock, Movie.fullBox("hdlr", reference), Movie.box("minf", Movie.box("stbl", description))))
    }

    static func file(_ duration: UInt32, _ tracks: [UInt8]...) -> [UInt8] {
        let header = [UInt8](repeating: 0, count: 8) + bigEndian(UInt32(1000)) + bigEndian(duration)
        let movie = Movie.fullBox("mvhd", header + [UInt8](repeating: 0, count: 80))
        return Movie.quickTime + Movie.box("moov", movie, tracks.flatMap { $0 })
    }
}
