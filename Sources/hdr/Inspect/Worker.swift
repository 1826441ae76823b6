import Glibc
import HDRPipeline

/// The result of a file, as it is sent from the child process.
struct WorkerRecord {
    let status: CInt
    /// Empty where there is none.
    let error: String
    /// A table, or a JSON object.
    let text: String

    init(_ outcome: FileOutcome, _ options: InspectOptions, isColored: Bool) {
        status = outcome.status
        switch outcome.result {
        case .success(let report):
            error = ""
            text =
                options.isJSON ? JSONReport.text(outcome) : TableReport(report, Style(isColored: isColored)).text
        case .failure(let reason):
            error = "hdr inspect: \(outcome.name): \(reason)"
            text = options.isJSON ? JSONReport.text(outcome) : ""
        }
    }

    private init(status: CInt, error: String, text: String) {
        self.status = status
        self.error = error
        self.text = text
    }

    /// The status as a digit, and two texts that end with a zero, which neither has inside.
    var bytes: [UInt8] {
        [UInt8(48 + status)] + error.utf8.filter { $0 != 0 } + [0] + text.utf8.filter { $0 != 0 } + [0]
    }

    static func parse(_ bytes: [UInt8]) -> (record: WorkerRecord, count: Int)? {
        guard let status = bytes.first, let first = bytes.firstIndex(of: 0),
            let second = bytes[(first + 1)...].firstIndex(of: 0)
        else { return nil }
        let record = WorkerRecord(
            status: CInt(status) - 48, error: String(decoding: bytes[1..<first], as: UTF8.self),
            text: String(decoding: bytes[first + 1..<second], as: UTF8.self))
        return (record, second + 1)
    }
}

/// Inspects files in this process.
struct Worker {
    /// Seconds beyond a file's limit, such as in a read that never returns.
    private static let patience = 10

    private let options: InspectOptions
    private let isColored: Bool
    /// Why GStreamer does not start.
    private let failure: Failure?

    init(_ options: InspectOptions, isColored: Bool) {
        self.options = options
        self.isColored = isColored
        // Damaged files make GStreamer's demuxers log critical warnings.
        GStreamer.dropWarnings()
        do throws(PipelineError) {
            try GStreamer.start()
            failure = nil
        } catch { failure = Failure("GStreamer does not start: \(error)") }
    }

    func run(from first: Int, _ report: (Int, WorkerRecord) -> Void) async {
        for (index, path) in options.paths.enumerated().dropFirst(first) {
            let outcome =
                if let failure { FileOutcome(name: path.name, result: .failure(failure)) } else {
                    await Inspector(path, options).run()
                }
            report(index, WorkerRecord(outcome, options, isColored: isColored))
        }
    }

    /// The child process: writes a record for each file to standard output.
    func serve(from first: Int) async -> Never {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        // The signal ends the process, and the parent sees which one it was.
        alarm(CUnsignedInt(clamping: options.limit + Self.patience))
        await run(from: first) { _, record in
            Output.write(record.bytes)
            alarm(CUnsignedInt(clamping: options.limit + Self.patience))
        }
        // At once, without waiting for GStreamer's threads.
        _exit(0)
    }
}
