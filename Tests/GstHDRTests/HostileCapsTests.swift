import CGStreamer
import CGstCheck
import TestSupport
import Testing

/// Caps that no sane element makes: no crash, no complaint of GLib's, and frames flow wherever they can.
@Suite(.quiet)
struct HostileCapsTests {
    static let rates = ["0/1", "1/1", "2147483647/1", "1/2147483647", "30000/1001", "2147483647/2147483647"]

    @Test(arguments: rates) func frameRates(_ rate: String) throws {
        let harness = try Harness(caps("P010_10LE", "bt2100-pq", more: "framerate=\(rate)"), to: want("NV12"))
        let usual = try Harness(caps("P010_10LE", "bt2100-pq"), to: want("NV12"))
        let picture = PictureCodes.ramp(32, 8, bits: 10)
        #expect(try harness.convert(picture) == usual.convert(picture))
    }

    /// The smallest pictures and odd sizes, in every format: flat colours stay flat up to the last pixel. GStreamer
    /// 1.22 packs the chroma of a last odd column of NV61 in the wrong order.
    @Test(arguments: Format.every.filter { $0.name != "NV61" }) func oddSizes(_ format: Format) throws {
        let color = SIMD3(0.55, 0.5, 0.45)
        let all = [(Format("I420"), Color.sdr), (Format("RGBA64_LE"), .pq), (Format("v210"), .hlg)]
        // Under a sanitizer each format becomes one of them.
        let turn = format.name.utf8.reduce(0) { $0 + Int($1) } % all.count
        let targets = TestWork.scale < 1 ? [all[turn]] : all
        for (width, height) in [(1, 1), (1, 2), (2, 1), (3, 1), (1, 7), (5, 3), (7, 16), (31, 33), (129, 5)] {
            let picture = PictureCodes(width, height, signal: color, Color.pq.signal(format).quantization)
            for (to, wanted) in targets {
                let harness = try Harness(
                    caps(format.name, Color.pq.colorimetry(format), width, height),
                    to: want(to.name, wanted.colorimetry(to)), ["dither": "none"])
                let result = try harness.convert(picture)
                let first = result[0, 0]
                #expect(result.pixels.allSatisfy { $0 == first }, "\(width)x\(height) to \(to.name)")
            }
        }
    }

    /// Numbers that name no colour count as absent, here and in GStreamer.
    @Test(arguments: ["", "9:9:9:9", "-1:-1:-1:-1", "99999999999:1:1:1", "0:0:0:0"])
    func unreadableColorimetry(_ text: String) throws {
        let harness = try Harness()
        let source = caps("I420", nil, more: "colorimetry=(string)\"\(text)\"")
        guard harness.negotiate(source, to: want("RGBA")) else { return }
        let plain = try Harness(caps("I420", nil), to: want("RGBA"))
        let picture = PictureCodes(32, 8, 100, 120, 140)
        #expect(try harness.convert(picture) == plain.convert(picture))
    }

    @Test(arguments: ["none", "dv", "alt-line", "cosited", "v-cosited"])
    func chromaSites(_ text: String) throws {
        let harness = try Harness(caps("I420", "bt2100-pq", site: text), to: want("RGBA"))
        let usual = try Harness(caps("I420", "bt2100-pq"), to: want("RGBA"))
        // No site shifts a flat colour, and all give a whole picture.
        let flat = PictureCodes(32, 8, 100, 120, 140)
        #expect(try harness.convert(flat) == usual.convert(flat))
        let ramp = try harness.convert(PictureCodes.ramp(32, 8, bits: 8)).pixels
        #expect(ramp.count == 32 * 8 && Set(ramp).count > 16)
    }

    /// A matrix that does not suit the format.
    @Test func matrixOfTheOtherKind() throws {
        for (source, colorimetry, target) in [("RGBA", "bt2100-pq", "NV12"), ("Y444", "sRGB", "RGBA")] {
            let harness = try Harness(caps(source, colorimetry), to: want(target), ["dither": "none"])
            let result = try harness.convert(PictureCodes(32, 8, 100, 120, 140))
            #expect(result.pixels.count == 32 * 8 && Set(result.pixels).count == 1, "\(source)")
        }
    }

    /// One row that is wider than any screen.
    @Test func wideRow() throws {
        let width = 32768
        let harness = try Harness(caps("P010_10LE", "bt2100-pq", width, 2), to: want("NV12"), ["dither": "none"])
        let result = try harness.convert(PictureCodes(width, 2, 573, 512, 512))
        #expect(result.pixels.allSatisfy { $0.x == result.pixels[0].x })
    }

    /// Widths for which one row's work alone would take gigabytes are refused, not tried.
    @Test(.serialized, arguments: [("I420", 1 << 26, 1), ("RGBA", 1 << 26, 1)])
    func absurdWidth(_ format: String, _ width: Int, _ height: Int) throws {
        let harness = try Harness(["n-threads": "1"])
        gst_harness_set_sink_caps_str(harness.harness, want("Y444"))
        #expect(!harness.sendCaps(caps(format, nil, width, height)))
    }

    @Test(arguments: [
        "width=0,height=8", "width=32,height=0", "width=-1,height=8", "width=2147483647,height=2147483647",
    ])
    func impossibleSizes(_ size: String) throws {
        let harness = try Harness()
        #expect(!harness.sendCaps("video/x-raw,format=I420,framerate=25/1,\(size)"))
    }

    @Test(arguments: [
        "video/x-raw,format=RGB16,width=8,height=8", "video/x-raw,format=NOSUCH,width=8,height=8", "video/x-raw",
        "video/x-raw,width=8,height=8", "audio/x-raw,format=S16LE",
        "video/x-raw(memory:GLMemory),format=NV12,width=8,height=8",
        "video/x-raw,format=(int)5,width=8,height=8", "video/x-raw,format=NV12,width=(string)8,height=8",
    ])
    func otherCaps(_ text: String) throws {
        let harness = try Harness()
        #expect(!harness.sendCaps(text))
        #expect(harness.outputCaps == nil)
    }

    /// Fields of the wrong type, or that cannot be read, count as absent.
    @Test(arguments: [
        "colorimetry=(int)3", "chroma-site=(double)1.5", "mastering-display-info=(int)7", "content-light-level=(int)7",
        "content-light-level=(string)\"\(String(repeating: "9", count: 5000))\"",
        "mastering-display-info=(string)\"\(String(repeating: "1:", count: 3000))\"",
    ])
    func wrongTypes(_ field: String) throws {
        let harness = try Harness()
        try #require(harness.negotiate(caps("P010_10LE", nil, more: field), to: want("NV12", "bt709")))
        let plain = try Harness(caps("P010_10LE", nil), to: want("NV12", "bt709"))
        let picture = PictureCodes.ramp(32, 8, bits: 10)
        #expect(try harness.convert(picture) == plain.convert(picture))
    }
}
