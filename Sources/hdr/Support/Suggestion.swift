/// Guesses what somebody meant who mistyped a name.
enum Suggestion {
    /// The name that is most like `word`; `nil` where none is close: a third of its characters may differ.
    static func closest(to word: String, among names: [String]) -> String? {
        let limit = max(word.count / 3, 1)
        let near = names.map { (name: $0, distance: distance(Array(word), Array($0))) }
            .min { $0.distance < $1.distance }
        guard let near, near.distance <= limit else { return nil }
        return near.name
    }

    /// Insertions, deletions, replacements and swaps of neighbours that make one text of the other (optimal string
    /// alignment).
    static func distance(_ a: [Character], _ b: [Character]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var cost = min(row[j] + 1, last[j + 1] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, beforeLast[j - 1] + 1) }
                row.append(cost)
            }
            (beforeLast, last) = (last, row)
        }
        return last[b.count]
    }
}
