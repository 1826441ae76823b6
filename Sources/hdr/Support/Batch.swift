import HDRPipeline

/// The summary that a command prints about a file that it made.
protocol FileSummary {
    /// The line that begins with "Wrote".
    var line: String { get }
    /// Additional notes for the user.
    var notes: [String] { get }
    /// The properties of the file itself, or the planned ones.
    var details: String { get }
    /// The plan, line by line, for verbose output.
    var plan: [String] { get }
    var json: [(String, JSON)] { get }
}

extension FileSummary {
    var plan: [String] { [] }
}

/// The plan for an input, as far as its beginning shows it.
struct WorkPlan {
    /// The lines that the work itself prints about it.
    let lines: [String]
    /// Additional notes for the user.
    var notes: [String] = []
    /// The kind of output, in a word or two.
    let preset: String
    /// The treatment of each audio track, in a word.
    let sound: [String]

    var text: [String] { lines + ["sound: \(sound.isEmpty ? "none" : sound.joined(separator: ", "))"] }

    var json: [(String, JSON)] {
        [
            ("preset", .string(preset)), ("sound", .array(sound.map { .string($0) })),
            ("plan", .array(lines.map { .string($0) })), ("notes", .array(notes.map { .string($0) })),
        ]
    }
}

/// One or several inputs, each of which becomes a file.
struct Batch {
    private let title: String
    private let pairs: [(input: FileName, output: FileName)]
    private let strays: StrayWords
    private let isQuiet: Bool
    private let isJSON: Bool
    private let isDry: Bool
    private let isVerbose: Bool
    private let writes: Bool

    var inputs: [FileName] { pairs.map(\.input) }

    /// Whether nothing is to be printed while it works.
    var isSilent: Bool { isQuiet || isJSON }

    /// - Parameters:
    ///   - title: the command's name for messages.
    ///   - deed: what is done to an input, in a word.
    ///   - writes: whether inputs become files; `output` is null in JSON where not.
    ///   - meaning: what a word that is no file may mean, as "to convert to HLG: --range hlg".
    ///   - derive: an output's name, without a folder, of an input's.
    init(
        _ options: Options, title: String, deed: String, writes: Bool = true,
        meaning: (String) -> String? = { _ in nil }, derive: (FileName) -> FileName
    ) throws {
        guard !options.words.isEmpty else { throw UsageError("name the file to be \(deed): \(title) INPUT") }
        self.title = title
        self.writes = writes
        isQuiet = options.has("--quiet")
        isJSON = options.has("--json")
        isDry = options.has("--dry-run")
        isVerbose = options.has("--verbose")
        strays = StrayWords(options, meaning: meaning)
        do {
            pairs = try Inputs(options.words).outputs(options.file("--output"), derive: derive)
        } catch let error as UsageError {
            throw strays.any.map { UsageError("\(error); \($0)") } ?? error
        }
    }

    /// Checks all files, and then works on each.
    /// - Parameters:
    ///   - check: throws where an output cannot be made; returns what would be done, in a line.
    ///   - plan: looks at the input, and throws what the work would; returns what is known of the work beside that
    ///     line, `nil` for nothing.
    ///   - work: makes an output.
    /// - Returns: the exit status.
    func run(
        check: (FileName, FileName) throws -> String,
        plan: ((FileName, FileName) async throws -> WorkPlan?)? = nil,
        work: (FileName, FileName) async throws -> any FileSummary
    ) async throws -> CInt {
        Interruption.watch()
        func checked(_ input: FileName, _ output: FileName) throws -> String {
            try strays.check(input)
            return try check(input, output)
        }
        if isDry {
            return try await each { input, output in
                let line = try checked(input, output)
                let planned = try await plan?(input, output) ?? nil
                if !isJSON {
                    for note in isQuiet ? [] : planned?.notes ?? [] { Output.report("\(title): note: \(note)") }
                    Output.write(line + "\n" + Self.indented(planned?.text ?? []))
                }
                return planned?.json ?? [("plan", .array([.string(line)]))]
            }
        }
        try checkAll(checked)
        return try await each { input, output in
            let summary = try await work(input, output)
            if !isSilent {
                for note in summary.notes { Output.report("\(title): note: \(note)") }
                let plan = isVerbose ? Self.indented(summary.plan) : ""
                Output.write(Output.printable(summary.line) + "\n" + plan + summary.details)
            }
            return summary.json
        }
    }

    static func indented(_ lines: [String]) -> String {
        lines.map { "  " + Output.printable($0) + "\n" }.joined()
    }

    /// Checks all outputs before any work is started.
    private func checkAll(_ check: (FileName, FileName) throws -> String) throws {
        var first: (any Error)?
        let reasons = try pairs.map { input, output -> String? in
            do {
                _ = try check(input, output)
                return nil
            } catch let error as UsageError {
                throw error
            } catch {
                if first == nil { first = error }
                return Reason.text(error)
            }
        }
        guard let first else { return }
        if isJSON {
            let others = "nothing was done, because another input cannot be worked on"
            Output.write(
                .array(
                    zip(pairs, reasons).map { pair, reason in
                        .object([("input", .string(pair.input.shown)), ("error", .string(reason ?? others))])
                    }))
        }
        throw first
    }

    /// Runs `body` for each input; if one fails, the others are still processed.
    /// - Parameter body: returns the members of the JSON output in addition to the names.
    private func each(_ body: (FileName, FileName) async throws -> [(String, JSON)]) async throws -> CInt {
        var objects: [JSON] = []
        var failures = 0
        for (input, output) in pairs {
            do {
                let members = try await body(input, output)
                let made = writes ? JSON.string(output.shown) : .null
                objects.append(.object([("input", .string(input.shown)), ("output", made)] + members))
                continue
            } catch let error as UsageError {
                throw error
            } catch {
                let isOver = error is Interruption
                let left = isOver ? pairs.dropFirst(objects.count).map(\.input) : [input]
                objects += left.map {
                    .object([("input", .string($0.shown)), ("error", .string(Reason.text(error)))])
                }
                // With a single input its reason is the whole error.
                if isOver || pairs.count == 1 {
                    if isJSON { Output.write(.array(objects)) }
                    throw error
                }
                failures += 1
                Output.report("\(title): \(Reason.text(error))")
            }
        }
        if isJSON { Output.write(.array(objects)) }
        if failures > 0 { Output.report("\(title): \(failures) of \(pairs.count) files failed") }
        return failures > 0 ? 1 : 0
    }
}
