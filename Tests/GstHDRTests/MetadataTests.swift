import CGStreamer
import HDRColor
import Testing

/// Mastering displays as caps write them: primaries and white in 1/50000, luminances in 1/10000 cd/m².
enum Mastering {
    static let p3 = "34000:16000:13250:34500:7500:3000:15635:16450"
    /// P3 with a black of 0.005 cd/m².
    static func p3at(_ peak: Int) -> String { "\(p3):\(peak * 10000):50" }
}

@Suite(.quiet)
struct MetadataTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let what: String
        let source: String
        let want: String
        var settings: [String: String] = [:]
        /// What comes out.
        let mastering: String?
        let light: String?
        var testDescription: String { what }
    }

    private static let pq = caps("P010_10LE", "bt2100-pq", mastering: Mastering.p3at(4000), light: "3000:500")
    private static let hlg = caps("P010_10LE", "bt2100-hlg", mastering: Mastering.p3at(1000), light: "900:200")

    static let cases = [
        Case(
            what: "nothing changes", source: pq, want: want(), mastering: Mastering.p3at(4000), light: "3000:500"),
        Case(
            what: "the form changes", source: pq, want: want("Y444_12LE"), mastering: Mastering.p3at(4000),
            light: "3000:500"),
        Case(what: "PQ to SDR", source: pq, want: want("NV12"), mastering: nil, light: nil),
        Case(what: "HLG to SDR", source: hlg, want: want("NV12", "bt709"), mastering: nil, light: nil),
        Case(what: "PQ to sRGB", source: pq, want: want("RGBA"), mastering: nil, light: nil),
        Case(
            what: "SDR to PQ", source: caps("NV12", "bt709"), want: want("P010_10LE", "bt2100-pq"), mastering: nil,
            light: nil),
        Case(
            what: "SDR with metadata that means nothing to PQ",
            source: caps("NV12", "bt709", mastering: Mastering.p3at(1000), light: "900:200"),
            want: want("P010_10LE", "bt2100-pq"), mastering: nil, light: nil),
        Case(
            what: "a lower peak", source: pq, want: want(), settings: ["target-peak": "400"],
            mastering: Mastering.p3at(400), light: "400:400"),
        Case(
            what: "a lower peak that is no whole number", source: pq, want: want(), settings: ["target-peak": "450.5"],
            mastering: "\(Mastering.p3):4505000:50", light: "451:451"),
        Case(
            what: "a peak above what there is", source: pq, want: want(), settings: ["target-peak": "5000"],
            mastering: Mastering.p3at(4000), light: "3000:500"),
        Case(
            what: "PQ to HLG", source: pq, want: want("P010_10LE", "bt2100-hlg"), mastering: Mastering.p3at(1000),
            light: "1000:500"),
        Case(
            what: "HLG to PQ", source: hlg, want: want("P010_10LE", "bt2100-pq"), mastering: Mastering.p3at(1000),
            light: "900:200"),
        Case(
            what: "only one of the two", source: caps("P010_10LE", "bt2100-pq", light: "3000:500"), want: want(),
            settings: ["target-peak": "400"], mastering: nil, light: "400:400"),
        Case(
            what: "downstream asks for a display", source: pq,
            want: want("P010_10LE", "bt2100-pq", "mastering-display-info=(string)\"\(Mastering.p3at(600))\""),
            mastering: Mastering.p3at(600), light: "600:500"),
    ]

    @Test(arguments: cases) func output(_ example: Case) throws {
        let harness = try Harness(example.source, to: example.want, example.settings)
        #expect(harness.output("mastering-display-info") == example.mastering)
        #expect(harness.output("content-light-level") == example.light)
        _ = try harness.convert(try Buffer(try harness.inputInfo()))
        // Nothing changes while frames flow.
        #expect(harness.output("mastering-display-info") == example.mastering)
        #expect(harness.output("content-light-level") == example.light)
        #expect(harness.messages().isEmpty)
    }

    /// Dynamic metadata's caps field goes with the signal that it describes.
    @Test func dynamicMetadataIsGoneFromSDR() throws {
        let harness = try Harness(caps("P010_10LE", "bt2100-pq", more: "hdr-format=hdr10+"), to: want("NV12"))
        #expect(harness.output("hdr-format") == nil)
    }

    /// The peak is the content light level's, else the mastering display's, else 1000 cd/m²: the brightest grey of
    /// each becomes white.
    @Test(
        arguments: [
            (nil, nil, 1000), (Mastering.p3at(4000), nil, 4000), (Mastering.p3at(4000), "600:100", 600),
            // Values that are not credible count as absent.
            (Mastering.p3at(4000), "0:0", 4000), (Mastering.p3at(0), "20000:1", 1000),
        ] as [(String?, String?, Double)])
    func peakOrder(_ mastering: String?, _ light: String?, _ peak: Double) throws {
        let source = caps("Y444_10LE", "bt2100-pq", mastering: mastering, light: light)
        let harness = try Harness(source, to: want("Y444_10LE", "bt709"))
        let white = UInt16((64 + 876 * PQ.inverseEOTF(peak)).rounded(.up))
        #expect(try harness.convert(PictureCodes(32, 8, white, 512, 512))[0, 0] == SIMD4(940, 512, 512, 1023))
        let below = try harness.convert(PictureCodes(32, 8, white - 20, 512, 512))[0, 0]
        #expect(below.x < 940 && below.x > 860, "\(below)")
    }

    /// A property takes precedence over metadata.
    @Test func sourcePeakOverridesMetadata() throws {
        let source = caps("Y444_10LE", "bt2100-pq", mastering: Mastering.p3at(4000), light: "4000:100")
        let harness = try Harness(
            source, to: want("Y444_10LE", "bt709"), ["source-peak": "1000", "peak-detection": "off"])
        #expect(try harness.convert(PictureCodes(32, 8, 724, 512, 512))[0, 0].x == 940)
        harness.set("source-peak", "0")
        #expect(try harness.convert(PictureCodes(32, 8, 724, 512, 512))[0, 0].x < 900)
    }

    // MARK: Metadata that cannot be true

    @Test(
        arguments: [
            (Mastering.p3at(0), nil, 1), ("\(Mastering.p3):100010000:50", nil, 1),
            ("\(Mastering.p3):10000:20000", nil, 1),
            ("\(Mastering.p3):4294967295:0", nil, 1), (nil, "0:0", 1), (nil, "10001:10", 1), (nil, "100:1000", 1),
            (nil, "65535:65535", 1), (Mastering.p3at(0), "0:0", 2), (Mastering.p3at(0), "1000:400", 1),
        ] as [(String?, String?, Int)])
    func absurdMetadata(_ mastering: String?, _ light: String?, _ count: Int) throws {
        let source = caps("P010_10LE", "bt2100-pq", mastering: mastering, light: light)
        let harness = try Harness(source, to: want("NV12"))
        let warnings = harness.warnings
        #expect(warnings.count == count, "\(warnings)")
        #expect(warnings.allSatisfy { $0.contains("Ignoring HDR metadata") && $0.contains("source-peak") })
        let expected = try Harness(
            caps("P010_10LE", "bt2100-pq", light: light == "1000:400" ? light : nil), to: want("NV12"))
        let picture = PictureCodes.ramp(32, 8, bits: 10)
        #expect(try harness.convert(picture) == expected.convert(picture))
        // The warning comes once for each stream.
        #expect(harness.negotiate(source, to: want("I420")))
        #expect(harness.warnings.isEmpty)
        gst_element_set_state(harness.element, GST_STATE_READY)
        gst_element_set_state(harness.element, GST_STATE_PLAYING)
        harness.send(gst_event_new_stream_start("again"))
        #expect(harness.negotiate(source))
        #expect(harness.warnings.count == count)
    }

    /// Fields that cannot be parsed count as absent.
    @Test(arguments: [
        "", "x", "::::::::::", "1:2:3", "-1:-1", "nan:nan", "1e9:1", "99999999999999999999:1", "1000", ":",
    ])
    func unreadableMetadata(_ text: String) throws {
        let source = caps("P010_10LE", "bt2100-pq", mastering: text, light: text)
        let harness = try Harness(source, to: want("NV12"))
        let expected = try Harness(caps("P010_10LE", "bt2100-pq"), to: want("NV12"))
        let picture = PictureCodes.ramp(32, 8, bits: 10)
        #expect(try harness.convert(picture) == expected.convert(picture))
        #expect(harness.output("mastering-display-info") == nil)
        #expect(harness.output("content-light-level") == nil)
    }

    // MARK: During negotiation

    /// A setting that changes between the choice of caps and their arrival leaves no trace of the old value: what the
    /// element has written itself is not taken for a request of downstream's.
    @Test func settingChangesDuringNegotiation() throws {
        let harness = try Harness(["target-peak": "400"])
        final class Change {
            let harness: Harness
            init(_ harness: Harness) { self.harness = harness }
        }
        let change = Change(harness)
        // Downstream is asked whether it accepts the caps after they have been written.
        let probe = gst_pad_add_probe(
            harness.harness.pointee.sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM,
            { _, info, data in
                let query = info.flatMap { gst_pad_probe_info_get_query($0) }
                if let query, query.pointee.type == GST_QUERY_ACCEPT_CAPS, let data {
                    Unmanaged<Change>.fromOpaque(data).takeUnretainedValue().harness.set("target-peak", "0")
                }
                return GST_PAD_PROBE_OK
            }, Unmanaged.passUnretained(change).toOpaque(), nil)
        defer { gst_pad_remove_probe(harness.harness.pointee.sinkpad, probe) }
        #expect(harness.negotiate(Self.pq))
        let bright = PictureCodes(32, 8, 900, 512, 512)
        #expect(try harness.convert(bright)[0, 0].x == 900)
        #expect(harness.output("mastering-display-info") == Mastering.p3at(4000))
        #expect(harness.output("content-light-level") == "3000:500")
        withExtendedLifetime(change) {}
    }

    // MARK: What downstream requests

    /// A requested mastering display with impossible values is written as requested, but is no peak to map to.
    @Test(arguments: ["0:0", "1:0", "50:60", "4294967295:0"]) func absurdRequests(_ luminances: String) throws {
        let display = "35400:14600:8500:39850:6550:2300:15635:16450:\(luminances)"
        let request = "mastering-display-info=(string)\(display)"
        let harness = try Harness(caps("P010_10LE", "bt2100-pq"), to: want("P010_10LE", "bt2100-pq", request))
        let picture = PictureCodes.ramp(32, 8, bits: 10)
        let expected = try Harness(caps("P010_10LE", "bt2100-pq")).convert(picture)
        #expect(try harness.convert(picture) == expected)
        #expect(harness.output("mastering-display-info") == display)
    }

    /// A source's mastering display whose peak is far below any real one is not used as the source's peak.
    @Test func tinySourcePeak() throws {
        let display = "35400:14600:8500:39850:6550:2300:15635:16450:1:0"
        let picture = PictureCodes.ramp(32, 8, bits: 10)
        let expected = try Harness(caps("P010_10LE", "bt2100-pq"), to: want("NV12")).convert(picture)
        let source = caps("P010_10LE", "bt2100-pq", mastering: display)
        #expect(try Harness(source, to: want("NV12")).convert(picture) == expected)
    }

    @Test func askedLightLevelIsKept() throws {
        for source in [caps("P010_10LE", "bt2100-pq", light: "900:300"), caps("P010_10LE", "bt709")] {
            let harness = try Harness(source, to: want("P010_10LE", "bt2100-pq", "content-light-level=(string)400:200"))
            #expect(harness.output("content-light-level") == "400:200")
        }
    }

    /// Encoders repeat the source's colour beside the open choice; that does not request HDR in 8 bits.
    @Test func echoedColourIsNoRequest() throws {
        let source = caps("P010_10LE", "bt2100-pq")
        let echo = want("RGB", "1:1:14:7")
        #expect(try Harness(source, to: "\(echo); \(want("RGB"))").output("colorimetry") == "sRGB")
        #expect(try Harness(source, to: echo).output("colorimetry") == "1:1:14:7")
    }
}
