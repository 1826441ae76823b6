import Foundation
import PluginSupport
import Testing
import TestSupport

/// Dynamic metadata through `hdrmux-settings`: kept, measured anew, authored and left out.
@Suite(Samples.areThere) struct DynamicMetadataExportTests {
    typealias Line = HDRMetaParseTests.Line

    private let scratch: TemporaryFolder

    init() throws { scratch = try TemporaryFolder() }

    /// Encodes a file to another one.
    /// - Parameter filters: between decoder and bin, each with ` ! ` behind it.
    private func export(
        _ source: String, _ name: String, filters: String = "", _ bin: String = "", warns: Bool = false
    ) throws -> String {
        let path = scratch.path(name)
        let type = ["mov": "mov", "mp4": "mp4", "mkv": "matroska", ".ts": "mpegts"][name.suffix(3)] ?? "mov"
        let outcome = try GstTool.launch(
            "filesrc location=\(source) ! decodebin ! video/x-raw ! \(filters)m.video_0 hdrmux-settings name=m "
                + "file-type=\(type) speed-preset=ultrafast \(bin) ! filesink location=\(path)", timeout: 100)
        if warns { #expect(outcome.status == 0, "\(outcome)") } else { expectClean(outcome) }
        return path
    }

    /// The metadata of each picture, in the order in which pictures are shown, with the times from the first one on.
    private func pictures(_ path: String, filters: String = "") throws -> [(time: UInt64, line: Line)] {
        let lines = try HDRMetaParseTests.lines(
            "filesrc location=\(path) ! decodebin ! video/x-raw ! \(filters)fakesink name=out"
        ).lines
        let sorted = lines.sorted { $0.time < $1.time }
        return sorted.map { ($0.time - (sorted.first?.time ?? 0), $0) }
    }

    private func expectEqual(
        _ left: [(time: UInt64, line: Line)], _ right: [(time: UInt64, line: Line)],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(left.count == right.count && !left.isEmpty, sourceLocation: sourceLocation)
        for (one, other) in zip(left, right) {
            #expect(one.line.bytes == other.line.bytes, "\(one.time) ns", sourceLocation: sourceLocation)
            #expect(one.line.format == other.line.format, "\(one.time) ns", sourceLocation: sourceLocation)
            // Matroska's clock has milliseconds.
            #expect(
                max(one.time, other.time) - min(one.time, other.time) <= 1_000_000, sourceLocation: sourceLocation)
        }
    }

    // MARK: What others have done to the pictures

    /// videoflip leaves the tag by which it has turned the pictures.
    @Test func picturesThatAreUprightStaySo() throws {
        let path = try export(
            Samples.path("iphone-dolby-vision-8.4-hlg.mov"), "a.mkv", filters: "videoflip video-direction=auto ! ")
        let (_, video) = try HDRCommand.inspect(path)
        #expect(video["width-pixels"] as? Int == 720 && video["rotation-degrees"] as? Int == 0, "\(video)")
    }

    /// Encoders hand metadata on that they do not write.
    @Test func encodedPicturesAreCopiedWithTheirs() throws {
        let source = Samples.path("dolby-vision-8.1-hdr10.mkv")
        let path = scratch.path("a.mov")
        expectClean(
            try GstTool.launch(
                "filesrc location=\(source) ! decodebin ! x265enc speed-preset=ultrafast ! h265parse ! m.video_0 "
                    + "hdrmux-settings name=m preset=passthrough ! filesink location=\(path)", timeout: 100))
        expectEqual(try pictures(path), try pictures(source))
        let (_, video) = try HDRCommand.inspect(path)
        let vision = video["dolby-vision"] as? [String: Any]
        #expect(vision?["announced-by-container"] as? Bool == true, "\(video)")
    }

    /// A transport stream has ambient viewing only in its pictures.
    @Test func transportStreamsKeepTheAmbientViewing() throws {
        let first = try export(Samples.path("iphone-dolby-vision-8.4-hlg.mov"), "a.ts")
        for name in ["b.mov", "c.ts"] {
            let (_, video) = try HDRCommand.inspect(try export(first, name))
            let ambient = video["ambient-viewing"] as? [String: Any]
            #expect(ambient?["effective"] is [String: Any], "\(name): \(video)")
        }
    }

    // MARK: Kept

