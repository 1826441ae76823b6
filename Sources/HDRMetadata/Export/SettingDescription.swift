/// What type of value a setting takes.
public enum SettingType: String, Sendable, CaseIterable {
    case string
    case integer
    /// An integer is taken, too.
    case number
    case boolean
    /// Two integers, such as 30000/1001. An integer or a decimal number is taken, too.
    case fraction
    case structure

    func accepts(_ value: SettingValue) -> Bool {
        switch (self, value) {
        case (.string, .string), (.integer, .int), (.number, .int), (.number, .double), (.boolean, .bool),
            (.fraction, .fraction), (.fraction, .int), (.fraction, .double), (.structure, .nested):
            true
        default: false
        }
    }
}

/// What may be said with one key.
public struct SettingDescription: Equatable, Sendable {
    public let key: String
    public let type: SettingType
    /// Of integers and numbers.
    public let range: ClosedRange<Double>?
    /// Of strings: the allowed values; empty where any string may stand. Synonyms are understood, too.
    public let values: [String]
    /// One line, with the unit.
    public let meaning: String
    /// Of structures: their keys.
    public let children: [SettingDescription]

    public init(
        _ key: String, _ type: SettingType, _ meaning: String, range: ClosedRange<Double>? = nil, values: [String] = [],
        children: [SettingDescription] = []
    ) {
        self.key = key
        self.type = type
        self.range = range
        self.values = values
        self.meaning = meaning
        self.children = children
    }
}
