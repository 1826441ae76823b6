import Foundation
import PluginSupport
import Testing
import TestSupport

/// `hdrcompositor` in launch lines.
@Suite struct HDRCompositorTests {
    private let scratch: TemporaryFolder

    init() throws { scratch = try TemporaryFolder() }

    /// The output of a line, in which OUT stands for a file.
    private func output(_ line: String) throws -> Data {
        let path = scratch.path("\(UInt32.random(in: 0...UInt32.max)).raw")
        expectClean(try GstTool.launch(line.replacing("OUT", with: "filesink location=\(path)"), timeout: 60))
        return try Data(contentsOf: URL(fileURLWithPath: path))
    }

    private func words(_ data: Data, _ count: Int) -> Set<UInt16> {
        data.withUnsafeBytes { Set($0.bindMemory(to: UInt16.self).prefix(count)) }
    }

    /// The caps that the canvas gets, as `-v` shows them.
    private func canvas(_ line: String) throws -> String {
        let outcome = try GstTool.launch(line, options: ["-v"], timeout: 60)
        #expect(outcome.status == 0, "\(outcome)")
        return outcome.output.split(separator: "\n").first { $0.contains("AggregatorPad:src: caps") }.map(String.init)
            ?? ""
    }

    private static func pattern(_ pattern: String, _ color: String, _ format: String = "I420_10LE", count: Int = 1)
        -> String
    {
        "videotestsrc num-buffers=\(count) pattern=\(pattern) ! video/x-raw,format=\(format),width=64,height=48,"
            + "framerate=25/1,colorimetry=\(color)"
    }

    /// A `videoconvert` behind the element would take codes of PQ for those of what follows; `hdrconvert` maps light.
    @Test(arguments: [
        ("videoconvert ! video/x-raw,colorimetry=bt2100-hlg", "bt2100-hlg"),
        ("identity ! videoconvert ! video/x-raw,colorimetry=bt709", "bt709"), ("videoconvert", "bt2100-pq"),
        ("hdrconvert ! video/x-raw,colorimetry=bt709", "bt2100-pq"),
        ("queue ! hdrconvert ! videoconvert ! video/x-raw,colorimetry=bt709", "bt2100-pq"),
        ("video/x-raw,colorimetry=bt709", "bt709"),
    ])
    func theCanvasHasTheColorThatFollows(_ elements: String, _ color: String) throws {
        let source = Self.pattern("smpte", "bt2100-pq")
        let caps = try canvas("hdrcompositor name=c ! \(elements) ! fakesink \(source) ! c.")
        #expect(caps.contains("colorimetry=(string)\(color)"), "\(caps)")
    }

    /// BT.2408: reference white is 58 % of PQ's signal and 75 % of HLG's.
    @Test(arguments: [("pq", 573), ("hlg", 721)]) func whiteIsReferenceWhite(_ range: String, _ luma: UInt16) throws {
        let source = Self.pattern("white", "bt709", "I420")
        for line in [
            "hdrcompositor name=c dynamic-range=\(range) ! video/x-raw,format=I420_10LE ! OUT \(source) ! c.",
            "hdrcompositor name=c ! video/x-raw,format=I420_10LE,colorimetry=bt2100-\(range) ! OUT \(source) ! c.",
        ] {
            #expect(words(try output(line), 64 * 48) == [luma])
        }
    }

    /// Half of the light of white is 188 of 255 in sRGB, in whichever way it is halved.
    @Test(arguments: ["alpha=0.5", "alpha=0.5 sink_0::operator=add"])
    func halfOfWhiteIsHalfOfItsLight(_ setting: String) throws {
        let data = try output(
            "hdrcompositor name=c sink_0::\(setting) ! video/x-raw,format=GBR_10LE,colorimetry=sRGB ! OUT "
                + Self.pattern("white", "sRGB", "RGBA") + " ! c.")
        let code = try #require(words(data, 64 * 48 * 3).first)
        let codes = words(data, 64 * 48 * 3)
        #expect(codes.count == 1)
        #expect(abs(Double(code) / 1023 - 0.7354) < 0.001)
    }

    /// As with GStreamer's `compositor`, a picture that replaces what is below does so whole, unless its alpha is 0; on
    /// a canvas with alpha it brings its own.
    @Test(arguments: [("0.5", UInt8(255), UInt8(128)), ("0", UInt8(0), UInt8(255))])
    func picturesThatReplaceHideWhatIsBelow(_ alpha: String, _ code: UInt8, _ codeOfAlpha: UInt8) throws {
        func canvas(_ format: String) throws -> [UInt8] {
            let data = try output(
                "hdrcompositor name=c sink_1::operator=source sink_1::alpha=\(alpha) "
                    + "! video/x-raw,format=\(format),colorimetry=sRGB ! OUT "
                    + Self.pattern("black", "sRGB", "RGBA") + " ! c. " + Self.pattern("white", "sRGB", "RGBA") + " ! c."
            )
            return Array(data.prefix(4))
        }
        #expect(try canvas("RGBx")[0] == code)
        #expect(try canvas("RGBA")[3] == codeOfAlpha)
    }

