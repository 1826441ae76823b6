/* Plays a launch line with a hdrx265enc called "e" and prints a line for each coded picture, in coding order:
 *
 *     au INDEX KEY SETS RPU T35 METAS SIZE DTS INPUTS
 *
 * INDEX is the picture's number in the order of display, KEY whether it is a key frame, SETS the number of parameter
 * sets, RPU and T35 the numbers that were found in its Dolby Vision and HDR10+ metadata (-1: none, -2: broken), METAS
 * how many metas with metadata the coded picture has, and DTS that of the buffer less the first picture's PTS, in ns,
 * and INPUTS how many pictures had gone in.
 * Messages of the element are printed as they are; the last line is "eos" or the error.
 *
 *     x265_pictures LINE [ACTION...]
 *
 * metadata      each picture gets metadata with its number, but for each fifth; those of each seventh are stale
 * up=N down=N   asks for a key frame with all headers, by an event from downstream or upstream, before picture N
 * bitrate=N:R   sets the bit rate before picture N */
#include <gst/gst.h>
#include <gst/hdr/gsthdrdynamicmetadata.h>
#include <gst/video/video.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAME (GST_SECOND / 25)
#define START ((GstClockTime)1000 * 3600 * GST_SECOND)

static gboolean with_metadata;
static gint inputs, up = -1, down = -1, change = -1, bitrate;
static GstElement *element;

static GBytes *message(GstHdrDynamicFormat format, guint8 index) {
    /* Zeros, so that the stream needs emulation prevention. */
    guint8 rpu[] = {25, 0, 0, 0, index, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 0, 0, index, 0x80};
    guint8 t35[] = {0xB5, 0, 0x3C, 0, 1, 4, 1, index, 0, 0, 0, 0, 0, 1, 0, 0, 3, index};
    return format == GST_HDR_DOLBY_VISION ? g_bytes_new(rpu, sizeof(rpu)) : g_bytes_new(t35, sizeof(t35));
}

static GstPadProbeReturn before(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
    GstBuffer *buffer = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
    gint index = (gint)(GST_BUFFER_PTS(buffer) / FRAME);
    GST_PAD_PROBE_INFO_DATA(info) = buffer;
    if (with_metadata && index % 5 != 4) {
        guint flags = index % 7 == 6 ? GST_HDR_DYNAMIC_METADATA_STALE : 0;
        for (GstHdrDynamicFormat format = GST_HDR_DOLBY_VISION; format <= GST_HDR_HDR10_PLUS; format++) {
            GBytes *bytes = message(format, (guint8)index);
            gst_hdr_buffer_set_dynamic_metadata(buffer, format, bytes, flags);
            g_bytes_unref(bytes);
        }
    }
    inputs++;
    if (index == up) {
        GstPad *source = gst_element_get_static_pad(element, "src");
        gst_pad_send_event(source, gst_video_event_new_upstream_force_key_unit(GST_CLOCK_TIME_NONE, TRUE, 1));
        gst_object_unref(source);
    }
    if (index == down)
        gst_pad_send_event(pad, gst_video_event_new_downstream_force_key_unit(
                                    GST_BUFFER_PTS(buffer), GST_BUFFER_PTS(buffer), GST_BUFFER_PTS(buffer), TRUE, 1));
    if (index == change)
        g_object_set(element, "bitrate", bitrate, NULL);
    return GST_PAD_PROBE_OK;
}

/* The number in metadata that were written: both of its places agree, and all other bytes are as they were. */
static gint number(GstHdrDynamicFormat format, const guint8 *escaped, gsize size) {
    guint8 plain[64];
    gsize count = 0, zeros = 0;
    for (gsize i = 0; i < size && count < sizeof(plain); i++) {
        if (zeros >= 2 && escaped[i] == 3) {
            zeros = 0;
            continue;
        }
        zeros = escaped[i] == 0 ? zeros + 1 : 0;
        plain[count++] = escaped[i];
    }
    if (count < 8)
        return -2;
    guint8 index = plain[format == GST_HDR_DOLBY_VISION ? 4 : 7];
    GBytes *bytes = message(format, index);
    gsize expected;
    gconstpointer content = g_bytes_get_data(bytes, &expected);
    gint result = count >= expected && !memcmp(content, plain, expected) ? index : -2;
    g_bytes_unref(bytes);
    return result;
}

