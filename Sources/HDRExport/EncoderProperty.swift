/// A property of an encoder element. Versions of an element differ in names, nicks and ranges.
package struct EncoderProperty: Equatable, Sendable {
    /// What becomes of an encoder that cannot have it as it is.
    package enum Demand: Equatable, Sendable {
        /// The property is left out, or brought into its range.
        case preferred
        /// The element must have it, and its range may bring it down.
        case clamped
        /// The element must take this value, or the plan is not carried out.
        case exact
    }

    /// The first of them that the element has counts.
    package var names: [String]
    /// The first of them that the property takes counts. Enumerations are written as their nicks.
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

    /// As a launch line writes the first choice.
    var launchText: String { "\(names.first ?? "")=\(values.first?.launchText ?? "")" }
}

extension SettingValue {
    /// As a launch line writes it.
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
