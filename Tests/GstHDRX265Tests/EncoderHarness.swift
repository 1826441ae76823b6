import CGStreamer
import CGstCheck
import CGstHDRX265
import CHDRTap
import Glibc
import GstBridge
import Testing

/// GStreamer with the element hdrx265enc and no others: nothing is looked for on disk.
enum GStreamer {
    static let started: Void = {
        for name in ["GST_PLUGIN_PATH", "GST_PLUGIN_PATH_1_0", "GST_PLUGIN_SYSTEM_PATH", "GST_PLUGIN_SYSTEM_PATH_1_0"] {
            setenv(name, "", 1)
        }
        setenv("GST_REGISTRY_DISABLE", "yes", 1)
        gst_init(nil, nil)
        gst_plugin_hdrx265_register()
    }()
}

/// A `hdrx265enc` between two loose pads, playing, with a bus of its own.
final class EncoderHarness: @unchecked Sendable {
    let harness: UnsafeMutablePointer<GstHarness>
    private let bus: UnsafeMutablePointer<GstBus>
    private var info = GstVideoInfo()
    private var time: UInt64 = 0
    private var expected = 0

    init(_ properties: [String: String] = [:]) throws {
        GStreamer.started
        harness = try #require(gst_harness_new("hdrx265enc"))
        bus = try #require(gst_bus_new())
        gst_element_set_bus(harness.pointee.element, bus)
        for (name, value) in properties { set(name, value) }
    }

    deinit {
        gst_element_set_bus(harness.pointee.element, nil)
        gst_harness_teardown(harness)
        gst_object_unref(bus)
    }

    var element: UnsafeMutablePointer<GstElement> { harness.pointee.element }

    func set(_ name: String, _ value: String) { gst_util_set_object_arg(element.asGObject, name, value) }

    @discardableResult
    func send(_ event: UnsafeMutablePointer<GstEvent>?) -> Bool { gst_harness_push_event(harness, event) != 0 }

    /// Sends caps of small pictures, and a segment.
    func negotiate(_ format: String = "I420_10LE", width: Int = 64, height: Int = 64, fields: String = "") {
        let text = "video/x-raw,format=\(format),width=\(width),height=\(height),framerate=25/1\(fields)"
        guard let caps = gst_caps_from_string(text) else { return }
        defer { gst_caps_unref(caps) }
        gst_video_info_from_caps(&info, caps)
        send(gst_event_new_caps(caps))
    }

    func sendSegment() {
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        send(gst_event_new_segment(&segment))
    }

    func flush() {
        send(gst_event_new_flush_start())
        send(gst_event_new_flush_stop(1))
        sendSegment()
    }

    /// A picture of noise, of the caps' size or another one.
    func picture(size: Int? = nil, seed: UInt8 = 0) -> UnsafeMutablePointer<GstBuffer>? {
        guard let buffer = gst_buffer_new_allocate(nil, gsize(size ?? Int(info.size)), nil) else { return nil }
        gst_buffer_memset(buffer, 0, seed & 3, gsize.max)
        let duration = ClockTime.second / 25
        buffer.stamp(from: time, to: time &+ duration)
        time = time &+ duration
        return buffer
    }

    @discardableResult
    func push(_ buffer: UnsafeMutablePointer<GstBuffer>?) -> GstFlowReturn {
        guard let buffer else { return GST_FLOW_ERROR }
        return gst_harness_push(harness, buffer)
    }

    func attach(_ bytes: [UInt8], _ format: GstHdrDynamicFormat, to buffer: UnsafeMutablePointer<GstBuffer>?) {
        guard let buffer, let data = bytes.withUnsafeBytes({ g_bytes_new($0.baseAddress, gsize($0.count)) }) else {
            return
        }
        _ = gst_hdr_buffer_set_dynamic_metadata(buffer, format, data, 0)
        g_bytes_unref(data)
    }

    /// The caps that have arrived downstream.
    var outputCaps: String? {
        guard let caps = gst_pad_get_current_caps(harness.pointee.sinkpad) else { return nil }
        defer { gst_caps_unref(caps) }
        return Caps.description(caps)
    }

    /// The bytes of the coded pictures that have come since the last call.
    func pulledBytes() -> [[UInt8]] {
        var found: [[UInt8]] = []
        while let buffer = gst_harness_try_pull(harness) {
            var bytes = [UInt8](repeating: 0, count: Int(gst_buffer_get_size(buffer)))
            gst_buffer_extract(buffer, 0, &bytes, gsize(bytes.count))
            found.append(bytes)
            gst_mini_object_unref(buffer.asMiniObject)
        }
        return found
    }

    /// The number of coded pictures since the last call.
    func pulled() -> Int { pulledBytes().count }
}
