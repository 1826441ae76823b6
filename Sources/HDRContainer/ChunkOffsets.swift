import HDRMetadata

/// The tables of a movie box that hold positions in the file: `stco`, `co64` and `saio` (ISO/IEC 14496-12 sections
/// 8.7.5 and 8.7.9). Positions in `moof` boxes are mostly relative; `FragmentPositions` handles those that are not.
struct ChunkOffsets {
    private struct Table {
        var box: Box
        /// The boxes around it, outermost first.
        var parents: [Box]
        var entries: Int
        var firstEntry: Int
        var entrySize: Int
    }

    private var tables: [Table] = []

    /// Whether no table has an entry, so that there are no media data yet.
    var isEmpty: Bool { tables.allSatisfy { $0.entries == 0 } }

    /// Finds the tables of all tracks of `moov`.
    init(_ reader: BoxReader, _ moov: Box) throws(ContainerError) {
        var boxes = reader.boxes(in: moov.payload)
        while let track = try boxes.next() {
            guard track.type == .trak, let media = try reader.first(.mdia, in: track.payload),
                let information = try reader.first(.minf, in: media.payload),
                let samples = try reader.first(.stbl, in: information.payload)
            else { continue }
            let parents = [moov, track, media, information, samples]
            var children = reader.boxes(in: samples.payload)
            while let box = try children.next() {
                if let table = try Self.table(reader, box, parents) { tables.append(table) }
            }
        }
    }

    private static func table(_ reader: BoxReader, _ box: Box, _ parents: [Box]) throws(ContainerError) -> Table? {
        guard [.stco, .co64, .saio].contains(box.type) else { return nil }
        var entrySize = box.type == .co64 ? 8 : 4
        var count = box.payload.lowerBound + 4
        if box.type == .saio {
            if (BigEndian.u8(reader.bytes, box.payload.lowerBound) ?? 0) != 0 { entrySize = 8 }
            if (BigEndian.u8(reader.bytes, box.payload.lowerBound + 3) ?? 0) & 1 != 0 { count += 8 }
        }
        guard count + 4 <= box.end, let entries = BigEndian.u32(reader.bytes, count),
            UInt64(entries) * UInt64(entrySize) <= UInt64(box.end - count - 4)
        else { throw .truncated(what: "the table '\(box.type)'", offset: UInt64(box.start)) }
        return Table(
            box: box, parents: parents, entries: Int(entries), firstEntry: count + 4, entrySize: entrySize)
    }

    /// Rewrites the positions.
    /// - Parameters:
    ///   - edits: the other edits of the movie box; the edits for tables that need 64 bits are added.
    ///   - map: maps a position to its new one for a given growth of the movie box in bytes.
    /// - Returns: the number of tables that became `co64`.
    func move(
        in bytes: inout [UInt8], _ edits: inout ByteEdits, by map: (_ growth: Int) -> PositionMap
    ) throws(ContainerError) -> Int {
        // A widened table moves the media data further, which may require another one to be widened.
        var wide: Set<Int> = []
        var growth = edits.growth
        var passes = 0
        while true {
            let move = map(growth)
            let narrow = tables.indices.filter { !wide.contains($0) && tables[$0].box.type == .stco }
            let more = narrow.filter { overflows(tables[$0], bytes, move) }
            if more.isEmpty { break }
            passes += 1
            // Tables each of which pushes only the next one over 4 GiB would take a pass each.
            let widened = passes < 4 ? more : narrow
            wide.formUnion(widened)
            for index in widened { growth += 4 * tables[index].entries }
        }
        let move = map(growth)
        if move.isIdentity { return 0 }
        for index in tables.indices {
            let table = tables[index]
            if wide.contains(index) {
                edits.replace(
                    table.box.start..<table.box.end, with: try widened(table, bytes, move), inside: table.parents)
            } else {
                try moveInPlace(table, &bytes, move)
            }
        }
        return wide.count
    }

    private func overflows(_ table: Table, _ bytes: [UInt8], _ map: PositionMap) -> Bool {
        (0..<table.entries).contains { index in
            let old = BigEndian.number(bytes, at: table.firstEntry + 4 * index, count: 4) ?? 0
            return (map(old) ?? .max) > UInt64(UInt32.max)
        }
    }

    private func moveInPlace(_ table: Table, _ bytes: inout [UInt8], _ map: PositionMap) throws(ContainerError) {
        let limit = table.entrySize == 4 ? UInt64(UInt32.max) : .max
        for index in 0..<table.entries {
            let at = table.firstEntry + table.entrySize * index
            let old = BigEndian.number(bytes, at: at, count: table.entrySize) ?? 0
            guard let new = map(old), new <= limit else {
                throw .sizeOverflow(what: "a position in '\(table.box.type)'", offset: UInt64(at))
            }
            BigEndian.set(new, count: table.entrySize, in: &bytes, at: at)
        }
    }

    /// The box `co64` in place of `stco`, 4 bytes larger for each entry.
    private func widened(_ table: Table, _ bytes: [UInt8], _ map: PositionMap) throws(ContainerError) -> [UInt8] {
        var payload = BigEndian.slice(bytes, table.firstEntry - 8..<table.firstEntry)
        payload.reserveCapacity(table.entries * 8 + 8)
        for index in 0..<table.entries {
            let at = table.firstEntry + 4 * index
            guard let new = map(BigEndian.number(bytes, at: at, count: 4) ?? 0) else {
                throw .sizeOverflow(what: "a position in 'stco'", offset: UInt64(at))
            }
            BigEndian.append(new, to: &payload)
        }
        // Padding behind the last entry is kept, so that the growth is the one that was counted.
        payload += bytes[table.firstEntry + 4 * table.entries..<table.box.end]
        let header = Box.bytes(.co64, payload)
        return table.box.headerSize == 8 ? header : Self.large(.co64, payload)
    }

    private static func large(_ type: FourCC, _ payload: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        BigEndian.append(UInt32(1), to: &bytes)
        BigEndian.append(type.value, to: &bytes)
        BigEndian.append(UInt64(payload.count) + 16, to: &bytes)
        return bytes + payload
    }
}
