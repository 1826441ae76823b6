import CGStreamer
import HDRColor
import Testing

/// `peak-detection` of `edrsink`: the light of scenes on an offscreen display.
@Suite(.quiet)
struct SinkPeakDetectionTests {
    private static let size = (width: 160, height: 144)
    private static let second: UInt64 = 1_000_000_000

    private static func pq(maxCLL: Int = 4000) -> String {
        caps("P010_10LE", "bt2100-pq", size.width, size.height, more: "content-light-level=(string)\(maxCLL):200")
    }

    /// A grey scene with a patch of its peak; other scenes have another peak and another ground.
    private static func scene(_ peak: Double, ground: Double = 40) -> PictureCodes {
        func code(_ light: Double) -> UInt16 { UInt16((64 + 876 * PQ.inverseEOTF(light)).rounded()) }
        return PictureCodes(size.width, size.height) { x, y in
            SIMD4(x < 48 && y < 48 ? code(peak) : code(ground + Double(x)), 512, 512, .max)
        }
    }

    private static func sink(_ properties: [String: String] = [:], _ caps: String = pq()) throws -> SinkHarness {
        let sink = try SinkHarness(
            ["pixel-format": "rgba16f", "force-headroom": "2"].merging(properties, uniquingKeysWith: { $1 }))
        try sink.start(caps)
        return sink
    }

    /// The pictures that the display got for a clip of 25 Hz.
    private static func play(_ sink: SinkHarness, _ pictures: [PictureCodes], from first: Int = 0) throws -> [[UInt8]] {
        try pictures.enumerated().map { index, picture in
            #expect(try sink.push(picture, at: UInt64(first + index) * second / 25) == GST_FLOW_OK)
            return try #require(sink.read())
        }
    }

    /// Red of a pixel, with SDR white at 1.
    private static func light(_ bytes: [UInt8], _ x: Int, _ y: Int) -> Double {
        let at = (y * size.width + x) * 8
        let bits = UInt16(bytes[at]) | UInt16(bytes[at + 1]) << 8
        let (exponent, fraction) = (Int(bits >> 10 & 31), Double(bits & 1023) / 1024)
        guard exponent > 0 else { return fraction * 0x1p-14 }
        return Double(sign: .plus, exponent: exponent - 15, significand: 1 + fraction)
    }

    /// A picture that the display gets from another thread.
    private static func wait(for wanted: [UInt8], on sink: SinkHarness) -> Bool {
        for _ in 0..<500 {
            if sink.read() == wanted { return true }
            g_usleep(10_000)
        }
        return false
    }

    // MARK: What comes out

    /// A scene of 400 cd/m² in a clip of 4000 uses the headroom, as a clip that says 400 does.
    @Test(arguments: ["rolloff", "bt2390", "reference-white"]) func brighterThanStatic(_ curve: String) throws {
        let picture = Self.scene(400)
        let shown = try ["auto", "off"].map {
            try Self.play(try Self.sink(["peak-detection": $0, "tone-mapping": curve]), [picture])[0]
        }
        let (auto, off) = (Self.light(shown[0], 20, 20), Self.light(shown[1], 20, 20))
        #expect(auto > 1.15 * off && auto <= 2, "\(curve): \(auto) and \(off)")
        let brighter = Self.scene(800)
        let followed = try Self.play(try Self.sink(["tone-mapping": curve]), [brighter])[0]
        let declared = try Self.play(
            try Self.sink(["tone-mapping": curve, "peak-detection": "off"], Self.pq(maxCLL: 800)), [brighter])[0]
        for (x, y) in [(20, 20), (50, 60), (150, 100)] {
            let (a, b) = (Self.light(followed, x, y), Self.light(declared, x, y))
            // The code of 800 cd/m² and the steps of peaks differ by a hundredth.
            #expect(abs(a / b - 1) < 0.01, "\(curve) at \(x), \(y): \(a) and \(b)")
        }
    }

