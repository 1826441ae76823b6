import CGStreamer
import CGstCheck
import HDRColor
import Testing

/// `peak-detection` and `look-ahead`: pictures that wait, and peaks that follow scenes.
@Suite(.quiet)
struct PeakDetectionTests {
    private static let size = (width: 160, height: 144)
    private static let source = caps("P010_10LE", "bt2100-pq", size.width, size.height)
    private static let sdr = want("NV12", "bt709")
    private static let frame: GstClockTime = 40_000_000

    /// A grey scene with a patch of its peak; other scenes have another peak and another ground.
    private static func scene(peak: Double, ground: Double = 40) -> PictureCodes {
        func code(_ light: Double) -> UInt16 { UInt16((64 + 876 * PQ.inverseEOTF(light)).rounded()) }
        return PictureCodes(size.width, size.height) { x, y in
            SIMD4(x < 48 && y < 48 ? code(peak) : code(ground + Double(x) / 8), 512, 512, .max)
        }
    }

    private static func harness(
        live: Bool = false, to target: String = sdr, _ properties: [String: String] = [:], source: String = source
    ) throws -> Harness {
        let harness = try Harness(
            ["tone-mapping": "bt2390", "peak-detection": "auto", "dither": "none"].merging(properties) { $1 })
        gst_harness_set_live(harness.harness, live ? 1 : 0)
        try #require(harness.negotiate(source, to: target))
        return harness
    }

    private static func push(_ harness: Harness, _ picture: PictureCodes, _ index: Int) throws {
        let buffer = try Buffer(picture, try harness.inputInfo())
        buffer.pointer.pointee.pts = GstClockTime(index) * frame
        buffer.pointer.pointee.duration = frame
        try #require(harness.push(buffer) == GST_FLOW_OK)
    }

    private struct Output: Equatable {
        let index: Int
        let bytes: [UInt8]
        /// The code values of P010.
        var words: [UInt16] {
            stride(from: 0, to: bytes.count - 1, by: 2).map { (UInt16(bytes[$0 + 1]) << 8 | UInt16(bytes[$0])) >> 6 }
        }
    }

    private static func pull(_ harness: Harness) -> [Output] {
        var result: [Output] = []
        while let buffer = harness.pull() {
            result.append(Output(index: Int(buffer.pointer.pointee.pts / frame), bytes: buffer.bytes))
        }
        return result
    }

    /// All pictures of a clip, converted, and the end of the stream.
    private static func run(_ harness: Harness, _ pictures: [PictureCodes]) throws -> [Output] {
        for (index, picture) in pictures.enumerated() { try push(harness, picture, index) }
        harness.send(gst_event_new_eos())
        return pull(harness)
    }

    private static func codes(_ outputs: [Output]) -> [UInt8?] { outputs.map { $0.bytes.dropFirst(60).first } }

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

    // MARK: Pictures that wait

    /// The first picture waits for none; then four wait, and the end lets them go, in order.
    @Test func endOfStream() throws {
        let harness = try Self.harness()
        _ = harness.eventTypes()
        for index in 0..<10 {
            try Self.push(harness, Self.scene(peak: 300), index)
            #expect(Self.pull(harness).map(\.index) == (index == 0 ? [0] : index > 4 ? [index - 4] : []))
        }
        #expect(harness.send(gst_event_new_eos()))
        #expect(Self.pull(harness).map(\.index) == [6, 7, 8, 9])
        #expect(harness.eventTypes() == [GST_EVENT_EOS])
        #expect(harness.push(try Buffer(Self.scene(peak: 300), try harness.inputInfo())) == GST_FLOW_EOS)
    }

    @Test func flushAndSeek() throws {
        let harness = try Self.harness()
        let first = try Self.run(try Self.harness(), [Self.scene(peak: 3000)])
        for round in 0..<3 {
            for index in 0..<4 { try Self.push(harness, Self.scene(peak: 300), index) }
            #expect(harness.send(gst_event_new_flush_start()))
            #expect(harness.send(gst_event_new_flush_stop(1)))
            #expect(harness.sendSegment(start: UInt(round) * 1_000_000_000))
            _ = Self.pull(harness)
            try Self.push(harness, Self.scene(peak: 3000), 0)
            #expect(Self.pull(harness) == first, "the first picture after a seek")
            #expect(harness.send(gst_event_new_flush_start()))
            #expect(harness.send(gst_event_new_flush_stop(1)))
            #expect(harness.sendSegment())
        }
        #expect(harness.messages().isEmpty)
    }

