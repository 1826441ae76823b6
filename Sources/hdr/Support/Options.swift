import HDRMetadata
import HDRPipeline

/// An option of a command with its help text.
struct Option: Sendable {
    /// Every spelling; messages show the first.
    let names: [String]
    /// The placeholder for its value in the help, such as "N"; `nil` for an option without a value.
    let value: String?
    /// Empty for an option between this program and its own child processes, which no help lists.
    let help: String
    /// The words that its value may be, for shells to complete; empty where it may be others.
    var choices: [String] = []

    var isHidden: Bool { help.isEmpty }

    /// Whether its value is a file's name, by what the help calls it.
    var namesFile: Bool { value.map { $0 == "OUTPUT" || $0.contains("FILE") || $0.contains(".") } ?? false }

    static func flag(_ names: String..., help: String = "") -> Option { Option(names: names, value: nil, help: help) }

    static func value(_ name: String, _ value: String, help: String = "", choices: [String] = []) -> Option {
        Option(names: [name], value: value, help: help, choices: choices)
    }
}

/// Why a command line cannot be carried out: the exit status is 2.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// The error of an unknown name, with the closest known one.
    /// - Parameter meant: the name that is certainly meant; `nil` where only the spelling is known.
    init(no kind: String, called name: String, among known: [String], meant: String? = nil) {
        let likely = (meant ?? NearMatches.of(name, in: known).first).map { " (did you mean \($0)?)" } ?? ""
        // Verbs of a command share some options.
        let known = known.enumerated().filter { !known[..<$0].contains($1) }.map(\.element)
        description =
            "no \(kind) is called \(name.isEmpty ? "''" : name)\(likely): there are \(known.joined(separator: ", "))"
    }
}

/// The words of a command line behind the command's name: options, in any position, and the rest.
struct Options {
    /// A word that is not an option, or an option's value, and its index in `CommandLine.unsafeArgv`, which has its
    /// bytes.
    struct Word {
        let text: String
        let position: Int
        /// The offset of the word in that argument, in bytes.
        var offset = 0

        /// The word as a file name, in which bytes that are not UTF-8 are kept.
        var file: FileName {
            guard position < Int(CommandLine.argc), let argument = CommandLine.unsafeArgv[position] else {
                return FileName(text)
            }
            return FileName(UnsafePointer(argument) + offset)
        }
    }

    private(set) var words: [Word] = []
    private var flags: Set<String> = []
    private var values: [String: Word] = [:]

