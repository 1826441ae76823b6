/// A subcommand of `hdr`: one file in Commands, and one entry in ``Program/commands``.
protocol Command {
    /// The word that selects the command.
    static var name: String { get }
    /// A summary in a few words, for `hdr --help`.
    static var summary: String { get }
    static var help: CommandHelp { get }
    /// The words that may follow its name, where these are not names of files.
    static var subjects: [String]? { get }
    /// Whether names of files may follow its name.
    static var takesFiles: Bool { get }

    /// The exit status of an error.
    static var errorStatus: CInt { get }

    /// - Returns: the exit status.
    static func run(_ options: Options) async throws -> CInt

    /// The output of `--json` where the command fails before it processes its inputs.
    /// - Parameter reason: the line for standard error.
    static func json(_ options: Options, failed reason: String) -> JSON
}

extension Command {
    static var errorStatus: CInt { 1 }

    static func json(_ options: Options, failed reason: String) -> JSON { failures(options, "input", reason) }

    /// An object for each word of the command line, or one without a name where there are no words.
    static func failures(_ options: Options, _ member: String, _ reason: String) -> JSON {
        let error = ("error", JSON.string(reason))
        let objects = options.words.map { JSON.object([(member, .string($0.file.shown)), error]) }
        return .array(objects.isEmpty ? [.object([error])] : objects)
    }

    static var subjects: [String]? { [] }
    static var takesFiles: Bool { subjects == nil }
}

/// The text that `hdr help NAME` prints. It also declares the options of a command.
struct CommandHelp {
    /// A group of options with a heading; the heading may be empty.
    struct Group {
        var title = ""
        var options: [Option]
    }

    /// The lines behind "Usage:".
    let usage: [String]
    /// The description of the command.
    let about: String
    let groups: [Group]
    /// Further notes: exit status, formats.
    let notes: String

    /// Options that every command takes.
    static let common = [Option.flag("--help", "-h"), Option.flag("--version")]

    var options: [Option] { groups.flatMap(\.options) }

    var text: String {
        let shown = groups.map { group in (group.title, group.options.filter { !$0.isHidden }) }
        let width = (shown.flatMap(\.1).map { Self.label($0).count }.max() ?? 0) + 2
        let options = shown.map { title, options in
            (title.isEmpty ? "" : title + "\n")
                + options.map { option in
                    let lines = option.help.split(separator: "\n", omittingEmptySubsequences: false)
                    let blanks = String(repeating: " ", count: width + 2)
                    let label = Table.padded(Self.label(option), width)
                    return "  " + label + lines.joined(separator: "\n" + blanks) + "\n"
                }.joined()
        }
        let parts = [
            "Usage: " + usage.joined(separator: "\n       "), about, options.joined(separator: "\n") + "\n" + notes,
        ]
        return parts.joined(separator: "\n\n") + "\n"
    }

    private static func label(_ option: Option) -> String {
        option.names.joined(separator: ", ") + (option.value.map { " " + $0 } ?? "")
    }
}
