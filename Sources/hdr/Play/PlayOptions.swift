import HDRPipeline

/// The options of `hdr play`.
struct PlayOptions {
    /// Files and addresses in their order.
    let inputs: [FileName]
    var player = Player.Options()
    let loops: Bool
    /// After so many seconds playing ends.
    let seconds: Double?
    /// pq or hlg, in place of the tags.
    let assumed: String?
    let isQuiet: Bool
    let isVerbose: Bool
    let isJSON: Bool
    let isRehearsal: Bool

    private static let toneMappings = ["rolloff", "clip", "bt2390", "reference-white"]

    static let groups: [CommandHelp.Group] = [
        .init(
            title: "Picture",
            options: [
                .value(
                    "--presenter", "WHERE",
                    help: "auto (default: Wayland, else X11), wayland, x11 or offscreen (nothing is seen)",
                    choices: ["auto", "wayland", "x11", "offscreen"]),
                .flag("--sdr", help: "do not use extended range; the key h turns it on"),
                .value(
                    "--headroom", "X",
                    help: "peak over SDR white to tone-map to, 1 to 50, whatever the display says"),
                .value(
                    "--tone-mapping", "CURVE", help: "rolloff (default), clip, bt2390 or reference-white",
                    choices: toneMappings),
                .assume,
                .value(
                    "--second-view", "VIEW",
                    help: """
                        part: a part of the picture enlarged in a corner; whole: the part, and the whole in a corner
                        """,
                    choices: SecondView.allCases.map(\.rawValue)),
            ]),
        .init(
            title: "Sound and text",
            options: [
                .value("--sound", "N|LANG", help: "the track of sound: its number, from 1 on, or language, such as en"),
                .flag("--no-audio", help: "no sound"),
                .value(
                    "--subtitles", "N|LANG|FILE|off",
                    help: "subtitles of the file by number or language, or a file with them (off)"),
                .flag("--captions", help: "closed captions that come with the pictures: CEA-608, else CEA-708"),
            ]),
        .init(
            title: "What is played",
            options: [
                .value(
                    "--variant", "RANGE",
                    help: "of an HTTP Live Stream: auto (default: HDR where the display can show it), sdr or hdr",
                    choices: ["auto", "sdr", "hdr"]),
                .from, .to, .flag("--loop", help: "start again at the end"),
                .value("--duration", "SECONDS", help: "stop so long after the first picture or sound"),
            ]),
        .init(
            title: "What is said",
            options: [
                .quiet, .verbose, .json,
                .flag("--dry-run", help: "print what would be played, with its tracks and chapters, and play nothing"),
                .noInstall,
            ]),
    ]

    init(_ options: Options) throws {
        guard !options.words.isEmpty else { throw UsageError("INPUT is missing: name files, folders or addresses") }
        isQuiet = options.has("--quiet")
        isVerbose = options.has("--verbose")
        isJSON = options.has("--json")
        isRehearsal = options.has("--dry-run")
        loops = options.has("--loop")
        player.presenter = try options.choice("--presenter", of: ["auto", "wayland", "x11", "offscreen"]) ?? "auto"
        player.toneMapping =
            try options.choice("--tone-mapping", of: Self.toneMappings) ?? "rolloff"
        player.isExtended = !options.has("--sdr")
        player.headroom = try options.number("--headroom", in: Player.headroomRange)
        player.hasSound = !options.has("--no-audio")
        if let text = options.value("--sound") { player.sound = try TrackChoice(sound: text) }
        if let text = options.value("--subtitles") {
            player.subtitles = try TrackChoice(subtitles: text, options.file("--subtitles") ?? FileName(text))
            guard !player.subtitles.isChosen || Player.canShowText else { throw Failure(Player.missingText) }
        }
        player.showsCaptions = options.has("--captions")
        guard !player.showsCaptions || Player.canShowText else { throw Failure(Player.missingText) }
        let view = try options.choice("--second-view", of: SecondView.allCases.map(\.rawValue))
        player.secondView = view.flatMap(SecondView.init) ?? .off
        let variant = try options.choice("--variant", of: StreamVariants.Choice.allCases.map(\.rawValue))
        player.variant = variant.flatMap(StreamVariants.Choice.init) ?? .auto
        let range = try TimeRange(options)
        player.start = range.start ?? 0
        player.end = range.end
        assumed = try options.choice("--assume", of: ["pq", "hlg"])
        seconds = try options.value("--duration").map { text throws(UsageError) in
            guard let value = Double(text), value > 0, value <= 1e9 else {
                throw UsageError("--duration must be above 0, in seconds, not '\(text)'")
            }
            return value
        }
        inputs = try Inputs(options.words).files
    }
}