    /// Parses the words. If an option is given twice, the last one counts; everything after `--` is a word.
    /// - Parameter line: a slice of the process's arguments.
    init(_ line: ArraySlice<String>, _ known: [Option]) throws(UsageError) {
        var index = line.startIndex
        while index < line.endIndex {
            let word = line[index]
            defer { index += 1 }
            if word == "--" {
                words += line[(index + 1)...].indices.map { Word(text: line[$0], position: $0) }
                return
            }
            guard word.hasPrefix("-"), word != "-" else {
                words.append(Word(text: word, position: index))
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if let option = known.first(where: { $0.names.contains(parts[0]) }) {
                let value =
                    parts.count == 2
                    ? Word(text: parts[1], position: index, offset: parts[0].utf8.count + 1) : nil
                try take(option, value, line, &index)
            } else if let letters = Letters(word, known) {
                for flag in letters.flags { flags.insert(flag.names[0]) }
                guard let option = letters.last else { continue }
                let value = letters.value.map { Word(text: $0, position: index, offset: letters.offset) }
                try take(option, value, line, &index)
            } else {
                throw UsageError(
                    no: "option", called: parts[0], among: known.filter { !$0.isHidden }.map { $0.names[0] })
            }
        }
    }

    /// - Parameters:
    ///   - value: the value in the option's own word; `nil` where the next word is the value.
    ///   - index: the index of the option's word; afterwards that of its last word.
    private mutating func take(
        _ option: Option, _ value: Word?, _ line: ArraySlice<String>, _ index: inout Int
    ) throws(UsageError) {
        let name = option.names[0]
        guard let title = option.value else {
            guard value == nil else { throw UsageError("\(name) takes no value") }
            flags.insert(name)
            return
        }
        if let value {
            values[name] = value
            return
        }
        index += 1
        guard index < line.endIndex else { throw UsageError("\(name) wants a value: \(name) \(title)") }
        values[name] = Word(text: line[index], position: index)
    }

    /// Single-letter options in one word, of which the last may include its value: `-qv`, `-oFILE`, `-qoFILE` (POSIX
    /// utility syntax guidelines 5 and 6).
    private struct Letters {
        private(set) var flags: [Option] = []
        /// The one that takes a value.
        private(set) var last: Option?
        /// The value of the last option, and its offset in the word in bytes.
        private(set) var value: String?
        private(set) var offset = 1

        /// - Returns: `nil` where a letter is not an option.
        init?(_ word: String, _ known: [Option]) {
            guard !word.hasPrefix("--") else { return nil }
            for letter in word.dropFirst() {
                guard let option = known.first(where: { $0.names.contains("-\(letter)") }) else { return nil }
                offset += String(letter).utf8.count
                guard option.value == nil else {
                    last = option
                    break
                }
                flags.append(option)
            }
            var rest = word.utf8.dropFirst(offset)
            guard last != nil, !rest.isEmpty else { return }
            // An equals sign is also accepted between a letter and its value.
            if rest.first == UInt8(ascii: "=") {
                rest = rest.dropFirst()
                offset += 1
            }
            value = String(decoding: rest, as: UTF8.self)
        }
    }

    /// The options without the first word.
    var behindVerb: Options {
        var rest = self
        rest.words = Array(words.dropFirst())
        return rest
    }

    /// Refuses options that only other uses of the command take.
    func allow(only options: [Option], for what: String) throws(UsageError) {
        let given = flags.union(values.keys).sorted()
        for name in given where !options.contains(where: { $0.names[0] == name }) {
            throw UsageError(
                no: "option of \(what)", called: name, among: options.filter { !$0.isHidden }.map { $0.names[0] })
        }
    }

    func has(_ option: String) -> Bool { flags.contains(option) }

    func value(_ option: String) -> String? { values[option]?.text }

    /// A file's name.
    func file(_ option: String) -> FileName? { values[option]?.file }

    /// A number, which may have a fraction.
    func number(_ option: String, in range: ClosedRange<Double>, unit: String = "") throws(UsageError) -> Double? {
        guard let text = value(option) else { return nil }
        guard let value = Double(text), range.contains(value) else {
            func plain(_ bound: Double) -> String { bound == bound.rounded() ? "\(Int(bound))" : "\(bound)" }
            let bounds = "\(plain(range.lowerBound)) and \(plain(range.upperBound))"
            throw UsageError("\(option) must lie between \(bounds)\(unit.isEmpty ? "" : " " + unit), not '\(text)'")
        }
        return value
    }

    /// One of several words.
    func choice(_ option: String, of known: [String]) throws(UsageError) -> String? {
        guard let text = value(option) else { return nil }
        guard known.contains(text) else { throw UsageError(no: "value of \(option)", called: text, among: known) }
        return text
    }

    /// One of the words that the value of an option may be.
    func choice(_ option: Option) throws(UsageError) -> String? {
        try choice(option.names[0], of: option.choices)
    }

    func integer(_ option: String, in range: ClosedRange<Int> = 1...1_000_000_000) throws(UsageError) -> Int? {
        guard let text = value(option) else { return nil }
        guard let value = Int(text), range.contains(value) else {
            throw UsageError(
                "\(option) wants a number from \(range.lowerBound) to \(range.upperBound), not '\(text)'")
        }
        return value
    }

    /// Comma-separated numbers, each once.
    func integers(_ option: String, in range: ClosedRange<Int>) throws(UsageError) -> [Int]? {
        guard let text = value(option) else { return nil }
        var found: [Int] = []
        for word in Self.members(text) {
            guard let value = Int(word), range.contains(value) else {
                throw UsageError(
                    "\(option) wants numbers from \(range.lowerBound) to \(range.upperBound), not '\(word)'")
            }
            if !found.contains(value) { found.append(value) }
        }
        return found
    }

    /// Comma-separated names without repetitions; `all` stands for every one.
    func names(_ option: String, kind: String, of known: [String]) throws(UsageError) -> [String]? {
        guard let text = value(option) else { return nil }
        return try Self.pick(Self.members(text), kind, known)
    }

    /// Names, each a word or a part of a word with commas, without repetitions; `all` stands for every one.
    static func names(_ words: [Word], kind: String, of known: [String]) throws(UsageError) -> [String] {
        try pick(words.flatMap { members($0.text) }, kind, known)
    }

    private static func members(_ text: String) -> [String] {
        text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    private static func pick(_ names: [String], _ kind: String, _ known: [String]) throws(UsageError) -> [String] {
        if names.contains("all") { return known }
        var found: [String] = []
        for name in names where !found.contains(name) {
            guard known.contains(name) else { throw UsageError(no: kind, called: name, among: known) }
            found.append(name)
        }
        return found
    }
}
