import CGStreamer

/// What GStreamer's base utilities know of the format that caps describe.
extension Structure {
    /// The codec or the container for people, such as "MPEG-4 AAC"; `nil` for formats without a name, and for those
    /// that leave something open.
    public var mediaName: String? {
        withCaps { caps in
            guard gst_caps_is_fixed(caps) != 0, let text = gst_pb_utils_get_codec_description(caps) else { return nil }
            defer { g_free(text) }
            return String(cString: text)
        }
    }

    /// Whether it is a container of streams.
    public var isContainer: Bool {
        withCaps { caps in
            gst_pb_utils_get_caps_description_flags(caps).rawValue
                & GST_PBUTILS_CAPS_DESCRIPTION_FLAG_CONTAINER.rawValue != 0
        } ?? false
    }

    private func withCaps<Result>(_ body: (UnsafeMutablePointer<GstCaps>) -> Result?) -> Result? {
        guard let copy = copy(), let caps = gst_caps_new_empty() else { return nil }
        defer { gst_caps_unref(caps) }
        // The caps take the copy over.
        gst_caps_append_structure(caps, copy)
        return body(caps)
    }
}
