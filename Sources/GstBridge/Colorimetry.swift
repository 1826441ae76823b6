import CGStreamer
import HDRMetadata

extension ColorDescription {
    /// The code points of a colorimetry (ISO/IEC 23091-2, ITU-T H.273).
    package init(_ colorimetry: GstVideoColorimetry) {
        self.init(
            primaries: UInt8(clamping: gst_video_color_primaries_to_iso(colorimetry.primaries)),
            transfer: UInt8(clamping: gst_video_transfer_function_to_iso(colorimetry.transfer)),
            matrix: UInt8(clamping: gst_video_color_matrix_to_iso(colorimetry.matrix)))
        switch colorimetry.range {
        case GST_VIDEO_COLOR_RANGE_0_255: isFullRange = true
        case GST_VIDEO_COLOR_RANGE_16_235: isFullRange = false
        default: break
        }
    }

    /// The code points of the caps field `colorimetry`; `nil` for a name that GStreamer does not know.
    package init?(colorimetry: String) {
        var parsed = GstVideoColorimetry()
        guard gst_video_colorimetry_from_string(&parsed, colorimetry) != 0 else { return nil }
        self.init(parsed)
    }

    /// The caps field `colorimetry`; `nil` where GStreamer has no name or numbers for it.
    package var colorimetry: String? {
        GstVideoColorimetry(
            range: isFullRange == true ? GST_VIDEO_COLOR_RANGE_0_255 : GST_VIDEO_COLOR_RANGE_16_235,
            matrix: gst_video_color_matrix_from_iso(guint(matrix)),
            transfer: gst_video_transfer_function_from_iso(guint(transfer)),
            primaries: gst_video_color_primaries_from_iso(guint(primaries))
        ).text
    }
}

extension GstVideoColorimetry {
    /// The colorimetry for a text; `nil` for a name that GStreamer does not know.
    package init?(text: String) {
        self.init()
        guard gst_video_colorimetry_from_string(&self, text) != 0 else { return nil }
    }

    /// The value of the caps field `colorimetry`; `nil` where GStreamer has no text for it.
    package var text: String? {
        var colorimetry = self
        guard let text = gst_video_colorimetry_to_string(&colorimetry) else { return nil }
        defer { g_free(text) }
        return String(cString: text)
    }
}
