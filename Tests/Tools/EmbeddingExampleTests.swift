import Foundation
import PluginSupport
import TestSupport
import Testing

/// The programs of the page `embedding`, built by the page's lines and run.
@Suite struct EmbeddingExampleTests {
    static let folder = Repository.root.appendingPathComponent("Sources/Examples")
    private static let page =
        (try? String(contentsOfFile: Repository.path("Sources/GstHDR/GstHDR.docc/embedding.md"), encoding: .utf8)) ?? ""

    let scratch: TemporaryFolder

    init() throws {
        scratch = try TemporaryFolder()
        // The lines of the page are for the project's folder, where they would leave what they make.
        try FileManager.default.createSymbolicLink(
            atPath: scratch.path("Sources"), withDestinationPath: Repository.path("Sources"))
    }

    /// The page's line with a word in it.
    static func line(_ word: String) throws -> String {
        try #require(page.split(separator: "\n").first { $0.contains(word) && !$0.hasPrefix("|") }.map(String.init))
    }

    /// Runs a line of the page in the test's folder.
    @discardableResult
    private func run(_ line: String, _ environment: [String: String] = [:]) throws -> String {
        let place = "cd '\(scratch.url.path)' && "
        let outcome = try GstTool.run("/bin/sh", ["-c", place + line], environment: environment, timeout: 120)
        expectClean(outcome)
        return outcome.output
    }