    /// With `off` a pixel's light does not depend on the rest of the picture, and nothing is posted; with `auto` it
    /// does only where a curve compresses.
    @Test func offIsTheStaticCurve() throws {
        func ground(_ properties: [String: String], _ peak: Double) throws -> [UInt8] {
            let sink = try Self.sink(properties)
            let bytes = try Self.play(sink, [Self.scene(peak, ground: 300)])[0]
            #expect(sink.structures("hdr-light").isEmpty == (properties["peak-detection"] == "off"), "\(properties)")
            return Array(bytes.suffix(50 * Self.size.width * 8))
        }
        #expect(try ground(["peak-detection": "off"], 500) == ground(["peak-detection": "off"], 3000))
        #expect(try ground(["peak-detection": "auto"], 500) != ground(["peak-detection": "auto"], 3000))
        let picture = Self.scene(500)
        for properties in [["tone-mapping": "clip"], ["force-headroom": "25"]] {
            let pair = try ["auto", "off"].map { choice in
                let sink = try Self.sink(properties.merging(["peak-detection": choice]) { $1 })
                defer { #expect(sink.structures("hdr-light").isEmpty) }
                return try Self.play(sink, [picture])
            }
            #expect(pair[0] == pair[1], "\(properties)")
        }
    }

    // MARK: Scenes

    /// The second picture after a cut is as if the stream had begun with it, since the first might be a flash.
    @Test(arguments: [(600.0, 3000.0), (3000, 600)]) func cut(_ before: Double, _ after: Double) throws {
        let first = Array(repeating: Self.scene(before, ground: before / 10), count: 8)
        let second = Array(repeating: Self.scene(after, ground: after / 10), count: 4)
        let alone = try Self.play(try Self.sink(), second)
        let both = try Self.play(try Self.sink(), first + second)
        #expect(both[8] != alone[3])
        for n in 1..<4 { #expect(both[8 + n] == alone[n], "picture \(n)") }
    }

    /// The first picture after a flush is right at once, whatever was before.
    @Test func flush() throws {
        let alone = try Self.play(try Self.sink(), [Self.scene(3000, ground: 300)])
        let sink = try Self.sink()
        _ = try Self.play(sink, Array(repeating: Self.scene(600), count: 5))
        sink.send(gst_event_new_flush_start())
        sink.send(gst_event_new_flush_stop(1))
        // Without a pipeline nobody else brings it back to PLAYING.
        gst_element_set_state(sink.element, GST_STATE_PLAYING)
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        sink.send(gst_event_new_segment(&segment))
        #expect(try Self.play(sink, [Self.scene(3000, ground: 300)]) == alone)
    }

    // MARK: Headroom

    /// Another headroom, also with another format, keeps the scene's peak, which was that of its first picture.
    @Test func headroomChangesWithinAScene() throws {
        let pictures = [Self.scene(1500)] + Array(repeating: Self.scene(1100), count: 5)
        let asSDR = ["wants-extended-dynamic-range": "false"]
        for change in [["force-headroom": "3"], ["pixel-format": "rgb10a2"], asSDR] {
            var setup = ["force-headroom": "2", "pixel-format": "rgba16f"]
            if change["wants-extended-dynamic-range"] != nil { setup["pixel-format"] = "auto" }
            let constant = try Self.play(try Self.sink(setup.merging(change) { $1 }), pictures)
            let sink = try Self.sink(setup)
            _ = try Self.play(sink, Array(pictures.prefix(3)))
            for (name, value) in change { sink.set(name, value) }
            #expect(Self.wait(for: constant[2], on: sink), "\(change): the picture that is shown")
            #expect(try Self.play(sink, Array(pictures.suffix(3)), from: 3) == Array(constant.suffix(3)), "\(change)")
            #expect(sink.structures("hdr-light").filter { $0["new-scene"] == 1 }.count == 1)
        }
    }

    /// A picture that is made again is no other picture: a flash stays one, however often it is made.
    @Test func repaintedPicturesCountOnce() throws {
        let (scene, flash) = (Self.scene(600), Self.scene(3000, ground: 600))
        let pictures = Array(repeating: scene, count: 8) + [flash] + Array(repeating: scene, count: 3)
        let constant = try Self.play(try Self.sink(["force-headroom": "3"]), pictures)
        let sink = try Self.sink(["force-headroom": "3"])
        #expect(try Self.play(sink, Array(pictures.prefix(9))) == Array(constant.prefix(9)))
        for headroom in ["2.5", "2", "3"] {
            let before = sink.read() ?? []
            sink.set("force-headroom", headroom)
            for _ in 0..<500 where sink.read() == before { g_usleep(10_000) }
            #expect(sink.read() != before)
        }
        #expect(sink.read() == constant[8])
        #expect(try Self.play(sink, Array(pictures.suffix(3)), from: 9) == Array(constant.suffix(3)))
    }

    /// A paused picture follows the headroom with the light of its scene, also into a range where it needs a curve.
    @Test(arguments: ["4", "25"]) func pausedPicture(_ before: String) throws {
        let picture = Self.scene(600)
        let wanted = try Self.play(try Self.sink(["force-headroom": "1.5"]), [picture, picture])
        let sink = try SinkHarness(["pixel-format": "rgba16f", "force-headroom": before])
        try sink.start(Self.pq(), state: GST_STATE_PAUSED)
        // A preroll holds the streaming thread.
        onThreads([
            { _ = try? sink.push(picture, at: 0) },
            {
                gst_element_get_state(sink.element, nil, nil, 10 * 1_000_000_000)
                sink.set("force-headroom", "1.5")
                #expect(Self.wait(for: wanted[0], on: sink))
                gst_element_set_state(sink.element, GST_STATE_PLAYING)
            },
        ])
        #expect(try Self.play(sink, [picture], from: 1) == [wanted[1]])
        #expect(sink.structures("hdr-light").count <= 1 && sink.errors.isEmpty)
    }

    @Test func lightOnTheBus() throws {
        let sink = try Self.sink()
        let scenes = [Self.scene(600), Self.scene(3000, ground: 300)]
        _ = try Self.play(sink, scenes.flatMap { Array(repeating: $0, count: 20) })
        let messages = sink.structures("hdr-light").filter { $0["new-scene"] == 1 }
        #expect(messages.map { $0["stream-time"] } == [0, 840_000_000])
        for (message, peak) in zip(messages, [600.0, 3000]) {
            #expect(abs((message["scene-peak"] ?? 0) / peak - 1) < 0.02, "\(message)")
        }
    }
}
