import MetadataTestSupport
import TestSupport
import Testing

@testable import HDRContainer

/// Muxers' ways to write QuickTime and ISO files.
@Suite struct MovieRewriterTests {
    typealias Build = MovieBuilder
    typealias Write = ContainerRun.Write

    static let chunks = (0..<4).map { Build.media(50, seed: UInt8($0)) }

    /// A movie box whose track has the four chunks one behind the other.
    static func moov(at start: Int, wide: Bool = false, extra: [UInt8] = []) -> [UInt8] {
        let offsets = (0..<4).map { UInt64(start + 50 * $0) }
        return Build.moov(
            Build.track(
                entries: [Build.entry([Build.hvcC, Build.nclc(1, 1, 1)], tail: [0, 0, 0, 0])],
                offsets: [Build.offsets(offsets, wide: wide)]), extra: extra)
    }

    static let openMediaData = Build.box("free") + bigEndian(UInt32(0)) + Array("mdat".utf8)
    static let closedMediaData = Build.box("free") + bigEndian(UInt32(208)) + Array("mdat".utf8)

    /// qtmux: the movie box behind the media data, then back to the media data's size.
    static let movieLast = movieLast(after: Build.quickTime)

    static func movieLast(after brands: [UInt8]) -> [Write] {
        let start = brands.count
        var writes: [Write] = [(0, brands), (start, openMediaData)]
        for (index, chunk) in chunks.enumerated() { writes.append((start + 16 + 50 * index, chunk)) }
        writes.append((start + 216, moov(at: start + 16)))
        writes.append((start, closedMediaData))
        return writes
    }

    /// qtmux faststart=true: the movie box, then the media data from a temporary file in blocks of another size.
    static func movieFirst(after brands: [UInt8] = Build.quickTime, wide: Bool = false) -> [Write] {
        let count = moov(at: 0, wide: wide).count
        let start = brands.count
        let data = start + count + 8
        var writes: [Write] = [(0, brands), (start, moov(at: data, wide: wide))]
        writes.append((data - 8, bigEndian(UInt32(208)) + Array("mdat".utf8)))
        let media = chunks.flatMap { $0 }
        for block in stride(from: 0, to: 200, by: 64) {
            writes.append((data + block, Array(media[block..<min(200, block + 64)])))
        }
        return writes
    }

    func run(
        _ writes: [Write], _ first: ContainerMetadata = .everything, _ last: ContainerMetadata? = nil,
        isSeekable: Bool = true
    ) throws -> (file: WrittenFile, rewriter: ContainerRewriter) {
        try ContainerRun.run(writes, first, last, isSeekable: isSeekable)
    }

    func plain(_ writes: [Write]) -> [UInt8] {
        var file = WrittenFile()
        file.write(writes.map { PositionedBytes(offset: UInt64($0.offset), bytes: $0.bytes) })
        return file.bytes
    }

    func movie(_ bytes: [UInt8]) throws -> [UInt8] {
        let reader = BoxReader(bytes)
        return try #require(try reader.first(.moov)).map { Array(bytes[$0.start..<$0.end]) }
    }

    /// The file is whole, has everything, and its chunks are what they were.
    func expectComplete(
        _ bytes: [UInt8], maximum: UInt16 = 987, _ location: SourceLocation = #_sourceLocation
    ) throws {
        let track = try #require(try ContainerInspection(ArrayByteSource(bytes)).tracks.first, sourceLocation: location)
        #expect(track.masteringDisplay == .p3, sourceLocation: location)
        #expect(track.contentLightLevel?.maximum == maximum, sourceLocation: location)
        #expect(track.color?.transfer == 16 && track.colorTypes.count == 1, sourceLocation: location)
        #expect(track.ambientViewing != nil && track.dolbyVision != nil, sourceLocation: location)
        let offsets = try MovieBoxPatcherTests.offsets(try movie(bytes))
        let found = offsets.joined().map { Array(bytes.dropFirst(Int($0)).prefix(50)) }
        #expect(found == Self.chunks, sourceLocation: location)
    }

    @Test func theMovieBoxWaitsForTheEnd() throws {
        let (file, rewriter) = try run(Self.movieLast, .unmeasured, .everything)
        #expect(rewriter.notices.isEmpty)
        try expectComplete(file.bytes)
        var boxes = BoxReader(file.bytes).boxes()
        var types: [String] = []
        while let box = try boxes.next() { types.append(box.type.description) }
        #expect(types == ["ftyp", "free", "mdat", "moov"])
    }

    /// Nothing but the movie box is held, and media data pass uncopied.
    @Test func mediaDataPassAtOnce() throws {
        var rewriter = ContainerRewriter(metadata: .everything)
        for write in Self.movieLast.dropLast(2) {
            #expect(try rewriter.write(write.bytes, at: UInt64(write.offset)).map(\.bytes) == [write.bytes])
        }
        let movie = Self.movieLast[Self.movieLast.count - 2]
        #expect(try rewriter.write(movie.bytes, at: UInt64(movie.offset)).isEmpty)
        #expect(rewriter.finish(.everything).map(\.offset) == [UInt64(movie.offset)])
    }

