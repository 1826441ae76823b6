import Foundation
import PluginSupport
import TestSupport
import Testing

/// Sound of floats, and little-endian sound, in MOV: samples that `hdrsrc` reads, copies, and their times, compared
/// with FFmpeg's.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Command.exists("ffmpeg") && Command.exists("ffprobe")))
struct FloatSoundTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ tool: String, _ words: [String]) throws -> String {
        let result = try Command(tool, ["-v", "error"] + words).runToEnd()
        try #require(result.status == 0, "\(result)")
        return result.output
    }

    /// A movie of a picture and of sound in a format of FFmpeg's.
    private func make(_ codec: String, _ rate: Int, _ channels: Int, _ name: String) throws -> String {
        let path = folder.path(name)
        let words =
            "-f lavfi -i testsrc2=s=96x64:r=25:d=1 -f lavfi -i sine=r=\(rate):d=1 -pix_fmt yuv420p -c:v libx264 "
            + "-c:a \(codec) -ac \(channels)"
        _ = try run("ffmpeg", words.split(separator: " ").map(String.init) + [path])
        return path
    }

    /// The samples as FFmpeg reads them.
    private func samples(_ path: String) throws -> [UInt8] {
        let out = folder.path("ffmpeg.raw")
        _ = try run("ffmpeg", ["-y", "-i", path, "-map", "0:a", "-c:a", "pcm_f64le", "-f", "f64le", out])
        return Array(try Data(contentsOf: URL(fileURLWithPath: out)))
    }

    private func read(_ path: String) async throws -> [UInt8] {
        let out = folder.path("hdrsrc.raw")
        try await GstLaunch.make(
            "hdrsrc location=\(path) name=s s.audio_0 ! audioconvert ! audio/x-raw,format=F64LE ! "
                + "filesink location=\(out) s.video_0 ! fakesink")
        return Array(try Data(contentsOf: URL(fileURLWithPath: out)))
    }

    @Test(
        arguments: [
            ("pcm_f32le", 48000, 1), ("pcm_f32le", 96000, 2), ("pcm_f32be", 44100, 6), ("pcm_f64le", 48000, 2),
            ("pcm_f64be", 48000, 6), ("pcm_s32le", 48000, 2), ("pcm_s32be", 48000, 2), ("pcm_s24le", 48000, 2),
        ])
    func floatsAndByteOrders(_ codec: String, _ rate: Int, _ channels: Int) async throws {
        let path = try make(codec, rate, channels, "in.mov")
        let expected = try samples(path)
        #expect(expected.count == rate * channels * 8)
        #expect(try await read(path) == expected)
        for type in ["mov", "matroska"] {
            let copy = folder.path("copy.\(type)")
            try await GstLaunch.make(
                "hdrsrc location=\(path) decode=false name=s s.video_0 ! queue ! m.video_0 hdrmux-settings name=m "
                    + "preset=passthrough file-type=\(type) ! filesink location=\(copy) s.audio_0 ! queue ! m.audio_0")
            let words = "-select_streams a -show_entries stream=codec_name,sample_rate,channels -of csv=p=0"
            let said = try run("ffprobe", words.split(separator: " ").map(String.init) + [copy])
            // Floats of Matroska are little-endian.
            let isSwapped = type == "matroska" && codec.hasPrefix("pcm_f")
            let name = isSwapped ? codec.replacing("be", with: "le") : codec
            #expect(said.trimmingCharacters(in: .whitespacesAndNewlines) == "\(name),\(rate),\(channels)")
            #expect(try samples(copy) == expected)
            #expect(try await read(copy) == expected)
            let report = try SourceReport.of(copy)
            let pad = try #require(report.pads["audio_0"])
            let end = zip(pad.times, pad.durations).compactMap { time, length in time.map { ($0, length) } }.last
            #expect(end.map { $0.0 + $0.1 > 990_000_000 } == true, "\(pad.times)")
        }
    }

    /// The rate of AAC overflows the field of a sample entry that ends at 65 535 Hz.
    @Test(arguments: ["mov", "mp4"]) func fastAAC(_ type: String) async throws {
        let path = try make("pcm_s24le", 96000, 2, "in.mov")
        let coded = folder.path("out.\(type)")
        try await GstLaunch.make(
            "hdrsrc location=\(path) name=s s.video_0 ! queue ! m.video_0 hdrmux-settings name=m "
                + "speed-preset=ultrafast preset=h264-highest-quality file-type=\(type) ! filesink location=\(coded) "
                + "s.audio_0 ! queue ! m.audio_0")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: coded))
        let entry = try #require(bytes.range(of: Data("mp4a".utf8))).upperBound
        #expect(bytes[entry + 9] == (type == "mov" ? 2 : 0))
        #expect(type == "mov" || bytes[entry + 24..<entry + 28].allSatisfy { $0 == 0 })
        let words = "-select_streams a -show_entries stream=sample_rate -of csv=p=0"
        #expect(try run("ffprobe", words.split(separator: " ").map(String.init) + [coded]).hasPrefix("96000"))
        #expect(try samples(coded).count >= 96000 * 2 * 8)
        let report = try SourceReport.of(coded)
        report.expectWhole()
        #expect(report.pads["audio_0"]?.caps?.contains("rate=(int)96000") == true, "\(report.pads)")
    }
}
