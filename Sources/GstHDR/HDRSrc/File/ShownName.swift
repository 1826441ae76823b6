/// A file's name for messages: on one line, with terminal control characters and bytes that are not UTF-8 escaped.
struct ShownName: Equatable, Sendable, CustomStringConvertible {
    let description: String

    /// - Parameter bytes: the name as the system returns it.
    init(_ bytes: [UInt8]) {
        var text = ""
        var rest = bytes[...]
        while !rest.isEmpty {
            var decoder = UTF8()
            var source = rest.makeIterator()
            switch decoder.decode(&source) {
            case .scalarValue(let scalar):
                text += Self.isControl(scalar) ? Self.escaped(scalar) : String(Character(scalar))
                rest = rest.dropFirst(UTF8.width(scalar))
            case .error, .emptyInput:
                text += Self.hex(rest.first.map(UInt32.init) ?? 0, "x", digits: 2)
                rest = rest.dropFirst()
            }
        }
        description = text
    }

    /// Whether a character moves a cursor, changes colours, or changes the direction of text.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1f, 0x7f...0x9f, 0x61c, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069: true
        default: false
        }
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        scalar.value < 0x100 ? hex(scalar.value, "x", digits: 2) : hex(scalar.value, "u", digits: 4)
    }

    private static func hex(_ number: UInt32, _ letter: String, digits: Int) -> String {
        let text = String(number, radix: 16)
        return "\\" + letter + String(repeating: "0", count: max(digits - text.count, 0)) + text
    }
}
