import Foundation
import PluginSupport
import Testing
import TestSupport

/// `hdr inspect` as its users meet it: its words, its JSON, its exit status.
@Suite struct InspectToolTests {
    func inspect(_ arguments: [String], environment: [String: String] = [:]) throws -> Command.Result {
        // Damaged files cause criticals in GStreamer's own checks, which are no failure of the command.
        try HDRCommand.run(["inspect"] + arguments, environment: ["G_DEBUG": ""].merging(environment) { $1 })
    }

    func files(_ arguments: [String]) throws -> [[String: Any]] { try HDRCommand.inspect(arguments) }

    func codes(_ object: [String: Any]) -> [String] {
        (object["findings"] as? [[String: Any]] ?? []).compactMap { $0["code"] as? String }
    }

    /// One error line that names the file and says what to do, no report, status 2.
    private func expectError(_ path: String, _ words: String) throws {
        let outcome = try inspect([path])
        #expect(outcome.status == 2 && outcome.output.isEmpty, "\(outcome)")
        #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome)")
        #expect(
            outcome.errors.hasPrefix("hdr inspect: ") && outcome.errors.contains(words), "\(outcome)")
        let silent = try inspect(["--quiet", path])
        #expect(silent.status == 2 && silent.output.isEmpty && silent.errors.isEmpty, "\(silent)")
        let object = try #require(try files([path]).first)
        #expect((object["error"] as? String)?.contains(words) == true, "\(object)")
    }

    /// Ten frames of video in `name`, made by GStreamer itself.
    func make(_ name: String, _ elements: String, in scratch: TemporaryFolder) throws -> String {
        let outcome = try GstTool.launch(
            """
            videotestsrc num-buffers=10 ! video/x-raw,format=I420_10LE,width=64,height=48,framerate=25/1,\
            colorimetry=bt2100-pq,\
            mastering-display-info=(string)34000:16000:13250:34500:7500:3000:15635:16450:10000000:50,\
            content-light-level=(string)1000:400 ! \(elements) ! filesink location=\(scratch.path(name))
            """)
        expectClean(outcome)
        return scratch.path(name)
    }

    // MARK: Files that are no video

    @Test func filesThatCannotBeRead() throws {
        let scratch = try TemporaryFolder()
        try expectError(scratch.path("nothing.mp4"), "no such file")
        try expectError(scratch.url.path, "is a folder without videos")
        try expectError("https://example.com/a.mov", "is an address")
        try expectError(try scratch.write("", to: "empty.mov"), "is empty")
        try expectError(try scratch.write("Not a film, but a poem.\n", to: "poem.mp4"), "is not a media file")
        try expectError("/dev/zero", "is a device")
        #expect(mkfifo(scratch.path("pipe"), 0o600) == 0)
        try expectError(scratch.path("pipe"), "is a pipe")
    }

    @Test func aFolderStandsForItsVideos() throws {
        let scratch = try TemporaryFolder()
        _ = try make("b.mkv", "x265enc ! h265parse ! matroskamux", in: scratch)
        _ = try make("a.mov", "x265enc ! h265parse ! qtmux", in: scratch)
        try Data("a note".utf8).write(to: scratch.url("notes.txt"))
        let outcome = try inspect(["--json", scratch.url.path])
        let list = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [[String: Any]]
        let names = (list ?? []).compactMap { ($0["file"] as? String).map { String($0.suffix(5)) } }
        #expect(outcome.status == 0 && names == ["a.mov", "b.mkv"], "\(outcome)")
        let plot = try inspect(["--plot", scratch.path("plot.png"), scratch.url.path])
        #expect(plot.status == 2 && plot.errors.contains("--plot takes one file"), "\(plot)")
    }

    @Test func hugeSparseFiles() throws {
        let scratch = try TemporaryFolder()
        for (name, start) in [
            ("zeros", [UInt8]()), ("ebml", [0x1A, 0x45, 0xDF, 0xA3]),
            ("movie", [0, 0, 0, 16, 0x66, 0x74, 0x79, 0x70, 0x71, 0x74, 0x20, 0x20, 0, 0, 0, 0]),
        ] {
            try Data(start).write(to: scratch.url(name))
            try #require(truncate(scratch.path(name), 20 << 30) == 0)
            try expectError(scratch.path(name), "is ")
        }
    }

    @Test(
        arguments: [
            ([], "name a video file"), (["--frames"], "--frames wants a value: --frames N"),
            (["--frames", "0", "x"], "--frames wants a number from 1"),
            (["--colour", "x"], "no option is called --colour: there are --json"),
            (["--jsno", "x"], "no option is called --jsno (did you mean --json?): there are --json"),
            (["x", "--quiet=1"], "--quiet takes no value"),
        ])
    func commandLinesThatAreWrong(_ words: [String], says: String) throws {
        let outcome = try inspect(words)
        #expect(outcome.status == 2 && outcome.output.isEmpty, "\(outcome)")
        #expect(outcome.errors.contains(says) && outcome.errors.split(separator: "\n").count == 1)
    }

    @Test func helpAndVersion() throws {
        let help = try inspect(["--help"])
        expectClean(help)
        for word in ["--json", "--frames", "--timeout", "--quiet", "Exit status", "contains-hdr-video"] {
            #expect(help.output.contains(word))
        }
        let version = try inspect(["--version"])
        expectClean(version)
        #expect(version.output.wholeMatch(of: /hdr [0-9]+\.[0-9]+\.[0-9]+\n/) != nil)
    }

    // MARK: Files that GStreamer makes

    static let hasX265 = (try? GstTool.run("gst-inspect-1.0", ["--exists", "x265enc"]))?.status == 0

    /// matroskamux itself shows its bug.
    @Test(.enabled(if: hasX265, "x265enc is not there: apt-get install gstreamer1.0-plugins-bad"))
    func aMatroskaFileWithTheLuminanceBug() throws {
        let scratch = try TemporaryFolder()
        let path = try make("a.mkv", "x265enc ! h265parse ! matroskamux", in: scratch)
        let file = try #require(try files([path]).first)
        #expect(file["container"] as? String == "Matroska" && file["contains-hdr-video"] as? Bool == true)
        let video = try #require((file["video"] as? [[String: Any]])?.first)
        #expect(codes(video).contains("matroska-luminance-5x"))
        let mastering = try #require(video["mastering-display"] as? [String: [String: Any]])
        #expect(mastering["container"]?["peak-cd-m2"] as? Double == 200)
        #expect(mastering["bitstream"]?["peak-cd-m2"] as? Double == 1000)
        #expect(mastering["effective"]?["peak-cd-m2"] as? Double == 1000)
        #expect(mastering["effective"]?["gamut"] as? String == "Display P3")
        let table = try inspect([path])
        expectClean(table)
        #expect(table.output.contains("a known bug of GStreamer's matroskamux"))
        #expect(!table.output.contains("\u{1B}"), "colours are for terminals")
    }

    @Test(.enabled(if: hasX265, "x265enc is not there: apt-get install gstreamer1.0-plugins-bad"))
    func everyContainerReportsTheSame() throws {
        let scratch = try TemporaryFolder()
        for (name, muxer) in [("a.mp4", "mp4mux"), ("a.mov", "qtmux"), ("a.ts", "mpegtsmux"), ("a.h265", "identity")] {
            let path = try make(name, "x265enc ! h265parse ! \(muxer)", in: scratch)
            let file = try #require(try files(["--frames", "5", path]).first)
            let video = try #require((file["video"] as? [[String: Any]])?.first, "\(file)")
            #expect(video["codec"] as? String == "HEVC" && video["profile"] as? String == "Main 10", "\(name)")
            #expect(video["width-pixels"] as? Int == 64 && video["height-pixels"] as? Int == 48)
            #expect(video["bit-depth-bits"] as? Int == 10 && video["chroma-format"] as? String == "4:2:0")
            #expect(video["dynamic-range"] as? String == "HDR10" && video["hdr-formats"] as? [String] == ["HDR10"])
            #expect(video["frames-read"] as? Int == 5, "\(name)")
            let isMovie = name.hasSuffix("4") || name.hasSuffix("v")
            #expect(codes(video).contains("container-mastering") == isMovie, "qtmux writes no mdcv: \(name)")
        }
    }

    /// A stream that begins as one is not shown to FFmpeg, whose libraries take longer to load than the file to read.
    @Test(.enabled(if: hasX265, "x265enc is not there: apt-get install gstreamer1.0-plugins-bad"))
    func aBareStreamIsReadWithoutFFmpeg() throws {
        let scratch = try TemporaryFolder()
        let file = try make("bare.265", "x265enc ! video/x-h265,stream-format=byte-stream", in: scratch)
        // The first run may look into plugins to list them.
        #expect(try inspect([file]).status == 0)
        let outcome = try inspect(
            [file], environment: ["LD_DEBUG": "files", "LD_DEBUG_OUTPUT": scratch.path("loaded")])
        #expect(outcome.status == 0 && outcome.output.contains("raw stream"), "\(outcome)")
        let lists = try FileManager.default.contentsOfDirectory(atPath: scratch.url.path).filter {
            $0.contains("loaded")
        }
        #expect(lists.count >= 2, "the command, and the child process that reads the file")
        let loaded = try lists.map { try String(contentsOfFile: scratch.path($0), encoding: .utf8) }.joined()
        #expect(loaded.contains("libgstvideoparsersbad") && !loaded.contains("libgstlibav"))
    }

    @Test func sdrAndSeveralFiles() throws {
        let scratch = try TemporaryFolder()
        let line =
            "videotestsrc num-buffers=10 ! video/x-raw,format=I420,width=64,height=48,framerate=25/1,colorimetry=bt709"
        let sdr = scratch.path("sdr.mkv")
        expectClean(try GstTool.launch("\(line) ! vp9enc deadline=1 ! matroskamux ! filesink location=\(sdr)"))
        let outcome = try inspect([sdr, scratch.path("nothing")])
        #expect(outcome.status == 2 && outcome.output.contains("sdr.mkv: SDR"), "\(outcome)")
        #expect(try inspect(["-q", sdr]).status == 1)
        let two = try files([sdr, sdr])
        #expect(two.count == 2 && two.allSatisfy { $0["contains-hdr-video"] as? Bool == false })
    }

    @Test func soundAloneIsNoVideo() throws {
        let scratch = try TemporaryFolder()
        let path = scratch.path("a.mka")
        expectClean(
            try GstTool.launch("audiotestsrc num-buffers=10 ! vorbisenc ! matroskamux ! filesink location=\(path)"))
        try expectError(path, "has no video")
    }

    @Test func aMissingDemuxerIsNamed() throws {
        let scratch = try TemporaryFolder()
        let path = scratch.path("a.avi")
        expectClean(
            try GstTool.launch("videotestsrc num-buffers=3 ! jpegenc ! avimux ! filesink location=\(path)"))
        let outcome = try inspect([path], environment: ["GST_PLUGIN_FEATURE_RANK": "avidemux:NONE"])
        #expect(outcome.status == 2 && outcome.errors.contains("apt-get install gstreamer1.0-plugins-good"))
        #expect(try inspect([path]).status == 1)
    }

    // MARK: Real files

    static let samples: [(name: String, formats: [String], codes: [String])] = [
        (
            "dolby-vision-8.1-hdr10.mkv", ["HDR10", "Dolby Vision 8.1"],
            ["container-color", "container-mastering", "container-light-level"]
        ),
        ("hdr10-av1.mp4", ["PQ"], ["static-metadata"]),
        (
            "hdr10-plus-no-colr.mp4", ["HDR10", "HDR10+"],
            [
                "mastering-luminance", "mastering-primaries", "container-color", "container-mastering",
                "container-light-level", "sample-entry",
            ]
        ),
        (
            "hdr10-plus.mkv", ["HDR10", "HDR10+"], ["container-color", "container-mastering", "container-light-level"]
        ),
        ("hlg10.mp4", ["HLG"], []),
        ("iphone-dolby-vision-8.4-hlg.mov", ["HLG", "Dolby Vision 8.4"], []),
    ]

    @Test(
        Samples.areThere,
        arguments: samples.indices)
    func realFiles(index: Int) throws {
        let (name, formats, expected) = Self.samples[index]
        let file = try #require(try files([Samples.path(name)]).first)
        #expect(file["contains-hdr-video"] as? Bool == true && codes(file).isEmpty)
        let video = try #require((file["video"] as? [[String: Any]])?.first)
        #expect(video["hdr-formats"] as? [String] == formats)
        #expect(codes(video) == expected)
        let read = try #require(video["frames-read"] as? Int)
        #expect(read > 0)
        let hasPlus = formats.contains("HDR10+")
        let hasVision = formats.contains { $0.hasPrefix("Dolby") }
        #expect(video["frames-with-hdr10-plus"] as? Int == (hasPlus ? read : 0))
        #expect(video["frames-with-dolby-vision"] as? Int == (hasVision ? read : 0))
    }

    @Test(Samples.areThere)
    func aPhoneRecording() throws {
        let path = Samples.path("iphone-dolby-vision-8.4-hlg.mov")
        let file = try #require(try files([path]).first)
        #expect(file["container"] as? String == "QuickTime")
        let video = try #require((file["video"] as? [[String: Any]])?.first)
        #expect(video["rotation-degrees"] as? Int == 90)
        #expect(video["display-width-pixels"] as? Int == 720 && video["display-height-pixels"] as? Int == 1280)
        let viewing = try #require(video["ambient-viewing"] as? [String: [String: Any]])
        for origin in ["container", "bitstream", "effective"] {
            #expect(viewing[origin]?["illuminance-lux"] as? Double == 314, "\(origin)")
        }
        let vision = try #require(video["dolby-vision"] as? [String: Any])
        #expect(vision["name"] as? String == "8.4" && vision["base-layer"] as? String == "HLG")
        #expect(vision["announced-by-container"] as? Bool == true)
        #expect((file["audio"] as? [[String: Any]])?.count == 1)
    }

    /// Cut anywhere, a file gives a report or one line, soon.
    @Test(Samples.areThere)
    func cutFiles() throws {
        let scratch = try TemporaryFolder()
        for name in ["hlg10.mp4", "hdr10-plus.mkv", "iphone-dolby-vision-8.4-hlg.mov"] {
            let data = try Data(contentsOf: Samples.folder.appendingPathComponent(name))
            for size in [1, 11, 40, 100, 300, 1000, 4000, data.count / 2, data.count - 1] {
                try data.prefix(size).write(to: scratch.url("cut"))
                let outcome = try inspect([scratch.path("cut")])
                #expect([0, 1, 2].contains(outcome.status), "\(name) at \(size): \(outcome)")
                #expect(outcome.errors.split(separator: "\n").count == (outcome.status == 2 ? 1 : 0))
                #expect(outcome.seconds < 20)
            }
        }
    }
}
