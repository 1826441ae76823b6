#include "playback.h"
#include "graph.h"

GQuark gst_hdr_error_quark(void) { return g_quark_from_static_string("gst-hdr-error-quark"); }

static GQuark playback_quark(void) { return g_quark_from_static_string("gst-hdr-playback"); }

/* How long a preroll may take, and how often its wait checks whether it is to end. */
#define PATIENCE (30 * GST_SECOND)
#define GLANCE (5 * GST_MSECOND)

gboolean hdr_is_pipeline(GstElement *pipeline, GError **error) {
    if (GST_IS_PIPELINE(pipeline))
        return TRUE;
    g_set_error(error, GST_HDR_ERROR, GST_HDR_ERROR_INVALID_ARGUMENT,
                "%s is no pipeline: only a GstPipeline has a clock",
                GST_IS_ELEMENT(pipeline) ? GST_ELEMENT_NAME(pipeline) : "What was given");
    return FALSE;
}

void hdr_playback_unref(HdrPlayback *playback) {
    if (!g_atomic_int_dec_and_test(&playback->references))
        return;
    g_clear_error(&playback->failure);
    g_object_unref(playback->timebase);
    g_mutex_clear(&playback->turn);
    g_mutex_clear(&playback->lock);
    g_cond_clear(&playback->is_idle);
    g_free(playback);
}

static void on_error(GstBus *bus, GstMessage *message, gpointer pointer) {
    (void)bus;
    HdrPlayback *playback = pointer;
    g_mutex_lock(&playback->lock);
    if (!playback->failure)
        gst_message_parse_error(message, &playback->failure, NULL);
    g_mutex_unlock(&playback->lock);
}

/* An error of a former run says nothing of the next one. */
static void on_state_changed(GstBus *bus, GstMessage *message, gpointer pointer) {
    (void)bus;
    HdrPlayback *playback = pointer;
    GstState state;
    if (!GST_IS_PIPELINE(GST_MESSAGE_SRC(message)))
        return;
    gst_message_parse_state_changed(message, NULL, &state, NULL);
    if (state != GST_STATE_READY)
        return;
    g_mutex_lock(&playback->lock);
    g_clear_error(&playback->failure);
    g_mutex_unlock(&playback->lock);
}

/* Stops the timebase at the end of the stream: at the position of the sinks, at the end of the file where they tell
 * none, or at 0 where the stream plays backwards. The clock's time may differ, as where there was nothing to show and
 * the stream ended at once. */
static void stop_at_end(GstElement *pipeline, gpointer starts) {
    HdrPlayback *playback = hdr_playback_of(pipeline);
    hdr_playback_take_turn(playback);
    gdouble rate = gst_hdr_timebase_get_rate(playback->timebase);
    GstClockTime time = 0;
    gint64 duration;
    if (rate > 0 && !hdr_playback_find_position(pipeline, &time)) {
        gboolean is_known = gst_element_query_duration(pipeline, GST_FORMAT_TIME, &duration) && duration >= 0;
        time = (GstClockTime)(is_known ? duration : gst_hdr_timebase_get_time(playback->timebase));
    }
    if (playback->starts == GPOINTER_TO_UINT(starts) && rate != 0)
        gst_hdr_timebase_set_rate_and_anchor_time(
            playback->timebase, 0, (GstClockTimeDiff)hdr_playback_limited(pipeline, (GstClockTimeDiff)time), 0);
    hdr_playback_end_turn(playback);
    hdr_playback_unref(playback);
}

/* The thread that tells the end must not wait for the one that moves the pipeline. */
static void on_end(GstBus *bus, GstMessage *message, gpointer pointer) {
    (void)bus;
    HdrPlayback *playback = pointer;
    if (!GST_IS_PIPELINE(GST_MESSAGE_SRC(message)))
        return;
    g_mutex_lock(&playback->lock);
    guint starts = playback->starts;
    playback->has_ended = TRUE;
    g_mutex_unlock(&playback->lock);
    gst_element_call_async(GST_ELEMENT(GST_MESSAGE_SRC(message)), stop_at_end, GUINT_TO_POINTER(starts), NULL);
}

static void forget(gpointer pointer, GClosure *closure) {
    (void)closure;
    hdr_playback_unref(pointer);
}

