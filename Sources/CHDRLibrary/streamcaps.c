#include "streamcaps.h"
#include <gst/video/video.h>

const gchar *hdr_caps_colorimetry(GstCaps *caps) {
    return gst_structure_get_string(gst_caps_get_structure(caps, 0), "colorimetry");
}

const gchar *hdr_caps_range(GstCaps *caps) {
    GstVideoColorimetry color;
    const gchar *text = hdr_caps_colorimetry(caps);
    if (!text || !gst_video_colorimetry_from_string(&color, text))
        return "unknown";
    switch (color.transfer) {
    case GST_VIDEO_TRANSFER_SMPTE2084: return "PQ";
    case GST_VIDEO_TRANSFER_ARIB_STD_B67: return "HLG";
    case GST_VIDEO_TRANSFER_UNKNOWN: return "unknown";
    default: return "SDR";
    }
}

gboolean hdr_caps_tell_light(GstCaps *caps) {
    GstStructure *structure = gst_caps_get_structure(caps, 0);
    return gst_structure_has_field(structure, "mastering-display-info") ||
           gst_structure_has_field(structure, "content-light-level");
}

gboolean hdr_caps_are_hdr(GstCaps *caps) {
    const gchar *range = hdr_caps_range(caps);
    return g_str_equal(range, "PQ") || g_str_equal(range, "HLG");
}

const gchar *hdr_caps_kind(GstCaps *caps) {
    const gchar *name = gst_structure_get_name(gst_caps_get_structure(caps, 0));
    if (g_str_has_prefix(name, "video/") || g_str_has_prefix(name, "image/"))
        return "video";
    if (g_str_has_prefix(name, "audio/"))
        return "audio";
    return g_str_has_prefix(name, "text/") || g_str_has_prefix(name, "subpicture/") ||
                   g_str_has_prefix(name, "application/x-subtitle")
               ? "text"
               : "other";
}
