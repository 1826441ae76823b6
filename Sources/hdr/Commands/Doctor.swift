/// `hdr doctor`: whether all is there that the elements and the commands need.
enum DoctorCommand: Command {
    static let name = "doctor"
    static let summary = "checks whether this machine has all that HDR video needs, and says what to install"

    static let help = CommandHelp(
        usage: ["hdr doctor [--json] [--quiet] [--verbose] [--no-install]"],
        about: """
            Looks for the plugin, GStreamer's elements that read, decode, encode and write HDR video, and displays, and
            says what to install where one is missing. It changes nothing.
            """,
        groups: [
            .init(options: [
                .flag("--json", help: "an object with the list \"checks\", in place of a table"),
                .flag(
                    "--quiet", "-q", help: "print nothing, or with --json only that; the exit status tells the result"),
                .versions,
                .noInstall,
            ])
        ],
        notes: """
            JSON: version, and checks with area, name, state (good, missing, or absent for what is not needed), detail,
            and install, which is null where nothing has to be installed.

            Exit status: 0 all is there; 1 something is missing; 2 the command line is wrong.
            """)

    static func json(_ options: Options, failed reason: String) -> JSON {
        .object([("version", .string(Program.number)), ("checks", .array([])), ("error", .string(reason))])
    }

    static func run(_ options: Options) throws -> CInt {
        if let word = options.words.first {
            throw UsageError("it takes no '\(word.text)': it examines the whole machine")
        }
        if options.has("--verbose") { Output.report("hdr doctor: \(Checkup.versions)") }
        let checks = Checkup.all()
        let status: CInt = checks.contains { $0.state == .missing } ? 1 : 0
        if options.has("--json") {
            Output.write(
                .object([("version", .string(Program.number)), ("checks", .array(checks.map(\.json)))]))
        } else if !options.has("--quiet") {
            Output.write(CheckupTable(checks, Style.ofStandardOutput).text)
        }
        return status
    }
}
