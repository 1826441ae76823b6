import Foundation
import PluginSupport
import TestSupport
import Testing

/// Sound that begins long after the picture, or never.
@Suite(.timeLimit(.minutes(10))) struct MuxSettingsLateSoundTests {
    struct Outcome: Decodable {
        let warnings: [String]
        let written: Int
        let end: String
    }

    /// Writes 20 s of picture, with gaps of sound up to 19 s, and then two tenths of a second of sound or none.
    /// `written`: the bytes that had been written when only gaps of sound had come.
    private func run(_ type: String, _ sound: String, comes: Bool, _ path: String) throws -> Outcome {
        let scratch = try TemporaryFolder()
        let caps =
            sound == "pcm"
            ? "audio/x-raw,format=S16LE,rate=48000,channels=2,layout=interleaved"
            : "audio/mpeg,mpegversion=4,framed=true,stream-format=raw,rate=48000,channels=2,"
                + "codec_data=(buffer)1190,base-profile=lc"
        let preset = sound == "pcm" ? "prores-422" : "h264-highest-quality speed-preset=ultrafast"
        let program = """
            import json, time
            import gi
            gi.require_version("Gst", "1.0"); gi.require_version("GstApp", "1.0")
            from gi.repository import Gst, GstApp
            Gst.init(None)
            pipeline = Gst.parse_launch(
                "videotestsrc num-buffers=500 ! video/x-raw,format=I420,width=96,height=64,framerate=25/1 ! m.video_0 "
                "appsrc name=a format=time caps=\(caps) ! m.audio_0 "
                "hdrmux-settings name=m preset=\(preset) file-type=\(type) ! filesink name=f location=\(path)")
            source, written = pipeline.get_by_name("a"), [0]
            def count(_, info):
                written[0] += info.get_buffer().get_size()
                return Gst.PadProbeReturn.OK
            pipeline.get_by_name("f").get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, count)
            pipeline.set_state(Gst.State.PLAYING)
            segment = Gst.Segment.new()
            segment.init(Gst.Format.TIME)
            pad = source.get_static_pad("src")
            pad.push_event(Gst.Event.new_stream_start("sound"))
            pad.push_event(Gst.Event.new_caps(source.get_property("caps")))
            pad.push_event(Gst.Event.new_segment(segment))
            for second in range(19):
                pad.push_event(Gst.Event.new_gap(second * Gst.SECOND, Gst.SECOND))
            deadline = time.monotonic() + 20
            while written[0] < 50000 and time.monotonic() < deadline:
                time.sleep(0.05)
            result = {"written": written[0], "warnings": []}
            if \(comes ? "True" : "False"):
                step = 1024 * Gst.SECOND // 48000
                for number in range(10):
                    data = bytes(4096) if "\(sound)" == "pcm" else b"\\x21\\x10\\x04\\x60\\x8c\\x1c"
                    buffer = Gst.Buffer.new_wrapped(data)
                    buffer.pts, buffer.duration = 19 * Gst.SECOND + number * step, step
                    source.emit("push-buffer", buffer)
            source.emit("end-of-stream")
            while True:
                message = pipeline.get_bus().timed_pop_filtered(
                    30 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR | Gst.MessageType.WARNING)
                if message and message.type == Gst.MessageType.WARNING:
                    result["warnings"].append(message.parse_warning()[0].message)
                    continue
                failed = message and message.type == Gst.MessageType.ERROR
                result["end"] = message.parse_error()[0].message if failed else "whole" if message else "late"
                break
            pipeline.set_state(Gst.State.NULL)
            print(json.dumps(result))
            """
        let outcome = try GstTool.run(
            "/usr/bin/python3", ["-W", "ignore", try scratch.write(program, to: "late.py")], timeout: 90)
        try #require(outcome.status == 0, "\(outcome)")
        let line = outcome.output.split(separator: "\n").last { $0.hasPrefix("{") } ?? ""
        return try JSONDecoder().decode(Outcome.self, from: Data(line.utf8))
    }

    static let kinds = [
        ("mov", "pcm"), ("mov", "aac"), ("mp4", "aac"), ("matroska", "pcm"), ("matroska", "aac"), ("mpegts", "aac"),
    ]

    /// Otherwise the whole picture would wait in memory for the sound.
    @Test(.enabled(if: Command.exists("ffprobe"), "ffprobe is not installed"), arguments: kinds)
    func thePictureDoesNotWaitForLateSound(_ type: String, _ sound: String) async throws {
        let scratch = try TemporaryFolder()
        let path = scratch.path("out")
        let outcome = try run(type, sound, comes: true, path)
        #expect(outcome.written >= 50000 && outcome.end == "whole" && outcome.warnings.isEmpty, "\(outcome)")
        let read = try await Command(
            "ffprobe",
            ["-v", "error", "-show_entries", "packet=codec_type,pts_time", "-of", "csv=p=0", path]
        ).run()
        let packets = read.output.split(separator: "\n").map { $0.split(separator: ",") }
        func times(_ kind: String) -> [Double] {
            packets.compactMap { $0.first.map(String.init) == kind && $0.count > 1 ? Double($0[1]) : nil }
        }
        let start = times("video").min() ?? 0
        #expect(times("video").count == 500, "\(times("video").count)")
        #expect(times("audio").min().map { abs($0 - start - 19) < 0.01 } == true, "\(times("audio"))")
    }

    /// A header that is written already has a track for it; a movie box is written at the end.
    @Test(.enabled(if: Command.exists("ffprobe"), "ffprobe is not installed"), arguments: kinds)
    func soundThatNeverComes(_ type: String, _ sound: String) async throws {
        let scratch = try TemporaryFolder()
        let path = scratch.path("out")
        let outcome = try run(type, sound, comes: false, path)
        #expect(outcome.written >= 50000 && outcome.end == "whole", "\(outcome)")
        let isMovie = type == "mov" || type == "mp4"
        let rest = isMovie ? ", and is left out" : ": its track in the file is empty"
        #expect(outcome.warnings == ["audio_0 ended without data" + rest])
        let words = "-v error -count_packets -show_entries stream=codec_type,nb_read_packets -of csv=p=0"
        let read = try await Command("ffprobe", words.split(separator: " ").map(String.init) + [path]).run()
        let streams = read.output.split(separator: "\n").map(String.init)
        #expect(streams.contains { $0.hasPrefix("video,500") }, "\(read)")
        #expect(!isMovie || streams.count == 1, "\(read)")
    }
}
