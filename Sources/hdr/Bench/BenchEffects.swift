import Glibc
import HDRKernels

/// The options of `hdr bench effects`.
struct EffectsOptions {
    let chains: [String]
    let sets: [InstructionSet]
    let width: Int
    let height: Int
    let frames: Int
    let starts: Int
    let wantsJSON: Bool
    /// Whether this process measures for another one.
    let isChild: Bool

    static let known: [Option] = [
        .value("--cpu", "LIST", help: "instruction sets: baseline, v3, v4 or all (default: the best of this machine)"),
        .value("--size", "WxH", help: "size of the frames (default 1920x1080)"),
        .value("--frames", "N", help: "frames for each subject and process (default 24)"),
    ]

    /// The chains that are measured where none is named.
    private static let usual = [
        "sepia", "sepia,exposure", "sepia,invert", "sepia,highlight", "sepia,vignette", "sepia,chroma-key",
        "sepia,lut", "exposure", "invert", "highlight",
    ]

    init(_ options: Options) throws(UsageError) {
        try options.allow(only: Self.known + BenchCommand.common, for: "effects")
        let named = options.words.dropFirst().map(\.text)
        for chain in named {
            guard chain.utf8.allSatisfy({ $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "-") || $0 >= 97 && $0 <= 122 })
            else { throw UsageError("'\(chain)' is no chain of effects: names with commas between them are") }
        }
        chains = named.isEmpty ? Self.usual : named
        sets = try ConvertOptions.sets(options)
        (width, height) = try ConvertOptions.size(options.value("--size") ?? "1920x1080")
        frames = try options.integer("--frames") ?? 24
        starts = try options.integer("--starts") ?? 5
        wantsJSON = options.has("--json")
        isChild = options.has(ChildMeasurement.option.names[0])
    }

    /// The command line of a process that measures the same.
    var childArguments: [String] {
        ["effects"] + chains + ["--size", "\(width)x\(height)", "--frames", "\(frames)"]
    }
}

/// `hdr bench effects`: starts processes that measure, and shows what they found.
struct BenchEffects {
    let options: EffectsOptions

    private struct Row {
        let name: String
        let set: String
        var times: [Clock] = []
        /// Ratios of processor time within one process: to the conversion to HLG, to that to SDR, and to the effect
        /// sepia.
        var ratios: [[Double]] = [[], [], []]
    }

    func run() throws {
        try requireElement("hdrtap")
        if options.isChild {
            for result in try EffectsBench(options: options).measure() {
                ChildMeasurement.report(["\(result.time.wall)", "\(result.time.processor)", result.name])
            }
            return
        }
        var rows: [Row] = []
        for start in 1...options.starts {
            for (index, set) in options.sets.enumerated() {
                let name = set.names[0]
                setenv("GST_HDR_CPU", name, 1)
                Progress.show(
                    "hdr bench: start \(start) of \(options.starts), \(name)",
                    done: (start - 1) * options.sets.count + index, of: options.starts * options.sets.count)
                var found: [(String, Clock)] = []
                try ChildMeasurement.run(options.childArguments) { fields in
                    guard fields.count == 3, let wall = Double(fields[0]), let processor = Double(fields[1]) else {
                        return
                    }
                    found.append((fields[2], Clock(wall: wall, processor: processor)))
                }
                add(found, of: name, to: &rows)
            }
        }
        Progress.clear()
        show(rows)
    }

    private func add(_ found: [(String, Clock)], of set: String, to rows: inout [Row]) {
        func processor(_ name: String) -> Double? { found.first { $0.0 == name }?.1.processor }
        for (name, time) in found {
            let sepia = EffectsBench.hasAlpha(name) ? EffectsBench.sepiaWithAlpha : EffectsBench.sepia
            let bases = [EffectsBench.hlg, EffectsBench.sdr, sepia].map(processor)
            let index =
                rows.firstIndex { $0.name == name && $0.set == set }
                ?? {
                    rows.append(Row(name: name, set: set))
                    return rows.count - 1
                }()
            rows[index].times.append(time)
            for (k, base) in bases.enumerated() {
                if let base { rows[index].ratios[k].append(time.processor / base) }
            }
        }
    }

    private func show(_ rows: [Row]) {
        guard !options.wantsJSON else {
            let objects = rows.map { row in
                JSON.object([
                    ("name", .string(row.name)), ("cpu", .string(row.set)),
                    ("cpu-ms-per-frame", .decimal(row.times.map(\.processor).median / 1e6)),
                    ("over-pq-to-hlg", .decimal(row.ratios[0].median)),
                    ("over-pq-to-sdr", .decimal(row.ratios[1].median)),
                    ("over-sepia", .decimal(row.ratios[2].median)),
                    ("spread-percent-cpu", .decimal(row.times.map(\.processor).spread)),
                    ("starts", .integer(row.times.count)),
                ])
            }
            Output.write(JSON.array(of: objects.map(\.line)))
            return
        }
        var table = Table(
            ["subject", "cpu", "CPU ms/frame", "over PQ to HLG", "over PQ to SDR", "over sepia", "spread %"],
            leftColumns: 2)
        for row in rows {
            let processor = row.times.map(\.processor)
            table.add(
                [row.name, row.set, (processor.median / 1e6).fixed(2)] + row.ratios.map { $0.median.fixed(2) }
                    + [processor.spread.fixed(0)])
        }
        let size = "\(options.width)x\(options.height)"
        Output.write("\(size), one thread, median of \(options.starts) starts\n\n\(table.text)")
    }
}
