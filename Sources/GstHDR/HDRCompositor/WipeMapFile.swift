import CGStreamer
import GstBridge
import HDRComposition

/// Reads files of grey pictures with GStreamer's own decoders.
enum WipeMapFile {
    /// Why a file cannot be used as a wipe map, as text for a message.
    struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }

    /// The empty path, which means that no file is set.
    static var noPath: UnsafePointer<CChar> { emptyText }
    private nonisolated(unsafe) static let emptyText: UnsafePointer<CChar> = UnsafePointer(strdup(""))

    /// How long a file may take to be read, in ns.
    private static let patience: GstClockTime = 10_000_000_000

    private static let line = """
        filesrc name=file ! decodebin ! videoconvert ! video/x-raw,format=GRAY16_LE,pixel-aspect-ratio=1/1 ! \
        fakesink name=sink sync=false
        """

    /// Reads the first picture of a file.
    static func read(_ path: UnsafePointer<CChar>) throws(Unreadable) -> WipePicture {
        guard path.pointee != 0 else {
            throw Unreadable(description: "There is no map to wipe by: set wipe-map to the file of a grey picture")
        }
        let name = String(cString: path)
        func refuse(_ reason: String) -> Unreadable {
            Unreadable(
                description: "\(name) is no map to wipe by: \(reason). Set wipe-map to the file of a grey picture, "
                    + "as PNG; the whole picture is shown")
        }
        var failure: UnsafeMutablePointer<GError>?
        let made = gst_parse_launch(line, &failure)
        guard let pipeline = made, failure == nil else {
            if let made { gst_object_unref(made) }
            let reason = failure.map { String(cString: $0.pointee.message) } ?? "out of memory"
            g_clear_error(&failure)
            throw refuse(reason)
        }
        defer {
            gst_element_set_state(pipeline, GST_STATE_NULL)
            gst_object_unref(pipeline)
        }
        return try picture(pipeline, path, refuse)
    }

    private static func picture(
        _ pipeline: UnsafeMutablePointer<GstElement>, _ path: UnsafePointer<CChar>,
        _ refuse: (String) -> Unreadable
    ) throws(Unreadable) -> WipePicture {
        let bin = pipeline.cast(to: GstBin.self)
        guard let file = gst_bin_get_by_name(bin, "file"), let sink = gst_bin_get_by_name(bin, "sink"),
            let bus = gst_element_get_bus(pipeline)
        else { throw refuse("out of memory") }
        defer {
            gst_object_unref(file)
            gst_object_unref(sink)
            gst_object_unref(bus)
        }
        var location = GValue()
        g_value_init(&location, GTypes.string)
        g_value_set_string(&location, path)
        g_object_set_property(file.asGObject, "location", &location)
        g_value_unset(&location)
        gst_element_set_state(pipeline, GST_STATE_PAUSED)
        let reached = gst_element_get_state(pipeline, nil, nil, patience)
        guard reached == GST_STATE_CHANGE_SUCCESS || reached == GST_STATE_CHANGE_NO_PREROLL else {
            throw refuse(reason(bus) ?? "it has no picture")
        }
        var last = GValue()
        g_value_init(&last, gst_sample_get_type())
        defer { g_value_unset(&last) }
        g_object_get_property(sink.asGObject, "last-sample", &last)
        guard let boxed = g_value_get_boxed(&last), let picture = grey(OpaquePointer(boxed)) else {
            throw refuse("it has no picture")
        }
        return picture
    }

    /// The text of the first error message on a bus.
    private static func reason(_ bus: UnsafeMutablePointer<GstBus>) -> String? {
        guard let message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR) else { return nil }
        defer { gst_mini_object_unref(message.asMiniObject) }
        var error: UnsafeMutablePointer<GError>?
        gst_message_parse_error(message, &error, nil)
        defer { g_clear_error(&error) }
        let text = error.map { String(cString: $0.pointee.message) }
        return text?.last == "." ? text.map { String($0.dropLast()) } : text
    }

    private static func grey(_ sample: OpaquePointer) -> WipePicture? {
        guard let caps = gst_sample_get_caps(sample), let buffer = gst_sample_get_buffer(sample) else { return nil }
        var info = GstVideoInfo()
        var frame = GstVideoFrame()
        guard gst_video_info_from_caps(&info, caps) != 0, gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ) != 0
        else { return nil }
        defer { gst_video_frame_unmap(&frame) }
        guard let data = frame.data.0 else { return nil }
        let (width, height, stride) = (Int(info.width), Int(info.height), Int(frame.info.stride.0))
        var values: [UInt16] = []
        values.reserveCapacity(width * height)
        for y in 0..<height {
            let row = data + y * stride
            for x in 0..<width {
                values.append(row.loadUnaligned(fromByteOffset: 2 * x, as: UInt16.self))
            }
        }
        return WipePicture(width: width, height: height, values: values)
    }
}
