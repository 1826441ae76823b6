import Foundation
import PluginSupport
import TestSupport
import Testing

/// Signals and a closed standard output: what ends the command early, and what does not.
@Suite(.serialized, .timeLimit(.minutes(5))) struct StopTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func command(_ words: String...) -> Command {
        var command = Command(HDRCommand.program, words, directory: folder.url)
        command.environment = GstTool.environment
        return command
    }

    /// Work without a pipeline ends too: the text of many RPUs takes seconds.
    @Test(arguments: [SIGINT, SIGTERM])
    func workOnMetadataIsInterrupted(_ signal: Int32) async throws {
        let text = """
            {"profile": "8.1", "length": 20000, "level6": {"max_display_mastering_luminance": 1000,
             "min_display_mastering_luminance": 1, "max_content_light_level": 1000,
             "max_frame_average_light_level": 400}}
            """
        try Data(text.utf8).write(to: folder.url.appendingPathComponent("config.json"))
        let made = try await command("rpu", "generate", "config.json", "-o", "film.bin", "-q").run()
        try #require(made.status == 0, "\(made)")
        try await command("rpu", "export", "film.bin", "-o", "film.json")
            .expectNothingLeft(after: signal, unfinished: ".rpu-", in: folder)
    }

    /// Whenever it is interrupted, a plot is there in whole with status 0, or not at all.
    @Test(Samples.areThere, arguments: [SIGINT, SIGTERM])
    func aPlotIsInterrupted(_ signal: Int32) async throws {
        let line = command(
            "inspect", "--dynamic-metadata", "--plot", "o.png", Samples.path("dolby-vision-8.1-hdr10.mkv"))
        let whole = try await line.run()
        try #require(whole.status == 0 && folder.names == ["o.png"], "\(whole)")
        var interrupted = 0
        var length = whole.seconds
        for step in 1...22 {
            try? FileManager.default.removeItem(atPath: folder.path("o.png"))
            let running = try line.start()
            let seconds = length * Double(step) / 20
            usleep(UInt32(seconds * 1e6))
            running.send(signal)
            let result = try await running.finish()
            #expect(result.status == 0 || result.status == 128 + signal, "\(result)")
            #expect(folder.names == (result.status == 0 ? ["o.png"] : []), "after \(seconds) s: \(result)")
            if result.status != 0 { interrupted += 1 }
            // Other tests may have slowed the first run down.
            if result.status == 0 { length = min(length, result.seconds) }
        }
        #expect(interrupted > 0)
    }

    /// Processes that measure end with the one that has started them.
    @Test func benchLeavesNoProcess() async throws {
        let count = "7654321"
        func processes() -> [String] {
            let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
            return all.filter { name in
                let line = FileManager.default.contents(atPath: "/proc/\(name)/cmdline") ?? Data()
                return String(decoding: line, as: UTF8.self).contains("--buffers\0" + count)
            }
        }
        let running = try command("bench", "tap", "--buffers", count).start()
        #expect(try await running.wait { processes().count == 2 })
        running.send(SIGTERM)
        let result = try await running.finish()
        #expect(result.status == 128 + SIGTERM && result.errors == "hdr bench: interrupted\n", "\(result)")
        #expect(processes().isEmpty)
    }

    /// nohup has a program ignore the end of its terminal.
    @Test func aHangupThatIsIgnored() async throws {
        try await TestClip(color: "bt2100-hlg", frames: 90, hasSound: false).make("clip.mkv", in: folder)
        var shell = Command(
            "/bin/sh",
            ["-c", "trap '' HUP; exec \"$0\" export clip.mkv -o out.mov --speed medium -q", HDRCommand.program],
            directory: folder.url)
        shell.environment = GstTool.environment
        let running = try shell.start()
        #expect(try await running.wait { folder.names.contains { $0.hasPrefix(".export-") } })
        running.send(SIGHUP)
        let result = try await running.finish()
        #expect(result.status == 0 && folder.names == ["clip.mkv", "out.mov"], "\(result)")
    }

    @Test func standardOutputIsFull() async throws {
        let result = try await Command(
            "/bin/sh", ["-c", "exec \"$0\" --help >/dev/full", HDRCommand.program]
        ).run()
        #expect(result.status == 1, "\(result)")
        #expect(result.errors == "hdr: cannot write to standard output: No space left on device\n", "\(result)")
    }

    /// Work that takes single frames says how far it is, too.
    @Test(arguments: [
        ["sheet", "clip.mkv", "--columns", "8", "--rows", "8", "-o", "out.png"],
        ["compare", "clip.mkv", "clip.mkv", "--frames", "60", "--no-picture"],
    ])
    func progressOnATerminal(_ words: [String]) async throws {
        try await TestClip(color: "bt2100-hlg", frames: 60, hasSound: false).make("clip.mkv", in: folder)
        var terminal = Command(
            "/usr/bin/python3",
            [Repository.path("Tests/Tools/Programs/terminal.py"), "[]", HDRCommand.program] + words,
            directory: folder.url)
        terminal.environment = GstTool.environment
        let result = try await terminal.run()
        #expect(result.status == 0, "\(result)")
        #expect(result.output.firstMatch(of: /frame \d+ of \d+, [0-9.]+ fps, 0:\d\d left/) != nil, "\(result)")
    }
}
