import Foundation
import TestSupport
import Testing

/// The release plugin, and GStreamer's programs run on it in an environment of their own.
///
/// Nothing of the user's setup reaches them: the registry, the plugin path and the home folder are private, and every
/// critical warning ends the program.
package enum GstTool {
    package static let pluginFolder = Repository.root.appendingPathComponent("build/plugins")

    /// The plugin file.
    package static var plugin: String {
        get throws {
            let path = pluginFolder.appendingPathComponent("libgsthdr.so").path
            guard FileManager.default.fileExists(atPath: path) else {
                throw TestFailure("build/plugins/libgsthdr.so is missing: run meson-wrap/build-plugin")
            }
            return path
        }
    }

    /// The environment of every GStreamer program: the caller's without its GStreamer and GLib settings.
    package static let environment: [String: String] = {
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
    package static let privateFolder: URL = {
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
        guard scan.status == 0 else { throw TestFailure("GStreamer finds no hdrconvert: \(scan)") }
    }

    /// Runs a program that uses GStreamer to its end.
    /// - Parameters:
    ///   - extra: Variables that are added to, or replace those of, the private environment.
    ///   - timeout: Seconds after which the program is killed and the test fails.
    package static func run(
        _ program: String, _ arguments: [String] = [], environment extra: [String: String] = [:], timeout: Double = 30
    ) throws -> Command.Result {
        let all = try completeEnvironment.merging(extra) { _, new in new }
        return try start(program, arguments, environment: all, timeout: timeout)
    }

    /// The environment with a registry that is complete: a scan in between would show in what a program allocates and
    /// how long it takes, and two at a time would disturb each other.
    package static var completeEnvironment: [String: String] {
        get throws {
            try registry.get()
            return environment.merging(["GST_REGISTRY_UPDATE": "no"]) { _, new in new }
        }
    }

    /// Runs a launch line, whose words are separated by spaces.
    package static func launch(
        _ line: String, options: [String] = ["-q"], environment extra: [String: String] = [:], timeout: Double = 30
    ) throws -> Command.Result {
        let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
        return try run("gst-launch-1.0", options + words, environment: extra, timeout: timeout)
    }

    /// Runs a developer's tool, such as a compiler, in the caller's environment.
    package static func build(_ program: String, _ arguments: [String]) throws -> Command.Result {
        let outcome = try start(
            program, arguments, environment: ProcessInfo.processInfo.environment, timeout: 120)
        guard outcome.status == 0 else { throw TestFailure("\(outcome)") }
        return outcome
    }

    private static func start(
        _ program: String, _ arguments: [String], environment: [String: String], timeout: Double
    ) throws -> Command.Result {
        var command = Command(program, arguments)
        command.environment = environment
        command.inheritsEnvironment = false
        command.limit = .seconds(timeout)
        // gst-launch-1.0 does not notice the end where an element fails before its main loop runs.
        if program == "gst-launch-1.0" { command.lastWords = "ERROR: from element" }
        return try command.runToEnd()
    }
}

extension TemporaryFolder {
    /// Compiles a C program, or with `-shared` a library, against GStreamer.
    /// - Parameter packages: pkg-config's names of what it links.
    package func compile(
        _ source: String, as name: String, packages: [String] = [], flags: [String] = []
    ) throws -> String {
        let file = try write(source, to: name + ".c")
        var libraries: [String] = []
        if !packages.isEmpty {
            let found = try GstTool.build("pkg-config", ["--cflags", "--libs"] + packages)
            libraries = found.output.split(whereSeparator: \.isWhitespace).map(String.init)
        }
        _ = try GstTool.build("clang", ["-O1", "-Wall", file, "-o", path(name)] + flags + libraries)
        return path(name)
    }
}

/// Fails the test unless the program has succeeded and has printed no error.
package func expectClean(_ outcome: Command.Result, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(outcome.status == 0, "\(outcome)", sourceLocation: sourceLocation)
    #expect(outcome.errors == "", "\(outcome)", sourceLocation: sourceLocation)
}
