/* Runs a launch line, and prints the dynamic metadata of the buffers that come to its element `out`, a sink:
 * `time=<ns> format=<number> flags=<number> size=<width>x<height> bytes=<hexadecimal>`, or `time=<ns> none`.
 * Errors and warnings of the bus go to the standard error output. */
#include <gst/hdr/gsthdrdynamicmetadata.h>

static GstPadProbeReturn print_metadata(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
    GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
    gboolean any = FALSE;
    (void)pad;
    (void)data;
    for (guint format = GST_HDR_DOLBY_VISION; format <= GST_HDR_ST2094_50; format++) {
        const GstHdrDynamicMeta *meta = gst_hdr_buffer_get_dynamic_meta(buffer, (GstHdrDynamicFormat)format);
        gsize count = 0;
        const guint8 *bytes;
        if (!meta)
            continue;
        any = TRUE;
        bytes = g_bytes_get_data(meta->data, &count);
        g_print("time=%" G_GUINT64_FORMAT " format=%u flags=%u size=%ux%u bytes=", GST_BUFFER_PTS(buffer), format,
                meta->flags, meta->width, meta->height);
        for (gsize index = 0; index < count; index++)
            g_print("%02x", bytes[index]);
        g_print("\n");
    }
    if (!any)
        g_print("time=%" G_GUINT64_FORMAT " none\n", GST_BUFFER_PTS(buffer));
    return GST_PAD_PROBE_OK;
}

int main(int argc, char **argv) {
    GError *error = NULL;
    GstElement *pipeline, *out;
    GstPad *pad;
    GstBus *bus;
    gboolean running = TRUE;
    int status = 0;
    gst_init(&argc, &argv);
    pipeline = gst_parse_launch(argv[1], &error);
    if (!pipeline || error) {
        g_printerr("%s\n", error ? error->message : "no pipeline");
        return 2;
    }
    out = gst_bin_get_by_name(GST_BIN(pipeline), "out");
    /* A player has the sink that it was given when it starts. */
    if (!out)
        g_object_get(pipeline, "video-sink", &out, NULL);
    pad = gst_element_get_static_pad(out, "sink");
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, print_metadata, NULL, NULL);
    gst_object_unref(pad);
    gst_object_unref(out);
    gst_element_set_state(pipeline, GST_STATE_PLAYING);
    bus = gst_element_get_bus(pipeline);
    while (running) {
        GstMessage *message = gst_bus_timed_pop_filtered(bus, GST_CLOCK_TIME_NONE,
                                                         GST_MESSAGE_ERROR | GST_MESSAGE_WARNING | GST_MESSAGE_EOS);
        gchar *details = NULL;
        if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING)
            gst_message_parse_warning(message, &error, &details);
        else
            running = FALSE;
        if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
            gst_message_parse_error(message, &error, &details);
            status = 1;
        }
        if (error)
            g_printerr("%s: %s\n", GST_MESSAGE_TYPE_NAME(message), error->message);
        g_clear_error(&error);
        g_free(details);
        gst_message_unref(message);
    }
    gst_element_set_state(pipeline, GST_STATE_NULL);
    gst_object_unref(bus);
    gst_object_unref(pipeline);
    return status;
}
