import CGStreamer
import CGstCheck
import HDRColor
import Testing

/// Pictures that wait for those behind them, and what comes between them.
extension PeakDetectionTests {
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
        // One that comes now does not overtake it.
        #expect(harness.send(Self.tag(2_000_000)))
        #expect(harness.eventTypes() == [GST_EVENT_SEGMENT])
        try Self.push(harness, Self.scene(peak: 300), 7)
        #expect(harness.eventTypes() == [GST_EVENT_TAG, GST_EVENT_TAG])
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
}
