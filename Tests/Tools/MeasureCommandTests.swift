import Foundation
import HDRColor
import PluginSupport
import TestSupport
import Testing

/// `hdr light`, `hdr compare` and `hdr sheet`: figures of pictures whose light is known.
@Suite(.timeLimit(.minutes(10))) struct MeasureCommandTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The object of the only file in what a command prints with `--json`.
    private func object(_ words: [String]) async throws -> [String: Any] {
        try #require(try await HDRCommand.objects(words, in: folder).first)
    }

    private func size(_ name: String) async throws -> String {
        try await Command(
            "ffprobe", ["-v", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0", folder.path(name)]
        ).run().output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test func lightOfEachFrame() async throws {
        let clip = GrayClip(levels: [300, 500, 700, 640, 128])
        try await clip.make("clip.mkv", in: folder)
        let found = try await object(["light", "clip.mkv", "-o", "light.png"])
        let frames = try #require(found["frames"] as? [[String: Double]])
        #expect(frames.count == 5)
        for (index, frame) in frames.enumerated() {
            let light = PQ.eotf(clip.signal(index))
            for name in ["maximum-cd-m2", "average-cd-m2", "percentile-99.9-cd-m2"] {
                #expect(abs((frame[name] ?? 0) / light - 1) < 0.01, "\(index): \(name) \(frame) for \(light)")
            }
            #expect(abs((frame["seconds"] ?? -1) - Double(index) / 25) < 0.0015)
        }
        let brightest = PQ.eotf(clip.signal(2))
        #expect(abs((found["max-cll-cd-m2"] as? Double ?? 0) / brightest - 1) < 0.01)
        #expect(try await size("light.png") == "1280,640")
        let table = try await HDRCommand.run(["light", "clip.mkv", "-o", "light.csv", "--from", "0.08"], in: folder)
        #expect(table.status == 0 && table.output.contains("MaxCLL"), "\(table)")
        let lines = try String(contentsOfFile: folder.path("light.csv"), encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 4 && lines[0] == "seconds,maximum,percentile-99.9,average", "\(lines)")
    }

    /// Grays differ in I alone, which is then their signal (ITU-R BT.2124).
    @Test func differenceOfGrays() async throws {
        let (a, b) = (GrayClip(levels: [500, 600, 700, 400]), GrayClip(levels: [520, 600, 650, 401]))
        try await a.make("a.mkv", in: folder)
        try await b.make("b.mkv", in: folder)
        let found = try await object(["compare", "a.mkv", "b.mkv", "--frames", "4", "-o", "both.png"])
        let frames = try #require(found["frames"] as? [[String: Double]])
        #expect(frames.count == 4)
        for (index, frame) in frames.enumerated() {
            let wanted = 720 * abs(a.signal(index) - b.signal(index))
            // Twelve bits in between.
            #expect(abs((frame["mean"] ?? -1) - wanted) < 0.2, "\(index): \(frame) for \(wanted)")
            #expect(frame["visible-share"] == (wanted > 1 ? 1 : 0))
        }
        #expect(try await size("both.png") == "64,128")
        let same = try await object(["compare", "a.mkv", "a.mkv", "--no-picture"])
        #expect(same["maximum"] as? Double == 0)
        // The third frame alone.
        let part = try await object([
            "compare", "a.mkv", "b.mkv", "--from", "0.08", "--to", "0.12", "--frames", "1", "--no-picture",
        ])
        #expect(abs((part["mean"] as? Double ?? -1) - 720 * abs(a.signal(2) - b.signal(2))) < 0.2, "\(part)")
        // With another transfer function the same codes mean other light.
        let other = try await object(["compare", "a.mkv", "b.mkv", "--assume", "hlg", "--no-picture"])
        #expect(other["mean"] as? Double != found["mean"] as? Double, "\(other)")
        let late = try await HDRCommand.run(["compare", "a.mkv", "b.mkv", "--from", "9", "--no-picture"], in: folder)
        #expect(late.status == 1 && late.errors.contains("--from lies after the end"), "\(late)")
    }

    @Test func aSheetOfFrames() async throws {
        try await TestClip(color: "bt2100-hlg", frames: 30).make("clip.mkv", in: folder)
        let found = try await object(["sheet", "clip.mkv", "--columns", "3", "--rows", "2", "--width", "160"])
        let frames = try #require(found["frames"] as? [[String: Double]])
        let times = frames.map { $0["seconds"] ?? -1 }
        #expect(frames.count == 6 && times == times.sorted() && times[0] < 0.1 && times[5] > 0.85, "\(times)")
        #expect(frames.allSatisfy { ($0["maximum-cd-m2"] ?? 0) > 100 && ($0["average-cd-m2"] ?? 0) > 1 }, "\(frames)")
        // Three columns of 160 and rows of 90 with a line of text, 8 pixels apart, and a title.
        let (width, height): (Int, Int) = (3 * 168 + 8, 2 * 124 + 34)
        #expect(try await size("clip-sheet.png") == "\(width),\(height)")
    }

    /// A clip of fewer frames than there are places shows each once.
    @Test func aSheetOfAShortClip() async throws {
        try await TestClip(color: "bt2100-pq", frames: 4).make("clip.mkv", in: folder)
        let found = try await object(["sheet", "clip.mkv"])
        #expect((found["frames"] as? [[String: Double]])?.count == 4, "\(found)")
        let late = try await HDRCommand.run(["sheet", "clip.mkv", "--from", "9", "-o", "late.png"], in: folder)
        #expect(late.status == 1 && late.errors.contains("has no frames there: it is 0:00.1"), "\(late)")
        for words in ["sheet clip.mkv", "light clip.mkv", "compare clip.mkv clip.mkv --frames 1"] {
            let script = "ulimit -f 4; exec \"$0\" \(words) -o full.png"
            let full = try await Command("bash", ["-c", script, HDRCommand.program], directory: folder.url).run()
            #expect(full.status == 1 && full.errors.contains("cannot write full.png: "), "\(full)")
            #expect(full.errorLines.count == 1, "\(full)")
        }
        #expect(folder.names == ["clip-sheet.png", "clip.mkv"])
    }

    /// Frames of the same light that are closer than a tenth of a second have different times below them.
    @Test(.enabled(if: Command.exists("ffmpeg"), "ffmpeg is not installed"), arguments: [1, 4])
    func timesOfCloseFrames(distance: Int) async throws {
        // A frame of 25 a second stands for each place of the sheet, or every fourth.
        try await GrayClip(levels: Array(repeating: 500, count: 2 * distance)).make("clip.mkv", in: folder)
        let found = try await object(["sheet", "clip.mkv", "--columns", "2", "--rows", "1", "--width", "200"])
        #expect((found["frames"] as? [[String: Double]])?.count == 2, "\(found)")
        var times: [Data] = []
        for column in 0..<2 {
            let name = "time\(column).raw"
            // The time alone, of the line below a frame of 200x200.
            let crop = try await Command(
                "ffmpeg",
                [
                    "-v", "error", "-i", "clip-sheet.png", "-vf", "crop=60:26:\(8 + column * 208):\(8 + 26 + 200)",
                    "-f", "rawvideo", "-pix_fmt", "gray", name,
                ], directory: folder.url
            ).run()
            try #require(crop.status == 0, "\(crop)")
            times.append(try folder.data(name))
        }
        #expect(times[0].count == 60 * 26 && Set(times[0]).count > 2, "there is text")
        #expect(times[0] != times[1])
    }

    @Test(
        arguments: [
            (["compare", "clip.mkv"], "name two videos"), (["sheet", "clip.mkv", "--rows", "0"], "--rows wants"),
            (["light"], "hdr light INPUT"), (["compare", "clip.mkv", "clip.mkv", "--at", "x"], "--at is no time"),
        ])
    func wrongLines(_ words: [String], says: String) async throws {
        let result = try await HDRCommand.run(words, in: folder)
        #expect(result.status == 2 && result.errors.contains(says) && result.errorLines.count == 1, "\(result)")
        #expect(folder.names.isEmpty)
    }
}
