import Foundation
import PluginSupport
import Testing
import TestSupport

/// `hdr concat` as a user runs it: clips of all kinds become one file that is right throughout.
@Suite(.serialized, .timeLimit(.minutes(30)))
struct HDRConcatTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Joins clips of the test's folder into a file.
    func concat(_ output: String, _ words: String...) async throws -> Command.Result {
        try await HDRCommand.run(["concat", "-o", output] + words, in: folder)
    }

    /// SDR at 25 frames a second without sound, HLG at 30 with sound, PQ at 24000/1001 with sound.
    func makeClips() async throws {
        try await TestClip(color: "bt709", frames: 20, rate: "25/1", hasSound: false).make("sdr.mkv", in: folder)
        try await TestClip(color: "bt2100-hlg", frames: 30).make("hlg.mkv", in: folder)
        try await TestClip(color: "bt2100-pq", frames: 24, rate: "24000/1001").make("pq.mkv", in: folder)
    }

    static let clips = ["hlg.mkv", "pq.mkv", "sdr.mkv"]

    func movie(_ name: String) throws -> MovieFile {
        try MovieFile(contentsOf: folder.url.appendingPathComponent(name))
    }

    /// The pictures of a file as 10-bit codes, each 320x180 in 4:2:0.
    func pictures(_ name: String, through elements: String) async throws -> [[UInt16]] {
        let decoding =
            name.hasSuffix(".mkv") ? "matroskademux ! vp9dec" : "qtdemux name=d d.video_0 ! h265parse ! avdec_h265"
        try await GstLaunch.make(
            "filesrc location=\(folder.path(name)) ! \(decoding) ! \(elements) ! filesink "
                + "location=\(folder.path("raw"))"
        )
        let data = [UInt8](try Data(contentsOf: folder.url.appendingPathComponent("raw")))
        try FileManager.default.removeItem(atPath: folder.path("raw"))
        let size = 320 * 180 * 3
        return stride(from: 0, through: data.count - size, by: size).map { start in
            stride(from: start, to: start + size, by: 2).map { UInt16(data[$0]) | UInt16(data[$0 + 1]) << 8 }
        }
    }

    func meanDifference(_ a: [UInt16], _ b: [UInt16]) -> Double {
        zip(a, b).reduce(0) { $0 + abs(Double($1.0) - Double($1.1)) } / Double(a.count)
    }

    /// What clips are, where their tags are missing or wrong.
    @Test func takesWhatClipsAreSaidToBe() async throws {
        try await makeClips()
        let result = try await concat("out.mov", "pq.mkv", "--assume", "hlg")
        #expect(result.status == 0, "\(result.errors)")
        #expect(try #require(try movie("out.mov").track("vide")).color == [9, 18, 9])
    }

    @Test func joinsAllDynamicRanges() async throws {
        try await makeClips()
        let result = try await concat("out.mov", "sdr.mkv", "hlg.mkv", "pq.mkv")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.hasPrefix("Wrote out.mov: 3 clips, 74 frames"), "\(result.output)")
        #expect(folder.names == (Self.clips + ["out.mov"]).sorted())
        let video = try #require(try movie("out.mov").track("vide"))
        #expect(video.descriptions == 1)
        #expect(video.color == [9, 18, 9], "HLG wins")
        // Each frame has the duration that it has in its clip; Matroska's milliseconds are rounded.
        let sdr = (0..<20).map { Double($0) / 25 }
        let hlg = (0..<30).map { 0.8 + Double($0) / 30 }
        let pq = (0..<24).map { 1.8 + Double($0) * 1001 / 24000 }
        let expected: [Double] = sdr + hlg + pq
        #expect(video.times.count == expected.count)
        for (time, wanted) in zip(video.times, expected) { #expect(abs(time - wanted) < 0.0025, "\(time) \(wanted)") }

        let plain = "videoconvert ! video/x-raw,format=I420_10LE"
        let converted = "hdrconvert ! video/x-raw,format=I420_10LE,colorimetry=bt2100-hlg"
        let joined = try await pictures("out.mov", through: plain)
        for (name, first) in [("sdr.mkv", 0), ("hlg.mkv", 20), ("pq.mkv", 50)] {
            let alone = try await pictures(name, through: converted)
            let difference = meanDifference(joined[first + 10], alone[10])
            #expect(difference < 4, "\(name): \(difference) codes of 1023")
        }
        // The bars are the same, but of different light, so that each clip can be recognized.
        #expect(meanDifference(joined[10], joined[30]) > 20)
    }

    /// Frames of a tenth of a second behind and before those of a sixtieth: encoders decode for longer than they show.
    @Test(arguments: ["hevc-highest-quality", "h264-highest-quality", "prores-422"], ["mov", "mkv"])
    func theLastFrameIsShownAsLongAsInItsClip(_ preset: String, _ type: String) async throws {
        try await TestClip(color: "bt709", frames: 30, rate: "60/1", hasSound: false).make("fast.mkv", in: folder)
        try await TestClip(color: "bt709", frames: 5, rate: "10/1", hasSound: false).make("slow.mkv", in: folder)
        for clips in [["fast.mkv", "slow.mkv"], ["slow.mkv", "fast.mkv"]] {
            let name = "\(clips[0]).\(type)"
            let result = try await HDRCommand.run(
                ["concat", "-o", name, "--preset", preset, "--speed", "ultrafast"] + clips, in: folder)
            #expect(result.status == 0, "\(result.errors)")
            let file = try HDRCommand.inspect([folder.path(name)])
            let duration = try #require(file.first?["duration-seconds"] as? Double)
            #expect(abs(duration - 1) < 0.002, "\(clips) \(duration)")
        }
    }

    @Test func soundFollowsThePictures() async throws {
        try await makeClips()
        let result = try await concat("out.mov", "hlg.mkv", "sdr.mkv", "hlg.mkv", "--preset", "prores-422", "--quiet")
        #expect(result.status == 0 && result.output.isEmpty, "\(result.errors)")
        try await GstLaunch.make(
            "filesrc location=\(folder.path("out.mov")) ! qtdemux name=d d.audio_0 ! audioconvert ! "
                + "audio/x-raw,format=S16LE,channels=1 ! filesink location=\(folder.path("raw"))")
        let data = [UInt8](try Data(contentsOf: folder.url.appendingPathComponent("raw")))
        let sound = stride(from: 0, to: data.count - 1, by: 2).map {
            Int(Int16(truncatingIfNeeded: Int(data[$0]) | Int(data[$0 + 1]) << 8))
        }
        // 1 s of sound, 0.8 s of silence, 1 s of sound.
        #expect(abs(sound.count - 134_400) <= 96, "\(sound.count)")
        func loudest(_ from: Double, _ to: Double) -> Int {
            sound[Int(from * 48000)..<min(Int(to * 48000), sound.count)].map(abs).max() ?? 0
        }
        #expect(loudest(0.1, 0.95) > 10000)
        // The conversion to whole numbers dithers.
        #expect(loudest(1.002, 1.795) <= 1)
        #expect(loudest(1.83, 1.9) > 10000)
    }

    @Test func makesSDROfAllWithH264() async throws {
        try await makeClips()
        let result = try await concat("out.mp4", "pq.mkv", "sdr.mkv", "--preset", "h264-640x480")
        #expect(result.status == 0, "\(result.errors)")
        let video = try #require(try movie("out.mp4").track("vide"))
        #expect(video.codec == "avc1" && video.color == [1, 1, 1] && video.times.count == 44)
    }

    @Test(arguments: [("largest", 640, 360), ("first", 320, 180), ("200x100", 200, 100)])
    func fitsSizes(size: String, width: Int, height: Int) async throws {
        try await TestClip(color: "bt2100-hlg", frames: 5).make("small.mkv", in: folder)
        try await TestClip(color: "bt2100-hlg", frames: 5, width: 640, height: 360).make("large.mkv", in: folder)
        try await TestClip(color: "bt709", frames: 5, width: 90, height: 160).make("tall.mkv", in: folder)
        let result = try await concat("out.mkv", "small.mkv", "large.mkv", "tall.mkv", "--size", size)
        #expect(result.status == 0, "\(result.errors)")
        let report = try await TestClip.packets("video_0", of: folder.path("out.mkv"))
        #expect(report.contains("width=(int)\(width)") && report.contains("height=(int)\(height)"))
        #expect(TestClip.times(report).count == 15)
    }

    @Test(Samples.areThere)
    func joinsSamples() async throws {
        let names = ["hlg10.mp4", "iphone-dolby-vision-8.4-hlg.mov", "hdr10-plus-no-colr.mp4"]
        let paths = names.map { Samples.path($0) }
        let result = try await concat("out.mov", paths[0], paths[1], paths[2], "--speed", "ultrafast")
        #expect(result.status == 0, "\(result.errors)")
        let video = try #require(try movie("out.mov").track("vide"))
        let frames = 9 + 4 + 28
        #expect(video.times.count == frames)
        #expect(video.color == [9, 18, 9] && video.descriptions == 1)
    }

    func expectRefusal(
        _ result: Command.Result, _ words: String, leaving names: [String], status: Int32 = 1,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(result.status == status, "\(result)", sourceLocation: sourceLocation)
        #expect(result.errorLines.count == 1, "\(result.errors)", sourceLocation: sourceLocation)
        #expect(result.errors.hasPrefix("hdr concat: "), "\(result.errors)", sourceLocation: sourceLocation)
        #expect(result.errors.contains(words), "\(result.errors)", sourceLocation: sourceLocation)
        #expect(folder.names == names.sorted(), sourceLocation: sourceLocation)
    }

    /// A phone's upright clip and a wide one without metadata: each has its own borders, its own light without these,
    /// and one shot; and the phone's surroundings are those of the whole.
    @Test(Samples.areThere) func joinedDolbyVisionDescribesEachClip() async throws {
        let paths = ["iphone-dolby-vision-8.4-hlg.mov", "hlg10.mp4"].map { Samples.path($0) }
        let result = try await concat("out.mov", paths[0], paths[1], "--speed", "ultrafast")
        #expect(result.status == 0, "\(result.errors)")
        for words in [
            ["rpu", "extract", "out.mov", "-o", "rpus.bin"], ["rpu", "export", "rpus.bin", "-o", "rpus.json"],
        ] {
            #expect(try await HDRCommand.run(words, in: folder).status == 0)
        }
        let all = try JSONSerialization.jsonObject(with: try folder.data("rpus.json")) as? [[String: Any]]
        let displays = try #require(all).map { $0["vdr_dm_data"] as? [String: Any] ?? [:] }
        #expect(displays.filter { $0["scene_refresh_flag"] as? Int == 1 }.count == 2)
        let areas = displays.map { HDRConcatTests.numbers(in: $0, of: "Level5") }
        #expect(areas.first == [0, 656, 656, 0] && areas.last == [0, 0, 0, 0], "\(areas)")
        let averages = displays.compactMap { HDRConcatTests.numbers(in: $0, of: "Level1").first }
        // The phone's clip alone has an average of 2231, and 1229 with the borders.
        #expect(averages.first.map { abs($0 - 2231) < 60 } == true, "\(averages)")
        let (_, video) = try HDRCommand.inspect(folder.path("out.mov"))
        let ambient = video["ambient-viewing"] as? [String: Any]
        #expect(ambient?["effective"] is [String: Any], "\(video)")
    }

    /// Behind a clip without any, and in front of one, HDR10+ is measured for the whole file.
    @Test(Samples.areThere, arguments: [false, true]) func joinedHDR10PlusIsThroughout(_ isFirst: Bool) async throws {
        try await makeClips()
        let clips = ["pq.mkv", Samples.path("hdr10-plus-no-colr.mp4")]
        let (one, other) = isFirst ? (clips[1], clips[0]) : (clips[0], clips[1])
        let result = try await concat("out.mov", one, other, "--speed", "ultrafast", "--size", "320x180", "-v")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("HDR10+ measured anew"), "\(result)")
        let words = ["hdr10plus", "extract", "out.mov", "-o", "out.json"]
        let found = try await HDRCommand.run(words, in: folder)
        #expect(found.status == 0 && found.output.contains("52 pictures") && found.errors.isEmpty, "\(found)")
    }

    /// The numbers of a level, in the order of their names.
    private static func numbers(in value: Any, of level: String) -> [Int] {
        if let object = value as? [String: Any] {
            if let found = object[level] as? [String: Int] { return found.sorted { $0.key < $1.key }.map(\.value) }
            return object.values.lazy.map { numbers(in: $0, of: level) }.first { !$0.isEmpty } ?? []
        }
        return (value as? [Any])?.lazy.map { numbers(in: $0, of: level) }.first { !$0.isEmpty } ?? []
    }

    @Test func refusesWhatCannotWork() async throws {
        #expect(try await HDRCommand.run(["concat", "--help"], in: folder).output.hasPrefix("Usage: hdr concat "))
        try await makeClips()
        let kept = Self.clips
        expectRefusal(try await concat("out.mov"), "CLIP", leaving: kept, status: 2)
        expectRefusal(
            try await HDRCommand.run(["concat", "sdr.mkv"], in: folder), "-o OUTPUT", leaving: kept, status: 2)
        expectRefusal(try await concat("out.mov", "sdr.mkv", "absent.mov"), "no file absent.mov", leaving: kept)
        expectRefusal(try await concat("sdr.mkv", "hlg.mkv", "sdr.mkv"), "the input itself", leaving: kept)
        expectRefusal(
            try await concat("out.mov", "sdr.mkv", "--preset", "passthrough"), "joins no", leaving: kept, status: 2)
        expectRefusal(try await concat("out.mov", "sdr.mkv", "--preset", "hevc-"), "hevc-", leaving: kept, status: 2)
        expectRefusal(try await concat("out.mov", "sdr.mkv", "--size", "big"), "largest", leaving: kept, status: 2)
        let whole = try Data(contentsOf: folder.url.appendingPathComponent("pq.mkv"))
        try whole.prefix(whole.count / 2).write(to: folder.url.appendingPathComponent("pq.mkv"))
        expectRefusal(try await concat("out.mov", "sdr.mkv", "pq.mkv"), "truncated", leaving: kept)
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func leavesNothingWhenInterrupted(_ signal: Int32) async throws {
        try await TestClip(color: "bt2100-pq", frames: 300, width: 640, height: 360).make("clip.mkv", in: folder)
        let words = ["concat", "-o", "out.mov", "clip.mkv", "clip.mkv", "--speed", "veryslow"]
        try await HDRCommand.command(words, in: folder)
            .expectNothingLeft(after: signal, unfinished: ".concat-", in: folder)
    }
}
