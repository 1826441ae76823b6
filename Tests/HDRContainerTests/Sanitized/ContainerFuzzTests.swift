import HDRMetadata

import Foundation
import TestSupport
import Testing

@testable import HDRContainer

/// Broken headers by the hundred thousand: nothing traps, hangs, or takes memory because a size field says so.
/// `HDR_FUZZ` is the number of inputs.
@Suite struct ContainerFuzzTests {
    typealias Movie = MovieBuilder
    typealias Matroska = MatroskaBuilder

    private static let count = TestWork.inputs(release: 200_000, debug: 20_000)

    private static let moov = Movie.moov(
        Movie.track(
            entries: [Movie.entry([Movie.hvcC, Movie.nclx(1, 1, 1, full: false), Movie.pasp], tail: [0, 0, 0, 0])],
            offsets: [
                Movie.offsets([100, 5000]), Movie.fullBox("saio", bigEndian(UInt32(1)) + bigEndian(UInt32(900))),
            ]),
        Movie.track(2, handler: "soun", entries: [], offsets: [Movie.offsets([70], wide: true)]))

    private static let fragments: [UInt8] = {
        let init0 = Movie.moov(Movie.track(entries: [Movie.entry([Movie.hvcC])]), fragmented: true)
        let header = Movie.fullBox("tfhd", flags: 1, bigEndian(UInt32(1)) + bigEndian(UInt64(400)))
        let moof = Movie.box("moof", Movie.box("traf", header)) + Movie.box("mdat", Movie.media(9))
        let entry = bigEndian(UInt32(9)) + bigEndian(UInt32(400)) + [1, 1, 1]
        let index = Movie.fullBox("tfra", bigEndian(UInt32(1)) + bigEndian(UInt32(0)) + bigEndian(UInt32(1)) + entry)
        return Movie.iso + init0 + moof + Movie.box("mfra", index)
    }()

    private static let movies = [
        Movie.quickTime + moov + Movie.box("free", [UInt8](repeating: 0, count: 40))
            + Movie.box("mdat", Movie.media(30)),
        Movie.iso + Movie.box("free") + bigEndian(UInt32(0)) + Array("mdat".utf8) + moov, fragments,
        MovieEditFixture.file(1000, MovieEditFixture.track(media: 1200, [.init(duration: 1000, start: 60)])),
    ]

    private static let tracks = Matroska.tracks(Matroska.videoTrack(), Matroska.audioTrack)

    private static let segments: [[UInt8]] = {
        let head = Matroska.element(
            0x114d_9b74, Matroska.seek(0x1654_ae6b, 60), Matroska.seek(0x1c53_bb6b, 600, count: 2))
        let cluster =
            Matroska.unknownSize(0x1f43_b675) + Matroska.number(0xe7, 0) + Matroska.number(0xa7, 500, count: 2)
            + Matroska.element(0xa3, [0x81, 0, 0, 0x80] + Movie.media(20))
        let cues = Matroska.element(0x1c53_bb6b, Matroska.cuePoint(0, 250) + Matroska.cuePoint(1, 65_000))
        let start = Matroska.header() + Matroska.unknownSize(0x1853_8067) + head
        return [
            start + tracks + cluster + cues,
            start + tracks + Matroska.element(0xec, [UInt8](repeating: 0, count: 300)) + cluster + cluster + cues,
        ]
    }()

    private static let additions = MatroskaBlockFixture.file(
        MatroskaBlockFixture.group(1, addition: 4), MatroskaBlockFixture.group(1, addition: nil))

    private static let exchange = MXFBuilder.file()
    private static let frames = Y4MFixture.file(frames: 2, "W5 H3 F25:1 It A1:1 C420p10 XCOLORRANGE=FULL")

    private static let interesting: [UInt64] = [
        0, 1, 7, 8, 15, 16, 0x7f, 0x80, 0xff, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff, 0x1_0000_0000,
        1 << 56, 0x7fff_ffff_ffff_ffff, .max,
    ]

