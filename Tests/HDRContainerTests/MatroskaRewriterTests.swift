import MetadataTestSupport
import TestSupport
import Testing

@testable import HDRContainer

/// matroskamux's way to write files, and others'.
@Suite struct MatroskaRewriterTests {
    typealias Build = MatroskaBuilder
    typealias Write = (offset: Int, bytes: [UInt8])

    /// The parts of a file, read without the code under test.
    private struct Parsed {
        var segment = 0
        var segmentSize: Int?
        var seek: [(id: Int, position: Int)] = []
        var cues: [Int] = []
        var clusters: [Int] = []
        var clusterPositions: [Int] = []
        var blocks: [[UInt8]] = []
        /// The first place of each element directly below the Segment.
        var places: [Int: Int] = [:]

        init(_ bytes: [UInt8]) throws {
            func number(_ range: Range<Int>) -> Int { bytes[range].reduce(0) { $0 << 8 | Int($1) } }
            func element(_ at: Int) throws -> (id: Int, data: Range<Int>, isKnown: Bool) {
                try #require(at < bytes.count)
                let idLength = bytes[at].leadingZeroBitCount + 1
                try #require(idLength <= 4 && at + idLength < bytes.count)
                let length = bytes[at + idLength].leadingZeroBitCount + 1
                let data = at + idLength + length
                try #require(length <= 8 && data <= bytes.count)
                let size = number(at + idLength..<data) - 1 << (7 * length)
                let isKnown = size != 1 << (7 * length) - 1
                let end = isKnown ? data + size : bytes.count
                try #require(end <= bytes.count, "element at \(at) ends at \(end) of \(bytes.count)")
                return (number(at..<at + idLength), data..<end, isKnown)
            }
            func children(_ range: Range<Int>, _ visit: (Int, Range<Int>) throws -> Void) throws {
                var at = range.lowerBound
                while at < range.upperBound {
                    let child = try element(at)
                    try visit(child.id, child.data)
                    at = child.data.upperBound
                }
            }
            let header = try element(0)
            let whole = try element(header.data.upperBound)
            try #require(whole.id == 0x1853_8067)
            segment = whole.data.lowerBound
            segmentSize = whole.isKnown ? whole.data.count : nil
            var at = segment
            while at < bytes.count {
                let next = try element(at)
                if places[next.id] == nil { places[next.id] = at }
                switch next.id {
                case 0x1f43_b675:
                    clusters.append(at)
                    at = next.data.lowerBound
                    continue
                case 0xa7: clusterPositions.append(number(next.data))
                case 0xa3: blocks.append(Array(bytes[next.data]))
                case 0x114d_9b74:
                    try children(next.data) { id, data in
                        guard id == 0x4dbb else { return }
                        var entry = (id: 0, position: 0)
                        try children(data) { id, data in
                            if id == 0x53ab { entry.id = number(data) }
                            if id == 0x53ac { entry.position = number(data) }
                        }
                        seek.append(entry)
                    }
                case 0x1c53_bb6b:
                    try children(next.data) { _, point in
                        try children(point) { id, data in
                            guard id == 0xb7 else { return }
                            try children(data) { id, data in if id == 0xf1 { cues.append(number(data)) } }
                        }
                    }
                default: break
                }
                at = next.data.upperBound
            }
        }

