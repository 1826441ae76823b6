/* What the test programs share: elements in a harness, and mono audio to push
 * through them. Programs print lines of the form `subject name=number
 * name=number | text`, which the tests read. */
#ifndef SUPPORT_H
#define SUPPORT_H

#include <gst/check/gstharness.h>
#include <gst/hdr/gsthdrtap.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RATE 48000
#define CAPS "audio/x-raw,format=F32LE,rate=48000,channels=1,layout=interleaved"

/* The time of a frame, in ns. */
static inline GstClockTime time_of(guint64 frame) { return gst_util_uint64_scale(frame, GST_SECOND, RATE); }

/* A harness around a launch line's one element, which gets a bus. */
static inline GstHarness *harness_of(const char *line, const char *caps) {
    GError *error = NULL;
    GstElement *element = gst_parse_launch(line, &error);
    if (!element || error)
        g_error("%s: %s", line, error ? error->message : "no element");
    gst_object_ref_sink(element);
    GstBus *bus = gst_bus_new();
    gst_element_set_bus(element, bus);
    gst_object_unref(bus);
    GstHarness *harness = gst_harness_new_with_element(element, "sink", "src");
    gst_object_unref(element);
    if (caps)
        gst_harness_set_src_caps_str(harness, caps);
    return harness;
}

/* Ends a harness. Messages that no one has read would keep their element. */
static inline void discard(GstHarness *harness) {
    GstBus *bus = gst_element_get_bus(harness->element);
    gst_bus_set_flushing(bus, TRUE);
    gst_object_unref(bus);
    gst_harness_teardown(harness);
}

/* Attaches callbacks, which must succeed. */
static inline void attach(GstHarness *harness, const GstHdrTapAudioCallbacks *callbacks, gpointer user_data,
                          GDestroyNotify notify) {
    GError *error = NULL;
    if (!gst_hdr_tap_set_audio_callbacks(harness->element, callbacks, user_data, notify, &error))
        g_error("%s", error->message);
}

/* A buffer of mono samples; NULL for zeros. */
static inline GstBuffer *buffer_of(const float *samples, guint frames, guint64 first, guint flags) {
    GstBuffer *buffer = gst_buffer_new_allocate(NULL, frames * sizeof(float), NULL);
    gst_buffer_memset(buffer, 0, 0, frames * sizeof(float));
    if (samples)
        gst_buffer_fill(buffer, 0, samples, frames * sizeof(float));
    GST_BUFFER_PTS(buffer) = time_of(first);
    GST_BUFFER_DURATION(buffer) = time_of(first + frames) - time_of(first);
    GST_BUFFER_FLAG_SET(buffer, flags);
    return buffer;
}

/* Pushes frames [first, first + frames) of a signal that begins at frame 0. */
static inline void push(GstHarness *harness, const float *samples, guint frames, guint64 first, guint flags) {
    gst_harness_push(harness, buffer_of(samples, frames, first, flags));
}

/* Pushes a signal in buffers of a size; the last may be shorter. */
static inline void push_all(GstHarness *harness, const float *samples, guint frames, guint size) {
    for (guint first = 0; first < frames; first += size)
        push(harness, samples + first, MIN(size, frames - first), first, 0);
}

static inline void push_segment(GstHarness *harness, double rate, GstClockTime start, GstClockTime base) {
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    segment.rate = rate;
    segment.start = segment.time = segment.position = start;
    segment.base = base;
    gst_harness_push_event(harness, gst_event_new_segment(&segment));
}

static inline void push_flush(GstHarness *harness) {
    gst_harness_push_event(harness, gst_event_new_flush_start());
    gst_harness_push_event(harness, gst_event_new_flush_stop(TRUE));
    push_segment(harness, 1, 0, 0);
}

/* What has come out since the last time. */
typedef struct {
    float *samples;
    guint frames, buffers, gaps; /* gaps: buffers with the flag GAP */
    GstClockTime earliest;       /* smallest time stamp */
} Output;

static inline Output take_output(GstHarness *harness) {
    Output output = {.earliest = GST_CLOCK_TIME_NONE};
    GByteArray *bytes = g_byte_array_new();
    GstBuffer *buffer;
    while ((buffer = gst_harness_try_pull(harness))) {
        GstMapInfo map;
        gst_buffer_map(buffer, &map, GST_MAP_READ);
        g_byte_array_append(bytes, map.data, map.size);
        gst_buffer_unmap(buffer, &map);
        output.buffers++;
        output.gaps += GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_GAP) != 0;
        output.earliest = MIN(output.earliest, GST_BUFFER_PTS(buffer));
        gst_buffer_unref(buffer);
    }
    output.frames = bytes->len / sizeof(float);
    output.samples = (float *)g_byte_array_free(bytes, FALSE);
    return output;
}

static inline double mean_magnitude(const float *samples, guint frames) {
    double sum = 0;
    for (guint frame = 0; frame < frames; frame++)
        sum += fabs(samples[frame]);
    return frames ? sum / frames : 0;
}

static inline float *sine(guint frames, double frequency, double amplitude) {
    float *samples = g_new(float, frames);
    for (guint frame = 0; frame < frames; frame++)
        samples[frame] = (float)(amplitude * sin(2 * G_PI * frequency * frame / RATE));
    return samples;
}

/* Whether an event of a type has come out; drops those before it. */
static inline gboolean has_event(GstHarness *harness, GstEventType type) {
    GstEvent *event;
    gboolean found = FALSE;
    while (!found && (event = gst_harness_try_pull_event(harness))) {
        found = GST_EVENT_TYPE(event) == type;
        gst_event_unref(event);
    }
    return found;
}

/* Counts an element's messages of a type; the text of the last error or warning
 * goes to `text` (or ""), to be freed. */
static inline guint count_messages(GstElement *element, GstMessageType type, gchar **text) {
    GstBus *bus = gst_element_get_bus(element);
    GstMessage *message;
    guint count = 0;
    if (text)
        *text = g_strdup("");
    while ((message = gst_bus_pop_filtered(bus, type))) {
        GError *error = NULL;
        if (text && GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR)
            gst_message_parse_error(message, &error, NULL);
        if (text && GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING)
            gst_message_parse_warning(message, &error, NULL);
        if (error) {
            g_free(*text);
            *text = g_strdup(error->message);
        }
        g_clear_error(&error);
        gst_message_unref(message);
        count++;
    }
    gst_object_unref(bus);
    return count;
}

#endif
