import Foundation
import PluginSupport
import TestSupport
import Testing

/// Sample rates and channels of the sound that `hdrmux-settings` writes, and streams without data.
@Suite struct MuxSettingsSoundTests {
    static let hasReader = Command.exists("ffprobe")

    private func probe(_ path: String, _ entries: String) async throws -> [String] {
        let result = try await Command(
            "ffprobe", ["-v", "error", "-select_streams", "a", "-show_entries", entries, "-of", "csv=p=0", path]
        ).run()
        try #require(result.status == 0, "\(result)")
        return result.output.split(whereSeparator: { ",\n".contains($0) }).map(String.init)
    }

    /// A program that pushes half a second of noise, one channel after another, and prints what it hears.
    private func export(
        _ channels: Int, mask: Int, rate: Int = 48000, _ settings: String, to path: String, in scratch: TemporaryFolder
    ) throws -> Command.Result {
        let program = """
            import gi
            gi.require_version("Gst", "1.0")
            from gi.repository import Gst
            Gst.init(None)
            pipeline = Gst.parse_launch(
                "appsrc name=a format=time caps=audio/x-raw,format=S16LE,rate=\(rate),channels=\(channels),"
                "layout=interleaved,channel-mask=(bitmask)0x\(String(mask, radix: 16)) ! m.audio_0 "
                "hdrmux-settings name=m \(settings) ! filesink location=\(path)")
            source = pipeline.get_by_name("a")
            pipeline.set_state(Gst.State.PLAYING)
            data = Gst.Buffer.new_wrapped((bytes(range(256)) * \(rate * channels / 256 + 1))[:\(rate * channels)])
            data.pts = 0
            data.duration = data.get_size() * Gst.SECOND // \(2 * rate * channels)
            source.emit("push-buffer", data)
            source.emit("end-of-stream")
            while True:
                message = pipeline.get_bus().timed_pop_filtered(
                    20 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR | Gst.MessageType.WARNING)
                assert message, "nothing happens"
                if message.type == Gst.MessageType.EOS:
                    break
                if message.type == Gst.MessageType.ERROR:
                    print("error:", message.parse_error()[0].message)
                    break
                print("warning:", message.parse_warning()[0].message)
            pipeline.set_state(Gst.State.NULL)
            """
        return try GstTool.run("/usr/bin/python3", [try scratch.write(program, to: "export.py")], timeout: 60)
    }

    @Test(
        .enabled(if: hasReader, "ffprobe is not installed"), arguments: [44_100, 88_200, 96_000, 192_000],
        ["preset=prores-422", "preset=passthrough"])
    func pcmKeepsItsRate(_ rate: Int, _ settings: String) async throws {
        let scratch = try TemporaryFolder()
        let path = scratch.path("out.mov")
        let outcome = try export(6, mask: 0xc0f, rate: rate, settings, to: path, in: scratch)
        #expect(outcome.status == 0 && outcome.output.isEmpty, "\(outcome)")
        let stream = try await probe(path, "stream=sample_rate,channel_layout,duration")
        #expect(stream.prefix(2) == ["\(rate)", "5.1(side)"])
        #expect(stream.last.flatMap(Double.init).map { abs($0 - 0.5) < 0.01 } == true, "\(stream)")
        // GStreamer's own reader.
        expectClean(
            try GstTool.launch(
                "filesrc location=\(path) ! qtdemux ! audio/x-raw,rate=\(rate),channels=6 ! fakesink", timeout: 60))
        // This project's reader, which knows the times and the channels too.
        let copy = scratch.path("copy.mov")
        let caps = "audio/x-raw,rate=\(rate),channels=6,channel-mask=(bitmask)0xc0f"
        let reading = try GstTool.launch(
            "hdrsrc location=\(path) ! \(caps) ! identity silent=false ! fakesink", options: ["-v"], timeout: 60)
        #expect(reading.status == 0, "\(reading)")
        let times = TestClip.times(reading.output)
        #expect(!times.isEmpty && zip(times, times.dropFirst()).allSatisfy { $0 < $1 }, "\(times)")
        expectClean(
            try GstTool.launch(
                "hdrsrc location=\(path) ! m.audio_0 hdrmux-settings name=m \(settings) ! filesink location=\(copy)",
                timeout: 60))
        #expect(try await probe(copy, "stream=sample_rate,channel_layout,duration") == stream)
    }

