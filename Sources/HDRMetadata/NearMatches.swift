/// Suggests the names that a mistyped one may have meant.
package enum NearMatches {
    /// The nearest of `candidates`, three at most, the nearest first. Letter case, `-`, `_` and spaces are ignored.
    package static func of(_ name: String, in candidates: [String]) -> [String] {
        let wanted = folded(name)
        guard !wanted.isEmpty else { return [] }
        var found: [(distance: Int, name: String)] = []
        for candidate in candidates {
            let other = folded(candidate)
            // One edit in two letters, two in five, and then a third of them.
            let most = max(wanted.count / 3, min(2, wanted.count - 3), min(1, wanted.count - 1))
            // Names whose lengths differ by more are more edits apart.
            let edits = abs(wanted.count - other.count) <= most ? distance(wanted, other) : Int.max
            if edits <= most {
                found.append((edits, candidate))
            } else if contains(other, wanted) || contains(wanted, other) {
                found.append((wanted.count + other.count, candidate))
            }
        }
        // Stable for equal distances, so that messages are the same everywhere.
        let sorted = found.enumerated().sorted { ($0.element.distance, $0.offset) < ($1.element.distance, $1.offset) }
        return sorted.prefix(3).map { $0.element.name }
    }

    /// Lower-case bytes without separators, at most 64 so that a hostile name costs little.
    private static func folded(_ name: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for byte in name.utf8.prefix(96) {
            switch byte {
            case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: " "): continue
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): bytes.append(byte | 0x20)
            default: bytes.append(byte)
            }
            if bytes.count == 64 { break }
        }
        return bytes
    }

    private static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
        guard part.count >= 3, part.count <= text.count else { return false }
        return (0...(text.count - part.count)).contains { text[$0..<($0 + part.count)].elementsEqual(part) }
    }

    /// The optimal string alignment distance: letters added, left out or replaced, and neighbours that changed places.
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...b.count)
        for (i, x) in a.enumerated() {
            var row = [i + 1]
            for (j, y) in b.enumerated() {
                var edits = min(last[j] + (x == y ? 0 : 1), min(last[j + 1], row[j]) + 1)
                if i > 0, j > 0, x == b[j - 1], a[i - 1] == y { edits = min(edits, beforeLast[j - 1] + 1) }
                row.append(edits)
            }
            (beforeLast, last) = (last, row)
        }
        return last[b.count]
    }
}
