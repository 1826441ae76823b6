import Glibc

/// Has a child process inspect the files, because a demuxer that crashes on a damaged one ends its process: that file is
/// told of, and another child goes on with the next.
struct Supervisor {
    /// Seconds that a file may take beyond its limit before the child is taken for stuck in the system.
    private static let patience = 15

    private let paths: [InputPath]
    private let options: Options
    private let isColored: Bool

    init(_ paths: [InputPath], _ options: Options, isColored: Bool) {
        self.paths = paths
        self.options = options
        self.isColored = isColored
    }

    /// - Parameter report: called for each file, in their order.
    func run(_ report: (Int, WorkerRecord) -> Void) {
        var next = 0
        while next < paths.count {
            guard let child = Child(skipping: next, isColored: isColored) else {
                // Without a child the files can still be inspected.
                Worker(paths, options, isColored: isColored).run(from: next) { report($0, $1) }
                return
            }
            while next < paths.count, let record = child.record(within: options.limit + Self.patience) {
                report(next, record)
                next += 1
            }
            let reason = child.end()
            guard next < paths.count else { return }
            let outcome = FileOutcome(name: paths[next].name, result: .failure(InspectError(reason)))
            report(next, WorkerRecord(outcome, options, isColored: isColored))
            next += 1
        }
    }
}

/// A child process that writes a record for each file.
private final class Child {
    private let identifier: pid_t
    private let descriptor: CInt
    private var bytes: [UInt8] = []
    private var isStuck = false

    /// `nil` where none can be started.
    init?(skipping count: Int, isColored: Bool) {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[1]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        // What libraries say when they crash would stand between the lines.
        if getenv("GST_DEBUG") == nil { posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) }
        let option = strdup("\(Options.worker)=\(count)\(isColored ? "c" : "")")
        defer { free(option) }
        var words: [UnsafeMutablePointer<CChar>?] = [CommandLine.unsafeArgv[0], option]
        for index in 1..<max(1, Int(CommandLine.argc)) { words.append(CommandLine.unsafeArgv[index]) }
        words.append(nil)
        var identifier: pid_t = 0
        guard posix_spawn(&identifier, "/proc/self/exe", &actions, nil, words, environ) == 0 else {
            close(ends[0])
            return nil
        }
        self.identifier = identifier
        descriptor = ends[0]
    }

    deinit { close(descriptor) }

    /// The next record; `nil` where the child is gone or says nothing for so many seconds.
    func record(within seconds: Int) -> WorkerRecord? {
        while true {
            if let (record, count) = WorkerRecord.parse(bytes) {
                bytes.removeFirst(count)
                return record
            }
            var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&state, 1, CInt(clamping: seconds * 1000))
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else {
                isStuck = true
                return nil
            }
            var part = [UInt8](repeating: 0, count: 65536)
            let count = read(descriptor, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            bytes += part[..<count]
        }
    }

    /// Waits for the end, and says what came between.
    func end() -> String {
        if isStuck { kill(identifier, SIGKILL) }
        var status: CInt = 0
        // A read that never returns cannot be killed either.
        while waitpid(identifier, &status, isStuck ? WNOHANG : 0) < 0, errno == EINTR {}
        let signal = status & 0x7f
        if isStuck || signal == SIGALRM { return "reading it hangs: copy it to another disk and try again" }
        let how = signal == 0 ? "ended with status \(status >> 8 & 0xff)" : "crashed with signal \(signal)"
        return "GStreamer's demuxer \(how) on it: it is damaged: copy or record it again"
    }
}
