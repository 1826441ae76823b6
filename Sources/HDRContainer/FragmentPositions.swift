import HDRMetadata

/// The positions in the file that boxes of movie fragments hold: those in `tfhd` where its flag says so (ISO/IEC
/// 14496-12 section 8.8.7), and those in `tfra` (section 8.8.10). Others are relative to the fragment.
enum FragmentPositions {
    /// A complete `moof` or `mfra` with moved positions, in the same length.
    static func moved(_ bytes: [UInt8], by map: PositionMap) throws(ContainerError) -> [UInt8] {
        var result = bytes
        let reader = BoxReader(bytes)
        var boxes = reader.boxes()
        guard let outer = try boxes.next() else { return bytes }
        var children = reader.boxes(in: outer.payload)
        while let child = try children.next() {
            if outer.type == .moof, child.type == .traf, let header = try reader.first(.tfhd, in: child.payload) {
                try moveBase(reader, header, map, &result)
            } else if outer.type == .mfra, child.type == .tfra {
                try moveEntries(reader, child, map, &result)
            }
        }
        return result
    }

    private static func moveBase(
        _ reader: BoxReader, _ header: Box, _ map: PositionMap, _ result: inout [UInt8]
    ) throws(ContainerError) {
        let start = header.payload.lowerBound
        guard let flags = BigEndian.u32(reader.bytes, start), flags & 1 != 0, start + 16 <= header.end else {
            return
        }
        try move(reader.bytes, at: start + 8, count: 8, map, &result)
    }

    private static func moveEntries(
        _ reader: BoxReader, _ table: Box, _ map: PositionMap, _ result: inout [UInt8]
    ) throws(ContainerError) {
        let start = table.payload.lowerBound
        guard table.payload.count >= 16, let version = BigEndian.u8(reader.bytes, start),
            let sizes = BigEndian.u32(reader.bytes, start + 8),
            let entries = BigEndian.u32(reader.bytes, start + 12)
        else { throw .truncated(what: "the table 'tfra'", offset: UInt64(table.start)) }
        let width = version == 1 ? 8 : 4
        let numbers = Int(sizes & 3) + Int(sizes >> 2 & 3) + Int(sizes >> 4 & 3) + 3
        let stride = 2 * width + numbers
        guard UInt64(entries) * UInt64(stride) <= UInt64(table.end - start - 16) else {
            throw .truncated(what: "the table 'tfra'", offset: UInt64(table.start))
        }
        for index in 0..<Int(entries) {
            try move(reader.bytes, at: start + 16 + index * stride + width, count: width, map, &result)
        }
    }

    private static func move(
        _ source: [UInt8], at offset: Int, count: Int, _ map: PositionMap, _ result: inout [UInt8]
    ) throws(ContainerError) {
        let old = BigEndian.number(source, at: offset, count: count) ?? 0
        guard let new = map(old), count == 8 || new <= UInt64(UInt32.max) else {
            throw .sizeOverflow(what: "the position of a fragment", offset: UInt64(offset))
        }
        BigEndian.set(new, count: count, in: &result, at: offset)
    }
}
