import CGStreamer
import CGstHDR
import Testing

/// An `edrsink` behind a loose pad, offscreen, with a bus of its own, that shows what it gets at once.
final class SinkHarness: @unchecked Sendable {
    let element: UnsafeMutablePointer<GstElement>
    private let pad: UnsafeMutablePointer<GstPad>
    private let bus: UnsafeMutablePointer<GstBus>
    private var info = GstVideoInfo()

    /// - Parameter properties: names and values, as on a launch line.
    init(_ properties: [String: String] = [:]) throws {
        GStreamer.started
        element = try #require(gst_element_factory_make("edrsink", nil))
        gst_object_ref_sink(element)
        bus = try #require(gst_bus_new())
        gst_element_set_bus(element, bus)
        pad = try #require(gst_pad_new("source", GST_PAD_SRC))
        gst_pad_set_active(pad, 1)
        let sink = try #require(gst_element_get_static_pad(element, "sink"))
        defer { gst_object_unref(sink) }
        try #require(gst_pad_link(pad, sink) == GST_PAD_LINK_OK)
        for (name, value) in ["presenter": "offscreen", "sync": "false"].merging(properties, uniquingKeysWith: { $1 }) {
            set(name, value)
        }
    }

    deinit {
        gst_element_set_state(element, GST_STATE_NULL)
        gst_element_set_bus(element, nil)
        gst_object_unref(pad)
        gst_object_unref(element)
        gst_object_unref(bus)
    }

    var object: UnsafeMutablePointer<GObject> { UnsafeMutableRawPointer(element).assumingMemoryBound(to: GObject.self) }

    func set(_ name: String, _ value: String) { gst_util_set_object_arg(object, name, value) }

    func get(_ name: String) -> Double { object.number(name) }

    /// Starts a stream.
    func start(_ text: String, state: GstState = GST_STATE_PLAYING) throws {
        #expect(gst_element_set_state(element, state) != GST_STATE_CHANGE_FAILURE)
        gst_pad_push_event(pad, gst_event_new_stream_start("stream"))
        try sendCaps(text)
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        gst_pad_push_event(pad, gst_event_new_segment(&segment))
    }

    func sendCaps(_ text: String) throws {
        let caps = try #require(gst_caps_from_string(text))
        defer { gst_caps_unref(caps) }
        try #require(gst_video_info_from_caps(&info, caps) != 0)
        gst_pad_push_event(pad, gst_event_new_caps(caps))
    }

    func send(_ event: UnsafeMutablePointer<GstEvent>?) { gst_pad_push_event(pad, event) }

    @discardableResult
    func push(_ picture: [UInt8]? = nil, at time: UInt64 = 0) throws -> GstFlowReturn {
        let buffer = try #require(gst_buffer_new_allocate(nil, info.size, nil))
        if let picture {
            gst_buffer_fill(buffer, 0, picture, gsize(picture.count))
        } else {
            gst_buffer_memset(buffer, 0, 0x40, info.size)
        }
        buffer.pointee.pts = GstClockTime(time)
        return gst_pad_push(pad, buffer)
    }

    /// A picture in the caps' format.
    @discardableResult
    func push(_ picture: PictureCodes, at time: UInt64) throws -> GstFlowReturn {
        let buffer = try Buffer(picture, info)
        buffer.pointer.pointee.pts = GstClockTime(time)
        return gst_pad_push(pad, gst_buffer_ref(buffer.pointer))
    }

    /// Takes ownership of the buffer.
    func push(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn { gst_pad_push(pad, buffer) }

    /// The picture that the display got, in the memory of the offscreen display.
    func read() -> [UInt8]? {
        var result = GValue()
        g_value_init(&result, gst_sample_get_type())
        defer { g_value_unset(&result) }
        var instance = GValue()
        g_value_init(&instance, object.pointee.g_type_instance.g_class.pointee.g_type)
        g_value_set_object(&instance, object)
        defer { g_value_unset(&instance) }
        g_signal_emitv(&instance, g_signal_lookup("read-frame", gst_edr_sink_get_type()), 0, &result)
        guard let sample = g_value_get_boxed(&result), let buffer = gst_sample_get_buffer(OpaquePointer(sample)) else {
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: Int(gst_buffer_get_size(buffer)))
        gst_buffer_extract(buffer, 0, &bytes, gsize(bytes.count))
        return bytes
    }

    /// The numbers in element messages of a name since the last call; other messages are gone.
    func structures(_ name: String) -> [[String: Double]] { bus.structures(name) }

    var errors: [String] { texts(GST_MESSAGE_ERROR) }
    var warnings: [String] { texts(GST_MESSAGE_WARNING) }

    /// Messages of a type since the last call; all others are gone.
    private func texts(_ type: GstMessageType) -> [String] {
        var texts: [String] = []
        while let message = gst_bus_pop_filtered(bus, type) {
            var error: UnsafeMutablePointer<GError>?
            if type == GST_MESSAGE_ERROR {
                gst_message_parse_error(message, &error, nil)
            } else {
                gst_message_parse_warning(message, &error, nil)
            }
            if let error { texts.append(String(cString: error.pointee.message)) }
            g_error_free(error)
            gst_mini_object_unref(UnsafeMutableRawPointer(message).assumingMemoryBound(to: GstMiniObject.self))
        }
        return texts
    }
}
