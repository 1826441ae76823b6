import CGStreamer
import CGstHDR
import Glibc
import GstBridge

/// Queries about the elements upstream of a pad.
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

    /// The path of the file that a URI names, in the system's bytes; `nil` for other schemes and hosts.
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

    /// The track's number, which demuxers append to the stream identifier: `…/001`, and `…/001:…` in Matroska.
    static func trackNumber(_ pad: Pad) -> UInt64? {
        guard let text = gst_pad_get_stream_id(pad) else { return nil }
        defer { g_free(text) }
        return trackNumber(streamID: String(cString: text))
    }

    static func trackNumber(streamID: String) -> UInt64? {
        guard let last = streamID.split(separator: "/").last, streamID.contains("/") else { return nil }
        return UInt64(last.prefix { $0 != ":" })
    }

    /// The PID of a transport stream's packets, which tsdemux appends to the stream identifier as eight hexadecimal
    /// digits.
    static func packetIdentifier(_ pad: Pad) -> UInt64? {
        guard let text = gst_pad_get_stream_id(pad) else { return nil }
        defer { g_free(text) }
        return String(cString: text).split(separator: "/").last.flatMap { UInt64($0, radix: 16) }
    }

    /// Whether the source of a pad is live; `nil` where no element answers. Elements that put streams one behind
    /// another, such as concat, do not answer for them, so the streams' own sources are queried there.
    static func isLive(_ pad: Pad) -> Bool? { isLive(pad, depth: 0) }

    private static func isLive(_ pad: Pad, depth: Int) -> Bool? {
        // Broken topologies could be endless.
        guard depth < 64, let peer = gst_pad_get_peer(pad), let query = gst_query_new_latency() else { return nil }
        defer {
            gst_object_unref(peer)
            gst_query_unref(query)
        }
        if gst_pad_query(peer, query) != 0 {
            var isLive: gboolean = 1
            gst_query_parse_latency(query, &isLive, nil, nil)
            return isLive != 0
        }
        let inputs = Neighbours.otherSides(peer)
        defer { for input in inputs { gst_object_unref(input) } }
        let answers = inputs.map { isLive($0, depth: depth + 1) }
        // A source whose turn has not come may not answer yet.
        return answers.contains(true) ? true : answers.contains(false) ? false : nil
    }

    /// Whether an `hdrconvert`, which applies Dolby Vision to pictures, is between the source and the pad.
    static func convertsLight(_ pad: Pad) -> Bool {
        Neighbours.first(pad) { Neighbours.isHDRConvert($0) ? true : nil } ?? false
    }

    /// Whether an `hdrmetaparse`, which attaches dynamic metadata to pictures, is between the source and the pad.
    static func readsDynamicMetadata(_ pad: Pad) -> Bool {
        Neighbours.first(pad) { Neighbours.isHDRMetaParse($0) ? true : nil } ?? false
    }

    /// The rotation by the nearest element between the source and the pad that rotates or mirrors pictures; `nil` where
    /// none does.
    /// - Parameter tagged: the orientation in the stream's tags, which elements may follow.
    static func turn(_ pad: Pad, tagged: Orientation) -> Orientation? {
        Neighbours.first(pad) { turn($0, tagged) }
    }

    /// The rotation by an element; `nil` where it does not rotate or mirror pictures.
    static func turn(_ element: UnsafeMutablePointer<GstElement>, _ tagged: Orientation) -> Orientation? {
        guard let method = method(element), method != GST_VIDEO_ORIENTATION_IDENTITY else { return nil }
        return method == GST_VIDEO_ORIENTATION_AUTO ? tagged : Orientation(method)
    }

    /// The property `video-direction` of an element; `nil` where it has none.
    private static func method(_ element: UnsafeMutablePointer<GstElement>) -> GstVideoOrientationMethod? {
        let object = UnsafeMutableRawPointer(element)
        let direction = g_type_from_name("GstVideoDirection")
        guard direction != 0,
            g_type_check_instance_is_a(object.assumingMemoryBound(to: GTypeInstance.self), direction) != 0
        else { return nil }
        var value = GValue()
        g_value_init(&value, gst_video_orientation_method_get_type())
        defer { g_value_unset(&value) }
        g_object_get_property(object.assumingMemoryBound(to: GObject.self), "video-direction", &value)
        return GstVideoOrientationMethod(rawValue: numericCast(g_value_get_enum(&value)))
    }
}

extension Orientation {
    /// The orientation that GStreamer's elements apply for a method.
    fileprivate init(_ method: GstVideoOrientationMethod) {
        self.init()
        isMirrored =
            [
                GST_VIDEO_ORIENTATION_HORIZ, GST_VIDEO_ORIENTATION_VERT, GST_VIDEO_ORIENTATION_UL_LR,
                GST_VIDEO_ORIENTATION_UR_LL,
            ].contains(method)
        switch method {
        case GST_VIDEO_ORIENTATION_90R, GST_VIDEO_ORIENTATION_UR_LL: rotation = 90
        case GST_VIDEO_ORIENTATION_180, GST_VIDEO_ORIENTATION_VERT: rotation = 180
        case GST_VIDEO_ORIENTATION_90L, GST_VIDEO_ORIENTATION_UL_LR: rotation = 270
        default: rotation = 0
        }
    }
}