    @Test func picturesPassUnread() throws {
        for writes in [Self.movieLast, Self.movieFirst()] {
            var rewriter = ContainerRewriter(metadata: .everything)
            var passed = 0
            for write in writes {
                let prefix = Array(write.bytes.prefix(16))
                if rewriter.pass(count: write.bytes.count, prefix: prefix, at: UInt64(write.offset)) == nil {
                    _ = try rewriter.write(write.bytes, at: UInt64(write.offset))
                } else {
                    passed += 1
                }
            }
            #expect(passed == 4)
        }
    }

    @Test func nothingAskedForIsNothingChanged() throws {
        let fragmented = try Self.fragmented().writes
        for writes in [Self.movieLast, Self.movieFirst(), fragmented, Self.reserved()] {
            let (file, rewriter) = try run(writes, .nothing)
            #expect(file.bytes == plain(writes))
            #expect(rewriter.notices.isEmpty)
        }
    }

    @Test(arguments: [false, true]) func mediaDataBehindTheMovieBoxMove(wide: Bool) throws {
        let (file, rewriter) = try run(Self.movieFirst(wide: wide), isSeekable: false)
        #expect(rewriter.notices.isEmpty && file.seeks == 0)
        try expectComplete(file.bytes)
        #expect(file.bytes.count > plain(Self.movieFirst(wide: wide)).count)
    }

    /// Levels that are measured later go into the space reserved for them; where none was reserved, the result says so.
    @Test func laterLevelsOfAHeaderThatIsOut() throws {
        let (file, rewriter) = try run(Self.movieFirst(), .unmeasured, .everything)
        #expect(rewriter.notices.isEmpty && file.seeks == 1)
        try expectComplete(file.bytes)

        let (streamed, stream) = try run(Self.movieFirst(), .unmeasured, .everything, isSeekable: false)
        #expect(stream.notices == [.notSeekable(what: "the movie header")] && streamed.seeks == 0)
        try expectComplete(streamed.bytes, maximum: 0)

        var without = ContainerMetadata.everything
        without.first.contentLightLevel = .keep
        let (_, late) = try run(Self.movieFirst(), without, .everything)
        #expect(late.notices == [.noRoom(what: "the movie header")])
    }

    @Test func metadataMayChangeBeforeTheHeader() throws {
        var rewriter = ContainerRewriter(metadata: .nothing)
        var file = WrittenFile()
        for (index, write) in Self.movieFirst().enumerated() {
            if index == 1 { rewriter.metadata = .everything }
            file.write(try rewriter.write(write.bytes, at: UInt64(write.offset)))
        }
        file.write(rewriter.finish(.everything))
        try expectComplete(file.bytes)
    }

    /// However the writes are cut, the file is the same.
    @Test(arguments: [1, 2, 3, 7, 8, 13, 100]) func writesInPieces(size: Int) throws {
        for writes in [Self.movieFirst(), try Self.fragmented().writes] {
            let pieces = writes.flatMap { write in
                stride(from: 0, to: write.bytes.count, by: size).map { start in
                    Write(write.offset + start, Array(write.bytes[start..<min(write.bytes.count, start + size)]))
                }
            }
            #expect(try run(pieces).file.bytes == (try run(writes).file.bytes))
        }
        let whole = plain(Self.movieFirst())
        #expect(try run([(0, whole)]).file.bytes == (try run(Self.movieFirst()).file.bytes))
    }

    /// FFmpeg's muxers fill in the media data's size before the movie box, and cut their writes anywhere.
    @Test func aSizeThatIsFilledInFirst() throws {
        var writes = Self.movieLast
        writes.append(writes.remove(at: writes.count - 2))
        let last = writes.removeLast()
        writes.append((last.offset, Array(last.bytes[..<5])))
        writes.append((last.offset + 5, Array(last.bytes[5...])))
        let (file, rewriter) = try run(writes)
        #expect(rewriter.notices.isEmpty)
        try expectComplete(file.bytes)
    }

    @Test func largeMediaData() throws {
        let head = bigEndian(UInt32(1)) + Array("mdat".utf8) + bigEndian(UInt64(0))
        let start = Build.quickTime.count
        var writes: [Write] = [(0, Build.quickTime), (start, head)]
        writes.append((start + 16, Self.chunks.flatMap { $0 }))
        writes.append((start + 216, Self.moov(at: start + 16)))
        writes.append((start + 8, bigEndian(UInt64(216))))
        let (file, rewriter) = try run(writes)
        #expect(rewriter.notices.isEmpty)
        try expectComplete(file.bytes)
    }

