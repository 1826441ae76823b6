import Foundation
import PluginSupport
import Testing
import TestSupport

/// Copies with `hdrmux-settings` keep a source's data beyond caps and pixels, and have all of its pictures.
@Suite struct CopyTests {
    private let files = MuxSettingsTests()
    private static let source =
        "videotestsrc pattern=ball num-buffers=24 ! video/x-raw,width=96,height=64,framerate=24/1,format="
    private static let pq = "I420_10LE,colorimetry=bt2100-pq"
    private static let encoder = "x265enc speed-preset=ultrafast ! video/x-h265,profile=main-10 ! h265parse"

    /// Runs a launch line that ends in a bin called m, and returns what it said.
    private func run(_ line: String, _ bin: String, to path: String) throws -> Command.Result {
        try GstTool.launch(
            "\(line) ! m.video_0 hdrmux-settings name=m speed-preset=ultrafast \(bin) ! filesink location=\(path)",
            options: ["-e"], timeout: 60)
    }

    private func make(_ line: String, _ bin: String = "", to path: String) throws {
        let outcome = try run(line, bin, to: path)
        #expect(outcome.status == 0 && outcome.errors == "", "\(outcome)")
    }

    private func demuxed(_ path: String) -> String {
        "filesrc location=\(path) ! \(path.hasSuffix("mkv") ? "matroskademux" : "qtdemux")"
    }

    private func value(_ video: [String: Any], _ key: String, _ place: String) -> [String: Any]? {
        (video[key] as? [String: Any])?[place] as? [String: Any]
    }

    // MARK: What only a header says

    /// Measured light levels stand in the header alone, which qtdemux does not hand on.
    @Test(arguments: [("b.mkv", "file-type=matroska"), ("b.mov", "")])
    func measuredLightLevelsPassIntoTheStream(_ name: String, _ bin: String) throws {
        let scratch = try TemporaryFolder()
        let first = scratch.path("a.mov")
        try make(Self.source + Self.pq, "content-light-level-info=auto", to: first)
        let (_, measured) = try files.inspect(first)
        #expect(value(measured, "content-light-level", "bitstream") == nil, "\(measured)")
        let wanted = try #require(value(measured, "content-light-level", "container")?["max-cll-cd-m2"] as? Int)
        let second = scratch.path(name)
        try make(demuxed(first), "preset=passthrough \(bin)", to: second)
        let (_, copied) = try files.inspect(second)
        for place in ["container", "bitstream"] {
            #expect(value(copied, "content-light-level", place)?["max-cll-cd-m2"] as? Int == wanted, "\(copied)")
        }
        // Through a decoder too.
        let third = scratch.path("c.mov")
        try make("filesrc location=\(first) ! decodebin", to: third)
        let (_, encoded) = try files.inspect(third)
        #expect(value(encoded, "content-light-level", "bitstream")?["max-cll-cd-m2"] as? Int == wanted, "\(encoded)")
    }

