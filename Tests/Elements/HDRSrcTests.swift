import Foundation
import PluginSupport
import Testing
import TestSupport

/// `hdrsrc` from outside: files that GStreamer's muxers and FFmpeg write.
@Suite(.timeLimit(.minutes(10))) struct HDRSrcTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    static let hasReader = Command.exists("ffmpeg")
    static let hasMatroskaTools = Command.exists("mkvpropedit")

    static func pictures(_ width: Int = 320, _ height: Int = 192, frames: Int = 24, rate: Int = 24) -> String {
        "videotestsrc num-buffers=\(frames) pattern=smpte75 ! video/x-raw,format=I420_10LE,width=\(width),"
            + "height=\(height),framerate=\(rate)/1,colorimetry=bt2100-pq ! "
            + "x265enc speed-preset=medium ! h265parse ! queue ! "
    }

    private func make(_ name: String, frames: Int = 24) async throws -> String {
        let muxer = name.hasSuffix(".mkv") ? "matroskamux" : "qtmux movie-timescale=90000"
        try await GstLaunch.make(Self.pictures(frames: frames) + "\(muxer) ! filesink location=\(folder.path(name))")
        return folder.path(name)
    }

    private func patch(_ path: String, _ change: (inout Data) throws -> Void) throws {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        try change(&bytes)
        try bytes.write(to: URL(fileURLWithPath: path))
    }

    private func set(_ value: UInt32, _ offset: Int, behind box: String, in bytes: inout Data) throws {
        let found = try #require(bytes.range(of: Data(box.utf8)))
        let at = found.upperBound + offset
        bytes.replaceSubrange(at..<at + 4, with: withUnsafeBytes(of: value.bigEndian) { Data($0) })
    }

    // MARK: Edit lists

    /// A phone trims a recording by shortening the movie and its edit; the samples stay. GStreamer 1.22 loses the last
    /// ones.
    @Test(arguments: [1, 5, 12, 23]) func trimmedRecordings(_ frames: Int) async throws {
        let path = try await make("clip.mov")
        try patch(path) { bytes in
            let ticks = UInt32(frames * 90000 / 24)
            try set(ticks, 16, behind: "mvhd", in: &bytes)
            try set(ticks, 8, behind: "elst", in: &bytes)
        }
        let expected = (0..<frames).map { $0 * 1_000_000_000 / 24 }
        let decoded = try SourceReport.of(path)
        decoded.expectWhole()
        let times = decoded.video?.times.compactMap { $0.map { Int($0) } } ?? []
        #expect(times.count == frames && zip(times, expected).allSatisfy { abs($0 - $1) < 50_000 }, "\(times)")
        #expect(abs((decoded.duration ?? 0) - Int64(frames) * 1_000_000_000 / 24) < 50_000)
        #expect(decoded.info?.duration.map { Int64($0) } == decoded.duration)
        // Packets that are shown later may be needed by those before them.
        let copied = try SourceReport.of(path, "decode=false")
        copied.expectWhole()
        let shown = copied.video?.times.compactMap { $0 }.sorted().map { Int($0) } ?? []
        #expect(shown.count >= frames && zip(shown, expected).allSatisfy { abs($0 - $1) < 50_000 }, "\(shown)")
    }

    /// Video that lies before earlier sound: GStreamer 1.22 begins with the video's time, and anew behind it.
    @Test(.enabled(if: hasReader)) func theFirstPacketNeedNotBeTheEarliest() async throws {
        let path = folder.path("late.mkv")
        let made = try Command(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=160x96:r=25:d=1", "-f", "lavfi", "-i",
                "sine=r=48000:d=1", "-c:v", "libx264", "-c:a", "aac", path,
            ]
        ).runToEnd()
        try #require(made.status == 0, "\(made)")
        let words = "-v error -select_streams v -show_entries stream=start_time -of csv=p=0"
        let said = try Command("ffprobe", words.split(separator: " ").map(String.init) + [path]).runToEnd().output
        let began = try #require(Double(said.trimmingCharacters(in: .whitespacesAndNewlines)), "\(said)")
        for options in [[], ["decode=false"]] {
            let report = try SourceReport.of(path, options)
            let times = (report.video?.times.compactMap { $0 } ?? []).sorted()
            let start = try #require(times.first)
            #expect(times.count == 25 && abs(Double(start) - began * 1e9) < 1000, "\(times), \(began)")
            for (index, time) in times.enumerated() {
                let offset: Int = Int(time) - Int(start) - index * 40_000_000
                #expect(abs(offset) <= 1_000_000, "\(times)")
            }
        }
        let copy = "hdrsrc location=\(path) decode=false name=s s.video_0 ! queue ! m.video_0 hdrmux-settings name=m "
        try await GstLaunch.make(
            copy + "preset=passthrough file-type=matroska ! filesink location=\(folder.path("copy.mkv")) "
                + "s.audio_0 ! queue ! m.audio_0")
        let (before, after) = try (SourceReport.of(path), SourceReport.of(folder.path("copy.mkv")))
        #expect(before.video?.times == after.video?.times && before.video?.times.count == 25)
    }

    /// Packets end where they are asked to, and not with their group of pictures.
    @Test(arguments: [1, 7, 13]) func copiesAreCut(_ frames: Int) async throws {
        for name in ["clip.mov", "clip.mkv"] {
            let path = try await make(name, frames: 24)
            let report = try SourceReport.of(path, "decode=false", "stop=\(frames * 1_000_000_000 / 24 - 1_000_000)")
            let times = (report.video?.times.compactMap { $0 } ?? []).sorted()
            // One more may be there that is shown later, because others refer to it.
            #expect((frames...frames + 1).contains(times.count), "\(name): \(times)")
            #expect(report.ended && report.errors.isEmpty, "\(report.errors)")
        }
    }

    /// The encoder's delay puts its last packet behind the end of the sound.
    @Test func theEndOfTheSoundIsEncoded() async throws {
        let path = folder.path("pcm.mov")
        try await GstLaunch.make(
            "audiotestsrc num-buffers=40 samplesperbuffer=4800 ! audio/x-raw,format=S16LE,rate=48000,channels=1 ! "
                + "m.audio_0 qtmux name=m ! filesink location=\(path) "
                + Self.pictures(frames: 96) + "m.video_0")
        try await GstLaunch.make(
            "hdrsrc location=\(path) name=s s.video_0 ! queue ! m.video_0 hdrmux-settings name=m "
                + "preset=hevc-highest-quality ! filesink location=\(folder.path("aac.mov")) "
                + "s.audio_0 ! queue ! m.audio_0")
        let pad = try #require(try SourceReport.of(folder.path("aac.mov")).pads["audio_0"])
        let end = zip(pad.times, pad.durations).compactMap { time, length in time.map { $0 + length } }.max() ?? 0
        #expect(end >= 3_999_900_000, "\(end)")
    }

    @Test func soundWithPadding() async throws {
        let path = folder.path("clip.m4a")
        try await GstLaunch.make(
            "audiotestsrc samplesperbuffer=4800 num-buffers=10 ! audio/x-raw,rate=48000,channels=1 ! m.audio_0 "
                + "hdrmux-settings name=m preset=m4a file-type=mp4 ! filesink location=\(path)")
        let report = try SourceReport.of(path)
        report.expectWhole()
        let pad = try #require(report.pads["audio_0"])
        #expect(report.signals == ["audio_0", "no-more-pads"])
        let end = zip(pad.times, pad.durations).compactMap { time, length in time.map { $0 + length } }.max() ?? 0
        #expect(end >= 499_000_000, "\(end)")
        #expect(report.info?.codec == nil && report.info?.sound.count == 1 && report.info?.container == "mov")
    }

    /// GStreamer 1.22 takes a track of less than a fifth of the movie for a preview.
    @Test func soundOfAMoment() async throws {
        let path = folder.path("clip.mov")
        try await GstLaunch.make(
            Self.pictures(frames: 96) + "m.video_0 audiotestsrc num-buffers=20 timestamp-offset=3000000000 ! "
                + "audio/x-raw,rate=48000 ! avenc_aac ! aacparse ! m.audio_0 qtmux name=m ! filesink location=\(path)")
        let report = try SourceReport.of(path)
        report.expectWhole()
        let times = report.pads["audio_0"]?.times.compactMap { $0 } ?? []
        #expect(times.count >= 20 && times.last.map { $0 > 3_300_000_000 && $0 < 3_500_000_000 } == true, "\(times)")
    }

    /// So it takes the only video, where its sound goes on for long.
    @Test(arguments: ["true", "false"]) func picturesOfAMoment(_ decodes: String) async throws {
        let path = folder.path("clip.mov")
        try await GstLaunch.make(
            Self.pictures(frames: 12) + "m.video_0 audiotestsrc num-buffers=200 ! audio/x-raw,rate=48000 ! avenc_aac ! "
                + "aacparse ! m.audio_0 qtmux name=m ! filesink location=\(path)")
        let report = try SourceReport.of(path, "decode=\(decodes)")
        report.expectWhole()
        let video = try #require(report.video)
        let ends = zip(video.times, video.durations).compactMap { time, length in time.map { $0 + length } }
        #expect(video.times.count == 12 && ends.max().map { $0 > 490_000_000 && $0 < 510_000_000 } == true, "\(ends)")
        #expect((report.pads["audio_0"]?.times.count ?? 0) >= 198)
        let file = try #require(try HDRCommand.inspect([path]).first)
        #expect(!"\(file["findings"] ?? "")".contains("cut-off"), "\(file)")
    }

    // MARK: Tracks

    enum Main: CaseIterable { case first, afterDisabled, inMatroska, inStream }

    @Test(arguments: Main.allCases) func theMainVideoIsTaken(_ main: Main) async throws {
        let path = folder.path(main == .inStream ? "two.ts" : main == .inMatroska ? "two.mkv" : "two.mov")
        let muxer = main == .inStream ? "mpegtsmux" : main == .inMatroska ? "matroskamux" : "qtmux"
        let pads = main == .inStream ? ("m.sink_65", "m.sink_66") : ("m.video_0", "m.video_1")
        try await GstLaunch.make(
            Self.pictures(160, 96, frames: 8) + pads.0 + " " + Self.pictures(320, 192, frames: 8) + pads.1
                + " \(muxer) name=m ! filesink location=\(path)")
        if main == .afterDisabled {
            try patch(path) { bytes in
                let header = try #require(bytes.range(of: Data("tkhd".utf8)))
                bytes[header.upperBound + 3] &= ~1
            }
        }
        let report = try SourceReport.of(path)
        report.expectWhole()
        #expect(report.signals == ["video_0", "no-more-pads"] && report.info?.leftOut == 1)
        let size = main == .afterDisabled ? "width=(int)320" : "width=(int)160"
        #expect(report.video?.caps?.contains(size) == true, "\(report.video?.caps ?? "")")
        #expect(report.video?.times.count == 8)
    }

    @Test func soundIsInTheFilesOrder() async throws {
        let path = folder.path("clip.mov")
        func sound(_ rate: Int, _ channels: Int) -> String {
            "audiotestsrc samplesperbuffer=4410 num-buffers=10 ! audio/x-raw,rate=\(rate),channels=\(channels) ! "
                + "avenc_aac ! aacparse ! queue ! "
        }
        try await GstLaunch.make(
            Self.pictures() + "m.video_0 \(sound(44100, 1)) m.audio_0 \(sound(48000, 2)) m.audio_1 "
                + "\(sound(32000, 1)) m.audio_2 qtmux name=m ! filesink location=\(path)")
        for _ in 0..<3 {
            let report = try SourceReport.of(path)
            report.expectWhole()
            #expect(report.signals == ["video_0", "audio_0", "audio_1", "audio_2", "no-more-pads"])
            for (index, rate) in [44100, 48000, 32000].enumerated() {
                #expect(report.info?.sound[index].contains("rate=(int)\(rate)") == true)
                #expect(report.pads["audio_\(index)"]?.caps?.contains("rate=(int)\(rate)") == true)
            }
        }
        // A pad that nobody takes does not stop the others.
        let pictures = try SourceReport.of(path, "--link", "video_0")
        pictures.expectWhole()
        #expect(pictures.video?.times.count == 24)
        let sounds = try SourceReport.of(path, "--link", "audio_1")
        sounds.expectWhole()
        #expect(sounds.pads["audio_1"]?.times.isEmpty == false)
        try SourceReport.of(path, "--link", "none").expectError("nothing is linked")
    }

    // MARK: Metadata

    static let display = "34000:16000:13250:34500:7500:3000:15635:16450:10000000:50"

    /// GStreamer 1.22 does not read the boxes, and ProRes has no place for the values.
    @Test(arguments: ["mov", "matroska"], ["true", "false"])
    func metadataOfTheContainer(_ type: String, _ decodes: String) async throws {
        let path = folder.path("clip")
        try await GstLaunch.make(
            "videotestsrc num-buffers=3 ! video/x-raw,format=I422_10LE,width=64,height=48,framerate=24/1,"
                + "colorimetry=bt2100-pq,mastering-display-info=(string)\(Self.display),"
                + "content-light-level=(string)1000:400 ! m.video_0 hdrmux-settings name=m preset=prores-422 "
                + "file-type=\(type) ! filesink location=\(path)")
        let report = try SourceReport.of(path, "decode=\(decodes)")
        report.expectWhole()
        let caps = try #require(report.video?.caps)
        #expect(caps.contains("mastering-display-info=(string)\(Self.display)"), "\(caps)")
        #expect(caps.contains("content-light-level=(string)1000:400"), "\(caps)")
        #expect(report.info?.transfer == "PQ" && report.info?.codec == "Apple ProRes")
    }

    @Test func vp9TakesTheContainersWord() async throws {
        try await TestClip(color: "bt2100-hlg").make("clip.mkv", in: folder)
        let report = try SourceReport.of(folder.path("clip.mkv"))
        report.expectWhole()
        #expect(report.info?.transfer == "HLG" && report.info?.codec == "VP9" && report.info?.container == "matroska")
        #expect(report.video?.caps?.contains("colorimetry=(string)bt2100-hlg") == true)
    }

    @Test(.enabled(if: hasMatroskaTools, "mkvtoolnix is not installed")) func projectionsBecomeATag() async throws {
        let path = try await make("clip.mkv", frames: 3)
        #expect(try SourceReport.of(path).info?.orientation == nil)
        let edit = try await Command(
            "mkvpropedit",
            [
                path, "--edit", "track:v1", "--set", "projection-type=0", "--set", "projection-pose-yaw=180", "--set",
                "projection-pose-roll=-90",
            ]
        ).run()
        try #require(edit.status == 0, "\(edit)")
        for decodes in ["true", "false"] {
            let report = try SourceReport.of(path, "decode=\(decodes)")
            report.expectWhole()
            #expect(report.info?.orientation == "flip-rotate-90" && report.video?.orientation == "flip-rotate-90")
        }
    }

    // MARK: What the user knows better

    @Test func wrongTagsAreReplaced() async throws {
        let path = folder.path("clip.mov")
        try await GstLaunch.make(
            "videotestsrc num-buffers=3 ! video/x-raw,format=I420_10LE,width=64,height=64,framerate=24/1,"
                + "colorimetry=bt709 ! x265enc speed-preset=ultrafast ! h265parse ! qtmux ! filesink location=\(path)")
        #expect(try SourceReport.of(path).info?.transfer == "SDR")
        let decoded = try SourceReport.of(path, "assume=pq")
        decoded.expectWhole()
        #expect(decoded.info?.transfer == "PQ" && decoded.info?.colorimetry == "bt2100-pq")
        #expect(decoded.video?.caps?.contains("colorimetry=(string)bt2100-pq") == true)
        try SourceReport.of(path, "assume=hlg", "decode=false").expectError("says bt709")
    }

    @Test(.enabled(if: hasReader, "ffmpeg is not installed")) func missingTagsAreAdded() async throws {
        let path = folder.path("clip.mov")
        let made = try await Command(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x64:d=0.2", "-pix_fmt", "yuv420p10le", "-c:v",
                "libx265", "-x265-params", "log-level=none", "-tag:v", "hvc1", path,
            ]
        ).run()
        try #require(made.status == 0, "\(made)")
        #expect(try SourceReport.of(path).info?.transfer == "unknown")
        for decodes in ["true", "false"] {
            let report = try SourceReport.of(path, "assume=hlg", "decode=\(decodes)")
            report.expectWhole()
            #expect(report.info?.transfer == "HLG" && report.info?.colorimetry == "bt2100-hlg")
            #expect(report.video?.caps?.contains("colorimetry=(string)bt2100-hlg") == true)
        }
    }

    // MARK: Times

    /// A stream that says 30 frames a second, in a file that shows 25.
    @Test(.enabled(if: hasReader, "ffmpeg is not installed"), arguments: ["true", "false"])
    func durationsAreTheContainers(_ decodes: String) async throws {
        let (fast, slow) = (folder.path("fast.mov"), folder.path("slow.mp4"))
        try await GstLaunch.make(
            Self.pictures(frames: 25, rate: 30) + "qtmux trak-timescale=1000 ! filesink location=\(fast)")
        let made = try await Command(
            "ffmpeg",
            [
                "-v", "error", "-i", fast, "-c", "copy", "-bsf:v", "setts=ts=N*40:duration=40",
                "-tag:v", "hvc1", "-video_track_timescale", "1000", slow,
            ]
        ).run()
        try #require(made.status == 0, "\(made)")
        let report = try SourceReport.of(slow, "decode=\(decodes)")
        report.expectWhole()
        #expect(report.video?.durations == Array(repeating: 40_000_000, count: 25))
        #expect(report.info?.timescale == 90000)
    }

    @Test(arguments: ["clip.mov", "clip.mkv"]) func seeks(_ name: String) async throws {
        let path = try await make(name, frames: 48)
        let report = try SourceReport.of(path, "--seek", "1.5")
        report.expectWhole()
        #expect(report.position == 1_500_000_000)
        let times = report.video?.times.compactMap { $0 } ?? []
        #expect(times.count == 12 && times.first.map { abs(Int64($0) - 1_500_000_000) < 1_000_000 } == true)
    }
}