    /// A movie box that loses boxes draws its media data nearer.
    @Test func aHeaderThatShrinks() throws {
        let (full, _) = try run(Self.movieFirst())
        let pieces = stride(from: 0, to: full.bytes.count, by: 50).map { start in
            Write(start, Array(full.bytes[start..<min(full.bytes.count, start + 50)]))
        }
        let (file, rewriter) = try run(pieces, ContainerMetadata.removal)
        #expect(rewriter.notices.isEmpty && file.bytes.count == full.bytes.count - 32 - 12 - 16 - 32)
        let offsets = try MovieBoxPatcherTests.offsets(try movie(file.bytes))
        #expect(offsets.joined().map { Array(file.bytes.dropFirst(Int($0)).prefix(50)) } == Self.chunks)
    }

    @Test(
        Samples.areThere,
        arguments: [
            "iphone-dolby-vision-8.4-hlg.mov", "hlg10.mp4", "hdr10-plus-no-colr.mp4", "hdr10-av1.mp4",
        ])
    func realFiles(name: String) throws {
        let bytes = try Samples.bytes(name)
        let pieces = stride(from: 0, to: bytes.count, by: 4096).map { start in
            Write(start, Array(bytes[start..<min(bytes.count, start + 4096)]))
        }
        let (file, rewriter) = try run(pieces)
        #expect(rewriter.notices.isEmpty)
        let track = try #require(try ContainerInspection(ArrayByteSource(file.bytes)).tracks.first)
        #expect(track.masteringDisplay == .p3 && track.color?.transfer == 16 && track.colorTypes.count == 1)
        #expect(track.contentLightLevel?.maximum == 987 && track.dolbyVision?.compatibility == 1)
        let chunks = { (file: [UInt8]) throws -> [[UInt8]] in
            try MovieBoxPatcherTests.offsets(try movie(file)).joined().map { Array(file.dropFirst(Int($0)).prefix(64)) }
        }
        let (old, new) = (try chunks(bytes), try chunks(file.bytes))
        #expect(old.count == new.count && old.count > 1)
        // The last chunk may end before the movie box, which has changed.
        #expect(zip(old, new).filter { $0 != $1 }.count <= 1)
    }

    // MARK: What cannot be done

    @Test func brokenHeadersPassUnchanged() throws {
        var broken = Self.movieLast
        let index = broken.count - 2
        broken[index].bytes = Build.moov(Build.box("trak", [1, 2, 3, 4, 5, 6, 7, 8, 9]))
        let (file, rewriter) = try run(broken)
        #expect(file.bytes == plain(broken))
        #expect(rewriter.notices.count == 1)
        guard case .notCompleted = rewriter.notices.first else {
            Issue.record("\(rewriter.notices)")
            return
        }
    }

    @Test func otherFormatsPassUnchanged() throws {
        let writes: [Write] = [(0, Array("RIFF".utf8)), (4, Array("....AVI LIST".utf8)), (2, [9])]
        let (file, rewriter) = try run(writes)
        #expect(file.bytes == plain(writes))
        #expect(rewriter.notices == [.notRecognized])
        #expect(try run(writes, .nothing).rewriter.notices.isEmpty)
        #expect(try run([(0, [1, 2])]).file.bytes == [1, 2])
    }

    @Test func filesWithoutMovieBoxAreReported() throws {
        let writes = Array(Self.movieLast.dropLast(2))
        let (file, rewriter) = try run(writes)
        #expect(file.bytes == plain(writes))
        #expect(rewriter.notices == [.headerMissing("movie header (moov)")])
    }

    @Test func headersOverTheLimitPassUnchanged() throws {
        var rewriter = ContainerRewriter(metadata: .everything, limit: 300)
        var file = WrittenFile()
        for write in Self.movieFirst() { file.write(try rewriter.write(write.bytes, at: UInt64(write.offset))) }
        file.write(rewriter.finish(.everything))
        #expect(file.bytes == plain(Self.movieFirst()))
        #expect(rewriter.notices.contains { if case .notCompleted(.headerTooLarge) = $0 { true } else { false } })
    }

    @Test func placesBeyondEveryFileAreErrors() {
        var rewriter = ContainerRewriter(metadata: .everything)
        #expect(throws: ContainerError.self) { try rewriter.write([1], at: .max) }
    }

    @Test func pictureBytesAreNoMovieBox() throws {
        var writes = Self.movieLast
        let fake = bigEndian(UInt32(50)) + Array("moov".utf8) + Build.media(42)
        writes[3].bytes = fake
        let (file, rewriter) = try run(writes)
        #expect(rewriter.notices.isEmpty)
        #expect(Array(file.bytes[writes[3].offset...].prefix(50)) == fake)
    }

}

extension Box {
    fileprivate func map<T>(_ transform: (Box) -> T) -> T { transform(self) }
}
