import Glibc

/// Makes a child process inspect the files, because a demuxer that crashes on a damaged one ends its process: that file
/// is reported, and another child goes on with the next.
struct Supervisor {
    /// Seconds that a file may take beyond its limit before the child is taken for stuck in the system.
    private static let patience = 15

    private let options: InspectOptions
    private let isColored: Bool

    init(_ options: InspectOptions, isColored: Bool) {
        self.options = options
        self.isColored = isColored
    }

    /// - Parameter report: called for each file, in their order.
    func run(_ report: (Int, WorkerRecord) -> Void) async throws(Interruption) {
        let paths = options.paths
        // Messages of crashing libraries would be printed between the lines.
        let isQuiet = getenv("GST_DEBUG") == nil
        var next = 0
        while next < paths.count {
            let arguments = options.childArguments(from: next, isColored: isColored)
            guard let child = ChildProcess(arguments, isQuiet: isQuiet) else {
                // Without a child process the files can still be inspected.
                await Worker(options, isColored: isColored).run(from: next) { report($0, $1) }
                return
            }
            var bytes: [UInt8] = []
            while next < paths.count {
                if let (record, count) = WorkerRecord.parse(bytes) {
                    bytes.removeFirst(count)
                    report(next, record)
                    next += 1
                } else if let more = try child.read(within: options.limit + Self.patience) {
                    bytes += more
                } else {
                    break
                }
            }
            let ending = try child.end()
            guard next < paths.count else { return }
            let outcome = FileOutcome(name: paths[next].name, result: .failure(Self.reason(ending)))
            report(next, WorkerRecord(outcome, options, isColored: isColored))
            next += 1
        }
    }

    private static func reason(_ ending: ChildProcess.Ending) -> Failure {
        let how: String
        switch ending {
        case .stuck, .signal(SIGALRM): return Failure("reading it hangs: copy it to another disk and try again")
        case .status(let status): how = "ended with status \(status)"
        case .signal(let signal): how = "crashed with signal \(signal)"
        }
        return Failure("GStreamer's demuxer \(how) on it: it is damaged: copy or record it again")
    }
}
