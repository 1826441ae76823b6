import CGStreamer
import CGstCheck
import HDRColor
import Testing

/// `peak-detection` and `look-ahead`: pictures that wait, and peaks that follow scenes.
@Suite(.quiet)
struct PeakDetectionTests {
    static let size = (width: 160, height: 144)
    static let source = caps("P010_10LE", "bt2100-pq", size.width, size.height)
    static let sdr = want("NV12", "bt709")
    static let frame: GstClockTime = 40_000_000

    /// A grey scene with a patch of its peak; other scenes have another peak and another ground.
    static func scene(peak: Double, ground: Double = 40) -> PictureCodes {
        func code(_ light: Double) -> UInt16 { UInt16((64 + 876 * PQ.inverseEOTF(light)).rounded()) }
        return PictureCodes(size.width, size.height) { x, y in
            SIMD4(x < 48 && y < 48 ? code(peak) : code(ground + Double(x) / 8), 512, 512, .max)
        }
    }

    static func harness(
        live: Bool = false, to target: String = sdr, _ properties: [String: String] = [:], source: String = source
    ) throws -> Harness {
        let harness = try Harness(
            ["tone-mapping": "bt2390", "peak-detection": "auto", "dither": "none"].merging(properties) { $1 })
        gst_harness_set_live(harness.harness, live ? 1 : 0)
        try #require(harness.negotiate(source, to: target))
        return harness
    }

    static func push(_ harness: Harness, _ picture: PictureCodes, _ index: Int) throws {
        let buffer = try Buffer(picture, try harness.inputInfo())
        buffer.pointer.pointee.pts = GstClockTime(index) * frame
        buffer.pointer.pointee.duration = frame
        try #require(harness.push(buffer) == GST_FLOW_OK)
    }

    struct Output: Equatable {
        let index: Int
        let bytes: [UInt8]
        /// The code values of P010.
        var words: [UInt16] {
            stride(from: 0, to: bytes.count - 1, by: 2).map { (UInt16(bytes[$0 + 1]) << 8 | UInt16(bytes[$0])) >> 6 }
        }
    }

    static func pull(_ harness: Harness) -> [Output] {
        var result: [Output] = []
        while let buffer = harness.pull() {
            result.append(Output(index: Int(buffer.pointer.pointee.pts / frame), bytes: buffer.bytes))
        }
        return result
    }

    /// All pictures of a clip, converted, and the end of the stream.
    static func run(_ harness: Harness, _ pictures: [PictureCodes]) throws -> [Output] {
        for (index, picture) in pictures.enumerated() { try push(harness, picture, index) }
        harness.send(gst_event_new_eos())
        return pull(harness)
    }

    static func codes(_ outputs: [Output]) -> [UInt8?] { outputs.map { $0.bytes.dropFirst(60).first } }

    // MARK: What comes out

    /// The output for a scene is that for its peak as `source-peak`, and all of `off` is as without the property.
    @Test(arguments: [true, false]) func peakOfTheScene(_ live: Bool) throws {
        for peak in [300.0, 600, 3000] {
            let pictures = Array(repeating: Self.scene(peak: peak), count: 7)
            // The code of the peak, rounded.
            let measured = PQ.eotf(
                (PQ.inverseEOTF(PQ.eotf((876 * PQ.inverseEOTF(peak)).rounded() / 876)) * 4096).rounded(.up) / 4096)
            let fixed = try Self.run(try Self.harness(live: live, ["source-peak": "\(measured)"]), pictures)
            let followed = try Self.run(try Self.harness(live: live), pictures)
            #expect(followed.map(\.index) == Array(0..<7))
            for (a, b) in zip(followed, fixed) {
                let most = zip(a.bytes, b.bytes).map { abs(Int($0) - Int($1)) }.max() ?? 255
                #expect(most <= 1, "\(peak), picture \(a.index): \(most)")
            }
        }
    }

