import Testing

@testable import HDRMetadata

/// Muxers' ways to write QuickTime and ISO files.
@Suite struct MovieStageTests {
    typealias Build = MovieBuilder
    typealias Write = (offset: Int, bytes: [UInt8])

    private static let chunks = (0..<4).map { Build.media(50, seed: UInt8($0)) }

    /// A movie box whose track has the four chunks one behind the other.
    private static func moov(at start: Int, wide: Bool = false, extra: [UInt8] = []) -> [UInt8] {
        let offsets = (0..<4).map { UInt64(start + 50 * $0) }
        return Build.moov(
            Build.track(
                entries: [Build.entry([Build.hvcC, Build.nclc(1, 1, 1)], tail: [0, 0, 0, 0])],
                offsets: [Build.offsets(offsets, wide: wide)]), extra: extra)
    }

    private static let openMediaData = Build.box("free") + bigEndian(UInt32(0)) + Array("mdat".utf8)
    private static let closedMediaData = Build.box("free") + bigEndian(UInt32(208)) + Array("mdat".utf8)

    /// qtmux: the movie box behind the media data, then back to the media data's size.
    private static let movieLast: [Write] = {
        let start = Build.quickTime.count
        var writes: [Write] = [(0, Build.quickTime), (start, openMediaData)]
        for (index, chunk) in chunks.enumerated() { writes.append((start + 16 + 50 * index, chunk)) }
        writes.append((start + 216, moov(at: start + 16)))
        writes.append((start, closedMediaData))
        return writes
    }()

    /// qtmux faststart=true: the movie box, then the media data from a temporary file in blocks of another size.
    private static func movieFirst(wide: Bool = false) -> [Write] {
        let count = moov(at: 0, wide: wide).count
        let start = Build.quickTime.count
        let data = start + count + 8
        var writes: [Write] = [(0, Build.quickTime), (start, moov(at: data, wide: wide))]
        writes.append((data - 8, bigEndian(UInt32(208)) + Array("mdat".utf8)))
        let media = chunks.flatMap { $0 }
        for block in stride(from: 0, to: 200, by: 64) {
            writes.append((data + block, Array(media[block..<min(200, block + 64)])))
        }
        return writes
    }

    private func run(
        _ writes: [Write], _ first: ContainerMetadata = .everything, _ last: ContainerMetadata? = nil,
        isSeekable: Bool = true
    ) throws -> (file: WrittenFile, stage: ContainerStage) {
        var stage = ContainerStage(metadata: first, isSeekable: isSeekable)
        var file = WrittenFile()
        // The same by the short way for what nobody needs to look at.
        var (short, shortFile) = (stage, WrittenFile())
        for write in writes {
            let offset = UInt64(write.offset)
            file.write(try stage.write(write.bytes, at: offset))
            if let target = short.pass(count: write.bytes.count, prefix: Array(write.bytes.prefix(16)), at: offset) {
                shortFile.write([PositionedBytes(offset: target, bytes: write.bytes)])
            } else {
                shortFile.write(try short.write(write.bytes, at: offset))
            }
        }
        file.write(stage.finish(last ?? first))
        shortFile.write(short.finish(last ?? first))
        #expect(shortFile.bytes == file.bytes && short.notices == stage.notices)
        return (file, stage)
    }

    private func plain(_ writes: [Write]) -> [UInt8] {
        var file = WrittenFile()
        file.write(writes.map { PositionedBytes(offset: UInt64($0.offset), bytes: $0.bytes) })
        return file.bytes
    }

    private func movie(_ bytes: [UInt8]) throws -> [UInt8] {
        let reader = BoxReader(bytes)
        return try #require(try reader.first(.moov)).map { Array(bytes[$0.start..<$0.end]) }
    }

    /// The file is whole, has everything, and its chunks are what they were.
    private func expectComplete(
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
        let (file, stage) = try run(Self.movieLast, .unmeasured, .everything)
        #expect(stage.notices.isEmpty)
        try expectComplete(file.bytes)
        var boxes = BoxReader(file.bytes).boxes()
        var types: [String] = []
        while let box = try boxes.next() { types.append(box.type.description) }
        #expect(types == ["ftyp", "free", "mdat", "moov"])
    }

