import Foundation
import PluginSupport
import Testing
import TestSupport

/// `hdr snapshot --thumbnail`, as a file manager calls it by packaging/gst-hdr.thumbnailer.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct ThumbnailTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The words of the line Exec with what a file manager puts into them, without the command's name.
    private func words(_ input: String, _ output: String, _ size: Int) throws -> [String] {
        let text = try String(contentsOfFile: Repository.path("packaging/gst-hdr.thumbnailer"), encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("Exec=hdr ") })
        return line.dropFirst("Exec=hdr ".count).split(separator: " ").map {
            String($0).replacing("%i", with: folder.path(input)).replacing("%o", with: folder.path(output))
                .replacing("%s", with: "\(size)")
        }
    }

    /// Width, height, bits and colour type of a PNG file.
    private func header(_ name: String) throws -> [Int] {
        let data = try Data(contentsOf: folder.url.appendingPathComponent(name))
        try #require(data.count > 33 && data.prefix(8) == Data([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]))
        func number(_ at: Int) -> Int { data[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }
        return [number(16), number(20), Int(data[24]), Int(data[25])]
    }

    /// File managers make the file before, under a name without an ending.
    @Test(arguments: [(320, 180, 128, [128, 72]), (180, 320, 256, [144, 256]), (96, 54, 256, [96, 54])])
    func fitsIntoTheSize(_ width: Int, _ height: Int, _ size: Int, _ wanted: [Int]) async throws {
        try await TestClip(color: "bt2100-pq", width: width, height: height).make("clip.mkv", in: folder)
        #expect(FileManager.default.createFile(atPath: folder.path(".thumbnail.X1"), contents: Data()))
        let outcome = try await HDRCommand.run(try words("clip.mkv", ".thumbnail.X1", size), in: folder)
        #expect(outcome.status == 0 && outcome.output.isEmpty && outcome.errors.isEmpty, "\(outcome)")
        // Eight bits of red, green and blue.
        #expect(try header(".thumbnail.X1") == wanted + [8, 2])
    }

    /// Kinds of files that the `.thumbnailer` file lists beside those of clips that GStreamer writes.
    @Test(
        .enabled(if: SnapshotTests.hasReader, "ffmpeg is not installed"),
        arguments: [("clip.mxf", "mpeg2video", "application/mxf"), ("clip.3gp", "mpeg4", "video/3gpp")])
    func ofOtherKinds(_ name: String, _ codec: String, _ type: String) async throws {
        let listed = try String(contentsOfFile: Repository.path("packaging/gst-hdr.thumbnailer"), encoding: .utf8)
        #expect(listed.contains(";\(type);"))
        let source = ["-f", "lavfi", "-i", "testsrc=size=320x180:rate=25:duration=0.4"]
        let made = try GstTool.run("ffmpeg", ["-v", "error"] + source + ["-c:v", codec, folder.path(name)])
        #expect(made.status == 0, "\(made)")
        let outcome = try await HDRCommand.run(try words(name, "small.png", 64), in: folder)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try header("small.png") == [64, 36, 8, 2])
    }

    /// The frame of a tenth of the length, tone-mapped as the whole picture is.
    @Test(.enabled(if: SnapshotTests.hasReader, "ffmpeg is not installed"))
    func showsTheFrameOfATenth() async throws {
        try await GrayClip(levels: (0..<20).map { 300 + 20 * $0 }).make("clip.mkv", in: folder)
        let outcome = try await HDRCommand.run(try words("clip.mkv", "small.png", 64), in: folder)
        #expect(outcome.status == 0, "\(outcome)")
        // A tenth of 0.8 s.
        let whole = try await HDRCommand.run(
            ["snapshot", "clip.mkv", "--at", "0.08", "-o", "whole.sdr.png"], in: folder)
        #expect(whole.status == 0, "\(whole)")
        func level(_ name: String) async throws -> Int {
            let result = try await Command(
                "ffmpeg", ["-v", "error", "-y", "-i", name, "-f", "rawvideo", "-pix_fmt", "gray", "samples"],
                directory: folder.url
            ).run()
            try #require(result.status == 0, "\(result.errors)")
            return Int(try #require(try Data(contentsOf: folder.url.appendingPathComponent("samples")).first))
        }
        let (small, large) = (try await level("small.png"), try await level("whole.sdr.png"))
        #expect(abs(small - large) <= 1 && small > 20, "\(small) \(large)")
    }

    @Test func aWrongSizeIsRefused() async throws {
        let outcome = try await HDRCommand.run(["snapshot", "clip.mkv", "--thumbnail", "0"], in: folder)
        #expect(outcome.status == 2 && outcome.errors.contains("--thumbnail wants a number from 16 to 4096"))
    }
}
