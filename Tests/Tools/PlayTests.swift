import CMockCompositor
import Foundation
import PluginSupport
import Testing
import TestSupport

/// `hdr play` as a user runs it: on a terminal, in windows, and with nothing to play.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct PlayTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func command(_ arguments: [String], _ environment: [String: String] = Displays.none) -> Command {
        var command = Command(HDRCommand.program, ["play"] + arguments, directory: folder.url)
        command.environment = GstTool.environment.merging(environment) { $1 }
        command.limit = .seconds(60)
        return command
    }

    func play(_ arguments: String..., on environment: [String: String] = Displays.none) async throws -> Command.Result {
        try await command(arguments, environment).run()
    }

    /// Runs the command on a terminal: where its output matches a pattern, keys are typed.
    func type(_ steps: [(pattern: String, keys: String)], _ arguments: String...) async throws -> Command.Result {
        let list = try JSONEncoder().encode(steps.map { [$0.pattern, $0.keys] })
        let program = Repository.path("Tests/Tools/Programs/terminal.py")
        var command = Command(
            "/usr/bin/python3",
            [program, String(decoding: list, as: UTF8.self), HDRCommand.program, "play"] + arguments,
            directory: folder.url)
        command.environment = GstTool.environment.merging(Displays.none) { $1 }
        command.limit = .seconds(60)
        return try await command.run()
    }

    func makeClip(_ name: String = "clip.mkv", frames: Int = 60, color: String = "bt2100-pq") async throws {
        try await TestClip(color: color, frames: frames).make(name, in: folder)
    }

    /// The summary of a file: how far it was played in seconds, and how many frames were shown, late and dropped.
    func summary(
        _ name: String, _ output: String
    ) throws -> [(seconds: Double, shown: Int, late: Int, dropped: Int)] {
        let pattern = try Regex(
            name + #": up to (\d+):(\d\d\.\d{3}), (\d+) frames shown, (\d+) of them late, (\d+) dropped"#)
        return output.matches(of: pattern).map { match in
            let numbers = (1...5).map { Double(match.output[$0].substring ?? "") ?? -1 }
            return (60 * numbers[0] + numbers[1], Int(numbers[2]), Int(numbers[3]), Int(numbers[4]))
        }
    }

    // MARK: - What it plays

    @Test func playsAClipToItsEnd() async throws {
        try await makeClip()
        let begin = ContinuousClock.now
        let result = try await play("--presenter", "offscreen", "clip.mkv")
        #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
        #expect(ContinuousClock.now - begin >= .seconds(1.9), "two seconds of video take two seconds")
        let played = try #require(try summary("clip.mkv", result.output).first)
        #expect((1.9...2.1).contains(played.seconds))
        // The last frames are on their way when the end comes.
        #expect((50...60).contains(played.shown + played.dropped), "\(result.output)")
        #expect(folder.names == ["clip.mkv"])
    }

    @Test func playsSeveralFilesAndThoseThatItCan() async throws {
        try await makeClip("a.mkv", frames: 15)
        try await makeClip("b.mkv", frames: 15, color: "bt709")
        let both = try await play("--presenter", "offscreen", "--no-audio", "a.mkv", "b.mkv")
        #expect(both.status == 0, "\(both.errors)")
        #expect(try summary("a.mkv", both.output).count == 1)
        #expect(try summary("b.mkv", both.output).count == 1)
        let some = try await play("--presenter", "offscreen", "absent.mkv", "a.mkv", "b.mkv")
        #expect(some.status == 1)
        #expect(some.errorLines.count == 2 && some.errors.contains("no file absent.mkv"), "\(some.errors)")
        #expect(some.errors.contains("1 of 3 could not be played"))
        #expect(try summary("b.mkv", some.output).count == 1)
    }

    @Test func loopsUntilTheTimeIsOver() async throws {
        try await makeClip(frames: 15)
        let result = try await play("--presenter", "offscreen", "--loop", "--duration", "5", "clip.mkv")
        #expect(result.status == 0, "\(result.errors)")
        // Half a second each; a busy machine needs most of the time to begin.
        #expect(try summary("clip.mkv", result.output).count >= 2, "\(result.output)")
        let quiet = try await play("--presenter", "offscreen", "--loop", "--duration", "0.5", "--quiet", "clip.mkv")
        #expect(quiet.status == 0 && quiet.output.isEmpty && quiet.errors.isEmpty, "\(quiet.errors)")
    }

    @Test(Samples.areThere)
    func playsAPhonesClip() async throws {
        // Its metadata tracks have no decoder.
        let clip = Samples.path("iphone-dolby-vision-8.4-hlg.mov")
        let result = try await command(["--presenter", "offscreen", clip]).run()
        #expect(result.status == 0 && !result.timedOut, "\(result.errors)")
    }

    /// A folder stands for its videos, by name.
    @Test func playsAFolderAndReportsIt() async throws {
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "clips"), withIntermediateDirectories: true)
        for name in ["b.mkv", "a.mkv"] { try await makeClip("clips/" + name, frames: 15) }
        try Data("no video\n".utf8).write(to: folder.url.appending(path: "clips/notes.txt"))
        let result = try await play("--presenter", "offscreen", "--json", "clips", "absent.mkv")
        #expect(result.status == 1)
        struct Report: Decodable {
            enum CodingKeys: String, CodingKey {
                case file, error
                case shown = "frames-shown"
                case dropped = "frames-dropped"
                case position = "position-seconds"
            }
            let file: String
            let shown: Int
            let dropped: Int
            let position: Double?
            let error: String?
        }
        let reports = try JSONDecoder().decode([Report].self, from: Data(result.output.utf8))
        #expect(reports.map(\.file) == ["clips/a.mkv", "clips/b.mkv", "absent.mkv"])
        for report in reports.dropLast() {
            #expect((12...15).contains(report.shown + report.dropped), "\(result.output)")
            #expect((0.45...0.55).contains(report.position ?? 0) && report.error == nil, "\(result.output)")
        }
        #expect(reports.last?.shown == 0 && reports.last?.position == nil)
        #expect(reports.last?.error == "there is no file absent.mkv: check the spelling and the folder")
    }

    // MARK: - Keys

    @Test func obeysKeysOfTheTerminal() async throws {
        try await makeClip(frames: 900)
        let result = try await type(
            [
                ("0:01 /", "\u{1b}[C"), (#"0:1\d / 0:30  headroom 4.93"#, " "), ("paused", "+"), ("headroom 5.86", "h"),
                (#"headroom 1.00 \(off\)"#, "h"), ("headroom 5.86", "0"), ("headroom 4.93", "\u{1b}[B"),
                ("volume 90 %", "i"), ("color-space +extended-linear-display-p3", "s"), ("Saved .*png", "."),
                ("paused", "?"), ("next frame", " "), (#"0:1\d / 0:30  headroom"#, "\u{1b}[D"), ("0:0[0-9] /", "q"),
            ], "--presenter", "offscreen", "clip.mkv")
        #expect(result.status == 0 && !result.timedOut, "\(result.output.suffix(2000))")
        let played = try #require(try summary("clip.mkv", result.output).first)
        #expect(played.seconds < 10)
        let still = try #require(folder.names.first { $0.hasSuffix(".png") })
        #expect(still.wholeMatch(of: /clip-0\.00\.1\d\.\d{3}\.png/) != nil, "\(still)")
        let bytes = try Data(contentsOf: folder.url.appendingPathComponent(still))
        #expect(bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) && bytes.suffix(8).starts(with: Data("IEND".utf8)))
    }

    @Test func obeysKeysOfTheWindow() async throws {
        try await makeClip(frames: 300)
        let compositor = try HDRCompositor()
        let running = try command(["--presenter", "wayland", "clip.mkv"], compositor.environment).start()
        #expect(try await running.wait { mock_frame_count(compositor.mock) >= 5 })
        // KEY_Q of linux/input-event-codes.h.
        mock_key(compositor.mock, 16, true)
        mock_key(compositor.mock, 16, false)
        let result = try await running.finish()
        #expect(result.status == 0 && !result.timedOut, "\(result.errors)")
        let played = try #require(try summary("clip.mkv", result.output).first)
        #expect(played.seconds < 9)
        #expect(!compositor.descriptions.isEmpty, "HDR is described to the compositor")
    }

    @Test func endsWhenItsWindowIsClosed() async throws {
        try await makeClip(frames: 300)
        let compositor = try HDRCompositor()
        let running = try command(["--presenter", "wayland", "--quiet", "clip.mkv"], compositor.environment).start()
        #expect(try await running.wait { mock_frame_count(compositor.mock) >= 5 })
        mock_close_window(compositor.mock)
        let result = try await running.finish()
        #expect(result.status == 0 && !result.timedOut && result.errors.isEmpty, "\(result.errors)")
    }

    // MARK: - Windows

    @Test(.enabled(if: Displays.missingXvfb == nil, "Xvfb is not installed"))
    func playsOnX11() async throws {
        try await makeClip()
        let server = try XServer()
        // There is no compositor, so X11 is found.
        let result = try await play("clip.mkv", on: server.environment)
        #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
        let played = try #require(try summary("clip.mkv", result.output).first)
        #expect(played.shown > 0 && played.seconds > 1.9, "\(result.output)")
    }

    @Test(.enabled(if: Displays.missingWeston == nil, "weston is not installed"))
    func playsOnWeston() async throws {
        try await makeClip()
        let server = try await WestonServer()
        let result = try await play("clip.mkv", on: server.environment)
        #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
        let played = try #require(try summary("clip.mkv", result.output).first)
        #expect(played.shown > 0 && played.seconds > 1.9, "\(result.output)")
    }

    // MARK: - What it refuses

    @Test func givesHelp() async throws {
        let result = try await play("--help")
        #expect(result.status == 0 && result.output.hasPrefix("Usage: hdr play ") && result.errors.isEmpty)
        #expect(result.output.contains("Keys") && result.output.contains("Examples"))
    }

    /// The script makes the machine ready, and is the command then.
    @Test func theScriptPlays() async throws {
        try await makeClip(frames: 15)
        let program = Repository.path("pipelines/play")
        var command = Command(program, ["--presenter", "offscreen", "clip.mkv"], directory: folder.url)
        command.environment = Displays.none
        command.limit = .seconds(900)
        let result = try await command.run()
        #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
        #expect(try summary("clip.mkv", result.output).count == 1)
        command.arguments = ["--help"]
        #expect(try await command.run().output == play("--help").output)
        command.arguments = ["--no-install", "absent.mkv"]
        let refused = try await command.run()
        #expect(refused.status == 1 && refused.errors.hasPrefix("hdr play: there is no file absent.mkv"), "\(refused)")
    }

    func expectRefusal(
        _ words: String, _ arguments: String..., status: Int32 = 1, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let result = try await command(arguments).run()
        #expect(result.status == status, sourceLocation: sourceLocation)
        #expect(result.errorLines.count == 1, "\(result.errors)", sourceLocation: sourceLocation)
        #expect(result.errors.hasPrefix("hdr play: "), "\(result.errors)", sourceLocation: sourceLocation)
        #expect(result.errors.contains(words), "\(result.errors)", sourceLocation: sourceLocation)
        #expect(result.output.isEmpty, sourceLocation: sourceLocation)
    }

    @Test func refusesWhatItCannotPlay() async throws {
        try await expectRefusal("INPUT is missing", status: 2)
        try await expectRefusal("--bogus", "--bogus", status: 2)
        try await expectRefusal("did you mean --sdr?", "--sdf", "clip.mkv", status: 2)
        try await expectRefusal("no file absent.mov", "absent.mov")
        try await expectRefusal("nosuch: addresses", "nosuch://host/clip.mkv")
        try Data("This is not a video at all.\n".utf8).write(to: folder.url.appendingPathComponent("a.mov"))
        try await expectRefusal("not a video", "a.mov")
        try await makeClip(frames: 15)
        for headroom in ["0.5", "51", "bright", "nan"] {
            try await expectRefusal("--headroom must lie between 1", "--headroom", headroom, "clip.mkv", status: 2)
        }
        try await expectRefusal("--duration must be above 0", "--duration", "-1", "clip.mkv", status: 2)
        try await expectRefusal("--presenter", "--presenter", "window", "clip.mkv", status: 2)
        try await expectRefusal("DISPLAY", "--presenter", "x11", "clip.mkv")
        try await expectRefusal("presenter=offscreen", "clip.mkv")
        try await expectRefusal("Wayland compositor", "--presenter", "wayland", "clip.mkv")
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func endsWhenInterrupted(_ signal: Int32) async throws {
        try await makeClip(frames: 300)
        let log = try TemporaryFolder()
        var playing = command(["--presenter", "offscreen", "--quiet", "clip.mkv"])
        playing.environment.merge(["GST_DEBUG": "GST_STATES:INFO", "GST_DEBUG_FILE": log.path("states")]) { $1 }
        let running = try playing.start()
        #expect(try await running.wait { log.text("states").contains("completed state change to PLAYING") })
        running.send(signal)
        let result = try await running.finish()
        #expect(result.status == 128 + signal, "\(result.errors)")
        #expect(result.errors == "hdr play: interrupted\n")
        #expect(folder.names == ["clip.mkv"])
    }
}