    /// Nothing but the movie box is held, and media data pass uncopied.
    @Test func mediaDataPassAtOnce() throws {
        var stage = ContainerStage(metadata: .everything)
        for write in Self.movieLast.dropLast(2) {
            #expect(try stage.write(write.bytes, at: UInt64(write.offset)).map(\.bytes) == [write.bytes])
        }
        let movie = Self.movieLast[Self.movieLast.count - 2]
        #expect(try stage.write(movie.bytes, at: UInt64(movie.offset)).isEmpty)
        #expect(stage.finish(.everything).map(\.offset) == [UInt64(movie.offset)])
    }

    @Test func picturesPassUnread() throws {
        for writes in [Self.movieLast, Self.movieFirst()] {
            var stage = ContainerStage(metadata: .everything)
            var passed = 0
            for write in writes {
                let prefix = Array(write.bytes.prefix(16))
                if stage.pass(count: write.bytes.count, prefix: prefix, at: UInt64(write.offset)) == nil {
                    _ = try stage.write(write.bytes, at: UInt64(write.offset))
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
            let (file, stage) = try run(writes, .nothing)
            #expect(file.bytes == plain(writes))
            #expect(stage.notices.isEmpty)
        }
    }

    @Test(arguments: [false, true]) func mediaDataBehindTheMovieBoxMove(wide: Bool) throws {
        let (file, stage) = try run(Self.movieFirst(wide: wide), isSeekable: false)
        #expect(stage.notices.isEmpty && file.seeks == 0)
        try expectComplete(file.bytes)
        #expect(file.bytes.count > plain(Self.movieFirst(wide: wide)).count)
    }

    /// Levels that are measured later come into the room that was kept; where none was, that is said.
    @Test func laterLevelsOfAHeaderThatIsOut() throws {
        let (file, stage) = try run(Self.movieFirst(), .unmeasured, .everything)
        #expect(stage.notices.isEmpty && file.seeks == 1)
        try expectComplete(file.bytes)

        let (streamed, stream) = try run(Self.movieFirst(), .unmeasured, .everything, isSeekable: false)
        #expect(stream.notices == [.notSeekable(what: "the movie header")] && streamed.seeks == 0)
        try expectComplete(streamed.bytes, maximum: 0)

        var without = ContainerMetadata.everything
        without.contentLightLevel = .keep
        let (_, late) = try run(Self.movieFirst(), without, .everything)
        #expect(late.notices == [.noRoom(what: "the movie header")])
    }

    @Test func metadataMayChangeBeforeTheHeader() throws {
        var stage = ContainerStage(metadata: .nothing)
        var file = WrittenFile()
        for (index, write) in Self.movieFirst().enumerated() {
            if index == 1 { stage.metadata = .everything }
            file.write(try stage.write(write.bytes, at: UInt64(write.offset)))
        }
        file.write(stage.finish(.everything))
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
        let (file, stage) = try run(writes)
        #expect(stage.notices.isEmpty)
        try expectComplete(file.bytes)
    }

    @Test func largeMediaData() throws {
        let head = bigEndian(UInt32(1)) + Array("mdat".utf8) + bigEndian(UInt64(0))
        let start = Build.quickTime.count
        var writes: [Write] = [(0, Build.quickTime), (start, head)]
        writes.append((start + 16, Self.chunks.flatMap { $0 }))
        writes.append((start + 216, Self.moov(at: start + 16)))
        writes.append((start + 8, bigEndian(UInt64(216))))
        let (file, stage) = try run(writes)
        #expect(stage.notices.isEmpty)
        try expectComplete(file.bytes)
    }

    /// A movie box that loses boxes draws its media data nearer.
    @Test func aHeaderThatShrinks() throws {
        let (full, _) = try run(Self.movieFirst())
        let pieces = stride(from: 0, to: full.bytes.count, by: 50).map { start in
            Write(start, Array(full.bytes[start..<min(full.bytes.count, start + 50)]))
        }
        let (file, stage) = try run(pieces, ContainerMetadata.removal)
        #expect(stage.notices.isEmpty && file.bytes.count == full.bytes.count - 32 - 12 - 16 - 32)
        let offsets = try MovieBoxPatcherTests.offsets(try movie(file.bytes))
        #expect(offsets.joined().map { Array(file.bytes.dropFirst(Int($0)).prefix(50)) } == Self.chunks)
    }

    @Test(
        .enabled(if: ContainerSamples.areThere, "the folder ../shared/samples with real HDR files is not there"),
        arguments: [
            "iphone-dolby-vision-8.4-hlg.mov", "hlg10.mp4", "hdr10-plus-no-colr.mp4", "hdr10-av1.mp4",
        ])
    func realFiles(name: String) throws {
        let bytes = try ContainerSamples.bytes(name)
        let pieces = stride(from: 0, to: bytes.count, by: 4096).map { start in
            Write(start, Array(bytes[start..<min(bytes.count, start + 4096)]))
        }
        let (file, stage) = try run(pieces)
        #expect(stage.notices.isEmpty)
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

    // MARK: Fragments

    /// A movie box, fragments with positions of both kinds, an index, and the movie box again with the duration.
    private static func fragmented() throws -> (writes: [Write], fragments: [Int]) {
        let moov = Build.moov(
            Build.track(entries: [Build.entry([Build.hvcC])], offsets: [Build.offsets([])]), fragmented: true)
        var writes: [Write] = [(0, Build.iso), (Build.iso.count, moov)]
        var end = Build.iso.count + moov.count
        var fragments: [Int] = []
        for (index, chunk) in chunks.enumerated() {
            let absolute = index % 2 == 1
            let base = absolute ? bigEndian(UInt64(end)) : []
            let header = Build.fullBox("tfhd", flags: absolute ? 1 : 0x20000, bigEndian(UInt32(1)) + base)
            let moof = Build.box("moof", Build.fullBox("mfhd", [0, 0, 0, 1]), Build.box("traf", header))
            fragments.append(end)
            writes.append((end, moof))
            writes.append((end + moof.count, Build.box("mdat", chunk)))
            end += moof.count + 58
        }
        let entries = { (wide: Bool) -> [UInt8] in
            var bytes: [UInt8] = []
            for at in fragments {
                bytes += wide ? bigEndian(UInt64(9)) : bigEndian(UInt32(9))
                bytes += wide ? bigEndian(UInt64(at)) : bigEndian(UInt32(at))
                bytes += [1, 1, 1]
            }
            return bytes
        }
        let index = { (wide: Bool) -> [UInt8] in
            Build.fullBox(
                "tfra", version: wide ? 1 : 0,
                bigEndian(UInt32(1)) + bigEndian(UInt32(0)) + bigEndian(UInt32(fragments.count)) + entries(wide))
        }
        writes.append((end, Build.box("mfra", index(false), index(true))))
        var last = moov
        last[8 + 8 + 20] = 77
        writes.append((Build.iso.count, last))
        return (writes, fragments)
    }

    @Test func fragmentsMoveWithTheirPositions() throws {
        let (writes, fragments) = try Self.fragmented()
        let (file, stage) = try run(writes, .unmeasured, .everything)
        #expect(stage.notices.isEmpty)
        let track = try #require(try ContainerInspection(ArrayByteSource(file.bytes)).tracks.first)
        #expect(track.masteringDisplay == .p3 && track.contentLightLevel?.maximum == 987)
        #expect(try movie(file.bytes)[8 + 8 + 20] == 77)

        let growth = file.bytes.count - plain(writes).count
        #expect(growth > 0)
        let reader = BoxReader(file.bytes)
        var found: [Int] = []
        var bases: [Int] = []
        var entries: [Int] = []
        try reader.walk { box, _ in
            let start = box.payload.lowerBound
            if box.type == .moof { found.append(box.start) }
            if box.type == .tfhd, ContainerBytes.u32(file.bytes, start) == 1 {
                bases.append(Int(ContainerBytes.u64(file.bytes, start + 8) ?? 0))
            }
            if box.type == .tfra {
                let width = file.bytes[start] == 1 ? 8 : 4
                for index in 0..<4 {
                    let at = start + 16 + index * (2 * width + 3) + width
                    entries.append(Int(ContainerBytes.number(file.bytes, at: at, count: width) ?? 0))
                }
            }
        }
        #expect(found == fragments.map { $0 + growth })
        #expect(bases == [found[1], found[3]])
        #expect(entries == found + found)
    }

    /// The muxer may write the movie box again in any pieces, and what it says arrives even where later metadata have no
    /// room.
    @Test func aMovieBoxThatIsWrittenAgain() throws {
        let writes = try Self.fragmented().writes
        let (file, _) = try run(writes)
        let last = writes[writes.count - 1]
        let again = Build.iso + last.bytes + writes[2].bytes.prefix(9)
        for size in [7, 24, 33, 1000] {
            let pieces = stride(from: 0, to: again.count, by: size).map { start in
                Write(start, Array(again[start..<min(again.count, start + size)]))
            }
            let (other, stage) = try run(writes.dropLast() + pieces)
            #expect(other.bytes == file.bytes && stage.notices.isEmpty)
        }

        var less = ContainerMetadata.everything
        less.contentLightLevel = .keep
        var stage = ContainerStage(metadata: less)
        var late = WrittenFile()
        for write in writes.dropLast() { late.write(try stage.write(write.bytes, at: UInt64(write.offset))) }
        stage.metadata = .everything
        late.write(try stage.write(last.bytes, at: UInt64(last.offset)))
        late.write(stage.finish(.everything))
        #expect(stage.notices == [.noRoom(what: "the movie header")])
        #expect(try movie(late.bytes)[8 + 8 + 20] == 77)
        let track = try #require(try ContainerInspection(ArrayByteSource(late.bytes)).tracks.first)
        #expect(track.masteringDisplay == .p3 && track.contentLightLevel == nil)
    }

    @Test func liveFragmentsNeedNoSeeking() throws {
        let writes = try Self.fragmented().writes.dropLast(2)
        let (file, stage) = try run(Array(writes), isSeekable: false)
        #expect(stage.notices.isEmpty && file.seeks == 0)
        var direct = ContainerStage(metadata: .everything)
        // The movie box is out as soon as it is there.
        _ = try direct.write(Build.iso, at: 0)
        #expect(try direct.write(writes[1].bytes, at: UInt64(writes[1].offset)).count == 1)
    }

    /// fragment-mode=first-moov-then-finalise: a movie box and fragments inside of what becomes one mdat, and at last a
    /// movie box without fragments. Only that one is completed, and nothing moves.
    @Test func recordingsThatAreFinalized() throws {
        let recovery = Build.moov(Build.track(entries: [Build.entry([Build.hvcC])]), fragmented: true)
        let start = Build.iso.count
        var writes: [Write] = [(0, Build.iso), (start, Self.openMediaData)]
        writes.append((start + 16, Self.chunks.flatMap { $0 }))
        writes.append((start + 216, recovery))
        let end = start + 216 + recovery.count
        writes.append((end, Self.openMediaData + [1, 2, 3]))
        writes.append((start + 220, Array("h".utf8)))
        writes.append((start + 8, bigEndian(UInt32(recovery.count + 19 + 208)) + Array("mdat".utf8)))
        writes.append((end + 19, Self.moov(at: start + 16)))
        let (file, stage) = try run(writes)
        #expect(stage.notices.isEmpty)
        try expectComplete(file.bytes)
        #expect(Array(file.bytes[..<(end + 19)]) == Array(plain(writes)[..<(end + 19)]))
    }

    // MARK: Reserved space

    /// qtmux reserved-max-duration: the movie box is written now in one place and now in another, each with free space
    /// behind it.
    private static func reserved(space: Int = 400) -> [Write] {
        let start = Build.quickTime.count
        let movie = moov(at: 0).count
        let slot = movie + 8 + space
        let first = start + 20
        let second = first + slot + 8
        let data = second + slot
        let free = { (size: Int) in bigEndian(UInt32(size)) + Array("free".utf8) }
        let moov = moov(at: data + 16)
        let empty = Build.moov(Build.track(entries: [Build.entry([Build.hvcC])], offsets: [Build.offsets([])]))
        return [
            (0, Build.quickTime), (start, free(12)), (start + 12, free(8)), (first, empty),
            (first + empty.count, free(8 + space + movie - empty.count)), (second - 8, free(slot + 8)),
            (data, openMediaData),
            (data + 16, chunks.flatMap { $0 }), (second, moov), (second + movie, free(8 + space)),
            (start + 12, free(slot + 16)), (data, closedMediaData),
        ]
    }

    @Test func reservedSpaceIsUsed() throws {
        let writes = Self.reserved()
        let (file, stage) = try run(writes, .unmeasured, .everything)
        #expect(stage.notices.isEmpty)
        #expect(file.bytes.count == plain(writes).count)
        try expectComplete(file.bytes)

        // A header that grows at the end takes more of the space.
        var less = ContainerMetadata.everything
        less.contentLightLevel = .keep
        let (grown, late) = try run(writes, less, .everything)
        #expect(late.notices.isEmpty)
        try expectComplete(grown.bytes)
    }

    @Test func reservedSpaceThatIsTooSmallIsSaid() throws {
        let writes = Self.reserved(space: 0)
        let (file, stage) = try run(writes)
        #expect(stage.notices == [.noRoom(what: "the space that was reserved for the movie header")])
        let track = try #require(try ContainerInspection(ArrayByteSource(file.bytes)).tracks.first)
        #expect(track.masteringDisplay == nil, "unchanged, and not broken")
    }

    // MARK: What cannot be done

    @Test func brokenHeadersPassUnchanged() throws {
        var broken = Self.movieLast
        let index = broken.count - 2
        broken[index].bytes = Build.moov(Build.box("trak", [1, 2, 3, 4, 5, 6, 7, 8, 9]))
        let (file, stage) = try run(broken)
        #expect(file.bytes == plain(broken))
        #expect(stage.notices.count == 1)
        guard case .notCompleted = stage.notices.first else {
            Issue.record("\(stage.notices)")
            return
        }
    }

    @Test func otherFormatsPassUnchanged() throws {
        let writes: [Write] = [(0, Array("RIFF".utf8)), (4, Array("....AVI LIST".utf8)), (2, [9])]
        let (file, stage) = try run(writes)
        #expect(file.bytes == plain(writes))
        #expect(stage.notices == [.notRecognized])
        #expect(try run(writes, .nothing).stage.notices.isEmpty)
        #expect(try run([(0, [1, 2])]).file.bytes == [1, 2])
    }

    @Test func filesWithoutMovieBoxAreReported() throws {
        let writes = Array(Self.movieLast.dropLast(2))
        let (file, stage) = try run(writes)
        #expect(file.bytes == plain(writes))
        #expect(stage.notices == [.headerMissing("movie header (moov)")])
    }

    @Test func headersOverTheLimitPassUnchanged() throws {
        var stage = ContainerStage(metadata: .everything, limit: 300)
        var file = WrittenFile()
        for write in Self.movieFirst() { file.write(try stage.write(write.bytes, at: UInt64(write.offset))) }
        file.write(stage.finish(.everything))
        #expect(file.bytes == plain(Self.movieFirst()))
        #expect(stage.notices.contains { if case .notCompleted(.headerTooLarge) = $0 { true } else { false } })
    }

    @Test func placesBeyondEveryFileAreErrors() {
        var stage = ContainerStage(metadata: .everything)
        #expect(throws: ContainerError.self) { try stage.write([1], at: .max) }
    }

    @Test func pictureBytesAreNoMovieBox() throws {
        var writes = Self.movieLast
        let fake = bigEndian(UInt32(50)) + Array("moov".utf8) + Build.media(42)
        writes[3].bytes = fake
        let (file, stage) = try run(writes)
        #expect(stage.notices.isEmpty)
        #expect(Array(file.bytes[writes[3].offset...].prefix(50)) == fake)
    }

    // MARK: Headers outside of the stream

    @Test func streamHeaders() throws {
        var stage = ContainerStage(metadata: .everything)
        _ = try stage.write(Build.quickTime, at: 0)
        let header = stage.streamHeader(Self.moov(at: 100))
        let track = try #require(try MovieInspection.tracks(header).first)
        #expect(track.masteringDisplay == .p3 && track.colorTypes == ["nclc"])
        #expect(stage.streamHeader([1, 2, 3]) == [1, 2, 3])
        #expect(ContainerStage().streamHeader(Self.moov(at: 100)) == Self.moov(at: 100))
    }
}

extension Box {
    fileprivate func map<T>(_ transform: (Box) -> T) -> T { transform(self) }
}
