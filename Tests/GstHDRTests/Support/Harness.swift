import CGStreamer
import CGstHDR
import CGstCheck
import Testing

/// An `hdrconvert` in a harness, which sends and receives pictures.
final class Harness: ElementHarness, @unchecked Sendable {
    /// - Parameter properties: names and values, as on a launch line.
    init(_ properties: [String: String] = [:]) throws {
        try super.init(element: "hdrconvert")
        for (name, value) in properties { set(name, value) }
    }

    /// A harness with negotiated caps: `source` in; `target` out, or whatever the element chooses.
    convenience init(_ source: String, to target: String? = nil, _ properties: [String: String] = [:]) throws {
        try self.init(properties)
        try #require(negotiate(source, to: target), "\(source) to \(target ?? "anything")")
    }

    // MARK: Caps and events

    /// Sends caps and a segment; `false` where the element refuses.
    func negotiate(_ source: String, to target: String? = nil) -> Bool {
        if let target { gst_harness_set_sink_caps_str(harness, target) }
        return sendCaps(source) && sendSegment()
    }

    /// Sends caps; `false` where the element does not take them, so that its pad has others.
    func sendCaps(_ text: String) -> Bool {
        guard let caps = gst_caps_from_string(text) else { return false }
        defer { gst_caps_unref(caps) }
        send(gst_event_new_caps(caps))
        guard let pad = gst_pad_get_peer(harness.pointee.srcpad) else { return false }
        defer { gst_object_unref(pad) }
        guard let agreed = gst_pad_get_current_caps(pad) else { return false }
        defer { gst_caps_unref(agreed) }
        return gst_caps_is_equal(agreed, caps) != 0
    }

    func sendSegment(_ format: GstFormat = GST_FORMAT_TIME, start: UInt = 0) -> Bool {
        var segment = GstSegment()
        gst_segment_init(&segment, format)
        (segment.start, segment.time, segment.position) = (start, start, start)
        return send(gst_event_new_segment(&segment))
    }

    /// The caps that have arrived downstream.
    var outputCaps: String? {
        guard let caps = gst_pad_get_current_caps(harness.pointee.sinkpad) else { return nil }
        defer { gst_caps_unref(caps) }
        guard let text = gst_caps_to_string(caps) else { return nil }
        defer { g_free(text) }
        return String(cString: text)
    }

    /// A string field of the caps that have arrived downstream.
    func output(_ field: String) -> String? {
        guard let caps = gst_pad_get_current_caps(harness.pointee.sinkpad) else { return nil }
        defer { gst_caps_unref(caps) }
        return gst_structure_get_string(gst_caps_get_structure(caps, 0), field).map { String(cString: $0) }
    }

    func inputInfo() throws -> GstVideoInfo { try Self.info(harness.pointee.srcpad) }
    func outputInfo() throws -> GstVideoInfo { try Self.info(harness.pointee.sinkpad) }

    private static func info(_ pad: UnsafeMutablePointer<GstPad>) throws -> GstVideoInfo {
        let caps = try #require(gst_pad_get_current_caps(pad))
        defer { gst_caps_unref(caps) }
        var info = GstVideoInfo()
        try #require(gst_video_info_from_caps(&info, caps) != 0)
        return info
    }

    /// The types of the events that have arrived downstream since the last call.
    func eventTypes() -> [GstEventType] {
        var types: [GstEventType] = []
        while let event = gst_harness_try_pull_event(harness) {
            types.append(event.pointee.type)
            gst_event_unref(event)
        }
        return types
    }

    // MARK: Buffers

    func push(_ buffer: Buffer) -> GstFlowReturn { gst_harness_push(harness, gst_buffer_ref(buffer.pointer)) }

    func pull() -> Buffer? { gst_harness_try_pull(harness).map { Buffer($0) } }

    /// Pushes a buffer, which must come out as one buffer.
    func convert(_ buffer: Buffer) throws -> Buffer {
        let flow = push(buffer)
        try #require(flow == GST_FLOW_OK)
        return try #require(pull())
    }

    /// Pushes a picture and reads the one that comes out.
    func convert(_ picture: PictureCodes, padding: Int = 0) throws -> PictureCodes {
        let input = try Buffer(picture, try inputInfo(), padding: padding)
        let output = try convert(input)
        return try output.picture(try outputInfo())
    }

    // MARK: Messages

    /// Errors and warnings since the last call.
    func messages() -> [Message] { posted() }
    var errors: [String] { messages().filter { $0.type == GST_MESSAGE_ERROR }.map(\.text) }
    var warnings: [String] { messages().filter { $0.type == GST_MESSAGE_WARNING }.map(\.text) }
}

/// Caps of raw video. Fields that are `nil` are left out.
func caps(
    _ format: String?, _ colorimetry: String? = nil, site: String? = nil, _ width: Int = 32, _ height: Int = 8,
    mastering: String? = nil, light: String? = nil, more: String = ""
) -> String {
    var text = "video/x-raw"
    if let format { text += ",format=\(format)" }
    text += ",width=\(width),height=\(height)"
    if let colorimetry { text += ",colorimetry=(string)\(colorimetry)" }
    if let site { text += ",chroma-site=(string)\(site)" }
    if let mastering { text += ",mastering-display-info=(string)\"\(mastering)\"" }
    if let light { text += ",content-light-level=(string)\"\(light)\"" }
    if !more.contains("framerate") { text += ",framerate=25/1" }
    return more.isEmpty ? text : "\(text),\(more)"
}

/// Caps that only name what downstream wants.
func want(_ format: String? = nil, _ colorimetry: String? = nil, _ more: String = "") -> String {
    var text = "video/x-raw"
    if let format { text += ",format=\(format)" }
    if let colorimetry { text += ",colorimetry=(string)\(colorimetry)" }
    return more.isEmpty ? text : "\(text),\(more)"
}
