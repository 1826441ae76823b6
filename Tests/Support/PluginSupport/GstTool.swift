import Foundation
import TestSupport
import Testing

/// The release plugin, and GStreamer's programs run on it in an environment of their own.
///
/// Nothing of the user's setup reaches them: the registry, the plugin path and the home folder are private, and every
/// critical warning ends the program.
enum GstTool {
    static let pluginFolder = Repository.root.appendingPathComponent("build/plugins")

    /// The plugin file.
    static var plugin: String {
        get throws {
            let path = pluginFolder.appendingPathComponent("libgsthdr.so").path
            guard FileManager.default.fileExists(atPath: path) else {
                throw Failure("build/plugins/libgsthdr.so is missing: run meson-wrap/build-plugin")
            }
            return path
        }
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    /// How a program ended, and what it said.
    struct Outcome: CustomTestStringConvertible {
        let command: String
        /// The exit status; the signal's number, negated, where one ended it.
        let status: Int32
        let output: String
        let errors: String
        /// Wall-clock time in seconds.
        let seconds: Double

        var testDescription: String { "\(command)\nstatus \(status)\n\(output.suffix(2000))\n\(errors.suffix(4000))" }
    }

    /// The environment of every GStreamer program: the caller's without its GStreamer and GLib settings.
    static let environment: [String: String] = {
        var result = ProcessInfo.processInfo.environment.filter { name, _ in
            !["GST_", "G_", "GLIB_", "LD_", "XDG_", "LC_", "PYTHON"].contains { name.hasPrefix($0) }
        }
        let home = privateFolder.path
        result["HOME"] = home
        result["XDG_CACHE_HOME"] = home
        result["XDG_DATA_HOME"] = home
        result["XDG_CONFIG_HOME"] = home
        result["LC_ALL"] = "C.UTF-8"
        result["GST_PLUGIN_PATH"] = pluginFolder.path
        result["GST_REGISTRY"] = privateFolder.appendingPathComponent("registry.bin").path
        result["GST_DEBUG_NO_COLOR"] = "1"
        result["G_DEBUG"] = "fatal-criticals"
        return result
    }()

    /// A folder of this test run, removed at its end.
    static let privateFolder: URL = {
        let name = "gst-hdr-tests-\(ProcessInfo.processInfo.processIdentifier)"
        let url = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent(name)
        try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        atexit { try? FileManager.default.removeItem(at: GstTool.privateFolder) }
        return url
    }()

    /// Fills the registry before the first use, so that no program pays for scanning the system's plugins.
    private static let registry: Result<Void, any Error> = Result {
        _ = try plugin
        let scan = try start("gst-inspect-1.0", ["hdrconvert"], environment: environment, timeout: 60)
        guard scan.status == 0 else { throw Failure("GStreamer finds no hdrconvert: \(scan.testDescription)") }
    }

    /// Runs a program that uses GStreamer to its end.
    /// - Parameters:
    ///   - extra: Variables that are added to, or replace those of, the private environment.
    ///   - timeout: Seconds after which the program is killed and the test fails.
    static func run(
        _ program: String, _ arguments: [String] = [], environment extra: [String: String] = [:], timeout: Double = 30
    ) throws -> Outcome {
        let all = try completeEnvironment.merging(extra) { _, new in new }
        return try start(program, arguments, environment: all, timeout: timeout)
    }

    /// The environment with a registry that is complete: a scan in between would show in what a program allocates and how
    /// long it takes, and two at a time would disturb each other.
    static var completeEnvironment: [String: String] {
        get throws {
            try registry.get()
            return environment.merging(["GST_REGISTRY_UPDATE": "no"]) { _, new in new }
        }
    }

    /// Runs a launch line, whose words are separated by spaces.
    static func launch(
        _ line: String, options: [String] = ["-q"], environment extra: [String: String] = [:], timeout: Double = 30
    ) throws -> Outcome {
        let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
        return try run("gst-launch-1.0", options + words, environment: extra, timeout: timeout)
    }

    /// Runs a developer's tool, such as a compiler, in the caller's environment.
    static func build(_ program: String, _ arguments: [String]) throws -> Outcome {
        let outcome = try start(
            program, arguments, environment: ProcessInfo.processInfo.environment, timeout: 120)
        guard outcome.status == 0 else { throw Failure(outcome.testDescription) }
        return outcome
    }

    /// Whether a program is in PATH.
    static func exists(_ program: String) -> Bool {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return path.split(separator: ":").contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
    }

    private static func start(
        _ program: String, _ arguments: [String], environment: [String: String], timeout: Double
    ) throws -> Outcome {
        let output = try OutputFile()
        let errors = try OutputFile()
        let begin = ContinuousClock.now
        let process = try ChildProcess(
            program, arguments, environment: environment, output: output.handle, errors: errors.handle)
        let command = ([program] + arguments).joined(separator: " ")
        guard let ending = process.wait(.seconds(timeout)) else {
            process.kill()
            throw Failure("\(command)\nran for more than \(timeout) s\n\(errors.text.suffix(4000))")
        }
        let status =
            switch ending {
            case .exited(let status): status
            case .signalled(let signal): -signal
            }
        return Outcome(
            command: command, status: status, output: output.text, errors: errors.text,
            seconds: (ContinuousClock.now - begin) / .seconds(1))
    }
}

/// A temporary folder that is removed with its owner.
final class Scratch: Sendable {
    let folder: URL

    init() throws {
        folder = GstTool.privateFolder.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func url(_ name: String) -> URL { folder.appendingPathComponent(name) }
    func path(_ name: String) -> String { url(name).path }
    func data(_ name: String) throws -> Data { try Data(contentsOf: url(name)) }
    func text(_ name: String) -> String { String(decoding: (try? data(name)) ?? Data(), as: UTF8.self) }

    func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: url(name))
        return path(name)
    }

    /// Compiles a C program, or with `-shared` a library, against GStreamer.
    /// - Parameter packages: pkg-config's names of what it links.
    func compile(_ source: String, as name: String, packages: [String] = [], flags: [String] = []) throws -> String {
        let file = try write(source, to: name + ".c")
        var libraries: [String] = []
        if !packages.isEmpty {
            let found = try GstTool.build("pkg-config", ["--cflags", "--libs"] + packages)
            libraries = found.output.split(whereSeparator: \.isWhitespace).map(String.init)
        }
        _ = try GstTool.build(
            "clang", ["-O1", "-Wall", file, "-o", path(name)] + flags + libraries)
        return path(name)
    }
}

/// Fails the test unless the program ended well and had nothing to complain about.
func expectClean(_ outcome: GstTool.Outcome, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(outcome.status == 0, "\(outcome.testDescription)", sourceLocation: sourceLocation)
    #expect(outcome.errors == "", "\(outcome.testDescription)", sourceLocation: sourceLocation)
}
