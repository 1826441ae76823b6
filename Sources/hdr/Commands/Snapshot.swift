import HDRPipeline

/// `hdr snapshot`: a frame as a picture file.
enum SnapshotCommand: Command {
    static let name = "snapshot"
    static let summary = "saves the frame at a time as a picture: HDR as it is, tone-mapped, or in linear light"

    static let subjects: [String]? = nil
    private static let endings = [".png", ".sdr.png", ".exr"]

    static let help = CommandHelp(
        usage: ["hdr snapshot [OPTION ...] INPUT... [--at TIME] [-o OUTPUT]"],
        about: """
            Saves the frame of a video that is shown at a time, upright, as a picture file: HDR as it is, or tone-mapped
            to SDR. INPUT is a video file, such as MOV, MP4, Matroska, MPEG-TS or Y4M, or a folder of such.
            """,
        groups: [
            .init(options: [
                .value(
                    "--at", "TIME",
                    help: "time of the frame: 12.5 or 1.5s (seconds), 500ms or 1:02:03.5; default: 0"),
                .value(
                    "--thumbnail", "SIZE",
                    help: """
                        for file managers: a picture of at most SIZE x SIZE pixels (16 to 4096) in the format of
                        .sdr.png, whatever OUTPUT ends in; from a tenth of the video's length unless --at is given
                        """),
                Option(
                    names: ["--output", "-o"], value: "OUTPUT",
                    help: """
                        the file to write, or an existing folder; its ending says what kind:
                          .png      16 bits in the video's own signal: HDR with cICP, and with mDCV and cLLI where the
                                    video has them
                          .sdr.png  8 bits of sRGB, tone-mapped; for software without HDR support
                          .exr      OpenEXR, half floats of linear light, 1.0 is SDR white (203 cd/m2)
                        default: INPUT's name and the time, with .png, in the current folder
                        """),
                .assume,
            ]),
            .init(title: "All:", options: Option.ofWriters),
        ],
        notes: """
            Examples:
              hdr snapshot holiday.mov --at 0:12.5 -o beach.png
              hdr snapshot holiday.mov --at 12.5 -o beach.sdr.png
              hdr snapshot holiday.mov --thumbnail 256 -o beach.png

            JSON, an array with an object for each file: input, output, seconds, content; error in place of all but
            input where it failed.

            Exit status: 0 written; 1 an error, which one line on standard error explains; 2 the command line is wrong;
            128 and the signal's number where it was interrupted. An output is there only when it is whole.
            """)

    private struct Summary: FileSummary {
        let input: FileName
        let output: FileName
        let time: UInt64
        let isThumbnail: Bool
        let info: SourceInfo

        var notes: [String] { [] }
        var details: String { "" }
        var line: String { "Wrote \(output.shown): \(input.shown) at \(Time.exact(time)), \(content)" }
        var json: [(String, JSON)] {
            [("seconds", .decimal(Double(time) / 1e9)), ("content", .string(content))]
        }

        /// A description of the file's content.
        private var content: String {
            let name = output.description.lowercased()
            let isHDR = ["PQ", "HLG"].contains(info.transfer)
            if name.hasSuffix(".exr"), !isThumbnail { return "linear light, 1.0 is SDR white" }
            if name.hasSuffix(".sdr.png") || isThumbnail {
                return isHDR ? "\(info.transfer) tone-mapped to sRGB, 8 bits" : "sRGB, 8 bits"
            }
            return "\(isHDR ? info.transfer : "SDR"), 16 bits"
        }
    }

    static func run(_ options: Options) async throws -> CInt {
        Output.keepErrors()
        let size = try options.integer("--thumbnail", in: 16...4096)
        let given = try options.value("--at").map { text throws(UsageError) in try Time.parse(text, "--at") }
        let moment = given.map(SnapshotRun.Moment.time) ?? (size == nil ? .time(0) : .tenth)
        let assumed = try options.choice(.assume)
        let batch = try Batch(
            options, title: "hdr snapshot", deed: "looked into",
            meaning: { (try? Time.parse($0, "--at")) == nil ? nil : "for the frame of that time: --at \($0)" }
        ) { input in
            guard case .time(let time) = moment else { return input.last.stem + "-thumbnail.png" }
            let name = Time.exact(time).map { $0 == ":" ? "." : String($0) }.joined()
            return input.last.stem + "-\(name).png"
        }
        return try await batch.run(
            check: { input, output in
                try InputCheck.check(input)
                try OutputFile.check(
                    output, endings: size == nil ? endings : [], inputs: [input], force: options.has("--force"))
                return "\(input.shown) at \(moment) to \(output.shown)"
            },
            plan: { input, output in
                let run = SnapshotRun(file: input, target: output, name: output, assumed: assumed, size: size)
                _ = try await run.run(moment, saves: false)
                return nil
            },
            work: { input, output in
                let ending = size == nil ? endings.last { output.hasEnding($0) } : ".sdr.png"
                let file = try OutputFile(output, prefix: "snapshot", ending: ending)
                let run = SnapshotRun(file: input, target: file.path, name: output, assumed: assumed, size: size)
                let (info, time) = try await run.run(moment)
                try file.publish()
                return Summary(input: input, output: output, time: time, isThumbnail: size != nil, info: info)
            })
    }
}
