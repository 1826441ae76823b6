/// Reads the fields of an object. At the end, a field that was not asked for is a spelling mistake.
final class JSONFields {
    private let json: JSON
    /// The object's name in errors; empty for the document.
    private let path: String
    private var known: [String] = []

    init(_ json: JSON, _ path: String) {
        self.json = json
        self.path = path
    }

    private func name(_ field: String) -> String { path.isEmpty ? field : "\(path).\(field)" }

    func has(_ field: String) -> Bool { json[field] != nil }

    /// A field that may be missing, or null.
    func value(_ field: String) -> JSON? {
        known.append(field)
        let value = json[field]
        return value == .null ? nil : value
    }

    func optional(_ field: String, _ range: ClosedRange<Int>) throws(JSONError) -> Int? {
        guard let value = value(field) else { return nil }
        return try value.integer(range, name(field))
    }

    /// - Parameter fallback: the value where the field is missing; without a fallback the field is required.
    func integer(_ field: String, _ range: ClosedRange<Int>, or fallback: Int? = nil) throws(JSONError) -> Int {
        if let value = try optional(field, range) { return value }
        guard let fallback else { throw JSONError("there is no \(name(field)) in the JSON") }
        return fallback
    }

    /// An unsigned number of some bits.
    func number<Number: FixedWidthInteger & UnsignedInteger>(
        _ field: String, _ bits: Int, or fallback: Int? = nil
    ) throws(JSONError) -> Number {
        Number(truncatingIfNeeded: try integer(field, 0...(1 << bits - 1), or: fallback))
    }

    func flag(_ field: String, or fallback: Bool? = nil) throws(JSONError) -> Bool {
        if let value = value(field) { return try value.bool(name(field)) }
        guard let fallback else { throw JSONError("there is no \(name(field)) in the JSON") }
        return fallback
    }

    func text(_ field: String) throws(JSONError) -> String? {
        guard let value = value(field) else { return nil }
        return try value.string(name(field))
    }

    /// The values of an array with their paths; empty where it is missing.
    func list(_ field: String) throws(JSONError) -> [(json: JSON, path: String)] {
        guard let value = value(field) else { return [] }
        let path = name(field)
        return try value.array(path).enumerated().map { ($1, "\(path)[\($0)]") }
    }

    /// An object in the object; `nil` where it is missing.
    func object(_ field: String) throws(JSONError) -> JSONFields? {
        guard let value = value(field) else { return nil }
        guard case .object = value else { throw JSONError("\(name(field)) in the JSON is no object") }
        return JSONFields(value, name(field))
    }

    /// The members of an object, in their order, with their paths.
    func members(_ field: String) throws(JSONError) -> [(name: String, json: JSON, path: String)] {
        guard let value = value(field) else { return [] }
        guard case .object(let members) = value else { throw JSONError("\(name(field)) in the JSON is no object") }
        return members.map { ($0.0, $0.1, "\(name(field)).\($0.0)") }
    }

    /// Throws where the object has a field that nobody has asked for, and where it is no object.
    func finish() throws(JSONError) { _ = try json.members(among: known, path) }
}
