import Foundation
import PluginSupport
import Testing
import TestSupport

/// pipelines/hdr-to-sdr as a user runs it: what it writes, what it refuses, and what it leaves behind.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct HDRToSDRTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs the command in the test's folder. The limit leaves time for building the plugin.
    func convert(_ arguments: String..., limit: Duration = .seconds(900)) async throws -> Command.Result {
        var command = Command(Repository.path("pipelines/hdr-to-sdr"), arguments, directory: folder.url)
        command.limit = limit
        return try await command.run()
    }

    /// Makes a file in the test's folder with a GStreamer pipeline; `%` stands for its path.
    func make(_ name: String, _ pipeline: String) async throws {
        let words = pipeline.replacingOccurrences(of: "%", with: folder.path(name)).split(separator: " ")
        let result = try await Command("gst-launch-1.0", ["-q"] + words.map(String.init)).run()
        try #require(result.status == 0, "gst-launch-1.0 \(pipeline): \(result.errors)")
    }

    /// A PQ clip with sound, 30 frames of 320x180.
    func makeClip(_ name: String = "clip.mkv", frames: Int = 30, size: String = "width=320,height=180") async throws {
        try await make(
            name,
            "videotestsrc num-buffers=\(frames) pattern=smpte ! "
                + "video/x-raw,format=I420_10LE,\(size),framerate=30/1,colorimetry=bt2100-pq ! "
                + "vp9enc deadline=1 cpu-used=8 threads=2 ! queue ! matroskamux name=mux ! filesink location=% "
                + "audiotestsrc samplesperbuffer=1600 num-buffers=\(frames) ! audio/x-raw,rate=48000,channels=2 ! "
                + "avenc_aac ! aacparse ! queue ! mux.")
    }

    /// Checks that an MP4 file is SDR as its boxes and its stream say.
    func expectSDR(_ name: String, frames: Int, width: Int, height: Int, sounds: [Int]) async throws {
        let file = try MP4File(contentsOf: folder.url.appendingPathComponent(name))
        let video = try #require(file.tracks.first { $0.handler == "vide" })
        #expect(video.codec == "avc1")
        #expect(video.sampleCount == frames)
        #expect(video.width == width)
        #expect(video.height == height)
        #expect(video.colour == [1, 1, 1, 0], "primaries, transfer and matrix of BT.709, limited range")
        #expect(file.tracks.count == 1 + sounds.count)
        #expect(file.tracks.filter { $0.handler == "soun" }.map(\.codec) == sounds.map { _ in "mp4a" })
        #expect(file.tracks.filter { $0.handler == "soun" }.map(\.sampleCount) == sounds)
        for box in ["mdcv", "clli", "dvcC", "dvvC", "amve"] {
            #expect(!video.description.contains(Data(box.utf8)), "\(box) describes HDR")
        }
        // These are the values of the H.264 stream itself, without those of the container.
        try await make(
            "stream.h264",
            "filesrc location=\(folder.path(name)) ! qtdemux ! h264parse ! "
                + "video/x-h264,stream-format=byte-stream ! filesink location=%")
        let stream = try await Command(
            "gst-launch-1.0",
            ["-v", "filesrc", "location=\(folder.path("stream.h264"))", "!", "h264parse", "!", "fakesink"]
        ).run()
        #expect(stream.output.contains("colorimetry=(string)bt709"))
        #expect(stream.output.contains("profile=(string)high"))
        #expect(stream.output.contains("bit-depth-luma=(uint)8"))
        try FileManager.default.removeItem(atPath: folder.path("stream.h264"))
    }

    /// Checks that a PNG file of two halves has different ones, neither of them black or white.
    func expectPicture(_ name: String, width: Int, height: Int) async throws {
        try await make(
            "pixels",
            "filesrc location=\(folder.path(name)) ! pngdec ! videoconvert ! "
                + "video/x-raw,format=GRAY8,width=\(width),height=\(height) ! filesink location=%")
        let pixels = try Data(contentsOf: folder.url.appendingPathComponent("pixels"))
        try FileManager.default.removeItem(atPath: folder.path("pixels"))
        let stride = (width + 3) / 4 * 4
        var sums = [0.0, 0.0]
        for y in height / 8..<height {
            for x in 0..<width { sums[x / (width / 2)] += Double(pixels[y * stride + x]) }
        }
        let means = sums.map { $0 / Double((height - height / 8) * width / 2) }
        #expect(means.allSatisfy { (20...235).contains($0) }, "\(means)")
        var difference = 0.0
        for y in height / 8..<height {
            for x in 0..<width / 2 {
                difference += abs(Double(pixels[y * stride + x]) - Double(pixels[y * stride + x + width / 2]))
            }
        }
        #expect(difference / Double((height - height / 8) * width / 2) > 4)
    }

    func expectRefusal(
        _ result: Command.Result, _ words: String, leaving names: [String], status: Int32 = 1,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(result.status == status, "\(result)", sourceLocation: sourceLocation)
        #expect(result.errorLines.count == 1, "\(result.errors)", sourceLocation: sourceLocation)
        #expect(
            ["hdr convert: ", "hdr-to-sdr: "].contains { result.errors.hasPrefix($0) }, "\(result.errors)",
            sourceLocation: sourceLocation)
        #expect(result.errors.contains(words), "\(result.errors)", sourceLocation: sourceLocation)
        #expect(result.output.isEmpty, sourceLocation: sourceLocation)
        #expect(folder.names == names.sorted(), sourceLocation: sourceLocation)
    }

    // MARK: - What it writes

    @Test func showsAPhotographWithoutArguments() async throws {
        let result = try await convert()
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("Wrote hdr_room-sdr.mp4"))
        #expect(result.output.contains("Wrote hdr_room-sdr.png"))
        #expect(folder.names == ["hdr_room-sdr.mp4", "hdr_room-sdr.png"])
        // The photograph has 449 rows, H.264 an even number.
        try await expectSDR("hdr_room-sdr.mp4", frames: 75, width: 676, height: 448, sounds: [])
        try await expectPicture("hdr_room-sdr.png", width: 1352, height: 449)
    }

    @Test func convertsAClip() async throws {
        try await makeClip()
        let result = try await convert("clip.mkv", "out.mp4")
        #expect(result.status == 0, "\(result.errors)")
        #expect(folder.names == ["clip.mkv", "out.mp4", "out.png"])
        // The encoder adds a packet of its own to 47 of sound.
        try await expectSDR("out.mp4", frames: 30, width: 320, height: 180, sounds: [48])
        try await expectPicture("out.png", width: 640, height: 180)
    }

    @Test func cutsOddSizes() async throws {
        try await makeClip(size: "width=321,height=181")
        let result = try await convert("clip.mkv", "--quiet", "--no-picture", "--quality", "fast")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.isEmpty && result.errors.isEmpty)
        #expect(folder.names == ["clip-sdr.mp4", "clip.mkv"])
        try await expectSDR("clip-sdr.mp4", frames: 30, width: 320, height: 180, sounds: [48])
    }

    struct Sample: CustomTestStringConvertible {
        let name: String
        let frames: Int
        let width: Int
        let height: Int
        let sounds: [Int]
        var testDescription: String { name }
    }

    /// The numbers are those that ffprobe counts. The phone's picture is upright only after a rotation, and two of its
    /// seven packets of sound come before the first frame.
    static let samples = [
        Sample(name: "iphone-dolby-vision-8.4-hlg.mov", frames: 4, width: 720, height: 1280, sounds: [5]),
        Sample(name: "hlg10.mp4", frames: 9, width: 1920, height: 1080, sounds: [13]),
        Sample(name: "hdr10-plus-no-colr.mp4", frames: 28, width: 1920, height: 1080, sounds: [47]),
        Sample(name: "hdr10-av1.mp4", frames: 127, width: 720, height: 1280, sounds: [196]),
        Sample(name: "dolby-vision-8.1-hdr10.mkv", frames: 259, width: 256, height: 144, sounds: []),
        Sample(name: "hdr10-plus.mkv", frames: 259, width: 256, height: 144, sounds: []),
    ]

    @Test(Samples.areThere, arguments: samples)
    func convertsSamples(_ sample: Sample) async throws {
        let result = try await convert(Samples.path(sample.name), "out.mp4")
        #expect(result.status == 0, "\(result.errors)")
        #expect(folder.names == ["out.mp4", "out.png"])
        // Metadata that the conversion ignores are reported.
        for (name, part) in [("Dolby Vision", "dolby-vision"), ("HDR10+", "hdr10-plus")]
        where sample.name.contains(part) {
            let note = "note: the \(name) metadata of"
            #expect(result.errorLines.filter { $0.contains(note) }.count == 1, "\(result.errors)")
        }
        try await expectSDR(
            "out.mp4", frames: sample.frames, width: sample.width, height: sample.height, sounds: sample.sounds)
        // The two small Matroska files are black.
        if sample.height > 144 {
            let scale = min(1, 1280 / Double(max(sample.width, sample.height)))
            try await expectPicture(
                "out.png", width: 2 * Int(Double(sample.width) * scale), height: Int(Double(sample.height) * scale))
        }
    }

    // MARK: - What it refuses

    @Test func givesHelp() async throws {
        let result = try await convert("--help")
        #expect(result.status == 0)
        #expect(result.output.hasPrefix("Usage: hdr convert "))
        #expect(result.errors.isEmpty)
    }

    @Test func refusesWrongOptions() async throws {
        expectRefusal(try await convert("--bogus"), "--bogus", leaving: [], status: 2)
        expectRefusal(try await convert("--tone-mapping", "magic"), "bt2390", leaving: [], status: 2)
        expectRefusal(try await convert("--reference-white", "-1"), "--reference-white", leaving: [], status: 2)
        expectRefusal(try await convert("a", "b", "c"), "no use for c", leaving: [], status: 2)
    }

    @Test func refusesWhatIsNotAVideo() async throws {
        expectRefusal(try await convert("absent.mov"), "no file absent.mov", leaving: [])
        expectRefusal(try await convert("."), "is a folder", leaving: [])
        try Data().write(to: folder.url.appendingPathComponent("a.mov"))
        expectRefusal(try await convert("a.mov"), "a.mov is empty", leaving: ["a.mov"])
        try Data("This is not a video at all.\n".utf8).write(to: folder.url.appendingPathComponent("a.mov"))
        expectRefusal(try await convert("a.mov"), "not a video", leaving: ["a.mov"])
        try await make("a.mov", "videotestsrc num-buffers=1 ! pngenc ! filesink location=%")
        expectRefusal(try await convert("a.mov"), "still picture", leaving: ["a.mov"])
        try await make("a.mov", "audiotestsrc num-buffers=50 ! avenc_aac ! mp4mux ! filesink location=%")
        expectRefusal(try await convert("a.mov"), "no video", leaving: ["a.mov"])
    }

    @Test func refusesSDR() async throws {
        try await make(
            "sdr.mp4",
            "videotestsrc num-buffers=10 ! video/x-raw,format=I420,colorimetry=bt709 ! x264enc ! "
                + "mp4mux ! filesink location=%")
        expectRefusal(try await convert("sdr.mp4"), "SDR already", leaving: ["sdr.mp4"])
        let assumed = try await convert("sdr.mp4", "--assume", "hlg", "--no-picture")
        #expect(assumed.status == 0, "\(assumed.errors)")
    }

    @Test func refusesDamagedFiles() async throws {
        try await makeClip()
        let whole = try Data(contentsOf: folder.url.appendingPathComponent("clip.mkv"))
        try FileManager.default.removeItem(atPath: folder.path("clip.mkv"))
        let file = folder.url.appendingPathComponent("a.mkv")
        try whole.prefix(whole.count * 2 / 3).write(to: file)
        expectRefusal(try await convert("a.mkv"), "truncated", leaving: ["a.mkv"])
        // The signature alone is right.
        try (whole.prefix(4) + Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0 * 7919 >> 3) })).write(to: file)
        expectRefusal(try await convert("a.mkv"), "a.mkv", leaving: ["a.mkv"])
    }

    @Test func refusesUnknownAndHeadlessMP4() async throws {
        try await make("a.mp4", "videotestsrc num-buffers=10 ! x264enc ! mp4mux ! filesink location=%")
        let url = folder.url.appendingPathComponent("a.mp4")
        var data = try Data(contentsOf: url)
        // The same four letters are in the file's header too.
        let table = try #require(data.range(of: Data("stsd".utf8)))
        let entry = try #require(data.range(of: Data("avc1".utf8), in: table.upperBound..<data.count))
        data.replaceSubrange(entry, with: Data("xyz1".utf8))
        try data.write(to: url)
        expectRefusal(try await convert("a.mp4"), "xyz1", leaving: ["a.mp4"])
        let moov = try #require(data.range(of: Data("moov".utf8)))
        try data.prefix(moov.lowerBound - 4).write(to: url)
        expectRefusal(try await convert("a.mp4"), "no index", leaving: ["a.mp4"])
    }

    @Test func refusesImpossibleOutputs() async throws {
        try await makeClip()
        let names = ["clip.mkv"]
        expectRefusal(try await convert("clip.mkv", "absent/out.mp4"), "no folder absent", leaving: names)
        expectRefusal(try await convert("clip.mkv", "out.avi"), "should end in .mp4", leaving: names, status: 2)
        try FileManager.default.linkItem(atPath: folder.path("clip.mkv"), toPath: folder.path("same.mp4"))
        expectRefusal(try await convert("clip.mkv", "same.mp4"), "the input itself", leaving: names + ["same.mp4"])
        try FileManager.default.removeItem(atPath: folder.path("same.mp4"))
        try Data("precious".utf8).write(to: folder.url.appendingPathComponent("out.mp4"))
        expectRefusal(try await convert("clip.mkv", "out.mp4"), "--force", leaving: names + ["out.mp4"])
        #expect(try Data(contentsOf: folder.url.appendingPathComponent("out.mp4")) == Data("precious".utf8))
        let forced = try await convert("clip.mkv", "out.mp4", "--force", "--no-picture")
        #expect(forced.status == 0, "\(forced.errors)")
    }

    // MARK: - What it leaves behind

    @Test func leavesNothingWhenTheDiskIsFull() async throws {
        try await makeClip()
        // A limit on the size of files stands for a full disk; the shell counts in units of 1024 bytes.
        let script = "ulimit -f 8; exec \"$0\" clip.mkv out.mp4"
        let result = try await Command(
            "bash", ["-c", script, Repository.path("pipelines/hdr-to-sdr")], directory: folder.url
        ).run()
        expectRefusal(result, "cannot write out.mp4", leaving: ["clip.mkv"])
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func leavesNothingWhenInterrupted(_ signal: Int32) async throws {
        try await makeClip(frames: 300, size: "width=640,height=360")
        try await Command(
            Repository.path("pipelines/hdr-to-sdr"), ["clip.mkv", "--quality", "reference"], directory: folder.url
        )
        .expectNothingLeft(after: signal, unfinished: ".convert-", in: folder)
    }

    /// The video and its picture are there together, or not at all.
    @Test func leavesNoVideoWithoutItsPicture() async throws {
        let names = ["clip.mov"]
        try await make(
            "clip.mov",
            "videotestsrc num-buffers=2 pattern=snow ! video/x-raw,format=I422_10LE,width=1280,height=720,"
                + "framerate=25/1,colorimetry=bt2100-pq ! avenc_prores_ks ! qtmux ! filesink location=%")
        try await HDRCommand.command(["convert", "clip.mov", "--speed", "ultrafast"], in: folder)
            .expectNothingLeft(after: SIGINT, unfinished: ".convert-", ending: ".png", in: folder)
        #expect(folder.names == names)
    }
}