        /// All positions lead to the elements that they name.
        func expectSound(_ count: Int, _ location: SourceLocation = #_sourceLocation) {
            for entry in seek {
                #expect(places[entry.id] == segment + entry.position, sourceLocation: location)
            }
            for cue in cues { #expect(clusters.contains(segment + cue), sourceLocation: location) }
            for (place, cluster) in zip(clusterPositions, clusters) {
                #expect(segment + place == cluster, sourceLocation: location)
            }
            if let segmentSize { #expect(segment + segmentSize == count, sourceLocation: location) }
        }
    }

    /// A muxer that fills in positions and sizes at the end.
    private struct Muxer {
        var blockSizes = [300, 70, 4000, 120]
        var colour = MatroskaBuilder.wrongColour
        var isLive = false
        var hasPositions = false
        var afterTracks: [UInt8] = []
        var writes: [Write] = []
        var end = 0

        private mutating func append(_ bytes: [UInt8]) -> Int {
            writes.append((end, bytes))
            end += bytes.count
            return end - bytes.count
        }

        mutating func run() -> [Write] {
            let header = append(Build.header()) + Build.header().count
            let segment = header + 12
            let empty = Build.element(
                0x114d_9b74, Build.seek(0x1549_a966, 0), Build.seek(0x1654_ae6b, 0), Build.seek(0x1c53_bb6b, .max),
                Build.seek(0x1254_c367, .max), sizeLength: 8)
            let information = Build.element(0x1549_a966, Build.float(0x4489, 0), sizeLength: 8)
            let tracks = Build.tracks(Build.videoTrack(colour: colour), Build.audioTrack)
            let start = Build.unknownSize(0x1853_8067) + (isLive ? [] : empty) + information + tracks + afterTracks
            _ = append(start)
            var cuePoints: [UInt8] = []
            var last = 0
            for (index, size) in blockSizes.enumerated() {
                let cluster = append(Build.unknownSize(0x1f43_b675))
                _ = append(Build.number(0xe7, UInt64(index)))
                if hasPositions { _ = append(Build.number(0xa7, UInt64(cluster - segment), count: 4)) }
                if index > 0 { _ = append(Build.number(0xab, UInt64(last), count: 2)) }
                for part in 0..<3 {
                    let data = MovieBuilder.media(size, seed: UInt8(index * 3 + part))
                    let block = Build.element(0xa3, [0x81, 0, 0, 0x80], data, sizeLength: 8)
                    _ = append(Array(block.prefix(13)))
                    _ = append(Array(block.dropFirst(13)))
                }
                last = end - cluster
                cuePoints += Build.cuePoint(UInt64(index), UInt64(cluster - segment))
                if !isLive { writes.append((cluster + 4, bigEndian(UInt64(last - 12) | 1 << 56))) }
            }
            if isLive { return writes }
            let cues = append(Build.element(0x1c53_bb6b, cuePoints, sizeLength: 8))
            let tag = Build.element(0x7373, Build.element(0x63c0, []), sizeLength: 8)
            let tags = append(Build.unknownSize(0x1254_c367))
            _ = append(tag)
            writes.append((tags + 4, bigEndian(UInt64(tag.count) | 1 << 56)))
            let stride = Build.seek(0x1549_a966, 0).count
            let values = [empty.count, empty.count + information.count, cues - segment, tags - segment]
            for (index, value) in values.enumerated() {
                writes.append((segment + 12 + stride * (index + 1) - 8, bigEndian(UInt64(value))))
            }
            let duration = segment + empty.count + 12
            writes.append((duration, Build.float(0x4489, 4)))
            writes.append((header + 4, bigEndian(UInt64(end - segment) | 1 << 56)))
            return writes
        }
    }

    private func run(
        _ writes: [Write], _ first: ContainerMetadata = .everything, _ last: ContainerMetadata? = nil,
        isSeekable: Bool = true
    ) throws -> (file: WrittenFile, notices: [ContainerNotice]) {
        let (file, rewriter) = try ContainerRun.run(writes, first, last, isSeekable: isSeekable)
        return (file, rewriter.notices.filter { $0 != .unsupported(what: "the ambient viewing environment") })
    }

    private func plain(_ writes: [Write]) -> [UInt8] {
        var file = WrittenFile()
        file.write(writes.map { PositionedBytes(offset: UInt64($0.offset), bytes: $0.bytes) })
        return file.bytes
    }

    private static func pieces(_ bytes: [UInt8], at offset: Int, _ size: Int) -> [Write] {
        stride(from: 0, to: bytes.count, by: size).map { start in
            (offset + start, Array(bytes[start..<min(bytes.count, start + size)]))
        }
    }

    private func expectComplete(
        _ bytes: [UInt8], as source: [UInt8], maximum: UInt16? = 987,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let (parsed, original) = (try Parsed(bytes), try Parsed(source))
        original.expectSound(source.count, location)
        parsed.expectSound(bytes.count, location)
        #expect(parsed.blocks == original.blocks && !parsed.blocks.isEmpty, sourceLocation: location)
        #expect(parsed.cues.count == original.cues.count, sourceLocation: location)
        #expect(parsed.seek.map(\.id) == original.seek.map(\.id), sourceLocation: location)
        let track = try #require(try ContainerInspection(ArrayByteSource(bytes)).tracks.first, sourceLocation: location)
        #expect(track.masteringDisplay == .p3 && track.color == .pq, sourceLocation: location)
        #expect(track.contentLightLevel?.maximum == maximum, sourceLocation: location)
    }

    @Test(arguments: [false, true]) func everyPositionIsRight(hasPositions: Bool) throws {
        for colour in [[], Build.wrongColour] {
            var muxer = Muxer(colour: colour, hasPositions: hasPositions)
            let writes = muxer.run()
            let (file, notices) = try run(writes, .unmeasured, .everything)
            #expect(notices.isEmpty)
            #expect(file.bytes.count > plain(writes).count)
            try expectComplete(file.bytes, as: plain(writes))
        }
    }

    /// Positions that need a byte more make Cues longer, and what follows them moves again.
    @Test func cuesGrow() throws {
        var isLonger = false
        for size in 60..<95 {
            var muxer = Muxer(blockSizes: [size, 13, 80, 20_000, 500, 7], colour: [])
            let writes = muxer.run()
            let source = plain(writes)
            let (file, notices) = try run(writes)
            #expect(notices.isEmpty)
            try expectComplete(file.bytes, as: source)
            let (new, old) = (try Parsed(file.bytes), try Parsed(source))
            let cues = 0x1c53_bb6b
            let tags = 0x1254_c367
            let newPlaces = (try #require(new.places[cues]), try #require(new.places[tags]))
            let oldPlaces = (try #require(old.places[cues]), try #require(old.places[tags]))
            if newPlaces.1 - newPlaces.0 > oldPlaces.1 - oldPlaces.0 { isLonger = true }
        }
        #expect(isLonger)
    }

    @Test func streamsNeedNoSeeking() throws {
        var muxer = Muxer(isLive: true, hasPositions: true)
        let writes = muxer.run()
        let (file, notices) = try run(writes, isSeekable: false)
        #expect(notices.isEmpty && file.seeks == 0)
        try expectComplete(file.bytes, as: plain(writes))

        let (late, lateNotices) = try run(writes, .unmeasured, .everything, isSeekable: false)
        #expect(lateNotices == [.notSeekable(what: "the Tracks element")] && late.seeks == 0)
        try expectComplete(late.bytes, as: plain(writes), maximum: nil)
    }

    @Test func picturesPassUnread() throws {
        var muxer = Muxer(colour: [])
        var rewriter = ContainerRewriter(metadata: .everything)
        var passed = 0
        for write in muxer.run() {
            let prefix = Array(write.bytes.prefix(16))
            if rewriter.pass(count: write.bytes.count, prefix: prefix, at: UInt64(write.offset)) == nil {
                _ = try rewriter.write(write.bytes, at: UInt64(write.offset))
            } else {
                passed += 1
            }
        }
        #expect(passed >= 12)
    }

    @Test func nothingAskedForIsNothingChanged() throws {
        for isLive in [false, true] {
            var muxer = Muxer(isLive: isLive)
            let writes = muxer.run()
            let (file, notices) = try run(writes, .nothing)
            #expect(file.bytes == plain(writes) && notices.isEmpty)
        }
    }

    @Test func aHeaderWithoutRoomIsSaid() throws {
        var muxer = Muxer()
        let writes = muxer.run()
        var without = ContainerMetadata.everything
        without.first.contentLightLevel = .remove
        let (file, notices) = try run(writes, without, .everything)
        #expect(notices == [.noRoom(what: "the Tracks element")])
        try expectComplete(file.bytes, as: plain(writes), maximum: nil)
    }

    /// Free space behind Tracks is used, and nothing moves.
    @Test(arguments: [1, 2, 3, 100, 126, 127, 128, 400]) func voidsAreUsed(rest: Int) throws {
        let tracks = Build.tracks(Build.videoTrack(colour: []), Build.audioTrack)
        let growth = try MatroskaTracksPatcher(metadata: .everything).patch(tracks).count - tracks.count
        let size = growth + rest
        let void = Build.element(0xec, [UInt8](repeating: 0, count: size - 9), sizeLength: 8)
        var muxer = Muxer(colour: [], afterTracks: void)
        let writes = muxer.run()
        let (file, notices) = try run(writes, .unmeasured, .everything)
        #expect(notices.isEmpty)
        try expectComplete(file.bytes, as: plain(writes))
        // A Void of one byte there is not.
        #expect((file.bytes.count == plain(writes).count) == (rest != 1))
    }

    @Test func aHeaderThatShrinksIsFilled() throws {
        var muxer = Muxer()
        let writes = muxer.run()
        var metadata = ContainerMetadata()
        metadata.first.masteringDisplay = .remove
        metadata.first.contentLightLevel = .remove
        let (file, notices) = try run(writes, metadata)
        #expect(notices.isEmpty && file.bytes.count == plain(writes).count)
        let track = try #require(try ContainerInspection(ArrayByteSource(file.bytes)).tracks.first)
        #expect(track.masteringValues == nil && track.contentLightLevel == nil && track.color?.transfer == 16)
        try Parsed(file.bytes).expectSound(file.bytes.count)
    }

    /// However writes are cut, the file is the same; and a file that is finished already is completed too.
    @Test(arguments: [1, 2, 5, 64]) func writesInPieces(size: Int) throws {
        for isLive in [false, true] {
            var muxer = Muxer(blockSizes: [90, 13, 80, 20_000], colour: [], isLive: isLive, hasPositions: true)
            let writes = muxer.run()
            if isLive {
                let pieces = writes.flatMap { Self.pieces($0.bytes, at: $0.offset, size) }
                #expect(try run(pieces).file.bytes == (try run(writes).file.bytes))
            }

            let whole = plain(writes)
            let parts = Self.pieces(whole, at: 0, size)
            let (file, notices) = try run(parts)
            #expect(notices.isEmpty)
            try expectComplete(file.bytes, as: whole)
        }
    }

    @Test func theDocumentVersionCoversColour() throws {
        var muxer = Muxer(colour: [])
        let writes = muxer.run()
        let bytes = try run(writes).file.bytes
        let version = try #require(bytes.indices.first { bytes[$0...].starts(with: [0x42, 0x87, 0x81]) })
        #expect(bytes[version + 3] == 4)
        #expect(plain(writes)[version + 3] == 2)
    }

    @Test func brokenAndMissingTracks() throws {
        let start = Build.header() + Build.unknownSize(0x1853_8067)
        let cluster = Build.unknownSize(0x1f43_b675) + [0xe7, 0x81, 0]
        let (missing, notices) = try run([(0, start + cluster)])
        #expect(missing.bytes == start + cluster && notices == [.headerMissing("Tracks element")])

        let tracks = Build.tracks(Build.element(0xae, Build.number(0x83, 1), [0xe0, 0x85]))
        let (broken, more) = try run([(0, start + tracks + cluster)])
        #expect(broken.bytes == start + tracks + cluster && more.count == 1)

        let garbage = start + [0, 1, 2, 3, 4, 5, 6, 7]
        #expect(try run([(0, garbage)]).file.bytes == garbage)
        #expect(try run([(0, Array(start.prefix(20)))]).file.bytes == Array(start.prefix(20)))
    }

    @Test func ambientViewingHasNoPlace() throws {
        var rewriter = ContainerRewriter(metadata: .everything)
        var muxer = Muxer()
        for write in muxer.run() { _ = try rewriter.write(write.bytes, at: UInt64(write.offset)) }
        _ = rewriter.finish(.everything)
        #expect(rewriter.notices == [.unsupported(what: "the ambient viewing environment")])
        #expect(rewriter.notices.first?.description.contains("ambient viewing") == true)
    }

    @Test(Samples.areThere)
    func realFiles() throws {
        for name in ["dolby-vision-8.1-hdr10.mkv", "hdr10-plus.mkv"] {
            let whole = try Samples.bytes(name)
            let (file, notices) = try run(Self.pieces(whole, at: 0, 4096))
            #expect(notices.isEmpty)
            try expectComplete(file.bytes, as: whole)
        }
    }
}
