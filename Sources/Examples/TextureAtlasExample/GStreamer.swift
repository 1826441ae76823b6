import CGStreamer
import Glibc

typealias Element = UnsafeMutablePointer<GstElement>

func fail(_ text: String, status: Int32 = 1) -> Never {
    "TextureAtlasExample: \(text)\n".withCString { _ = write(STDERR_FILENO, $0, strlen($0)) }
    exit(status)
}

func text(_ error: UnsafeMutablePointer<GError>?) -> String {
    error.map { String(cString: $0.pointee.message) } ?? "GStreamer does not say why"
}

/// As a value in a launch line.
func quoted(_ text: String) -> String {
    "\"" + text.map { "\"\\".contains($0) ? "\\\($0)" : "\($0)" }.joined() + "\""
}

func uri(_ file: String) -> String {
    if gst_uri_is_valid(file) != 0 { return file }
    guard let uri = gst_filename_to_uri(file, nil) else { fail("\(file) is no name of a file") }
    defer { g_free(uri) }
    return String(cString: uri)
}

/// A launch line. Its errors end the program, also while the main thread waits for pictures that will not come.
final class Pipeline {
    let element: Element

    init(_ line: String) {
        var error: UnsafeMutablePointer<GError>?
        guard let element = gst_parse_launch(line, &error), error == nil else {
            fail(text(error) + "; GST_PLUGIN_PATH has to name the folder of libgsthdr.so")
        }
        self.element = element
        let bus = gst_element_get_bus(element)
        gst_bus_set_sync_handler(
            bus,
            { _, message, _ in
                guard let message, message.pointee.type == GST_MESSAGE_ERROR else { return GST_BUS_PASS }
                var (error, details): (UnsafeMutablePointer<GError>?, UnsafeMutablePointer<gchar>?)
                gst_message_parse_error(message, &error, &details)
                let last = details.map { String(cString: $0) }?.split(separator: "\n").last
                fail(text(error) + (last.map { " (\($0))" } ?? ""))
            }, nil, nil)
        gst_object_unref(bus)
    }

    deinit {
        gst_element_set_state(element, GST_STATE_NULL)
        gst_object_unref(element)
    }

    /// Children that the line names are there, and stay as long as it does.
    func child(_ name: String) -> Element {
        let bin = UnsafeMutableRawPointer(element).assumingMemoryBound(to: GstBin.self)
        guard let child = gst_bin_get_by_name(bin, name) else { fail("the pipeline has no \(name)") }
        gst_object_unref(child)
        return child
    }

    func set(_ state: GstState) { gst_element_set_state(element, state) }

    func waitUntilPaused() { gst_element_get_state(element, nil, nil, GstClockTime.max) }

    func waitForEnd() {
        let bus = gst_element_get_bus(element)
        gst_message_unref(gst_bus_timed_pop_filtered(bus, GstClockTime.max, GST_MESSAGE_EOS))
        gst_object_unref(bus)
    }
}

// MARK: Signals of appsrc and appsink

private func emit(_ element: Element, _ signal: String, _ arguments: [any CVarArg]) {
    let number = g_signal_lookup(signal, element.pointee.object.object.g_type_instance.g_class.pointee.g_type)
    withVaList(arguments) { g_signal_emit_valist(element, number, 0, $0) }
}

/// The answer says whether the pipeline still flows; where it does not, its bus says why.
func emit(_ element: Element, _ signal: String, _ buffer: UnsafeMutablePointer<GstBuffer>? = nil) {
    var flow = GST_FLOW_OK
    withUnsafeMutablePointer(to: &flow) { flow in
        emit(element, signal, buffer.map { [$0, flow] as [any CVarArg] } ?? [flow])
    }
}

/// The caller owns the sample; `nil` at the end.
func emitForSample(_ element: Element, _ signal: String) -> OpaquePointer? {
    var sample: OpaquePointer?
    withUnsafeMutablePointer(to: &sample) { emit(element, signal, [$0]) }
    return sample
}

// MARK: Video

func videoInfo(_ caps: UnsafeMutablePointer<GstCaps>?) -> GstVideoInfo {
    var info = GstVideoInfo()
    guard let caps, gst_video_info_from_caps(&info, caps) != 0 else { fail("a clip has no pictures") }
    return info
}

func videoInfo(_ sample: OpaquePointer) -> GstVideoInfo { videoInfo(gst_sample_get_caps(sample)) }

func videoInfo(_ caps: String) -> GstVideoInfo {
    let caps = gst_caps_from_string(caps)
    defer { gst_caps_unref(caps) }
    return videoInfo(caps)
}

/// Frames a second; 25 where a clip does not say.
func frameRate(_ file: String) -> (numerator: Int, denominator: Int) {
    var error: UnsafeMutablePointer<GError>?
    guard let discoverer = gst_discoverer_new(60 * 1_000_000_000, &error) else { fail(text(error)) }
    defer { g_object_unref(discoverer) }
    guard let info = gst_discoverer_discover_uri(discoverer, uri(file), &error), error == nil else {
        fail("\(file): \(text(error))")
    }
    defer { g_object_unref(UnsafeMutableRawPointer(info)) }
    let streams = gst_discoverer_info_get_video_streams(info)
    defer { gst_discoverer_stream_info_list_free(streams) }
    guard let video = streams?.pointee.data else { fail("\(file) has no video") }
    let stream = OpaquePointer(video)
    let numerator = Int(gst_discoverer_video_info_get_framerate_num(stream))
    let denominator = Int(gst_discoverer_video_info_get_framerate_denom(stream))
    return numerator > 0 && denominator > 0 ? (numerator, denominator) : (25, 1)
}
