/* Pipelines that the application itself plays, pauses, seeks and stops: their timebase follows. */
#include "graph.h"
#include "playback.h"

/* How far a timebase may be from the sinks: more than rounding, and less than anything that is seen. */
#define TOLERANCE GST_MSECOND

/* Whether two anchors say the same from now on. */
static gboolean is_same(const HdrAnchor *one, const HdrAnchor *other, GstClockTimeDiff now) {
    return hdr_rate_to_double(one->rate) == hdr_rate_to_double(other->rate) &&
           ABS(hdr_anchor_time_at(one, now) - hdr_anchor_time_at(other, now)) < (GstClockTimeDiff)TOLERANCE;
}

gboolean hdr_playback_is_in_step(HdrPlayback *playback, GstElement *pipeline) {
    HdrAnchor played, told = hdr_graph_anchor(playback->timebase);
    GstClock *clock = gst_element_get_clock(pipeline), *source = gst_hdr_timebase_get_source_clock(playback->timebase);
    GstClockTimeDiff now = clock ? hdr_clock_time(clock) : 0;
    gboolean is_so = clock && clock == source && told.source_time <= now && hdr_playback_anchor(pipeline, &played) &&
                     is_same(&played, &told, now);
    gst_clear_object(&clock);
    gst_clear_object(&source);
    return is_so;
}

/* A start by the library that nothing has changed since says more exactly what is played than the sinks. */
static gboolean is_as_started(HdrPlayback *playback, GstElement *pipeline) {
    return gst_hdr_timebase_get_rate(playback->timebase) != 0 &&
           gst_element_get_base_time(pipeline) == playback->base_time &&
           hdr_playback_seqnum(pipeline) == playback->started_seqnum;
}

static void look_at_playing(HdrPlayback *playback, GstElement *pipeline) {
    g_mutex_lock(&playback->lock);
    gboolean has_ended = playback->has_ended;
    g_mutex_unlock(&playback->lock);
    HdrAnchor played, told = hdr_graph_anchor(playback->timebase);
    GstClock *clock = gst_element_get_clock(pipeline);
    if (clock && !has_ended && !is_as_started(playback, pipeline) && hdr_playback_anchor(pipeline, &played)) {
        GstClock *source = gst_hdr_timebase_get_source_clock(playback->timebase);
        gboolean is_on_clock = clock == source;
        if (!is_on_clock)
            gst_hdr_timebase_set_source_clock(playback->timebase, clock);
        if (!is_on_clock || !is_same(&played, &told, hdr_clock_time(clock)))
            gst_hdr_timebase_set_rate_and_anchor_time(playback->timebase, hdr_rate_to_double(played.rate), played.time,
                                                      played.source_time);
        gst_clear_object(&source);
    }
    gst_clear_object(&clock);
}

/* In PAUSED the start time is the running time of what is shown. */
static void look_at_paused(HdrPlayback *playback, GstElement *pipeline) {
    GstClockTimeDiff time = gst_hdr_timebase_get_time(playback->timebase);
    gboolean runs = gst_hdr_timebase_get_rate(playback->timebase) != 0;
    GstClockTime start = gst_element_get_start_time(pipeline);
    HdrSink sink;
    HdrAnchor played;
    /* A pause by the library knows its time better, as at the end of the stream. */
    if (GST_CLOCK_TIME_IS_VALID(start) && hdr_playback_find_sink(pipeline, &sink) &&
        (runs || playback->primed_time == GST_CLOCK_TIME_NONE || sink.seqnum != playback->primed_seqnum) &&
        hdr_playback_anchor(pipeline, &played)) {
        played.source_time = (GstClockTimeDiff)sink.segment.base;
        GstClockTimeDiff shown = hdr_anchor_time_at(&played, (GstClockTimeDiff)start);
        shown = (GstClockTimeDiff)hdr_playback_limited(pipeline, shown);
        if (ABS(shown - time) >= (GstClockTimeDiff)TOLERANCE)
            time = shown, runs = TRUE;
    }
    if (runs)
        gst_hdr_timebase_set_rate_and_anchor_time(playback->timebase, 0, time, 0);
}

