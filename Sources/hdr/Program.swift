import CHDRTap
import Glibc

/// The program `hdr`: runs the subcommand that the command line names.
enum Program {
    /// The commands in the order of `hdr --help`.
    static var commands: [any Command.Type] {
        [
            ConvertCommand.self, ExportCommand.self, ConcatCommand.self, TimelineCommand.self, SnapshotCommand.self,
            RetagCommand.self, SheetCommand.self, LightCommand.self, CompareCommand.self, InspectCommand.self,
            RPUCommand.self,
            HDR10PlusCommand.self, PlayCommand.self, TapSoundCommand.self, DisplaysCommand.self, DoctorCommand.self,
            BenchCommand.self, CompletionCommand.self, ManualCommand.self,
        ]
    }

    /// - Parameter line: the process's arguments, the program's name first.
    /// - Returns: the exit status: 2 for a wrong command line, else the command's own.
    static func run(_ line: [String]) async -> CInt {
        var title = "hdr"
        var called: (command: any Command.Type, options: Options)?
        do {
            guard let word = line.dropFirst().first else {
                throw UsageError("name a command: \(names.joined(separator: ", ")) (hdr --help says more)")
            }
            switch word {
            case "help", "--help", "-h":
                Output.write(try help(line.dropFirst(2)))
                return 0
            case "--version":
                Output.write(version)
                return 0
            default: break
            }
            guard !word.hasPrefix("-") else {
                throw UsageError(no: "option", called: word, among: ["--help", "--version"])
            }
            let chosen = try command(word, others: ["help"])
            title += " " + chosen.name
            Output.failureStatus = chosen.errorStatus
            let options = try Options(line.dropFirst(2), chosen.help.options + CommandHelp.common)
            if options.has("--help") {
                Output.write(chosen.help.text)
                return 0
            }
            if options.has("--version") {
                Output.write(version)
                return 0
            }
            called = (chosen, options)
            return try await chosen.run(options)
        } catch {
            Progress.clear()
            let reason = Reason.text(error)
            if !reason.isEmpty { Output.report("\(title): \(reason)") }
            // With --json an error is printed as JSON, too, even if there is no other output.
            if let called, called.options.has("--json"), Output.isUntouched {
                Output.write(called.command.json(called.options, failed: reason))
            }
            return switch error {
            case is UsageError: 2
            case let interruption as Interruption: 128 + interruption.signal
            default: called?.command.errorStatus ?? 1
            }
        }
    }

    /// The text that `hdr help` prints for words.
    private static func help(_ words: ArraySlice<String>) throws(UsageError) -> String {
        guard let name = words.first else { return overview }
        let command = try command(name)
        // The help of a command has that of its verbs.
        let isVerb = words.dropFirst().first.map { command.subjects?.contains($0) ?? false } ?? false
        if let word = words.dropFirst(isVerb ? 2 : 1).first {
            throw UsageError("there is no use for '\(word)': hdr help takes one command")
        }
        return command.help.text
    }

    private static var names: [String] { commands.map { $0.name } }

    /// The version of this program and of the plugin that it was built with.
    static let number = GST_HDR_VERSION
    private static let version = "hdr \(number)\n"

    /// - Parameter others: words other than commands that may be meant.
    private static func command(_ name: String, others: [String] = []) throws(UsageError) -> any Command.Type {
        guard let found = commands.first(where: { $0.name == name }) else {
            throw UsageError(no: "command", called: name, among: names + others)
        }
        return found
    }

    private static var overview: String {
        var table = Table(["command", "what it does"], leftColumns: 2, gap: "   ")
        for command in commands { table.add([command.name, command.summary]) }
        return """
            Usage: hdr COMMAND [OPTION ...] ...

            High dynamic range video: the command of the GStreamer plugin hdr.

            \(table.lines.dropFirst().map { "  " + $0 }.joined(separator: "\n"))

            hdr help COMMAND describes its options. Options may stand before, between and after other words. Those of
            one letter can be combined, as -qf, and joined with their value, as -oFILE; after -- no word is an option.
            Exit status 2: the command line is wrong.

            """
    }
}
