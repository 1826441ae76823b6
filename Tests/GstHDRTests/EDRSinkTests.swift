import CGStreamer
import HDRConcurrency
import TestSupport
import Testing

/// `edrsink` inside of the program, for the sanitizers: threads that meet in it, and what it owns.
@Suite(.quiet)
struct EDRSinkTests {
    private static let pq = caps("P010_10LE", "bt2100-pq", 64, 32)

    @Test func pictureIsLentAndGivenBack() throws {
        let sink = try SinkHarness(["pixel-format": "rgba16f", "force-headroom": "4"])
        try sink.start(Self.pq)
        for index in 0..<TestWork.scaled(100, least: 8) {
            #expect(try sink.push(at: UInt64(index) * 1_000_000) == GST_FLOW_OK)
        }
        let bytes = try #require(sink.read())
        #expect(bytes.count == 64 * 32 * 8)
        // Alpha is 1.
        #expect(bytes[6] == 0 && bytes[7] == 0x3c)
        #expect(sink.errors.isEmpty)
    }

    /// Caps, flushes and states that change in between leave nothing behind.
    @Test func streamsThatChange() throws {
        let sink = try SinkHarness()
        for turn in 0..<TestWork.scaled(12, least: 3) {
            try sink.start(turn % 2 == 0 ? Self.pq : caps("I420", "bt709", 33, 17))
            #expect(try sink.push() == GST_FLOW_OK)
            try sink.sendCaps(caps("RGBA", "sRGB", 48, 48))
            #expect(try sink.push(at: 1_000_000) == GST_FLOW_OK)
            sink.send(gst_event_new_flush_start())
            sink.send(gst_event_new_flush_stop(1))
            #expect(
                gst_element_set_state(sink.element, turn % 3 == 0 ? GST_STATE_NULL : GST_STATE_READY)
                    != GST_STATE_CHANGE_FAILURE)
        }
        #expect(sink.errors.isEmpty)
    }

    /// Applications with a wl_surface of their own answer with its wl_display, as they do for waylandsink.
    @Test(arguments: ["wayland", "x11", "offscreen"]) func theDisplayIsAskedFor(_ presenter: String) throws {
        let sink = try #require(gst_element_factory_make("edrsink", nil)), bus = try #require(gst_bus_new())
        gst_element_set_bus(sink, bus)
        gst_util_set_object_arg(
            UnsafeMutableRawPointer(sink).assumingMemoryBound(to: GObject.self), "presenter", presenter)
        gst_element_set_state(sink, GST_STATE_READY)
        var asked: [String] = []
        while let message = gst_bus_pop_filtered(bus, GST_MESSAGE_NEED_CONTEXT) {
            var type: UnsafePointer<CChar>?
            if gst_message_parse_context_type(message, &type) != 0, let type { asked.append(String(cString: type)) }
            gst_message_unref(message)
        }
        #expect(asked == (presenter == "wayland" ? ["GstWaylandDisplayHandleContextType"] : []))
        gst_element_set_state(sink, GST_STATE_NULL)
        gst_element_set_bus(sink, nil)
        gst_object_unref(bus)
        gst_object_unref(sink)
    }

    /// Settings and display change on other threads while pictures come.
    @Test func threadsMeet() throws {
        let sink = try SinkHarness()
        try sink.start(Self.pq)
        let count = TestWork.scaled(400, least: 40)
        onThreads([
            { for index in 0..<count { _ = try? sink.push(at: UInt64(index) * 1_000_000) } },
            {
                for index in 0..<count / 4 {
                    sink.set("force-headroom", "\(1 + index % 8)")
                    sink.set("pixel-format", ["rgba16f", "rgb10a2", "rgba8", "auto"][index % 4])
                    sink.set("tone-mapping", ["rolloff", "clip", "bt2390", "reference-white"][index % 4])
                    sink.set("display-link-paused", index % 2 == 0 ? "false" : "true")
                }
            },
            {
                for index in 0..<count / 4 {
                    _ = sink.read()
                    _ = sink.get("headroom")
                    sink.set("views", index % 2 == 0 ? "<(structure)\"view, width=(double)0.5;\">" : "< >")
                    gst_video_overlay_expose(OpaquePointer(sink.element))
                }
            },
        ])
        #expect(sink.errors.isEmpty)
    }

    /// The picture moves to other windows while pictures come: those that fall between two windows are no error.
    @Test func windowsChangeWhilePlaying() throws {
        let sink = try SinkHarness()
        try sink.start(Self.pq)
        try sink.push()
        let flows = Locked<[GstFlowReturn]>([])
        let others = Locked(2)
        @Sendable func move() {
            for index in 0..<TestWork.scaled(200, least: 40) {
                gst_video_overlay_set_window_handle(OpaquePointer(sink.element), guintptr(1 + index % 3))
            }
            others.withLock { $0 -= 1 }
        }
        onThreads([
            {
                var index: UInt64 = 0
                while others.current > 0 {
                    index += 1
                    guard let flow = try? sink.push(at: index * 1_000_000) else { continue }
                    if flow != GST_FLOW_OK { flows.withLock { $0.append(flow) } }
                }
            },
            move, move,
        ])
        #expect(flows.current.isEmpty && sink.errors.isEmpty)
        #expect(try sink.push(at: 1_000_000_000_000) == GST_FLOW_OK)
    }

    /// A handler that hears of one window may ask for the next one.
    @Test func aHandlerMovesTheWindow() throws {
        let sink = try SinkHarness()
        try sink.start(Self.pq)
        try sink.push()
        let left = Locked(5)
        let handler: @convention(c) (OpaquePointer, OpaquePointer, UnsafeRawPointer) -> Void = { sink, _, left in
            let left = Unmanaged<Locked<Int>>.fromOpaque(left).takeUnretainedValue()
            let handle = left.withLock { left in
                left -= 1
                return left
            }
            if handle > 0 { gst_video_overlay_set_window_handle(sink, guintptr(handle)) }
        }
        let number = g_signal_connect_data(
            sink.element, "notify::display-state", unsafeBitCast(handler, to: GCallback.self),
            Unmanaged.passUnretained(left).toOpaque(), nil, GConnectFlags(rawValue: 0))
        gst_video_overlay_set_window_handle(OpaquePointer(sink.element), 7)
        g_signal_handler_disconnect(sink.element, number)
        #expect(left.current <= 0 && sink.errors.isEmpty)
        #expect(try sink.push(at: 1_000_000) == GST_FLOW_OK)
    }

    @Test func colorsThatAreNotShownAreNamed() throws {
        let sink = try SinkHarness()
        try sink.start(caps("P010_10LE", "bt2020-pq", 64, 32))
        #expect(try sink.push() != GST_FLOW_OK)
        #expect(sink.errors.first?.hasPrefix("Cannot show: GStreamer knows no colorimetry=bt2020-pq") == true)
    }

    /// A buffer that is too small is refused, and the next one shown.
    @Test func brokenBuffers() throws {
        let sink = try SinkHarness()
        try sink.start(Self.pq)
        try sink.push()
        _ = sink.errors
        try sink.sendCaps(caps("P010_10LE", "bt2100-pq", 64, 32))
        #expect(try sink.push(Array(repeating: 0, count: 64 * 32 * 3)) == GST_FLOW_OK)
        #expect(sink.errors.isEmpty)
    }
}
