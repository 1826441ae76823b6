import CGStreamer
import CGstCheck
import Testing

/// Names of colour that GStreamer does not know: nothing is converted, and the error says what is meant.
@Suite(.quiet)
struct ColorNameTests {
    static let names = [
        ("colorimetry=pq", "bt2100-pq"), ("colorimetry=bt2020-pq", "bt2100-pq"), ("colorimetry=smpte2084", "bt2100-pq"),
        ("colorimetry=(string)HLG", "bt2100-hlg"), ("colorimetry=arib-std-b67", "bt2100-hlg"),
        ("colorimetry=bt2100", "bt2100-pq or bt2100-hlg"), ("colorimetry=rec709", "bt709"),
        ("colorimetry=srgb", "sRGB"),
        ("colorimetry=x", "bt2100-hlg"), ("colorimetry=(string)1:2:3", "bt2100-pq"), ("chroma-site=left", "mpeg2"),
        ("chroma-site=topleft", "cosited"), ("chroma-site=nowhere", "jpeg"),
    ]

    private func expectError(_ harness: Harness, _ field: String, _ meant: String) throws {
        let errors = harness.errors
        let text = try #require(errors.first)
        #expect(errors.count == 1)
        let name = field.replacing("(string)", with: "")
        #expect(text.contains(name) && text.contains(meant), "\(text)")
        #expect(harness.pull() == nil)
    }

    @Test(arguments: names) func before(_ field: String, _ meant: String) throws {
        let harness = try Harness()
        #expect(!harness.negotiate(caps("I420", nil, more: field), to: want("RGBA")))
        try expectError(harness, field, meant)
        // Passing through keeps a wrong name, too.
        let same = try Harness()
        #expect(!same.negotiate(caps("I420", nil, more: field)))
        try expectError(same, field, meant)
    }

    @Test(arguments: names) func after(_ field: String, _ meant: String) throws {
        let harness = try Harness()
        #expect(!harness.negotiate(caps("I420_10LE", "bt709"), to: want("P010_10LE", nil, field)))
        try expectError(harness, field, meant)
    }
}

/// This element changes neither size, frame rate nor interlacing: the error names the element that does.
@Suite(.quiet)
struct RefusalTests {
    @Test(arguments: [
        ("width=64", "videoscale"), ("width=64,height=16", "videoscale"), ("framerate=50/1", "videorate"),
        ("interlace-mode=interleaved", "deinterlace"),
    ])
    func otherGeometry(_ field: String, _ element: String) throws {
        let harness = try Harness()
        #expect(
            !harness.negotiate(caps("I420", "bt709", more: "interlace-mode=progressive"), to: want("NV12", nil, field)))
        let errors = harness.errors
        #expect(errors.count == 1)
        let text = errors.first ?? ""
        let value = field.split(separator: ",")[0]
        #expect(text.contains(element) && text.contains(value), "\(text)")
    }

    @Test func noCaps() throws {
        let harness = try Harness()
        _ = harness.sendSegment()
        let memory = try #require(gst_buffer_new_allocate(nil, 100, nil))
        #expect(harness.push(Buffer(memory)) != GST_FLOW_OK)
        let errors = harness.errors
        #expect(errors.contains { $0.contains("decodebin") }, "\(errors)")
    }
}
