import Foundation

/// Where the project lies, found from this file's place in it.
enum Repository {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

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

    /// Starts the program. Its output goes to files rather than pipes, so it never waits for a reader.
    func start() throws -> Running {
        let folder = try TemporaryFolder()
        let files = try ["output", "errors"].map { name in
            let url = folder.url.appendingPathComponent(name)
            try Data().write(to: url)
            return try FileHandle(forWritingTo: url)
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // A task's thread may block signals, and a program inherits that.
        process.arguments = ["--default-signal", program] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.currentDirectoryURL = directory
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = files[0]
        process.standardError = files[1]
        try process.run()
        return Running(process: process, folder: folder, limit: limit)
    }

    /// A program that has been started.
    final class Running {
        private let process: Process
        private let folder: TemporaryFolder
        private let deadline: ContinuousClock.Instant

        fileprivate init(process: Process, folder: TemporaryFolder, limit: Duration) {
            self.process = process
            self.folder = folder
            deadline = .now + limit
        }

        var isRunning: Bool { process.isRunning }

        func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

        /// Waits for the end, and brings it about when the time is over.
        func finish() async throws -> Result {
            var timedOut = false
            while process.isRunning {
                if .now > deadline {
                    send(timedOut ? SIGKILL : SIGTERM)
                    timedOut = true
                    try await Task.sleep(for: .seconds(2))
                }
                try await Task.sleep(for: .milliseconds(20))
            }
            let signalled = process.terminationReason == .uncaughtSignal
            return Result(
                status: process.terminationStatus + (signalled ? 128 : 0), output: text("output"),
                errors: text("errors"), timedOut: timedOut)
        }

        private func text(_ name: String) -> String {
            let data = try? Data(contentsOf: folder.url.appendingPathComponent(name))
            return String(decoding: data ?? Data(), as: UTF8.self)
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
