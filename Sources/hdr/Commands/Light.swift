import HDRPipeline

/// `hdr light`: light levels over time.
enum LightCommand: Command {
    static let name = "light"
    static let summary = "measures light levels of a video, MaxCLL and MaxFALL, and plots them over time"

    static let subjects: [String]? = nil

    static let help = CommandHelp(
        usage: ["hdr light [OPTION ...] INPUT... [-o OUTPUT.png]"],
        about: """
            Measures the light of every pixel of a video, in one pass, prints MaxCLL and MaxFALL (CTA-861.3), and draws
            the brightest pixel, the 99.9th percentile and the average of each frame over time, in cd/m2. INPUT is a
            video file, such as MOV, MP4, Matroska, MPEG-TS or Y4M, or a folder of such. Without OUTPUT, NAME-light.png
            in the current folder.
            """,
        groups: [
            .init(options: [
                Option(
                    names: ["--output", "-o"], value: "OUTPUT",
                    help: "the PNG file to write, a .csv file with a line for each frame, or a folder"),
                .flag("--no-picture", help: "write no file, only print MaxCLL and MaxFALL"), .assume, .from, .to,
            ]),
            .init(title: "All:", options: Option.ofWriters),
        ],
        notes: """
            Examples:
              hdr light film.mkv
              hdr light film.mkv -o film.csv
              hdr retag film.mkv --light-levels 1000:180      writes what was measured

            In the plot the average is blue, the 99.9th percentile yellow, the maximum red; the line at 203 cd/m2 is SDR
            white.

            JSON, an array with an object for each file: input, output (null with --no-picture), max-cll-cd-m2,
            max-fall-cd-m2, frames (a list: seconds, maximum-cd-m2, percentile-99.9-cd-m2, average-cd-m2); error in
            place of all but input where it failed.

            CSV, a line for each frame: seconds (the time of the frame), maximum, percentile-99.9, average, in cd/m2.

            Exit status: 0 measured; 1 an error, which one line on standard error explains; 2 the command line is wrong;
            128 and the signal's number where it was interrupted. An output is there only when it is whole.
            """)

    private struct Summary: FileSummary {
        let input: FileName
        let output: FileName?
        let track: LightTrack

        var notes: [String] { [] }
        var line: String {
            "\(input.shown): MaxCLL \(track.maximum.fixed(0)), MaxFALL \(track.frameAverage.fixed(0)) cd/m², "
                + "\(track.points.count) frames"
        }
        var details: String { output.map { "Wrote \($0.shown)\n" } ?? "" }
        var json: [(String, JSON)] {
            [
                ("max-cll-cd-m2", .decimal(track.maximum)), ("max-fall-cd-m2", .decimal(track.frameAverage)),
                (
                    "frames",
                    .array(
                        track.points.map { point in
                            .object([
                                ("seconds", .decimal(Double(point.time) / 1e9)),
                                ("maximum-cd-m2", .decimal(point.maximum)),
                                ("percentile-99.9-cd-m2", .decimal(point.high)),
                                ("average-cd-m2", .decimal(point.average)),
                            ])
                        })
                ),
            ]
        }
    }

    static func run(_ options: Options) async throws -> CInt {
        Output.keepErrors()
        let assumed = try options.choice(.assume)
        let range = try TimeRange(options)
        let writes = !options.has("--no-picture")
        let batch = try Batch(options, title: "hdr light", deed: "measured", writes: writes) { input in
            input.last.stem + "-light.png"
        }
        return try await batch.run(
            check: { input, output in
                try InputCheck.check(input)
                if writes {
                    try OutputFile.check(
                        output, endings: [".png", ".csv"], inputs: [input], force: options.has("--force"))
                }
                return "\(input.shown)" + (writes ? " to \(output.shown)" : "")
            },
            plan: { input, _ in
                try await LightTrack.look(at: input, assumed: assumed, range: range)
                return nil
            },
            work: { input, output in
                let file = writes ? try OutputFile(output, prefix: "light") : nil
                let track = try await LightTrack(
                    input, assumed: assumed, range: range, ProgressLine(quiet: batch.isSilent))
                if let file {
                    if output.ending == ".csv" {
                        try file.write(csv(track))
                    } else {
                        let title =
                            "\(input.last.shown): MaxCLL \(track.maximum.fixed(0)), MaxFALL "
                            + "\(track.frameAverage.fixed(0)) cd/m²"
                        try await track.plot(title: title).write(to: file, of: input)
                    }
                    try file.publish()
                }
                return Summary(input: input, output: writes ? output : nil, track: track)
            })
    }

    private static func csv(_ track: LightTrack) -> String {
        "seconds,maximum,percentile-99.9,average\n"
            + track.points.map { point in
                "\((Double(point.time) / 1e9).fixed(6)),\(point.maximum.fixed(4)),\(point.high.fixed(4)),"
                    + "\(point.average.fixed(4))\n"
            }.joined()
    }
}