    /// Half of the signal of white, as editors have it.
    @Test func signalsAreMixedWhereAsked() throws {
        let data = try output(
            "hdrcompositor name=c blend-space=signal sink_0::alpha=0.5 ! video/x-raw,format=GBR_10LE,colorimetry=sRGB "
                + "! OUT " + Self.pattern("white", "sRGB", "RGBA") + " ! c.")
        let code = try #require(words(data, 64 * 48 * 3).first)
        #expect(words(data, 64 * 48 * 3).count == 1 && abs(Int(code) - 512) <= 1, "\(code)")
    }

    /// Signals are mixed in the canvas's own primaries, in which half of red over green is half of both.
    @Test(arguments: ["sRGB", "1:1:14:7", "1:1:15:7"]) func signalsOfTheCanvasAreMixed(_ color: String) throws {
        func plane(_ rgb: UInt32) -> String {
            "videotestsrc num-buffers=1 pattern=solid-color foreground-color=\(rgb) ! "
                + "video/x-raw,format=GBR_10LE,width=64,height=48,colorimetry=\(color)"
        }
        let data = try output(
            "hdrcompositor name=c blend-space=signal sink_1::alpha=0.5 ! "
                + "video/x-raw,format=GBR_10LE,colorimetry=\(color) ! OUT \(plane(0xFF00_FF00)) ! c. "
                + "\(plane(0xFFFF_0000)) ! c.")
        let codes = data.withUnsafeBytes { Array($0.bindMemory(to: UInt16.self)) }
        let (green, blue, red) = (codes[100], codes[64 * 48 + 100], codes[2 * 64 * 48 + 100])
        #expect(abs(Int(green) - 512) <= 1 && abs(Int(red) - 512) <= 1 && blue == 0, "\(red) \(green) \(blue)")
    }

    /// Pictures are rotated as by GStreamer's `videoflip`; `auto` follows the stream's tags.
    @Test(arguments: ["identity", "90r", "180", "90l", "horiz", "vert", "ul-lr", "ur-ll", "auto"])
    func picturesAreTurned(_ direction: String) throws {
        let source = Self.pattern("smpte", "sRGB", "RGBA") + " ! taginject tags=image-orientation=rotate-90"
        let turn = direction == "auto" ? "90r" : direction
        let expected = try output("\(source) ! videoflip video-direction=\(turn) ! OUT")
        let found = try output("\(source) ! hdrcompositor sink_0::video-direction=\(direction) ! OUT")
        // Turned pictures are coded anew, with dither; one that is not keeps its codes.
        let most = zip(found, expected).map { abs(Int($0) - Int($1)) }.max() ?? 255
        #expect(found.count == expected.count && most <= (direction == "identity" ? 0 : 1), "\(most)")
    }

    @Test func theCanvasHasAMasteringDisplay() throws {
        let own = "34000:16000:13250:34500:7500:3000:15635:16450:40000000:1"
        let source = Self.pattern("smpte", "bt2100-pq") + ",mastering-display-info=\(own)"
        let line = "\(source) ! c. " + Self.pattern("smpte", "bt709") + " ! c."
        #expect(try canvas("hdrcompositor name=c ! fakesink \(line)").contains(own))
        let made = try canvas("hdrcompositor name=c hdr-metadata-policy=generate ! fakesink \(line)")
        #expect(made.contains("35400:14600:8500:39850:6550:2300:15635:16450:40000000:1"), "\(made)")
        let hlg = Self.pattern("smpte", "bt2100-hlg") + " ! c."
        let silent = try canvas("hdrcompositor name=c hdr-metadata-policy=generate ! fakesink \(line) \(hlg)")
        #expect(silent.contains("hlg") && !silent.contains("mastering"), "\(silent)")
    }

