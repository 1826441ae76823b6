import HDRMetadata

/// The value of one export setting.
package enum SettingValue: Equatable, Sendable {
    case string(String)
    case int(Int)
    case double(Double)
    case bool(Bool)
    case fraction(Fraction)
    /// A dictionary in the dictionary. The code that builds it limits the depth; no key here nests deeper than one
    /// level.
    case nested([Setting])

    /// The type of the value, in words.
    var typeName: String {
        switch self {
        case .string: "string"
        case .int: "integer"
        case .double: "number"
        case .bool: "boolean"
        case .fraction: "fraction"
        case .nested: "structure"
        }
    }

    /// The value for messages, shortened.
    var shown: String {
        switch self {
        case .string(let text): "\"\(text.prefix(64))\""
        case .int(let number): "\(number)"
        case .double(let number): "\(number)"
        case .bool(let flag): "\(flag)"
        case .fraction(let fraction): "\(fraction)"
        case .nested: "a structure"
        }
    }
}

/// One key and its value. A settings dictionary is an array of these, which keeps their order.
package struct Setting: Equatable, Sendable {
    package var key: String
    package var value: SettingValue

    package init(_ key: String, _ value: SettingValue) {
        self.key = key
        self.value = value
    }
}
