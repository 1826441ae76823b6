import HDRExport
import HDRPipeline

/// `hdr retag`: other colour and HDR metadata for a file, without encoding it again.
enum RetagCommand: Command {
    static let name = "retag"
    static let summary = "corrects or sets colour tags and HDR metadata of a file, without encoding it again"

    static let subjects: [String]? = nil

    /// The names of colours that go together, as AVFoundation and GStreamer call them.
    private static let colors: [(name: String, color: ColorProperties)] = [
        ("bt2100-pq", .bt2100PQ), ("bt2100-hlg", .bt2100HLG), ("bt2020", .bt2020), ("bt709", .bt709),
        ("bt601", .bt601), ("display-p3", .displayP3),
    ]

    static let help = CommandHelp(
        usage: ["hdr retag [OPTION ...] INPUT... [-o OUTPUT]"],
        about: """
            Copies a video with all its sound, without encoding it again, and writes other colour tags and HDR metadata
            into stream and header, to correct tags that are wrong or were lost. INPUT is a video file, such as MOV,
            MP4, Matroska or MPEG-TS, or a folder of such. Without OUTPUT, NAME-retagged in the current folder.
            """,
        groups: [
            .init(options: [
                .output,
                .value(
                    "--color", "COLOR",
                    help: """
                        \(colors.map(\.name).joined(separator: ", ")): primaries, transfer function and matrix to
                        write, for HEVC, H.264 and ProRes. The signal range (limited or full) is kept
                        """,
                    choices: colors.map(\.name)),
                .value(
                    "--mastering-display", "MDCV",
                    help: """
                        mastering display (MDCV) to write: Rx:Ry:Gx:Gy:Bx:By:Wx:Wy:max:min, CIE x and y in units of
                        0.00002, luminance in units of 0.0001 cd/m2
                        """),
                .value("--light-levels", "LEVELS", help: "MaxCLL:MaxFALL to write, in cd/m2"),
                .noHDRMetadata, .optimizeForNetwork, .fileType,
            ]),
            .init(title: "All:", options: Option.ofWriters),
        ],
        notes: """
            Examples:
              hdr retag washed-out.mp4 --color bt2100-hlg -o right.mp4
              hdr retag film.mov --light-levels 1000:180 --mastering-display \\
                34000:16000:13250:34500:7500:3000:15635:16450:10000000:50

            hdr export --two-pass-light-levels --preset passthrough measures the light levels that a file in PQ lacks.

            JSON: the same as that of hdr export.

            Exit status: 0 written; 1 an error, which one line on standard error explains; 2 the command line is wrong;
            128 and the signal's number where it was interrupted. An output is there only when it is whole.
            """)

    static func run(_ options: Options) async throws -> CInt {
        Output.keepErrors()
        guard
            ["--color", "--mastering-display", "--light-levels"].contains(where: { options.value($0) != nil })
                || options.has("--no-hdr-metadata")
        else {
            throw UsageError(
                "say what to write: --color, --mastering-display, --light-levels or --no-hdr-metadata")
        }
        var asked = try ExportOptions(options, preset: "passthrough")
        if let name = try options.choice("--color", of: colors.map(\.name)),
            let color = colors.first(where: { $0.name == name })?.color
        {
            let names = "\(color)".split(separator: "/")
            guard names.count == 3 else { throw Failure("the color \(name) has no names of AVFoundation's") }
            let text = "c, primaries=(string)\(names[0]), transfer=(string)\(names[1]), matrix=(string)\(names[2])"
            asked.add("settings", try Structure("settings, color-properties=(structure)\"\(text);\""))
        }
        return try await ExportCommand.export(options, asked, title: "hdr retag", deed: "retagged") { input in
            input.last.stem + "-retagged" + asked.ending(for: input)
        }
    }
}
