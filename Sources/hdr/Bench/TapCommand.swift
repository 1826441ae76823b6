/// `hdrbench tap`: starts processes that measure, and shows what they found.
struct TapCommand {
    private let starts: Int
    private let buffers: Int
    private let wantsJSON: Bool
    private let isChild: Bool

    init(_ line: some Sequence<String>) {
        let arguments = Arguments(line, flags: ["--json", Processes.childFlag], values: ["--starts", "--buffers"])
        if let word = arguments.words.first { fail("tap takes no \(word): it measures all at once") }
        starts = arguments.number("--starts", or: 5)
        buffers = arguments.number("--buffers", or: 20_000)
        wantsJSON = arguments.has("--json")
        isChild = arguments.has(Processes.childFlag)
    }

    func run() {
        Processes.require("hdrtap")
        if isChild {
            do {
                for result in try TapBench.measure(buffers: buffers) {
                    Processes.report(["\(result.nanoseconds)", result.name])
                }
            } catch {
                fail("\(error)")
            }
            return
        }
        var names: [String] = []
        var times: [String: [Double]] = [:]
        for start in 1...starts {
            Progress.show("start \(start) of \(starts)")
            Processes.start(["tap", "--buffers", "\(buffers)"]) { fields in
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
        let idle = median(rows.first?.times ?? [])
        var table = Table(["subject", "ns/buffer", "over identity", "x real time", "spread %"], leftColumns: 1)
        var lines: [JSONLine] = []
        for row in rows {
            let time = median(row.times)
            table.add([
                row.name, fixed(time, 0), fixed(time - idle, 0), fixed(budget / time, 0), fixed(spread(row.times), 0),
            ])
            var line = JSONLine()
            line.add("name", row.name)
            line.add("nanoseconds_per_buffer", time)
            line.add("over_identity", time - idle)
            line.add("times_real_time", budget / time)
            line.add("spread_percent", spread(row.times))
            line.add("starts", row.times.count)
            lines.append(line)
        }
        if wantsJSON { JSONLine.print(lines) } else { print(table.text) }
    }
}
