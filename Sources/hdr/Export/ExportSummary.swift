import HDRPipeline

/// The description of the written file, for people and for machines.
struct ExportSummary: FileSummary {
    let input: FileName
    let output: FileName
    /// The kind of output, in a word or two.
    let what: String
    let report: ExportReport
    let count: ProgressLine.Count
    /// The elapsed time in seconds.
    let elapsed: Double
    let sound: [String]

    var notes: [String] { report.notes }
    var plan: [String] { report.plan }

    var line: String {
        let frames = count.frames > 0 ? ", \(count.frames) frames" : ""
        let kinds = sound.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        let speed = Double(count.position) / 1e9 / elapsed
        return "Wrote \(output.shown): \(what)\(frames), \(Time.clock(count.position)), "
            + "sound: \(kinds.isEmpty ? "none" : kinds.joined(separator: ", ")); "
            + "took \(elapsed.fixed(1)) s (\(speed.fixed(2))x real time)"
    }

    /// The properties of the file itself, which a child process inspects, or the planned ones where it cannot be read.
    var details: String {
        let arguments = [Array("inspect".utf8), Array("--".utf8), output.bytes].map {
            $0.map { CChar(bitPattern: $0) } + [0]
        }
        if let child = ChildProcess(arguments, isQuiet: true) {
            var bytes: [UInt8] = []
            while let more = try? child.read() { bytes += more }
            if case .status(let status)? = try? child.end(), status < 2 {
                return String(decoding: bytes, as: UTF8.self)
            }
        }
        return report.plan.map { "  " + $0 + "\n" }.joined()
    }

    var json: [(String, JSON)] {
        [
            ("preset", .string(what)), ("frames", .integer(count.frames)),
            ("seconds", .decimal(Double(count.position) / 1e9)), ("sound", .array(sound.map { .string($0) })),
            ("plan", .array(report.plan.map { .string($0) })), ("notes", .array(report.notes.map { .string($0) })),
        ]
    }
}
