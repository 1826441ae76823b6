import CGStreamer
import CGstCheck
import GstBridge
import HDRColor
import TestSupport
import Testing

/// Effects on video as the element has them.
@Suite(.quiet, .serialized) struct TapEffectTests {
    static let pq = caps("P010_10LE", "bt2100-pq", 64, 16, light: "1000:400")

    /// A grey frame of 10-bit luma codes, one for each column.
    private func push(_ harness: VideoTapHarness, _ luma: (Int) -> Int) throws {
        let buffer = try #require(harness.frame(0))
        var info = harness.info
        var frame = GstVideoFrame()
        #expect(gst_video_frame_map(&frame, &info, buffer, GST_MAP_WRITE) != 0)
        let words = try #require(frame.data.0).assumingMemoryBound(to: UInt16.self)
        for y in 0..<Int(info.height) {
            for x in 0..<Int(info.width) { words[y * Int(info.stride.0) / 2 + x] = UInt16(luma(x)) << 6 }
        }
        let chroma = try #require(frame.data.1).assumingMemoryBound(to: UInt16.self)
        for i in 0..<(Int(info.height) / 2 * Int(info.stride.1) / 2) { chroma[i] = 512 << 6 }
        gst_video_frame_unmap(&frame)
        #expect(gst_harness_push(harness.harness, buffer) == GST_FLOW_OK)
    }

    /// The codes of the first row of luma.
    private func pullLuma(_ harness: VideoTapHarness) throws -> [Int] {
        let bytes = try #require(harness.pull())
        return (0..<Int(harness.info.width)).map { (column: Int) -> Int in
            let (low, high) = (Int(bytes[2 * column]), Int(bytes[2 * column + 1]))
            return (low | high << 8) >> 6
        }
    }

    private func code(_ light: Double) -> Double { 64 + 876 * PQ.inverseEOTF(min(light, 10_000)) }
    private func light(_ code: Int) -> Double { PQ.eotf(Double(code - 64) / 876) }

    @Test func aStopDoublesLight() throws {
        let harness = try VideoTapHarness()
        harness.set("effect", "exposure")
        harness.setChild("effect::stops", 1)
        try harness.start(Self.pq)
        let codes = (0..<64).map { 64 + 10 * $0 }
        try push(harness) { codes[$0] }
        for (own, found) in zip(codes, try pullLuma(harness)) {
            #expect(abs(Double(found) - code(2 * light(own))) < 1.01, "\(own)")
        }
        // Changed light takes what was measured off the caps.
        #expect(!harness.outputCaps.contains("content-light-level") && harness.messages() == [])
    }

    /// Reference white itself is not marked, and one code more is.
    @Test(arguments: [("bt2100-pq", 573), ("bt2100-hlg", 721)])
    func highlightBeginsAboveWhite(_ color: String, _ white: Int) throws {
        let harness = try VideoTapHarness()
        harness.set("effect", "highlight")
        try harness.start(caps("P010_10LE", color, 64, 16))
        try push(harness) { $0 < 16 ? white - 200 : $0 < 32 ? white : $0 < 48 ? white + 1 : white + 50 }
        let codes = try pullLuma(harness)
        // Pixels that are not marked keep their codes.
        #expect(codes[..<16].allSatisfy { $0 == white - 200 } && codes[16..<30].allSatisfy { $0 == white }, "\(codes)")
        #expect(codes[34...].allSatisfy { $0 != white + 1 && $0 != white + 50 }, "\(codes)")
    }

    @Test func aNegativeOfANegativeIsThePicture() throws {
        for color in ["bt2100-pq", "bt2100-hlg", "bt709"] {
            let format = caps("P010_10LE", color, 64, 16)
            let first = try VideoTapHarness()
            let second = try VideoTapHarness()
            for harness in [first, second] {
                harness.set("effect", "invert")
                try harness.start(format)
            }
            let top = color == "bt2100-pq" ? Int(code(1000)) : 940
            let codes = (0..<64).map { 64 + (top - 64) * $0 / 63 }
            try push(first) { codes[$0] }
            let negative = try pullLuma(first)
            #expect(negative == negative.sorted(by: >) && negative[0] >= top - 1 && negative[63] < 84)
            try push(second) { negative[$0] }
            for (own, found) in zip(codes, try pullLuma(second)) {
                // Next to black, codes of HDR are closer together than next to the peak.
                #expect(abs(own - found) <= (own < 84 ? 10 : 2), "\(color) \(own)")
            }
        }
    }