static GstPadProbeReturn after(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
    GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
    gint rpu = -1, t35 = -1, sets = 0, metas = 0;
    GstMapInfo map;
    gst_buffer_map(buffer, &map, GST_MAP_READ);
    gsize next;
    for (gsize at = 0; at + 5 < map.size; at = next) {
        for (next = at + 1; next + 2 < map.size; next++)
            if (!map.data[next] && !map.data[next + 1] && map.data[next + 2] == 1)
                break;
        if (next + 2 >= map.size)
            next = map.size;
        if (map.data[at] || map.data[at + 1] || map.data[at + 2] != 1)
            continue;
        const guint8 *unit = map.data + at + 3;
        gsize size = next - at - 3;
        guint type = unit[0] >> 1;
        sets += type >= 32 && type <= 34;
        if (type == 62)
            rpu = rpu == -1 ? number(GST_HDR_DOLBY_VISION, unit + 2, size - 2) : -2;
        if (type == 39 && unit[2] == 4)
            t35 = t35 == -1 ? number(GST_HDR_HDR10_PLUS, unit + 4, size - 4) : -2;
    }
    gst_buffer_unmap(buffer, &map);
    for (GstHdrDynamicFormat format = GST_HDR_DOLBY_VISION; format <= GST_HDR_HDR10_PLUS; format++)
        metas += gst_hdr_buffer_get_dynamic_metadata(buffer, format, NULL) != NULL;
    printf("au %d %d %d %d %d %d %zu %" G_GINT64_FORMAT " %d\n", (gint)((GST_BUFFER_PTS(buffer) - START) / FRAME),
           !GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT), sets, rpu, t35, metas,
           gst_buffer_get_size(buffer), (gint64)(GST_BUFFER_DTS(buffer) - START), inputs);
    return GST_PAD_PROBE_OK;
}

static void probe(const gchar *name, GstPadProbeCallback callback) {
    GstPad *pad = gst_element_get_static_pad(element, name);
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, callback, NULL, NULL);
    gst_object_unref(pad);
}

int main(int argc, char **argv) {
    GError *error = NULL;
    gst_init(NULL, NULL);
    GstElement *pipeline = argc > 1 ? gst_parse_launch(argv[1], &error) : NULL;
    if (!pipeline || error) {
        fprintf(stderr, "%s\n", error ? error->message : "x265_pictures LINE [ACTION...]");
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        with_metadata |= !strcmp(argv[i], "metadata");
        sscanf(argv[i], "up=%d", &up);
        sscanf(argv[i], "down=%d", &down);
        sscanf(argv[i], "bitrate=%d:%d", &change, &bitrate);
    }
    element = gst_bin_get_by_name(GST_BIN(pipeline), "e");
    probe("sink", before);
    probe("src", after);
    GstBus *bus = gst_element_get_bus(pipeline);
    gst_element_set_state(pipeline, GST_STATE_PLAYING);
    for (gboolean ended = FALSE; !ended;) {
        GstMessage *message = gst_bus_timed_pop(bus, 60 * GST_SECOND);
        if (!message) {
            fprintf(stderr, "nothing happens\n");
            return 3;
        }
        gchar *debug = NULL;
        switch (GST_MESSAGE_TYPE(message)) {
        case GST_MESSAGE_EOS:
            printf("eos\n");
            ended = TRUE;
            break;
        case GST_MESSAGE_ERROR:
            gst_message_parse_error(message, &error, &debug);
            printf("error %s\n", error->message);
            ended = TRUE;
            break;
        case GST_MESSAGE_WARNING:
            gst_message_parse_warning(message, &error, &debug);
            printf("warning %s\n", error->message);
            g_clear_error(&error);
            break;
        case GST_MESSAGE_ELEMENT: {
            gchar *text = gst_structure_to_string(gst_message_get_structure(message));
            printf("message %s\n", text);
            g_free(text);
            break;
        }
        case GST_MESSAGE_LATENCY: {
            GstQuery *query = gst_query_new_latency();
            GstClockTime least = 0;
            GstPad *pad = gst_element_get_static_pad(element, "src");
            if (gst_pad_query(pad, query)) {
                gst_query_parse_latency(query, NULL, &least, NULL);
                printf("latency %" G_GUINT64_FORMAT "\n", least);
            }
            gst_object_unref(pad);
            gst_query_unref(query);
            break;
        }
        default: break;
        }
        g_free(debug);
        gst_message_unref(message);
    }
    gst_element_set_state(pipeline, GST_STATE_NULL);
    gst_object_unref(element);
    gst_object_unref(bus);
    gst_object_unref(pipeline);
    return 0;
}
