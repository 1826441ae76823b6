import HDRExport

/// Options that mean the same in each command that has them.
extension Option {
    static let output = Option(
        names: ["--output", "-o"], value: "OUTPUT",
        help: "the file to write, or a folder for what is made of several inputs")
    static let force = Option.flag("--force", "-f", help: "replace what is there already")
    static let quiet = Option.flag("--quiet", "-q", help: "print nothing unless it fails")
    static let verbose = Option.flag("--verbose", "-v", help: "print what is done as well: the plan of an export")
    /// The option `--versions` of commands that make nothing.
    static let versions = Option.flag(
        "--verbose", "-v", help: "print the version of GStreamer and the plugin's file as well")
    static let json = Option.flag("--json", help: "print one JSON array with an object for each file, in place of text")
    static let dryRun = Option.flag(
        "--dry-run", help: "print what would be done, as far as the inputs tell, and do nothing")
    static let noInstall = Option.flag(
        "--no-install", help: "for the scripts in pipelines: install no packages; hdr itself never does")
    static let assume = Option.value(
        "--assume", "pq|hlg", help: "what the video is, if its tags are missing or wrong",
        choices: ["pq", "hlg"])
    static let from = Option.value("--from", "TIME", help: "begin at this time of the input, as 12.5 or 1:02:03.5")
    static let to = Option.value("--to", "TIME", help: "end at this time of the input")
    static let settings = Option.value(
        "--settings", "SETTINGS",
        help: """
            keys of AVVideoSettings that override the preset, for example "width=1280, height=720" or
            "compression-properties=(structure)\\"c, average-bit-rate=8000000;\\""
            """)
    static let presetFile = Option.value(
        "--preset-file", "FILE",
        help: """
            presets of your own, a line for each: "web, preset=hevc-1920x1080, speed=slow, frame-rate=(fraction)25/1";
            default: hdr/presets in XDG_CONFIG_HOME or ~/.config
            """)
    static let fileType = Option.value(
        "--file-type", "TYPE", help: "mov, mp4, matroska or mpegts, whatever the output's name ends in",
        choices: FileType.allCases.map(\.rawValue))
    static let speed = Option.value(
        "--speed", "SPEED",
        help: """
            of the HEVC and H.264 encoders: ultrafast, superfast, veryfast, faster, fast, medium (default), slow,
            slower, veryslow, placebo; hardware gets the nearest of its own
            """,
        choices: EncoderSpeed.allCases.map(\.rawValue))
    static let optimizeForNetwork = Option.flag(
        "--optimize-for-network", help: "put the header first, for players that start while they load")
    static let noHDRMetadata = Option.flag("--no-hdr-metadata", help: "write no HDR metadata")
    static let dynamicMetadata = Option.value(
        "--dynamic-metadata", "WHAT",
        help: """
            of Dolby Vision and HDR10+: preserve (default; measured anew where pictures change), recompute: always
            measured anew; dolby-vision or hdr10-plus: measured for sources that have none, too
            """,
        choices: ["preserve", "recompute", "dolby-vision", "hdr10-plus"])
    static let encoder = Option.value(
        "--encoder", "NAME",
        help: """
            the video encoder by GStreamer's name, such as x265enc; default: the best there is, in hardware, then
            hdrx265enc, then x265enc
            """,
        choices: EncoderOptions.videoFactories)
    static let software = Option.flag("--software", help: "encode in software, even where there is hardware that can")

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
        if let end, end <= start ?? 0 { throw UsageError("--to must lie behind --from") }
    }

    /// The length of the part of a whole with this duration, in ns.
    func length(of whole: UInt64?) -> UInt64? {
        let end = [end, whole].compactMap { $0 }.min()
        return end.map { $0 - min(start ?? 0, $0) }
    }
}