    /// Four generations, each in another container, with B-frames.
    @Test(arguments: HDRMetaParseTests.samples) func picturesKeepTheirOwnForGenerations(_ sample: String) throws {
        let before = try pictures(Samples.path(sample))
        var path = Samples.path(sample)
        for name in ["a.mov", "b.mkv", "c.ts", "d.mp4"] {
            path = try export(path, name)
            expectEqual(try pictures(path), before)
        }
        let file = try #require(try HDRCommand.inspect([path]).first)
        let video = try #require((file["video"] as? [[String: Any]])?.first)
        let formats = [
            "iphone-dolby-vision-8.4-hlg.mov": "Dolby Vision 8.4", "dolby-vision-8.1-hdr10.mkv": "Dolby Vision 8.1",
            "hdr10-plus.mkv": "HDR10+",
        ]
        #expect((video["hdr-formats"] as? [String])?.contains(formats[sample] ?? "") == true, "\(video)")
        #expect(file["findings"].map { "\($0)".contains("Dolby") } != true)
    }

    @Test(arguments: ["a.mov", "a.mkv", "a.ts"]) func otherProgramsSeeDolbyVision(_ name: String) throws {
        let path = try export(Samples.path("iphone-dolby-vision-8.4-hlg.mov"), name)
        let info = try GstTool.run("mediainfo", [path])
        // Newer versions say more between these.
        let format = info.output.split(separator: "\n").first { $0.contains("Dolby Vision") } ?? ""
        for word in ["Version 1.0", "dvhe.08.02", "BL+RPU", "HLG compatible"] {
            #expect(format.contains(word), "\(info)")
        }
        let probe = try GstTool.run("ffprobe", ["-v", "error", "-show_streams", path])
        for field in ["dv_profile=8", "dv_bl_signal_compatibility_id=4", "rpu_present_flag=1"] {
            #expect(probe.output.contains(field), "\(probe)")
        }
        #expect(try (scratch.data(name).range(of: Data("amve".utf8)) != nil) == (name == "a.mov"))
    }

