/// `hdr displays`: what the displays here offer to HDR video.
enum DisplaysCommand: Command {
    static let name = "displays"
    static let summary = "what the displays here can show of HDR video, and why not more"

    static let help = CommandHelp(
        usage: ["hdr displays [--json] [--quiet] [--verbose] [--no-install]"],
        about: """
            Says what each display system here offers to HDR video through the element edrsink, and why it is not more.
            No window opens.
            """,
        groups: [
            .init(options: [
                .flag("--json", help: "an object with the list \"displays\", in place of a table"),
                .flag("--quiet", "-q", help: "prints nothing but JSON; the exit status is the answer"), .versions,
                .noInstall,
            ])
        ],
        notes: """
            HDR       whether the display can show HDR as such; "unseen" for offscreen, which shows it to nobody
            shown as  pixels and colour space that edrsink gives the display for an HDR picture
            headroom  its peak over SDR white now; 1.00 is SDR
            at most   what the headroom may become
            white     luminance of SDR white in cd/m2
            peak      luminance of the brightest in cd/m2

            GST_PLUGIN_PATH has to name the folder of libgsthdr.so. In JSON luminances are in cd/m2.

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
