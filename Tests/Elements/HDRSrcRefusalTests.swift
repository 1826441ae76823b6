import Foundation
import PluginSupport
import Testing
import TestSupport

/// The files that `hdrsrc` refuses, and its reports of damage, on real files too.
@Suite(.timeLimit(.minutes(10))) struct HDRSrcRefusalTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(_ name: String, _ bytes: Data) throws -> String {
        try bytes.write(to: folder.url(name))
        return folder.path(name)
    }

    @Test func whatIsNoFile() throws {
        try SourceReport.of(folder.path("absent.mov")).expectError("there is no file \(folder.path("absent.mov"))")
        try SourceReport.of("").expectError("set location")
        try SourceReport.of(folder.path("")).expectError("is a folder: give the name of a video file")
        try SourceReport.of("/dev/null").expectError("is not a regular file: save it as a file first")
        try SourceReport.of(write("a.mov", Data())).expectError("is empty: copy it again from its origin")
    }

    @Test func whatIsNoVideo() async throws {
        try SourceReport.of(write("a.mov", Data("This is not a video at all.\n".utf8))).expectError("not a video")
        try SourceReport.of(write("b.mov", Data((0..<5000).map { UInt8(truncatingIfNeeded: $0 * 7919 >> 3) })))
            .expectError("not a video")
        try await GstLaunch.make("videotestsrc num-buffers=1 ! pngenc ! filesink location=\(folder.path("c.mov"))")
        try SourceReport.of(folder.path("c.mov")).expectError("is a still picture")
    }

    @Test(arguments: ["qtmux", "avimux", "matroskamux"]) func motionJPEGIsNoStillPicture(_ muxer: String) async throws {
        try await GstLaunch.make(
            "videotestsrc num-buffers=5 ! jpegenc ! \(muxer) ! filesink location=\(folder.path("clip"))")
        let report = try SourceReport.of(folder.path("clip"))
        report.expectWhole()
        #expect(report.video?.times.count == 5)
    }

    /// A name cannot move the cursor of a terminal.
    @Test func namesAreShownOnOneLine() throws {
        let name = "a\u{1b}[31m\n\u{202e}é.mov"
        try SourceReport.of(folder.path(name)).expectError("a\\x1b[31m\\x0a\\u202eé.mov: check the spelling")
        try SourceReport.of(write(name, Data())).expectError("\\x1b[31m\\x0a\\u202eé.mov is empty")
    }

    @Test func whatWasCutShort() async throws {
        let path = folder.path("clip.mp4")
        try await GstLaunch.make("videotestsrc num-buffers=10 ! x264enc ! mp4mux ! filesink location=\(path)")
        var bytes = try folder.data("clip.mp4")
        try SourceReport.of(write("a.mp4", bytes.dropLast(9))).expectError("is truncated, its end is missing")
        let moov = try #require(bytes.range(of: Data("moov".utf8)))
        try SourceReport.of(write("b.mp4", bytes.prefix(moov.lowerBound - 4))).expectError("has no index (moov)")
        // The same four letters are in the file's header too.
        let table = try #require(bytes.range(of: Data("stsd".utf8)))
        let entry = try #require(bytes.range(of: Data("avc1".utf8), in: table.upperBound..<bytes.count))
        bytes.replaceSubrange(entry, with: Data("xyz1".utf8))
        try SourceReport.of(write("c.mp4", bytes)).expectError("holds xyz1 video, which no GStreamer package")
        // Without its descriptions the header speaks of a video that cannot be found.
        try await TestClip(color: "bt2100-pq").make("clip.mkv", in: folder)
        let whole = try folder.data("clip.mkv")
        try SourceReport.of(write("a.mkv", whole.prefix(whole.count * 2 / 3))).expectError("is truncated")
    }

    /// A block that is said to be larger than all that follows, which GStreamer takes for the end of the file.
    @Test(arguments: ["true", "false"]) func whatBreaksOff(_ decodes: String) async throws {
        try await TestClip(color: "bt709", frames: 90).make("clip.mkv", in: folder)
        let whole = [UInt8](try folder.data("clip.mkv"))
        func broken(at share: Double, _ part: String...) throws -> SourceReport {
            var bytes = whole
            // A SimpleBlock with a size of two bytes, of the first or the second track.
            let places = Int(Double(bytes.count) * share)..<bytes.count - 5
            let block = places.first { (place: Int) -> Bool in
                let track: UInt8 = bytes[place + 3]
                return bytes[place] == 0xa3 && bytes[place + 1] >> 6 == 1 && (track == 0x81 || track == 0x82)
            }
            let start = try #require(block)
            bytes.replaceSubrange(start + 1..<start + 5, with: [0x17, 0xff, 0xff, 0xf0])
            return try SourceReport.of(write("broken.mkv", Data(bytes)), ["decode=\(decodes)"] + part)
        }
        let half = try broken(at: 0.5)
        half.expectError("break off, ")
        #expect(!half.ended)
        for part in ["start=500000000", "stop=2900000000"] {
            let report = try broken(at: 0.5, part)
            report.expectError("break off, ")
            #expect(!report.ended)
        }
        // What is asked for lies before the place.
        let before = try broken(at: 0.5, "start=200000000", "stop=800000000")
        #expect(before.ended && before.errors.isEmpty && before.warnings.isEmpty, "\(before)")
        let last = try broken(at: 0.94)
        #expect(last.ended && last.errors.isEmpty, "\(last.errors)")
        #expect(last.warnings.count == 1 && last.warnings.first?.contains("break off 0.") == true, "\(last.warnings)")
        try SourceReport.of(folder.path("clip.mkv"), "decode=\(decodes)").expectWhole()
    }

    /// The header of a Matroska file alone, which GStreamer's demuxer does not flush when it is told to seek.
    @Test(arguments: ["true", "false"]) func aHeaderAloneIsDamaged(_ decodes: String) async throws {
        try await TestClip(color: "bt709", frames: 10).make("clip.mkv", in: folder)
        let whole = try folder.data("clip.mkv")
        let cluster = try #require(whole.range(of: Data([0x1f, 0x43, 0xb6, 0x75])))
        var header = whole[..<cluster.lowerBound]
        let segment = try #require(header.range(of: Data([0x18, 0x53, 0x80, 0x67])))
        // Its size is not known.
        header.replaceSubrange(
            segment.upperBound..<segment.upperBound + 8, with: [1] + [UInt8](repeating: 255, count: 7))
        let path = try write("header.mkv", header)
        try SourceReport.of(path, "decode=\(decodes)", "start=100000000").expectError("is damaged")
    }

    @Test func missingDecodersAreNamed() async throws {
        try await TestClip(color: "bt2100-pq", hasSound: false).make("clip.mkv", in: folder)
        let path = folder.path("clip.mkv")
        let without = ["GST_PLUGIN_FEATURE_RANK": "vp9dec:NONE,avdec_vp9:NONE,vavp9dec:NONE"]
        let line = "hdrsrc location=\(path) ! fakesink"
        let outcome = try GstTool.launch(line, environment: without, timeout: 60)
        #expect(outcome.status != 0)
        #expect(
            outcome.errors.contains("holds VP9 video and its decoder is missing: apt-get install gstreamer1.0-plugins"),
            "\(outcome)")
        let copied = try GstTool.launch(
            line.replacing(" ! ", with: " decode=false ! "), environment: without, timeout: 60)
        #expect(copied.status == 0, "\(copied)")
    }

    // MARK: Real files

    struct Sample: CustomTestStringConvertible {
        let name: String
        let frames: Int
        /// The number of packets of each sound track.
        let sounds: [Int]
        let transfer: String
        let dynamic: [String]
        var testDescription: String { name }
    }

    static let samples = [
        Sample(
            name: "dolby-vision-8.1-hdr10.mkv", frames: 259, sounds: [], transfer: "PQ", dynamic: ["Dolby Vision"]),
        Sample(name: "hdr10-av1.mp4", frames: 127, sounds: [196], transfer: "PQ", dynamic: []),
        Sample(name: "hdr10-plus-no-colr.mp4", frames: 28, sounds: [47], transfer: "PQ", dynamic: ["HDR10+"]),
        Sample(name: "hdr10-plus.mkv", frames: 259, sounds: [], transfer: "PQ", dynamic: ["HDR10+"]),
        Sample(name: "hlg10.mp4", frames: 9, sounds: [13], transfer: "HLG", dynamic: []),
        Sample(
            name: "iphone-dolby-vision-8.4-hlg.mov", frames: 4, sounds: [5], transfer: "HLG",
            dynamic: ["Dolby Vision"]),
    ]

    @Test(Samples.areThere, arguments: samples, ["true", "false"])
    func realFilesArePlayedWhole(_ sample: Sample, _ decodes: String) throws {
        let report = try SourceReport.of(Samples.path(sample.name), "decode=\(decodes)")
        report.expectWhole()
        let video = try #require(report.video)
        // In a copy, a packet behind the end may be needed by those before it.
        #expect(video.times.count == sample.frames || (decodes == "false" && video.times.count == sample.frames + 1))
        let times = video.times.compactMap { $0 }
        #expect(times.count == video.times.count && Set(times).count == times.count)
        if decodes == "true" { #expect(times == times.sorted()) }
        #expect(report.pads.count == 1 + sample.sounds.count)
        for (index, packets) in sample.sounds.enumerated() {
            // GStreamer 1.28 hands out the packets too that a decoder reads before the first one to be heard.
            let count = report.pads["audio_\(index)"]?.times.count ?? 0
            #expect(decodes == "true" ? count == packets : (packets...packets + 2).contains(count))
        }
        let info = try #require(report.info)
        #expect(info.transfer == sample.transfer && info.dynamicMetadata == sample.dynamic)
        #expect(info.colorimetry == "bt2100-\(sample.transfer.lowercased())")
        #expect(info.duration.map { Int64($0) } == report.duration)
        #expect(info.sound.count == sample.sounds.count && info.undecodable == 0)
        let last = zip(video.times, video.durations).compactMap { time, length in time.map { $0 + length } }.max() ?? 0
        if decodes == "true" { #expect(abs(Int64(last) - (report.duration ?? 0)) < 50_000_000) }
    }

    @Test(Samples.areThere) func phonesTurnTheirPictures() throws {
        let report = try SourceReport.of(Samples.path("iphone-dolby-vision-8.4-hlg.mov"))
        #expect(report.info?.orientation == "rotate-90" && report.video?.orientation == "rotate-90")
        #expect(report.info?.leftOut == 3)
    }

    @Test(Samples.areThere) func ownColorsNeedTheirMetadata() throws {
        var bytes = try Data(contentsOf: Samples.folder.appendingPathComponent("iphone-dolby-vision-8.4-hlg.mov"))
        let box = try #require(bytes.range(of: Data("dvvC".utf8)))
        bytes.replaceSubrange(box, with: Data("dvcC".utf8))
        bytes[box.upperBound + 2] = 5 << 1
        bytes[box.upperBound + 4] = 0
        let explained = try write("with.mov", bytes)
        try SourceReport.of(explained).expectWhole()
        // Units of type 62 that are no RPUs.
        while let unit = bytes.range(of: Data([0x7c, 1, 0x19])) { bytes[unit.upperBound - 1] = 0x18 }
        let path = try write("5.mov", bytes)
        try SourceReport.of(path).expectError("is Dolby Vision of profile 5, whose pictures are green and purple")
        try SourceReport.of(path).expectError("copy it as it is with the preset passthrough")
        try SourceReport.of(path, "decode=false").expectWhole()
    }

    /// A screen that did not change for two of eight seconds, of which nothing is missing.
    @Test(.enabled(if: Command.exists("ffmpeg"), "ffmpeg is not installed"))
    func pausesOfPicturesAreMeant() async throws {
        let path = folder.path("pause.mkv")
        let made = try await Command(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=128x96:r=25:d=8", "-vf",
                "select='not(between(n,90,140))'", "-fps_mode", "vfr", "-c:v", "libx264", "-preset", "ultrafast", path,
            ]
        ).run()
        try #require(made.status == 0, "\(made)")
        let report = try SourceReport.of(path)
        report.expectWhole()
        #expect(report.video?.times.count == 149)
    }

    /// An application that stops early is told of no damage.
    @Test(Samples.areThere) func anEarlyEndIsNoDamage() throws {
        let outcome = try GstTool.launch(
            "hdrsrc location=\(Samples.path("hdr10-plus.mkv")) ! fakesink num-buffers=3", timeout: 30)
        #expect(outcome.status == 0 && !outcome.errors.contains("damaged"), "\(outcome)")
    }

    /// Bytes are flipped in one packet, or in one of five.
    @Test(Samples.areThere) func damagedPacketsAreCounted() throws {
        let whole = try Data(contentsOf: Samples.folder.appendingPathComponent("hdr10-plus.mkv"))
        var bytes = whole
        // Near the end, as decoders mark what refers to a damaged picture too.
        let place = whole.count * 88 / 100
        for index in place..<place + 40 { bytes[index] ^= 255 }
        let little = try SourceReport.of(write("little.mkv", bytes))
        #expect(little.ended && little.errors.isEmpty)
        #expect(
            little.warnings.count == 1 && little.warnings.first?.contains("frames of") == true, "\(little.warnings)")
        for index in stride(from: 6000, to: whole.count - 2000, by: 97) { bytes[index] ^= 255 }
        // This reaches the container's own elements too, behind which its packets break off.
        let much = try SourceReport.of(write("much.mkv", bytes))
        let text = much.errors.first?.text ?? ""
        #expect(much.errors.count == 1 && !much.ended, "\(much.errors)")
        #expect(text.contains("% of the video cannot be decoded") || text.contains("% are missing"), "\(text)")
    }

    @Test(Samples.areThere, arguments: ["hdr10-av1.mp4", "iphone-dolby-vision-8.4-hlg.mov", "hdr10-plus.mkv"])
    func nothingLeaks(_ name: String) throws {
        let broken = try write("cut.mov", Data(contentsOf: Samples.folder.appendingPathComponent(name)).dropLast(100))
        let lines = [
            ("hdrsrc location=\(Samples.path(name)) ! fakesink", Int32(0)),
            ("hdrsrc location=\(Samples.path(name)) decode=false ! fakesink", 0),
            ("hdrsrc location=\(broken) ! fakesink", 1),
        ]
        for (line, status) in lines {
            let outcome = try Player.play(line, environment: Player.leakTracing)
            #expect(outcome.status == status, "\(outcome)")
            let alive = "\(outcome.output)\n\(outcome.errors)".split(separator: "\n").filter {
                $0.contains("object-alive,") && $0.contains("address=(gpointer)0x")
            }
            #expect(alive.isEmpty, "\(alive.joined(separator: "\n"))")
        }
    }
}
