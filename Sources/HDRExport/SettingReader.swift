import HDRMetadata

/// A settings dictionary that was checked against its schema: every key is known and present once, every value has its
/// type and is in its range.
struct SettingReader {
    private let values: [String: SettingValue]
    private let path: String

    /// - Parameter path: the text before a key in messages, such as `compression-properties.`.
    init(_ settings: [Setting], schema: [SettingDescription], path: String = "") throws(ExportError) {
        self.path = path
        var values: [String: SettingValue] = [:]
        for setting in settings {
            let key = String(setting.key.prefix(96))
            // Apple's names are accepted as synonyms.
            let known = AppleNames.key(setting.key) ?? setting.key
            guard let description = schema.first(where: { $0.key == known }) else {
                throw .unknownKey(path + key, near: NearMatches.of(key, in: schema.map(\.key)).map { path + $0 })
            }
            guard values[known] == nil else { throw .duplicateKey(path + key) }
            guard description.type.accepts(setting.value) else {
                throw .wrongType(
                    path + key, expected: description.type, found: "\(setting.value.typeName) \(setting.value.shown)")
            }
            if let range = description.range {
                let number: Double? =
                    switch setting.value {
                    case .int(let value): Double(value)
                    case .double(let value): value
                    default: nil
                    }
                // The comparison is also false for NaN.
                if let number, !(range.lowerBound <= number && number <= range.upperBound) {
                    throw .outOfRange(path + key, value: setting.value.shown, allowed: range.shown)
                }
            }
            values[known] = setting.value
        }
        self.values = values
    }

    var isEmpty: Bool { values.isEmpty }

    /// The keys that are present, in the order of `keys`.
    func present(of keys: [String]) -> [String] { keys.filter { values[$0] != nil } }

    func string(_ key: String) -> String? {
        if case .string(let text)? = values[key] { text } else { nil }
    }

    func integer(_ key: String) -> Int? {
        if case .int(let value)? = values[key] { value } else { nil }
    }

    func number(_ key: String) -> Double? {
        switch values[key] {
        case .int(let value)?: Double(value)
        case .double(let value)?: value
        default: nil
        }
    }

    func boolean(_ key: String) -> Bool? {
        if case .bool(let value)? = values[key] { value } else { nil }
    }

    func nested(_ key: String) -> [Setting]? {
        if case .nested(let settings)? = values[key] { settings } else { nil }
    }

    /// A frame rate, as a fraction or a decimal number.
    func frameRate(_ key: String) throws(ExportError) -> Fraction? {
        guard let value = values[key] else { return nil }
        let rate: Fraction? =
            switch value {
            case .fraction(let fraction): fraction.isUsable && (fraction.value ?? 0) <= 1000 ? fraction : nil
            case .int(let number): Fraction(framesPerSecond: Double(number))
            case .double(let number): Fraction(framesPerSecond: number)
            default: nil
            }
        guard let rate else {
            throw .outOfRange(path + key, value: value.shown, allowed: "above 0 and at most 1000 frames/s")
        }
        return rate
    }

    /// A pixel aspect ratio, as a fraction; an integer n is n/1.
    func pixelAspectRatio(_ key: String) throws(ExportError) -> Fraction? {
        guard let value = values[key] else { return nil }
        let ratio: Fraction? =
            switch value {
            case .fraction(let fraction): fraction
            case .int(let number): Fraction(number, 1)
            default: nil
            }
        guard let ratio, let shape = ratio.value, shape >= 0.1, shape <= 10 else {
            throw .outOfRange(path + key, value: value.shown, allowed: "a fraction from 1/10 to 10/1")
        }
        return ratio.reduced
    }

    /// One of `values` by name, or an error that lists them.
    func choice<T>(_ key: String, of choices: [(name: String, value: T)]) throws(ExportError) -> T? {
        guard let text = string(key).map(AppleNames.value) else { return nil }
        if let choice = choices.first(where: { $0.name == text }) { return choice.value }
        let names = choices.map(\.name)
        throw .unknownValue(
            path + key, value: String(text.prefix(96)), near: NearMatches.of(text, in: names), allowed: names)
    }
}

extension ClosedRange<Double> {
    /// The range for messages, without needless fractions.
    var shown: String { "\(lowerBound.shown) to \(upperBound.shown)" }
}

extension Double {
    /// The number for messages; whole numbers without their `.0`.
    var shown: String {
        self == rounded() && abs(self) < 1e15 ? "\(Int(self))" : "\(self)"
    }
}
