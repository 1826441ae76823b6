/// The data that a rewriter has to write.
struct RewriterOutput {
    var writes: [PositionedBytes] = []
    var notices: [ContainerNotice] = []

    mutating func notice(_ notice: ContainerNotice) {
        if !notices.contains(notice) { notices.append(notice) }
    }
}

/// Functions by which the rewriters of the formats forward bytes.
extension RewriterOutput {
    private static let smallWrite = 4096

    /// Passes on a write that the muxer made at `offset` to its present position, in pieces where something has grown
    /// inside of it.
    mutating func pass(_ bytes: [UInt8], at offset: UInt64, through map: PositionMap) {
        if bytes.isEmpty { return }
        if map.isIdentity {
            add(bytes, at: offset)
            return
        }
        let end = offset + UInt64(bytes.count)
        var position = offset
        while position < end {
            let next = min(end, map.nextChange(after: position) ?? end)
            // A position that cannot be moved is beyond every file.
            let target = map(position) ?? position
            let isWhole = position == offset && next == end
            let piece = isWhole ? bytes : Array(bytes[Int(position - offset)..<Int(next - offset)])
            add(piece, at: target)
            position = next
        }
    }

    /// Adds bytes; headers that follow each other become one write.
    private mutating func add(_ bytes: [UInt8], at offset: UInt64) {
        if let last = writes.indices.last, writes[last].offset + UInt64(writes[last].bytes.count) == offset,
            writes[last].bytes.count + bytes.count <= Self.smallWrite
        {
            writes[last].bytes += bytes
        } else {
            writes.append(PositionedBytes(offset: offset, bytes: bytes))
        }
    }

    /// Writes the differences between a header that has been written and a later one of the same length.
    mutating func update(_ old: [UInt8], to new: [UInt8], at offset: UInt64) {
        guard old.count == new.count, let first = zip(old, new).enumerated().first(where: { $1.0 != $1.1 })?.offset
        else { return }
        var last = new.count - 1
        while last > first, old[last] == new[last] { last -= 1 }
        writes.append(PositionedBytes(offset: offset + UInt64(first), bytes: Array(new[first...last])))
    }
}

/// The state that the rewriters of the formats share.
struct RewriterContext {
    var metadata: ContainerMetadata
    var isSeekable: Bool
    var limit: Int
}