    @Test func ambientViewingIsSetAndKept() throws {
        let scratch = try TemporaryFolder()
        let (first, second, third) = (scratch.path("a.mov"), scratch.path("b.mkv"), scratch.path("c.mov"))
        try make(
            Self.source + "I420_10LE,colorimetry=bt2100-hlg", "ambient-viewing-environment=3140000:15635:16450",
            to: first)
        try make("filesrc location=\(first) ! decodebin", "file-type=matroska", to: second)
        try make(demuxed(second), "preset=passthrough", to: third)
        for (path, places) in [
            (first, ["container", "bitstream"]), (second, ["bitstream"]), (third, ["container", "bitstream"]),
        ] {
            let (_, video) = try files.inspect(path)
            for place in places {
                #expect(
                    value(video, "ambient-viewing", place)?["illuminance-lux"] as? Double == 314, "\(path): \(video)")
            }
        }
    }

    /// matroskademux cuts 0.1 cd/m² and the like off.
    @Test func masteringValuesOfMatroskaAreExact() throws {
        let scratch = try TemporaryFolder()
        let (first, second) = (scratch.path("a.mkv"), scratch.path("b.mov"))
        let display = "34000:16000:13250:34500:7500:3000:15635:16450:10000000:50"
        try GstLaunch.makeNow(
            "\(Self.source)\(Self.pq),mastering-display-info=(string)\(display) ! \(Self.encoder) ! matroskamux ! "
                + "filesink location=\(first)")
        try make(demuxed(first), "preset=passthrough", to: second)
        let (_, source) = try files.inspect(first)
        let (_, copy) = try files.inspect(second)
        let wanted = value(source, "mastering-display", "bitstream") ?? value(source, "mastering-display", "container")
        let kept = try #require(value(copy, "mastering-display", "container"), "\(copy)")
        for key in ["red", "green", "blue", "white"] {
            #expect(kept[key] as? [Double] == wanted?[key] as? [Double], "\(key): \(source) \(copy)")
        }
    }

    /// matroskademux 1.22 says nothing of a projection's roll, counter-clockwise. Something that turns the pictures
    /// comes first.
    @Test func rotationOfMatroskaIsKept() throws {
        let scratch = try TemporaryFolder()
        let source = scratch.path("a.mkv")
        try make(Self.source + "I420,colorimetry=bt709", "file-type=matroska", to: source)
        var bytes = try scratch.data("a.mkv")
        let colour = try #require(bytes.range(of: Data([0x55, 0xb0])))
        // matroskamux writes sizes of eight bytes.
        try #require(bytes[colour.upperBound] == 1)
        let size = 10 + Int(bytes[colour.upperBound + 7])
        // A roll of 90 degrees in place of the colour, and Void behind it.
        let projection: [UInt8] = [0x76, 0x70, 0x87, 0x76, 0x75, 0x84, 0x42, 0xb4, 0, 0]
        let rest = size - projection.count
        let void = [0xec, 0x80 | UInt8(rest - 2)] + [UInt8](repeating: 0, count: rest - 2)
        bytes.replaceSubrange(colour.lowerBound..<colour.lowerBound + size, with: projection + void)
        try bytes.write(to: scratch.url("a.mkv"))
        for (line, bin, turn) in [
            ("filesrc location=\(source) ! decodebin", "", 270), (demuxed(source), "preset=passthrough", 270),
            ("filesrc location=\(source) ! decodebin ! videoflip video-direction=90l", "", 0),
        ] {
            try make(line, bin, to: scratch.path("b.mov"))
            let (_, video) = try files.inspect(scratch.path("b.mov"))
            #expect(video["rotation-degrees"] as? Int ?? 0 == turn, "\(line): \(video)")
        }
    }

    // MARK: Streams without times

    @Test(arguments: ["265", "264"]) func rawStreamsGetTimes(_ codec: String) throws {
        let scratch = try TemporaryFolder()
        let raw = scratch.path("a.h\(codec)")
        // The stream has B pictures, with key frames among them.
        let encoder = "x\(codec)enc speed-preset=medium key-int-max=10 ! h\(codec)parse ! tee name=t"
        try GstLaunch.makeNow(
            "\(Self.source)I420 ! \(encoder) t. ! queue ! qtmux ! filesink location=\(scratch.path("a.mov")) t. "
                + "! queue ! "
                + "h\(codec)parse ! video/x-h\(codec),stream-format=byte-stream,alignment=au ! filesink location=\(raw)"
        )
        let wanted = try files.frames(scratch.path("a.mov"))
        #expect(wanted.count == 24)
        for (name, bin) in [("b.mov", ""), ("b.mkv", "file-type=matroska")] {
            try make("filesrc location=\(raw) ! h\(codec)parse", "preset=passthrough \(bin)", to: scratch.path(name))
            #expect(try files.frames(scratch.path(name)) == wanted, "\(name)")
        }
        let reference = try #require(try MovieFile(contentsOf: scratch.url("a.mov")).track("vide"))
        let track = try #require(try MovieFile(contentsOf: scratch.url("b.mov")).track("vide"))
        #expect(zip(track.times, reference.times).allSatisfy { abs($0 - $1) < 1e-4 }, "\(track.times)")
    }

    /// Neither the packets nor the caps say when a picture is shown.
    @Test func rawStreamsWithoutARateAreRefused() throws {
        let scratch = try TemporaryFolder()
        let raw = scratch.path("a.hevc")
        try GstLaunch.makeNow("\(Self.source)I420 ! x265enc speed-preset=ultrafast ! filesink location=\(raw)")
        let line = "filesrc location=\(raw) ! h265parse ! capssetter replace=true caps=video/x-h265,width=96,height=64"
        let line2 = "\(line),stream-format=byte-stream,alignment=au"
        let refused = try run(line2, "preset=passthrough", to: scratch.path("a.mov"))
        #expect(
            refused.status != 0 && "\(refused.output)\(refused.errors)".contains("source-format-hint"),
            "\(refused)")
        try make(
            line2, "preset=passthrough source-format-hint=video/x-raw,framerate=12/1", to: scratch.path("b.mov"))
        let track = try #require(try MovieFile(contentsOf: scratch.url("b.mov")).track("vide"))
        #expect(track.times.count == 24 && abs((track.times.last ?? 0) - 23.0 / 12) < 1e-4, "\(track.times)")
    }

    // MARK: Other codecs

    /// mp4mux 1.22 ends the program over VP9 whose chroma location is not in the caps, and matroskademux gives no
    /// profile.
    @Test(arguments: ["mov", "mp4", "matroska"]) func vp9(_ type: String) throws {
        let scratch = try TemporaryFolder()
        let (first, second) = (scratch.path("a.mkv"), scratch.path("b.\(type == "matroska" ? "mkv" : type)"))
        try GstLaunch.makeNow("\(Self.source)I420 ! vp9enc deadline=1 ! matroskamux ! filesink location=\(first)")
        for parser in ["", " ! vp9parse"] {
            try make(demuxed(first) + parser, "preset=passthrough file-type=\(type)", to: second)
            #expect(try files.frames(second) == files.frames(first))
        }
    }

    @Test func proResVariants() throws {
        let scratch = try TemporaryFolder()
        let (first, second, third) = (scratch.path("a.mov"), scratch.path("b.mkv"), scratch.path("c.mov"))
        try GstLaunch.makeNow(
            "\(Self.source)I422_10LE ! avenc_prores_ks profile=proxy ! video/x-prores,variant=proxy ! qtmux ! filesink "
                + "location=\(first)")
        try make(demuxed(first), "preset=passthrough file-type=matroska", to: second)
        #expect(try scratch.data("b.mkv").range(of: Data("apco".utf8)) != nil)
        try make(demuxed(second), "preset=passthrough", to: third)
        #expect(try MovieFile(contentsOf: scratch.url("c.mov")).track("vide")?.codec == "apco")
    }
}