    /// PQ without metadata may have any peak, so that it is measured for targets above the nominal one too.
    @Test(arguments: [("bt2100-hlg", "0"), ("bt2100-pq", "1000"), ("bt2100-pq", "1400"), ("bt2100-pq", "999")])
    func peaksAboveTheNominalOne(_ target: String, _ peak: String) throws {
        let pictures = Array(repeating: Self.scene(peak: 3000, ground: 800), count: 3)
        let to = want("P010_10LE", target)
        let fixed = try Self.run(try Self.harness(to: to, ["target-peak": peak, "source-peak": "3000"]), pictures)
        let followed = try Self.run(try Self.harness(to: to, ["target-peak": peak]), pictures)
        #expect(followed.map(\.index) == Array(0..<3))
        for (a, b) in zip(followed, fixed) {
            let (own, expected) = (a.words, b.words)
            let most = zip(own, expected).map { abs(Int($0) - Int($1)) }.max() ?? 1023
            #expect(most <= 1, "picture \(a.index): \(most)")
        }
    }

    @Test func offAndSourcePeakMeasureNothing() throws {
        let pictures = Array(repeating: Self.scene(peak: 300), count: 6)
        let plain = try Harness(Self.source, to: Self.sdr, ["tone-mapping": "bt2390", "dither": "none"])
        plain.set("peak-detection", "off")
        let expected = try Self.run(plain, pictures)
        let off = try Self.harness(["peak-detection": "off"])
        #expect(try Self.run(off, pictures) == expected)
        let fixed = try Self.harness(["source-peak": "1000"])
        #expect(try Self.run(fixed, pictures) == expected)
        for curve in ["clip", "none", "bt2446c"] {
            let pair = try ["auto", "off"].map {
                try Self.run(try Self.harness(["tone-mapping": curve, "peak-detection": $0]), pictures)
            }
            #expect(pair[0] == pair[1], "\(curve)")
        }
        #expect(off.messages().isEmpty)
    }

    /// Nothing to compress: no picture waits, and equal signals pass through.
    @Test func nothingToCompress() throws {
        let up = try Self.harness(to: want("P010_10LE", "bt2100-pq"))
        try Self.push(up, Self.scene(peak: 300), 0)
        try Self.push(up, Self.scene(peak: 300), 1)
        #expect(Self.pull(up).count == 2)
        let sdr = try Self.harness(
            to: want("P010_10LE", "bt2100-pq"), source: caps("NV12", "bt709", Self.size.width, Self.size.height))
        for index in 0..<3 { try Self.push(sdr, PictureCodes(Self.size.width, Self.size.height, 100, 128, 128), index) }
        #expect(Self.pull(sdr).count == 3)
    }

    @Test(arguments: [true, false]) func anyNumberOfThreads(_ live: Bool) throws {
        var pictures: [PictureCodes] = []
        for peak in [300.0, 2000, 500] {
            for n in 0..<8 { pictures.append(Self.scene(peak: peak + Double(20 * n), ground: peak / 10)) }
        }
        let one = try Self.run(try Self.harness(live: live, ["n-threads": "1"]), pictures)
        #expect(one.count == 24)
        for threads in ["2", "5", "0"] {
            #expect(try Self.run(try Self.harness(live: live, ["n-threads": threads]), pictures) == one, "\(threads)")
        }
        // Another run has the same result, byte for byte.
        #expect(try Self.run(try Self.harness(live: live, ["n-threads": "1"]), pictures) == one)
    }

    // MARK: Scenes

