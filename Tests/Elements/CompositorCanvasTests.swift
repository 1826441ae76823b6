import Foundation
import PluginSupport
import TestSupport
import Testing

/// The output of `hdrcompositor` for pads whose pictures differ from the canvas, in launch lines.
@Suite struct CompositorCanvasTests {
    private let scratch: TemporaryFolder

    init() throws { scratch = try TemporaryFolder() }

    /// The output of a line, in which OUT stands for a file.
    private func output(_ line: String) throws -> Data {
        let path = scratch.path("\(UInt32.random(in: 0...UInt32.max)).raw")
        expectClean(try GstTool.launch(line.replacing("OUT", with: "filesink location=\(path)"), timeout: 60))
        return try Data(contentsOf: URL(fileURLWithPath: path))
    }

    /// The caps that the canvas gets, one behind another.
    private func canvases(_ line: String) throws -> [String] {
        let outcome = try GstTool.launch(line, options: ["-v"], timeout: 60)
        #expect(outcome.status == 0 && !outcome.errors.contains("CRITICAL"), "\(outcome)")
        return outcome.output.split(separator: "\n").filter { $0.contains("AggregatorPad:src: caps") }.map(String.init)
    }

    private static func source(
        _ pattern: String, _ format: String, _ width: Int, _ height: Int, _ more: String = "", count: Int = 1
    ) -> String {
        "videotestsrc num-buffers=\(count) pattern=\(pattern) ! video/x-raw,format=\(format),width=\(width),"
            + "height=\(height),framerate=25/1\(more)"
    }

    /// An opaque picture over another one is copied, and nothing beside it is touched. The canvas has their format.
    @Test(arguments: ["BGRx", "RGB", "BGR", "GRAY8", "GBR", "NV16"])
    func copiedPicturesStayInTheirPlaces(_ format: String) throws {
        let below = Self.source("black", format, 64, 48)
        let made = try output(
            "hdrcompositor name=c sink_1::xpos=24 sink_1::ypos=30 ! OUT \(below) ! c. "
                + Self.source("white", format, 12, 10) + " ! c.")
        let plain = try output("\(below) ! OUT")
        // Rows above the window: there are 30, and each plane starts with rows of the picture's top.
        let rowBytes = plain.count / (format == "GBR" ? 3 : format == "NV16" ? 2 : 1) / 48
        #expect(made.count == plain.count && made.prefix(26 * rowBytes) == plain.prefix(26 * rowBytes))
        #expect(made != plain)
    }

    /// A pad with pixels that are not square gets the width at which it is shown, as in GStreamer's `compositor`.
    @Test(arguments: ["compositor", "hdrcompositor"]) func theCanvasHoldsAnamorphicPads(_ element: String) throws {
        for (aspect, canvas, pad, width, height) in [
            ("2/1", "", "", 80, 24), ("1/2", "", "", 20, 24), ("2/1", ",pixel-aspect-ratio=2/1", "", 40, 24),
            ("1/1", ",pixel-aspect-ratio=2/1", "", 20, 24), ("2/1", "", "sink_0::width=60 sink_0::height=36", 60, 18),
            ("2/1", "", "sink_0::width=50", 100, 24),
        ] {
            let source = Self.source("white", "AYUV", 40, 24, ",pixel-aspect-ratio=\(aspect)")
            let made = try output(
                "\(element) name=c background=black \(pad) ! video/x-raw,format=AYUV\(canvas) ! OUT \(source) ! c.")
            #expect(made.count == 4 * width * height, "\(aspect) \(canvas) \(pad)")
            let isWhite = stride(from: 1, to: made.count, by: 4).allSatisfy { made[$0] >= 234 }
            #expect(isWhite, "\(aspect) \(canvas) \(pad)")
        }
    }

