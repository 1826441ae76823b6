import Foundation
import TestSupport

/// The compilers, as an application's author runs them.
struct Compiler {
    private let scratch: TemporaryFolder
    var folder: URL { scratch.url }

    init() throws { scratch = try TemporaryFolder() }

    func write(_ text: String, to name: String) throws -> String { try scratch.write(text, to: name) }

    struct Outcome {
        let status: Int32
        let text: String

        /// The errors in a file: line numbers, and what is said there first.
        func errors(in file: String) -> [Int: String] {
            var result: [Int: String] = [:]
            for line in text.split(separator: "\n") where line.contains("/\(file):") {
                guard let place = line.firstMatch(of: /\.swift:(\d+):\d+: error: (.*)/), let number = Int(place.1)
                else {
                    continue
                }
                if result[number] == nil { result[number] = String(place.2) }
            }
            return result
        }
    }

    static func sources(_ folder: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: Repository.root.appendingPathComponent(folder).resolvingSymlinksInPath(),
            includingPropertiesForKeys: nil
        ).filter { $0.pathExtension == "swift" }.sorted { $0.path < $1.path }
    }

    /// The folder of the toolchain's own libraries.
    static func runtimeLibraries() throws -> String {
        let text = try run("swiftc", ["-print-target-info"]).text
        let paths = text.firstMatch(of: /"runtimeLibraryPaths": \[\s*"([^"]*)"/)
        return paths.map { String($0.1) } ?? ""
    }

    /// The options that `import CHDRTap` needs.
    static func imports() throws -> [String] {
        let flags = try run("pkg-config", ["--cflags", "gstreamer-video-1.0", "gstreamer-audio-1.0"]).text
        return flags.split(whereSeparator: \.isWhitespace).flatMap { ["-Xcc", String($0)] }
            + ["Sources/CHDRTap/include", "Sources/CGStreamer"].map {
                "-I" + Repository.root.appendingPathComponent($0).path
            }
    }

    /// Runs swiftc so far that it has seen everything, and has no file to write.
    func check(_ files: [String], _ arguments: [String]) throws -> Outcome {
        try Self.run(
            "swiftc",
            ["-swift-version", "6", "-parse-as-library", "-emit-sil", "-o", "/dev/null", "-diagnostic-style", "llvm"]
                + arguments + files)
    }

    /// Compiles a folder's Swift files to a module beside the files of this object.
    func module(_ name: String, _ arguments: [String]) throws -> Outcome {
        try Self.run(
            "swiftc",
            [
                "-swift-version", "6", "-parse-as-library", "-package-name", "gst_hdr", "-module-name", name,
                "-emit-module",
            ]
                + ["-emit-module-path", folder.appendingPathComponent(name + ".swiftmodule").path] + arguments
                + Self.sources("Sources/" + name).map(\.path))
    }

    /// Compiles the module HDRTap, and the one that it is built on.
    func tapModule(_ arguments: [String]) throws -> Outcome {
        let base = try module("HDRConcurrency", arguments)
        return base.status == 0 ? try module("HDRTap", arguments) : base
    }

    static func run(_ program: String, _ arguments: [String]) throws -> Outcome {
        var command = Command(program, arguments)
        command.limit = .seconds(300)
        let result = try command.runToEnd()
        return Outcome(status: result.status, text: result.output + result.errors)
    }
}