extension GstLaunch {
    static func makeNow(_ pipeline: String) throws {
        let result = try GstTool.launch(pipeline, timeout: 60)
        try #require(result.status == 0, "\(result)")
    }
}

/// The same tests with files of real devices.
@Suite(Samples.areThere)
struct CopySampleTests {
    private let files = MuxSettingsTests()

    private func run(_ sample: String, _ between: String, _ bin: String, to path: String) throws -> Command.Result {
        let file = sample.hasPrefix("/") ? sample : Samples.path(sample)
        return try GstTool.launch(
            "filesrc location=\(file) ! \(between) ! m.video_0 hdrmux-settings name=m speed-preset=ultrafast \(bin) ! "
                + "filesink location=\(path)", options: ["-e"], timeout: 60)
    }

    /// Its last picture is shown after the end of the edit list, and others are predicted from it.
    @Test func aPhonesFileIsCopiedWhole() throws {
        let scratch = try TemporaryFolder()
        let outcome = try run(
            "iphone-dolby-vision-8.4-hlg.mov", "qtdemux name=d d.video_0", "preset=passthrough",
            to: scratch.path("a.mov"))
        #expect(outcome.status == 0 && outcome.errors == "", "\(outcome)")
        #expect(try MovieFile(contentsOf: scratch.url("a.mov")).track("vide")?.sizes.count == 4)
        let (_, video) = try files.inspect(scratch.path("a.mov"))
        let ambient = (video["ambient-viewing"] as? [String: Any])
        #expect(ambient?["container"] is [String: Any] && ambient?["bitstream"] is [String: Any], "\(video)")
    }

    @Test(arguments: [
        ("iphone-dolby-vision-8.4-hlg.mov", "Dolby Vision (profile 8)"), ("hdr10-plus.mkv", "HDR10+"),
        ("hdr10-plus-no-colr.mp4", "HDR10+"),
    ])
    func whatEncodingLosesIsReported(_ name: String, _ lost: String) throws {
        let scratch = try TemporaryFolder()
        let outcome = try run(name, "decodebin ! video/x-raw", "preset=prores-422", to: scratch.path("a.mov"))
        #expect(outcome.status == 0, "\(outcome)")
        #expect("\(outcome.output)\(outcome.errors)".contains("\(lost) is not kept"), "\(outcome)")
    }

    @Test func dolbyVision5IsRefusedByName() throws {
        let scratch = try TemporaryFolder()
        var bytes = try Data(contentsOf: Samples.folder.appendingPathComponent("iphone-dolby-vision-8.4-hlg.mov"))
        let box = try #require(bytes.range(of: Data("dvvC".utf8)))
        bytes.replaceSubrange(box, with: Data("dvcC".utf8))
        bytes[box.upperBound + 2] = 5 << 1
        bytes[box.upperBound + 4] = 0
        let path = scratch.path("5.mov")
        try bytes.write(to: URL(fileURLWithPath: path))
        let refused = try run(path, "decodebin ! video/x-raw", "", to: scratch.path("a.mov"))
        #expect(refused.status != 0 && "\(refused.output)\(refused.errors)".contains("Dolby Vision profile 5"))
        let copied = try run(path, "qtdemux name=d d.video_0", "preset=passthrough", to: scratch.path("b.mov"))
        #expect(copied.status == 0, "\(copied)")
        #expect(try scratch.data("b.mov").range(of: bytes[box.lowerBound..<box.upperBound + 5]) != nil)
    }
}
