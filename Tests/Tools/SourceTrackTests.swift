import Foundation
import PluginSupport
import Testing
import TestSupport

/// Which picture the commands take from a file with several, how it is turned, and what they refuse or say of it.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct SourceTrackTests {
    let folder: TemporaryFolder

    static let hasReader = Command.exists("ffmpeg") && Command.exists("ffprobe")
    static let hasMatroskaTools = Command.exists("mkvpropedit") && Command.exists("mkvmerge")

    init() throws { folder = try TemporaryFolder() }

    private func run(_ command: String, _ arguments: String...) async throws -> Command.Result {
        try await HDRCommand.run([command] + arguments, in: folder)
    }

    @discardableResult
    private func tool(_ program: String, _ arguments: String...) async throws -> String {
        let result = try await Command(program, arguments, directory: folder.url).run()
        try #require(result.status == 0, "\(program) \(arguments): \(result.output)\(result.errors)")
        return result.output
    }

    private static func pictures(_ width: Int, _ height: Int, frames: Int = 10) -> String {
        // Bars that get darker from left to right, so that a turned or mirrored picture can be recognized.
        "videotestsrc num-buffers=\(frames) pattern=smpte75 ! video/x-raw,format=I420_10LE,width=\(width),"
            + "height=\(height),framerate=25/1,colorimetry=bt2100-pq ! "
            + "x265enc speed-preset=ultrafast ! h265parse ! queue ! "
    }

    /// A file whose first video is 160 pixels wide, and the second 320.
    private func makeTwo(_ name: String) async throws {
        let muxer = name.hasSuffix(".mkv") ? "matroskamux" : name.hasSuffix(".ts") ? "mpegtsmux" : "qtmux"
        let pads = muxer == "mpegtsmux" ? ("m.sink_65", "m.sink_66") : ("m.video_0", "m.video_1")
        try await GstLaunch.make(
            Self.pictures(160, 96) + pads.0 + " " + Self.pictures(320, 192) + pads.1
                + " \(muxer) name=m ! filesink location=\(folder.path(name))")
    }

    private func makeOne(_ name: String, frames: Int = 10) async throws {
        let muxer = name.hasSuffix(".mkv") ? "matroskamux" : name.hasSuffix(".hevc") ? "identity" : "qtmux"
        let form = name.hasSuffix(".hevc") ? "video/x-h265,stream-format=byte-stream,alignment=au ! " : ""
        try await GstLaunch.make(
            Self.pictures(320, 192, frames: frames) + form + "\(muxer) ! filesink location=\(folder.path(name))")
    }

    /// Width and height of the only video or picture in a file.
    private func size(_ name: String) async throws -> String {
        let text = try await tool(
            "ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "stream=width,height", "-of", "csv=p=0",
            name)
        return text.split(separator: "\n").map { $0.trimmingCharacters(in: [","]) }.joined(separator: " ")
    }

    // MARK: - Several tracks

    enum Main: CaseIterable { case first, afterDisabled, afterOther, afterEnhancement, inStream }

    @Test(
        .enabled(if: hasReader && hasMatroskaTools, "ffmpeg or mkvtoolnix is not installed"), arguments: Main.allCases)
    func theMainVideoIsTaken(_ main: Main) async throws {
        let name: String
        switch main {
        case .first:
            name = "two.mov"
            try await makeTwo(name)
        case .afterDisabled:
            name = "two.mov"
            try await makeTwo(name)
            try patch(name) { bytes in
                let header = try #require(bytes.firstRange(of: Array("tkhd".utf8)))
                bytes[header.upperBound + 3] &= ~1
            }
        case .afterOther:
            name = "two.mkv"
            try await makeTwo(name)
            try await tool("mkvpropedit", name, "--edit", "track:v1", "--set", "flag-default=0")
        case .afterEnhancement:
            name = "two.mov"
            try await makeTwo(name)
            try patch(name) { try Movie.insert(Movie.record(profile: 7, compatibility: 6, hasBase: false), into: &$0) }
        case .inStream:
            name = "two.ts"
            try await makeTwo(name)
        }
        let expected = main == .first || main == .inStream ? "160,96" : "320,192"
        // Where chance decided, several turns showed it.
        for _ in 0..<2 {
            let copy = try await run("export", "--preset", "passthrough", name, "-o", "copy.mov", "--force", "--quiet")
            #expect(copy.status == 0, "\(copy.errors)")
            #expect(try await size("copy.mov") == expected)
        }
        #expect(try await run("convert", name, "-o", "sdr.mp4", "--quiet", "--no-picture").status == 0)
        #expect(try await size("sdr.mp4") == expected)
        guard main != .inStream else { return }
        #expect(try await run("snapshot", name, "--at", "0.1", "-o", "still.png", "--quiet").status == 0)
        #expect(try await size("still.png") == expected)
    }

    // MARK: - Dolby Vision

    /// The start of an RPU of profile 5.
    static let unit: [UInt8] = [
        0, 0, 0, 1, 0x7c, 1, 0x19, 8, 9, 0, 0x40, 0x61, 0xb6, 0x50, 0x6f, 0, 0x3f, 0xf8, 1, 0xff, 0xc0, 0x0f, 0xff,
        0xd0,
    ]

    @Test(arguments: ["box", "unit"])
    func ownColorsAreRefused(source: String) async throws {
        let name: String
        if source == "box" {
            name = "clip.mov"
            try await makeOne(name)
            try patch(name) { try Movie.insert(Movie.record(profile: 5, compatibility: 0, hasBase: true), into: &$0) }
        } else {
            name = "clip.hevc"
            try await makeOne(name)
            try Self.insertRPU(try #require(FileManager.default.contents(atPath: folder.path(name))))
                .write(to: URL(fileURLWithPath: folder.path(name)))
        }
        for words in [
            ["export", name, "-o", "out.mov"], ["concat", "-o", "out.mov", name, name],
            ["snapshot", name, "-o", "out.png"], ["convert", name, "-o", "out.mp4", "--assume", "pq"],
            ["play", "--presenter", "offscreen", "--duration", "1", name],
        ] {
            // Neither has an RPU that can be applied.
            let result = try await HDRCommand.run(words, in: folder)
            #expect(result.status == 1, "\(words)")
            #expect(result.errors.hasPrefix("hdr \(words[0]): \(name) is Dolby Vision"), "\(result.errors)")
            #expect(result.errors.contains("profile 5"), "\(result.errors)")
            #expect(folder.names == [name])
        }
        let line = try GstTool.launch(
            "filesrc location=\(folder.path(name)) ! decodebin ! m.video_0 hdrmux-settings name=m ! fakesink",
            timeout: 60)
        #expect(line.status != 0 && line.errors.contains("Dolby Vision profile 5"), "\(line)")
        guard source == "box" else { return }
        let copy = try await run("export", "--preset", "passthrough", name, "-o", "copy.mov", "--quiet")
        #expect(copy.status == 0, "\(copy.errors)")
    }

    @Test func lostDynamicMetadataIsReported() async throws {
        try await makeOne("clip.mov")
        try patch("clip.mov") { try Movie.insert(Movie.record(profile: 8, compatibility: 1, hasBase: true), into: &$0) }
        let result = try await run(
            "export", "--preset", "hevc-highest-quality", "clip.mov", "-o", "out.mov", "--speed", "ultrafast")
        #expect(result.status == 0)
        // The header says so, and the pictures have no RPU.
        #expect(result.errors.contains("note: the source's Dolby Vision (profile 8) is not kept"), "\(result.errors)")
        #expect(result.errorLines.count == 1, "\(result.errors)")
        let joined = try await run("concat", "-o", "joined.mov", "clip.mov", "clip.mov", "--speed", "ultrafast")
        #expect(joined.status == 0 && !joined.errors.contains("lost"), "\(joined.errors)")
        let made = try HDRCommand.inspect([folder.path("joined.mov")]).first
        let video = try #require((made?["video"] as? [[String: Any]])?.first)
        #expect((video["hdr-formats"] as? [String])?.contains("Dolby Vision 8.1") == true, "\(video)")
        let copy = try await run("export", "--preset", "passthrough", "clip.mov", "-o", "copy.mov")
        #expect(!copy.errors.contains("not kept"), "\(copy.errors)")
    }

    /// A raw stream with the RPU before each picture but the first's headers.
    private static func insertRPU(_ stream: Data) -> Data {
        var result = [UInt8]()
        let bytes = [UInt8](stream)
        var start = 0
        for index in bytes.indices.dropLast(5)
        where bytes[index] == 0 && bytes[index + 1] == 0 && bytes[index + 2] == 1 && bytes[index + 3] >> 1 & 63 < 32 {
            // The message is inserted before each coded picture's unit, at the first zero of the start code.
            let place = index > 0 && bytes[index - 1] == 0 ? index - 1 : index
            result += bytes[start..<place] + unit
            start = place
        }
        return Data(result + bytes[start...])
    }

    // MARK: - Turned pictures

    struct Turn: CustomTestStringConvertible {
        let yaw: Int
        let roll: Int
        let size: String
        /// Whether the slope, which goes from left to right, goes the other way or from top to bottom.
        let slope: String
        var testDescription: String { "yaw \(yaw), roll \(roll)" }
    }

    static let turns = [
        Turn(yaw: 0, roll: -90, size: "192,320", slope: "down"), Turn(yaw: 0, roll: 90, size: "192,320", slope: "up"),
        Turn(yaw: 0, roll: 180, size: "320,192", slope: "left"),
        Turn(yaw: 180, roll: 0, size: "320,192", slope: "left"),
        Turn(yaw: 180, roll: 180, size: "320,192", slope: "right"),
        Turn(yaw: 180, roll: -90, size: "192,320", slope: "up"),
    ]

    @Test(.enabled(if: hasReader && hasMatroskaTools, "ffmpeg or mkvtoolnix is not installed"), arguments: turns)
    func projectionsTurnThePicture(_ turn: Turn) async throws {
        try await makeOne("clip.mkv")
        #expect(try await run("snapshot", "clip.mkv", "--at", "0", "-o", "straight.sdr.png", "--quiet").status == 0)
        let upright = try await slope("straight.sdr.png")
        try await tool(
            "mkvpropedit", "clip.mkv", "--edit", "track:v1", "--set", "projection-type=0", "--set",
            "projection-pose-yaw=\(turn.yaw)", "--set", "projection-pose-roll=\(turn.roll)")
        #expect(try await run("snapshot", "clip.mkv", "--at", "0", "-o", "still.sdr.png", "--quiet").status == 0)
        var names = ["still.sdr.png"]
        // The other commands turn it with GStreamer's elements, by the same entries of the header.
        if turn.roll == -90 {
            #expect(try await run("convert", "clip.mkv", "-o", "sdr.mp4", "--quiet", "--no-picture").status == 0)
            let joined = try await run("concat", "-o", "joined.mp4", "clip.mkv", "--quiet", "--speed", "ultrafast")
            #expect(joined.status == 0, "\(joined.errors)")
            // The element turns the picture where the file cannot say that it is to be turned.
            let encoded = try await run(
                "export", "--preset", "h264-highest-quality", "clip.mkv", "-o", "out.mkv", "--quiet")
            #expect(encoded.status == 0, "\(encoded.errors)")
            names += ["sdr.mp4", "joined.mp4", "out.mkv"]
        }
        #expect(upright == "right")
        for name in names {
            #expect(try await size(name) == turn.size, "\(name)")
            #expect(try await slope(name) == turn.slope, "\(name)")
        }
    }

    /// The direction in which the first picture of a file gets darker.
    private func slope(_ name: String) async throws -> String {
        _ = try await tool(
            "ffmpeg", "-y", "-v", "error", "-i", name, "-frames:v", "1", "-vf", "scale=3:3:flags=area", "-pix_fmt",
            "gray", "-f", "rawvideo", "slope.gray")
        let codes = [UInt8](try Data(contentsOf: folder.url.appendingPathComponent("slope.gray"))).map(Int.init)
        try #require(codes.count == 9)
        let (across, down) = (codes[5] - codes[3], codes[7] - codes[1])
        return abs(across) > abs(down) ? (across < 0 ? "right" : "left") : (down < 0 ? "down" : "up")
    }

    // MARK: - Times

    /// A stream that says 30 frames a second, in a file that shows 25.
    @Test(.enabled(if: hasReader, "ffmpeg is not installed"), arguments: ["passthrough", "prores-422"])
    func theLastFrameLastsAsLongAsTheContainerSays(preset: String) async throws {
        try await GstLaunch.make(
            Self.pictures(320, 192, frames: 25).replacingOccurrences(of: "framerate=25/1", with: "framerate=30/1")
                + "qtmux trak-timescale=1000 ! filesink location=\(folder.path("fast.mov"))")
        try await tool(
            "ffmpeg", "-v", "error", "-i", "fast.mov", "-c", "copy", "-bsf:v",
            "setts=ts=N*40:duration=40", "-tag:v", "hvc1", "-video_track_timescale", "1000",
            "slow.mp4")
        let result = try await run("export", "--preset", preset, "slow.mp4", "-o", "out.mov", "--quiet")
        #expect(result.status == 0, "\(result.errors)")
        let text = try await tool(
            "ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "stream=duration", "-of", "csv=p=0",
            "out.mov")
        let seconds = try #require(Double(text.prefix { $0 != "," && $0 != "\n" }), "\(text)")
        #expect(abs(seconds - 1) < 0.0015)
    }

    // MARK: - Bytes

    private func patch(_ name: String, _ change: (inout [UInt8]) throws -> Void) throws {
        let url = folder.url.appendingPathComponent(name)
        var bytes = [UInt8](try Data(contentsOf: url))
        try change(&bytes)
        try Data(bytes).write(to: url)
    }

    enum Movie {
        /// A box with a Dolby Vision configuration record.
        static func record(profile: Int, compatibility: Int, hasBase: Bool) -> [UInt8] {
            let fields = profile << 9 | 6 << 3 | 4 | (hasBase ? 1 : 2)
            let start = [1, 0, UInt8(fields >> 8), UInt8(fields & 255), UInt8(compatibility << 4)]
            return [0, 0, 0, 32] + Array((profile > 7 ? "dvvC" : "dvcC").utf8) + start + Array(repeating: 0, count: 19)
        }

        /// Puts a box into the first track's sample description, in a file whose header comes last.
        static func insert(_ box: [UInt8], into bytes: inout [UInt8]) throws {
            func number(_ at: Int) -> Int { bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }
            func find(_ kind: String, _ start: Int, _ end: Int) -> Int? {
                var at = start
                while at + 8 <= end {
                    if Array(bytes[at + 4..<at + 8]) == Array(kind.utf8) { return at }
                    let size = number(at) == 1 ? number(at + 12) : number(at)
                    guard size > 0 else { return nil }
                    at += size
                }
                return nil
            }
            var path: [Int] = []
            var (start, end) = (0, bytes.count)
            for kind in ["moov", "trak", "mdia", "minf", "stbl", "stsd"] {
                let at = try #require(find(kind, start, end))
                path.append(at)
                (start, end) = (at + (kind == "stsd" ? 16 : 8), at + number(at))
            }
            path.append(start)
            // The box goes before the other boxes, which QuickTime ends with four zeros.
            let place = start + 86
            for at in path {
                let size = number(at) + box.count
                for index in 0..<4 { bytes[at + index] = UInt8(size >> (24 - 8 * index) & 255) }
            }
            bytes.insert(contentsOf: box, at: place)
        }
    }
}