    /// An effect that changes nothing passes the same buffer.
    @Test(arguments: ["exposure", "statistics", "exposure,color-matrix", "sepia"])
    func nothingIsDoneWhereNothingChanges(_ effect: String) throws {
        let harness = try VideoTapHarness()
        harness.set("effect", effect)
        if effect == "sepia" { harness.setChild("effect::intensity", 0) }
        try harness.start(Self.pq)
        let buffer = try #require(harness.frame(80))
        #expect(gst_harness_push(harness.harness, buffer) == GST_FLOW_OK)
        let output = try #require(gst_harness_try_pull(harness.harness))
        #expect(output == buffer)
        gst_buffer_unref(output)
        #expect(harness.outputCaps.contains("content-light-level"))
    }

    /// Light levels go with the first frame that an effect changes, and do not come back.
    @Test func lightLevelsGoWithTheFirstChangedFrame() throws {
        let harness = try VideoTapHarness()
        harness.set("effect", "exposure")
        try harness.start(Self.pq)
        for (stops, isThere) in [(0.0, true), (1, false), (0, false)] {
            harness.setChild("effect::stops", stops)
            try push(harness) { 100 + $0 }
            _ = try pullLuma(harness)
            #expect(harness.outputCaps.contains("content-light-level") == isThere, "\(stops)")
        }
    }

    // MARK: Chains

    @Test func chainsHaveChildren() throws {
        let harness = try VideoTapHarness()
        let proxy = OpaquePointer(harness.element)
        harness.set("effect", "exposure, sepia,highlight")
        #expect(gst_child_proxy_get_children_count(proxy) == 3)
        for (name, type) in [
            ("effect", "GstHdrExposure"), ("effect_0", "GstHdrExposure"), ("effect_1", "GstHdrSepia"),
            ("effect_2", "GstHdrHighlight"),
        ] {
            let child = try #require(gst_child_proxy_get_child_by_name(proxy, name))
            #expect(String(cString: g_type_name(child.pointee.g_type_instance.g_class.pointee.g_type)) == type)
            g_object_unref(child)
        }
        for name in ["effect_3", "effect_", "effect_x", "effects", ""] {
            #expect(gst_child_proxy_get_child_by_name(proxy, name) == nil, "\(name)")
        }
        harness.set("effect", "sepia")
        #expect(gst_child_proxy_get_children_count(proxy) == 1)
        harness.set("effect", "none")
        #expect(gst_child_proxy_get_children_count(proxy) == 0 && harness.messages() == [])
    }

    @Test(arguments: [
        ("sepia,sepai", "No effect is called \"sepai\""), ("sepia,,invert", "No effect is called \"\""),
        ("sepia,gain", "gain is an effect on sound and sepia on video"),
    ])
    func chainsThatCannotBe(_ effect: String, _ text: String) throws {
        let harness = try VideoTapHarness()
        harness.set("effect", effect)
        try harness.start(Self.pq)
        harness.push(80)
        let said = harness.messages()
        #expect(said.contains { $0.contains(text) }, "\(said)")
    }

    /// All effects of a chain act, in their order.
    @Test func theOrderCounts() throws {
        func result(_ effect: String) throws -> [Int] {
            let harness = try VideoTapHarness()
            harness.set("effect", effect)
            let exposure = effect.hasPrefix("exposure") ? "effect_0::stops" : "effect_1::stops"
            harness.setChild(exposure, 1)
            try harness.start(Self.pq)
            try push(harness) { _ in 540 }
            return try pullLuma(harness)
        }
        // 540 is below white, and above it twice as bright.
        #expect(try result("exposure,highlight") != result("highlight,exposure"))
        let unmarked = try result("highlight,exposure")
        #expect(abs(Double(unmarked[20]) - code(2 * light(540))) < 1.01)
    }

    // MARK: Parameters

