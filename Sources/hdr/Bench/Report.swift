/// The middle of some values, which a few that the machine disturbed do not move.
func median(_ values: [Double]) -> Double {
    guard !values.isEmpty else { return .nan }
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/// Largest less smallest, in per cent of the median.
func spread(_ values: [Double]) -> Double {
    guard let most = values.max(), let least = values.min() else { return .nan }
    return (most - least) / median(values) * 100
}

/// A number with so many digits after the point.
func fixed(_ value: Double, _ digits: Int, width: Int = 0) -> String {
    guard value.isFinite else { return padded("-", width, right: true) }
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let whole = Int((value * scale).rounded())
    var text = "\(digits == 0 ? whole : whole / Int(scale))"
    if digits > 0 { text += "." + String("\(abs(whole) % Int(scale) + Int(scale))".dropFirst()) }
    return padded(text, width, right: true)
}

func padded(_ text: String, _ width: Int, right: Bool = false) -> String {
    let blanks = String(repeating: " ", count: max(0, width - text.count))
    return right ? blanks + text : text + blanks
}

/// Columns that are as wide as what stands in them.
struct Table {
    private var lines: [[String]]
    private let leftColumns: Int

    /// - Parameter leftColumns: how many of the first columns hold words, which are set to the left; numbers are to the right.
    init(_ titles: [String], leftColumns: Int) {
        lines = [titles]
        self.leftColumns = leftColumns
    }

    mutating func add(_ cells: [String]) { lines.append(cells) }

    var text: String {
        let widths = lines[0].indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        return lines.map { cells in
            let line = cells.indices.map { padded(cells[$0], widths[$0], right: $0 >= leftColumns) }
                .joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }.joined(separator: "\n")
    }
}

/// A JSON object on one line.
struct JSONLine {
    private var members: [String] = []

    mutating func add(_ name: String, _ text: String?) {
        members.append("\"\(name)\": " + (text.map(Self.quoted) ?? "null"))
    }

    mutating func add(_ name: String, _ number: Int) { members.append("\"\(name)\": \(number)") }

    mutating func add(_ name: String, _ number: Double) {
        members.append("\"\(name)\": " + (number.isFinite ? "\(number)" : "null"))
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case ..<" ": "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: String(scalar)
            }
        }
        return "\"" + escaped.joined() + "\""
    }

    var text: String { "{" + members.joined(separator: ", ") + "}" }

    /// Prints an array with one object a line.
    static func print(_ lines: [JSONLine]) {
        Swift.print("[\n" + lines.map { "  " + $0.text }.joined(separator: ",\n") + "\n]")
    }
}
