import CGStreamer
import GstBridge

/// An element between two loose pads: what is pushed is processed on the calling thread, and what comes out is dropped.
final class ElementFeed {
    let element: UnsafeMutablePointer<GstElement>
    private let source: UnsafeMutablePointer<GstPad>
    private let sink: UnsafeMutablePointer<GstPad>
    private let bus: UnsafeMutablePointer<GstBus>
    private let count: UnsafeMutablePointer<Int>

    /// Buffers that have come out.
    var received: Int { count.pointee }

    /// - Parameters:
    ///   - line: one or more elements as on a launch line.
    ///   - caps: of what is pushed.
    init(_ line: String, caps text: String) throws(Failure) {
        var error: UnsafeMutablePointer<GError>?
        guard let made = gst_parse_bin_from_description(line, 1, &error) else {
            defer { g_clear_error(&error) }
            throw Failure(error.map { String(cString: $0.pointee.message) } ?? "cannot make \(line)")
        }
        element = made.asGstElement
        // A loose element has no bus, and what goes wrong would have no words.
        bus = gst_bus_new()
        gst_element_set_bus(element, bus)
        source = gst_pad_new("feed", GST_PAD_SRC)
        sink = gst_pad_new("drain", GST_PAD_SINK)
        count = .allocate(capacity: 1)
        count.initialize(to: 0)
        gst_pad_set_chain_function_full(
            sink,
            { pad, _, buffer in
                pad?.pointee.chaindata?.assumingMemoryBound(to: Int.self).pointee += 1
                gst_buffer_unref(buffer!)
                return GST_FLOW_OK
            }, count, nil)
        gst_pad_set_active(source, 1)
        gst_pad_set_active(sink, 1)
        for (name, isInput) in [("sink", true), ("src", false)] {
            guard let pad = gst_element_get_static_pad(element, name) else { continue }
            _ = isInput ? gst_pad_link(source, pad) : gst_pad_link(pad, sink)
            gst_object_unref(pad)
        }
        gst_element_set_state(element, GST_STATE_PLAYING)
        guard let caps = gst_caps_from_string(text) else { throw Failure("\(text) are no caps") }
        defer { gst_caps_unref(caps) }
        gst_pad_push_event(source, gst_event_new_stream_start("bench"))
        guard gst_pad_push_event(source, gst_event_new_caps(caps)) != 0 else {
            throw failure("it does not take \(text)")
        }
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        gst_pad_push_event(source, gst_event_new_segment(&segment))
    }

    deinit {
        gst_element_set_state(element, GST_STATE_NULL)
        gst_element_set_bus(element, nil)
        gst_object_unref(element)
        gst_object_unref(source)
        gst_object_unref(sink)
        gst_object_unref(bus)
        count.deallocate()
    }

    /// Takes the buffer.
    @inline(__always) func push(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        gst_pad_push(source, buffer)
    }

    /// The element's error, or else `otherwise`.
    func failure(_ otherwise: String) -> Failure {
        guard let message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR) else { return Failure(otherwise) }
        defer { gst_message_unref(message) }
        var error: UnsafeMutablePointer<GError>?
        gst_message_parse_error(message, &error, nil)
        defer { g_clear_error(&error) }
        return Failure(error.map { String(cString: $0.pointee.message) } ?? otherwise)
    }
}