    /// Of the effect, and of the element's property of the same parameter.
    @Test(
        .enabled(if: ControllerLibrary.shared != nil, "libgstcontroller-1.0 is not installed"),
        arguments: ["stops", "exposure-stops"])
    func controllersGiveEachFrameItsValue(_ property: String) throws {
        let library = try #require(ControllerLibrary.shared)
        let harness = try VideoTapHarness()
        harness.set("effect", "exposure")
        let child = try #require(gst_child_proxy_get_child_by_name(OpaquePointer(harness.element), "effect"))
        defer { g_object_unref(child) }
        let source = try #require(library.makeSource())
        gst_util_set_object_arg(
            UnsafeMutableRawPointer(source).assumingMemoryBound(to: GObject.self), "mode", "linear")
        #expect(library.setValue(source, 0, 0) != 0)
        #expect(library.setValue(source, 80_000_000, 4) != 0)
        let owner = property == "stops" ? UnsafeMutableRawPointer(child) : UnsafeMutableRawPointer(harness.element)
        let object = owner.assumingMemoryBound(to: GstObject.self)
        #expect(gst_object_add_control_binding(object, library.bind(object, property, source)) != 0)
        gst_object_unref(UnsafeMutableRawPointer(source))
        try harness.start(Self.pq)
        for index in 0..<3 {
            try push(harness) { _ in 500 }
            let expected = code(light(500) * Double(1 << (2 * index)))
            #expect(abs(Double(try pullLuma(harness)[10]) - expected) < 1.01, "frame \(index)")
            // An encoder may write its header now, and the light of later frames is not known.
            #expect(!harness.outputCaps.contains("content-light-level"), "frame \(index)")
        }
    }

    /// Before and after the effect is there, in the first one of its name; what the effect itself is set to is read.
    @Test func parametersArePropertiesOfTheElement() throws {
        let harness = try VideoTapHarness()
        harness.set("exposure-stops", "1")
        #expect(harness.object.number("exposure-stops") == 1 && harness.object.number("sepia-intensity") == 1)
        harness.set("effect", "exposure,sepia,exposure")
        harness.set("sepia-intensity", "0")
        try harness.start(Self.pq)
        try push(harness) { _ in 500 }
        #expect(abs(Double(try pullLuma(harness)[10]) - code(2 * light(500))) < 1.01)
        harness.setChild("effect_0::stops", -1)
        harness.setChild("effect_2::stops", 3)
        #expect(harness.object.number("exposure-stops") == -1)
        try push(harness) { _ in 500 }
        #expect(abs(Double(try pullLuma(harness)[10]) - code(4 * light(500))) < 1.01)
        #expect(harness.messages() == [])
        harness.set("exposure-stops", "21")
        #expect(harness.object.number("exposure-stops") == 20)
        #expect(harness.messages().contains { $0.contains("it goes from -20.0 to 20.0, and 20.0 is taken") })
    }

    @Test func valuesThatCannotBe() throws {
        let harness = try VideoTapHarness()
        harness.set("effect", "color-matrix,highlight,sepia")
        try harness.start(Self.pq)
        for (property, value, text) in [
            ("effect_0::matrix", "<1,2,3>", "9 or 12 numbers"),
            ("effect_0::matrix", "<2e6,0,0,0,1,0,0,0,1>", "not between -1000000 and 1000000"),
            ("effect_1::color", "<1,2,3,0.5>", "an alpha of 1"),
        ] {
            setChild(harness, property, value)
            let said = harness.messages()
            #expect(said.contains { $0.contains(text) }, "\(said)")
        }
    }

    @Test func supportedEffects() throws {
        let harness = try VideoTapHarness()
        var instance = GValue()
        let type = harness.object.pointee.g_type_instance.g_class.pointee.g_type
        g_value_init(&instance, type)
        g_value_set_object(&instance, harness.object)
        defer { g_value_unset(&instance) }
        var result = GValue()
        g_value_init(&result, gst_structure_get_type())
        defer { g_value_unset(&result) }
        g_signal_emitv(&instance, g_signal_lookup("supported-effects", type), 0, &result)
        let structure = try #require(g_value_get_boxed(&result))
        let text = Structure.text(structure.assumingMemoryBound(to: GstStructure.self))
        for name in ["bandpass", "exposure", "highlight", "statistics"] {
            #expect(text.contains("\(name)=(structure)"), "\(text)")
        }
        #expect(text.contains("high-dynamic-range") && text.contains("kelvin"))
    }

    /// An effect that is set while frames pass is there before its table can be.
    @Test func aTableMayComeLater() throws {
        let harness = try VideoTapHarness()
        try harness.start(Self.pq)
        try push(harness) { 100 + $0 }
        _ = try pullLuma(harness)
        harness.set("effect", "lut")
        try push(harness) { 100 + $0 }
        #expect(try pullLuma(harness) == (0..<64).map { 100 + $0 })
        #expect(harness.messages().contains { $0.contains("lacks a table") && $0.contains("as they are") })
        let folder = try TemporaryFolder()
        setChild(harness, "effect::location", try folder.write("LUT_1D_SIZE 2\n1 1 1\n0 0 0\n", to: "negative.cube"))
        try push(harness) { 100 + $0 }
        let negative = try pullLuma(harness)
        #expect(zip(negative, 0..<64).allSatisfy { abs($0 - (904 - $1)) <= 1 }, "\(negative)")
    }

