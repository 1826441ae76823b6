/// A subcommand, which the first word of a command selects.
protocol Verb {
    static var name: String { get }
    /// The words behind its name, for the help: "VIDEO... [-o RPU.bin]".
    static var words: String { get }
    /// A summary in one line.
    static var summary: String { get }
    /// The options of this verb.
    static var options: [Option] { get }

    /// - Parameter options: the options without the verb.
    /// - Returns: the exit status.
    static func run(_ options: Options) async throws -> CInt
}

/// A command of several verbs.
protocol CommandOfVerbs: Command {
    static var verbs: [any Verb.Type] { get }
}

extension CommandOfVerbs {
    static var subjects: [String]? { verbs.map { $0.name } }
    static var takesFiles: Bool { true }

    /// The lines of the help behind "Usage:".
    static var usage: [String] { verbs.map { "hdr \(name) \($0.name) \($0.words)" } }

    static func run(_ options: Options) async throws -> CInt {
        let names = verbs.map { $0.name }
        guard let word = options.words.first?.text else {
            throw UsageError("say what to do: \(names.joined(separator: ", ")) (--help says more)")
        }
        guard let verb = verbs.first(where: { $0.name == word }) else {
            throw UsageError(no: "verb of hdr \(name)", called: word, among: names)
        }
        try options.allow(only: verb.options + CommandHelp.common, for: "hdr \(name) \(word)")
        Output.keepErrors()
        return try await verb.run(options.behindVerb)
    }

    /// A group of the help for each verb that has options which not all have.
    static func groups(all: [Option]) -> [CommandHelp.Group] {
        let common = Set(all.map { $0.names[0] })
        return verbs.compactMap { verb in
            let own = verb.options.filter { !common.contains($0.names[0]) }
            return own.isEmpty ? nil : .init(title: "hdr \(name) \(verb.name):", options: own)
        } + [.init(title: "All that write, where applicable:", options: all)]
    }

    /// A line for each verb.
    static var table: String {
        var table = Table(["", ""], leftColumns: 2, gap: "   ")
        for verb in verbs { table.add([verb.name, verb.summary]) }
        return table.lines.dropFirst().map { "  " + $0 }.joined(separator: "\n")
    }
}
