/// The type of a setting's value.
package enum SettingType: String, Sendable, CaseIterable {
    case string
    case integer
    /// A number; an integer is accepted, too.
    case number
    case boolean
    /// Two integers, such as 30000/1001. An integer or a decimal number is accepted, too.
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

/// The description of one key of the settings.
package struct SettingDescription: Equatable, Sendable {
    package let key: String
    package let type: SettingType
    /// The range of integers and numbers; `nil` for other types.
    package let range: ClosedRange<Double>?
    /// The allowed values of strings; empty where any string is allowed. Synonyms are accepted, too.
    package let values: [String]
    /// A description in one line, with the unit.
    package let meaning: String
    /// The keys of structures; empty for other types.
    package let children: [SettingDescription]

    package init(
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
