import Glibc

/// This program once more, as a child process whose standard output is read here.
final class ChildProcess {
    enum Ending: Equatable {
        case status(CInt)
        case signal(CInt)
        /// The child wrote nothing for too long, and was killed.
        case stuck
    }

    /// The interval in ms between checks for an interruption by the user.
    private static let interval: CInt = 100

    private let identifier: pid_t
    private let descriptor: CInt
    private var isStuck = false

    /// - Parameters:
    ///   - arguments: the arguments behind the program's name, as bytes that end with a zero.
    ///   - isQuiet: whether standard error of the child and its libraries is dropped.
    /// - Returns: `nil` where no process can be started.
    init?(_ arguments: [[CChar]], isQuiet: Bool) {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[1]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        if isQuiet { posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) }
        let copies = arguments.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        let words = [CommandLine.unsafeArgv[0]] + copies + [nil]
        var identifier: pid_t = 0
        guard posix_spawn(&identifier, "/proc/self/exe", &actions, nil, words, environ) == 0 else {
            close(ends[0])
            return nil
        }
        self.identifier = identifier
        descriptor = ends[0]
    }

    deinit { close(descriptor) }

    /// The next output of the child; `nil` at its end, and where it writes nothing for the given time in s.
    /// - Throws: ``Interruption``, after which the child has ended, too.
    func read(within seconds: Int? = nil) throws(Interruption) -> [UInt8]? {
        let limit = seconds.map { ContinuousClock.now + .seconds($0) }
        while true {
            try check()
            var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&state, 1, Self.interval) > 0 else {
                guard let limit, .now > limit else { continue }
                isStuck = true
                return nil
            }
            var part = [UInt8](repeating: 0, count: 65536)
            let count = Glibc.read(descriptor, &part, part.count)
            if count < 0, errno == EINTR { continue }
            return count > 0 ? Array(part[..<count]) : nil
        }
    }

    /// Waits for the child's end.
    /// - Throws: ``Interruption``, where it has come meanwhile.
    func end() throws(Interruption) -> Ending {
        if isStuck { kill(identifier, SIGKILL) }
        // A child that waits in the kernel, such as in a read that never returns, cannot be killed.
        let status = status(isStuck ? WNOHANG : 0) ?? 0
        try Interruption.check()
        if isStuck { return .stuck }
        let signal = status & 0x7f
        return signal == 0 ? .status(status >> 8 & 0xff) : .signal(signal)
    }

    /// The status that `waitpid` returns; `nil` while the child runs.
    private func status(_ options: CInt) -> CInt? {
        var status: CInt = 0
        while true {
            let found = waitpid(identifier, &status, options)
            if found < 0, errno == EINTR { continue }
            return found == 0 ? nil : status
        }
    }

    /// Ends the child where the user interrupts, and gives it a second to remove what it has begun.
    private func check() throws(Interruption) {
        do {
            try Interruption.check()
        } catch {
            kill(identifier, error.signal)
            for _ in 0..<20 {
                guard status(WNOHANG) == nil else { throw error }
                usleep(50_000)
            }
            kill(identifier, SIGKILL)
            _ = status(0)
            throw error
        }
    }
}
