import CMockCompositor
import Foundation
import PluginSupport
import Testing
import TestSupport

/// pipelines/play as a user runs it: on a terminal, in windows, and with nothing to play.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct PlayTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func command(_ arguments: [String], _ environment: [String: String] = Displays.none) -> Command {
        var command = Command(Repository.path("pipelines/play"), arguments, directory: folder.url)
        command.environment = environment
        command.limit = .seconds(900)
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
            [program, String(decoding: list, as: UTF8.self), Repository.path("pipelines/play")] + arguments,
            directory: folder.url)
        command.environment = Displays.none
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
        var command = command(["--presenter", "offscreen", clip])
        command.limit = .seconds(60)
        let result = try await command.run()
        #expect(result.status == 0 && !result.timedOut, "\(result.errors)")
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
        var command = command(["--presenter", "wayland", "clip.mkv"], compositor.environment)
        command.limit = .seconds(60)
        let running = try command.start()
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
        var command = command(["--presenter", "wayland", "--quiet", "clip.mkv"], compositor.environment)
        command.limit = .seconds(60)
        let running = try command.start()
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
        #expect(result.status == 0 && result.output.hasPrefix("usage: ") && result.errors.isEmpty)
    }

    func expectRefusal(
        _ words: String, _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let result = try await command(arguments).run()
        #expect(result.status == 1, sourceLocation: sourceLocation)
        #expect(result.errorLines.count == 1, "\(result.errors)", sourceLocation: sourceLocation)
        #expect(result.errors.hasPrefix("play: "), "\(result.errors)", sourceLocation: sourceLocation)
        #expect(result.errors.contains(words), "\(result.errors)", sourceLocation: sourceLocation)
        #expect(result.output.isEmpty, sourceLocation: sourceLocation)
    }

    @Test func refusesWhatItCannotPlay() async throws {
        try await expectRefusal("INPUT is missing")
        try await expectRefusal("--bogus", "--bogus")
        try await expectRefusal("no file absent.mov", "absent.mov")
        try await expectRefusal("nosuch: addresses", "nosuch://host/clip.mkv")
        try Data("This is not a video at all.\n".utf8).write(to: folder.url.appendingPathComponent("a.mov"))
        try await expectRefusal("not a video", "a.mov")
        try await makeClip(frames: 15)
        for headroom in ["0.5", "51", "bright", "nan"] {
            try await expectRefusal("--headroom must lie between 1", "--headroom", headroom, "clip.mkv")
        }
        try await expectRefusal("--duration must be above 0", "--duration", "-1", "clip.mkv")
        try await expectRefusal("--presenter", "--presenter", "window", "clip.mkv")
        try await expectRefusal("DISPLAY", "--presenter", "x11", "clip.mkv")
        try await expectRefusal("presenter=offscreen", "clip.mkv")
        try await expectRefusal("Wayland compositor", "--presenter", "wayland", "clip.mkv")
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func endsWhenInterrupted(_ signal: Int32) async throws {
        try await makeClip(frames: 300)
        let log = try TemporaryFolder()
        var playing = try command(["--presenter", "offscreen", "--quiet", "clip.mkv"])
        playing.environment.merge(["GST_DEBUG": "GST_STATES:INFO", "GST_DEBUG_FILE": log.path("states")]) { $1 }
        let running = try playing.start()
        #expect(try await running.wait { log.text("states").contains("completed state change to PLAYING") })
        running.send(signal)
        let result = try await running.finish()
        #expect(result.status == 128 + signal, "\(result.errors)")
        #expect(result.errors == "play: interrupted\n")
        #expect(folder.names == ["clip.mkv"])
    }
}