    // MARK: Statistics

    @Test func statisticsTellTheLight() throws {
        let harness = try VideoTapHarness()
        harness.set("effect", "statistics")
        try harness.start(Self.pq)
        try push(harness) { $0 < 32 ? 400 : 769 }
        let said = try #require(harness.structures("statistics").first)
        #expect(abs((said["maximum"] ?? 0) - light(769)) < 1e-3 * light(769))
        let average = (light(400) + light(769)) / 2
        #expect(abs((said["average"] ?? 0) - average) < 1e-4 * average)
        #expect(said["pixels"] == 1024 && said["outside-bt709"] == 0 && said["outside-display-p3"] == 0)
        #expect(said["stream-time"] == 0 && said["duration"] == 40_000_000)
        // At the end of a chain it measures the output of the others.
        harness.set("effect", "exposure,statistics")
        harness.setChild("effect_0::stops", 1)
        try push(harness) { _ in 400 }
        let doubled = try #require(harness.structures("statistics").first)
        #expect(abs((doubled["maximum"] ?? 0) - 2 * light(400)) < 0.03 * light(400))
    }

    /// Between effects light is measured at its place, with what no code holds, and each pixel once, whatever the
    /// slices and the rows around them; the frame is that of the other effects.
    @Test(arguments: ["exposure", "gaussian-blur,exposure", "vignette,gaussian-blur,exposure"], ["", "sepia,"])
    func statisticsMeasureTheLightAtTheirPlace(_ before: String, _ after: String) throws {
        let harness = try VideoTapHarness()
        harness.set("effect", "\(before),statistics,statistics,\(after)exposure")
        let doubling = before.split(separator: ",").count - 1
        harness.setChild("effect_\(doubling)::stops", 3)
        harness.setChild("effect_\(doubling + (after.isEmpty ? 3 : 4))::stops", -3)
        if doubling == 2 { harness.setChild("effect_0::stops", 0) }
        try harness.start(caps("P010_10LE", "bt2100-pq", 66, 250))
        // Light up to 800 cd/m² becomes up to 6400, and the brightest columns what no signal holds.
        try push(harness) { $0 < 33 ? 700 : 840 }
        let all = harness.structures("statistics")
        #expect(all.count == 2)
        for said in all {
            #expect(said["pixels"] == 16500.0)
            #expect(abs((said["maximum"] ?? 0) - min(8 * light(840), 10_000)) < 1)
            #expect(said["outside-bt709"] == 0 && said["outside-display-p3"] == 0)
        }
        if doubling == 0 {
            let average = (8 * light(700) + min(8 * light(840), 10_000)) / 2
            #expect(abs((all.first?["average"] ?? 0) - average) < 1e-4 * average)
            if after.isEmpty {
                let codes = try pullLuma(harness)
                #expect(
                    codes[..<31].allSatisfy { abs($0 - 700) <= 1 } && codes[35...].allSatisfy { abs($0 - 840) <= 1 })
            }
        }
    }

    /// Colours that a matrix takes out of the stream's primaries are outside of all gamuts.
    @Test func statisticsCountColoursThatNoStreamHolds() throws {
        let harness = try VideoTapHarness()
        harness.set("effect", "color-matrix,statistics,exposure")
        setChild(harness, "effect_0::matrix", "<1.0,0.0,0.0, -1.0,0.5,0.0, 0.0,0.0,1.0>")
        try harness.start(Self.pq)
        try push(harness) { $0 < 16 ? 600 : 64 }
        let said = try #require(harness.structures("statistics").first)
        #expect(said["outside-bt709"] == 256 && said["outside-display-p3"] == 256, "\(said)")
    }

    // MARK: Support

    private func setChild(_ harness: VideoTapHarness, _ name: String, _ text: String) {
        var object: UnsafeMutablePointer<GObject>?
        var specification: UnsafeMutablePointer<GParamSpec>?
        guard gst_child_proxy_lookup(OpaquePointer(harness.element), name, &object, &specification) != 0, let object
        else { return }
        gst_util_set_object_arg(object, specification?.pointee.name, text)
        g_object_unref(object)
    }
}
