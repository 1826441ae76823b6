/// A property of an encoder element. Versions of an element differ in names, nicks and ranges.
package struct EncoderProperty: Equatable, Sendable {
    /// How an encoder is treated that cannot set the property exactly.
    package enum Demand: Equatable, Sendable {
        /// The property is left out, or clamped to its range.
        case preferred
        /// The element must have the property, and may clamp the value.
        case clamped
        /// The element must accept this value; otherwise the encoder is not used.
        case exact
    }

    /// The possible names of the property; the first one that the element has is used.
    package var names: [String]
    /// The possible values; the first one that the property accepts is used. Enumerations are written as their nicks.
    package var values: [SettingValue]
    package var demand: Demand

    package init(_ name: String, _ value: SettingValue, _ demand: Demand = .preferred) {
        self.init([name], [value], demand)
    }

    package init(_ names: [String], _ values: [SettingValue], _ demand: Demand = .preferred) {
        self.names = names
        self.values = values
        self.demand = demand
    }

    /// The first choice in the syntax of a launch line.
    var launchText: String { "\(names.first ?? "")=\(values.first?.launchText ?? "")" }
}

extension SettingValue {
    /// The value in the syntax of a launch line.
    var launchText: String {
        switch self {
        case .string(let text): text.contains(" ") ? "\"\(text)\"" : text
        case .int(let number): "\(number)"
        case .double(let number): "\(number)"
        case .bool(let flag): "\(flag)"
        case .fraction(let fraction): "\(fraction)"
        case .nested: ""
        }
    }
}
