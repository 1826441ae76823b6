/// Columns that are as wide as their widest cell.
struct Table {
    private var rows: [[String]]
    private let leftColumns: Int
    private let gap: String

    /// - Parameters:
    ///   - leftColumns: how many of the first columns hold words, which are aligned left; numbers are aligned right.
    ///   - gap: between columns.
    init(_ titles: [String], leftColumns: Int, gap: String = "  ") {
        rows = [titles]
        self.leftColumns = leftColumns
        self.gap = gap
    }

    mutating func add(_ cells: [String]) { rows.append(cells) }

    /// The titles, then the rows, without blanks at their ends.
    var lines: [String] {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { cells in
            var line = cells.indices.map { Self.padded(cells[$0], widths[$0], right: $0 >= leftColumns) }
                .joined(separator: gap)
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    var text: String { lines.map { $0 + "\n" }.joined() }

    static func padded(_ text: String, _ width: Int, right: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(0, width - text.count))
        return right ? blanks + text : text + blanks
    }
}
