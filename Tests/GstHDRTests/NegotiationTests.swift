import CGStreamer
import CGstCheck
import HDRColor
import Testing

@Suite(.quiet)
struct NegotiationTests {
    /// Every format is converted to every other, in buffers of the right size, with the right colour and alpha.
    @Test(arguments: Format.all) func everyFormat(_ from: Format) throws {
        let (width, height) = (17, 5)
        let color = SIMD3(0.6, 0.3, 0.45)
        let alpha = UInt16(Double(from.opaque) * 0.7)
        let source = Color.sdr.signal(from).quantization
        let picture = PictureCodes(width, height, signal: color, source, alpha: alpha)
        let input = caps(from.name, Color.sdr.colorimetry(from), width, height)
        for to in Format.all {
            let harness = try Harness(input, to: want(to.name, Color.sdr.colorimetry(to)), ["dither": "none"])
            let info = try harness.outputInfo()
            let buffer = try harness.convert(try Buffer(picture, try harness.inputInfo()))
            #expect(gst_buffer_get_size(buffer.pointer) == info.size, "\(to.name)")

            let result = try buffer.picture(info)
            let codes = picture[0, 0]
            let expected = Color.sdr.signal(to).quantization.encode(
                source.decode(SIMD3(Double(codes.x), Double(codes.y), Double(codes.z))))
            let flat = PictureCodes(width, height, UInt16(expected.x), UInt16(expected.y), UInt16(expected.z))
            #expect(result.difference(to: flat).largest <= 1, "\(to.name) \(result[0, 0]) \(flat[0, 0])")
            let (top, fromTop) = (Int(to.opaque), Int(from.opaque))
            let opacity = from.hasAlpha && to.hasAlpha ? (Int(alpha) * top + fromTop / 2) / fromTop : top
            // Pictures that pass through keep their padding, whatever is in it.
            #expect(
                from.name == to.name || result.pixels.allSatisfy { Int($0.w) == opacity },
                "\(to.name) alpha \(result[0, 0].w)")
        }
    }

    /// Where downstream accepts everything, the same buffer comes out.
    @Test(arguments: Format.every) func sameCapsPassThrough(_ format: Format) throws {
        let text = caps(format.name, Color.pq.colorimetry(format))
        let harness = try Harness(text)
        let buffer = try Buffer(PictureCodes.ramp(32, 8, bits: format.bits), try harness.inputInfo())
        let bytes = buffer.bytes
        let output = try harness.convert(buffer)
        #expect(output.pointer == buffer.pointer)
        let isUntouched = output.bytes == bytes
        #expect(isUntouched)
        let sent = try #require(gst_caps_from_string(text))
        let arrived = try #require(gst_pad_get_current_caps(harness.harness.pointee.sinkpad))
        #expect(gst_caps_is_equal(sent, arrived) != 0, "\(harness.outputCaps ?? "none")")
        gst_caps_unref(sent)
        gst_caps_unref(arrived)
    }

    struct Output: Sendable, CustomTestStringConvertible {
        let source: String
        let want: String
        let colorimetry: String?
        let site: String?
        init(_ source: String, _ want: String, _ colorimetry: String?, _ site: String?) {
            (self.source, self.want, self.colorimetry, self.site) = (source, want, colorimetry, site)
        }
        var testDescription: String { "\(source) to \(want)" }
    }

    static let outputs = [
        // HDR becomes SDR where downstream requests 8 bits without a colorimetry, and gets SDR's chroma siting.
        Output(caps("P010_10LE", "bt2100-pq"), want("NV12"), "bt709", "mpeg2"),
        Output(caps("P010_10LE", "bt2100-pq", site: "cosited"), want("I420"), "bt709", "mpeg2"),
        Output(caps("I420_10LE", "bt2100-hlg", site: "cosited"), want("Y42B"), "bt709", "mpeg2"),
        Output(caps("P010_10LE", "bt2100-pq"), want("Y444"), "bt709", nil),
        Output(caps("P010_10LE", "bt2100-hlg"), want("RGBA"), "sRGB", nil),
        Output(caps("I420", "bt2100-pq"), want("NV12"), "bt709", "mpeg2"),
        // The requested caps are output.
        Output(caps("P010_10LE", "bt2100-pq"), want("P010_10LE", "bt709"), "bt709", "mpeg2"),
        Output(caps("P010_10LE", "bt2100-pq"), want("I420", "bt601"), "bt601", "mpeg2"),
        Output(caps("P010_10LE", "bt2100-pq"), want("NV12", nil, "chroma-site=jpeg"), "bt709", "jpeg"),
        Output(caps("P010_10LE", "bt2100-pq"), want("NV12", "bt2100-pq"), "bt2100-pq", nil),
        Output(caps("NV12", "bt709"), want("P010_10LE", "bt2100-pq"), "bt2100-pq", "cosited"),
        Output(caps("NV12", "bt709"), want("P010_10LE", "bt2100-hlg", "chroma-site=mpeg2"), "bt2100-hlg", "mpeg2"),
        // A list is a choice: the source's own colour first, else the first.
        Output(caps("P010_10LE", "bt2100-pq"), want("I420_10LE", "{bt709,bt2100-pq}"), "bt2100-pq", nil),
        Output(caps("P010_10LE", "bt2100-pq"), want("I420_10LE", "{bt709,bt2100-hlg}"), "bt709", "mpeg2"),
        // A change of form keeps the colour, and the siting where the sampling stays.
        Output(caps("P010_10LE", "bt2100-pq", site: "mpeg2"), want("I420_10LE"), "bt2100-pq", "mpeg2"),
        Output(caps("P010_10LE", "bt2100-pq", site: "mpeg2"), want("Y444_12LE"), "bt2100-pq", nil),
        Output(caps("P010_10LE", "bt2100-hlg"), want("GBR_10LE"), "1:1:15:7", nil),
        Output(caps("I420", "bt709", site: "jpeg"), want("NV12"), "bt709", "jpeg"),
        Output(caps("NV12", "1:4:7:1", site: "jpeg"), want("I420"), "1:4:7:1", "jpeg"),
        Output(caps("RGBA", "1:1:14:7"), want("P010_10LE"), "bt2100-pq", "cosited"),
        Output(caps("RGBA", "sRGB"), want("NV12"), "2:3:7:1", "mpeg2"),
        Output(caps("Y444", "bt601"), want("RGB"), "1:1:16:4", nil),
    ]

    @Test(arguments: outputs) func outputColour(_ output: Output) throws {
        let harness = try Harness(output.source, to: output.want)
        #expect(harness.output("colorimetry") == output.colorimetry)
        #expect(harness.output("chroma-site") == output.site)
        _ = try harness.convert(try Buffer(try harness.inputInfo()))
    }

    /// The format that loses least is chosen where downstream leaves a choice.
    @Test(arguments: [
        ("P010_10LE", "{I420,I420_10LE,I420_12LE}", "I420_10LE"),
        ("I420_12LE", "{I420,I420_10LE}", "I420_10LE"),
        ("Y444_10LE", "{I420_10LE,I422_10LE,Y444}", "Y444"),
        ("RGBA", "{RGB,I420,BGRA}", "BGRA"),
        ("NV12", "{RGBA,NV21}", "NV21"),
        ("GBRA_12LE", "{GBR_12LE,RGBA64_LE,P012_LE}", "RGBA64_LE"),
    ])
    func choosesFormat(_ from: String, _ offered: String, _ chosen: String) throws {
        let harness = try Harness(caps(from, Color.sdr.colorimetry(Format(from))), to: want(offered))
        #expect(harness.output("format") == chosen)
    }

    /// Untagged Y'CbCr is BT.601 or BT.709 by its height, as GStreamer has it: pure red in each.
    @Test(arguments: [
        (240, YCbCrMatrix.bt601), (480, .bt601), (576, .bt601), (578, .bt709), (720, .bt709), (1080, .bt709),
        (2160, .bt709),
    ])
    func untaggedInput(_ height: Int, _ matrix: YCbCrMatrix) throws {
        let width = 16
        let harness = try Harness(caps("Y444", nil, width, height), to: want("RGB"))
        let red = PictureCodes(
            width, height, signal: SIMD3(1, 0, 0), Quantization(bits: 8, fullRange: false, matrix: matrix))
        let result = try harness.convert(red)
        let pixel = result[width / 2, height / 2]
        #expect(pixel.x >= 253 && pixel.y <= 2 && pixel.z <= 2, "\(pixel)")
    }

    /// Chroma of unknown siting lies on the left luma sample, as in every MPEG codec and in BT.2100, and never
    /// in the middle.
    @Test(arguments: [("P010_10LE", "bt2100-pq"), ("I420_10LE", "bt2100-hlg"), ("v210", "bt709"), ("NV12", "bt709")])
    func untaggedSiting(_ format: String, _ colorimetry: String) throws {
        func result(_ site: String?) throws -> PictureCodes {
            try Harness(caps(format, colorimetry, site: site), to: want("Y444_12LE", colorimetry))
                .convert(PictureCodes.ramp(32, 8, bits: Format(format).bits))
        }
        let untagged = try result(nil)
        let (left, topLeft) = (try result("mpeg2"), try result("cosited"))
        #expect(untagged == left || untagged == topLeft)
        #expect(untagged != (try result("jpeg")))
    }

    /// Size, frame rate and shape are not this element's work.
    @Test(arguments: [
        "width=64", "height=16", "framerate=30/1", "pixel-aspect-ratio=2/1", "interlace-mode=interleaved",
    ])
    func refusesOtherGeometry(_ field: String) throws {
        let harness = try Harness()
        let source = caps("NV12", "bt709", more: "pixel-aspect-ratio=1/1,interlace-mode=progressive")
        #expect(!harness.negotiate(source, to: want("I420", nil, field)))
    }

    @Test func keepsOtherFields() throws {
        let more = "pixel-aspect-ratio=4/3,interlace-mode=interleaved,multiview-mode=side-by-side"
        let harness = try Harness(caps("P010_10LE", "bt2100-pq", more: more), to: want("NV12"))
        let text = try #require(harness.outputCaps)
        for field in ["(fraction)4/3", "(string)interleaved", "(string)side-by-side", "(fraction)25/1"] {
            #expect(text.contains(field), "\(field) in \(text)")
        }
    }

    /// Upstream is offered every format, whatever downstream requests.
    @Test func offersEveryFormatUpstream() throws {
        let harness = try Harness()
        gst_harness_set_sink_caps_str(harness.harness, want("NV12", "bt709", "width=32,height=8"))
        let answer = try #require(gst_pad_peer_query_caps(harness.harness.pointee.srcpad, nil))
        defer { gst_caps_unref(answer) }
        for format in Format.every {
            for color in [Color.pq, .hlg, .sdr] {
                let text = caps(
                    format.name, color.colorimetry(format), mastering: Mastering.p3at(1000), light: "800:90")
                let one = try #require(gst_caps_from_string(text))
                #expect(gst_caps_is_subset(one, answer) != 0, "\(text)")
                gst_caps_unref(one)
            }
        }
        let other = try #require(gst_caps_from_string(caps("NV12", "bt709", 64, 8)))
        #expect(gst_caps_is_subset(other, answer) == 0)
        gst_caps_unref(other)
    }

    // MARK: What cannot be converted

    /// log100, log316; film and other white points; the RGB matrix cannot be distinguished from a missing one.
    @Test(arguments: ["2:3:9:1", "2:3:10:1", "2:3:5:6", "2:3:5:2", "2:3:5:9", "2:3:5:12"])
    func unsupportedColour(_ colorimetry: String) throws {
        let harness = try Harness()
        gst_harness_set_sink_caps_str(harness.harness, want("NV12", "bt709"))
        #expect(!harness.sendCaps(caps("I420", colorimetry)))
        let errors = harness.errors
        #expect(errors.count == 1)
        let text = try #require(errors.first)
        #expect(text.contains("Cannot convert") && text.contains("capssetter"), "\(text)")
        // Buffers are refused, too.
        _ = harness.sendSegment()
        var info = GstVideoInfo()
        gst_video_info_set_format(&info, GST_VIDEO_FORMAT_I420, 32, 8)
        #expect(harness.push(try Buffer(info)) == GST_FLOW_NOT_NEGOTIATED)
        #expect(harness.pull() == nil)
    }

    @Test(arguments: ["2:3:9:1", "2:3:10:1", "2:3:5:6", "2:3:5:2"]) func unsupportedColourPassesThrough(
        _ colorimetry: String
    ) throws {
        let harness = try Harness(caps("I420", colorimetry))
        #expect(harness.output("colorimetry") == colorimetry)
        let buffer = try Buffer(try harness.inputInfo())
        #expect(try harness.convert(buffer).pointer == buffer.pointer)
        #expect(harness.messages().isEmpty)
        // A stream that can be converted may follow it.
        #expect(harness.negotiate(caps("I420", "bt2100-pq"), to: want("NV12")))
        _ = try harness.convert(try Buffer(try harness.inputInfo()))
        #expect(harness.output("colorimetry") == "bt709")
    }
}
