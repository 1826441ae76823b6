import CGStreamer
import CGstHDR
import Glibc
import GstBridge

/// What a pad can learn from the elements before it.
enum Upstream {
    typealias Pad = UnsafeMutablePointer<GstPad>

    /// The answer to a URI query.
    static func uri(_ pad: Pad) -> String? {
        guard let query = gst_query_new_uri() else { return nil }
        defer { gst_mini_object_unref(UnsafeMutableRawPointer(query).assumingMemoryBound(to: GstMiniObject.self)) }
        guard gst_pad_peer_query(pad, query) != 0 else { return nil }
        var uri: UnsafeMutablePointer<gchar>?
        gst_query_parse_uri(query, &uri)
        guard let uri else { return nil }
        defer { g_free(uri) }
        return String(cString: uri)
    }

    /// The path of the file that a URI names, as the system has it; `nil` for other schemes and hosts.
    static func localPath(_ uri: String) -> [UInt8]? {
        var host: UnsafeMutablePointer<gchar>?
        guard let path = g_filename_from_uri(uri, &host, nil) else { return nil }
        defer {
            g_free(path)
            g_free(host)
        }
        if let host, !["", "localhost"].contains(String(cString: host)) { return nil }
        return Array(UnsafeRawBufferPointer(start: path, count: strlen(path)))
    }

    /// The track's number, which demuxers put at the end of a stream's name: `…/001`, and `…/001:…` in Matroska.
    static func trackNumber(_ pad: Pad) -> UInt64? {
        guard let text = gst_pad_get_stream_id(pad) else { return nil }
        defer { g_free(text) }
        return trackNumber(streamID: String(cString: text))
    }

    static func trackNumber(streamID: String) -> UInt64? {
        guard let last = streamID.split(separator: "/").last, streamID.contains("/") else { return nil }
        return UInt64(last.prefix { $0 != ":" })
    }

    /// Whether an element between the source and the pad turns or mirrors pictures.
    static func turnsPictures(_ pad: Pad) -> Bool { hasElement(pad, turns) }

    /// Whether `hdrconvert` is between the source and the pad, which applies Dolby Vision to pictures.
    static func convertsLight(_ pad: Pad) -> Bool {
        hasElement(pad) { Neighbours.isHDRConvert($0) }
    }

    /// Whether there is such an element between the source and the pad.
    private static func hasElement(_ pad: Pad, _ isWanted: (UnsafeMutablePointer<GstElement>) -> Bool) -> Bool {
        Neighbours.first(pad) { isWanted($0) ? true : nil } ?? false
    }

    private static func turns(_ element: UnsafeMutablePointer<GstElement>) -> Bool {
        let object = UnsafeMutableRawPointer(element)
        let direction = g_type_from_name("GstVideoDirection")
        guard direction != 0,
            g_type_check_instance_is_a(object.assumingMemoryBound(to: GTypeInstance.self), direction) != 0
        else { return false }
        var value = GValue()
        g_value_init(&value, gst_video_orientation_method_get_type())
        defer { g_value_unset(&value) }
        g_object_get_property(object.assumingMemoryBound(to: GObject.self), "video-direction", &value)
        return g_value_get_enum(&value) != gint(GST_VIDEO_ORIENTATION_IDENTITY.rawValue)
    }
}