void hdr_playback_look(HdrPlayback *playback, GstElement *pipeline) {
    GstState state, pending;
    GstStateChangeReturn change = gst_element_get_state(pipeline, &state, &pending, 0);
    /* A change that is under way tells its end, but for a stop, which flushes the bus with that message. */
    gboolean stops = pending == GST_STATE_READY || pending == GST_STATE_NULL;
    if (!stops && (change == GST_STATE_CHANGE_ASYNC || pending != GST_STATE_VOID_PENDING))
        return;
    if (stops)
        state = pending;
    if (state == GST_STATE_PLAYING)
        look_at_playing(playback, pipeline);
    else if (state == GST_STATE_PAUSED)
        look_at_paused(playback, pipeline);
    else if (gst_hdr_timebase_get_rate(playback->timebase) != 0)
        gst_hdr_timebase_set_rate(playback->timebase, 0);
}

static void look(GstElement *pipeline, gpointer pointer) {
    (void)pointer;
    HdrPlayback *playback = hdr_playback_of(pipeline);
    hdr_playback_take_turn(playback);
    g_atomic_int_set(&playback->is_look_due, FALSE);
    hdr_playback_look(playback, pipeline);
    hdr_playback_end_turn(playback);
    hdr_playback_unref(playback);
}

/* Looks at the pipeline on another thread: this one may hold locks of the pipeline, and a handler of the timebase's
 * signals may move it. */
static void look_soon(HdrPlayback *playback, GstElement *pipeline) {
    if (g_atomic_int_compare_and_exchange(&playback->is_look_due, FALSE, TRUE))
        gst_element_call_async(pipeline, look, NULL, NULL);
}

/* The library leaves a pipeline without a start time, so that it keeps its base time. Where the application then pauses
 * it, GStreamer's own rule is followed: the start time is the running time at the pause, from which it goes on. */
static void restore_start_time(GstElement *pipeline, GstClockTime running_time) {
    if (!GST_CLOCK_TIME_IS_VALID(gst_element_get_start_time(pipeline)))
        gst_element_set_start_time(pipeline, running_time);
}

static void on_state_changed(GstBus *bus, GstMessage *message, gpointer pointer) {
    (void)bus;
    if (!GST_IS_PIPELINE(GST_MESSAGE_SRC(message)))
        return;
    GstElement *pipeline = GST_ELEMENT(GST_MESSAGE_SRC(message));
    HdrPlayback *playback = pointer;
    GstState former, state;
    gst_message_parse_state_changed(message, &former, &state, NULL);
    if (former == GST_STATE_PLAYING && state == GST_STATE_PAUSED) {
        GstClock *clock = gst_element_get_clock(pipeline);
        GstClockTime now = clock ? gst_clock_get_time(clock) : 0, base = gst_element_get_base_time(pipeline);
        restore_start_time(pipeline, now - MIN(now, base));
        gst_clear_object(&clock);
    } else if (state == GST_STATE_READY) {
        restore_start_time(pipeline, 0);
        g_mutex_lock(&playback->lock);
        playback->has_ended = FALSE;
        g_mutex_unlock(&playback->lock);
    }
    look_soon(playback, pipeline);
}

static void on_async_done(GstBus *bus, GstMessage *message, gpointer pointer) {
    (void)bus;
    if (GST_IS_PIPELINE(GST_MESSAGE_SRC(message)))
        look_soon(pointer, GST_ELEMENT(GST_MESSAGE_SRC(message)));
}

/* A sink was flushed, so that its running time starts anew. */
static void on_reset_time(GstBus *bus, GstMessage *message, gpointer pointer) {
    (void)bus;
    HdrPlayback *playback = pointer;
    GstObject *object = gst_object_ref(GST_MESSAGE_SRC(message)), *parent;
    GstClockTime running_time;
    gst_message_parse_reset_time(message, &running_time);
    while (!GST_IS_PIPELINE(object) && (parent = gst_object_get_parent(object))) {
        gst_object_unref(object);
        object = parent;
    }
    if (GST_IS_PIPELINE(object))
        restore_start_time(GST_ELEMENT(object), running_time);
    gst_object_unref(object);
    g_mutex_lock(&playback->lock);
    playback->has_ended = FALSE;
    g_mutex_unlock(&playback->lock);
}

void hdr_playback_watch(HdrPlayback *playback, GstBus *bus) {
    g_signal_connect(bus, "sync-message::state-changed", G_CALLBACK(on_state_changed), playback);
    g_signal_connect(bus, "sync-message::async-done", G_CALLBACK(on_async_done), playback);
    g_signal_connect(bus, "sync-message::reset-time", G_CALLBACK(on_reset_time), playback);
}
