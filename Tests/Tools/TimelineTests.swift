import Foundation
import HDRColor
import PluginSupport
import Testing
import TestSupport

/// `hdr timeline` as a user runs it: parts of clips, transitions and titles become one file that is right throughout.
@Suite(.serialized, .timeLimit(.minutes(30)))
struct TimelineTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Makes a file of a timeline of the test's folder.
    func timeline(_ output: String, _ words: String...) async throws -> Command.Result {
        try await HDRCommand.run(["timeline", "-o", output] + words, in: folder)
    }

    func movie(_ name: String) throws -> MovieFile {
        try MovieFile(contentsOf: folder.url.appendingPathComponent(name))
    }

    /// A file's pictures as 10-bit luma, row by row.
    func luma(_ name: String, width: Int = side, height: Int = side) async throws -> [[Int]] {
        try await GstLaunch.make(
            "filesrc location=\(folder.path(name)) ! qtdemux name=d d.video_0 ! avdec_prores ! "
                + "video/x-raw,format=I422_10LE ! filesink location=\(folder.path("raw"))")
        let data = [UInt8](try folder.data("raw"))
        try FileManager.default.removeItem(atPath: folder.path("raw"))
        let size = width * height * 4
        try #require(size > 0 && data.count % size == 0, "\(data.count) bytes")
        return stride(from: 0, to: data.count, by: size).map { start in
            (0..<width * height).map { Int(data[start + 2 * $0]) | Int(data[start + 2 * $0 + 1]) << 8 }
        }
    }

    static let side = GrayClip.side
    /// The 10-bit luma of the grey clips.
    static let (hlgLevel, pqLevel) = (600, 350)

    /// A second of grey in HLG and in PQ, and a white picture in sRGB.
    func makeGrayClips() async throws {
        try await GrayClip(levels: Array(repeating: Self.hlgLevel, count: 25), color: "bt2100-hlg")
            .make("hlg.mkv", in: folder)
        try await GrayClip(levels: Array(repeating: Self.pqLevel, count: 25)).make("pq.mkv", in: folder)
        try await GstLaunch.make(
            "videotestsrc num-buffers=1 pattern=white ! video/x-raw,format=RGB,width=64,height=64 ! pngenc ! "
                + "filesink location=\(folder.path("white.png"))")
    }

    static let grays = ["hlg.mkv", "pq.mkv", "white.png"]

    private static func signal(_ level: Int) -> Double { Double(level - 64) / 876 }
    /// The nominal peak of displays that HLG is for, in cd/m², and the system gamma of BT.2100 for it.
    private static let (hlgPeak, hlgGamma) = (1000.0, 1.2)

    private static func light(hlg level: Int) -> Double {
        hlgPeak * pow(HLG<Double>.inverseOETF(signal(level)), hlgGamma)
    }
    private static func light(pq level: Int) -> Double { PQ.eotf(signal(level)) }
    private static func hlgLevel(_ light: Double) -> Double {
        64 + 876 * HLG<Double>.oetf(pow(light / hlgPeak, 1 / hlgGamma))
    }
    /// Reference white in HLG (BT.2408).
    private static let white = 721

    // MARK: Pictures

    @Test func mixesLight() async throws {
        try await makeGrayClips()
        let result = try await timeline(
            "out.mov", "hlg.mkv", "dissolve", "0.4s", "+", "pq.mkv", "--preset", "prores-422")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.hasPrefix("Wrote out.mov: prores-422, 40 frames"), "\(result.output)")
        let pictures = try await luma("out.mov")
        try #require(pictures.count == 40)
        let (a, b) = (Self.light(hlg: Self.hlgLevel), Self.light(pq: Self.pqLevel))
        for (frame, picture) in pictures.enumerated() {
            let share = min(max(Double(frame - 15) / 10, 0), 1)
            let wanted = Self.hlgLevel((1 - share) * a + share * b)
            let middle = picture[Self.side * Self.side / 2 + Self.side / 2]
            #expect(abs(Double(middle) - wanted) <= 1.5, "\(middle) for \(wanted) in frame \(frame)")
        }
        // The mean of the signals would be something else.
        let signals = (Double(Self.hlgLevel) + Self.hlgLevel(b)) / 2
        #expect(abs(signals - Self.hlgLevel((a + b) / 2)) > 10)
    }

    @Test func mixesSignalsWhereThatIsAskedFor() async throws {
        try await makeGrayClips()
        let result = try await timeline(
            "out.mov", "hlg.mkv", "dissolve", "0.4s", "pq.mkv", "--preset", "prores-422", "--blend-space", "signal")
        #expect(result.status == 0, "\(result.errors)")
        let wanted = (Double(Self.hlgLevel) + Self.hlgLevel(Self.light(pq: Self.pqLevel))) / 2
        let middle = try await luma("out.mov")[20][0]
        #expect(abs(Double(middle) - wanted) <= 1.5, "\(middle) for \(wanted)")
    }

    @Test func dipsAreAllWhiteAndAllBlackOnce() async throws {
        try await makeGrayClips()
        for (word, level) in [("dip-to-white", Self.white), ("dip-to-black", 64)] {
            let result = try await timeline(
                "out.mov", "hlg.mkv", word, "0.4s", "pq.mkv", "--preset", "prores-422", "--force")
            #expect(result.status == 0, "\(result.errors)")
            let pictures = try await luma("out.mov")
            try #require(pictures.count == 50, "they do not overlap")
            #expect(abs(pictures[25][0] - level) <= 1, "\(pictures[25][0])")
            #expect(abs(pictures[19][0] - Self.hlgLevel) <= 1 && abs(pictures[20][0] - Self.hlgLevel) <= 1)
            let second = Double(pictures[21][0])
            // A fifth of the way to the colour of the dip.
            let wanted = Self.hlgLevel(
                0.8 * Self.light(hlg: Self.hlgLevel) + 0.2 * (level == 64 ? 0 : Self.light(hlg: level)))
            #expect(abs(second - wanted) <= 1.5, "\(second) for \(wanted)")
        }
    }

    /// In the middle of a push each half is one of both.
    @Test(arguments: [("left", true, false), ("right", true, true), ("up", false, false), ("down", false, true)])
    func pushes(direction: String, isAcross: Bool, comesFirst: Bool) async throws {
        try await makeGrayClips()
        let result = try await timeline(
            "out.mov", "hlg.mkv", "push", direction, "0.4s", "pq.mkv", "--preset", "prores-422")
        #expect(result.status == 0, "\(result.errors)")
        let picture = try await luma("out.mov")[20]
        func level(_ place: Int) -> Int {
            isAcross ? picture[Self.side * 32 + place] : picture[Self.side * place + 32]
        }
        let second = Self.hlgLevel(Self.light(pq: Self.pqLevel))
        for place in [4, 20, 44, 60] {
            let wanted = (place < 32) == comesFirst ? second : Double(Self.hlgLevel)
            #expect(abs(Double(level(place)) - wanted) <= 3, "\(level(place)) for \(wanted) at \(place)")
        }
    }

    /// In the middle of a wipe each half is one of both.
    @Test func wipes() async throws {
        try await makeGrayClips()
        let result = try await timeline(
            "out.mov", "hlg.mkv", "wipe", "bar-right", "0.4s", "pq.mkv", "--preset", "prores-422")
        try #require(result.status == 0, "\(result.errors)")
        let pictures = try await luma("out.mov")
        let second = Int(Self.hlgLevel(Self.light(pq: Self.pqLevel)).rounded())
        let row = Array(pictures[20][Self.side * 32..<Self.side * 33])
        let ends = Set([row[4], row[60]].map { abs($0 - Self.hlgLevel) <= 3 ? Self.hlgLevel : $0 })
        #expect(ends.count == 2 && ends.contains(Self.hlgLevel) && ends.contains { abs($0 - second) <= 3 }, "\(row)")
        #expect(abs(pictures[15][0] - Self.hlgLevel) <= 1 && abs(pictures[25][0] - second) <= 1)
    }

    /// A clip of another shape has black beside it, in which the one before goes, too.
    @Test func bordersBelongToAClip() async throws {
        try await makeGrayClips()
        try await GrayClip(levels: Array(repeating: Self.hlgLevel, count: 25), color: "bt2100-hlg", width: 32)
            .make("tall.mkv", in: folder)
        let result = try await timeline(
            "out.mov", "hlg.mkv", "dissolve", "0.4s", "tall.mkv", "--preset", "prores-422")
        #expect(result.status == 0, "\(result.errors)")
        let pictures = try await luma("out.mov")
        let gray = Self.light(hlg: Self.hlgLevel)
        // Mixed with itself it stays; beside it the first one goes.
        for (frame, share) in [(15, 1.0), (20, 0.5), (30, 0.0)] {
            let row = Array(pictures[frame][Self.side * 32..<Self.side * 33])
            #expect(abs(row[32] - Self.hlgLevel) <= 2, "\(row[32]) in frame \(frame)")
            let wanted = share > 0 ? Self.hlgLevel(share * gray) : 64
            #expect(abs(Double(row[4]) - wanted) <= 3, "\(row[4]) for \(wanted) in frame \(frame)")
        }
    }

    @Test func whiteOfTitlesAndPicturesIsReferenceWhite() async throws {
        try await makeGrayClips()
        for (clip, white) in [("hlg.mkv", Self.white), ("pq.mkv", 573)] {
            let result = try await timeline(
                "out.mov", clip, "white.png", "for=0.2s", "title", "M &<M>", "size=50", "for=0.4s", "--size", "256x256",
                "--preset", "prores-422", "--force")
            #expect(result.status == 0, "\(result.errors)")
            let pictures = try await luma("out.mov", width: 256, height: 256)
            try #require(pictures.count == 30)
            #expect(abs(pictures[27][1000] - white) <= 1, "\(pictures[27][1000])")
            // Strokes are as white as they are wide; around them is the clip.
            let bright = pictures[5].filter { abs($0 - white) <= 3 }.count
            #expect((500..<30000).contains(bright), "\(bright) pixels of the title")
            #expect(abs(pictures[5][0] - pictures[20][0]) <= 1)
            let dim = pictures[15].filter { abs($0 - white) <= 3 }.count
            #expect(dim == 0, "the title has gone")
        }
    }

    // MARK: Frames, tags and sound

    /// SDR at 25 frames a second without sound, HLG at 30 with sound, PQ at 24000/1001 with sound.
    func makeClips() async throws {
        try await TestClip(color: "bt709", frames: 20, rate: "25/1", hasSound: false).make("sdr.mkv", in: folder)
        try await TestClip(color: "bt2100-hlg", frames: 30).make("hlg.mkv", in: folder)
        try await TestClip(color: "bt2100-pq", frames: 24, rate: "24000/1001").make("pq.mkv", in: folder)
    }

    static let clips = ["hlg.mkv", "pq.mkv", "sdr.mkv"]

    @Test func framesTagsAndSoundAreRight() async throws {
        try await makeClips()
        let result = try await timeline(
            "out.mov", "hlg.mkv", "to=0.8s", "+", "dissolve", "200ms", "+", "pq.mkv", "+", "push", "left", "0.2s", "+",
            "sdr.mkv", "+", "title", "Title", "at=0.2s", "for=0.5s", "fade=0.1s", "--speed", "ultrafast")
        #expect(result.status == 0, "\(result.errors)")
        let file = try movie("out.mov")
        let video = try #require(file.track("vide"))
        #expect(video.color == [9, 18, 9] && video.descriptions == 1 && video.width == 320 && video.height == 180)
        // 24 and 30 and 24 frames, less 6 and 6.
        #expect(video.times.count == 66)
        for (frame, time) in video.times.enumerated() { #expect(abs(time - Double(frame) / 30) < 0.001, "\(time)") }
        #expect(file.track("soun") != nil)
        #expect(folder.names == (Self.clips + ["out.mov"]).sorted())
    }

    /// Sound as whole numbers, 48000 a second.
    func sound(_ name: String) async throws -> [Int] {
        try await GstLaunch.make(
            "filesrc location=\(folder.path(name)) ! qtdemux name=d d.audio_0 ! audioconvert ! "
                + "audio/x-raw,format=S16LE,channels=1 ! filesink location=\(folder.path("raw"))")
        let data = [UInt8](try folder.data("raw"))
        try FileManager.default.removeItem(atPath: folder.path("raw"))
        return stride(from: 0, to: data.count - 1, by: 2).map {
            Int(Int16(truncatingIfNeeded: Int(data[$0]) | Int(data[$0 + 1]) << 8))
        }
    }

    @Test func soundFollowsThePictures() async throws {
        try await makeClips()
        let result = try await timeline(
            "out.mov", "gap", "0.5s", "hlg.mkv", "dissolve", "0.5s", "sdr.mkv", "--preset", "prores-422", "--quiet")
        #expect(result.status == 0 && result.output.isEmpty, "\(result.errors)")
        let sound = try await sound("out.mov")
        // 15 and 30 and 24 frames, less 15.
        #expect(abs(sound.count - 54 * 1600) <= 96, "\(sound.count)")
        func loudest(_ from: Double, _ to: Double) -> Int {
            sound[Int(from * 48000)..<min(Int(to * 48000), sound.count)].map(abs).max() ?? 0
        }
        // The conversion to whole numbers dithers.
        #expect(loudest(0, 0.498) <= 1)
        #expect(loudest(0.53, 0.6) > 10000)
        let whole = Double(loudest(0.6, 0.95))
        // It goes in a straight line from 1 s to 1.5 s.
        for (time, share) in [(1.1, 0.8), (1.25, 0.5), (1.4, 0.2)] {
            let found = Double(loudest(time - 0.0012, time + 0.0012)) / whole
            #expect(abs(found - share) < 0.03, "\(found) for \(share)")
        }
        #expect(loudest(1.502, 1.79) <= 1)
    }

    @Test func aPartIsThatOfTheWhole() async throws {
        try await makeGrayClips()
        let words = ["hlg.mkv", "dissolve", "0.4s", "pq.mkv", "--preset", "prores-422"]
        let whole = try await HDRCommand.run(["timeline", "-o", "whole.mov"] + words, in: folder)
        let part = try await HDRCommand.run(
            ["timeline", "-o", "part.mov", "--from", "680ms", "--to", "1.2s"] + words, in: folder)
        #expect(whole.status == 0 && part.status == 0, "\(whole.errors)\(part.errors)")
        let (all, some) = (try await luma("whole.mov"), try await luma("part.mov"))
        try #require(all.count == 40 && some.count == 13)
        for (frame, picture) in some.enumerated() {
            #expect(abs(picture[0] - all[frame + 17][0]) <= 1, "frame \(frame)")
        }
    }

    /// They are opened as they come.
    @Test func takesManyShortClips() async throws {
        try await makeGrayClips()
        let words = (0..<24).flatMap { [$0 % 2 == 0 ? "hlg.mkv" : "pq.mkv", "from=0.2s", "for=0.12s"] }
        let result = try await HDRCommand.run(
            ["timeline", "-o", "out.mov", "--preset", "prores-422"] + words, in: folder)
        #expect(result.status == 0, "\(result.errors)")
        let pictures = try await luma("out.mov")
        try #require(pictures.count == 72)
        let second = Int(Self.hlgLevel(Self.light(pq: Self.pqLevel)).rounded())
        for (frame, picture) in pictures.enumerated() {
            let wanted = frame / 3 % 2 == 0 ? Self.hlgLevel : second
            #expect(abs(picture[0] - wanted) <= 1, "\(picture[0]) in frame \(frame)")
        }
    }

    @Test func rangesSizesAndRatesAreAsAsked() async throws {
        try await makeClips()
        let words = ["sdr.mkv", "pq.mkv", "--rate", "29.97", "--size", "200x100", "--range", "pq"]
        let result = try await HDRCommand.run(
            ["timeline", "-o", "out.mov", "--speed", "ultrafast"] + words, in: folder)
        #expect(result.status == 0, "\(result.errors)")
        let video = try #require(try movie("out.mov").track("vide"))
        #expect(video.color == [9, 16, 9] && video.width == 200 && video.height == 100)
        #expect(video.times.count == 24 + 30)
        let last = try #require(video.times.last)
        #expect(abs(last - 53 * 1001 / 30000) < 0.001)
        let sdr = try await timeline("sdr.mp4", "pq.mkv", "sdr.mkv", "--preset", "h264-640x480")
        #expect(sdr.status == 0, "\(sdr.errors)")
        let plain = try #require(try movie("sdr.mp4").track("vide"))
        #expect(plain.codec == "avc1" && plain.color == [1, 1, 1])
    }

    @Test(Samples.areThere)
    func takesSamples() async throws {
        let names = ["hlg10.mp4", "hdr10-plus-no-colr.mp4"].map { Samples.path($0) }
        let result = try await timeline(
            "out.mov", names[0], "dissolve", "0.1s", names[1], "--speed", "ultrafast", "--size", "320x180")
        #expect(result.status == 0, "\(result.errors)")
        let video = try #require(try movie("out.mov").track("vide"))
        #expect(video.color == [9, 18, 9] && video.descriptions == 1)
    }

    @Test func previews() async throws {
        try await makeGrayClips()
        let result = try await HDRCommand.run(
            ["timeline", "hlg.mkv", "dissolve", "0.4s", "pq.mkv", "--presenter", "offscreen"], in: folder)
        #expect(result.status == 0, "\(result.errors)")
        let shown = try #require(result.output.firstMatch(of: /(\d+) frames shown/).flatMap { Int($0.1) })
        #expect((1...40).contains(shown), "\(result.output)")
        #expect(folder.names == Self.grays.sorted())
    }

    /// The disk's error is told, and not what follows from it for the clips.
    @Test func leavesNothingWhenTheDiskIsFull() async throws {
        try await TestClip(color: "bt2100-pq", frames: 60, width: 640, height: 360).make("clip.mkv", in: folder)
        // A limit on the size of files stands for a full disk; the shell counts in units of 1024 bytes.
        let script = "ulimit -f 64; exec \"$0\" timeline clip.mkv for=1s clip.mkv -o out.mov --preset prores-422"
        let result = try await Command("bash", ["-c", script, HDRCommand.program], directory: folder.url).run()
        #expect(result.errors == "hdr timeline: cannot write out.mov: File too large\n", "\(result)")
        #expect(result.status == 1)
        #expect(folder.names == ["clip.mkv"])
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func leavesNothingWhenInterrupted(_ signal: Int32) async throws {
        try await TestClip(color: "bt2100-pq", frames: 300, width: 640, height: 360).make("clip.mkv", in: folder)
        let words = ["timeline", "-o", "out.mov", "clip.mkv", "dissolve", "1s", "clip.mkv", "--speed", "veryslow"]
        try await HDRCommand.command(words, in: folder)
            .expectNothingLeft(after: signal, unfinished: ".timeline-", in: folder)
    }
}
