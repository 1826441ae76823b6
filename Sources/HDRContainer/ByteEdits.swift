import HDRMetadata

/// Replacements of byte ranges in a tree of boxes, with the size fields of the enclosing boxes.
struct ByteEdits {
    private struct Edit {
        var range: Range<Int>
        var bytes: [UInt8]
    }

    private var edits: [Edit] = []
    /// By the offset of the box.
    private var grown: [Int: (box: Box, by: Int)] = [:]
    /// Bytes by which the whole grows.
    private(set) var growth = 0

    var isEmpty: Bool { edits.isEmpty }

    /// Replaces a range that lies in all of `boxes`.
    mutating func replace(_ range: Range<Int>, with bytes: [UInt8], inside boxes: [Box]) {
        let change = bytes.count - range.count
        edits.append(Edit(range: range, bytes: bytes))
        growth += change
        for box in boxes { grown[box.start, default: (box, 0)].by += change }
    }

    /// - Throws: where a size does not fit its field any more.
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