    /// Dynamic metadata of a picture that is changed are measured anew from the canvas; a canvas in SDR has none.
    @Test(Samples.areThere, arguments: ["auto", "hlg", "sdr"])
    func dynamicMetadataAreMeasuredAnew(_ range: String) throws {
        let file = scratch.path("\(range).mov")
        expectClean(
            try GstTool.launch(
                "filesrc location=\(Samples.path("hdr10-plus.mkv")) ! matroskademux ! h265parse ! hdrmetaparse ! "
                    + "avdec_h265 ! identity eos-after=6 ! hdrcompositor dynamic-range=\(range) sink_0::alpha=0.7 ! "
                    + "m.video_0 hdrmux-settings name=m speed-preset=ultrafast ! filesink location=\(file)",
                timeout: 120))
        let count = try HDRCommand.inspect(file).video["frames-with-hdr10-plus"] as? Int ?? 0
        #expect(range == "auto" ? count > 0 : count == 0, "\(count)")
    }

    /// One picture that fills the canvas comes out as it went in.
    @Test(arguments: ["bt2100-pq", "bt2100-hlg", "bt709"]) func onePictureKeepsItsCodes(_ color: String) throws {
        let source = Self.pattern("smpte", color, count: 3)
        let made = try output("\(source) ! hdrcompositor ! OUT")
        let plain = try output("\(source) ! OUT")
        #expect(made == plain && made.count == 3 * 64 * 48 * 3)
    }

    @Test(arguments: [
        (["bt709"], "bt709"), (["bt709", "bt2100-pq"], "bt2100-pq"), (["bt2100-pq", "bt2100-hlg"], "bt2100-hlg"),
        (["bt2100-hlg", "bt709", "bt2100-pq"], "bt2100-hlg"), (["bt709", "1:4:5:7"], "1:4:5:7"),
    ]) func hlgWinsOverPQAndBothOverSDR(_ colors: [String], _ expected: String) throws {
        let sources = colors.map { Self.pattern("smpte", $0) + " ! c." }
        let caps = try canvas("hdrcompositor name=c ! fakesink \(sources.joined(separator: " "))")
        let parsed = expected.contains(":") ? ["(string)1:4:5:7", "(string)2:6:5:7", "(string)bt2020"] : [expected]
        #expect(parsed.contains { caps.contains($0) }, "\(caps)")
        if expected.hasPrefix("bt2100") { #expect(caps.contains("I420_10LE"), "\(caps)") }
    }

    /// The canvas is as large as the pads extend, has the highest frame rate, and as many pictures as the longest pad.
    @Test func theCanvasHoldsAllPads() throws {
        let line =
            "hdrcompositor name=c sink_1::xpos=48 sink_1::ypos=-10 sink_2::width=30 sink_2::height=90 ! identity ! OUT "
            + Self.pattern("smpte", "bt709", count: 5) + " ! c. " + Self.pattern("red", "bt709") + " ! c. "
            + Self.pattern("blue", "bt709") + " ! c."
        #expect(try output(line).count == 5 * (112 * 90 + 2 * 56 * 45) * 2)
    }

    /// Light of an HDR pad above white is mapped, and SDR beside it keeps its values.
    @Test func brightLightIsMappedToAnSDRCanvas() throws {
        let data = try output(
            "hdrcompositor name=c dynamic-range=sdr sink_1::xpos=64 ! video/x-raw,format=Y444_16LE ! OUT "
                + Self.pattern("white", "bt2100-pq") + " ! c. " + Self.pattern("white", "bt709", "I420") + " ! c.")
        let rows = data.withUnsafeBytes { Array($0.bindMemory(to: UInt16.self).prefix(128)) }
        #expect(rows[..<64].allSatisfy { abs(Int($0) - 235 * 256) < 600 }, "\(rows[0])")
        #expect(rows[64...].allSatisfy { abs(Int($0) - 235 * 256) < 64 }, "\(rows[64])")
    }

    /// GStreamer's own mixer takes the same line.
    @Test(arguments: ["compositor", "hdrcompositor"]) func linesOfTheMixerOfGStreamerWork(_ element: String) throws {
        let data = try output(
            "\(element) name=c background=black zero-size-is-unscaled=true ignore-inactive-pads=true "
                + "sink_0::xpos=2 sink_0::ypos=4 sink_0::width=0 sink_0::alpha=1 sink_1::zorder=3 sink_1::operator=add "
                + "sink_1::sizing-policy=keep-aspect-ratio sink_1::width=100 sink_1::repeat-after-eos=true "
                + "sink_1::max-last-buffer-repeat=10000000 ! video/x-raw,format=I420 ! OUT "
                + Self.pattern("smpte", "bt709", "I420", count: 3) + " ! c.sink_0 "
                + Self.pattern("smpte", "bt709", "I420") + " ! c.sink_1")
        // Rows of chroma are padded to 52 bytes.
        #expect(data.count == 3 * (100 * 52 + 2 * 52 * 26))
    }
}
