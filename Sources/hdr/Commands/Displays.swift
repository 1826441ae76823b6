/// `hdr displays`: what the displays here offer to HDR video.
enum DisplaysCommand: Command {
    static let name = "displays"
    static let summary = "reports what HDR video the displays of this machine can show, and why not more"

    static let help = CommandHelp(
        usage: ["hdr displays [--json] [--quiet] [--verbose] [--no-install]"],
        about: """
            Reports what each display system here offers for HDR video through the element edrsink, and why not more.
            No window opens.
            """,
        groups: [
            .init(options: [
                .flag("--json", help: "an object with the list \"displays\", in place of a table"),
                .flag(
                    "--quiet", "-q", help: "print nothing, or with --json only that; the exit status tells the result"),
                .versions,
                .noInstall,
            ])
        ],
        notes: """
            HDR       whether it can show HDR without tone mapping to SDR; "unseen" for offscreen, which has no display
            shown as  pixels and colour space that edrsink gives the display for an HDR picture
            headroom  the present peak luminance divided by that of SDR white; 1.00 is SDR
            at most   the largest value that the headroom can reach
            white     luminance of SDR white in cd/m2
            peak      the highest luminance in cd/m2

            Where the plugin is neither installed nor in ../plugins beside the command, GST_PLUGIN_PATH has to name the
            folder of libgsthdr.so.

            JSON, an object: displays (a list: system, available, eligible-for-hdr-playback, output, headroom,
            potential-headroom, reference-white, peak and black in cd/m2, refresh-rate in Hz (0 where unknown),
            pixel-format, color-space, pixel-formats, features and reasons (lists)); where a system is not available
            only system, available and reasons; error where the displays cannot be examined.

            Exit status: 0 a display can show HDR; 1 none can; 2 the displays cannot be examined, or the command line is
            wrong.
            """)

    static let errorStatus: CInt = 2

    static func json(_ options: Options, failed reason: String) -> JSON {
        .object([("displays", .array([])), ("error", .string(reason))])
    }

    static func run(_ options: Options) throws -> CInt {
        if let word = options.words.first {
            throw UsageError("it takes no '\(word.text)': it describes all displays")
        }
        if options.has("--verbose") { Output.report("hdr displays: \(Checkup.versions)") }
        try requireElement("edrsink")
        let found = DisplaySystem.allCases.map { DisplayReport($0) }
        let status: CInt = found.contains(where: \.isEligible) ? 0 : 1
        if options.has("--json") {
            Output.write(.object([("displays", .array(found.map(\.json)))]))
        } else if !options.has("--quiet") {
            Output.write(DisplayTable(found).text)
        }
        return status
    }
}
