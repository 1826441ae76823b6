import HDRMetadata

import Testing

@testable import HDRContainer

/// Movies in fragments, and movie boxes in space that was kept for them.
extension MovieRewriterTests {
    // MARK: Fragments

    /// A movie box, fragments with positions of both kinds, an index, and the movie box again with the duration.
    static func fragmented() throws -> (writes: [Write], fragments: [Int]) {
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
        let (file, rewriter) = try run(writes, .unmeasured, .everything)
        #expect(rewriter.notices.isEmpty)
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
            if box.type == .tfhd, BigEndian.u32(file.bytes, start) == 1 {
                bases.append(Int(BigEndian.u64(file.bytes, start + 8) ?? 0))
            }
            if box.type == .tfra {
                let width = file.bytes[start] == 1 ? 8 : 4
                for index in 0..<4 {
                    let at = start + 16 + index * (2 * width + 3) + width
                    entries.append(Int(BigEndian.number(file.bytes, at: at, count: width) ?? 0))
                }
            }
        }
        #expect(found == fragments.map { $0 + growth })
        #expect(bases == [found[1], found[3]])
        #expect(entries == found + found)
    }

    /// The muxer may write the movie box again in any pieces, and what it says arrives even where later metadata have
    /// no room.
    @Test func aMovieBoxThatIsWrittenAgain() throws {
        let writes = try Self.fragmented().writes
        let (file, _) = try run(writes)
        let last = writes[writes.count - 1]
        let again = Build.iso + last.bytes + writes[2].bytes.prefix(9)
        for size in [7, 24, 33, 1000] {
            let pieces = stride(from: 0, to: again.count, by: size).map { start in
                Write(start, Array(again[start..<min(again.count, start + size)]))
            }
            let (other, rewriter) = try run(writes.dropLast() + pieces)
            #expect(other.bytes == file.bytes && rewriter.notices.isEmpty)
        }

        var less = ContainerMetadata.everything
        less.first.contentLightLevel = .keep
        var rewriter = ContainerRewriter(metadata: less)
        var late = WrittenFile()
        for write in writes.dropLast() { late.write(try rewriter.write(write.bytes, at: UInt64(write.offset))) }
        rewriter.metadata = .everything
        late.write(try rewriter.write(last.bytes, at: UInt64(last.offset)))
        late.write(rewriter.finish(.everything))
        #expect(rewriter.notices == [.noRoom(what: "the movie header")])
        #expect(try movie(late.bytes)[8 + 8 + 20] == 77)
        let track = try #require(try ContainerInspection(ArrayByteSource(late.bytes)).tracks.first)
        #expect(track.masteringDisplay == .p3 && track.contentLightLevel == nil)
    }

    @Test func liveFragmentsNeedNoSeeking() throws {
        let writes = try Self.fragmented().writes.dropLast(2)
        let (file, rewriter) = try run(Array(writes), isSeekable: false)
        #expect(rewriter.notices.isEmpty && file.seeks == 0)
        var direct = ContainerRewriter(metadata: .everything)
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
        let (file, rewriter) = try run(writes)
        #expect(rewriter.notices.isEmpty)
        try expectComplete(file.bytes)
        #expect(Array(file.bytes[..<(end + 19)]) == Array(plain(writes)[..<(end + 19)]))
    }

    // MARK: Reserved space

    /// qtmux reserved-max-duration: the movie box is written now in one place and now in another, each with free space
    /// behind it.
    static func reserved(space: Int = 400) -> [Write] {
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
        let (file, rewriter) = try run(writes, .unmeasured, .everything)
        #expect(rewriter.notices.isEmpty)
        #expect(file.bytes.count == plain(writes).count)
        try expectComplete(file.bytes)

        // A header that grows at the end takes more of the space.
        var less = ContainerMetadata.everything
        less.first.contentLightLevel = .keep
        let (grown, late) = try run(writes, less, .everything)
        #expect(late.notices.isEmpty)
        try expectComplete(grown.bytes)
    }

    @Test func reservedSpaceThatIsTooSmallIsSaid() throws {
        let writes = Self.reserved(space: 0)
        let (file, rewriter) = try run(writes)
        #expect(rewriter.notices == [.noRoom(what: "the space that was reserved for the movie header")])
        let track = try #require(try ContainerInspection(ArrayByteSource(file.bytes)).tracks.first)
        #expect(track.masteringDisplay == nil, "unchanged, and not broken")
    }
}
