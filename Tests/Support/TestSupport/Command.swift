import Foundation
import Testing

/// A test cannot go on: what it needs is missing or did not work.
package struct TestFailure: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}

/// A program to run, with a deadline.
package struct Command {
    package var program: String
    package var arguments: [String]
    /// Added to this process's environment, or in place of it where `inheritsEnvironment` is false.
    package var environment: [String: String] = [:]
    package var inheritsEnvironment = true
    package var directory: URL?
    package var limit: Duration = .seconds(120)
    /// What the program may print to standard error without ending then, as it should; some seconds later it is
    /// interrupted, as by Control-C, after which it tells its own status.
    package var lastWords: String?

    package init(_ program: String, _ arguments: [String] = [], directory: URL? = nil) {
        self.program = program
        self.arguments = arguments
        self.directory = directory
    }

    /// The way in which a program ended, and its output.
    package struct Result: CustomStringConvertible {
        package let command: String
        /// The status that a shell reports: 128 plus the signal's number for a program that a signal ended.
        package let status: Int32
        package let output: String
        package let errors: String
        package let timedOut: Bool
        /// Wall-clock time from start to end.
        package let seconds: Double

        package var errorLines: [Substring] { errors.split(separator: "\n") }

        /// The errors, warnings and notes of `hdr`, without the progress that work of more than seconds shows.
        package var notes: [Substring] { errorLines.filter { $0.hasPrefix("hdr ") } }

        package var description: String {
            "\(command)\nstatus \(status)\n\(output.suffix(2000))\n\(errors.suffix(4000))"
        }
    }

    /// Runs the program to its end without holding a thread. Past the deadline it is asked to end, then killed.
    package func run() async throws -> Result {
        try await start().finish()
    }

    /// Runs the program to its end on the caller's thread. Past the deadline it is killed, which is an error.
    package func runToEnd() throws -> Result {
        let running = try start()
        _ = eventually(within: limit) {
            running.process.ending != nil || lastWords.map(running.errors.text.contains) == true
        }
        if let lastWords, running.process.wait(.seconds(5)) == nil, running.errors.text.contains(lastWords) {
            // One that is to end its stream first, which has failed, asks for a second one.
            for _ in 0..<6 where running.process.ending == nil {
                running.process.send(SIGINT)
                _ = running.process.wait(.seconds(5))
            }
        }
        guard running.process.ending != nil else {
            let place = running.process.backtrace()
            running.process.kill()
            throw TestFailure(
                "\(running.command)\nran for more than \(limit)\n\(running.errors.text.suffix(4000))\n\(place)")
        }
        return running.result(timedOut: false)
    }

    package func start() throws -> Running {
        let output = try OutputFile()
        let errors = try OutputFile()
        let own = inheritsEnvironment ? ProcessInfo.processInfo.environment : [:]
        let process = try ChildProcess(
            program, arguments, environment: own.merging(environment) { $1 }, directory: directory,
            output: output.handle, errors: errors.handle)
        return Running(
            command: ([program] + arguments).joined(separator: " "), process: process, output: output, errors: errors,
            begin: .now, limit: limit)
    }

    /// Whether a program is in PATH.
    package static func exists(_ program: String) -> Bool {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return path.split(separator: ":").contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
    }

    /// A program that has been started.
    package struct Running {
        fileprivate let command: String
        fileprivate let process: ChildProcess
        fileprivate let output: OutputFile
        fileprivate let errors: OutputFile
        fileprivate let begin: ContinuousClock.Instant
        fileprivate let limit: Duration

        package var isRunning: Bool { process.isRunning }

        /// The output so far.
        package var outputSoFar: String { output.text }

        package func send(_ signal: Int32) { process.send(signal) }

        /// Waits until a condition holds or the program has ended; false where neither comes before the deadline. It
        /// keeps its thread: among hundreds of tests a task that sleeps is woken after what it waits for is over.
        package func wait(until condition: () -> Bool) async throws -> Bool {
            while !condition() {
                if !isRunning || .now > begin + limit { return condition() }
                usleep(10_000)
            }
            return true
        }

        /// Waits for the end, and ends the program when the time is over.
        package func finish() async throws -> Result {
            var timedOut = false
            while process.isRunning {
                if .now > begin + limit {
                    if timedOut { process.kill() } else { send(SIGTERM) }
                    timedOut = true
                    try await Task.sleep(for: .seconds(2))
                }
                try await Task.sleep(for: .milliseconds(20))
            }
            return result(timedOut: timedOut)
        }

        fileprivate func result(timedOut: Bool) -> Result {
            Result(
                command: command, status: process.ending?.status ?? -1, output: output.text, errors: errors.text,
                timedOut: timedOut, seconds: (ContinuousClock.now - begin) / .seconds(1))
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// For tests that build with Swift.
    package static var swiftIsThere: Self { .enabled(if: Command.exists("swift"), "swift is not in PATH") }
}
