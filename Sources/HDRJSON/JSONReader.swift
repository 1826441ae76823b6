/// The reason why text is no JSON, or not the JSON that was expected.
package struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A text that says what is wrong.
    package let message: String
    /// The line of the text, counted from 1; `nil` where the error is about a value.
    package let line: Int?

    package init(_ message: String, line: Int? = nil) {
        self.message = message
        self.line = line
    }

    package var description: String { line.map { "\(message) (in line \($0))" } ?? message }
}

extension JSON {
    /// Reads JSON of RFC 8259 without extensions: UTF-8, followed by nothing but space. A leading byte order mark is
    /// skipped. An object must not have two members of the same name, and values must not be nested more than 64 deep.
    package init(_ text: some Collection<UInt8>) throws(JSONError) {
        var reader = JSONReader(Array(text))
        self = try reader.document()
    }
}

private struct JSONReader {
    private static let maximumDepth = 64

    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    mutating func document() throws(JSONError) -> JSON {
        let value = try value()
        skipSpace()
        guard position == bytes.count else { throw failure("something follows the end of the value") }
        return value
    }

    private mutating func value() throws(JSONError) -> JSON {
        skipSpace()
        guard let next else { throw failure("the text ends where a value should be") }
        switch next {
        case UInt8(ascii: "{"): return try nested { (reader) throws(JSONError) in try reader.object() }
        case UInt8(ascii: "["): return try nested { (reader) throws(JSONError) in try reader.array() }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: throw failure("there is no value where one should be")
        }
    }

    private mutating func nested(
        _ read: (inout JSONReader) throws(JSONError) -> JSON
    ) throws(JSONError) -> JSON {
        guard depth < Self.maximumDepth else {
            throw failure("values lie more than \(Self.maximumDepth) deep in one another")
        }
        depth += 1
        defer { depth -= 1 }
        position += 1
        return try read(&self)
    }

    private mutating func object() throws(JSONError) -> JSON {
        var members: [(String, JSON)] = []
        var names: Set<String> = []
        if try closes(UInt8(ascii: "}"), "an object") { return .object([]) }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw failure("there is no name where a member should begin") }
            let name = try string()
            guard names.insert(name).inserted else { throw failure("an object has two members \"\(name)\"") }
            skipSpace()
            guard next == UInt8(ascii: ":") else { throw failure("there is no : after the name \"\(name)\"") }
            position += 1
            members.append((name, try value()))
        } while try !ends(UInt8(ascii: "}"), "an object")
        return .object(members)
    }

    private mutating func array() throws(JSONError) -> JSON {
        var values: [JSON] = []
        if try closes(UInt8(ascii: "]"), "an array") { return .array([]) }
        repeat { values.append(try value()) } while try !ends(UInt8(ascii: "]"), "an array")
        return .array(values)
    }

    /// Whether an object or array is empty, in which case its end is skipped.
    private mutating func closes(_ end: UInt8, _ what: StaticString) throws(JSONError) -> Bool {
        skipSpace()
        guard let next else { throw failure("the text ends inside \(what)") }
        if next == end { position += 1 }
        return next == end
    }

    /// Whether the object or array ends behind a value; otherwise a comma was skipped.
    private mutating func ends(_ end: UInt8, _ what: StaticString) throws(JSONError) -> Bool {
        skipSpace()
        guard let next else { throw failure("the text ends inside \(what)") }
        guard next == end || next == UInt8(ascii: ",") else { throw failure("\(what) goes on without a comma") }
        position += 1
        return next == end
    }

    private mutating func word(_ text: StaticString, _ value: JSON) throws(JSONError) -> JSON {
        let wanted = text.withUTF8Buffer { Array($0) }
        guard bytes[position...].starts(with: wanted) else { throw failure("there is no value where one should be") }
        position += wanted.count
        return value
    }

    // MARK: Numbers

    private mutating func number() throws(JSONError) -> String {
        let start = position
        if next == UInt8(ascii: "-") { position += 1 }
        let first = next
        guard skipDigits() else { throw failure("a number has no digits") }
        let hasLeadingZero =
            first == UInt8(ascii: "0") && position - start > (bytes[start] == UInt8(ascii: "-") ? 2 : 1)
        guard !hasLeadingZero else { throw failure("a number begins with zeros") }
        if next == UInt8(ascii: ".") {
            position += 1
            guard skipDigits() else { throw failure("a number has no digits after its point") }
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            position += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
            guard skipDigits() else { throw failure("a number has no digits in its exponent") }
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func skipDigits() -> Bool {
        let start = position
        while let next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) { position += 1 }
        return position > start
    }

    // MARK: Strings

    private mutating func string() throws(JSONError) -> String {
        position += 1
        var text: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let result = String(validating: text, as: UTF8.self) else {
                    throw failure("a string is not UTF-8")
                }
                return result
            case UInt8(ascii: "\\"): text += try escape()
            case 0..<0x20: throw failure("a string has a control character, which must be escaped")
            default: text.append(byte)
            }
        }
        throw failure("the text ends inside a string")
    }

    private mutating func escape() throws(JSONError) -> [UInt8] {
        guard let kind = next else { throw failure("the text ends inside a string") }
        position += 1
        switch kind {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [kind]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"):
            var value = try codeUnit()
            if (0xD800..<0xDC00).contains(value),
                bytes[position...].starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")])
            {
                position += 2
                let low = try codeUnit()
                guard (0xDC00..<0xE000).contains(low) else { throw failure("a string has half a surrogate pair") }
                value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(value) else { throw failure("a string has half a surrogate pair") }
            return Array(String(scalar).utf8)
        default: throw failure("a string has an escape that JSON does not have")
        }
    }

    private mutating func codeUnit() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let next, let digit = Character(Unicode.Scalar(next)).hexDigitValue else {
                throw failure("an escape \\u has no four hexadecimal digits")
            }
            position += 1
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    // MARK: Text

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let next, next == 0x20 || next == 0x0A || next == 0x09 || next == 0x0D { position += 1 }
    }

    private func failure(_ message: String) -> JSONError {
        let before = bytes.prefix(position)
        return JSONError("this is no valid JSON: \(message)", line: 1 + before.count { $0 == 0x0A })
    }
}