    /// Interlaced pictures are composed as whole frames, beside others that are not, and whichever comes first.
    @Test func interlacedPadsAreShownBesideOthers() throws {
        let interlaced = ",interlace-mode=interleaved,field-order=top-field-first"
        let base = Self.source("black", "I420", 64, 48, count: 4)
        let setter = "capssetter caps=\"video/x-raw\(interlaced)\""
        let window = Self.source("white", "I420", 16, 16, count: 4) + " ! \(setter) ! c.sink_1"
        for line in ["\(base) ! c.sink_0 \(window)", "\(window) \(base) ! c.sink_0"] {
            let outcome = try GstTool.launch(
                "hdrcompositor name=c sink_1::xpos=8 sink_1::ypos=8 sink_1::zorder=9 ! video/x-raw,format=I420 "
                    + "! filesink location=\(scratch.path("mixed.raw")) \(line)", timeout: 60)
            expectClean(outcome)
            let made = try Data(contentsOf: URL(fileURLWithPath: scratch.path("mixed.raw")))
            let size = 64 * 48 * 3 / 2
            try #require(made.count == 4 * size)
            for frame in 0..<4 { #expect(made[frame * size + 16 * 64 + 16] == 235, "\(frame)") }
        }
    }

    /// Tones are mapped by the metadata of the pictures that are shown, not of those that wait behind them.
    @Test func metadataHoldFromTheirFirstPictureOn() throws {
        func clip(_ peak: Int) -> String {
            "videotestsrc num-buffers=3 pattern=solid-color foreground-color=0xffb0b0b0 ! video/x-raw,format=Y444_10LE,"
                + "width=32,height=16,framerate=25/1,colorimetry=bt2100-pq,"
                + "mastering-display-info=34000:16000:13250:34500:7500:3000:15635:16450:\(peak)0000:50"
        }
        let tail = "hdrcompositor sink_0::peak-detection=off ! video/x-raw,format=Y444,colorimetry=bt709 ! OUT"
        let made = try output("concat name=k ! \(tail) \(clip(4000)) ! k. \(clip(1000)) ! k.")
        let alone = try [4000, 1000].map { try output("\(clip($0)) ! \(tail)") }
        #expect(alone[0] != alone[1] && made == alone[0] + alone[1])
    }

    /// Caps that leave nothing open but the colour are completed as all others are.
    @Test(arguments: ["", ",colorimetry=bt2100-pq"]) func fixedCapsAreCompleted(_ color: String) throws {
        let display = "34000:16000:13250:34500:7500:3000:15635:16450:40000000:50"
        let source =
            Self.source("smpte", "I420_10LE", 64, 48, ",colorimetry=bt2100-pq,chroma-site=dv", count: 2)
            + " ! capssetter caps=video/x-raw,mastering-display-info=(string)\(display)"
        let fixed = "video/x-raw,format=I420_10LE,width=64,height=48,framerate=25/1\(color)"
        let made = try canvases("\(source) ! hdrcompositor ! \(fixed) ! fakesink")
        #expect(made.count == 1 && made[0].contains("bt2100-pq") && made[0].contains(display), "\(made)")
        #expect(made[0].contains("chroma-site=(string)dv"), "\(made)")
        #expect(try output("\(source) ! hdrcompositor ! \(fixed) ! OUT") == output("\(source) ! OUT"))
    }

    /// A pad that begins outside the canvas counts with its whole size, as in GStreamer's `compositor`.
    @Test func canvasesHoldPadsThatMoveIn() throws {
        let made = try canvases(
            "\(Self.source("smpte", "I420", 64, 48)) ! hdrcompositor sink_0::xpos=-100 sink_0::ypos=-40 ! fakesink")
        #expect(made.count == 1 && made[0].contains("width=(int)64, height=(int)48"), "\(made)")
    }

    /// Neither colour nor metadata of an HDR canvas change where its pad goes on in SDR.
    @Test func anHDRCanvasKeepsItsColor() throws {
        let display = "34000:16000:13250:34500:7500:3000:15635:16450:40000000:50"
        let color = "colorimetry=(string)2:6:14:11,mastering-display-info=(string)\(display)"
        let first =
            Self.source("smpte", "I422_10LE", 64, 48, count: 3) + " ! capssetter caps=\"video/x-raw,\(color)\""
        let second = Self.source("smpte", "I420", 64, 48, ",colorimetry=bt709", count: 3)
        let made = try canvases("concat name=k ! hdrcompositor ! fakesink \(first) ! k. \(second) ! k.")
        #expect(made.count == 1 && made[0].contains(display) && made[0].contains("I422_10LE"), "\(made)")
    }

    /// A canvas in SDR becomes wider when a pad does, and not narrower again.
    @Test func anSDRCanvasKeepsItsColor() throws {
        let clips = ["bt709", "bt2020-10", "bt709"].map {
            Self.source("smpte", "I420_10LE", 64, 48, ",colorimetry=\($0)", count: 3) + " ! k."
        }
        let made = try canvases("concat name=k ! hdrcompositor ! fakesink \(clips.joined(separator: " "))")
        #expect(made.count == 2 && made[0].contains("bt709") && made[1].contains("bt2020-10"), "\(made)")
    }

    /// A title in R'G'B' over video neither makes its canvas one of sRGB nor of full range, whichever comes first.
    @Test(arguments: [("bt709", "RGBA"), ("bt2100-pq", "RGBA64_LE"), ("1:4:5:1", "BGRx")])
    func titlesTakeVideosColor(_ color: String, _ title: String) throws {
        let format = color == "bt2100-pq" ? "I420_10LE" : "I420"
        let clip = Self.source("smpte", format, 64, 48, ",colorimetry=\(color)") + " ! c."
        let titles = Self.source("ball", title, 32, 24) + " ! c."
        for pads in ["\(clip) \(titles)", "\(titles) \(clip)"] {
            let made = try canvases("hdrcompositor name=c ! fakesink \(pads)")
            let names = color == "1:4:5:1" ? ["1:4:5:1", "2:4:5:1", "bt601", "2:4:16:4"] : [color]
            #expect(made.count == 1 && names.contains { made[0].contains("colorimetry=(string)\($0)") }, "\(made)")
        }
    }

    /// Names that GStreamer does not know are told: a pad's picture is left out, and a canvas is an error.
    @Test func unknownColorNamesAreTold() throws {
        let pattern = Self.source("smpte", "I420_10LE", 64, 48)
        let pad = try GstTool.launch("\(pattern),colorimetry=(string)bt2020-pq ! hdrcompositor ! fakesink", options: [])
        #expect(pad.status == 0 && (pad.output + pad.errors).contains("bt2100-pq is probably meant"), "\(pad)")
        for (color, text) in [("bt2020-pq", "bt2100-pq is probably meant"), ("1:1:18:7", "there is no such canvas")] {
            let canvas = "video/x-raw,format=I420_10LE,colorimetry=(string)\(color)"
            let outcome = try GstTool.launch("\(pattern) ! hdrcompositor ! \(canvas) ! fakesink")
            #expect(outcome.status == 1 && outcome.errors.contains(text), "\(outcome)")
        }
    }

    /// Chroma is filtered across a layer's edges, and lies between that of both sides, which may be its range's ends.
    @Test(arguments: [("I420", "mpeg2"), ("I420", "cosited"), ("I420", "jpeg"), ("Y42B", "mpeg2")])
    func chromaOfAnEdgeIsBetweenThatOfItsSides(_ format: String, _ site: String) throws {
        func source(_ color: UInt32, _ width: Int, _ height: Int) -> String {
            "videotestsrc num-buffers=1 pattern=solid-color foreground-color=\(color) ! video/x-raw,format=\(format),"
                + "width=\(width),height=\(height),framerate=25/1,colorimetry=bt709,chroma-site=\(site)"
        }
        let (red, cyan) = (UInt32(0xFFFF_0000), UInt32(0xFF00_FFFF))
        let sides = try [red, cyan].map { [UInt8](try output("\(source($0, 64, 48)) ! OUT")) }
        for (x, y) in [(20, 14), (21, 15)] {
            let made = [UInt8](
                try output(
                    "hdrcompositor name=c sink_1::xpos=\(x) sink_1::ypos=\(y) ! video/x-raw,format=\(format) ! OUT "
                        + "\(source(cyan, 64, 48)) ! c. \(source(red, 24, 20)) ! c."))
            let chroma = (made.count - 64 * 48) / 2
            for plane in [64 * 48..<64 * 48 + chroma, 64 * 48 + chroma..<made.count] {
                let ends = sides.map { Int($0[plane.lowerBound]) }
                let (low, high) = (min(ends[0], ends[1]), max(ends[0], ends[1]))
                let codes = Set(made[plane]).sorted()
                #expect(codes.allSatisfy { (low - 1...high + 1).contains(Int($0)) }, "\(codes)")
            }
        }
    }

    /// Encoders cannot change the size in mid-stream: a pad that moves, grows or is cropped does not change the canvas.
    @Test(arguments: ["xpos", "ypos", "width", "height", "crop-left"])
    func aPadThatMovesChangesNoCanvas(_ property: String) throws {
        let program = """
            import gi
            gi.require_version("Gst", "1.0"); gi.require_version("GstController", "1.0")
            from gi.repository import Gst, GstController
            Gst.init()
            sizes = []
            line = ("hdrcompositor name=c ! fakesink name=s videotestsrc num-buffers=25 ! "
                    "video/x-raw,width=64,height=48,framerate=25/1 ! c. videotestsrc num-buffers=25 ! "
                    "video/x-raw,width=32,height=24,framerate=25/1 ! c.")
            pipeline = Gst.parse_launch(line)
            pad = pipeline.get_by_name("c").get_static_pad("sink_1")
            source = GstController.InterpolationControlSource(mode=GstController.InterpolationMode.LINEAR)
            pad.add_control_binding(GstController.DirectControlBinding.new_absolute(pad, "\(property)", source))
            source.set(0, 0); source.set(Gst.SECOND, 200)
            def event(pad, info):
                if info.get_event().type == Gst.EventType.CAPS:
                    sizes.append(info.get_event().parse_caps().to_string())
                return Gst.PadProbeReturn.OK
            pipeline.get_by_name("s").get_static_pad("sink").add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM, event)
            pipeline.set_state(Gst.State.PLAYING)
            ends = Gst.MessageType.EOS | Gst.MessageType.ERROR
            message = pipeline.get_bus().timed_pop_filtered(20 * Gst.SECOND, ends)
            assert message and message.type == Gst.MessageType.EOS, message
            pipeline.set_state(Gst.State.NULL)
            assert len(sizes) == 1, sizes
            """
        expectClean(try GstTool.run("/usr/bin/python3", ["-c", program]))
    }

    /// HDR would have too few codes in eight bits: where no colour is asked for it becomes SDR, as `hdrconvert` has it.
    @Test(arguments: [
        ("pngenc", "I420_10LE", "sRGB"), ("jpegenc", "I420_10LE", "bt709"), ("jpegenc", "I420", "bt2100-pq"),
        ("video/x-raw,format=NV12,colorimetry=bt2100-pq", "I420_10LE", "bt2100-pq"),
        ("video/x-raw,format=(string){I420,I420_10LE}", "I420_10LE", "bt2100-pq"),
    ])
    func aCanvasOfEightBitsIsSDR(_ next: String, _ format: String, _ color: String) throws {
        let source = Self.source("smpte", format, 64, 48, ",colorimetry=bt2100-pq")
        let made = try canvases("\(source) ! hdrcompositor ! \(next) ! fakesink")
        #expect(made.count == 1 && made[0].contains("colorimetry=(string)\(color)"), "\(made)")
    }

    /// Where downstream has nothing of the pads' dynamic range, HDR becomes the other HDR rather than SDR, in whichever
    /// order both are offered.
    @Test(arguments: ["bt709,bt2100-hlg", "bt2100-hlg,bt709"])
    func hdrStaysHDRWhereItMay(_ colors: String) throws {
        let source = Self.source("smpte", "I420_10LE", 64, 48, ",colorimetry=bt2100-pq")
        let made = try canvases(
            "\(source) ! hdrcompositor ! video/x-raw,colorimetry=(string){\(colors)} ! fakesink")
        #expect(made.count == 1 && made[0].contains("colorimetry=(string)bt2100-hlg"), "\(made)")
    }

    /// SDR has reference white as its white, unless its pad is to be expanded: then it has the light that `hdrconvert`
    /// makes of it.
    @Test(arguments: ["bt2446a", "bt2446c", "spline"], ["bt2100-pq", "bt2100-hlg"])
    func sdrIsExpandedWhereAsked(_ curve: String, _ color: String) throws {
        let source = Self.source("smpte75", "Y444_10LE", 32, 24, ",colorimetry=bt709")
        let canvas = "video/x-raw,format=Y444_10LE,colorimetry=\(color)"
        let expected = try output("\(source) ! hdrconvert inverse-tone-mapping=\(curve) ! \(canvas) ! OUT")
        let made = try output("\(source) ! hdrcompositor sink_0::inverse-tone-mapping=\(curve) ! \(canvas) ! OUT")
        let plain = try output("\(source) ! hdrcompositor ! \(canvas) ! OUT")
        func words(_ data: Data) -> [Int] {
            data.withUnsafeBytes { $0.bindMemory(to: UInt16.self).map { Int(UInt16(littleEndian: $0)) } }
        }
        let most = zip(words(made), words(expected)).map { abs($0 - $1) }.max() ?? 1023
        #expect(made.count == expected.count && most <= 3 && made != plain, "\(most)")
    }

    /// Bilinear scaling has no overshoot at edges, and the other has.
    @Test(arguments: [("bilinear", false), ("lanczos", true)])
    func scalingIsChosen(_ method: String, _ rings: Bool) throws {
        let source = Self.source("smpte75", "GBR_10LE", 32, 32, ",colorimetry=sRGB")
        let made = try output(
            "\(source) ! hdrcompositor scaling-method=\(method) sink_0::width=77 sink_0::height=77 ! OUT")
        let plain = try output("\(source) ! OUT")
        func range(_ data: Data) -> ClosedRange<UInt16> {
            data.withUnsafeBytes { bytes in
                let words = bytes.bindMemory(to: UInt16.self)
                return (words.min() ?? 0)...(words.max() ?? 0)
            }
        }
        let (found, given) = (range(made), range(plain))
        #expect((found.upperBound > given.upperBound + 4) == rings, "\(found) \(given)")
    }

    /// The number of threads by the name that lines for GStreamer's `compositor` use, which changes no picture.
    @Test(arguments: ["max-threads", "n-threads"]) func threadsHaveTheNameOfTheMixerOfGStreamer(_ name: String) throws {
        let path = Repository.path("Tests/Elements/Programs/mixer/threads.py")
        let counts = try [1, 3].map { count in
            let outcome = try GstTool.run("/usr/bin/python3", ["-B", path, "\(name)=\(count)"], timeout: 30)
            expectClean(outcome)
            return Int(outcome.output.dropLast()) ?? 0
        }
        #expect(counts[0] > 0 && counts[1] == counts[0] + 2, "\(counts)")
        let source = Self.source("smpte", "I420", 64, 48)
        let made = try output("\(source) ! hdrcompositor \(name)=1 sink_0::alpha=0.5 ! OUT")
        #expect(try made == output("\(source) ! hdrcompositor \(name)=3 sink_0::alpha=0.5 ! OUT"))
    }
}
