import Glibc
import HDRKernels

/// The options of `hdr bench compose`.
struct CompositionOptions {
    let sets: [InstructionSet]
    let width: Int
    let height: Int
    let frames: Int
    let threads: Int
    let starts: Int
    let wantsJSON: Bool
    /// Whether this process measures for another one.
    let isChild: Bool

    static let known: [Option] = [
        .value("--cpu", "LIST", help: "instruction sets: baseline, v3, v4 or all (default: the best of this machine)"),
        .value("--size", "WxH", help: "size of the canvas (default 3840x2160)"),
        .value("--frames", "N", help: "frames for each subject and process (default 24)"),
        .value("--threads", "N", help: "threads of hdrcompositor (default 2); compositor takes one for each core"),
    ]

    init(_ options: Options) throws(UsageError) {
        if let word = options.words.dropFirst().first {
            throw UsageError("compose takes no '\(word.text)': it measures everything at once")
        }
        try options.allow(only: Self.known + BenchCommand.common, for: "compose")
        sets = try ConvertOptions.sets(options)
        (width, height) = try ConvertOptions.size(options.value("--size") ?? "3840x2160")
        frames = try options.integer("--frames") ?? 24
        threads = try options.integer("--threads", in: 1...256) ?? 2
        starts = try options.integer("--starts") ?? 5
        wantsJSON = options.has("--json")
        isChild = options.has(ChildMeasurement.option.names[0])
    }

    /// The command line of a process that measures the same.
    var childArguments: [String] {
        ["compose", "--size", "\(width)x\(height)", "--frames", "\(frames)", "--threads", "\(threads)"]
    }
}

/// `hdr bench compose`: starts processes that measure, and shows what they found.
struct BenchCompose {
    let options: CompositionOptions

    private struct Row {
        let name: String
        let set: String
        var times: [Clock] = []
    }

    func run() throws {
        try requireElement("hdrcompositor")
        if options.isChild {
            for result in try CompositionBench(options: options).measure() {
                ChildMeasurement.report(["\(result.time.wall)", "\(result.time.processor)", result.name])
            }
            return
        }
        var rows: [Row] = []
        for start in 1...options.starts {
            for (index, set) in options.sets.enumerated() {
                setenv("GST_HDR_CPU", set.names[0], 1)
                Progress.show(
                    "hdr bench: start \(start) of \(options.starts), \(set.names[0])",
                    done: (start - 1) * options.sets.count + index, of: options.starts * options.sets.count)
                try ChildMeasurement.run(options.childArguments) { fields in
                    guard fields.count == 3, let wall = Double(fields[0]), let processor = Double(fields[1]) else {
                        return
                    }
                    let index =
                        rows.firstIndex { $0.name == fields[2] && $0.set == set.names[0] }
                        ?? {
                            rows.append(Row(name: fields[2], set: set.names[0]))
                            return rows.count - 1
                        }()
                    rows[index].times.append(Clock(wall: wall, processor: processor))
                }
            }
        }
        Progress.clear()
        show(rows)
    }

    private func show(_ rows: [Row]) {
        guard !options.wantsJSON else {
            let objects = rows.map { row in
                JSON.object([
                    ("name", .string(row.name)), ("cpu", .string(row.set)),
                    ("ms-per-frame", .decimal(row.times.map(\.wall).median / 1e6)),
                    ("cpu-ms-per-frame", .decimal(row.times.map(\.processor).median / 1e6)),
                    ("frames-per-second", .decimal(1e9 / row.times.map(\.wall).median)),
                    ("spread-percent-cpu", .decimal(row.times.map(\.processor).spread)),
                    ("starts", .integer(row.times.count)),
                ])
            }
            Output.write(JSON.array(of: objects.map(\.line)))
            return
        }
        var table = Table(["subject", "cpu", "ms/frame", "fps", "CPU ms/frame", "spread %"], leftColumns: 2)
        for row in rows {
            let (wall, processor) = (row.times.map(\.wall).median, row.times.map(\.processor))
            table.add([
                row.name, row.set, (wall / 1e6).fixed(2), (1e9 / wall).fixed(0), (processor.median / 1e6).fixed(2),
                processor.spread.fixed(0),
            ])
        }
        let size = "\(options.width)x\(options.height)"
        Output.write(
            "\(size), hdrcompositor on \(options.threads) threads, median of \(options.starts) starts\n\n\(table.text)")
    }
}