    /// Changes some bytes, mostly where a box type or an element ID suggests a size.
    private static func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        for _ in 0...random.below(4) {
            guard !bytes.isEmpty else { return }
            let at = random.below(bytes.count)
            switch random.below(9) {
            case 0: bytes[at] = UInt8(truncatingIfNeeded: random.next())
            case 1: bytes[at] ^= 1 << UInt8(random.below(8))
            case 2, 3:
                let count = [1, 2, 4, 8][random.below(4)]
                let value = interesting[random.below(interesting.count)]
                BigEndian.set(value, count: count, in: &bytes, at: at)
            case 4: bytes.removeLast(bytes.count - at)
            case 5: bytes.removeSubrange(at..<min(bytes.count, at + 1 + random.below(40)))
            case 6:
                let part = Array(bytes[at..<min(bytes.count, at + 1 + random.below(64))])
                bytes.insert(contentsOf: part, at: random.below(bytes.count))
            case 7:
                // A size field a little off.
                let change = UInt32(truncatingIfNeeded: random.below(17) - 8)
                let value = (BigEndian.u32(bytes, at & ~3) ?? 0) &+ change
                BigEndian.set(UInt64(value), count: 4, in: &bytes, at: at & ~3)
            default:
                // The part lies in itself, some levels deep.
                var part = Array(bytes[at...].prefix(200))
                for _ in 0..<random.below(6) { part = Movie.box("moov", part) }
                bytes.replaceSubrange(at..., with: part)
            }
        }
    }

    private static func metadata(_ random: inout SeededGenerator) -> ContainerMetadata {
        switch random.below(4) {
        case 0: return .nothing
        case 1: return .unmeasured
        case 2:
            var metadata = ContainerMetadata()
            metadata.first.color = .remove
            metadata.first.masteringDisplay = .remove
            metadata.first.contentLightLevel = .remove
            metadata.first.codecConfiguration = random.below(2) == 0 ? nil : [1, 2, 3]
            return metadata
        default: return .everything
        }
    }

    /// A sequence of writes: pieces of the input in order, and some back in it or beyond its end.
    private static func rewriter(_ bytes: [UInt8], _ random: inout SeededGenerator) -> (into: Int, outOf: Int) {
        let first = metadata(&random)
        let last = random.below(3) == 0 ? metadata(&random) : first
        let isTransparent = first == .nothing && last == .nothing
        var rewriter = ContainerRewriter(metadata: first, isSeekable: random.below(4) != 0, limit: 4096)
        var short = rewriter
        var (plain, file, shortFile) = (WrittenFile(), WrittenFile(), WrittenFile())
        var (into, outOf) = (0, 0)
        var position = 0
        func write(_ bytes: [UInt8], at offset: Int) {
            let writes = (try? rewriter.write(bytes, at: UInt64(offset))) ?? []
            into += bytes.count
            outOf += writes.reduce(0) { $0 + $1.bytes.count }
            file.write(writes)
            if isTransparent { plain.write([PositionedBytes(offset: UInt64(offset), bytes: bytes)]) }
            let prefix = Array(bytes.prefix(16))
            if let target = short.pass(count: bytes.count, prefix: prefix, at: UInt64(offset)) {
                shortFile.write([PositionedBytes(offset: target, bytes: bytes)])
            } else {
                shortFile.write((try? short.write(bytes, at: UInt64(offset))) ?? [])
            }
        }
        var hole = 0
        while position < bytes.count {
            let count = random.below(3) == 0 ? 1 + random.below(40) : bytes.count - position
            let piece = Array(bytes[position..<min(bytes.count, position + count)])
            write(piece, at: position + hole)
            position += piece.count
            switch random.below(8) {
            case 0:
                let back = random.below(position)
                var again = Array(bytes[back..<min(bytes.count, back + 1 + random.below(300))])
                mutate(&again, &random)
                write(again, at: back)
            case 1 where random.below(8) == 0: hole += random.below(50)
            default: break
            }
        }
        let writes = rewriter.finish(last)
        outOf += writes.reduce(0) { $0 + $1.bytes.count }
        file.write(writes)
        shortFile.write(short.finish(last))
        if isTransparent && file.bytes != plain.bytes { Issue.record("changed \(bytes)") }
        if shortFile.bytes != file.bytes || short.notices != rewriter.notices { Issue.record("another way \(bytes)") }
        return (into, outOf)
    }

    /// One input; how many of its uses were no error.
    private static func use(_ index: Int, _ random: inout SeededGenerator) -> Int {
        var accepted = 0
        switch index % 8 {
        case 0, 1, 2:
            var bytes = moov
            mutate(&bytes, &random)
            var patcher = MovieBoxPatcher(flavor: index % 2 == 0 ? .iso : .quickTime)
            if index % 3 != 0 { patcher.mediaData = .movesFrom(UInt64(random.below(6000))) }
            let metadata = metadata(&random)
            if let result = try? patcher.patch(bytes, with: metadata) {
                accepted += 1
                if patcher.mediaData == .stays {
                    #expect((try? patcher.patch(result.bytes, with: metadata))?.bytes == result.bytes, "\(bytes)")
                }
                if result.bytes.count != bytes.count + result.growth { Issue.record("growth of \(bytes)") }
            }
        case 3, 4:
            var bytes = tracks
            mutate(&bytes, &random)
            let patcher = MatroskaTracksPatcher(metadata: metadata(&random))
            if let result = try? patcher.patch(bytes) {
                accepted += 1
                #expect((try? patcher.patch(result)) == result, "\(bytes)")
                if result.count > bytes.count + 600 { Issue.record("growth of \(bytes)") }
            }
        case 5:
            let inputs = [movies[random.below(movies.count)], segments[random.below(2)], additions, exchange, frames]
            var bytes = inputs[random.below(inputs.count)]
            mutate(&bytes, &random)
            _ = try? FileDefect.find(in: ArrayByteSource(bytes))
            if let file = try? ContainerInspection(ArrayByteSource(bytes)) {
                accepted += 1
                _ = try? MovieEdits(ArrayByteSource(bytes), file, limit: 1 << 20)
                for track in file.tracks { _ = MatroskaBlocks(ArrayByteSource(bytes), track: track, limit: 50) }
            }
        default:
            var bytes = index % 8 == 6 ? movies[random.below(movies.count)] : segments[random.below(2)]
            if random.below(4) != 0 { mutate(&bytes, &random) }
            let (into, outOf) = rewriter(bytes, &random)
            // The headers may be written a second time, and every rewrite may write one again.
            if outOf > 60 * (into + 1000) { Issue.record("\(into) bytes became \(outOf)") }
            accepted += 1
        }
        return accepted
    }

    @Test func mutatedHeaders() {
        var accepted = 0
        let before = Self.peakMemory
        for index in 0..<Self.count {
            var random = SeededGenerator(seed: UInt64(index))
            accepted += Self.use(index, &random)
        }
        // Mutation leaves some of them whole, and no input needs more than a few thousand bytes.
        #expect(accepted > Self.count / 4 && accepted < Self.count)
        // AddressSanitizer keeps what has been freed.
        if dlsym(nil, "__asan_init") == nil { #expect(Self.peakMemory - before < 200 << 20) }
    }

    /// Bytes.
    private static var peakMemory: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { Int($0.filter(\.isNumber)) }.map { $0 * 1024 } ?? 0
    }

    /// Sizes that grow with the square of the depth, and long lists.
    @Test(.timeLimit(.minutes(1))) func largeHeadersTakeTimeInProportion() throws {
        var nested = Movie.box("trak")
        for _ in 0..<3000 { nested = Movie.box("trak", nested) }
        #expect(throws: ContainerError.self) {
            try MovieBoxPatcher(flavor: .iso).patch(Movie.moov(nested), with: .everything)
        }
        let empty = [[UInt8]](repeating: Movie.box("free"), count: 200_000).flatMap { $0 }
        let video = Movie.track(entries: [Movie.entry([Movie.hvcC, empty])])
        let result = try MovieBoxPatcher(flavor: .iso, mediaData: .movesFrom(0)).patch(
            Movie.moov(video, extra: empty), with: .everything)
        #expect(result.entries == 1)

        // Each table, once widened, pushes the next one over 32 bits.
        let growth = UInt64(result.growth)
        let limit = UInt64(UInt32.max)
        let tables = (0..<2000).map { (index: Int) -> [UInt8] in
            let offset: UInt64 = limit - growth + 1 - min(growth, UInt64(4 * index))
            return Movie.track(
                UInt32(index + 2), handler: "soun", entries: [], offsets: [Movie.offsets([offset])])
        }
        let chain = Movie.moov(Movie.track(entries: [Movie.entry([Movie.hvcC])]), tables.flatMap { $0 })
        let widened = try MovieBoxPatcher(flavor: .iso, mediaData: .movesFrom(1)).patch(chain, with: .everything)
        #expect(widened.widenedTables >= 1000)

        let points = (0..<20_000).flatMap { (index: Int) -> [UInt8] in
            Matroska.cuePoint(UInt64(index & 127), UInt64(200 + index))
        }
        let start = Matroska.header() + Matroska.unknownSize(0x1853_8067) + Self.tracks
        let whole = start + Matroska.element(0x1c53_bb6b, points, sizeLength: 8)
        var rewriter = ContainerRewriter(metadata: .everything)
        // A byte at a time.
        for (offset, byte) in whole.enumerated() { _ = try rewriter.write([byte], at: UInt64(offset)) }
        _ = rewriter.finish(.everything)
    }
}
