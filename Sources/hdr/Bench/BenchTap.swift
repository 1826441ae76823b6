/// The options of `hdr bench tap`.
struct TapOptions {
    let starts: Int
    /// The number of buffers for each subject and process.
    let buffers: Int
    let wantsJSON: Bool
    /// Whether this process measures for another one.
    let isChild: Bool

    static let known: [Option] = [
        .value("--buffers", "N", help: "buffers for each subject and process (default 20000)")
    ]

    init(_ options: Options) throws(UsageError) {
        if let word = options.words.dropFirst().first {
            throw UsageError("tap takes no '\(word.text)': it measures everything at once")
        }
        try options.allow(only: Self.known + BenchCommand.common, for: "tap")
        starts = try options.integer("--starts") ?? 5
        buffers = try options.integer("--buffers") ?? 20_000
        wantsJSON = options.has("--json")
        isChild = options.has(ChildMeasurement.option.names[0])
    }
}

/// `hdr bench tap`: starts processes that measure, and shows what they found.
struct BenchTap {
    let options: TapOptions

    func run() throws {
        try requireElement("hdrtap")
        if options.isChild {
            for result in try TapBench.measure(buffers: options.buffers) {
                ChildMeasurement.report(["\(result.nanoseconds)", result.name])
            }
            return
        }
        var names: [String] = []
        var times: [String: [Double]] = [:]
        for start in 1...options.starts {
            Progress.show("hdr bench: start \(start) of \(options.starts)", done: start - 1, of: options.starts)
            try ChildMeasurement.run(["tap", "--buffers", "\(options.buffers)"]) { fields in
                guard fields.count == 2, let time = Double(fields[0]) else { return }
                if times[fields[1]] == nil { names.append(fields[1]) }
                times[fields[1], default: []].append(time)
            }
        }
        Progress.clear()
        show(names.map { ($0, times[$0] ?? []) })
    }

    private func show(_ rows: [(name: String, times: [Double])]) {
        let budget = Double(TapBench.frames) / Double(TapBench.rate) * 1e9
        let idle = (rows.first?.times ?? []).median
        guard !options.wantsJSON else {
            let objects = rows.map { row in
                JSON.object([
                    ("name", .string(row.name)), ("ns-per-buffer", .decimal(row.times.median)),
                    ("over-identity", .decimal(row.times.median - idle)),
                    ("times-real-time", .decimal(budget / row.times.median)),
                    ("spread-percent", .decimal(row.times.spread)), ("starts", .integer(row.times.count)),
                ])
            }
            Output.write(JSON.array(of: objects.map(\.line)))
            return
        }
        var table = Table(["subject", "ns/buffer", "over identity", "x real time", "spread %"], leftColumns: 1)
        for row in rows {
            let time = row.times.median
            table.add([
                row.name, time.fixed(0), (time - idle).fixed(0), (budget / time).fixed(0), row.times.spread.fixed(0),
            ])
        }
        Output.write(table.text)
    }
}
