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
                .presenter,
                .flag("--sdr", help: "show HDR as SDR, without extended range; the key h turns extended range on"),
                .value(
                    "--headroom", "X",
                    help: """
                        headroom to tone-map to: peak luminance divided by that of SDR white, 1 to 50; default: the
                        display's
                        """),
                .value(
                    "--tone-mapping", "CURVE", help: "tone curve: rolloff (default), clip, bt2390 or reference-white",
                    choices: toneMappings),
                .assume,
                .value(
                    "--second-view", "VIEW",
                    help: """
                        off (default); part: a fifth of width and height, enlarged in a corner; whole: this part
                        large, and the whole picture in the corner
                        """,
                    choices: SecondView.allCases.map(\.rawValue)),
            ]),
        .init(
            title: "Sound and text",
            options: [
                .value("--sound", "N|LANG", help: "audio track: its number, counted from 1, or language, such as en"),
                .noAudio,
                .value(
                    "--subtitles", "N|LANG|FILE|off",
                    help: "subtitle track by number or language, or a file of subtitles; default: off"),
                .flag("--captions", help: "show closed captions that are embedded in the video: CEA-608, else CEA-708"),
            ]),
        .init(
            title: "What is played",
            options: [
                .value(
                    "--variant", "RANGE",
                    help: "variant of an HTTP Live Stream: auto (default: HDR if the display can show it), sdr or hdr",
                    choices: StreamVariants.Choice.allCases.map(\.rawValue)),
                .from, .to, .flag("--loop", help: "start again at the end"),
                .value("--duration", "SECONDS", help: "stop this long after the first picture or sound"),
            ]),
        .init(
            title: "Messages",
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
        player.presenter = try options.choice(.presenter) ?? "auto"
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
        assumed = try options.choice(.assume)
        seconds = try options.value("--duration").map { text throws(UsageError) in
            guard let value = Double(text), value > 0, value <= 1e9 else {
                throw UsageError("--duration must be above 0, in seconds, not '\(text)'")
            }
            return value
        }
        inputs = try Inputs(options.words).files
    }
}
