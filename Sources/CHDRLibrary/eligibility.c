#include <gst/hdr/gsthdreligibility.h>

/* The codings of HDR video in files and streams. */
static const gchar *const codings[] = {"video/x-h265,profile=main-10", "video/x-av1", "video/x-vp9,profile=(string)2"};

/* A decoder that takes pictures of ten bits and gives eight. */
static gboolean is_broken(gconstpointer factory) { return g_str_has_prefix(GST_OBJECT_NAME(factory), "libde265"); }

static gboolean can_decode(void) {
    GList *decoders = gst_element_factory_list_get_elements(
        GST_ELEMENT_FACTORY_TYPE_DECODER | GST_ELEMENT_FACTORY_TYPE_MEDIA_VIDEO, GST_RANK_MARGINAL);
    gboolean is_found = FALSE;
    for (guint index = 0; index < G_N_ELEMENTS(codings) && !is_found; index++) {
        GstCaps *caps = gst_caps_from_string(codings[index]);
        GList *fitting = gst_element_factory_list_filter(decoders, caps, GST_PAD_SINK, FALSE);
        for (GList *item = fitting; item && !is_found; item = item->next)
            is_found = !is_broken(item->data);
        gst_plugin_feature_list_free(fitting);
        gst_caps_unref(caps);
    }
    gst_plugin_feature_list_free(decoders);
    return is_found;
}

/* A sink decides how to show a picture when it has one, so that it gets this one, which nobody sees. */
static gboolean can_show(const gchar *presenter) {
    gchar *line = g_strdup_printf("videotestsrc num-buffers=1 pattern=black ! video/x-raw,format=I420_10LE,width=1280,"
                                  "height=720,framerate=25/1,colorimetry=bt2100-pq ! "
                                  "edrsink name=sink presenter=%s show-preroll-frame=false",
                                  presenter);
    GstElement *pipeline = gst_parse_launch_full(line, NULL, GST_PARSE_FLAG_FATAL_ERRORS, NULL);
    g_free(line);
    if (!pipeline)
        return FALSE;
    gboolean can = FALSE;
    gst_element_set_state(pipeline, GST_STATE_PAUSED);
    if (gst_element_get_state(pipeline, NULL, NULL, 10 * GST_SECOND) == GST_STATE_CHANGE_SUCCESS) {
        GstElement *sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
        g_object_get(sink, "eligible-for-hdr-playback", &can, NULL);
        gst_object_unref(sink);
    }
    gst_element_set_state(pipeline, GST_STATE_NULL);
    gst_object_unref(pipeline);
    return can;
}

gboolean gst_hdr_eligible_for_hdr_playback(void) { return can_decode() && (can_show("wayland") || can_show("x11")); }
