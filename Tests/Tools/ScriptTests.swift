import Foundation
import PluginSupport
import TestSupport
import Testing

/// The scripts of `pipelines` that are one call of `hdr`.
@Suite(.serialized, .timeLimit(.minutes(20))) struct ScriptTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The limit leaves time for building the plugin.
    private func run(_ script: String, _ words: [String]) async throws -> Command.Result {
        var command = Command(Repository.path("pipelines/\(script)"), words, directory: folder.url)
        command.limit = .seconds(900)
        return try await command.run()
    }

    @Test func eachDoesItsWork() async throws {
        try await TestClip(color: "bt2100-hlg", frames: 5).make("clip.mkv", in: folder)
        let lines: [(script: String, words: [String], output: String)] = [
            ("export", ["clip.mkv", "--speed", "ultrafast", "-o", "small.mov"], "small.mov"),
            ("hdr-concat", ["clip.mkv", "clip.mkv", "--speed", "ultrafast", "-o", "twice.mov"], "twice.mov"),
            (
                "hdr-timeline",
                ["clip.mkv", "dissolve", "0.1s", "clip.mkv", "--speed", "ultrafast", "-o", "film.mov"], "film.mov"
            ),
            ("snapshot", ["clip.mkv", "--at", "0.1", "-o", "still.png"], "still.png"),
            ("hdr-to-sdr", ["clip.mkv", "sdr.mp4", "--no-picture"], "sdr.mp4"),
        ]
        for (script, words, output) in lines {
            let result = try await run(script, words)
            #expect(result.status == 0 && result.output.hasPrefix("Wrote \(output): "), "\(script): \(result)")
            let help = try await run(script, ["--help"])
            #expect(help.status == 0 && help.output.hasPrefix("Usage: hdr ") && help.errors.isEmpty, "\(help)")
        }
        let names = (lines.map(\.output) + ["clip.mkv"]).sorted()
        #expect(folder.names == names)
    }

    /// Each line of the scripts' own comments shows a command that there is.
    @Test func nothingButShellIsBeneathThem() throws {
        let manager = FileManager.default
        let names = try manager.contentsOfDirectory(atPath: Repository.path("pipelines"))
        #expect(try manager.contentsOfDirectory(atPath: Repository.path("pipelines/lib")) == ["setup.sh"])
        for name in names where !["lib", "targets"].contains(name) {
            let text = try String(contentsOfFile: Repository.path("pipelines/\(name)"), encoding: .utf8)
            #expect(text.hasPrefix("#!/usr/bin/env bash\n# "), "\(name)")
            #expect(text.contains("pipelines/\(name)"), "\(name) says how it is called")
        }
    }
}