    /// The first picture after a cut is as if the stream had begun with it; without look-ahead the third one is.
    @Test(arguments: [(false, 4), (false, 1), (false, 0), (true, 4)]) func cut(_ live: Bool, _ lookAhead: Int) throws {
        for (before, after) in [(300.0, 3000.0), (3000, 300)] {
            let properties = ["look-ahead": "\(lookAhead)"]
            let first = Array(repeating: Self.scene(peak: before, ground: before / 10), count: 9)
            let second = Array(repeating: Self.scene(peak: after, ground: after / 10), count: 9)
            let alone = try Self.run(try Self.harness(live: live, properties), second)
            let both = try Self.run(try Self.harness(live: live, properties), first + second)
            let delay = live ? 2 : lookAhead > 0 ? 0 : 1
            for n in delay..<9 { #expect(both[9 + n].bytes == alone[8].bytes, "\(before) to \(after), picture \(n)") }
            if delay > 0 { #expect(both[9].bytes != alone[8].bytes) }
        }
    }

    /// A last picture that is unlike those before it is a scene of its own.
    @Test func sceneOfTheLastPicture() throws {
        let last = Self.scene(peak: 3000, ground: 300)
        let alone = try Self.run(try Self.harness(), [last])
        let both = try Self.run(
            try Self.harness(), Array(repeating: Self.scene(peak: 300, ground: 30), count: 9) + [last])
        #expect(both.count == 10 && both[9].bytes == alone[0].bytes)
    }

    /// A flash of two pictures leaves what does not flash as it is.
    @Test func flash() throws {
        var pictures = Array(repeating: Self.scene(peak: 300), count: 20)
        for n in 10...11 { for i in 60 * 160..<144 * 160 { pictures[n].pixels[i].x = 900 } }
        let outputs = try Self.run(try Self.harness(), pictures)
        #expect(Set(Self.codes(outputs)).count == 1 && outputs.count == 20)
    }

    // MARK: Latency

    private static func latency(_ harness: Harness) throws -> (isLive: Bool, least: GstClockTime) {
        let query = try #require(gst_query_new_latency())
        defer { gst_query_unref(query) }
        let pad = try #require(gst_pad_get_peer(harness.harness.pointee.sinkpad))
        defer { gst_object_unref(pad) }
        try #require(gst_pad_query(pad, query) != 0)
        var (isLive, least): (gboolean, GstClockTime) = (0, 0)
        gst_query_parse_latency(query, &isLive, &least, nil)
        return (isLive != 0, least)
    }

    @Test func latencyIsTold() throws {
        // No picture waits for longer than half a second.
        for (lookAhead, expected) in [(4, 4), (0, 0), (12, 12), (25, 12)] as [(Int, GstClockTime)] {
            let harness = try Self.harness(["look-ahead": "\(lookAhead)"])
            #expect(try Self.latency(harness).least == expected * Self.frame)
        }
        for (rate, expected) in [("6/1", 3), ("2/1", 1), ("1/1", 0)] {
            let slow = try Self.harness(
                source: caps("P010_10LE", "bt2100-pq", Self.size.width, Self.size.height, more: "framerate=\(rate)"))
            let waiting = try (0..<6).map { index in
                try Self.push(slow, Self.scene(peak: 300), index)
                return Self.pull(slow).count
            }
            #expect(waiting.filter { $0 == 0 }.count == expected, "\(rate)")
        }
        #expect(try Self.latency(try Self.harness(["peak-detection": "off"])).least == 0)
        let live = try Self.harness(live: true)
        #expect(try Self.latency(live) == (true, 0))
        for index in 0..<5 {
            try Self.push(live, Self.scene(peak: 300), index)
            #expect(Self.pull(live).count == 1)
        }
        let unknown = caps("P010_10LE", "bt2100-pq", Self.size.width, Self.size.height, more: "framerate=0/1")
        let variable = try Self.harness(source: unknown)
        #expect(try Self.latency(variable).least == 0)
        for index in 0..<3 {
            try Self.push(variable, Self.scene(peak: 300), index)
            #expect(Self.pull(variable).count == 1)
        }
    }

    // MARK: Messages

    @Test func lightOnTheBus() throws {
        let harness = try Self.harness()
        let pictures =
            Array(repeating: Self.scene(peak: 600), count: 20)
            + Array(repeating: Self.scene(peak: 3000, ground: 300), count: 20)
        _ = try Self.run(harness, pictures)
        let messages = harness.structures("hdr-light")
        let scenes = messages.filter { $0["new-scene"] == 1 }
        #expect(scenes.count == 2 && messages.count >= 4 && messages.count <= 6)
        #expect(scenes.map { $0["stream-time"] } == [0, 800_000_000])
        for (message, peak) in zip(scenes, [600.0, 3000]) {
            for name in ["maximum", "peak", "scene-peak"] {
                #expect(abs((message[name] ?? 0) / peak - 1) < 0.02, "\(name) of \(peak)")
            }
            #expect(message["outside-gamut"] == 0 && (message["average"] ?? 0) > 30)
            #expect(message["duration"] == Double(Self.frame))
        }
    }
}
