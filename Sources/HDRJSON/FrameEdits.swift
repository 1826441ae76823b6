/// The pictures whose metadata are removed or repeated, in the JSON of the editors of dovi_tool and hdr10plus_tool.
/// Pictures are counted from 0.
package struct FrameEdits: Equatable, Sendable {
    /// The maximum number of pictures, as many as 46 hours have at 25 a second, so that a wrong number does not fill
    /// the memory: an RPU takes some hundred bytes.
    static let limit = 1 << 22

    package struct Duplicate: Equatable, Sendable {
        /// The picture whose metadata are repeated.
        package var source: Int
        /// The picture before which the copies are inserted.
        package var offset: Int
        package var length: Int

        package init(source: Int, offset: Int, length: Int) {
            (self.source, self.offset, self.length) = (source, offset, length)
        }
    }

    package static let names = ["remove", "duplicate"]

    /// The pictures to be removed, counted before any change.
    package var removed: [ClosedRange<Int>] = []
    /// The repetitions, counted among the pictures that are left then. They are made from the last offset to the first.
    package var duplicates: [Duplicate] = []

    package init() {}

    /// Reads the edits from the members of an object; other members are ignored.
    package init(_ members: [(String, JSON)]) throws(JSONError) {
        for (name, value) in members {
            switch name {
            case "remove":
                for (index, entry) in try value.array(name).enumerated() {
                    removed.append(try Self.range(entry.string("remove[\(index)]"), "remove[\(index)]"))
                }
            case "duplicate":
                for (index, entry) in try value.array(name).enumerated() {
                    let path = "duplicate[\(index)]"
                    _ = try entry.members(among: ["source", "offset", "length"], path)
                    var numbers: [Int] = []
                    for field in ["source", "offset", "length"] {
                        numbers.append(
                            try entry.member(field, of: path).integer(0...Self.limit, "\(path).\(field)"))
                    }
                    duplicates.append(Duplicate(source: numbers[0], offset: numbers[1], length: numbers[2]))
                }
            default: break
            }
        }
    }

    /// Reads a whole document that contains nothing else.
    package init(_ text: some Collection<UInt8>) throws(JSONError) {
        try self.init(try JSON(text).members(among: Self.names, ""))
    }

    /// Reads a range such as "0-39", which includes both ends, or "5".
    package static func range(_ text: String, _ path: String) throws(JSONError) -> ClosedRange<Int> {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        let isPlain = text.utf8.allSatisfy { (48...57).contains($0) || $0 == UInt8(ascii: "-") }
        guard isPlain, (1...2).contains(parts.count), let first = parts[0], let last = parts.last ?? nil, first <= last,
            last <= limit
        else { throw JSONError("\(path) in the JSON is \"\(text.prefix(40))\", and should be like \"0-39\" or \"5\"") }
        return first...last
    }

    /// The pictures that are left after the removals, as their original numbers.
    package func remaining(of count: Int) throws(JSONError) -> [Int] {
        var isRemoved = Array(repeating: false, count: max(count, 0))
        for range in removed {
            guard range.upperBound < count else {
                throw JSONError("remove has picture \(range.upperBound), and there are \(count), from 0 on")
            }
        }
        var end = 0
        for range in removed.sorted(by: { $0.lowerBound < $1.lowerBound }) where range.upperBound >= end {
            for index in max(range.lowerBound, end)...range.upperBound { isRemoved[index] = true }
            end = range.upperBound + 1
        }
        return isRemoved.indices.filter { !isRemoved[$0] }
    }

    /// The list with metadata repeated.
    package func repeating<Value>(_ list: [Value]) throws(JSONError) -> [Value] {
        var list = list
        for duplicate in duplicates.sorted(by: { $0.offset < $1.offset }).reversed() {
            guard list.indices.contains(duplicate.source), duplicate.offset <= list.count else {
                throw JSONError(
                    "duplicate has source \(duplicate.source) and offset \(duplicate.offset), and there are "
                        + "\(list.count) pictures, from 0 on")
            }
            guard list.count + duplicate.length <= Self.limit else {
                throw JSONError("duplicate makes more than \(Self.limit) pictures")
            }
            list.insert(
                contentsOf: repeatElement(list[duplicate.source], count: duplicate.length), at: duplicate.offset)
        }
        return list
    }

    /// The list after the removals and then the repetitions.
    package func applied<Value>(to list: [Value]) throws(JSONError) -> [Value] {
        try repeating(try remaining(of: list.count).map { list[$0] })
    }
}
