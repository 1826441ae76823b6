import CGStreamer

/// Information of GStreamer's base utilities about the format that caps describe.
extension Structure {
    /// A readable name of the codec or the container, such as "MPEG-4 AAC"; `nil` for formats without a name, and for
    /// caps that are not fixed.
    public var mediaName: String? {
        withCaps { caps in
            guard gst_caps_is_fixed(caps) != 0, let text = gst_pb_utils_get_codec_description(caps) else { return nil }
            defer { g_free(text) }
            return String(cString: text)
        }
    }

    /// Whether it is a container format.
    public var isContainer: Bool {
        withCaps { caps in
            gst_pb_utils_get_caps_description_flags(caps).rawValue
                & GST_PBUTILS_CAPS_DESCRIPTION_FLAG_CONTAINER.rawValue != 0
        } ?? false
    }

    private func withCaps<Result>(_ body: (UnsafeMutablePointer<GstCaps>) -> Result?) -> Result? {
        guard let copy = copy(), let caps = gst_caps_new_empty() else { return nil }
        defer { gst_caps_unref(caps) }
        // The caps take ownership of the copy.
        gst_caps_append_structure(caps, copy)
        return body(caps)
    }
}
