import HDRPipeline

/// What a command says of a file that it made.
protocol FileSummary {
    /// The line that begins with "Wrote".
    var line: String { get }
    /// What a user should know beside that.
    var notes: [String] { get }
    /// What the file itself says, or what was planned.
    var details: String { get }
    var json: [(String, JSON)] { get }
}

/// One or several inputs, each of which becomes a file.
struct Batch {
    private let title: String
    private let pairs: [(input: FileName, output: FileName)]
    private let isQuiet: Bool
    private let isJSON: Bool
    private let isDry: Bool

    var inputs: [FileName] { pairs.map(\.input) }

    /// Whether nothing is to be printed while it works.
    var isSilent: Bool { isQuiet || isJSON }

    /// - Parameters:
    ///   - title: the command's name for messages.
    ///   - deed: what is done to an input, in a word.
    ///   - derive: an output's name, without a folder, of an input's.
    init(_ options: Options, title: String, deed: String, derive: (FileName) -> FileName) throws {
        guard !options.words.isEmpty else { throw UsageError("name the file to be \(deed): \(title) INPUT") }
        self.title = title
        isQuiet = options.has("--quiet")
        isJSON = options.has("--json")
        isDry = options.has("--dry-run")
        pairs = try Inputs(options.words).outputs(options.file("--output"), derive: derive)
    }

    /// Checks all files, and then works on each.
    /// - Parameters:
    ///   - check: throws where an output cannot be made; returns what would be done, in a line.
    ///   - work: makes an output.
    /// - Returns: the exit status.
    func run(
        check: (FileName, FileName) throws -> String,
        work: (FileName, FileName) async throws -> any FileSummary
    ) async throws -> CInt {
        Interruption.watch()
        var plans: [String] = []
        for (input, output) in pairs {
            do {
                plans.append(try check(input, output))
            } catch let failure as Failure where isJSON {
                write([.object([("input", .string(input.shown)), ("error", .string(failure.description))])])
                return 1
            }
        }
        if isDry {
            guard isJSON else {
                Output.write(plans.map { $0 + "\n" }.joined())
                return 0
            }
            write(
                zip(pairs, plans).map { pair, plan in
                    .object([
                        ("input", .string(pair.input.shown)), ("output", .string(pair.output.shown)),
                        ("plan", .array([.string(plan)])),
                    ])
                })
            return 0
        }
        var objects: [JSON] = []
        var failures = 0
        for (input, output) in pairs {
            do {
                let summary = try await work(input, output)
                objects.append(
                    .object([("input", .string(input.shown)), ("output", .string(output.shown))] + summary.json))
                guard !isSilent else { continue }
                for note in summary.notes { Output.report("\(title): note: \(note)") }
                Output.write(Output.printable(summary.line) + "\n" + summary.details)
            } catch let interruption as Interruption {
                throw interruption
            } catch {
                // With a single one its reason is the whole error.
                if pairs.count == 1, !isJSON { throw error }
                failures += 1
                if !isJSON { Output.report("\(title): \(error)") }
                objects.append(.object([("input", .string(input.shown)), ("error", .string("\(error)"))]))
            }
        }
        if isJSON {
            write(objects)
        } else if failures > 0 {
            Output.report("\(title): \(failures) of \(pairs.count) files failed")
        }
        return failures > 0 ? 1 : 0
    }

    private func write(_ objects: [JSON]) {
        var text = ""
        JSON.array(objects).write(to: &text, indent: "")
        Output.write(text + "\n")
    }
}
