import CTestSupport
import Foundation

/// A program that a test runs: it starts with no signal blocked and no file but its own, leads a process group, and is
/// gone, with what it started, at the end.
///
/// Foundation's `Process` learns of an end from a socket that the program's own children hold too, so that one of them
/// can keep a test waiting for ever.
package final class ChildProcess: @unchecked Sendable {
    package enum Ending: Equatable, Sendable {
        case exited(Int32)
        case signalled(Int32)

        /// The status that a shell reports: 128 plus the signal's number for a program that a signal ended.
        package var status: Int32 {
            switch self {
            case .exited(let status): status
            case .signalled(let signal): 128 + signal
            }
        }
    }

    package let identifier: pid_t
    private let lock = NSLock()
    private var known: Ending?

    /// - Parameters:
    ///   - program: A path, or a name that is looked for in the environment's PATH.
    ///   - environment: All of it; the caller's where it is nil.
    ///   - output: A file to write to; nothing reads it where it is nil. `errors` is the same.
    package init(
        _ program: String, _ arguments: [String] = [], environment: [String: String]? = nil, directory: URL? = nil,
        output: FileHandle? = nil, errors: FileHandle? = nil
    ) throws {
        let environment = environment ?? ProcessInfo.processInfo.environment
        let path = try Self.path(program, environment["PATH"] ?? "/usr/bin:/bin")
        let words = ([program] + arguments).map { strdup($0) }
        let variables = environment.map { strdup("\($0)=\($1)") }
        defer { for text in words + variables { free(text) } }
        var identifier: pid_t = 0
        let error = test_spawn(
            &identifier, path, words + [nil], variables + [nil], directory?.path, output?.fileDescriptor ?? -1,
            errors?.fileDescriptor ?? -1)
        guard error == 0 else { throw TestFailure("\(program): \(String(cString: strerror(error)))") }
        self.identifier = identifier
    }

    deinit {
        kill()
        _ = wait(.seconds(10))
    }

    package var isRunning: Bool { ending == nil }

    /// The way in which the program ended; nil while it runs.
    package var ending: Ending? {
        lock.withLock {
            if let known { return known }
            var status: Int32 = 0
            guard waitpid(identifier, &status, WNOHANG) == identifier else { return nil }
            let signal = status & 0x7f
            known = signal == 0 ? .exited(status >> 8 & 0xff) : .signalled(signal)
            return known
        }
    }

    /// Sends a signal to the program alone.
    package func send(_ signal: Int32) {
        lock.withLock { if known == nil { _ = Foundation.kill(identifier, signal) } }
    }

    /// Ends the program and all that it started.
    package func kill() { _ = Foundation.kill(-identifier, SIGKILL) }

    /// Asks the program to end, and ends it where it does not.
    package func terminate() {
        send(SIGTERM)
        if wait(.seconds(5)) == nil { send(SIGKILL) }
        kill()
        _ = wait(.seconds(10))
    }

    /// Waits for the end; nil where it does not come in time.
    package func wait(_ limit: Duration) -> Ending? {
        _ = eventually(within: limit) { ending != nil }
        return ending
    }

    /// The call stack of each thread of the program, a line for each function; empty where gdb is missing or may not
    /// attach.
    package func backtrace() -> String {
        guard Command.exists("gdb") else { return "" }
        var look = Command("gdb", ["-batch", "-p", "\(identifier)", "-ex", "thread apply all backtrace 12"])
        look.limit = .seconds(60)
        let lines = (try? look.runToEnd())?.output.split(separator: "\n") ?? []
        return lines.filter { $0.hasPrefix("Thread") || $0.hasPrefix("#") }.prefix(150).map { $0.prefix(120) }
            .joined(separator: "\n")
    }

    private static func path(_ program: String, _ folders: String) throws -> String {
        if program.contains("/") { return program }
        for folder in folders.split(separator: ":") {
            let path = "\(folder)/\(program)"
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        throw TestFailure("\(program) is not in PATH")
    }
}

/// The text that a program writes to a file, which takes any amount without a reader.
package final class OutputFile: @unchecked Sendable {
    package let handle: FileHandle

    package init() throws {
        let pattern = NSTemporaryDirectory() + "/gst-hdr-output-XXXXXX"
        var name = Array(pattern.utf8CString)
        let file = mkstemp(&name)
        guard file >= 0 else { throw TestFailure("no temporary file can be made") }
        _ = fcntl(file, F_SETFD, FD_CLOEXEC)
        unlink(name)
        handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
    }

    /// The output so far.
    package var text: String {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = pread(handle.fileDescriptor, &part, part.count, off_t(bytes.count))
            guard count > 0 else { break }
            bytes += part[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
