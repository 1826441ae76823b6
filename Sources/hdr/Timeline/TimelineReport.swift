import HDRPipeline

/// The plan of a timeline, for people and for machines.
struct TimelineReport {
    private let plan: TimelinePlan
    private let range: String
    private let output: FileName?

    init(_ plan: TimelinePlan, range: String, output: FileName?) {
        (self.plan, self.range, self.output) = (plan, range, output)
    }

    var text: String {
        var table = Table(["kind", "what", "start", "end", "frames"], leftColumns: 2)
        for row in plan.rows {
            table.add([
                row.kind, Self.what(row), Time.exact(plan.grid.time(row.start)),
                Time.exact(plan.grid.time(row.start + row.count)), "\(row.count)",
            ])
        }
        let lines = table.lines.map { $0 + "\n" }.joined()
        return "\(plan.count) frames, \(Time.exact(plan.duration)), \(plan.width)x\(plan.height), "
            + "\(plan.grid.text) frames a second, \(range.uppercased())"
            + (output.map { ", to \($0.shown)" } ?? "") + "\n" + lines
    }

    private static func what(_ row: TimelinePlan.Row) -> String {
        let from = row.from.map { $0 > 0 ? " from \(Time.exact($0))" : "" } ?? ""
        return Output.printable(row.what) + from
    }

    /// - Parameter more: members after those of the plan.
    func json(_ more: [(String, JSON)]) -> String {
        let rows = plan.rows.map { row in
            JSON.object([
                ("kind", .string(row.kind)), ("what", .string(row.what)), ("first-frame", .integer(row.start)),
                ("frames", .integer(row.count)),
                ("start-seconds", .decimal(Double(plan.grid.time(row.start)) / 1e9)),
                ("from-seconds", .optional(row.from) { .decimal(Double($0) / 1e9) }),
            ])
        }
        var text = ""
        let members: [(String, JSON)] = [
            ("output", .text(output?.shown)), ("size", .string("\(plan.width)x\(plan.height)")),
            ("frame-rate", .string(plan.grid.text)), ("dynamic-range", .string(range)),
            ("frames", .integer(plan.count)), ("seconds", .decimal(Double(plan.duration) / 1e9)),
            ("plan", .array(rows)),
        ]
        JSON.array([.object(members + more)]).write(to: &text, indent: "")
        return text + "\n"
    }
}
