/// What type of value a setting takes.
package enum SettingType: String, Sendable, CaseIterable {
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

/// The description of one key of the settings.
package struct SettingDescription: Equatable, Sendable {
    package let key: String
    package let type: SettingType
    /// Of integers and numbers.
    package let range: ClosedRange<Double>?
    /// Of strings: the allowed values; empty where any string may stand. Synonyms are understood, too.
    package let values: [String]
    /// One line, with the unit.
    package let meaning: String
    /// Of structures: their keys.
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
