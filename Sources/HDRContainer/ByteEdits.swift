import HDRMetadata

/// Replacements of byte ranges in a tree of boxes, with the size fields of the enclosing boxes.
///
/// Completing a movie box takes three steps, because boxes lie inside each other and the box lies in a file:
///
///     moov                  2. sizes: each box around an edit grows with it (`ByteEdits.apply`)
///      └ trak
///         └ … stbl
///            ├ stsd
///            │  └ hvc1     1. edit: the sample entry's children are replaced (`SampleEntryPatch`)
///            └ stco        3. positions: chunk offsets point behind moov, which has grown (`ChunkOffsets`)
///     mdat                    and so everything behind it has moved (`PositionMap`)
///
/// 1. `MovieBoxPatcher` collects edits as ranges of the source's bytes, and the boxes that enclose each. Nothing is
///    changed yet, so that every offset in the tree stays valid.
/// 2. The growth of all edits is then known. If media data follow the movie box, they move by it, and so do the chunk
///    offsets. An offset that exceeds 32 bits turns its table `stco` into `co64`, which is another edit and moves the
///    media data further, so that this is repeated until no table changes.
/// 3. `apply` writes the new sizes into a copy of the source, and copies it with the edits in place of their ranges.
struct ByteEdits {
    private struct Edit {
        var range: Range<Int>
        var bytes: [UInt8]
    }

    private var edits: [Edit] = []
    /// The growth of boxes, by the boxes' offsets.
    private var grown: [Int: (box: Box, by: Int)] = [:]
    /// The number of bytes by which the whole grows.
    private(set) var growth = 0

    var isEmpty: Bool { edits.isEmpty }

    /// Replaces a range that lies in all of `boxes`.
    mutating func replace(_ range: Range<Int>, with bytes: [UInt8], inside boxes: [Box]) {
        let change = bytes.count - range.count
        edits.append(Edit(range: range, bytes: bytes))
        growth += change
        for box in boxes { grown[box.start, default: (box, 0)].by += change }
    }

    /// - Throws: where a size no longer fits into its field.
    func apply(to source: [UInt8]) throws(ContainerError) -> [UInt8] {
        var fixed = source
        for (box, change) in grown.values where change != 0 {
            let size = UInt64(max(0, box.count + change))
            switch box.sizeField {
            case .toEnd: break
            case .large: BigEndian.set(size, count: 8, in: &fixed, at: box.start + 8)
            case .short:
                guard size <= UInt64(UInt32.max) else {
                    throw .sizeOverflow(what: "the size of box '\(box.type)'", offset: UInt64(box.start))
                }
                BigEndian.set(size, count: 4, in: &fixed, at: box.start)
            }
        }
        var result: [UInt8] = []
        result.reserveCapacity(max(0, source.count + growth))
        var position = 0
        for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound })
        where edit.range.lowerBound >= position && edit.range.upperBound <= fixed.count {
            result += fixed[position..<edit.range.lowerBound]
            result += edit.bytes
            position = edit.range.upperBound
        }
        result += fixed[position...]
        return result
    }
}