    @Test(
        .enabled(if: hasReader, "ffprobe is not installed"),
        arguments: [
            (1, 0x8, "mono", nil), (2, 0, "stereo", nil),
            (2, 0xc, "stereo", "its 2 channels, which are no left and right one, are mixed"),
            (2, 0x30000, "stereo", nil),
            (3, 0, "3.0", nil), (3, 0xb, "5.1", nil), (4, 0x33, "5.0", nil), (6, 0xc0f, "5.1", nil), (4, 0, "5.0", nil),
            (8, 0xc3f, "5.1", "its 8 channels are mixed to 5.1"), (5, 0x10f, "5.1", "its 5 channels are mixed"),
            (12, 0, "stereo", "its 12 channels have no positions"),
        ] as [(Int, Int, String, String?)], ["mp4", "mpegts"])
    func aacHasALayoutOfItsOwn(_ source: (Int, Int, String, String?), _ type: String) async throws {
        let (channels, mask, layout, warning) = source
        let scratch = try TemporaryFolder()
        let path = scratch.path("out")
        let outcome = try export(
            channels, mask: mask, "preset=\(type == "mp4" ? "m4a" : "hevc-highest-quality") file-type=\(type)",
            to: path, in: scratch)
        #expect(outcome.status == 0 && !outcome.output.contains("error"), "\(outcome)")
        #expect(warning.map { outcome.output.contains($0) } ?? outcome.output.isEmpty, "\(outcome)")
        #expect(try await probe(path, "stream=channel_layout").first == layout)
    }

    /// Noise on the left only, of which the encoder that is most often there makes both sides unless it is told not to.
    @Test(.enabled(if: Command.exists("ffmpeg"), "ffmpeg is not installed")) func aSideStaysAlone() async throws {
        let scratch = try TemporaryFolder()
        let path = scratch.path("out.m4a")
        expectClean(
            try GstTool.launch(
                "audiotestsrc num-buffers=100 wave=white-noise volume=0.1 ! audio/x-raw,rate=48000,channels=1 ! "
                    + "audiopanorama panorama=-1 ! audio/x-raw,channels=2 ! m.audio_0 hdrmux-settings name=m "
                    + "preset=m4a ! filesink location=\(path)", timeout: 60))
        let read = try await Command(
            "ffmpeg", ["-v", "error", "-i", path, "-f", "f32le", "-c:a", "pcm_f32le", scratch.path("out.raw")]
        ).run()
        try #require(read.status == 0, "\(read)")
        let samples = try scratch.data("out.raw").withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        try #require(samples.count > 10_000)
        func power(_ side: Int) -> Float {
            stride(from: side, to: samples.count, by: 2).reduce(0) { $0 + samples[$1] * samples[$1] }
        }
        #expect(power(0) > 1 && power(1) < power(0) / 10_000, "\(power(0)) and \(power(1))")
    }

    /// Quad, and a recording without positions, that become stereo midway.
    @Test(arguments: [(4, 0x33), (12, 0)]) func channelsMayChange(_ channels: Int, _ mask: Int) async throws {
        let scratch = try TemporaryFolder()
        let program = """
            import gi
            gi.require_version("Gst", "1.0"); gi.require_version("GstApp", "1.0")
            from gi.repository import Gst, GstApp
            Gst.init(None)
            pipeline = Gst.parse_launch(
                "appsrc name=a format=time ! m.audio_0 hdrmux-settings name=m preset=m4a ! "
                "filesink location=\(scratch.path("out.m4a"))")
            source = pipeline.get_by_name("a")
            pipeline.set_state(Gst.State.PLAYING)
            time = 0
            for channels, mask in ((\(channels), \(mask)), (2, 3), (\(channels), \(mask))):
                source.set_property("caps", Gst.Caps.from_string(
                    "audio/x-raw,format=S16LE,rate=48000,layout=interleaved,channels=%d,channel-mask=(bitmask)0x%x"
                    % (channels, mask)))
                for _ in range(5):
                    data = Gst.Buffer.new_wrapped(bytes(9600 * channels))
                    data.pts, data.duration = time, Gst.SECOND // 10
                    time += Gst.SECOND // 10
                    source.emit("push-buffer", data)
            source.emit("end-of-stream")
            message = pipeline.get_bus().timed_pop_filtered(
                20 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
            assert message and message.type == Gst.MessageType.EOS, message and message.parse_error()
            pipeline.set_state(Gst.State.NULL)
            """
        let outcome = try GstTool.run(
            "/usr/bin/python3", [try scratch.write(program, to: "change.py")], timeout: 60)
        #expect(outcome.status == 0, "\(outcome)")
    }

    /// GStreamer's converter ends the program.
    @Test func whatCannotBeConvertedIsRefused() throws {
        let scratch = try TemporaryFolder()
        let outcome = try export(64, mask: 0, "preset=m4a", to: scratch.path("out.m4a"), in: scratch)
        #expect(outcome.status == 0 && outcome.output.contains("it has 64 audio channels"), "\(outcome)")
    }

