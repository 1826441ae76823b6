/* Seeks: to another rate at once on a source that knows no such thing, and
 * flushing ones, forwards and backwards. */
#include <unistd.h>

#include "support.h"

static guint starts, calls;
static gint64 last_end = -1;
static guint overlaps;

static void process(GstHdrAudioTap *tap, guint frames, guint flags, GstHdrTapAudioBufferList *list, guint *frames_out,
                    guint *flags_out) {
    GstHdrTapTimeRange range;
    gst_hdr_tap_get_source_audio(tap, frames, list, &flags, &range, frames_out);
    if (*frames_out == 0)
        return;
    calls++;
    if (flags & GST_HDR_TAP_START_OF_STREAM)
        starts++;
    else if (range.start != last_end)
        overlaps++;
    last_end = range.start + range.duration;
}

static const GstHdrTapAudioCallbacks callbacks = {.size = sizeof(GstHdrTapAudioCallbacks), .process = process};

typedef struct {
    GstElement *pipeline;
    gint is_done;
} Request;

static gpointer change_rate(gpointer data) {
    Request *request = data;
    gst_element_seek(request->pipeline, 2, GST_FORMAT_TIME, GST_SEEK_FLAG_INSTANT_RATE_CHANGE, GST_SEEK_TYPE_NONE, 0,
                     GST_SEEK_TYPE_NONE, 0);
    g_atomic_int_set(&request->is_done, 1);
    return NULL;
}

static gboolean is_done_within(Request *request, guint milliseconds) {
    for (guint wait = 0; wait < milliseconds && !g_atomic_int_get(&request->is_done); wait++)
        g_usleep(1000);
    return g_atomic_int_get(&request->is_done);
}

static gboolean seek(GstElement *pipeline, double rate) {
    GstClockTime start = rate < 0 ? 0 : 500 * GST_MSECOND, stop = rate < 0 ? 500 * GST_MSECOND : GST_CLOCK_TIME_NONE;
    return gst_element_seek(pipeline, rate, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE,
                            GST_SEEK_TYPE_SET, start, GST_SEEK_TYPE_SET, stop);
}

/* In PAUSED, where the sink holds the streaming thread, and the seek holds the
 * pipeline: it takes a flush of the sink's pad to get out, after which flushing
 * seeks work. */
static void instant(const char *name, const char *line) {
    Request request = {.pipeline = gst_parse_launch(line, NULL)};
    GstElement *sink = gst_bin_get_by_name(GST_BIN(request.pipeline), "sink");
    GstPad *pad = gst_element_get_static_pad(sink, "sink");
    gst_element_set_state(request.pipeline, GST_STATE_PAUSED);
    gst_element_get_state(request.pipeline, NULL, NULL, 5 * GST_SECOND);
    GThread *thread = g_thread_new("seek", change_rate, &request);
    gboolean is_answered = is_done_within(&request, 500);
    gst_pad_send_event(pad, gst_event_new_flush_start());
    gboolean is_freed = is_done_within(&request, 3000);
    if (!is_freed) {
        printf("instant/%s answered=%d freed=0\n", name, is_answered);
        fflush(stdout);
        _exit(0);
    }
    g_thread_join(thread);
    gst_pad_send_event(pad, gst_event_new_flush_stop(TRUE));
    gboolean is_sought = seek(request.pipeline, 2);
    GstStateChangeReturn state = gst_element_get_state(request.pipeline, NULL, NULL, 5 * GST_SECOND);
    printf("instant/%s answered=%d freed=1 flushing-seek=%d prerolled=%d\n", name, is_answered, is_sought,
           state == GST_STATE_CHANGE_SUCCESS);
    gst_element_set_state(request.pipeline, GST_STATE_NULL);
    gst_object_unref(pad);
    gst_object_unref(sink);
    gst_object_unref(request.pipeline);
}

/* Plays a quarter of a second from a seek on. */
static void flushing(double rate) {
    GError *error = NULL;
    GstElement *pipeline = gst_parse_launch("audiotestsrc num-buffers=200 ! audio/x-raw,rate=48000 "
                                            "! hdrtap name=tap ! fakesink sync=true",
                                            NULL);
    GstElement *tap = gst_bin_get_by_name(GST_BIN(pipeline), "tap");
    gst_hdr_tap_set_audio_callbacks(tap, &callbacks, NULL, NULL, &error);
    gst_element_set_state(pipeline, GST_STATE_PAUSED);
    gst_element_get_state(pipeline, NULL, NULL, 5 * GST_SECOND);
    guint before = starts;
    gboolean is_sought = seek(pipeline, rate);
    gst_element_get_state(pipeline, NULL, NULL, 5 * GST_SECOND);
    gst_element_set_state(pipeline, GST_STATE_PLAYING);
    GstBus *bus = gst_element_get_bus(pipeline);
    GstMessage *message = gst_bus_timed_pop_filtered(bus, 250 * GST_MSECOND, GST_MESSAGE_ERROR);
    gint64 position = -1;
    gst_element_query_position(pipeline, GST_FORMAT_TIME, &position);
    gst_element_set_state(pipeline, GST_STATE_NULL);
    printf("seek/%g sought=%d first-starts=%u starts=%u calls=%u overlaps=%u "
           "errors=%d position=%g\n",
           rate, is_sought, before, starts, calls, overlaps, message != NULL, (double)position / GST_SECOND);
    if (message)
        gst_message_unref(message);
    starts = calls = overlaps = 0;
    gst_object_unref(bus);
    gst_object_unref(tap);
    gst_object_unref(pipeline);
}

/* The events of a source that can change its rate at once pass. */
static void events(void) {
    GstHarness *harness = harness_of("hdrtap effect=bandpass", CAPS);
    push(harness, NULL, 480, 0, 0);
    gst_harness_push_event(harness, gst_event_new_instant_rate_change(2, 0));
    printf("events/instant-rate-change passed=%d\n", has_event(harness, GST_EVENT_INSTANT_RATE_CHANGE));
    discard(harness);
}

int main(int argc, char **argv) {
    gst_init(&argc, &argv);
    flushing(2);
    flushing(-1);
    events();
    instant("videotestsrc", "videotestsrc ! fakesink name=sink");
    instant("audiotestsrc", "audiotestsrc ! fakesink name=sink");
    instant("hdrtap", "audiotestsrc ! hdrtap effect=bandpass ! fakesink name=sink");
    return 0;
}