HdrPlayback *hdr_playback_of(GstElement *pipeline) {
    static GMutex mutex;
    g_mutex_lock(&mutex);
    HdrPlayback *playback = g_object_get_qdata(G_OBJECT(pipeline), playback_quark());
    if (!playback) {
        playback = g_new0(HdrPlayback, 1);
        playback->references = 2;
        g_mutex_init(&playback->turn);
        g_mutex_init(&playback->lock);
        g_cond_init(&playback->is_idle);
        playback->primed_time = GST_CLOCK_TIME_NONE;
        GstClock *clock = gst_pipeline_get_pipeline_clock(GST_PIPELINE(pipeline));
        playback->timebase = gst_hdr_timebase_new(clock);
        gst_object_unref(clock);
        /* The handler sees messages on their way to the application's own handlers, and leaves them as they are. */
        GstBus *bus = gst_pipeline_get_bus(GST_PIPELINE(pipeline));
        gst_bus_enable_sync_message_emission(bus);
        g_signal_connect_data(bus, "sync-message::error", G_CALLBACK(on_error), playback, forget, 0);
        g_signal_connect(bus, "sync-message::state-changed", G_CALLBACK(on_state_changed), playback);
        g_signal_connect(bus, "sync-message::eos", G_CALLBACK(on_end), playback);
        hdr_playback_watch(playback, bus);
        gst_object_unref(bus);
        g_object_set_qdata_full(G_OBJECT(pipeline), playback_quark(), playback, (GDestroyNotify)hdr_playback_unref);
    }
    g_atomic_int_inc(&playback->references);
    g_mutex_unlock(&mutex);
    return playback;
}

void hdr_playback_take_turn(HdrPlayback *playback) {
    g_mutex_lock(&playback->turn);
    hdr_notices_hold();
}

gboolean hdr_playback_try_turn(HdrPlayback *playback) {
    if (!g_mutex_trylock(&playback->turn))
        return FALSE;
    hdr_notices_hold();
    return TRUE;
}

void hdr_playback_end_turn(HdrPlayback *playback) {
    g_mutex_unlock(&playback->turn);
    hdr_notices_release();
}

/* The result of a change of state, after a short wait for it. For a change that an error ended, GStreamer first tells
 * the waiting thread that it succeeded, and then that it failed. */
static GstStateChangeReturn glance(GstElement *pipeline, GstState *state) {
    GstStateChangeReturn change = gst_element_get_state(pipeline, state, NULL, GLANCE);
    if (change == GST_STATE_CHANGE_SUCCESS)
        change = gst_element_get_state(pipeline, state, NULL, 0);
    /* A wait also fails where another change of state replaces the first one. */
    if (change != GST_STATE_CHANGE_FAILURE || GST_STATE_RETURN(pipeline) == GST_STATE_CHANGE_FAILURE)
        return change;
    *state = GST_STATE_TARGET(pipeline);
    return *state < GST_STATE_PAUSED ? GST_STATE_CHANGE_SUCCESS : GST_STATE_CHANGE_ASYNC;
}

GError *hdr_playback_take_failure(HdrPlayback *playback) {
    g_mutex_lock(&playback->lock);
    GError *failure = g_steal_pointer(&playback->failure);
    g_mutex_unlock(&playback->lock);
    return failure;
}

gboolean hdr_playback_settle(HdrPlayback *playback, GstElement *pipeline, HdrIsOver is_over, gpointer user_data,
                             GError **error) {
    for (GstClockTime waited = 0; waited < PATIENCE; waited += GLANCE) {
        GstState state = GST_STATE_NULL;
        GstStateChangeReturn change = glance(pipeline, &state);
        GError *failure = hdr_playback_take_failure(playback);
        /* The state fails a moment before the error message comes. */
        for (guint tries = 0; change == GST_STATE_CHANGE_FAILURE && !failure && tries < 20; tries++) {
            g_usleep(1000);
            failure = hdr_playback_take_failure(playback);
        }
        if (failure || change == GST_STATE_CHANGE_FAILURE) {
            g_set_error(error, GST_HDR_ERROR, GST_HDR_ERROR_FAILED, "%s",
                        failure ? failure->message : "An element of the pipeline failed: see the messages of its bus");
            g_clear_error(&failure);
            return FALSE;
        }
        if (change == GST_STATE_CHANGE_NO_PREROLL) {
            g_set_error(error, GST_HDR_ERROR, GST_HDR_ERROR_NOT_SEEKABLE, HDR_LIVE_CANNOT_MOVE);
            return FALSE;
        }
        if (is_over && is_over(user_data, error))
            return FALSE;
        if (change == GST_STATE_CHANGE_SUCCESS) {
            if (state >= GST_STATE_PAUSED)
                return TRUE;
            g_set_error(error, GST_HDR_ERROR, GST_HDR_ERROR_NOT_READY,
                        "The pipeline is in the state %s: set it to PAUSED before", gst_element_state_get_name(state));
            return FALSE;
        }
    }
    g_set_error(error, GST_HDR_ERROR, GST_HDR_ERROR_FAILED, "The pipeline had no frame after %d s",
                (gint)(PATIENCE / GST_SECOND));
    return FALSE;
}

