import Foundation
import PluginSupport
import Testing
import TestSupport

/// `hdrmux-settings` from outside: files of every kind, read back by `hdr inspect` and by GStreamer.
@Suite struct MuxSettingsTests {
    /// A source's caps, and what its file says.
    struct Source: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let caps: String
        /// ISO/IEC 23091-2: primaries, transfer, matrix.
        let codes: [Int]
    }

    static let display = "34000:16000:13250:34500:7500:3000:15635:16450:10000000:50"
    static let hdr10 = Source(
        testDescription: "HDR10",
        caps: "format=I420_10LE,colorimetry=bt2100-pq,mastering-display-info=(string)\(display),"
            + "content-light-level=(string)1000:400", codes: [9, 16, 9])
    static let hlg = Source(
        testDescription: "HLG", caps: "format=P010_10LE,colorimetry=bt2100-hlg", codes: [9, 18, 9])
    static let sdr = Source(testDescription: "SDR", caps: "format=NV12,colorimetry=bt709", codes: [1, 1, 1])
    static let fileTypes = ["mov", "mp4", "matroska"]

    private func source(_ source: Source, frames: Int = 12, _ size: String = "width=96,height=64") -> String {
        "videotestsrc num-buffers=\(frames) ! video/x-raw,\(size),framerate=24/1,\(source.caps)"
    }

    /// Runs a launch line whose bin is called m, and returns the file.
    private func export(
        _ scratch: TemporaryFolder, _ name: String, _ line: String, _ properties: String
    ) throws -> String {
        let outcome = try GstTool.launch(
            "\(line) ! m.video_0 hdrmux-settings name=m speed-preset=ultrafast \(properties) ! filesink "
                + "location=\(scratch.path(name))", timeout: 60)
        expectClean(outcome)
        return scratch.path(name)
    }

    /// Light levels of a file's header are those of its pictures, and not of what became of them on the way: elements
    /// that change light say so, through others that do not.
    @Test(
        arguments: [
            ("queue", 1000, true), ("hdrtap effect=statistics", 1000, true), ("hdrtap effect=exposure", 1000, true),
            ("hdrtap effect=exposure effect::stops=1 ! queue ! videoscale", nil, true),
            ("hdrconvert target-peak=400", 400, true), ("hdrcompositor ! videorate", nil, true),
        ] as [(String, Int?, Bool)])
    func lightLevelsOfChangedPicturesAreNotTakenFromTheFile(_ way: String, _ level: Int?, _ hasDisplay: Bool) throws {
        let scratch = try TemporaryFolder()
        let first = try export(scratch, "first.mov", source(Self.hdr10), "")
        let made = try export(scratch, "second.mov", "filesrc location=\(first) ! decodebin ! \(way)", "")
        let video = try inspect(made).video
        for place in ["container", "bitstream"] {
            let found = (video["content-light-level"] as? [String: Any])?[place] as? [String: Any]
            #expect(found?["max-cll-cd-m2"] as? Int == level, "\(place): \(String(describing: found))")
            let display = (video["mastering-display"] as? [String: Any])?[place] as? [String: Any]
            #expect((display != nil) == hasDisplay, "\(place)")
        }
    }

    func inspect(_ path: String) throws -> (file: [String: Any], video: [String: Any]) { try HDRCommand.inspect(path) }

    /// Frames that GStreamer decodes, a checksum each.
    /// - Parameter hasSound: whether the file has sound, which must not stay unlinked behind `decodebin`: one in fifty
    ///   runs of a transport stream then never ends, without this plugin too.
    func frames(_ path: String, hasSound: Bool = false) throws -> [String] {
        let sound = hasSound ? " d. ! audio/x-raw ! fakesink" : ""
        let outcome = try GstTool.launch(
            "filesrc location=\(path) ! decodebin name=d ! video/x-raw ! queue ! checksumsink hash=md5\(sound)",
            timeout: 60)
        #expect(outcome.status == 0, "\(outcome)")
        return outcome.output.split(separator: "\n").map { String($0.split(separator: " ").last ?? "") }
    }

    private func expectAgreement(_ path: String, _ source: Source) throws {
        let (_, video) = try inspect(path)
        let findings = (video["findings"] as? [[String: Any]] ?? []).compactMap { $0["code"] as? String }
        #expect(findings.isEmpty, "\(video)")
        for place in ["container", "bitstream"] {
            let color = try #require((video["color"] as? [String: Any])?[place] as? [String: Any], "\(video)")
            let codes = ["primaries-code", "transfer-code", "matrix-code"].map { color[$0] as? Int }
            #expect(codes == source.codes.map { Optional($0) }, "\(place): \(color)")
            guard source.codes[1] == 16 else { continue }
            let level = (video["content-light-level"] as? [String: Any])?[place] as? [String: Any]
            #expect(level?["max-cll-cd-m2"] as? Int == 1000 && level?["max-fall-cd-m2"] as? Int == 400, "\(video)")
            let display = (video["mastering-display"] as? [String: Any])?[place] as? [String: Any]
            #expect(display?["peak-cd-m2"] as? Double == 1000, "\(video)")
            #expect(display?["white"] as? [Double] == [0.3127, 0.329], "\(place): \(String(describing: display))")
        }
    }

    // MARK: Files

    @Test(arguments: [hdr10, hlg, sdr], fileTypes)
    func streamAndContainerAgree(_ source: Source, _ type: String) throws {
        let scratch = try TemporaryFolder()
        let path = try export(
            scratch, "a.\(type)", self.source(source), "preset=hevc-highest-quality file-type=\(type)")
        try expectAgreement(path, source)
        #expect(try frames(path).count == 12)
    }

    @Test(arguments: ["optimize-for-network-use=true", "fragment-duration=200"])
    func otherLayoutsOfTheFile(_ property: String) throws {
        let scratch = try TemporaryFolder()
        let path = try export(scratch, "a.mov", source(Self.hdr10), property)
        try expectAgreement(path, Self.hdr10)
        let plain = try export(scratch, "b.mov", source(Self.hdr10), "")
        // qtdemux 1.22 leaves out the last pictures of fragments, whoever wrote them.
        let decoded = try frames(path)
        let wanted = try frames(plain).prefix(decoded.count)
        #expect(decoded.count >= 10 && decoded == Array(wanted))
    }

    /// Streams of key frames only, by either encoder, and pictures that stand for seconds.
    @Test(
        arguments: [
            ("encoder=hdrx265enc", 24, 1, 12), ("encoder=x265enc", 24, 1, 12), ("preset=h264-640x480", 24, 1, 12),
            ("preset=hevc-1920x1080", 1, 0, 1), ("preset=hevc-1920x1080", 0.25, 0, 2),
        ] as [(String, Double, Int, Int)])
    func keyFramesAreAsOftenAsRequested(_ choice: String, _ rate: Double, _ interval: Int, _ keys: Int) throws {
        let scratch = try TemporaryFolder()
        let settings = "settings=\"s, compression-properties=(structure)[c, max-key-frame-interval=\(interval)]\""
        let caps = "width=96,height=64,framerate=\(Int(rate * 4))/4,format=I420_10LE,colorimetry=bt2100-pq"
        let frames = keys == 12 ? 12 : 2 * keys
        let path = try export(
            scratch, "a.mov", "videotestsrc num-buffers=\(frames) ! video/x-raw,\(caps)", "\(choice) \(settings)")
        #expect(try self.frames(path).count == frames)
        let sync = try GstTool.run(
            "ffprobe", ["-v", "error", "-show_entries", "packet=flags", "-of", "csv=p=0", path])
        #expect(sync.output.split(separator: "\n").filter { $0.hasPrefix("K") }.count == keys, "\(sync)")
    }

    @Test(arguments: fileTypes) func threeGenerationsLoseNothing(_ type: String) throws {
        let scratch = try TemporaryFolder()
        var path = try export(scratch, "0", source(Self.hdr10), "file-type=\(type)")
        for generation in 1...2 {
            path = try export(
                scratch, "\(generation)", "filesrc location=\(path) ! decodebin ! video/x-raw", "file-type=\(type)")
            try expectAgreement(path, Self.hdr10)
            #expect(try frames(path).count == 12)
        }
    }

    @Test(arguments: [hdr10, hlg]) func h264IsSDR(_ source: Source) throws {
        let scratch = try TemporaryFolder()
        let path = try export(scratch, "a.mp4", self.source(source), "preset=h264-640x480 file-type=mp4")
        let (file, video) = try inspect(path)
        #expect(file["contains-hdr-video"] as? Bool == false && video["dynamic-range"] as? String == "SDR", "\(file)")
        let color = try #require((video["color"] as? [String: Any])?["bitstream"] as? [String: Any])
        #expect(color["transfer-code"] as? Int == 1, "\(color)")
        let decoded = try GstTool.launch(
            "filesrc location=\(path) ! decodebin ! video/x-raw ! fakesink", options: ["-v"], timeout: 60)
        #expect(decoded.output.contains("format=(string)I420,"), "\(decoded)")
    }

    @Test(arguments: [hdr10, hlg]) func proResFramesCarryTheColor(_ source: Source) throws {
        let scratch = try TemporaryFolder()
        let path = try export(scratch, "a.mov", self.source(source), "preset=prores-422")
        let bytes = try scratch.data("a.mov")
        let frame = try #require(bytes.range(of: Data("icpf".utf8)))
        // SMPTE RDD 36, frame header: colour from its 14th byte on.
        let header = frame.upperBound + 14
        #expect(bytes[header..<header + 3].map(Int.init) == source.codes, "\(path)")
        if source.codes[1] == 16 {
            #expect(bytes.range(of: Data("mdcv".utf8)) != nil && bytes.range(of: Data("clli".utf8)) != nil)
        }
    }

    @Test func copiedVideoIsTheSame() throws {
        let scratch = try TemporaryFolder()
        let path = try export(scratch, "a.mkv", source(Self.hdr10), "file-type=matroska")
        let copy = try export(
            scratch, "b.mov", "filesrc location=\(path) ! matroskademux", "preset=passthrough")
        try expectAgreement(copy, Self.hdr10)
        #expect(try frames(copy) == frames(path))
    }

    @Test func rotationIsKept() throws {
        let scratch = try TemporaryFolder()
        let line = source(Self.hlg) + " ! taginject tags=image-orientation=rotate-90"
        let (_, video) = try inspect(try export(scratch, "a.mov", line, ""))
        #expect(video["rotation-degrees"] as? Int == 90 && video["width-pixels"] as? Int == 96, "\(video)")
        // Matroska says nothing of it: the picture itself is turned.
        let (_, turned) = try inspect(try export(scratch, "b.mkv", line, "file-type=matroska"))
        #expect(turned["rotation-degrees"] as? Int == 0 && turned["width-pixels"] as? Int == 64, "\(turned)")
    }

    /// Where the file cannot express the orientation, the picture is what a player would have shown; no file expresses
    /// mirroring.
    @Test(arguments: [
        ("rotate-90", "90r", 90), ("rotate-180", "180", 180), ("rotate-270", "90l", 270), ("flip-rotate-0", "horiz", 0),
        ("flip-rotate-90", "ur-ll", 90), ("flip-rotate-180", "vert", 180), ("flip-rotate-270", "ul-lr", 270),
    ]) func orientationIsWorkedIn(_ tag: String, _ shown: String, _ turn: Int) throws {
        let scratch = try TemporaryFolder()
        let line = "videotestsrc num-buffers=1 ! video/x-raw,width=96,height=64,format=I420,colorimetry=bt709 ! "
        let tagged = line + "taginject tags=image-orientation=\(tag)"
        let path = try export(scratch, "a.mkv", tagged, "file-type=matroska")
        // Chroma of half the samples would not be where it belongs in the turned picture.
        let around = [
            "hdrconvert ! video/x-raw,format=Y444_12LE", "hdrconvert ! video/x-raw,format=I420,chroma-site=mpeg2",
        ]
        let turned = try export(
            scratch, "b.mkv", line + around.joined(separator: " ! videoflip video-direction=\(shown) ! "),
            "file-type=matroska")
        #expect(try frames(path) == frames(turned))
        let (_, video) = try inspect(try export(scratch, "c.mov", tagged, ""))
        #expect(video["rotation-degrees"] as? Int == turn, "\(video)")
    }

    @Test func soundGoesWithThePicture() throws {
        let scratch = try TemporaryFolder()
        let line = "audiotestsrc num-buffers=22 ! m.audio_0 " + source(Self.hlg)
        let (file, _) = try inspect(try export(scratch, "a.mov", line, ""))
        #expect("\(file)".lowercased().contains("aac"), "\(file)")
    }

    // MARK: Light levels

    @Test func lightIsMeasured() throws {
        let scratch = try TemporaryFolder()
        let line =
            "videotestsrc pattern=white num-buffers=3 ! video/x-raw,format=I420_10LE,width=64,height=48,"
            + "framerate=24/1,colorimetry=bt2100-pq"
        let outcome = try GstTool.launch(
            "\(line) ! m.video_0 hdrmux-settings name=m speed-preset=ultrafast content-light-level-info=auto ! "
                + "filesink "
                + "location=\(scratch.path("a.mov"))", options: ["-m"], timeout: 60)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(
            outcome.output.contains("light-levels, max-cll=(int)10000, max-fall=(int)10000"),
            "\(outcome)")
        let bytes = try scratch.data("a.mov")
        let box = try #require(bytes.range(of: Data("clli".utf8)))
        #expect(Array(bytes[box.upperBound..<box.upperBound + 4]) == [0x27, 0x10, 0x27, 0x10])
    }

    @Test func levelsAsked() throws {
        let scratch = try TemporaryFolder()
        let path = try export(
            scratch, "a.mov", source(Self.hdr10), "content-light-level-info=600:200 ")
        let (_, video) = try inspect(path)
        for place in ["container", "bitstream"] {
            let level = (video["content-light-level"] as? [String: Any])?[place] as? [String: Any]
            #expect(level?["max-cll-cd-m2"] as? Int == 600, "\(video)")
        }
        let bare = try export(scratch, "b.mov", source(Self.hdr10), "hdr-metadata-insertion-mode=none")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: bare))
        #expect(bytes.range(of: Data("mdcv".utf8)) == nil && bytes.range(of: Data("clli".utf8)) == nil)
        let (_, none) = try inspect(bare)
        let display = try #require(none["mastering-display"] as? [String: Any])
        #expect(display.values.allSatisfy { $0 is NSNull }, "\(none)")
    }

    /// What the encoder puts in front of a sound is not played: clicks sound when they did, to the sample. Their shape
    /// is compared, because an encoder may put an echo in front of one.
    @Test(arguments: ["file-type=mov", "file-type=mp4", "file-type=mp4 fragment-duration=500"])
    func soundKeepsItsTime(_ properties: String) throws {
        let scratch = try TemporaryFolder()
        let click = "wave=ticks apply-tick-ramp=false tick-interval=400000000 samplesperbuffer=1200 num-buffers=40"
        let path = try export(
            scratch, "clip",
            "audiotestsrc \(click) ! audio/x-raw,rate=48000,channels=1 ! m.audio_0 \(source(Self.sdr, frames: 24))",
            properties)
        let read = """
            import array, gi
            gi.require_version("Gst", "1.0")
            from gi.repository import Gst
            Gst.init(None)
            def sound(line):
                samples = " ! audioconvert ! audio/x-raw,format=F32LE,channels=1 ! appsink name=s"
                pipeline = Gst.parse_launch(line + samples)
                sink = pipeline.get_by_name("s")
                sink.set_property("sync", False)
                pipeline.set_state(Gst.State.PLAYING)
                found = {}
                while sample := sink.emit("pull-sample"):
                    buffer = sample.get_buffer()
                    start = round(sample.get_segment().to_stream_time(Gst.Format.TIME, buffer.pts) * 48e-6)
                    values = array.array("f", buffer.extract_dup(0, buffer.get_size()))
                    found.update({start + index: value for index, value in enumerate(values) if abs(value) > 1e-4})
                pipeline.set_state(Gst.State.NULL)
                return found
            before = sound("audiotestsrc \(click) ! audio/x-raw,rate=48000")
            after = sound("uridecodebin caps=audio/x-raw uri=file://\(path)")
            def likeness(lag):
                return sum(value * after.get(time + lag, 0) for time, value in before.items())
            best = max(range(-120, 121), key=likeness)
            whole = sum(value * value for value in before.values())
            print(len(before), len(after), best, likeness(best) / whole)
            assert best == 0 and 0.9 < likeness(0) / whole < 1.1
            """
        expectClean(try GstTool.run("/usr/bin/python3", ["-c", read], timeout: 60))
    }

    // MARK: Rules

    @Test(arguments: [
        ("preset=hevc-1920x1081", "unknown-preset", "hevc-1920x1080"),
        ("preset=prores-422 file-type=mp4", "prores-in-mp4", "mov"),
        ("settings=s,codec=hvc1,color-properties=(structure)[c,primaries=bt2020,transfer=pq]", "incomplete", "matrix"),
        (
            "settings=s,codec=hvc1,color-properties=(structure)[c,primaries=bt2020,transfer=srgb,matrix=bt2020]",
            "color-properties-mismatch", "P3_D65/IEC_sRGB"
        ),
        ("settings=s,codecc=hvc1", "unknown-key", "codec"),
        ("content-light-level-info=abc", "content-light-level-malformed", "auto"),
        ("mastering-display-color-volume=1:2", "mastering-display-malformed", "35400"),
        ("speed-preset=hyper", "unknown-speed", "medium"),
    ]) func brokenRulesAreNamed(_ properties: String, _ rule: String, _ remedy: String) throws {
        let outcome = try GstTool.launch(
            "videotestsrc num-buffers=3 ! m.video_0 hdrmux-settings name=m \(properties) ! fakesink")
        #expect(outcome.status != 0, "\(outcome)")
        #expect(outcome.errors.contains(rule) && outcome.errors.contains(remedy), "\(outcome)")
    }

    @Test func eightBitsAreNoHDR() throws {
        let outcome = try GstTool.launch(
            "videotestsrc num-buffers=3 ! video/x-raw,format=NV12,colorimetry=bt2100-pq ! "
                + "m.video_0 hdrmux-settings "
                + "name=m ! fakesink")
        #expect(outcome.status != 0 && outcome.errors.contains("10"), "\(outcome)")
    }

    // MARK: Programs

    /// NULL and back, the action signals, and streams that end without data.
    @Test func programs() throws {
        let scratch = try TemporaryFolder()
        let program = """
            import gi
            gi.require_version("Gst", "1.0"); gi.require_version("GstPbutils", "1.0")
            from gi.repository import Gst, GstPbutils
            Gst.init(None)
            line = ("videotestsrc num-buffers=8 ! video/x-raw,width=64,height=48,framerate=8/1 ! m.video_0 "
                    "audiotestsrc num-buffers=0 ! m.audio_0 "
                    "hdrmux-settings name=m speed-preset=ultrafast ! filesink name=f")
            pipeline = Gst.parse_launch(line)
            sizes = []
            for turn in range(3):
                path = "\(scratch.url.path)/%d.mov" % turn
                pipeline.get_by_name("f").set_property("location", path)
                pipeline.set_state(Gst.State.PLAYING)
                message = pipeline.get_bus().timed_pop_filtered(
                    20 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
                assert message.type == Gst.MessageType.EOS, message.parse_error()
                pipeline.set_state(Gst.State.NULL)
                sizes.append(len(open(path, "rb").read()))
            assert min(sizes) > 1000, sizes
            bin = Gst.ElementFactory.make("hdrmux-settings")
            caps = Gst.Caps.from_string("video/x-raw,format=P010_10LE,width=3840,height=2160,colorimetry=bt2100-pq")
            assert "hevc-1920x1080" in bin.emit("compatible-presets", caps)
            bin.set_property("preset", "hevc-1920x1080")
            assert bin.emit("settings-for", caps).get_int("width") == (True, 1920)
            assert bin.emit("supported-settings").has_field("color-properties")
            profile = bin.emit("create-encoding-profile")
            assert [p.get_format().to_string() for p in profile.get_profiles()][0] == "video/x-h265"
            """
        let outcome = try GstTool.run(
            "/usr/bin/python3", [try scratch.write(program, to: "program.py")], timeout: 90)
        #expect(outcome.status == 0, "\(outcome)")
    }
}
