/// A JSON value whose members keep their order.
package enum JSON: Sendable {
    case null
    case bool(Bool)
    /// A number as the digits that are written.
    case number(String)
    case string(String)
    case array([JSON])
    case object([(String, JSON)])

    package static func optional<Value>(_ value: Value?, _ make: (Value) -> JSON) -> JSON { value.map(make) ?? .null }
    package static func integer(_ value: (some BinaryInteger)?) -> JSON { optional(value) { .number("\($0)") } }
    package static func text(_ value: String?) -> JSON { optional(value, JSON.string) }

    /// A number; `null` where the value is not finite.
    package static func decimal(_ value: Double) -> JSON { value.isFinite ? .number("\(value)") : .null }

    /// An array of values that are text already, one below the other.
    package static func array(of texts: [String]) -> String {
        texts.isEmpty ? "[]\n" : "[\n  " + texts.joined(separator: ",\n  ") + "\n]\n"
    }

    /// The value on one line.
    package var line: String {
        var output = ""
        write(to: &output, indent: nil)
        return output
    }

    /// - Parameter indent: the indentation of the line that the value begins on; `nil` for a value on one line.
    package func write(to output: inout String, indent: String?) {
        let inner = indent.map { $0 + "  " }
        switch self {
        case .null: output += "null"
        case .bool(let value): output += value ? "true" : "false"
        case .number(let text): output += text
        case .string(let text): Self.quote(text, to: &output)
        case .array(let values):
            // Short lists of simple values stay on a line.
            let isShort = values.allSatisfy(\.isPlain)
            Self.list(values, "[", "]", &output, isShort ? nil : indent) { $0.write(to: &$1, indent: inner) }
        case .object(let members):
            Self.list(members, "{", "}", &output, indent) { member, output in
                Self.quote(member.0, to: &output)
                output += ": "
                member.1.write(to: &output, indent: inner)
            }
        }
    }

    private var isPlain: Bool {
        switch self {
        case .array, .object: false
        default: true
        }
    }

    private static func list<Item>(
        _ items: [Item], _ open: String, _ close: String, _ output: inout String, _ indent: String?,
        _ write: (Item, inout String) -> Void
    ) {
        output += open
        for (index, item) in items.enumerated() {
            if index > 0 { output += indent == nil ? ", " : "," }
            if let indent { output += "\n" + indent + "  " }
            write(item, &output)
        }
        if let indent, !items.isEmpty { output += "\n" + indent }
        output += close
    }

    private static func quote(_ text: String, to output: inout String) {
        output += "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": output += "\\\""
            case "\\": output += "\\\\"
            case "\n": output += "\\n"
            case "\t": output += "\\t"
            case "\r": output += "\\r"
            default:
                if scalar.steers {
                    output += "\\u" + scalar.hex(4)
                } else {
                    output.unicodeScalars.append(scalar)
                }
            }
        }
        output += "\""
    }
}
