import HDRPipeline

/// Effects of `hdrtap` on sound that act in turn, as the option `--effect` names them.
struct EffectChain {
    struct Effect {
        let name: String
        /// Properties and their values, as in a launch line.
        var fields: [(name: String, value: String)] = []
    }

    private(set) var effects: [Effect] = []

    var names: [String] { effects.map(\.name) }

    /// - Parameters:
    ///   - text: names of effects, each with fields behind it: `bandpass,bandwidth=300,gain,gain=6`.
    ///   - known: the effects that there are, from ``known()``.
    init(_ text: String, known: Structure) throws(UsageError) {
        let sounds = known.fields.filter { field in
            known[field, as: Structure.self]?["media", as: String.self] == "audio"
        }
        for word in Self.split(text) {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if parts.count == 1 {
                guard sounds.contains(word) else {
                    throw UsageError(no: "effect on sound", called: word, among: sounds)
                }
                effects.append(Effect(name: word))
            } else {
                guard let last = effects.last else {
                    throw UsageError("--effect begins with the name of an effect: \(sounds.joined(separator: ", "))")
                }
                try Self.check(parts[0], parts[1], of: last.name, known)
                effects[effects.count - 1].fields.append((parts[0], parts[1]))
            }
        }
    }

    /// The element's description of its effects: for each a structure with the field `parameters`.
    static func known() throws -> Structure {
        try requireElement("hdrtap")
        guard let known = try Element(make: "hdrtap").emit("supported-effects", as: Structure.self) else {
            throw Failure(
                "hdrtap does not say which effects it has: build the plugin anew with meson-wrap/build-plugin")
        }
        return known
    }

    /// The range of a property that is a number; `nil` for another one.
    static func range(of property: String, _ effect: String, _ known: Structure) -> ClosedRange<Double>? {
        guard let parameters = known[effect, as: Structure.self]?["parameters", as: Structure.self],
            let field = parameters[property, as: Structure.self],
            let low = field["minimum", as: Double.self], let high = field["maximum", as: Double.self], low <= high
        else { return nil }
        return low...high
    }

    /// At commas, but not at those within brackets or quotes.
    private static func split(_ text: String) -> [String] {
        var (words, depth, isQuoted) = ([""], 0, false)
        for character in text {
            switch character {
            case "\"": isQuoted.toggle()
            case "<", "{": depth += 1
            case ">", "}": depth -= 1
            default: break
            }
            if character == ",", depth == 0, !isQuoted {
                words.append("")
            } else {
                words[words.count - 1].append(character)
            }
        }
        return words
    }

    private static func check(
        _ name: String, _ value: String, of effect: String, _ known: Structure
    ) throws(UsageError) {
        let parameters = known[effect, as: Structure.self]?["parameters", as: Structure.self]
        let names = parameters?.fields ?? []
        guard names.contains(name) else { throw UsageError(no: "property of \(effect)", called: name, among: names) }
        guard let range = range(of: name, effect, known) else { return }
        guard let number = Double(value), range.contains(number) else {
            func plain(_ bound: Double) -> String { Int(exactly: bound).map { "\($0)" } ?? "\(bound)" }
            throw UsageError(
                "\(name) of \(effect) must lie between \(plain(range.lowerBound)) and \(plain(range.upperBound)), not "
                    + "'\(value)'")
        }
    }

    // MARK: The element

    /// Sets a field of every effect of a name that does not have it.
    /// - Returns: whether there is such an effect.
    mutating func add(_ field: String, _ value: String, to name: String) -> Bool {
        guard names.contains(name) else { return false }
        for index in effects.indices where effects[index].name == name {
            guard !effects[index].fields.contains(where: { $0.name == field }) else { continue }
            effects[index].fields.append((field, value))
        }
        return true
    }

    private func child(_ index: Int) -> String { effects.count == 1 ? "effect" : "effect_\(index)" }

    /// The effects in the syntax of a launch line.
    var text: String {
        let fields = effects.enumerated().flatMap { index, effect in
            effect.fields.map { " \(child(index))::\($0.name)=\(LaunchElement.quoted($0.value))" }
        }
        return "hdrtap effect=" + names.joined(separator: ",") + fields.joined()
    }

    /// A new element with these effects.
    func make() throws -> Element {
        let tap = try Element(make: "hdrtap")
        try tap.set("effect", to: names.joined(separator: ","))
        for (index, effect) in effects.enumerated() {
            let child = try tap.child(child(index))
            for field in effect.fields {
                do {
                    try child.set(field.name, to: field.value)
                } catch {
                    throw UsageError("--effect \(effect.name): \(error.message)")
                }
            }
        }
        return tap
    }
}