    /// A sound whose caps are known, but of which nothing comes, and one of gaps alone, for which matroskamux 1.22 has
    /// a critical warning of its own.
    @Test(
        .enabled(if: hasReader, "ffprobe is not installed"),
        arguments: [
            ("mov", false), ("mov", true), ("mp4", false), ("mp4", true), ("matroska", false), ("mpegts", false),
            ("mpegts", true),
        ])
    func streamsWithoutDataHaveNoTrack(_ type: String, _ hasGap: Bool) async throws {
        let scratch = try TemporaryFolder()
        let path = scratch.path("out")
        let program = """
            import gi
            gi.require_version("Gst", "1.0"); gi.require_version("GstApp", "1.0")
            from gi.repository import Gst, GstApp
            Gst.init(None)
            pipeline = Gst.parse_launch(
                "videotestsrc num-buffers=10 ! video/x-raw,width=64,height=48,framerate=25/1 ! m.video_0 "
                "appsrc name=a format=time caps=audio/x-raw,format=S16LE,rate=48000,channels=2,layout=interleaved ! "
                "m.audio_0 "
                "hdrmux-settings name=m speed-preset=ultrafast file-type=\(type) ! filesink location=\(path)")
            source = pipeline.get_by_name("a")
            pipeline.set_state(Gst.State.PLAYING)
            if \(hasGap ? "True" : "False"):
                segment = Gst.Segment.new()
                segment.init(Gst.Format.TIME)
                pad = source.get_static_pad("src")
                pad.push_event(Gst.Event.new_stream_start("sound"))
                pad.push_event(Gst.Event.new_caps(source.get_property("caps")))
                pad.push_event(Gst.Event.new_segment(segment))
                pad.push_event(Gst.Event.new_gap(0, Gst.SECOND))
            source.emit("end-of-stream")
            warnings = []
            while True:
                message = pipeline.get_bus().timed_pop_filtered(
                    20 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR | Gst.MessageType.WARNING)
                assert message and message.type != Gst.MessageType.ERROR, message and message.parse_error()
                if message.type == Gst.MessageType.EOS:
                    break
                warnings.append(message.parse_warning()[0].message)
            pipeline.set_state(Gst.State.NULL)
            assert warnings == ["audio_0 ended without data, and is left out"], warnings
            """
        let outcome = try GstTool.run(
            "/usr/bin/python3", [try scratch.write(program, to: "empty.py")], timeout: 60)
        #expect(outcome.status == 0, "\(outcome)")
        let shown = try GstTool.launch(
            "filesrc location=\(path) ! decodebin ! video/x-raw ! checksumsink hash=md5", timeout: 60)
        #expect(shown.output.split(separator: "\n").count == 10, "\(shown)")
        #expect(try await probe(path, "stream=codec_name").isEmpty)
    }

    /// A sound of gaps alone in front of one of PCM, whose caps a muxer could get before the stream ends: the metadata
    /// of tracks go by their number.
    @Test(.enabled(if: hasReader, "ffprobe is not installed"))
    func soundBehindAnEmptyStreamKeepsItsDescription() async throws {
        let scratch = try TemporaryFolder()
        let program = """
            import gi
            gi.require_version("Gst", "1.0"); gi.require_version("GstApp", "1.0")
            from gi.repository import Gst, GstApp
            Gst.init(None)
            def caps(rate, more):
                return "audio/x-raw,format=S16LE,layout=interleaved,rate=%d,%s" % (rate, more)
            for number in range(10):
                pipeline = Gst.parse_launch(
                    "videotestsrc num-buffers=10 ! video/x-raw,width=64,height=48,framerate=25/1 ! m.video_0 "
                    "appsrc name=a format=time caps=" + caps(48000, "channels=2") + " ! m.audio_0 "
                    "appsrc name=b format=time caps=" + caps(96000, "channels=6,channel-mask=(bitmask)0x3f")
                    + " ! m.audio_1 hdrmux-settings name=m preset=prores-422 "
                    "! filesink location=\(scratch.path("out-%d.mov"))" % number)
                gap, sound = pipeline.get_by_name("a"), pipeline.get_by_name("b")
                pipeline.set_state(Gst.State.PLAYING)
                segment = Gst.Segment.new()
                segment.init(Gst.Format.TIME)
                pad = gap.get_static_pad("src")
                pad.push_event(Gst.Event.new_stream_start("sound"))
                pad.push_event(Gst.Event.new_caps(gap.get_property("caps")))
                pad.push_event(Gst.Event.new_segment(segment))
                pad.push_event(Gst.Event.new_gap(0, Gst.SECOND))
                data = Gst.Buffer.new_wrapped(bytes(96000 * 12 // 2))
                data.pts, data.duration = 0, Gst.SECOND // 2
                sound.emit("push-buffer", data)
                for source in gap, sound:
                    source.emit("end-of-stream")
                message = pipeline.get_bus().timed_pop_filtered(
                    20 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
                assert message and message.type == Gst.MessageType.EOS, message and message.parse_error()
                pipeline.set_state(Gst.State.NULL)
            """
        let outcome = try GstTool.run(
            "/usr/bin/python3", [try scratch.write(program, to: "empty.py")], timeout: 120)
        #expect(outcome.status == 0, "\(outcome)")
        for number in 0..<10 {
            let stream = try await probe(scratch.path("out-\(number).mov"), "stream=sample_rate,channel_layout")
            #expect(stream == ["96000", "5.1"], "\(number)")
        }
    }
}
