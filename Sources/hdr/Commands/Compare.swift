import HDRPipeline

/// `hdr compare`: two videos side by side, and how much they differ.
enum CompareCommand: Command {
    static let name = "compare"
    static let summary = "compares two videos: shows halves of both, and their difference in delta E ITP as a heat map"

    static let subjects: [String]? = nil

    static let help = CommandHelp(
        usage: ["hdr compare [OPTION ...] A B [-o OUTPUT.png]"],
        about: """
            Compares frames of two videos, of whatever dynamic range and size: SDR white is taken as 203 cd/m2, and B is
            scaled to A's size. Writes a PNG file with the left half of A beside the right half of B, tone-mapped,
            and below them a heat map of the difference; and prints the difference as delta E ITP (ITU-R BT.2124), in
            which 1 is the smallest that people notice.
            """,
        groups: [
            .init(options: [
                Option(
                    names: ["--output", "-o"], value: "OUTPUT",
                    help: "the PNG file to write; default: A-B-difference.png in the current folder"),
                .value("--at", "TIME", help: "time of the frame in the picture; default: the middle of the video"),
                .value(
                    "--frames", "N",
                    help: "number of frames to measure, 1 to 1000, spread evenly over the video (default 8)"),
                .from, .to, .assume,
                .flag("--no-picture", help: "write no file, only print the numbers"),
            ]),
            .init(title: "All:", options: Option.ofWriters),
        ],
        notes: """
            Examples:
              hdr compare master.mov stream.mp4
              hdr compare in.mkv out.mp4 --at 0:12.5 -o both.png --json

            Heat map: black none, blue 1, green 3, yellow 10, red 30, white 100 and more.

            JSON, an array with one object: a, b, output, frames (a list: seconds, mean, percentile-95, maximum,
            visible-share: the share of the pixels whose difference exceeds 1), mean, percentile-95, maximum; error in
            place of the figures where it failed.

            Exit status: 0 compared; 1 an error, which one line on standard error explains; 2 the command line is wrong;
            128 and the signal's number where it was interrupted. An output is there only when it is whole.
            """)

    private struct Row {
        let time: UInt64
        let figures: Difference.Figures
    }

    static func run(_ options: Options) async throws -> CInt {
        Output.keepErrors()
        let files = options.words.map(\.file)
        guard files.count == 2 else {
            let advice = StrayWords(options).any.map { "; \($0)" } ?? ""
            throw UsageError("name two videos: hdr compare A B, not \(files.count)\(advice)")
        }
        let at = try options.value("--at").map { text throws(UsageError) in try Time.parse(text, "--at") }
        let count = try options.integer("--frames", in: 1...1000) ?? 8
        let part = try TimeRange(options)
        let assumed = try options.choice(.assume)
        for file in files { try InputCheck.check(file) }
        let output =
            options.file("--output")
            ?? FileName(bytes: files[0].last.stem.bytes + [UInt8(ascii: "-")] + files[1].last.stem.bytes)
            + "-difference.png"
        let makesPicture = !options.has("--no-picture")
        if makesPicture {
            try OutputFile.check(output, endings: [".png"], inputs: files, force: options.has("--force"))
        }
        Interruption.watch()
        let comparison = try await Comparison(files[0], files[1], assumed: assumed)
        let start = part.start ?? 0
        guard let length = part.length(of: comparison.length), length > 0 else {
            throw Failure("--from lies after the end: the shorter video is \(Time.exact(comparison.length)) long")
        }
        if options.has("--dry-run") {
            if makesPicture, let at, at >= comparison.length { throw comparison.nothing(at: at) }
            var plan = "\(files[0].shown) and \(files[1].shown), \(count) frames"
            if makesPicture { plan += ", to \(output.shown)" }
            if options.has("--json") {
                Output.write(described(files, makesPicture ? output : nil, [("plan", .array([.string(plan)]))]))
            } else {
                Output.write(plan + "\n")
            }
            return 0
        }
        let isSilent = options.has("--quiet") || options.has("--json")
        var rows: [Row] = []
        let progress = ProgressLine(frames: count, quiet: isSilent)
        var done = ProgressLine.Count()
        defer { progress.clear() }
        for index in 0..<count {
            try progress.show(done, of: files[0].shown)
            done.note(0)
            let time = start + UInt64(Double(length) * (Double(index) + 0.5) / Double(count))
            guard let found = try await comparison.difference(at: time) else { continue }
            rows.append(Row(time: found.time, figures: found.difference.figures))
        }
        progress.clear()
        guard !rows.isEmpty else { throw Failure("the two have no frames at the same times") }
        if makesPicture {
            let file = try OutputFile(output, prefix: "compare")
            try await comparison.picture(at: at ?? start + length / 2, to: file)
            try file.publish()
        }
        if options.has("--json") {
            report(rows, files, makesPicture ? output : nil)
        } else if !isSilent {
            Output.write(table(rows))
            if makesPicture {
                Output.write(Output.printable("Wrote \(output.shown): left A, right B, below the difference") + "\n")
            }
        }
        return 0
    }

    private static func table(_ rows: [Row]) -> String {
        var table = Table(["time", "mean", "95 %", "maximum", "noticed in"], leftColumns: 1)
        func add(_ title: String, _ figures: [Difference.Figures]) {
            func mean(_ part: (Difference.Figures) -> Double) -> Double {
                figures.map(part).reduce(0, +) / Double(figures.count)
            }
            table.add([
                title, mean(\.mean).fixed(2), mean(\.high).fixed(2), (figures.map(\.maximum).max() ?? 0).fixed(2),
                (100 * mean(\.visible)).fixed(1) + " %",
            ])
        }
        for row in rows { add(Time.exact(row.time), [row.figures]) }
        add("all", rows.map(\.figures))
        return table.text
    }

    private static func report(_ rows: [Row], _ files: [FileName], _ output: FileName?) {
        let list = rows.map { row in
            JSON.object([
                ("seconds", .decimal(Double(row.time) / 1e9)), ("mean", .decimal(row.figures.mean)),
                ("percentile-95", .decimal(row.figures.high)), ("maximum", .decimal(row.figures.maximum)),
                ("visible-share", .decimal(row.figures.visible)),
            ])
        }
        let count = Double(rows.count)
        let figures: [(String, JSON)] = [
            ("frames", .array(list)), ("mean", .decimal(rows.map(\.figures.mean).reduce(0, +) / count)),
            ("percentile-95", .decimal(rows.map(\.figures.high).reduce(0, +) / count)),
            ("maximum", .decimal(rows.map(\.figures.maximum).max() ?? 0)),
        ]
        Output.write(described(files, output, figures))
    }

    static func json(_ options: Options, failed reason: String) -> JSON {
        described(options.words.map(\.file), options.file("--output"), [("error", .string(reason))])
    }

    /// An array with the one object that begins with the names.
    private static func described(_ files: [FileName], _ output: FileName?, _ members: [(String, JSON)]) -> JSON {
        let names: [(String, JSON)] = [
            ("a", .text(files.first?.shown)), ("b", .text(files.dropFirst().first?.shown)),
            ("output", .text(output?.shown)),
        ]
        return .array([.object(names + members)])
    }
}