/// As much of an MP4 file as the tests ask about, read without GStreamer.
struct MP4File {
    struct Track {
        var handler = ""
        var codec = ""
        var sampleCount = 0
        var width = 0
        var height = 0
        /// Primaries, transfer, matrix and full range.
        var colour: [Int] = []
        /// The sample description with all its boxes.
        var description = Data()
    }

    private(set) var tracks: [Track] = []

    init(contentsOf url: URL) throws {
        Self.boxes(in: try Data(contentsOf: url)[...], container: ["moov"]) { kind, body in
            if kind == "trak" { tracks.append(Self.track(body)) }
        }
    }

    private static func track(_ data: Data) -> Track {
        var track = Track()
        boxes(in: data, container: ["mdia", "minf", "stbl"]) { kind, body in
            switch kind {
            case "hdlr": track.handler = text(body, 8)
            case "stsz": track.sampleCount = number(body, 8, bytes: 4)
            case "stsd":
                track.description = body
                track.codec = text(body, 12)
                guard track.codec == "avc1" else { return }
                track.width = number(body, 8 + 32, bytes: 2)
                track.height = number(body, 8 + 34, bytes: 2)
                if let colr = body.range(of: Data("colrnclx".utf8)) {
                    let start = colr.upperBound - body.startIndex
                    track.colour = [0, 2, 4].map { number(body, start + $0, bytes: 2) }
                    track.colour.append(number(body, start + 6, bytes: 1) >> 7)
                }
            default: break
            }
        }
        return track
    }

    /// Calls `body` with each box, and goes into those of the kinds in `container`.
    private static func boxes(in data: Data, container: Set<String>, _ body: (String, Data) -> Void) {
        var rest = data
        while rest.count >= 8 {
            let short = number(rest, 0, bytes: 4)
            let header = short == 1 ? 16 : 8
            let size = short == 1 ? number(rest, 8, bytes: 8) : short == 0 ? rest.count : short
            guard size >= header, size <= rest.count else { return }
            let kind = text(rest, 4)
            let content = rest.dropFirst(header).prefix(size - header)
            body(kind, content)
            if container.contains(kind) { boxes(in: content, container: container, body) }
            rest = rest.dropFirst(size)
        }
    }

    private static func number(_ data: Data, _ offset: Int, bytes: Int) -> Int {
        data.dropFirst(offset).prefix(bytes).reduce(0) { $0 << 8 | Int($1) }
    }

    private static func text(_ data: Data, _ offset: Int) -> String {
        String(decoding: data.dropFirst(offset).prefix(4), as: UTF8.self)
    }
}
