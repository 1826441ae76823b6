import Foundation
import PluginSupport
import TestSupport
import Testing

/// The times that `hdrsrc` gives packets and frames, compared with those that FFmpeg reads.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Command.exists("ffmpeg") && Command.exists("ffprobe")))
struct HDRSrcTimesTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ tool: String, _ words: String, _ path: String) throws -> String {
        let all = ["-v", "error"] + words.split(separator: " ").map(String.init) + [path]
        let result = try Command(tool, all).runToEnd()
        try #require(result.status == 0, "\(result)")
        return result.output
    }

    /// The presentation times of video packets, in s.
    private func times(_ path: String) throws -> [Double] {
        try run("ffprobe", "-select_streams v -show_entries packet=pts_time -of csv=p=0", path)
            .split(whereSeparator: { ",\n".contains($0) }).compactMap { Double($0) }
    }

    /// Frames of 100 ms and then of 33 ms, the first of which comes half a second after the sound: GStreamer 1.22's
    /// matroskademux gives packets of ProRes no times.
    private func makeVariable() throws -> String {
        let path = folder.path("prores.mkv")
        let graph = "select='not(mod(n,3))+gt(n,30)',setpts=PTS+0.5/TB"
        _ = try run(
            "ffmpeg",
            "-f lavfi -i testsrc2=s=160x96:r=30:d=2 -f lavfi -i sine=r=48000:d=3 -vf \(graph) -fps_mode vfr "
                + "-c:v prores_ks -pix_fmt yuv422p10le -c:a pcm_s16le", path)
        return path
    }

    @Test(arguments: [[], ["decode=false"]])
    func proResInMatroskaKeepsItsTimes(_ options: [String]) throws {
        let path = try makeVariable()
        let expected = try times(path)
        let report = try SourceReport.of(path, options)
        report.expectWhole()
        let given = report.video?.times.compactMap { $0 }.map { Double($0) / 1e9 } ?? []
        #expect(expected.count == 40 && given.count == expected.count, "\(given)")
        #expect(zip(given, expected).allSatisfy { abs($0 - $1) < 0.0001 }, "\(given) \(expected)")
    }

    /// A part begins with the frame that is shown at its start, and ends with the one before its end.
    @Test func partsOfProResInMatroska() throws {
        let path = try makeVariable()
        let report = try SourceReport.of(path, "decode=false", "start=1050000000", "stop=1350000000")
        let given = report.video?.times.compactMap { $0 }.map { $0 / 1_000_000 } ?? []
        #expect(given == [1000, 1100, 1200, 1300], "\(given)")
    }

    /// Later versions of ffmpeg write no default duration into a file of varying frame rate: the last packet has none.
    @Test(arguments: ["mov", "matroska"], [true, false])
    func copiesOfProResKeepTheirTimes(_ type: String, hasDurations: Bool) async throws {
        let path = try makeVariable()
        if !hasDurations {
            let edited = try Command("mkvpropedit", [path, "--edit", "track:v1", "--delete", "default-duration"])
                .runToEnd()
            try #require(edited.status == 0, "\(edited)")
        }
        let copy = folder.path("copy")
        try await GstLaunch.make(
            "hdrsrc location=\(path) decode=false name=s s.video_0 ! queue ! m.video_0 hdrmux-settings name=m "
                + "preset=passthrough file-type=\(type) ! filesink location=\(copy) s.audio_0 ! queue ! m.audio_0")
        let (before, after) = (try times(path), try times(copy))
        #expect(after.count == before.count, "\(after)")
        #expect(zip(after, before).allSatisfy { abs($0 - $1) < 0.0011 }, "\(after) \(before)")
    }

    /// A transport stream whose first picture comes 0.7 s after its clock's first reference: times are counted from the
    /// picture, with parts and with seeks, within that time and behind it.
    @Test func transportStreamsBeginWithTheirPictures() throws {
        let path = folder.path("clip.ts")
        _ = try run(
            "ffmpeg", "-f lavfi -i testsrc2=s=160x96:r=25:d=3 -c:v libx264 -bf 2 -g 25 -muxdelay 0.7 -f mpegts", path)
        func shown(_ options: String...) throws -> [Int] {
            let report = try SourceReport.of(path, options)
            #expect(report.ended && report.errors.isEmpty, "\(report)")
            return report.video?.times.compactMap { $0 }.sorted().map { Int($0) / 1_000_000 } ?? []
        }
        let whole = try shown()
        #expect(whole == (0..<75).map { 40 * $0 }, "\(whole)")
        for (start, stop) in [(200, 600), (800, 1400), (2000, 3000)] {
            let part = try shown("start=\(start)000000", "stop=\(stop)000000")
            #expect(part == whole.filter { $0 >= start && $0 < stop }, "\(part)")
        }
        for place in ["0.4", "1.6"] {
            let behind = try shown("--seek", place)
            #expect(behind.contains(2960) && behind.contains(Int(1000 * (Double(place) ?? 0))), "\(behind)")
        }
    }
}
