import Foundation
import PluginSupport
import Testing
import TestSupport

/// `hdr export` as a user runs it: what it writes, what it refuses, and what it leaves behind.
@Suite(.serialized, .timeLimit(.minutes(30)))
struct ExportTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Exports a file of the test's folder by a preset.
    func export(
        _ preset: String, _ input: String, _ output: String, _ options: String...
    ) async throws -> Command.Result {
        try await run(["--preset", preset, input, "-o", output] + options)
    }

    func run(_ words: [String]) async throws -> Command.Result {
        try await HDRCommand.run(["export"] + words, in: folder)
    }

    func file(_ name: String) -> URL { folder.url.appendingPathComponent(name) }

    func expectRefusal(
        _ result: Command.Result, _ words: String, leaving names: [String], status: Int32 = 1,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(result.status == status, "\(result)", sourceLocation: sourceLocation)
        #expect(result.errorLines.count == 1, "\(result.errors)", sourceLocation: sourceLocation)
        #expect(result.errors.hasPrefix("hdr export: "), "\(result.errors)", sourceLocation: sourceLocation)
        #expect(result.errors.contains(words), "\(result.errors)", sourceLocation: sourceLocation)
        #expect(result.output.isEmpty, sourceLocation: sourceLocation)
        #expect(folder.names == names.sorted(), sourceLocation: sourceLocation)
    }

    // MARK: - What it writes

    struct Case: CustomTestStringConvertible {
        let preset: String
        let ending: String
        /// The sample entries of video and sound, or Matroska's codecs as GStreamer's caps.
        let video: String
        let sound: String
        /// Primaries, transfer and matrix.
        let color: [Int]
        var testDescription: String { "\(preset).\(ending)" }
    }

    static let hlg = [9, 18, 9]
    static let cases = [
        Case(preset: "hevc-highest-quality", ending: "mov", video: "hvc1", sound: "mp4a", color: hlg),
        Case(preset: "hevc-1920x1080", ending: "mp4", video: "hvc1", sound: "mp4a", color: hlg),
        Case(preset: "hevc-highest-quality", ending: "mkv", video: "video/x-h265", sound: "audio/mpeg", color: hlg),
        Case(preset: "h264-640x480", ending: "mov", video: "avc1", sound: "mp4a", color: [1, 1, 1]),
        Case(preset: "h264-highest-quality", ending: "m4v", video: "avc1", sound: "mp4a", color: [1, 1, 1]),
        Case(preset: "h264-640x480", ending: "mkv", video: "video/x-h264", sound: "audio/mpeg", color: [1, 1, 1]),
        Case(preset: "prores-422", ending: "mov", video: "apcn", sound: "sowt", color: hlg),
        Case(preset: "prores-422", ending: "mkv", video: "video/x-prores", sound: "audio/x-raw", color: hlg),
    ]

    @Test(arguments: cases)
    func exportsAClip(_ the: Case) async throws {
        try await TestClip(color: "bt2100-hlg").make("clip.mkv", in: folder)
        let name = "out.\(the.ending)"
        let result = try await export(the.preset, "clip.mkv", name, "--speed", "ultrafast")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.hasPrefix("Wrote \(name): \(the.preset), 30 frames"), "\(result.output)")
        #expect(folder.names == ["clip.mkv", name])
        if the.ending == "mkv" {
            let report = try await TestClip.packets("video_0", of: folder.path(name))
            #expect(report.contains(the.video))
            // matroskademux 1.22 hands ProRes on without times.
            if the.video != "video/x-prores" {
                let milliseconds = TestClip.times(report).sorted().map { Int(($0 * 1000).rounded()) }
                let expected: [Int] = (0..<30).map { (frame: Int) -> Int in (frame * 1000 + 15) / 30 }
                #expect(milliseconds == expected)
            }
            #expect(report.contains(the.color == Self.hlg ? "bt2100-hlg" : "bt709"))
            #expect(try await TestClip.packets("audio_0", of: folder.path(name)).contains(the.sound))
            return
        }
        let movie = try MovieFile(contentsOf: file(name))
        let video = try #require(movie.track("vide"))
        #expect(video.codec == the.video)
        // The source is Matroska, which counts milliseconds.
        #expect(video.times.count == 30)
        for (index, time) in video.times.enumerated() { #expect(abs(time - Double(index) / 30) < 0.0006, "\(index)") }
        #expect(video.color == the.color)
        #expect(video.descriptions == 1)
        let sound = try #require(movie.track("soun"))
        #expect(the.sound == "sowt" ? ["sowt", "in24", "lpcm"].contains(sound.codec) : sound.codec == the.sound)
        #expect(movie.tracks.count == 2)
    }

    @Test func writesMetadataIntoStreamAndHeader() async throws {
        try await TestClip(color: "bt2100-pq").make("clip.mkv", in: folder)
        let display = "34000:16000:13250:34500:7500:3000:15635:16450:10000000:50"
        let result = try await export(
            "hevc-highest-quality", "clip.mkv", "out.mov", "--mastering-display", display, "--light-levels", "777:55",
            "--speed", "ultrafast", "--quiet")
        #expect(result.status == 0 && result.output.isEmpty, "\(result.errors)")
        let video = try #require(try MovieFile(contentsOf: file("out.mov")).track("vide"))
        // Green, blue, red, white, maximum, minimum: the order of the SEI message.
        let numbers = [13250, 34500, 7500, 3000, 34000, 16000, 15635, 16450].flatMap {
            [UInt8($0 >> 8), UInt8($0 & 255)]
        }
        #expect(video.box("mdcv") == numbers + [0x00, 0x98, 0x96, 0x80, 0, 0, 0, 50])
        #expect(video.box("clli") == [777 >> 8, 777 & 255, 0, 55])
        let stream = try await TestClip.packets("video_0", of: folder.path("out.mov"), parser: "h265parse")
        // qtdemux of GStreamer 1.26 and later leaves them in the order of the message, and 1.26 misreads luminances.
        let shown = [display, "13250:34500:7500:3000:34000:16000:15635:16450:"]
        #expect(shown.contains { stream.contains("mastering-display-info=(string)\($0)") })
        #expect(stream.contains("content-light-level=(string)777:55"))

        // ProRes has them in the header alone, from where they come back.
        #expect(try await export("prores-422", "out.mov", "master.mov", "--quiet").status == 0)
        #expect(try await export("hevc-1920x1080", "master.mov", "again.mp4", "--speed", "ultrafast").status == 0)
        let again = try #require(try MovieFile(contentsOf: file("again.mp4")).track("vide"))
        #expect(again.box("mdcv") == video.box("mdcv"))
        #expect(again.box("clli") == video.box("clli"))
        let none = try await export(
            "hevc-1920x1080", "out.mov", "none.mov", "--no-hdr-metadata", "--speed", "ultrafast")
        #expect(none.status == 0, "\(none.errors)")
        #expect(try #require(try MovieFile(contentsOf: file("none.mov")).track("vide")).box("mdcv") == nil)
    }

    @Test(arguments: ["hevc-highest-quality", "passthrough"])
    func measuresLightInAFirstPass(preset: String) async throws {
        try await TestClip(color: "bt2100-pq").make("clip.mkv", in: folder)
        #expect(try await export("hevc-highest-quality", "clip.mkv", "a.mov", "--speed", "ultrafast").status == 0)
        let result = try await export(preset, "a.mov", "out.mov", "--two-pass-light-levels", "--speed", "ultrafast")
        #expect(result.status == 0, "\(result.errors)")
        let video = try #require(try MovieFile(contentsOf: file("out.mov")).track("vide"))
        let light = try #require(video.box("clli"))
        let levels = "\(Int(light[0]) << 8 | Int(light[1])):\(Int(light[2]) << 8 | Int(light[3]))"
        // The bars' white has the signal's full amplitude.
        #expect(Int(light[0]) << 8 | Int(light[1]) > 1000, "\(levels)")
        #expect(Array(light[0...1]) != Array(light[2...3]), "the average is lower")
        let stream = try await TestClip.packets("video_0", of: folder.path("out.mov"), parser: "h265parse")
        #expect(stream.contains("content-light-level=(string)\(levels)"))
    }

    @Test func copiesWithPassthrough() async throws {
        try await TestClip(color: "bt2100-pq").make("clip.mkv", in: folder)
        #expect(try await export("hevc-highest-quality", "clip.mkv", "a.mov").status == 0)
        let first = try #require(try MovieFile(contentsOf: file("a.mov")).track("vide"))
        // Matroska has no decoding times: they must come back on the way to MP4.
        for (from, to) in [("a.mov", "b.mkv"), ("b.mkv", "c.mp4"), ("c.mp4", "d.mov")] {
            let result = try await export("passthrough", from, to)
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output.contains("sound: copied"))
        }
        let last = try MovieFile(contentsOf: file("d.mov"))
        let video = try #require(last.track("vide"))
        // Parameter sets may come into the first packet.
        #expect(video.sizes.dropFirst() == first.sizes.dropFirst(), "the same packets")
        #expect(zip(video.times, first.times).allSatisfy { abs($0 - $1) < 0.002 } && video.times.count == 30)
        #expect(video.color == [9, 16, 9])
        #expect(last.track("soun")?.codec == "mp4a")
    }

    @Test func keepsTimesThatAreNoWholeTicks() async throws {
        try await TestClip(color: "bt2100-hlg", rate: "24000/1001").make("clip.mkv", in: folder)
        let result = try await export("hevc-highest-quality", "clip.mkv", "out.mov", "--speed", "ultrafast")
        #expect(result.status == 0, "\(result.errors)")
        let video = try #require(try MovieFile(contentsOf: file("out.mov")).track("vide"))
        // Matroska counts milliseconds; none may be off by more than its rounding.
        #expect(video.times.count == 30)
        for (index, time) in video.times.enumerated() { #expect(abs(time - Double(index) * 1001 / 24000) < 0.0006) }
    }

    @Test func exportsSoundAlone() async throws {
        try await TestClip(color: "bt2100-hlg").make("clip.mkv", in: folder)
        #expect(try await export("m4a", "clip.mkv", "out.m4a").status == 0)
        #expect(try await export("m4a", "out.m4a", "again.m4a").status == 0)
        for name in ["out.m4a", "again.m4a"] {
            #expect(try MovieFile(contentsOf: file(name)).tracks.map(\.codec) == ["mp4a"])
        }
        expectRefusal(
            try await export("hevc-highest-quality", "out.m4a", "out.mov"), "no video track",
            leaving: ["again.m4a", "clip.mkv", "out.m4a"])
    }

    @Test func listsPresets() async throws {
        let all = try await run(["--list"])
        #expect(all.status == 0 && all.errors.isEmpty, "\(all.errors)")
        let names = all.output.split(separator: "\n").compactMap { $0.split(separator: " ").first }
        for name in ["hevc-highest-quality", "h264-1280x720", "prores-4444", "passthrough", "m4a"] {
            #expect(names.contains { $0 == name }, "\(name)")
        }
        try await TestClip(color: "bt2100-hlg").make("clip.mkv", in: folder)
        let some = try await run(["--list", "clip.mkv", "--file-type", "mp4"])
        #expect(!some.output.contains("prores"))
        #expect(some.output.contains("hevc-3840x2160        HEVC main-10, 320x180"), "\(some.output)")
        #expect(some.output.split(separator: "\n").first { $0.hasPrefix("h264-640x480 ") }?.contains("SDR") == true)
    }

    @Test(Samples.areThere, arguments: HDRToSDRTests.samples)
    func exportsSamples(_ sample: HDRToSDRTests.Sample) async throws {
        let path = Samples.path(sample.name)
        let result = try await export("hevc-highest-quality", path, "out.mov", "--speed", "ultrafast")
        #expect(result.status == 0, "\(result.errors)")
        let movie = try MovieFile(contentsOf: file("out.mov"))
        let video = try #require(movie.track("vide"))
        #expect(video.times.count == sample.frames)
        #expect([[9, 16, 9], [9, 18, 9]].contains(video.color))
        #expect(movie.tracks.count == 1 + sample.sounds.count)
        #expect(try await export("passthrough", path, "copy.mov").status == 0)
        let copy = try MovieFile(contentsOf: file("copy.mov"))
        // A frame behind the end of the edit list may be needed by those before it.
        #expect([0, 1].contains((copy.track("vide")?.times.count ?? 0) - sample.frames))
        #expect(copy.tracks.filter { $0.handler == "soun" }.map(\.sizes.count) == sample.sounds)
        #expect(copy.track("vide")?.color == video.color)
    }

    // MARK: - What it refuses, and what it leaves behind

    @Test func givesHelp() async throws {
        let result = try await run(["--help"])
        #expect(result.status == 0)
        #expect(result.output.hasPrefix("Usage: hdr export "))
        #expect(result.errors.isEmpty)
    }

    @Test func refusesWhatCannotWork() async throws {
        try await TestClip(color: "bt2100-pq").make("clip.mkv", in: folder)
        let kept = ["clip.mkv"]
        let good = "hevc-highest-quality"
        expectRefusal(try await run([]), "hdr export INPUT", leaving: kept, status: 2)
        expectRefusal(
            try await run(["clip.mkv", "clip.mkv", "-o", "o.mov"]), "-o FOLDER/", leaving: kept, status: 2)
        expectRefusal(try await run(["clip.mkv", "--perset", "x"]), "--preset?", leaving: kept, status: 2)
        expectRefusal(
            try await export("hevc-hihgest-quality", "clip.mkv", "o.mov"),
            "(did you mean hevc-highest-quality?)", leaving: kept, status: 2)
        expectRefusal(try await export(good, "absent.mov", "o.mov"), "no file absent.mov", leaving: kept)
        expectRefusal(
            try await export(good, "clip.mkv", "o.avi"), "should end in .mov", leaving: kept, status: 2)
        expectRefusal(try await export(good, "clip.mkv", "absent/o.mov"), "no folder absent", leaving: kept)
        expectRefusal(try await export(good, "clip.mkv", "clip.mkv"), "the input itself", leaving: kept)
        expectRefusal(try await export("prores-422", "clip.mkv", "o.mp4"), "ProRes", leaving: kept, status: 2)
        expectRefusal(
            try await export(good, "clip.mkv", "o.mov", "--speed", "warp"), "ultrafast", leaving: kept, status: 2)
        expectRefusal(
            try await export(good, "clip.mkv", "o.mov", "--settings", "widht=3"), "width", leaving: kept, status: 2)
        expectRefusal(
            try await export(good, "clip.mkv", "o.mov", "--settings", "=="), "width=1280", leaving: kept, status: 2)
        expectRefusal(
            try await export(good, "clip.mkv", "o.mov", "--light-levels", "10"), "MaxCLL:MaxFALL", leaving: kept,
            status: 2)
        expectRefusal(
            try await export("h264-640x480", "clip.mkv", "o.mov", "--light-levels", "10:5"), "SDR", leaving: kept)
        expectRefusal(
            try await export("passthrough", "clip.mkv", "o.mov", "--assume", "hlg"), "bt2100-pq", leaving: kept)
        try Data("precious".utf8).write(to: file("o.mov"))
        expectRefusal(try await export(good, "clip.mkv", "o.mov"), "--force", leaving: kept + ["o.mov"])
        #expect(try Data(contentsOf: file("o.mov")) == Data("precious".utf8))
    }

    @Test func leavesNothingWhenTheDiskIsFull() async throws {
        try await TestClip(color: "bt2100-pq").make("clip.mkv", in: folder)
        let script = "ulimit -f 4; exec \"$0\" export --preset prores-422 clip.mkv -o out.mov"
        let result = try await Command("bash", ["-c", script, HDRCommand.program], directory: folder.url).run()
        expectRefusal(result, "cannot write out.mov", leaving: ["clip.mkv"])
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func leavesNothingWhenInterrupted(_ signal: Int32) async throws {
        try await TestClip(color: "bt2100-pq", frames: 300, width: 640, height: 360).make("clip.mkv", in: folder)
        try await HDRCommand.command(["export", "clip.mkv", "-o", "out.mov", "--speed", "veryslow"], in: folder)
            .expectNothingLeft(after: signal, unfinished: ".export-", in: folder)
    }
}
