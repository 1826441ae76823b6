import Foundation
import PluginSupport
import TestSupport
import Testing

/// Copies of files whose edit lists begin behind their first packets, which are decoded and not shown.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Command.exists("ffmpeg") && Command.exists("ffprobe")))
struct MuxSettingsLeadTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ tool: String, _ words: String, _ more: String...) throws -> String {
        let all = ["-v", "error"] + words.split(separator: " ").map(String.init) + more
        let result = try Command(tool, all).runToEnd()
        try #require(result.status == 0, "\(result)")
        return result.output
    }

    /// A film of one group of pictures, of AAC with a packet of encoder delay.
    private func make() throws -> String {
        let path = folder.path("film.mp4")
        _ = try run(
            "ffmpeg",
            "-f lavfi -i testsrc2=s=160x96:r=25:d=2 -f lavfi -i sine=r=48000:d=2 -c:v libx264 -bf 3 "
                + "-pix_fmt yuv420p -c:a aac", path)
        return path
    }

    /// The film without its first half second: FFmpeg keeps the packets, and shortens the edit lists.
    private func makeTrimmed() throws -> String {
        let path = folder.path("trimmed.mp4")
        _ = try run("ffmpeg", "-ss 0.5 -i", try make(), "-c", "copy", path)
        return path
    }

    private func copy(_ path: String, _ type: String) async throws -> String {
        let out = folder.path("copy.\(type)")
        let outcome = try GstTool.launch(
            "hdrsrc location=\(path) decode=false name=s s.video_0 ! queue ! m.video_0 hdrmux-settings name=m "
                + "preset=passthrough file-type=\(type) ! filesink location=\(out) s.audio_0 ! queue ! m.audio_0",
            timeout: 60)
        expectClean(outcome)
        return out
    }

    /// The pictures that FFmpeg shows, with their times.
    private func pictures(_ path: String) throws -> [String] {
        try run("ffmpeg", "-i", path, "-map", "0:v", "-f", "framemd5", "-").split(separator: "\n").map(String.init)
            .filter { !$0.hasPrefix("#") }
    }

    @Test(arguments: ["mov", "mp4"]) func trimmedFilesStayTrimmed(_ type: String) async throws {
        let source = try makeTrimmed()
        let out = try await copy(source, type)
        let (before, after) = (try pictures(source), try pictures(out))
        #expect(before.count == 37 && after == before, "\(after.count) of \(before.count)")
        let words = "-show_entries stream=start_time,duration -of csv=p=0"
        #expect(try run("ffprobe", words, out) == "0.000000,1.500000\n0.000000,1.500000\n")
        let packets = "-count_packets -select_streams v -show_entries stream=nb_read_packets -of csv=p=0"
        #expect(try run("ffprobe", packets, out).hasPrefix("50"))
        let (given, written) = (try SourceReport.of(source), try SourceReport.of(out))
        #expect(given.video?.times.count == written.video?.times.count)
        for (old, new) in zip(given.video?.times ?? [], written.video?.times ?? []) {
            #expect(abs(Int64(clamping: old ?? 0) - Int64(clamping: new ?? 0)) < 100_000)
        }
    }

    /// Nothing hides packets there: the pictures before the start are all shown at it, so that those that refer to them
    /// can be decoded.
    @Test func trimmedFilesInMatroska() async throws {
        let source = try makeTrimmed()
        let out = try await copy(source, "matroska")
        let shown = try pictures(out)
        let frames = "-count_frames -select_streams v -show_entries stream=nb_read_frames -of csv=p=0"
        #expect(try run("ffprobe", frames, out).hasPrefix("50"))
        func digest(_ line: String?) -> Substring? { line?.split(separator: ",").last }
        #expect(digest(shown.last) == digest(try pictures(source).last))
        let times = try run("ffprobe", "-select_streams v -show_entries packet=pts_time -of csv=p=0", out)
            .split(whereSeparator: { ",\n".contains($0) }).compactMap { Double($0) }.sorted()
        #expect(times.count == 50 && times.last.map { abs($0 - 1.46) < 0.002 } == true, "\(times)")
    }

    /// The first packet of AAC is needed by the second one, and nothing is heard of it.
    @Test(arguments: ["mov", "mp4"]) func encoderDelayIsKept(_ type: String) async throws {
        let source = try make()
        let out = try await copy(source, type)
        func sound(_ path: String) throws -> String { try run("ffmpeg", "-i", path, "-map", "0:a", "-f", "md5", "-") }
        #expect(try sound(out) == sound(source))
        let words = "-count_packets -select_streams a -show_entries stream=nb_read_packets -of csv=p=0"
        #expect(try run("ffprobe", words, out) == run("ffprobe", words, source))
    }
}
