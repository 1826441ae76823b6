import HDRPipeline

/// `hdr sheet`: a contact sheet.
enum SheetCommand: Command {
    static let name = "sheet"
    static let summary = "makes a contact sheet: frames of a video, tone-mapped, with their times and light levels"

    static let subjects: [String]? = nil

    static let help = CommandHelp(
        usage: ["hdr sheet [OPTION ...] INPUT... [-o OUTPUT.png]"],
        about: """
            Writes a grid of frames of a video, spread evenly over it, upright and tone-mapped to SDR, each with its
            time, its brightest pixel and its average light in cd/m2. INPUT is a video file, such as MOV, MP4, Matroska,
            MPEG-TS or Y4M, or a folder of such. Without OUTPUT, NAME-sheet.png in the current folder.
            """,
        groups: [
            .init(options: [
                .output,
                .value("--columns", "N", help: "frames in a row, 1 to 32 (default 4)"),
                .value("--rows", "N", help: "rows of frames, 1 to 64 (default 5)"),
                .value("--width", "PIXELS", help: "width of each frame, 32 to 3840 (default 320)"),
                .assume, .from, .to,
            ]),
            .init(title: "All:", options: Option.ofWriters),
        ],
        notes: """
            Examples:
              hdr sheet film.mkv
              hdr sheet --columns 6 --rows 8 --from 10:00 --to 20:00 film.mkv -o scenes.png

            JSON, an array with an object for each file: input, output, frames (a list: seconds, maximum-cd-m2,
            average-cd-m2); error in place of all but input where it failed.

            Exit status: 0 written; 1 an error, which one line on standard error explains; 2 the command line is wrong;
            128 and the signal's number where it was interrupted. An output is there only when it is whole.
            """)

    private struct Summary: FileSummary {
        let output: FileName
        let frames: [FrameGrabber.Frame]

        var notes: [String] { [] }
        var details: String { "" }
        var line: String { "Wrote \(output.shown): \(frames.count) frames" }
        var json: [(String, JSON)] {
            let list = frames.map { frame in
                JSON.object([
                    ("seconds", .decimal(Double(frame.time) / 1e9)),
                    ("maximum-cd-m2", .optional(frame.light) { .decimal($0.maximum) }),
                    ("average-cd-m2", .optional(frame.light) { .decimal($0.average) }),
                ])
            }
            return [("frames", .array(list))]
        }
    }

    static func run(_ options: Options) async throws -> CInt {
        Output.keepErrors()
        let columns = try options.integer("--columns", in: 1...32) ?? 4
        let rows = try options.integer("--rows", in: 1...64) ?? 5
        let width = try options.integer("--width", in: 32...3840) ?? 320
        let assumed = try options.choice(.assume)
        let range = try TimeRange(options)
        let batch = try Batch(options, title: "hdr sheet", deed: "looked through") { $0.last.stem + "-sheet.png" }
        return try await batch.run(
            check: { input, output in
                try InputCheck.check(input)
                try OutputFile.check(output, endings: [".png"], inputs: [input], force: options.has("--force"))
                return "\(columns * rows) frames of \(input.shown) to \(output.shown)"
            },
            plan: { input, _ in
                _ = try await open(input, assumed, range, width: width)
                return nil
            },
            work: { input, output in
                let file = try OutputFile(output, prefix: "sheet")
                let frames = try await grab(input, assumed, range, count: columns * rows, width: width, batch.isSilent)
                let times = Self.times(frames.map(\.time))
                let cells = zip(frames, times).map { frame, time in
                    let light = frame.light.map { "   max \($0.maximum.fixed(0))   avg \($0.average.fixed(1)) cd/m²" }
                    return ContactSheet.Cell(frame: frame.sample, text: time + (light ?? ""))
                }
                let sheet = ContactSheet(
                    title: input.last.shown, cells: cells, columns: min(columns, cells.count))
                do {
                    try await sheet.write(file.path)
                } catch {
                    throw Explanation(source: input.shown, target: output, deed: "shown").failure(error)
                }
                try file.publish()
                return Summary(output: output, frames: frames)
            })
    }

    /// The times below the frames: to a tenth of a second, and exact where frames are closer than that.
    private static func times(_ times: [UInt64]) -> [String] {
        let areClose = zip(times, times.dropFirst()).contains { $1 < $0 + Time.second / 10 }
        return times.map { areClose ? Time.exact($0) : String(Time.exact($0).dropLast(2)) }
    }

    /// Opens an input for taking frames, and returns the length of the part from which they are taken, in ns.
    private static func open(
        _ input: FileName, _ assumed: String?, _ range: TimeRange, width: Int
    ) async throws -> (grabber: FrameGrabber, length: UInt64) {
        let grabber = try await FrameGrabber(
            input, assumed: assumed,
            conversion: "hdrconvert look-ahead=0 ! video/x-raw,colorimetry=bt709 ! videoconvert ! "
                + "videoflip video-direction=auto ! videoscale ! videoconvert ! "
                + "video/x-raw,format=RGBA,colorimetry=sRGB,width=\(width),pixel-aspect-ratio=1/1")
        guard let whole = grabber.info.duration, whole > 0 else {
            throw Failure("the length of \(input.shown) is unknown: put it into a MOV, MP4 or Matroska file")
        }
        guard let length = range.length(of: whole), length > 0 else {
            throw Failure("\(input.shown) has no frames there: it is \(Time.exact(whole)) long")
        }
        return (grabber, length)
    }

    private static func grab(
        _ input: FileName, _ assumed: String?, _ range: TimeRange, count: Int, width: Int, _ isSilent: Bool
    ) async throws -> [FrameGrabber.Frame] {
        let (grabber, length) = try await open(input, assumed, range, width: width)
        // A short clip has fewer frames than there are places.
        let rate = grabber.video.fraction("framerate").map { Double($0.numerator) / Double($0.denominator) } ?? 0
        // A damaged file may claim more frames than an Int holds.
        let places = rate > 0 ? max(Int(min(Double(count), (Double(length) / 1e9 * rate).rounded())), 1) : count
        var frames: [FrameGrabber.Frame] = []
        let progress = ProgressLine(frames: places, quiet: isSilent)
        var count = ProgressLine.Count()
        defer { progress.clear() }
        for index in 0..<places {
            try progress.show(count, of: input.shown)
            count.note(0)
            let share = (Double(index) + 0.5) / Double(places)
            let time = (range.start ?? 0).plus(UInt64(min(Double(length) * share, 1e18)))
            guard let frame = try await grabber.frame(at: time) else { continue }
            if frames.last?.isSame(as: frame) != true { frames.append(frame) }
        }
        guard !frames.isEmpty else {
            throw Failure("\(input.shown) has no frames there: it is \(Time.exact(grabber.info.duration ?? 0)) long")
        }
        return frames
    }
}