    /// Events between pictures stay in their place.
    @Test func eventsInOrder() throws {
        let harness = try Self.harness()
        for index in 0..<3 { try Self.push(harness, Self.scene(peak: 300), index) }
        #expect(harness.send(gst_event_new_gap(3 * Self.frame, Self.frame)))
        #expect(Self.pull(harness).map(\.index) == [0, 1, 2])
        for index in 4..<7 { try Self.push(harness, Self.scene(peak: 300), index) }
        #expect(harness.sendSegment(start: 7 * UInt(Self.frame)))
        #expect(Self.pull(harness).map(\.index) == [4, 5, 6])
    }

    private static func tag(_ bitRate: UInt32) -> UnsafeMutablePointer<GstEvent>? {
        let text = "taglist, bitrate=(uint)\(bitRate);"
        return gst_tag_list_new_from_string(text).flatMap { gst_event_new_tag($0) }
    }

    /// Tags, which parsers send where the bit rate changes, wait between the pictures and let none go, so that a cut is
    /// right from its first picture.
    @Test func tagsBetweenPictures() throws {
        let (first, second) = (Self.scene(peak: 300, ground: 30), Self.scene(peak: 3000, ground: 300))
        let alone = try Self.run(try Self.harness(), [second, second])
        let harness = try Self.harness()
        _ = harness.eventTypes()
        for index in 0..<9 { try Self.push(harness, index < 8 ? first : second, index) }
        #expect(Self.pull(harness).map(\.index) == [0, 1, 2, 3, 4])
        #expect(harness.send(Self.tag(1_000_000)))
        #expect(harness.send(Self.tag(2_000_000)))
        #expect(harness.pull() == nil && harness.eventTypes().isEmpty)
        for index in 9..<12 { try Self.push(harness, second, index) }
        #expect(Self.pull(harness).map(\.index) == [5, 6, 7] && harness.eventTypes().isEmpty)
        try Self.push(harness, second, 12)
        let cut = Self.pull(harness)
        #expect(cut.map(\.index) == [8] && cut[0].bytes == alone[0].bytes)
        #expect(harness.eventTypes().isEmpty)
        try Self.push(harness, second, 13)
        #expect(harness.eventTypes() == [GST_EVENT_TAG, GST_EVENT_TAG])
        #expect(Self.pull(harness).map(\.index) == [9])
        // Behind the last picture they come before the end of the stream.
        #expect(harness.send(Self.tag(3_000_000)))
        #expect(harness.send(gst_event_new_eos()))
        #expect(Self.pull(harness).map(\.index) == [10, 11, 12, 13])
        #expect(harness.eventTypes() == [GST_EVENT_TAG, GST_EVENT_EOS])
    }

    /// A flush drops the pictures, but no tag.
    @Test func tagsInAFlush() throws {
        let harness = try Self.harness()
        for index in 0..<3 { try Self.push(harness, Self.scene(peak: 300), index) }
        #expect(harness.send(Self.tag(1_000_000)))
        #expect(harness.send(gst_event_new_flush_start()))
        #expect(harness.send(gst_event_new_flush_stop(1)))
        _ = harness.eventTypes()
        #expect(harness.sendSegment())
        try Self.push(harness, Self.scene(peak: 300), 7)
        #expect(harness.eventTypes() == [GST_EVENT_SEGMENT, GST_EVENT_TAG])
        #expect(Self.pull(harness).map(\.index).last == 7)
    }

    /// New caps: what waits is converted with the old ones.
    @Test func capsChange() throws {
        let harness = try Self.harness()
        for index in 0..<4 { try Self.push(harness, Self.scene(peak: 300), index) }
        let size = try harness.outputInfo().size
        let text = caps("I420_10LE", "bt2100-hlg", 320, 240)
        #expect(harness.negotiate(text, to: Self.sdr))
        var sizes: [gsize] = []
        for index in 4..<8 {
            let buffer = try Buffer(PictureCodes.ramp(320, 240, bits: 10), try harness.inputInfo())
            buffer.pointer.pointee.pts = GstClockTime(index) * Self.frame
            #expect(harness.push(buffer) == GST_FLOW_OK)
        }
        harness.send(gst_event_new_eos())
        while let output = harness.pull() { sizes.append(gst_buffer_get_size(output.pointer)) }
        let larger = try harness.outputInfo().size
        #expect(sizes == Array(repeating: size, count: 4) + Array(repeating: larger, count: 4))
        #expect(harness.messages().isEmpty)
    }