    /// The first picture's RPU is damaged: it gets that of the next, and all others keep theirs.
    @Test func aDamagedFirstPictureCostsNothing() throws {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: Samples.path("dolby-vision-8.1-hdr10.mkv")))
        // The header of a NAL unit of type 62 and the RPU's first two bytes.
        let unit = try #require(bytes.range(of: Data([0x7C, 1, 25, 8])))
        bytes[unit.upperBound + 8] ^= 0x10
        try bytes.write(to: scratch.url("in.mkv"))
        let before = try pictures(scratch.path("in.mkv"))
        #expect(before.first?.line.format == nil && before.count { $0.line.format == 1 } == before.count - 1)
        let made = try pictures(try export(scratch.path("in.mkv"), "a.mov", warns: true))
        #expect(try scratch.data("a.mov").range(of: Data("dvvC".utf8)) != nil)
        #expect(made.count == before.count && made.first?.line.bytes == before.dropFirst().first?.line.bytes)
        for (one, other) in zip(made, before).dropFirst() { #expect(one.line.bytes == other.line.bytes) }
    }

    @Test func droppedPicturesTakeTheirsAlong() throws {
        let filters = "videorate drop-only=true ! video/x-raw,framerate=8/1 ! "
        let before = try pictures(Samples.path("hdr10-plus.mkv"), filters: filters)
        let path = try export(Samples.path("hdr10-plus.mkv"), "a.mp4", filters: filters)
        #expect(before.count < 130)
        expectEqual(try pictures(path), before)
    }

    // MARK: Changed

    /// Twelve bits of a payload, from a bit on.
    private static func level1(_ line: Line) throws -> (minimum: Int, maximum: Int, average: Int) {
        // Level 1 is looked for by its length and number in all bit positions; the metadata before it are aligned.
        let bytes = stride(from: 0, to: line.bytes.count, by: 2).compactMap { index -> UInt8? in
            let start = line.bytes.index(line.bytes.startIndex, offsetBy: index)
            return UInt8(line.bytes[start..<line.bytes.index(start, offsetBy: 2)], radix: 16)
        }
        for shift in 0..<8 {
            let text = bytes.map { (byte: UInt8) -> String in
                let digits = String(byte, radix: 2)
                return String(repeating: "0", count: 8 - digits.count) + digits
            }.joined().dropFirst(shift)
            // ue(5), level 1.
            guard let range = text.range(of: "0011000000001", options: .backwards) else { continue }
            let rest = Array(text[range.upperBound...]).prefix(36)
            guard rest.count == 36 else { continue }
            func value(_ start: Int) -> Int { Int(String(rest[start..<start + 12]), radix: 2) ?? 0 }
            return (value(0), value(12), value(24))
        }
        throw TestFailure("no level 1 in \(line.bytes)")
    }

    /// The phone's own values are those of what it has measured.
    @Test func lightIsMeasuredAnew() throws {
        let source = Samples.path("iphone-dolby-vision-8.4-hlg.mov")
        let own = try Self.level1(try #require(try pictures(source).first).line)
        let path = try export(source, "a.mov", "preserve-dynamic-hdr-metadata=false")
        for picture in try pictures(path) {
            let measured = try Self.level1(picture.line)
            let average = Double(measured.average) / Double(own.average)
            let maximum = Double(measured.maximum) / Double(own.maximum)
            #expect((0.9...1.1).contains(average), "average \(measured.average), the phone's \(own.average)")
            #expect((0.96...1.04).contains(maximum), "maximum \(measured.maximum), the phone's \(own.maximum)")
            #expect(measured.minimum <= 12)
        }
    }

    /// Graded pictures get new metadata, with less light.
    @Test func gradedPicturesAreMeasured() throws {
        let source = Samples.path("iphone-dolby-vision-8.4-hlg.mov")
        let grade = "hdrtap effect=exposure effect::stops=-2 ! "
        let stale = try pictures(source, filters: grade)
        #expect(stale.allSatisfy { $0.line.flags == 1 })
        let path = try export(source, "a.mov", filters: grade)
        let before = try pictures(source)
        for (old, new) in zip(before, try pictures(path)) {
            let (old, new) = (try Self.level1(old.line), try Self.level1(new.line))
            #expect(new.average < old.average - 200 && new.maximum < old.maximum - 200)
        }
    }

    /// A crop that keeps the shape is one, on the middle or not, and also where the picture is scaled back.
    @Test(arguments: [
        "videocrop left=320 right=320 top=180 bottom=180", "videocrop right=640 bottom=360",
        "videocrop left=320 right=320 top=180 bottom=180 ! videoscale ! video/x-raw,width=1280,height=720",
        "aspectratiocrop aspect-ratio=1/1",
    ])
    func croppedPicturesAreMeasured(_ filter: String) throws {
        let source = Samples.path("iphone-dolby-vision-8.4-hlg.mov")
        let before = try pictures(source)
        let made = try pictures(try export(source, "a.mov", filters: filter + " ! "))
        #expect(made.count == before.count)
        for (old, new) in zip(before, made) { #expect(try Self.level1(old.line) != Self.level1(new.line)) }
    }

    /// The whole picture in pixels of another shape, or between borders, is what it was.
    @Test(arguments: ["", ",pixel-aspect-ratio=1/1"]) func stretchedPicturesKeepTheirs(_ shape: String) throws {
        let source = Samples.path("iphone-dolby-vision-8.4-hlg.mov")
        let before = try pictures(source)
        let filter = "videoscale ! video/x-raw,width=640,height=480\(shape) ! "
        let made = try pictures(try export(source, "a.mov", filters: filter))
        #expect(made.count == before.count)
        for (old, new) in zip(before, made) { #expect(try Self.level1(old.line) == Self.level1(new.line)) }
    }

    /// A filter that only looks on leaves them as they are.
    @Test(arguments: ["hdrtap effect=statistics ! ", "hdrtap effect=exposure ! "])
    func picturesThatStayKeepTheirs(_ filter: String) throws {
        let lines = try pictures(Samples.path("hdr10-plus.mkv"), filters: filter)
        #expect(lines.count == 259 && lines.allSatisfy { $0.line.flags == 0 && $0.line.format == 2 })
    }

    /// The metadata do not describe other light.
    @Test(arguments: ["bt709", "bt2100-hlg"]) func conversionTakesThemOff(_ colorimetry: String) throws {
        let lines = try pictures(
            Samples.path("hdr10-plus.mkv"), filters: "hdrconvert ! video/x-raw,colorimetry=\(colorimetry) ! ")
        #expect(lines.count == 259 && lines.allSatisfy { $0.line.format == nil })
    }

    @Test func insertionNoneLeavesThemOut() throws {
        let source = Samples.path("iphone-dolby-vision-8.4-hlg.mov")
        let path = try export(source, "a.mov", "hdr-metadata-insertion-mode=none")
        #expect(try pictures(path).allSatisfy { $0.line.format == nil })
        #expect(try scratch.data("a.mov").range(of: Data("dvvC".utf8)) == nil)
    }

    @Test(arguments: [("bt2100-hlg", "8.4"), ("bt2100-pq", "8.1")])
    func dolbyVisionIsAuthored(_ colorimetry: String, _ profile: String) throws {
        let path = scratch.path("a.mp4")
        expectClean(
            try GstTool.launch(
                "videotestsrc num-buffers=12 ! video/x-raw,format=I420_10LE,width=320,height=180,framerate=25/1,"
                    + "colorimetry=\(colorimetry) ! m.video_0 hdrmux-settings name=m file-type=mp4 "
                    + "speed-preset=ultrafast dynamic-hdr-metadata=dolby-vision ! filesink location=\(path)",
                timeout: 60))
        let made = try pictures(path)
        #expect(made.count == 12 && made.allSatisfy { $0.line.format == 1 && $0.line.flags == 0 })
        let info = try GstTool.run("mediainfo", [path])
        #expect(info.output.contains("dvhe.0\(profile.prefix(1)).01"), "\(info)")
    }
}
