#include <gst/hdr/gsthdrdynamicmetadata.h>
#include "inspectedstream.h"
#include "streamcaps.h"

/* A run of packets of one dynamic range. */
typedef struct {
    /* GST_CLOCK_TIME_NONE where no packet of it has a time. */
    GstClockTime start;
    GstCaps *caps;
} Run;

static void run_clear(gpointer run) { gst_clear_caps(&((Run *)run)->caps); }

void hdr_inspected_stream_init(HdrInspectedStream *stream) {
    gst_segment_init(&stream->segment, GST_FORMAT_TIME);
    stream->runs = g_array_new(FALSE, TRUE, sizeof(Run));
    g_array_set_clear_func(stream->runs, run_clear);
}

void hdr_inspected_stream_clear(HdrInspectedStream *stream) {
    gst_clear_caps(&stream->caps);
    gst_clear_caps(&stream->changed);
    g_clear_pointer(&stream->runs, g_array_unref);
    g_clear_pointer(&stream->id, g_free);
}

/* When a packet is shown. Packets before the start of an edit list are not shown. */
static GstClockTime time_of(const HdrInspectedStream *stream, GstBuffer *buffer) {
    GstClockTime time = GST_CLOCK_TIME_NONE;
    if (GST_BUFFER_PTS_IS_VALID(buffer) && stream->segment.format == GST_FORMAT_TIME)
        time = gst_segment_to_stream_time(&stream->segment, GST_FORMAT_TIME,
                                          MAX(GST_BUFFER_PTS(buffer), stream->segment.start));
    return time;
}

void hdr_inspected_stream_take_packet(HdrInspectedStream *stream, GstBuffer *buffer) {
    GstClockTime time = time_of(stream, buffer);
    stream->has_packets = TRUE;
    if (stream->changed) {
        Run run = {.start = time, .caps = stream->changed};
        g_array_append_val(stream->runs, run);
        stream->changed = NULL;
    } else if (stream->runs->len && GST_CLOCK_TIME_IS_VALID(time)) {
        /* Packets come in the order of decoding: the first one of a run is not always the first one that is shown. */
        Run *run = &g_array_index(stream->runs, Run, stream->runs->len - 1);
        run->start = MIN(run->start, time); /* NONE is the largest value */
    }
    stream->has_dolby_vision |= gst_hdr_buffer_get_dynamic_meta(buffer, GST_HDR_DOLBY_VISION) != NULL;
    stream->has_st2094_50 |= gst_hdr_buffer_get_dynamic_meta(buffer, GST_HDR_ST2094_50) != NULL;
    stream->has_hdr10_plus |= gst_hdr_buffer_get_dynamic_meta(buffer, GST_HDR_HDR10_PLUS) != NULL ||
                              gst_hdr_buffer_get_native_meta_(buffer) != NULL;
}

/* Parsers may announce caps more than once before a packet; only the last ones hold all that its headers say. */
void hdr_inspected_stream_take_caps(HdrInspectedStream *stream, GstCaps *caps) {
    if (!stream->has_packets)
        gst_caps_replace(&stream->caps, caps);
    Run *last = stream->runs->len ? &g_array_index(stream->runs, Run, stream->runs->len - 1) : NULL;
    gboolean begins_run = !last || g_strcmp0(hdr_caps_range(last->caps), hdr_caps_range(caps)) ||
                          g_strcmp0(hdr_caps_colorimetry(last->caps), hdr_caps_colorimetry(caps));
    gst_caps_replace(&stream->changed, begins_run ? caps : NULL);
    if (!begins_run && !hdr_caps_tell_light(last->caps) && hdr_caps_tell_light(caps))
        gst_caps_replace(&last->caps, caps);
}

gboolean hdr_inspected_stream_is_known(const HdrInspectedStream *stream) {
    const gchar *kind = stream->caps ? hdr_caps_kind(stream->caps) : "unknown";
    return stream->has_packets || g_str_equal(kind, "text") || g_str_equal(kind, "other");
}

static void append_text(GValue *array, const gchar *text) {
    GValue value = G_VALUE_INIT;
    g_value_init(&value, G_TYPE_STRING);
    g_value_set_string(&value, text);
    gst_value_array_append_and_take_value(array, &value);
}

static void append_structure(GValue *array, GstStructure *structure) {
    GValue value = G_VALUE_INIT;
    g_value_init(&value, GST_TYPE_STRUCTURE);
    g_value_take_boxed(&value, structure);
    gst_value_array_append_and_take_value(array, &value);
}

static GstStructure *part_of(const Run *run, const Run *next, gboolean is_first) {
    static const gchar *const fields[] = {"colorimetry", "mastering-display-info", "content-light-level"};
    GstStructure *part = gst_structure_new("part", "dynamic-range", G_TYPE_STRING, hdr_caps_range(run->caps), NULL);
    if (is_first || GST_CLOCK_TIME_IS_VALID(run->start))
        gst_structure_set(part, "start", G_TYPE_UINT64, GST_CLOCK_TIME_IS_VALID(run->start) ? run->start : 0, NULL);
    if (next && GST_CLOCK_TIME_IS_VALID(next->start))
        gst_structure_set(part, "end", G_TYPE_UINT64, next->start, NULL);
    for (guint i = 0; i < G_N_ELEMENTS(fields); i++) {
        const GValue *value = gst_structure_get_value(gst_caps_get_structure(run->caps, 0), fields[i]);
        if (value)
            gst_structure_set_value(part, fields[i], value);
    }
    return part;
}

GstStructure *hdr_inspected_stream_describe(const HdrInspectedStream *stream, gboolean *contains_hdr) {
    const gchar *kind = stream->caps ? hdr_caps_kind(stream->caps) : "other";
    GstStructure *found = gst_structure_new("stream", "kind", G_TYPE_STRING, kind, NULL);
    if (stream->caps)
        gst_structure_set(found, "caps", GST_TYPE_CAPS, stream->caps, NULL);
    if (!g_str_equal(kind, "video"))
        return found;
    GValue dynamic = G_VALUE_INIT, parts = G_VALUE_INIT;
    g_value_init(&dynamic, GST_TYPE_ARRAY);
    g_value_init(&parts, GST_TYPE_ARRAY);
    if (stream->has_dolby_vision)
        append_text(&dynamic, "Dolby Vision");
    if (stream->has_hdr10_plus)
        append_text(&dynamic, "HDR10+");
    if (stream->has_st2094_50)
        append_text(&dynamic, "SMPTE ST 2094-50");
    gboolean has_hdr = stream->has_dolby_vision;
    for (guint i = 0; i < stream->runs->len; i++) {
        const Run *run = &g_array_index(stream->runs, Run, i);
        has_hdr |= hdr_caps_are_hdr(run->caps);
        append_structure(&parts, part_of(run, i + 1 < stream->runs->len ? run + 1 : NULL, i == 0));
    }
    gst_structure_set(found, "contains-hdr", G_TYPE_BOOLEAN, has_hdr, NULL);
    gst_structure_take_value(found, "dynamic-metadata", &dynamic);
    gst_structure_take_value(found, "parts", &parts);
    *contains_hdr |= has_hdr;
    return found;
}
