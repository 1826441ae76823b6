import Foundation
import PluginSupport
import Testing
import TestSupport

/// Dynamic metadata on their way from coded pictures through decoders, filters and encoders, as an application sees
/// them through `gst/hdr/gsthdrdynamicmetadata.h`.
@Suite struct HDRMetaParseTests {
    /// Metadata of one buffer, as Programs/metadata.c prints them.
    struct Line: Equatable {
        let time: UInt64
        /// `nil`: the buffer has none.
        let format: Int?
        let flags: Int
        let size: String
        let bytes: String
    }

    static let program = Result {
        let folder = try TemporaryFolder()
        let source = try String(contentsOfFile: Repository.path("Tests/Elements/Programs/metadata.c"), encoding: .utf8)
        let path = try folder.compile(
            source, as: "metadata", packages: ["gstreamer-video-1.0"],
            flags: ["-Werror", "-I", Repository.path("Sources/CHDRTap/include")])
        return (folder, path)
    }

    static func lines(_ launch: String) throws -> (lines: [Line], errors: String) {
        let outcome = try GstTool.run(try program.get().1, [launch], timeout: 120)
        #expect(outcome.status == 0, "\(launch): \(outcome)")
        let lines = outcome.output.split(separator: "\n").compactMap { text -> Line? in
            let words = text.split(separator: " ")
            func value(_ name: String) -> String? {
                words.first { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) }
            }
            guard let time = value("time").flatMap(UInt64.init) else { return nil }
            return Line(
                time: time, format: value("format").flatMap(Int.init), flags: value("flags").flatMap(Int.init) ?? 0,
                size: value("size") ?? "", bytes: value("bytes") ?? "")
        }
        return (lines, outcome.errors)
    }

    static func metadata(_ launch: String) throws -> [UInt64: Line] {
        let (lines, errors) = try lines(launch)
        #expect(errors == "", "\(launch)")
        #expect(lines.allSatisfy { $0.format != nil }, "\(launch)")
        return Dictionary(lines.map { ($0.time, $0) }) { first, _ in first }
    }

    static let samples = ["iphone-dolby-vision-8.4-hlg.mov", "dolby-vision-8.1-hdr10.mkv", "hdr10-plus.mkv"]

    /// Each picture keeps its own metadata, through a decoder that reorders pictures and through all elements that
    /// follow.
    @Test(
        Samples.areThere, arguments: samples,
        [
            "videoconvert ! videoscale ! video/x-raw,width=128,height=72", "videocrop top=10",
            "videoflip method=rotate-180",
            "hdrconvert ! video/x-raw,format=P010_10LE", "hdrtap",
            "x265enc speed-preset=ultrafast option-string=bframes=4 ! h265parse",
        ])
    func picturesKeepTheirOwn(_ sample: String, _ filters: String) throws {
        let source = "filesrc location=\(Samples.path(sample))"
        let demuxer = sample.hasSuffix("mkv") ? "matroskademux" : "qtdemux"
        let coded = try Self.metadata(
            "\(source) ! \(demuxer) ! h265parse ! hdrmetaparse ! video/x-h265 ! fakesink name=out")
        #expect(Set(coded.values.map(\.bytes)).count > 1 || coded.count < 6)
        // The decoder is the one that decodebin finds, with nothing set.
        let shown = try Self.metadata("\(source) ! decodebin ! video/x-raw ! \(filters) ! fakesink name=out")
        // A decoder does not show pictures in front of the first one that an edit list begins with.
        #expect(shown.count > coded.count - 3 && !shown.isEmpty)
        // x265enc gives the first picture the time of 1000 hours.
        let isMoved = filters.hasPrefix("x265enc")
        let first = try Self.metadata("\(source) ! decodebin ! video/x-raw ! fakesink name=out").keys.min() ?? 0
        let shift = isMoved ? 3_600_000_000_000_000 - first : 0
        for (time, line) in shown {
            // Times are equal to the nanosecond, except for rounding.
            let own = coded[time &- shift] ?? coded[time &- shift &- 1] ?? coded[time &- shift &+ 1]
            #expect(own?.bytes == line.bytes && own?.format == line.format && line.flags == 0, "\(time)")
        }
    }

    @Test(
        Samples.areThere,
        arguments: ["decodebin", "uridecodebin", "uridecodebin3", "playbin", "playbin3"])
    func unchangedPlayersCarryThem(_ player: String) throws {
        let path = Samples.path("hdr10-plus.mkv")
        let launch =
            switch player {
            case "decodebin": "filesrc location=\(path) ! decodebin ! video/x-raw ! fakesink name=out"
            case "playbin", "playbin3":
                "\(player) uri=file://\(path) audio-sink=fakesink video-sink=\"fakesink name=out\""
            default: "\(player) uri=file://\(path) ! video/x-raw ! fakesink name=out"
            }
        #expect(try Self.metadata(launch).count == 259)
    }

    private static let players = ["uridecodebin", "uridecodebin3", "playbin", "playbin3"]

    private static func line(_ player: String, _ path: String) -> String {
        player.hasPrefix("playbin")
            ? "\(player) uri=file://\(path) audio-sink=fakesink video-sink=\"fakesink name=out\""
            : "\(player) uri=file://\(path) ! video/x-raw ! fakesink name=out"
    }

    /// The caps of these streams are known from their pictures alone, and parsebin shows them before it knows.
    @Test(Samples.areThere, arguments: players) func playersCarryThoseOfTransportStreams(_ player: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("clip.ts")
        expectClean(
            try GstTool.launch(
                "filesrc location=\(Samples.path("hdr10-plus.mkv")) ! matroskademux ! h265parse ! mpegtsmux ! "
                    + "filesink location=\(path)", timeout: 60))
        let (lines, errors) = try Self.lines(Self.line(player, path))
        #expect(errors == "" && lines.count == 259 && lines.allSatisfy { $0.format != nil })
    }

    @Test(Samples.areThere, arguments: players) func playersReadThoseOfAV1(_ player: String) throws {
        let outcome = try GstTool.launch(
            Self.line(player, Samples.path("hdr10-av1.mp4")),
            environment: ["GST_DEBUG": "hdrmetaparse:4", "GST_DEBUG_NO_COLOR": "1"], timeout: 120)
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("reads the metadata of pictures of 720x1280"), "\(outcome)")
    }

    /// `encodebin` finds the parser that makes an encoder's byte-stream what a muxer takes.
    @Test(arguments: [
        "video/x-matroska:video/x-h265", "video/quicktime,variant=iso:video/x-h265",
        "video/x-matroska:video/x-h264",
    ])
    func encodebinHasItsOwnParser(_ profile: String) throws {
        let scratch = try TemporaryFolder()
        expectClean(
            try GstTool.launch(
                "videotestsrc num-buffers=5 ! video/x-raw,width=64,height=64 "
                    + "! encodebin profile=\"\(profile)\" ! filesink location=\(scratch.path("out"))", timeout: 60))
        let read = try GstTool.launch(
            "filesrc location=\(scratch.path("out")) ! decodebin ! fakesink name=out sync=false", options: ["-v"],
            timeout: 60)
        #expect(read.status == 0 && read.output.contains("width=(int)64"), "\(read)")
    }

    @Test(Samples.areThere) func droppedPicturesTakeTheirsAlong() throws {
        let source = "filesrc location=\(Samples.path("hdr10-plus.mkv")) ! decodebin ! video/x-raw ! "
        let all = try Self.metadata(source + "fakesink name=out")
        // A frame each 250 ms, which lie on every sixth.
        let some = try Self.lines(source + "videorate drop-only=true ! video/x-raw,framerate=4/1 ! fakesink name=out")
        #expect(some.lines.count > 30)
        let known = Set(all.values.map(\.bytes))
        #expect(some.lines.allSatisfy { known.contains($0.bytes) })
    }

    /// Nothing is put on pictures of damaged metadata, which a warning says once.
    @Test(Samples.areThere) func damagedOnesAreLeftOut() throws {
        let scratch = try TemporaryFolder()
        let path = scratch.path("damaged.h265")
        expectClean(
            try GstTool.launch(
                "filesrc location=\(Samples.path(Self.samples[1])) ! matroskademux ! h265parse ! "
                    + "video/x-h265,stream-format=byte-stream ! filesink location=\(path)", timeout: 60))
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        // The header of a NAL unit of type 62 and the RPU's first two bytes.
        let unit: [UInt8] = [0, 0, 1, 0x7C, 1, 25, 8]
        let start = try #require(bytes.indices.first { bytes[$0...].starts(with: unit) })
        bytes[start + 12] ^= 0x10
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let (lines, errors) = try Self.lines(
            "filesrc location=\(path) ! h265parse ! hdrmetaparse ! fakesink name=out")
        #expect(lines.count { $0.format == nil } == 1)
        #expect(lines.count > 200)
        #expect(errors.contains("Dolby Vision RPU is damaged") && errors.split(separator: "\n").count == 1, "\(errors)")
    }

    /// GStreamer 1.26's qtdemux takes the upper halves of mdcv's luminances: 0.0152 cd/m² for 1000.
    @Test func theStreamsDisplayReplacesAnImpossibleOne() throws {
        let scratch = try TemporaryFolder()
        let path = scratch.path("in.mov")
        expectClean(
            try GstTool.launch(
                "videotestsrc num-buffers=2 ! video/x-raw,format=I420_10LE,width=96,height=64,framerate=25/1,"
                    + "colorimetry=bt2100-pq,mastering-display-info=(string)\(MuxSettingsTests.display) ! m.video_0 "
                    + "hdrmux-settings name=m speed-preset=ultrafast ! filesink location=\(path)", timeout: 60))
        for (given, expected) in [
            ("13250:34500:7500:3000:34000:16000:15635:16450:152:0", MuxSettingsTests.display),
            (
                "34000:16000:13250:34500:7500:3000:15635:16450:6000000:50",
                "34000:16000:13250:34500:7500:3000:15635:16450:6000000:50"
            ),
        ] {
            let outcome = try GstTool.launch(
                "filesrc location=\(path) ! qtdemux ! "
                    + "capssetter caps=video/x-h265,mastering-display-info=(string)\(given) ! hdrh265parse ! fakesink",
                options: ["-v"], timeout: 60)
            let caps = outcome.output.split(separator: "\n").last { $0.contains("fakesink0.GstPad:sink: caps") }
            #expect(caps?.contains("mastering-display-info=(string)\(expected)") == true, "\(outcome)")
        }
    }
}
