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

    /// The PID of a transport stream's packets, which tsdemux puts there as eight hexadecimal digits.
    static func packetIdentifier(_ pad: Pad) -> UInt64? {
        guard let text = gst_pad_get_stream_id(pad) else { return nil }
        defer { g_free(text) }
        return String(cString: text).split(separator: "/").last.flatMap { UInt64($0, radix: 16) }
    }

    /// Whether what comes to a pad is live; `nil` where nobody says so. Elements that put streams one behind another,
    /// such as concat, do not answer for them: there the streams' own sources are asked.
    static func isLive(_ pad: Pad) -> Bool? { isLive(pad, depth: 0) }

    private static func isLive(_ pad: Pad, depth: Int) -> Bool? {
        // A bound for broken topologies.
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
        // A source whose turn has not come may have nothing to say yet.
        return answers.contains(true) ? true : answers.contains(false) ? false : nil
    }

    /// Whether `hdrconvert` is between the source and the pad, which applies Dolby Vision to pictures.
    static func convertsLight(_ pad: Pad) -> Bool {
        Neighbours.first(pad) { Neighbours.isHDRConvert($0) ? true : nil } ?? false
    }

    /// How the nearest element between the source and the pad turns or mirrors pictures; `nil` where none does.
    /// - Parameter tagged: what the stream's tags ask for, which elements may follow.
    static func turn(_ pad: Pad, tagged: Orientation) -> Orientation? {
        Neighbours.first(pad) { turn($0, tagged) }
    }

    /// How an element turns or mirrors pictures; `nil` where it does not.
    static func turn(_ element: UnsafeMutablePointer<GstElement>, _ tagged: Orientation) -> Orientation? {
        guard let method = method(element), method != GST_VIDEO_ORIENTATION_IDENTITY else { return nil }
        return method == GST_VIDEO_ORIENTATION_AUTO ? tagged : Orientation(method)
    }

    /// The direction of an element that has one; `nil` of others.
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
    /// What GStreamer's elements that turn pictures do.
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
