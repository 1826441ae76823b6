import HDRExport

/// Options that mean the same in each command that has them.
extension Option {
    static let output = Option(
        names: ["--output", "-o"], value: "OUTPUT",
        help: "the file to write, or an existing folder; with several inputs, a folder")
    /// The option `--output` of commands that make one file of all inputs.
    static let outputFile = Option(names: ["--output", "-o"], value: "OUTPUT", help: "the file to write")
    static let force = Option.flag("--force", "-f", help: "replace what is there already")
    static let quiet = Option.flag("--quiet", "-q", help: "print nothing unless it fails")
    static let verbose = Option.flag("--verbose", "-v", help: "also print more about the work, such as its plan")
    /// The option `--verbose` of commands that make nothing.
    static let versions = Option.flag(
        "--verbose", "-v", help: "also print GStreamer's version and the path of the plugin")
    static let json = Option.flag("--json", help: "print one JSON array with an object for each file, in place of text")
    static let dryRun = Option.flag(
        "--dry-run", help: "print what would be done, as far as the inputs tell, and do nothing")
    static let noInstall = Option.flag(
        "--no-install", help: "no effect in hdr itself: tells the scripts in pipelines/ to install no packages")
    static let assume = Option.value(
        "--assume", "pq|hlg", help: "treat the video as PQ or HLG, where its colour tags are missing or wrong",
        choices: ["pq", "hlg"])
    /// Where windows open, and where they do not.
    static let presenter = Option.value(
        "--presenter", "WHERE",
        help: "display system: auto (default: Wayland, else X11), wayland, x11, offscreen (no display)",
        choices: ["auto", "wayland", "x11", "offscreen"])
    static let noAudio = Option.flag("--no-audio", help: "play no sound")
    static let from = Option.value(
        "--from", "TIME",
        help: "begin at this time of the input: 12.5 or 1.5s (seconds), 500ms or 1:02:03.5; default: its start")
    static let to = Option.value("--to", "TIME", help: "end at this time of the input; default: its end")
    static let settings = Option.value(
        "--settings", "SETTINGS",
        help: """
            settings that override the preset, by keys of AVVideoSettings, such as "width=1280, height=720" or
            "compression-properties=(structure)\\"c, average-bit-rate=8000000;\\""
            """)
    static let presetFile = Option.value(
        "--preset-file", "FILE",
        help: """
            file of your own presets, one a line: "web, preset=hevc-1920x1080, speed=slow, frame-rate=(fraction)25/1";
            default: hdr/presets in XDG_CONFIG_HOME or ~/.config
            """)
    static let fileType = Option.value(
        "--file-type", "TYPE", help: "container: mov, mp4, matroska or mpegts; default: by the output's extension",
        choices: FileType.allCases.map(\.rawValue))
    static let speed = Option.value(
        "--speed", "SPEED",
        help: """
            speed of the HEVC and H.264 encoders; slower ones compress better: ultrafast, superfast, veryfast,
            faster, fast, medium (default), slow, slower, veryslow, placebo; hardware gets the nearest of its own
            """,
        choices: EncoderSpeed.allCases.map(\.rawValue))
    static let optimizeForNetwork = Option.flag(
        "--optimize-for-network",
        help: "write the header before the media data (faststart), for players that start during the download")
    static let noHDRMetadata = Option.flag("--no-hdr-metadata", help: "write no HDR metadata")
    static let dynamicMetadata = Option.value(
        "--dynamic-metadata", "WHAT",
        help: """
            what becomes of Dolby Vision and HDR10+: preserve (default): kept, but measured anew where pictures
            change; recompute: always measured anew; dolby-vision or hdr10-plus: this kind is also measured and
            written for sources that have none
            """,
        choices: ["preserve", "recompute", "dolby-vision", "hdr10-plus"])
    static let encoder = Option.value(
        "--encoder", "NAME",
        help: """
            GStreamer element that encodes the video, such as x265enc; default: the best one available, for HEVC
            one in hardware, else hdrx265enc, else x265enc
            """,
        choices: EncoderOptions.videoFactories)
    static let software = Option.flag("--software", help: "encode in software, even where hardware could encode")

    /// The last options of each command that makes files.
    static let ofWriters = [force, quiet, verbose, json, dryRun, noInstall]
    /// The last options of each command that reads files and makes none.
    static let ofReaders = [quiet, versions, json, dryRun, noInstall]
}

extension Options {
    /// The value of `--file-type`. An extension in its place, such as mkv, is an error that names the type.
    func fileType() throws(UsageError) -> String? {
        let known = FileType.allCases.map(\.rawValue)
        guard let text = value("--file-type"), !known.contains(text) else { return value("--file-type") }
        let ending = text.hasPrefix(".") ? String(text.dropFirst()) : text
        let type = ["m2ts", "mts"].contains(ending.lowercased()) ? .mpegts : try? FileType(named: ending)
        throw UsageError(no: "value of --file-type", called: text, among: known, meant: type?.rawValue)
    }
}

/// A part of a file, in ns.
struct TimeRange {
    let start: UInt64?
    let end: UInt64?

    var isWhole: Bool { start == nil && end == nil }

    /// - Parameter end: the end, which is after `start`.
    init(start: UInt64?, end: UInt64?) { (self.start, self.end) = (start, end) }

    /// - Parameter hasEnd: whether the value of `--to` is a time.
    init(_ options: Options, hasEnd: Bool = true) throws(UsageError) {
        start = try options.value("--from").map { text throws(UsageError) in try Time.parse(text, "--from") }
        end = try (hasEnd ? options.value("--to") : nil).map { text throws(UsageError) in try Time.parse(text, "--to") }
        if let end, end <= start ?? 0 { throw UsageError("--to must be later than --from") }
    }

    /// The length of the part of a whole with this duration, in ns.
    func length(of whole: UInt64?) -> UInt64? {
        let end = [end, whole].compactMap { $0 }.min()
        return end.map { $0 - min(start ?? 0, $0) }
    }
}
