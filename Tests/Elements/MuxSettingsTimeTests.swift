import Foundation
import PluginSupport
import Testing
import TestSupport

/// That files of `hdrmux-settings` show each frame of their source, at its time and as long.
@Suite struct MuxSettingsTimeTests {
    static let hasReader = Command.exists("ffmpeg") && Command.exists("ffprobe")

    private func probe(_ path: String, _ arguments: String...) async throws -> [String] {
        let all = ["-v", "error", "-select_streams", "v", "-of", "csv=p=0"] + arguments + [path]
        let result = try await Command("ffprobe", all).run()
        try #require(result.status == 0, "\(result)")
        return result.output.split(whereSeparator: { ",\n".contains($0) }).map(String.init)
    }

    /// The second half of the frames lasts three times as long as the first, and x265 reorders them.
    private func makeVariable(_ path: String) async throws {
        let result = try await Command(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=320x192:r=24:d=1", "-vf",
                "setpts='if(lt(N,12),N,12+(N-12)*3)/24/TB'", "-fps_mode", "vfr", "-pix_fmt", "yuv420p10le", "-c:v",
                "libx265", "-x265-params", "log-level=none", "-tag:v", "hvc1", "-video_track_timescale", "600", path,
            ]
        ).run()
        try #require(result.status == 0, "\(result)")
    }

    @Test(
        .enabled(if: hasReader, "ffmpeg is not installed"),
        arguments: [
            ("decodebin", "speed-preset=medium", "mov"), ("decodebin", "speed-preset=medium", "mp4"),
            ("qtdemux", "preset=passthrough", "mov"), ("decodebin", "preset=prores-422", "mov"),
        ])
    func theLastFrameIsShown(_ reader: String, _ settings: String, _ type: String) async throws {
        let scratch = try TemporaryFolder()
        let (source, path) = (scratch.path("in.mov"), scratch.path("out.\(type)"))
        try await makeVariable(source)
        let outcome = try GstTool.launch(
            "filesrc location=\(source) ! \(reader) ! m.video_0 hdrmux-settings name=m file-type=\(type) \(settings) "
                + "! filesink location=\(path)", timeout: 60)
        expectClean(outcome)
        let times = try await probe(path, "-show_entries", "frame=pts_time").compactMap(Double.init)
        let expected = (0..<24).map { (index: Int) -> Double in
            let ticks = index < 12 ? index : 12 + (index - 12) * 3
            return Double(ticks) / 24
        }
        #expect(times.count == 24)
        #expect(zip(times, expected).allSatisfy { abs($0 - $1) < 0.0001 }, "\(times)")
        let duration = try await probe(path, "-show_entries", "stream=duration").compactMap(Double.init).first
        // FFmpeg 7 says in the source's edit list that it ends a tick after the last frame begins, and decoders of
        // GStreamer 1.26 cut there.
        let isCut = reader == "decodebin" && duration == 1.877
        #expect(
            (duration ?? 0) > 45.0 / 24 + 0.03 || isCut, "the last frame, which begins then, ends at \(duration ?? 0)")
        // A multiple of the source's 600 ticks a second.
        #expect(try await probe(path, "-show_entries", "stream=time_base") == ["1/90000"])
    }

    /// Pictures with a long pause between them, and B-frames across it: packets of Matroska without decoding times, and
    /// packets of MP4 whose durations are the steps between decoding times.
    @Test(.enabled(if: hasReader, "ffmpeg is not installed"), arguments: ["mkv", "mp4"])
    func copiesOfVaryingRatesAreNoLonger(_ ending: String) async throws {
        let scratch = try TemporaryFolder()
        let (source, path) = (scratch.path("in.\(ending)"), scratch.path("out.mp4"))
        let made = try await Command(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=192x108:r=25:d=4", "-vf",
                "select='lt(n,10)+between(n,40,60)+gt(n,90)'", "-fps_mode", "vfr", "-c:v", "libx264", "-bf", "3",
                source,
            ]
        ).run()
        try #require(made.status == 0, "\(made)")
        expectClean(
            try GstTool.launch(
                "hdrsrc location=\(source) decode=false ! m.video_0 hdrmux-settings name=m preset=passthrough "
                    + "file-type=mp4 ! filesink location=\(path)", timeout: 60))
        let times = try await probe(path, "-show_entries", "frame=pts_time").compactMap(Double.init)
        #expect(times.count == 40 && abs((times.last ?? 0) - 3.96) < 0.002, "\(times)")
        let duration = try await probe(path, "-show_entries", "stream=duration").compactMap(Double.init).first
        #expect(abs((duration ?? 0) - 4) < 0.05, "\(duration ?? 0)")
    }

    /// AAC that starts with encoder padding, in a file whose edit list leaves that out.
    @Test(.enabled(if: hasReader, "ffmpeg is not installed")) func paddingOfSoundIsCopied() async throws {
        let scratch = try TemporaryFolder()
        let (source, path) = (scratch.path("in.m4a"), scratch.path("out.mov"))
        let made = try await Command(
            "ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "sine=d=1", "-c:a", "aac", source]
        ).run()
        try #require(made.status == 0, "\(made)")
        // The edit begins in the middle of the first packet.
        var bytes = try scratch.data("in.m4a")
        let edits = try #require(bytes.range(of: Data("elst".utf8)))
        bytes.replaceSubrange(edits.upperBound + 12..<edits.upperBound + 16, with: [0, 0, 1, 0xf4])
        try bytes.write(to: scratch.url("in.m4a"))
        let outcome = try GstTool.launch(
            "filesrc location=\(source) ! qtdemux ! m.audio_0 hdrmux-settings name=m preset=passthrough ! filesink "
                + "location=\(path)", timeout: 60)
        #expect(outcome.status == 0, "\(outcome)")
        let packets = try MovieFile(contentsOf: scratch.url("out.mov")).track("soun")?.sizes
        let before = try MovieFile(contentsOf: scratch.url("in.m4a")).track("soun")?.sizes
        #expect(packets?.first == before?.first && (packets?.count ?? 0) >= 43, "\(packets ?? [])")
    }
}
