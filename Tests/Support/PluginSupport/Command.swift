import Foundation
import TestSupport

/// Where the project lies, found from this file's place in it.
enum Repository {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The folder with real HDR files, which is not part of the project.
    static let samples = root.deletingLastPathComponent().appendingPathComponent("shared/samples")

    static var hasSamples: Bool { FileManager.default.fileExists(atPath: samples.path) }

    static func path(_ relative: String) -> String { root.appendingPathComponent(relative).path }
}

/// A program to run, with a limit to the time it may take.
struct Command {
    var program: String
    var arguments: [String]
    /// Added to this process's environment.
    var environment: [String: String] = [:]
    var directory: URL?
    var limit: Duration = .seconds(120)

    init(_ program: String, _ arguments: [String] = [], directory: URL? = nil) {
        self.program = program
        self.arguments = arguments
        self.directory = directory
    }

    struct Result {
        /// As a shell gives it: 128 and the signal's number for a program that a signal ended.
        let status: Int32
        let output: String
        let errors: String
        let timedOut: Bool

        var errorLines: [Substring] { errors.split(separator: "\n") }
    }

    func run() async throws -> Result {
        try await start().finish()
    }

    func start() throws -> Running {
        let output = try OutputFile()
        let errors = try OutputFile()
        let process = try ChildProcess(
            program, arguments, environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            directory: directory, output: output.handle, errors: errors.handle)
        return Running(process: process, output: output, errors: errors, deadline: .now + limit)
    }

    /// A program that has been started.
    struct Running {
        fileprivate let process: ChildProcess
        fileprivate let output: OutputFile
        fileprivate let errors: OutputFile
        fileprivate let deadline: ContinuousClock.Instant

        var isRunning: Bool { process.isRunning }

        func send(_ signal: Int32) { process.send(signal) }

        /// Waits for the end, and brings it about when the time is over.
        func finish() async throws -> Result {
            var timedOut = false
            while process.isRunning {
                if .now > deadline {
                    if timedOut { process.kill() } else { send(SIGTERM) }
                    timedOut = true
                    try await Task.sleep(for: .seconds(2))
                }
                try await Task.sleep(for: .milliseconds(20))
            }
            return Result(
                status: process.ending?.status ?? -1, output: output.text, errors: errors.text, timedOut: timedOut)
        }
    }
}

/// An empty folder that goes when its owner does.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("gst-hdr-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    /// What lies in the folder, hidden files too.
    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: url.path).sorted()) ?? [] }
}
