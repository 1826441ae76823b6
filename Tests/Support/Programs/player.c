/* Plays a launch line to its end and prints what the bus said, a message a
 * line.
 *
 *     player LINE LEAKS */
#include <gst/gst.h>
#include <stdio.h>
#include <stdlib.h>

static void print_caps(GstElement *element, const char *name) {
    GstPad *pad = gst_element_get_static_pad(element, name);
    GstCaps *caps = gst_pad_get_current_caps(pad);
    gchar *text = caps ? gst_caps_to_string(caps) : g_strdup("none");
    printf("%s %s\n", name, text);
    g_free(text);
    if (caps)
        gst_caps_unref(caps);
    gst_object_unref(pad);
}

int main(int argc, char **argv) {
    gst_init(NULL, NULL);
    GError *error = NULL;
    GstElement *pipeline = gst_parse_launch(argv[1], &error);
    if (error) {
        fprintf(stderr, "%s\n", error->message);
        return 2;
    }
    for (int leaks = atoi(argv[2]); leaks > 0; leaks--) {
        GstCaps *forgotten = gst_caps_new_empty_simple("video/x-raw");
        (void)forgotten;
    }
    gst_element_set_state(pipeline, GST_STATE_PLAYING);
    GstBus *bus = gst_element_get_bus(pipeline);
    GstMessageType wanted =
        GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_WARNING | GST_MESSAGE_QOS | GST_MESSAGE_LATENCY;
    int status = -1;
    while (status < 0) {
        GstMessage *message = gst_bus_timed_pop_filtered(bus, 20 * GST_SECOND, wanted);
        if (!message) {
            printf("timeout\n");
            status = 3;
            break;
        }
        gchar *debug = NULL;
        switch (GST_MESSAGE_TYPE(message)) {
        case GST_MESSAGE_EOS:
            printf("eos\n");
            status = 0;
            break;
        case GST_MESSAGE_ERROR:
            gst_message_parse_error(message, &error, &debug);
            printf("error %s: %s\n", g_quark_to_string(error->domain), error->message);
            status = 1;
            break;
        case GST_MESSAGE_WARNING:
            gst_message_parse_warning(message, &error, &debug);
            printf("warning %s: %s\n", g_quark_to_string(error->domain), error->message);
            break;
        case GST_MESSAGE_LATENCY: gst_bin_recalculate_latency(GST_BIN(pipeline)); break;
        default: printf("qos %s\n", GST_OBJECT_NAME(GST_MESSAGE_SRC(message))); break;
        }
        g_clear_error(&error);
        g_free(debug);
        gst_message_unref(message);
    }
    GstElement *sink = gst_bin_get_by_name(GST_BIN(pipeline), "counted");
    if (sink) {
        GstStructure *stats = NULL;
        guint64 rendered = 0, dropped = 0;
        g_object_get(sink, "stats", &stats, NULL);
        gst_structure_get_uint64(stats, "rendered", &rendered);
        gst_structure_get_uint64(stats, "dropped", &dropped);
        printf("rendered %d dropped %d\n", (int)rendered, (int)dropped);
        gst_structure_free(stats);
        gst_object_unref(sink);
    }
    GstElement *convert = gst_bin_get_by_name(GST_BIN(pipeline), "convert");
    if (convert) {
        print_caps(convert, "sink");
        print_caps(convert, "src");
        gst_object_unref(convert);
    }
    gst_element_set_state(pipeline, GST_STATE_NULL);
    gst_object_unref(bus);
    gst_object_unref(pipeline);
    gst_deinit();
    return status;
}