    /// Builds a C program by its line, but with this compiler, and no warning.
    private func build(_ name: String, _ compiler: String = "gcc") throws -> String {
        let line = try Self.line("\(name).c -o \(name) ")
        let first = String(
            try String(contentsOf: Self.folder.appendingPathComponent("\(name).c"), encoding: .utf8)
                .replacing(#/ \\\n \*\s+/#, with: " ").split(separator: "\n").first { $0.contains("cc Sources") } ?? "")
        #expect(first.replacing(" */", with: "").hasSuffix(line), "the page and the program's first lines agree")
        try run(compiler + " -std=c11 -O1 -Wall -Wextra -pedantic -Werror" + line.dropFirst(2))
        return scratch.path(name)
    }

    /// A clip of one colour, or of two that change in the middle, in VP9.
    private func clip(
        _ name: String, _ color: String, _ codes: [String], frames: Int, sound: String = ""
    ) async throws -> String {
        let format = color.hasPrefix("bt2100") ? "I420_10LE" : "I420"
        let parts = codes.map {
            "videotestsrc num-buffers=\(frames / codes.count) pattern=solid-color foreground-color=0xff\($0) ! "
                + "video/x-raw,format=\(format),width=320,height=180,framerate=25/1,colorimetry=\(color) ! c. "
        }
        try await GstLaunch.make(
            "concat name=c ! vp9enc deadline=1 cpu-used=8 threads=2 ! queue ! matroskamux name=m ! "
                + "filesink location=\(scratch.path(name)) \(parts.joined())\(sound)")
        return scratch.path(name)
    }

    @Test(arguments: [
        "player.c", "window_gtk.c", "sound_beside_film.c", "light_levels.py", "dissolve.py", "start_together.rs",
        "hdrtap.c", "hdrtap_video.c", "hdrtap_video.py", "hdrtap.py", "hdrcompositor.c", "hdrcompositor.py",
    ])
    func ofAPageOrTwo(_ name: String) throws {
        let text = try String(contentsOf: Self.folder.appendingPathComponent(name), encoding: .utf8)
        #expect(text.count { $0.isNewline } < 150, "An example is a page or two.")
    }

    // MARK: The player

    private let tone =
        "audiotestsrc num-buffers=75 samplesperbuffer=1920 volume=0.5 ! audio/x-raw,rate=48000 ! flacenc ! m."

    @Test(arguments: ["gcc", "clang"]) func thePlayer(_ compiler: String) async throws {
        let program = try build("player", compiler)
        // A name that an URI has to quote.
        let white = scratch.path("a clip, white.mkv")
        try FileManager.default.moveItem(
            atPath: try await clip("white.mkv", "bt2100-pq", ["ffffff"], frames: 75, sound: tone), toPath: white)
        let outcome = try GstTool.run(program, [white, "fakesink", "fakesink"])
        expectClean(outcome)
        let reports = outcome.output.matches(of: /[\d.]+ s: sound (-[\d.]+|-inf) dB, light (\d+) cd\/m2\n/)
        #expect(reports.compactMap { Double($0.1) }.max().map { abs($0 + 6) < 0.1 } == true, "\(outcome)")
        #expect(reports.compactMap { Int($0.2) }.max() == 10000)

        let missing = try GstTool.run(program, [scratch.path("missing.mkv"), "fakesink", "fakesink"])
        #expect(missing.status == 1 && missing.errors == "player: Resource not found.\n" && missing.output == "")
        let noSink = try GstTool.run(program, [white, "nosuchsink"])
        #expect(noSink.status == 1 && noSink.errors == "player: no element \"nosuchsink\"\n")
        #expect(try GstTool.run(program).status == 1)
    }

    @Test func thePlayerEndsByAnInterrupt() async throws {
        var command = Command(
            try build("player"),
            [try await clip("clip.mkv", "bt709", ["ffffff"], frames: 1500), "fakesink sync=true", "fakesink"])
        (command.environment, command.inheritsEnvironment) = (try GstTool.completeEnvironment, false)
        let running = try command.start()
        #expect(try await running.wait { running.outputSoFar.contains("dB") })
        running.send(SIGINT)
        let outcome = try await running.finish()
        expectClean(outcome)
        let last = try #require(outcome.output.matches(of: /([\d.]+) s: sound/).last.flatMap { Double($0.1) })
        #expect(last < 59, "before the end of the clip, at 60 s")
    }

    // MARK: The window

    private static let hasGTK =
        Command.exists("pkg-config") && (try? GstTool.build("pkg-config", ["--exists", "gtk+-3.0"])) != nil

    /// The pixels of a picture of bytes R, G, B that have the clip's red.
    private func reds(_ file: String) throws -> Int {
        let bytes = [UInt8](try scratch.data(file))
        return stride(from: 0, to: bytes.count - 2, by: 3).count {
            (176...200).contains(bytes[$0]) && bytes[$0 + 1] < 40 && bytes[$0 + 2] < 40
        }
    }

    /// Starts the window with a red clip, takes pictures of the screen until it is red there, and waits for the end.
    private func expectRed(_ environment: [String: String], _ capture: () throws -> Void) async throws {
        var command = Command(
            try build("window_gtk"), [try await clip("red.mkv", "bt709", ["c02020"], frames: 1500)])
        command.environment = try GstTool.completeEnvironment.merging(environment) { $1 }
        command.inheritsEnvironment = false
        let running = try command.start()
        var count = 0
        while running.isRunning && count < 200_000 {
            // Its thread is kept: a task that sleeps may wake after the clip's end.
            usleep(200_000)
            try capture()
            count = max(count, try reds("screen"))
        }
        running.send(SIGTERM)
        _ = try await running.finish()
        // A short clip is played to its end, and closes the window.
        let short = try await clip("short.mkv", "bt709", ["c02020"], frames: 10)
        let outcome = try GstTool.run(scratch.path("window_gtk"), [short], environment: environment)
        #expect(outcome.status == 0, "\(outcome)")
        // The widget has 640x360 pixels, of which a shadow of the window's may lie on some.
        #expect((220_000...230_400).contains(count), "\(count)")
    }

    @Test(
        .enabled(if: hasGTK, "apt-get install libgtk-3-dev"), .enabled(if: XServer.isInstalled, "apt-get install xvfb"))
    func theWindowOnX11() async throws {
        let screen = try XServer()
        let environment = screen.environment
        try await expectRed(environment.merging(["GDK_BACKEND": "x11"]) { $1 }) {
            let line =
                "ximagesrc num-buffers=1 use-damage=false ! videoconvert ! video/x-raw,format=RGB ! "
                + "filesink location=\(scratch.path("screen"))"
            let outcome = try GstTool.launch(line, environment: environment)
            #expect(outcome.status == 0, "\(outcome)")
        }
    }

    @Test(
        .enabled(if: hasGTK, "apt-get install libgtk-3-dev"),
        .enabled(if: Command.exists("weston-screenshooter"), "apt-get install weston"))
    func theWindowOnWeston() async throws {
        let weston = try await WestonServer(["--debug"])
        // GTK complains of a Weston that has no keyboard.
        let settings = ["GDK_BACKEND": "wayland", "G_DEBUG": ""]
        try await expectRed(weston.environment.merging(settings) { $1 }) {
            try run("rm -f *.png; weston-screenshooter", weston.environment)
            try run(
                "gst-launch-1.0 -q filesrc location=$(echo wayland*.png) ! pngdec ! videoconvert ! "
                    + "video/x-raw,format=RGB ! filesink location=screen")
        }
    }

    // MARK: Python

    /// The rows of a table of light_levels.py: time, maximum and average.
    private func levels(_ table: String) -> [[Double]] {
        scratch.text(table).split(whereSeparator: \.isNewline).dropFirst().map { row in
            row.split(separator: ",").prefix(3).compactMap { Double($0) }
        }
    }

    @Test func lightLevels() async throws {
        _ = try await clip("clip.mkv", "bt2100-pq", ["ffffff", "000000"], frames: 50)
        let output = try run(try Self.line("light_levels.py clip.mkv"))
        #expect(output == "50 frames, MaxCLL 10000, MaxFALL 10000\n")
        let rows = levels("levels.csv")
        #expect(rows.count == 50 && rows.allSatisfy { $0.count == 3 })
        for (index, row) in rows.enumerated() {
            #expect(abs(row[0] - 0.04 * Double(index)) < 0.001)
            #expect(index < 25 ? row[1] == 10000 : row[1] < 0.1, "\(index): \(row)")
        }
        let points = scratch.text("levels.svg").matches(of: /<polyline points="([^"]*)"/).map(\.1)
        #expect(points.count == 4 && points.allSatisfy { $0.split(separator: " ").count == 50 })

        let script = Self.folder.appendingPathComponent("light_levels.py").path
        let failure = try GstTool.run("/usr/bin/python3", ["-B", script, scratch.path("none.mkv"), scratch.path("t")])
        #expect(failure.status == 1 && failure.errors.hasPrefix("light_levels.py: there is no file "), "\(failure)")
    }

    private static let hasGES =
        Command.exists("python3")
        && (try? GstTool.build("/usr/bin/python3", ["-c", "import gi; gi.require_version('GES', '1.0')"])) != nil

    /// One clip ends as it is, the other begins as it is, and in between there is light of both.
    @Test(.enabled(if: hasGES, "apt-get install gir1.2-ges-1.0 python3-gi"), arguments: [false, true])
    func theDissolve(isReversed: Bool) async throws {
        let names = isReversed ? ["hlg.mkv", "clip.mkv"] : ["clip.mkv", "hlg.mkv"]
        _ = try await clip("clip.mkv", "bt2100-pq", ["808080"], frames: 50)
        _ = try await clip("hlg.mkv", "bt2100-hlg", ["c0c0c0"], frames: 50)
        let line = try Self.line("dissolve.py clip.mkv")
            .replacing("clip.mkv hlg.mkv", with: names.joined(separator: " "))
        try run(line)
        let script = Self.folder.appendingPathComponent("light_levels.py").path
        for name in names + ["both.mov"] { try run("/usr/bin/python3 -B \(script) \(name) \(name).csv >/dev/null") }
        let (first, second) = (levels("\(names[0]).csv")[0][2], levels("\(names[1]).csv")[0][2])
        let rows = levels("both.mov.csv").map { $0[2] }
        #expect((86...88).contains(rows.count), "\(rows.count)")
        let shares = rows.map { ($0 - first) / (second - first) }
        #expect(shares.prefix(36).allSatisfy { abs($0) < 0.03 }, "\(shares)")
        #expect(shares.suffix(36).allSatisfy { abs($0 - 1) < 0.03 }, "\(shares)")
        #expect(zip(shares, shares.dropFirst()).allSatisfy { $1 > $0 - 0.03 }, "\(shares)")
        // GES 1.22 applies keyframes a frame or two early.
        #expect(shares.count { (0.1...0.9).contains($0) } >= 8, "\(shares)")
        let report = try GstTool.run(HDRCommand.program, ["inspect", "--quiet", scratch.path("both.mov")])
        #expect(report.status == 0, "HDR")
    }

    // MARK: Rust

    @Test(
        .enabled(if: Command.exists("rustc"), "rustc is not there: apt-get install rustc"),
        .enabled(if: Command.exists("meson") && Command.exists("g-ir-scanner"), "meson or g-ir-scanner is missing"))
    func theRustProgram() throws {
        let library = try LibraryBuild.shared.get()
        // These are the folders that rustup keeps in the user's home.
        let own = ProcessInfo.processInfo.environment
        let home = own["RUSTUP_HOME"] ?? (own["HOME"] ?? "") + "/.rustup"
        let environment = library.environment.merging(["RUSTUP_HOME": home]) { $1 }
        try run(try Self.line("rustc -O").replacing("rustc", with: "rustc -D warnings"), environment)
        let output = try run(try Self.line("./start_together"), environment)
        #expect(output == "a second after the start: [2000000000, 2000000000] ns\n")
        let failure = try GstTool.run(
            scratch.path("start_together"), ["1", "nosuchelement ! fakesink"], environment: environment)
        #expect(failure.status == 1 && failure.errors == "start_together: no element \"nosuchelement\"\n")
    }
}
