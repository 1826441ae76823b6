import Foundation
import HDRColor
import PluginSupport
import Testing
import TestSupport

/// `hdr snapshot` as a user runs it: whether the frame is the right one, and what is refused.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct SnapshotTests {
    static let hasReader = Command.exists("ffmpeg")
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Saves the frame of a time of a file of the test's folder.
    func snapshot(
        _ input: String, _ time: String, _ output: String, _ options: String...
    ) async throws -> Command.Result {
        try await run([input, "--at", time, "-o", output] + options)
    }

    func run(_ words: [String]) async throws -> Command.Result {
        try await HDRCommand.run(["snapshot"] + words, in: folder)
    }

    static let side = GrayClip.side
    /// The 10-bit luma of a frame of the clip.
    static func level(_ frame: Int) -> Int { 200 + 60 * frame }

    /// Ten gray frames in PQ, 25 a second, each of a level of its own.
    func makeClip(_ name: String = "clip.mkv") async throws {
        try await GrayClip(levels: (0..<10).map(Self.level)).make(name, in: folder)
    }

    /// The samples of a picture file, as ffmpeg reads it: in a format, or as its decoder gives them.
    func samples(_ name: String, _ format: String?) async throws -> Data {
        let result = try await Command(
            "ffmpeg",
            ["-v", "error", "-y", "-i", name, "-f", "rawvideo"] + (format.map { ["-pix_fmt", $0] } ?? []) + ["samples"],
            directory: folder.url
        ).run()
        try #require(result.status == 0, "\(result.errors)")
        defer { try? FileManager.default.removeItem(atPath: folder.path("samples")) }
        return try Data(contentsOf: folder.url.appendingPathComponent("samples"))
    }

    struct Moment: CustomTestStringConvertible {
        let time: String
        let frame: Int
        var testDescription: String { time }
    }

    /// A frame is shown from its time until the next one's.
    static let moments = [
        Moment(time: "0", frame: 0), Moment(time: "0.039", frame: 0), Moment(time: "0.04", frame: 1),
        Moment(time: ".1", frame: 2), Moment(time: "0:00.2", frame: 5), Moment(time: "00:00:00.36", frame: 9),
        Moment(time: "0.399", frame: 9),
    ]

    @Test(.enabled(if: hasReader, "ffmpeg is not installed"), arguments: moments, ["clip.mkv", "clip.mp4"])
    func savesTheFrameOfATime(_ moment: Moment, clip: String) async throws {
        try await makeClip(clip)
        let result = try await snapshot(clip, moment.time, "out.png")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.hasPrefix("Wrote out.png: "), "\(result.output)")
        #expect(folder.names == [clip, "out.png"])
        let data = try await samples("out.png", "rgb48le")
        try #require(data.count == Self.side * Self.side * 6)
        // The picture is within half a code of the video.
        let wanted = Double(Self.level(moment.frame) - 64) / 876 * 65535
        for index in stride(from: 0, to: data.count, by: 2) {
            let value = Double(Int(data[index]) | Int(data[index + 1]) << 8)
            try #require(abs(value - wanted) < 37, "\(value) for \(wanted) at \(index)")
        }
    }

    @Test(.enabled(if: hasReader, "ffmpeg is not installed"))
    func savesLight() async throws {
        try await makeClip()
        for frame in [1, 5, 9] {
            let result = try await snapshot("clip.mkv", "\(Double(frame) / 25 + 0.01)", "out.exr", "--force", "--quiet")
            #expect(result.status == 0 && result.output.isEmpty && result.errors.isEmpty, "\(result.errors)")
            // FFmpeg 8 gives half floats, and cuts what is brighter than white where it is asked for others.
            let data = try await samples("out.exr", nil)
            let isHalf = data.count == Self.side * Self.side * 6
            let value = data.withUnsafeBytes { bytes in
                isHalf ? Float(bytes.loadUnaligned(as: Float16.self)) : bytes.loadUnaligned(as: Float.self)
            }
            let wanted = PQ.eotf(Double(Self.level(frame) - 64) / 876) / 203
            #expect(abs(Double(value) / wanted - 1) < 0.002, "\(value) for \(wanted)")
        }
    }

    @Test(.enabled(if: hasReader, "ffmpeg is not installed"))
    func savesSDR() async throws {
        try await makeClip()
        var last = 0
        for frame in 0..<10 {
            let result = try await snapshot("clip.mkv", "\(Double(frame) / 25 + 0.01)", "out.sdr.png", "--force")
            #expect(result.status == 0, "\(result.errors)")
            let data = try await samples("out.sdr.png", "rgb24")
            #expect(Set(data).count <= 2, "gray but for the dither")
            let value = data.reduce(0) { $0 + Int($1) } / data.count
            // Each picture is a scene of one light: light above SDR white becomes white.
            #expect(value > last || value >= 254, "\(value) after \(last)")
            last = value
        }
        #expect(last >= 254, "the peak of a picture is white")
    }

    @Test(Samples.areThere, .enabled(if: hasReader, "ffmpeg is not installed"))
    func turnsAPhonesPicture() async throws {
        let clip = Samples.path("iphone-dolby-vision-8.4-hlg.mov")
        for (name, format, bytes) in [("a.png", "rgb48le", 6), ("a.sdr.png", "rgb24", 3), ("a.exr", "gbrpf32le", 12)] {
            let result = try await snapshot(clip, "0.05", name)
            #expect(result.status == 0, "\(result.errors)")
            let size = try await Command(
                "ffprobe", ["-v", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0", folder.path(name)]
            ).run()
            #expect(size.output.hasPrefix("720,1280"), "\(size.output)")
            let data = try await samples(name, format)
            try #require(data.count == 720 * 1280 * bytes)
            guard bytes == 3 else { continue }
            // The sky is above the roofs.
            let half = data.count / 2
            let sky = data.prefix(half).reduce(0) { $0 + Int($1) } / half
            let roofs = data.suffix(half).reduce(0) { $0 + Int($1) } / half
            #expect(sky > roofs + 10, "\(sky) above \(roofs)")
        }
    }

    // MARK: - What it refuses

    func expectRefusal(
        _ result: Command.Result, _ words: String, leaving names: [String], status: Int32 = 1,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(result.status == status, "\(result)", sourceLocation: sourceLocation)
        #expect(result.errorLines.count == 1, "\(result.errors)", sourceLocation: sourceLocation)
        #expect(result.errors.hasPrefix("hdr snapshot: "), "\(result.errors)", sourceLocation: sourceLocation)
        #expect(result.errors.contains(words), "\(result.errors)", sourceLocation: sourceLocation)
        #expect(result.output.isEmpty, sourceLocation: sourceLocation)
        #expect(folder.names == names.sorted(), sourceLocation: sourceLocation)
    }

    @Test func givesHelp() async throws {
        let result = try await run(["--help"])
        #expect(result.status == 0 && result.output.hasPrefix("Usage: hdr snapshot ") && result.errors.isEmpty)
    }

    @Test func refusesWrongArguments() async throws {
        expectRefusal(try await run([]), "hdr snapshot INPUT", leaving: [], status: 2)
        expectRefusal(try await run(["a", "b", "-o", "c.png"]), "-o FOLDER/", leaving: [], status: 2)
        expectRefusal(try await snapshot("absent.mov", "1", "out.png"), "no file absent.mov", leaving: [])
        expectRefusal(try await snapshot(".", "1", "out.png"), "is a folder without videos", leaving: [])
        try Data("This is not a video at all.\n".utf8).write(to: folder.url.appendingPathComponent("a.mov"))
        expectRefusal(try await snapshot("a.mov", "1", "out.png"), "not a video", leaving: ["a.mov"])
    }

    @Test func refusesImpossibleTimes() async throws {
        try await makeClip()
        for time in ["later", "-1", "1:60", "1:2:3:4", "1e3", "nan", ""] {
            expectRefusal(
                try await snapshot("clip.mkv", time, "out.png"), "give seconds (12.5s)", leaving: ["clip.mkv"],
                status: 2)
        }
        for time in ["0.4", "3", "1:00:00"] {
            expectRefusal(
                try await snapshot("clip.mkv", time, "out.png"), "which is 0:00.400 long", leaving: ["clip.mkv"])
        }
    }

    @Test func refusesImpossibleOutputs() async throws {
        try await makeClip()
        let names = ["clip.mkv"]
        let endings = "should end in .png, .sdr.png or .exr"
        expectRefusal(try await snapshot("clip.mkv", "0", "out.jpg"), endings, leaving: names, status: 2)
        expectRefusal(try await snapshot("clip.mkv", "0", "absent/out.png"), "no folder absent", leaving: names)
        try Data("precious".utf8).write(to: folder.url.appendingPathComponent("out.png"))
        expectRefusal(try await snapshot("clip.mkv", "0", "out.png"), "--force", leaving: names + ["out.png"])
        #expect(try Data(contentsOf: folder.url.appendingPathComponent("out.png")) == Data("precious".utf8))
        let forced = try await snapshot("clip.mkv", "0", "out.png", "--force")
        #expect(forced.status == 0, "\(forced.errors)")
    }

    @Test func leavesNothingWhenTheDiskIsFull() async throws {
        try await GstLaunch.make(
            "videotestsrc num-buffers=2 pattern=snow ! video/x-raw,format=I420,width=320,height=240 ! x264enc ! "
                + "matroskamux ! filesink location=\(folder.path("clip.mkv"))")
        // A limit on the size of files stands for a full disk; the shell counts in units of 1024 bytes.
        let script = "ulimit -f 8; exec \"$0\" snapshot clip.mkv -o out.png"
        let result = try await Command("bash", ["-c", script, HDRCommand.program], directory: folder.url).run()
        expectRefusal(result, "\"out.png\" cannot be written", leaving: ["clip.mkv"])
    }
}