static gboolean begins_at(const HdrSink *sink, GstClockTime time) {
    guint64 begin = gst_segment_position_from_stream_time(&sink->segment, GST_FORMAT_TIME, time);
    return gst_segment_to_running_time(&sink->segment, GST_FORMAT_TIME, begin) == 0;
}

/* The pipeline is primed where the segment begins with that time, as it does after a seek and where nothing was played
 * yet, and the frame that it shows is that of the time: either the sink tells its time as the position, or it was the
 * position of a former preroll. */
static gboolean is_primed(HdrPlayback *playback, GstElement *pipeline, gdouble rate, GstClockTime time) {
    HdrSink sink;
    if (!hdr_playback_find_sink(pipeline, &sink) || sink.segment.rate != rate || sink.segment.applied_rate != 1 ||
        !begins_at(&sink, time))
        return FALSE;
    return sink.position == (gint64)time || (playback->primed_time == time && playback->primed_seqnum == sink.seqnum &&
                                             playback->primed_position == sink.position);
}

gboolean hdr_playback_prime(HdrPlayback *playback, GstElement *pipeline, gdouble rate, GstClockTime time,
                            HdrIsOver is_over, gpointer user_data, GError **error) {
    if (is_primed(playback, pipeline, rate, time)) {
        hdr_playback_set_start_time(pipeline, time);
        return TRUE;
    }
    playback->primed_time = GST_CLOCK_TIME_NONE;
    GstSeekFlags flags = GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE;
    gint64 start = rate > 0 ? (gint64)time : 0, stop = rate > 0 ? -1 : (gint64)time;
    GstEvent *seek =
        gst_event_new_seek(rate, GST_FORMAT_TIME, flags, GST_SEEK_TYPE_SET, start, GST_SEEK_TYPE_SET, stop);
    guint32 seqnum = gst_event_get_seqnum(seek);
    if (!gst_element_send_event(pipeline, seek)) {
        if (GST_STATE_TARGET(pipeline) < GST_STATE_PAUSED) {
            g_set_error(error, GST_HDR_ERROR, GST_HDR_ERROR_INTERRUPTED, "The pipeline was stopped meanwhile");
            return FALSE;
        }
        g_set_error(error, GST_HDR_ERROR, GST_HDR_ERROR_NOT_SEEKABLE,
                    "The pipeline cannot go to %" GST_TIME_FORMAT " at rate %g", GST_TIME_ARGS(time), rate);
        return FALSE;
    }
    gboolean is_settled = hdr_playback_settle(playback, pipeline, is_over, user_data, error);
    if (!is_settled && GST_STATE_TARGET(pipeline) >= GST_STATE_PAUSED)
        return FALSE;
    HdrSink sink;
    gboolean is_found = is_settled && hdr_playback_find_sink(pipeline, &sink);
    if (!is_settled || GST_STATE(pipeline) != GST_STATE_PAUSED ||
        (is_found && (sink.segment.rate != rate || (sink.seqnum != seqnum && !begins_at(&sink, time))))) {
        g_clear_error(error);
        g_set_error(error, GST_HDR_ERROR, GST_HDR_ERROR_INTERRUPTED,
                    "Another seek or change of state came between: let one thread move the pipeline");
        return FALSE;
    }
    if (is_found) {
        playback->primed_time = time;
        playback->primed_position = sink.position;
        playback->primed_seqnum = sink.seqnum;
    }
    hdr_playback_set_start_time(pipeline, time);
    return TRUE;
}

GstHdrTimebase *gst_hdr_get_timebase(GstElement *pipeline) {
    g_return_val_if_fail(GST_IS_PIPELINE(pipeline), NULL);
    HdrPlayback *playback = hdr_playback_of(pipeline);
    GstHdrTimebase *timebase = g_object_ref(playback->timebase);
    /* The pipeline may play since before there was somebody to look at it. A thread that moves it has no need of this.
     */
    if (hdr_playback_try_turn(playback)) {
        hdr_playback_look(playback, pipeline);
        hdr_playback_end_turn(playback);
    }
    hdr_playback_unref(playback);
    return timebase;
}
