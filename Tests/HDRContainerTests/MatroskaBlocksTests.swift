import Testing

@testable import HDRContainer

/// Metadata beside the frames, and the tables of times, in Matroska and in movies.
@Suite struct MatroskaBlocksTests {
    typealias Movie = MovieBuilder
    typealias Matroska = MatroskaBuilder

    private func blocks(_ bytes: [UInt8], limit: Int = 100) throws -> [Int] {
        let source = ArrayByteSource(bytes)
        let track = try #require(try ContainerInspection(source).tracks.first)
        let blocks = MatroskaBlocks(source, track: track, limit: limit)
        return [blocks.count, blocks.hdr10Plus]
    }

    @Test func additionsOfTheTrackAreCounted() throws {
        let simple = Matroska.element(0xa3, [0x81, 0, 0, 0x80] + Movie.media(9))
        let first = MatroskaBlockFixture.group(1, addition: 4) + MatroskaBlockFixture.group(2, addition: 4) + simple
        let second =
            MatroskaBlockFixture.group(1, addition: nil) + MatroskaBlockFixture.group(1, addition: 4)
            + MatroskaBlockFixture.group(1, addition: 1)
        let file = MatroskaBlockFixture.file(first, second)
        #expect(try blocks(file) == [5, 2])
        #expect(try blocks(file, limit: 3) == [3, 1])
        #expect(
            try blocks(MatroskaBlockFixture.file(MatroskaBlockFixture.group(1, addition: 4, [0xb5, 0, 0x3c, 0, 1, 5])))
                == [1, 0])
        for count in 200..<file.count {
            do {
                let found = try blocks(Array(file.prefix(count)))
                #expect(found[0] <= 5 && found[1] <= 2, "\(count) bytes")
            } catch {
                #expect(error is ContainerError, "\(count) bytes: \(error)")
            }
        }
    }

    /// Matroska names the identifier of ITU-T T.35 in the track.
    @Test func aMappingNamesTheIdentifier() throws {
        let mapping = Matroska.element(0x41e4, Matroska.number(0x41e7, 4), Matroska.number(0x41f0, 2))
        #expect(
            try blocks(MatroskaBlockFixture.file(MatroskaBlockFixture.group(1, addition: 2), mapping: mapping)) == [
                1, 1,
            ])
        #expect(try blocks(MatroskaBlockFixture.file(MatroskaBlockFixture.group(1, addition: 2))) == [1, 0])
    }

    // MARK: Times

    private func rate(_ entries: [(UInt32, UInt32)], timescale: UInt32 = 24000) throws -> FrameRate? {
        let times = [UInt8](repeating: 0, count: 8)
        let clock = Movie.fullBox("mdhd", times + bigEndian(timescale) + bigEndian(UInt32(0)) + [0, 0, 0, 0])
        let table = bigEndian(UInt32(entries.count)) + entries.flatMap { bigEndian($0.0) + bigEndian($0.1) }
        let samples = Movie.box("stbl", Movie.fullBox("stts", table))
        let track = Movie.box("trak", Movie.box("mdia", clock, Movie.box("minf", samples)))
        let reader = BoxReader(track)
        var boxes = reader.boxes()
        let box = try #require(try boxes.next())
        return MovieTiming(reader, box)?.frameRate(sampleDuration: 1000)
    }

    @Test func frameRatesAreThoseOfTheTable() throws {
        #expect(try rate([(48, 1000)]) == FrameRate(24, 1))
        #expect(try rate([(47, 1001), (1, 500)]) == FrameRate(24000, 1001))
        #expect(try rate([(1, 1001)]) == FrameRate(24000, 1001))
        // 28 samples that take 101740 of 100000 ticks a second: 27.52.
        let odd = try #require(try rate([(14, 3333), (13, 3600), (1, 8278)], timescale: 100_000))
        #expect(odd == FrameRate(140_000, 5087, isConstant: false))
        // Nothing but what a movie in fragments says of all samples.
        #expect(try rate([]) == FrameRate(24, 1))
        #expect(try rate([(48, 0)]) == nil && rate([(48, 1)], timescale: 0) == nil)
        #expect(try rate([(.max, .max), (.max, 1), (.max, .max)]) == nil)
    }

    @Test func timesAreRounded() {
        #expect(FrameRate.nanoseconds(64, timescale: 600) == 106_666_667)
        #expect(FrameRate.nanoseconds(1, timescale: 3) == 333_333_333)
        #expect(FrameRate.nanoseconds(.max, timescale: .max) == 1_000_000_000)
        #expect(FrameRate.nanoseconds(.max, timescale: 1) == nil && FrameRate.nanoseconds(1, timescale: 0) == nil)
    }

    @Test func matroskaGivesItsTimes() throws {
        let info = Matroska.element(
            0x1549_a966, Matroska.number(0x2ad7b1, 1_000_000, count: 3), Matroska.float(0x4489, 10803))
        let tracks = Matroska.tracks(
            Matroska.videoTrack(1, colour: [], extra: Matroska.number(0x23e383, 41_708_333, count: 4)))
        let start = Matroska.header() + Matroska.unknownSize(0x1853_8067)
        for bytes in [start + info + tracks, start + tracks + info] {
            let file = try ContainerInspection(ArrayByteSource(bytes))
            #expect(file.duration == 10_803_000_000)
            #expect(try abs(#require(file.tracks.first?.frameRate).value - 24000.0 / 1001) < 1e-6)
        }
    }

    /// A step of ST 2086 stored as a float of either size comes back as that step, and not as the one below.
    @Test func masteringValuesComeBackExactly() throws {
        for step in stride(from: 0, through: 50000, by: 7) {
            for value in [Double(step) / 50000, Double(Float(step) / 50000), (Double(step) / 50000).nextDown] {
                var values = VideoTrack.MasteringValues()
                (values.redX, values.redY, values.greenX, values.greenY) = (value, 0.3, 0.3, 0.3)
                (values.blueX, values.blueY, values.whiteX, values.whiteY) = (0.3, 0.3, 0.3127, 0.329)
                (values.maximum, values.minimum) = (1000, Double(Float(0.005)))
                guard step > 0 || value >= 0 else { continue }
                let display = try #require(values.display)
                #expect(display.red.x == step && display.minimum == 50 && display.white == SIMD2(15635, 16450))
            }
        }
    }
}