    /// A break in the stream and a change of settings let go what waits.
    @Test func breaksAndSettings() throws {
        let harness = try Self.harness()
        for index in 0..<3 { try Self.push(harness, Self.scene(peak: 300), index) }
        let buffer = try Buffer(Self.scene(peak: 300), try harness.inputInfo())
        buffer.pointer.pointee.pts = 3 * Self.frame
        buffer.flags |= GST_BUFFER_FLAG_DISCONT.rawValue
        #expect(harness.push(buffer) == GST_FLOW_OK)
        var discontinuous: [Bool] = []
        while let output = harness.pull() { discontinuous.append(output.flags & GST_BUFFER_FLAG_DISCONT.rawValue != 0) }
        #expect(discontinuous.dropFirst() == [false, false])
        // Look-ahead goes on behind the break.
        try Self.push(harness, Self.scene(peak: 300), 4)
        #expect(harness.pull() == nil)
        harness.set("peak-detection", "off")
        for index in 5..<7 { try Self.push(harness, Self.scene(peak: 300), index) }
        let rest = Self.pull(harness).map(\.index)
        harness.send(gst_event_new_eos())
        #expect(rest + Self.pull(harness).map(\.index) == [3, 4, 5, 6])
        #expect(rest.count >= 3)
    }

    /// Upstream gets its buffers back when it asks for them.
    @Test func drain() throws {
        let harness = try Self.harness()
        for index in 0..<4 { try Self.push(harness, Self.scene(peak: 300), index) }
        #expect(Self.pull(harness).map(\.index) == [0])
        let query = try #require(gst_query_new_drain())
        defer { gst_query_unref(query) }
        let pad = try #require(gst_pad_get_peer(harness.harness.pointee.srcpad))
        defer { gst_object_unref(pad) }
        _ = gst_pad_query(pad, query)
        #expect(Self.pull(harness).map(\.index) == [1, 2, 3])
    }

    /// Upstream is asked for as many buffers as wait.
    @Test func allocation() throws {
        let harness = try Self.harness(["look-ahead": "7"])
        let pad = try #require(gst_pad_get_peer(harness.harness.pointee.srcpad))
        defer { gst_object_unref(pad) }
        let caps = try #require(gst_pad_get_current_caps(pad))
        defer { gst_caps_unref(caps) }
        let query = try #require(gst_query_new_allocation(caps, 1))
        defer { gst_query_unref(query) }
        try #require(gst_pad_query(pad, query) != 0 && gst_query_get_n_allocation_pools(query) > 0)
        var least: guint = 0
        gst_query_parse_nth_allocation_pool(query, 0, nil, nil, &least, nil)
        #expect(least >= 7)
    }

    /// Nothing waits that comes from a pool which may run out.
    @Test func limitedPool() throws {
        let harness = try Self.harness()
        let pool = try #require(gst_buffer_pool_new())
        defer { gst_object_unref(pool) }
        let info = try harness.inputInfo()
        let config = gst_buffer_pool_get_config(pool)
        gst_buffer_pool_config_set_params(config, nil, guint(info.size), 2, 2)
        try #require(gst_buffer_pool_set_config(pool, config) != 0)
        try #require(gst_buffer_pool_set_active(pool, 1) != 0)
        for index in 0..<6 {
            var pointer: UnsafeMutablePointer<GstBuffer>?
            try #require(gst_buffer_pool_acquire_buffer(pool, &pointer, nil) == GST_FLOW_OK)
            let buffer = Buffer(try #require(pointer))
            try buffer.write(Self.scene(peak: 300), info)
            buffer.pointer.pointee.pts = GstClockTime(index) * Self.frame
            #expect(harness.push(buffer) == GST_FLOW_OK)
            #expect(Self.pull(harness).map(\.index) == [index])
        }
        gst_buffer_pool_set_active(pool, 0)
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
