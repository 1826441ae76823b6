/* Plays a launch line with a bin called "m" and prints how many packets went
 * into its pads, what the bus said, and "eos".
 *
 *     copy_count LINE NUMBER
 *
 * The packet of that number, counted from 1 on each pad, loses its times; 0
 * leaves all as they are. */
#include <gst/gst.h>
#include <stdio.h>
#include <stdlib.h>

static guint untimed;
static gint packets;

static GstPadProbeReturn count(GstPad *pad, GstPadProbeInfo *info, gpointer counter) {
    GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
    g_atomic_int_inc(&packets);
    if (++*(guint *)counter == untimed) {
        buffer = gst_buffer_make_writable(buffer);
        GST_BUFFER_PTS(buffer) = GST_BUFFER_DTS(buffer) = GST_BUFFER_DURATION(buffer) = GST_CLOCK_TIME_NONE;
        GST_PAD_PROBE_INFO_DATA(info) = buffer;
    }
    return GST_PAD_PROBE_OK;
}

static void watch(GstElement *element, GstPad *pad, gpointer data) {
    if (GST_PAD_IS_SINK(pad))
        gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, count, g_new0(guint, 1), g_free);
}

static gboolean watch_sink(GstElement *element, GstPad *pad, gpointer data) {
    watch(element, pad, data);
    return TRUE;
}

int main(int argc, char **argv) {
    GError *error = NULL;
    gst_init(NULL, NULL);
    GstElement *pipeline = argc == 3 ? gst_parse_launch(argv[1], &error) : NULL;
    if (!pipeline || error) {
        fprintf(stderr, "%s\n", error ? error->message : "copy_count LINE NUMBER");
        return 2;
    }
    untimed = atoi(argv[2]);
    GstElement *bin = gst_bin_get_by_name(GST_BIN(pipeline), "m");
    // A demuxer's pads are linked, and the bin's requested, while it plays.
    g_signal_connect(bin, "pad-added", G_CALLBACK(watch), NULL);
    gst_element_foreach_sink_pad(bin, watch_sink, NULL);
    GstBus *bus = gst_element_get_bus(pipeline);
    gst_element_set_state(pipeline, GST_STATE_PLAYING);
    gboolean is_over = FALSE;
    while (!is_over) {
        GstMessage *message =
            gst_bus_timed_pop_filtered(bus, 60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
        if (!message) {
            puts("timeout");
            break;
        }
        if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS) {
            puts("eos");
            is_over = TRUE;
        } else if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
            gst_message_parse_error(message, &error, NULL);
            printf("error: %s\n", error->message);
            is_over = TRUE;
        } else {
            gst_message_parse_warning(message, &error, NULL);
            printf("warning: %s\n", error->message);
        }
        g_clear_error(&error);
        gst_message_unref(message);
    }
    printf("packets: %d\n", g_atomic_int_get(&packets));
    gst_element_set_state(pipeline, GST_STATE_NULL);
    gst_object_unref(bin);
    gst_object_unref(bus);
    gst_object_unref(pipeline);
    gst_deinit();
    return 0;
}
