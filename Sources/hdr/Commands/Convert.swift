import HDRPipeline

/// `hdr convert`: HDR video to SDR, and the other ways round, with control over tone and gamut mapping.
enum ConvertCommand: Command {
    static let name = "convert"
    static let summary = "converts HDR video to SDR, or any video to HLG or PQ, with every control of the conversion"

    static let subjects: [String]? = nil

    private static let ranges = ["sdr", "hlg", "pq"]

    static let help = CommandHelp(
        usage: ["hdr convert [OPTION ...] INPUT... [-o OUTPUT]"],
        about: """
            Converts HDR video (PQ or HLG: HDR10, HDR10+, HLG, Dolby Vision) to SDR:
            BT.709, 8 bits, H.264 in MP4; or any video to HLG or PQ: BT.2020, 10 bits, HEVC. The sound is kept: AAC is
            copied. Beside the video it writes a PNG file: on the left one frame as a player without HDR support shows
            it, on the right the converted frame. INPUT is a video file, such as MOV, MP4, Matroska, MPEG-TS or Y4M, a
            folder of such, or a PNG picture with HDR, which becomes a video of three seconds.
            """,
        groups: [
            .init(options: [
                .output,
                .value(
                    "--range", "RANGE", help: "dynamic range of the output: sdr (default), hlg or pq",
                    choices: ranges),
                .from,
                .value(
                    "--to", "TIME",
                    help: "end at this time of the input; default: its end. --to sdr, hlg or pq means --range"),
                .assume, .speed,
                .flag("--no-picture", help: "do not write the PNG file"),
            ]),
            .init(title: "Conversion:", options: ConverterOptions.options),
            .init(title: "All:", options: Option.ofWriters),
        ],
        notes: """
            Examples:
              hdr convert holiday.mov                               holiday-sdr.mp4 and holiday-sdr.png
              hdr convert --tone-mapping bt2390 --peak-detection off in.mkv -o out.mp4
              hdr convert --range hlg old.mp4 -o new.mov
              hdr convert in.mov --from 1:02 --to 1:10.5
              hdr convert clips/ -o converted/

            JSON, an array with an object for each file: input, output, preset, frames, seconds, sound (a list), plan (a
            list), notes (a list); error in place of all but input where it failed. With --dry-run without frames and
            seconds.

            Exit status: 0 converted; 1 an error, which one line on standard error explains, of the file or of one of
            several; 2 the command line is wrong; 128 and the signal's number where it was interrupted. An output is
            there only when it is whole.
            """)

    static func run(_ options: Options) async throws -> CInt {
        Output.keepErrors()
        let (range, part) = try wanted(options)
        let assumed = try options.choice(.assume)
        let target = ConvertTarget(range)
        let converter = try ConverterOptions(options)
        let speed = try ExportOptions(options).speed
        let makesPicture = !options.has("--no-picture")
        let force = options.has("--force")
        let batch = try Batch(
            options, title: "hdr convert", deed: "converted",
            meaning: { ["sdr", "hlg", "pq"].contains($0) ? "to convert to \($0.uppercased()): --range \($0)" : nil }
        ) { input in
            input.last.stem + "-\(range)" + target.endings[0]
        }
        func job(_ input: FileName, _ output: FileName, _ isQuiet: Bool) -> ConvertJob {
            ConvertJob(
                input: input, output: output, target: target, converter: converter, assumed: assumed, part: part,
                speed: speed, makesPicture: makesPicture, isQuiet: isQuiet)
        }
        return try await batch.run(
            check: { input, output in
                try InputCheck.check(input)
                if !part.isWhole, StillInput.isPicture(input) {
                    throw Failure("\(input.shown) is a picture, which has no times: leave --from and --to out")
                }
                try OutputFile.check(output, endings: target.endings, inputs: [input], force: force)
                let picture = output.stem + ".png"
                if makesPicture {
                    if let other = batch.inputs.first(where: { picture.isSameFile(as: $0) }) {
                        throw Failure("the picture would replace the input \(other.shown): name another output")
                    }
                    try OutputFile.check(picture, endings: [".png"], inputs: [input], force: force)
                }
                return "\(input.shown) to \(range.uppercased()) in \(output.shown)"
                    + (makesPicture ? ", and a picture in \(picture.shown)" : "")
            },
            plan: { input, output in try await job(input, output, batch.isSilent).plan() },
            work: { input, output in try await job(input, output, batch.isSilent).run() })
    }

    /// The target range, and the part of the video that is converted. `--to` has named the dynamic range from the
    /// start, while it names the end of a part in all other commands.
    private static func wanted(_ options: Options) throws(UsageError) -> (range: String, part: TimeRange) {
        let range = try options.choice("--range", of: ranges)
        guard let to = options.value("--to"), to.utf8.first.map({ !(48...58).contains($0) && $0 != 46 }) ?? false else {
            return (range ?? "sdr", try TimeRange(options))
        }
        let meant = try options.choice("--to", of: ranges)
        guard range == nil || range == meant else {
            throw UsageError("--to \(to) is no time, and --range says otherwise")
        }
        return (meant ?? "sdr", try TimeRange(options, hasEnd: false))
    }
}
