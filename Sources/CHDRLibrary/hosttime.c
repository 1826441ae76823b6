#include "graph.h"
#include "playback.h"

/* How long before its start a pipeline is set to PLAYING. */
#define START_LEAD (20 * GST_MSECOND)
/* How far ahead of now the first try at joining in lies; it at least doubles with each try. */
#define JOIN_LEAD (40 * GST_MSECOND)
#define TRIES 6

/* Fixes the clock. In PAUSED the elements get it at once, because a pipeline that has played would not distribute it
 * again. */
static gboolean take_clock(GstElement *pipeline, GstClock *clock, GError **error) {
    gst_pipeline_use_clock(GST_PIPELINE(pipeline), clock);
    GstClock *current = gst_element_get_clock(pipeline);
    gboolean is_taken =
        current == clock || GST_STATE(pipeline) < GST_STATE_PAUSED || gst_element_set_clock(pipeline, clock);
    gst_clear_object(&current);
    if (!is_taken)
        g_set_error(error, GST_HDR_ERROR, GST_HDR_ERROR_FAILED, "An element of the pipeline does not take the clock %s",
                    GST_OBJECT_NAME(clock));
    return is_taken;
}

static gboolean is_quiet(GstElement *pipeline, GError **error) {
    GstState state, pending;
    gst_element_get_state(pipeline, &state, &pending, 0);
    if (state != GST_STATE_PLAYING && pending != GST_STATE_PLAYING)
        return TRUE;
    g_set_error(error, GST_HDR_ERROR, GST_HDR_ERROR_NOT_READY,
                "A pipeline that plays keeps its clock: pause it before, with rate 0");
    return FALSE;
}

gboolean gst_hdr_use_master_clock(GstElement *pipeline, GstClock *clock, GError **error) {
    if (!hdr_is_pipeline(pipeline, error))
        return FALSE;
    g_return_val_if_fail(!clock || GST_IS_CLOCK(clock), FALSE);
    HdrPlayback *playback = hdr_playback_of(pipeline);
    hdr_playback_take_turn(playback);
    gboolean is_done = is_quiet(pipeline, error);
    if (is_done && clock) {
        is_done = take_clock(pipeline, clock, error);
        if (is_done)
            gst_hdr_timebase_set_source_clock(playback->timebase, clock);
    } else if (is_done) {
        gst_pipeline_auto_clock(GST_PIPELINE(pipeline));
        GstClock *chosen = gst_pipeline_get_pipeline_clock(GST_PIPELINE(pipeline));
        is_done = take_clock(pipeline, chosen, error);
        gst_object_unref(chosen);
        gst_pipeline_auto_clock(GST_PIPELINE(pipeline));
    }
    hdr_playback_end_turn(playback);
    hdr_playback_unref(playback);
    return is_done;
}

/* The first moment from `moment` on at which the stream is at a whole ns again; `moment` itself where that is far
 * off. */
static GstClockTime whole_moment(GstClockTime moment, GstClockTime host_time, HdrRate rate) {
    GstClockTime step = (GstClockTime)rate.denominator, beyond = (moment - host_time) % step;
    return step <= JOIN_LEAD && beyond ? moment + step - beyond : moment;
}

/* Where the stream is `elapsed` ns after `time`, limited to the stream; and whether it lay within the stream without
 * that limit. */
static GstClockTime time_after(GstElement *pipeline, GstClockTime time, GstClockTime elapsed, HdrRate rate,
                               gboolean *is_inside) {
    GstClockTimeDiff later = hdr_time_clamped((HdrWide)time + hdr_scaled((HdrWide)elapsed, rate));
    GstClockTime limited = hdr_playback_limited(pipeline, later);
    *is_inside = later == (GstClockTimeDiff)limited;
    return limited;
}

/* What a pipeline is told to do. */
typedef struct {
    gdouble rate;
    HdrRate fraction;
    GstClockTime time, host_time;
    /* Whether the timebase runs at this rate already, since before the pipeline's seek, and must not be set again. */
    gboolean is_carried_on;
} Request;

/* Sets the pipeline's timebase, on the clock that the pipeline has now. */
static void set_timebase(HdrPlayback *playback, GstClock *clock, gdouble rate, GstClockTime time,
                         GstClockTime host_time) {
    GstClock *source = gst_hdr_timebase_get_source_clock(playback->timebase);
    if (source != clock)
        gst_hdr_timebase_set_source_clock(playback->timebase, clock);
    gst_clear_object(&source);
    gst_hdr_timebase_set_rate_and_anchor_time(playback->timebase, rate, (GstClockTimeDiff)time,
                                              (GstClockTimeDiff)host_time);
}

/* Prerolls the frame of the requested time, at the previous rate, since playback will probably go on at that rate. */
static gboolean pause_at(HdrPlayback *playback, GstElement *pipeline, GstClock *clock, const Request *request,
                         gdouble previous, GError **error) {
    gdouble rate = previous == 0 ? 1 : previous;
    GstClockTime time = request->time;
    if (!hdr_playback_prime(playback, pipeline, rate, time, NULL, NULL, error))
        return FALSE;
    /* There is no frame at the very end, where the last one is shown. A stream may also end before the file does. */
    static const GstClockTime before_end[] = {1,          20 * GST_MSECOND, 50 * GST_MSECOND, 200 * GST_MSECOND,
                                              GST_SECOND, 5 * GST_SECOND};
    gint64 end;
    if (hdr_playback_is_empty(pipeline) && gst_element_query_duration(pipeline, GST_FORMAT_TIME, &end) && end > 0) {
        end = (gint64)MIN((GstClockTime)end, time);
        for (guint i = 0; i < G_N_ELEMENTS(before_end) && hdr_playback_is_empty(pipeline); i++) {
            GstClockTime last = (GstClockTime)MAX(end - (gint64)before_end[i], 0);
            if (!hdr_playback_prime(playback, pipeline, rate, last, NULL, NULL, error))
                return FALSE;
        }
    }
    time = hdr_playback_limited(pipeline, (GstClockTimeDiff)time);
    if (!request->is_carried_on || gst_hdr_timebase_get_time(playback->timebase) != (GstClockTimeDiff)time)
        set_timebase(playback, clock, 0, time, 0);
    return TRUE;
}

/* Sets a pipeline to PAUSED or PLAYING, unless the application has stopped it meanwhile. */
static gboolean set_state(GstElement *pipeline, GstState state, GstStateChangeReturn *change) {
    GST_STATE_LOCK(pipeline);
    gboolean is_up = GST_STATE_TARGET(pipeline) >= GST_STATE_PAUSED;
    *change = is_up ? gst_element_set_state(pipeline, state) : GST_STATE_CHANGE_FAILURE;
    GST_STATE_UNLOCK(pipeline);
    return is_up;
}

static gboolean start_at(HdrPlayback *playback, GstElement *pipeline, GstClock *clock, const Request *request,
                         GError **error) {
    gdouble rate = request->rate;
    HdrRate fraction = request->fraction;
    GstClockTime time = request->time, host_time = request->host_time;
    GstClockTime start = host_time, target = time, delay = 0;
    GstClockTime lead = request->is_carried_on ? START_LEAD : JOIN_LEAD;
    gboolean is_inside = FALSE;
    /* There is nothing to be shown behind the end. */
    target = time_after(pipeline, time, 0, fraction, &is_inside);
    is_inside = FALSE;
    for (guint tries = 0;; tries++) {
        GstClockTime now = gst_clock_get_time(clock);
        gboolean is_past = GST_CLOCK_TIME_IS_VALID(host_time) && host_time < now;
        if (is_past) {
            start = whole_moment(now + lead, host_time, fraction);
            target = time_after(pipeline, time, start - host_time, fraction, &is_inside);
        }
        if (!hdr_playback_prime(playback, pipeline, rate, target, NULL, NULL, error))
            return FALSE;
        delay = hdr_playback_latency(pipeline);
        GstClockTime taken = gst_clock_get_time(clock) - now;
        now += taken;
        /* A seek that took longer than the lead will probably take as long again. */
        if (is_past)
            lead = MAX(2 * lead, MIN(taken + taken / 2, GST_SECOND));
        if (!GST_CLOCK_TIME_IS_VALID(host_time))
            start = now + delay + START_LEAD;
        if (start >= now + delay || tries + 1 >= TRIES)
            break;
    }
    /* A base time cannot be negative, which it would be on a clock that has just begun. */
    GstClockTime ahead = delay + hdr_playback_running_time(pipeline, target);
    /* Without a start time GStreamer keeps the base time. */
    gst_element_set_start_time(pipeline, GST_CLOCK_TIME_NONE);
    playback->base_time = start - MIN(start, ahead);
    gst_element_set_base_time(pipeline, playback->base_time);
    playback->started_seqnum = hdr_playback_seqnum(pipeline);
    /* Whenever they join in, pipelines that were told the same have the same time, to within half a ns. */
    if (!request->is_carried_on)
        set_timebase(playback, clock, rate, is_inside ? time : target, is_inside ? host_time : start);
    playback->primed_time = GST_CLOCK_TIME_NONE;
    g_mutex_lock(&playback->lock);
    playback->starts++;
    playback->has_ended = FALSE;
    g_mutex_unlock(&playback->lock);
    GstStateChangeReturn change;
    if (!set_state(pipeline, GST_STATE_PLAYING, &change)) {
        g_set_error(error, GST_HDR_ERROR, GST_HDR_ERROR_NOT_READY, "The pipeline was stopped meanwhile");
        return FALSE;
    }
    if (change != GST_STATE_CHANGE_FAILURE)
        return TRUE;
    hdr_playback_settle(playback, pipeline, NULL, NULL, error);
    return FALSE;
}

/* Whether the pipeline is in a state, or on its way to one, from which it can be moved. */
static gboolean is_movable(HdrPlayback *playback, GstElement *pipeline, GError **error) {
    GstState state, pending;
    GstStateChangeReturn change = gst_element_get_state(pipeline, &state, &pending, 0);
    if (change == GST_STATE_CHANGE_FAILURE && GST_STATE_RETURN(pipeline) == GST_STATE_CHANGE_FAILURE) {
        GError *failure = hdr_playback_take_failure(playback);
        g_set_error(error, GST_HDR_ERROR, GST_HDR_ERROR_FAILED, "%s",
                    failure ? failure->message
                            : "The pipeline's last change of state failed: see the messages of its bus");
        g_clear_error(&failure);
        return FALSE;
    }
    if (MAX(state, pending) < GST_STATE_PAUSED) {
        g_set_error(error, GST_HDR_ERROR, GST_HDR_ERROR_NOT_READY,
                    "The pipeline is in the state %s: set it to PAUSED before", gst_element_state_get_name(state));
        return FALSE;
    }
    if ((state == GST_STATE_PLAYING || pending == GST_STATE_PLAYING) && hdr_playback_is_live(pipeline)) {
        g_set_error(error, GST_HDR_ERROR, GST_HDR_ERROR_NOT_SEEKABLE, HDR_LIVE_CANNOT_MOVE);
        return FALSE;
    }
    return TRUE;
}

/* What a pipeline had before it was to be moved. */
typedef struct {
    gboolean was_playing, had_fixed_clock;
    /* The clock that it would choose or is fixed, and that of its elements, NULL before it has played. */
    GstClock *own, *elements;
    GstClockTime start_time;
} Before;

/* Lets a pipeline go on as it was where it could not be moved. */
static void put_back(GstElement *pipeline, const Before *before, GstClock *clock) {
    if (before->had_fixed_clock)
        gst_pipeline_use_clock(GST_PIPELINE(pipeline), before->own);
    else
        gst_pipeline_auto_clock(GST_PIPELINE(pipeline));
    if (before->elements != clock)
        gst_element_set_clock(pipeline, before->elements);
    gst_element_set_start_time(pipeline, before->start_time);
    GstStateChangeReturn change;
    if (before->was_playing)
        set_state(pipeline, GST_STATE_PLAYING, &change);
}

/* Changes the rate of a playing pipeline without a jump in time: the timebase takes the rate at once and goes on from
 * its present time, and the pipeline then seeks to where the timebase will be. So readers never see the time run back,
 * or jump by the duration of a seek. */
static void carry_on(HdrPlayback *playback, GstElement *pipeline, Request *request) {
    gst_hdr_timebase_set_rate(playback->timebase, request->rate);
    HdrAnchor anchor = hdr_graph_anchor(playback->timebase);
    request->time = hdr_playback_limited(pipeline, anchor.time);
    request->host_time = (GstClockTime)anchor.source_time;
    request->is_carried_on = request->time == (GstClockTime)anchor.time;
}

static gboolean move(HdrPlayback *playback, GstElement *pipeline, GstClock *clock, Request *request, GError **error) {
    if (!is_movable(playback, pipeline, error))
        return FALSE;
    GstState state, pending;
    GstStateChangeReturn change;
    gst_element_get_state(pipeline, &state, &pending, 0);
    Before before = {.was_playing = state == GST_STATE_PLAYING || pending == GST_STATE_PLAYING};
    before.start_time = gst_element_get_start_time(pipeline);
    before.had_fixed_clock = GST_OBJECT_FLAG_IS_SET(pipeline, GST_PIPELINE_FLAG_FIXED_CLOCK);
    HdrAnchor former = hdr_graph_anchor(playback->timebase);
    gdouble former_rate = hdr_rate_to_double(former.rate);
    gboolean goes_on = FALSE;
    if (!GST_CLOCK_TIME_IS_VALID(request->time) && state == GST_STATE_PLAYING) {
        goes_on = (request->rate == 0 || !GST_CLOCK_TIME_IS_VALID(request->host_time)) &&
                  pending == GST_STATE_VOID_PENDING && hdr_playback_is_in_step(playback, pipeline);
        if (goes_on && request->rate == former_rate)
            return TRUE;
        if (goes_on)
            carry_on(playback, pipeline, request);
        else
            request->time = hdr_playback_position(playback, pipeline);
    }
    if (state == GST_STATE_PLAYING && pending == GST_STATE_VOID_PENDING)
        hdr_playback_wake_sinks(pipeline);
    if (state != GST_STATE_PAUSED || pending != GST_STATE_VOID_PENDING)
        set_state(pipeline, GST_STATE_PAUSED, &change);
    GError *failure = NULL;
    gboolean is_settled = hdr_playback_settle(playback, pipeline, NULL, NULL, &failure);
    if (!GST_CLOCK_TIME_IS_VALID(request->time))
        request->time = hdr_playback_position(playback, pipeline);
    /* The pause has set the start time that a pipeline goes on from, where it does not keep its base time. */
    if (GST_CLOCK_TIME_IS_VALID(before.start_time))
        before.start_time = gst_element_get_start_time(pipeline);
    before.own = gst_pipeline_get_pipeline_clock(GST_PIPELINE(pipeline));
    before.elements = gst_element_get_clock(pipeline);
    if (!clock)
        clock = before.own;
    gboolean is_taken = is_settled && take_clock(pipeline, clock, &failure);
    gboolean is_done =
        is_taken && (request->rate == 0 ? pause_at(playback, pipeline, clock, request, former_rate, &failure)
                                        : start_at(playback, pipeline, clock, request, &failure));
    if (!is_done && goes_on)
        gst_hdr_timebase_set_rate_and_anchor_time(playback->timebase, former_rate, former.time, former.source_time);
    /* Where an element has failed, or others move the pipeline meanwhile, there is nothing to go back to. */
    gboolean is_refused =
        (is_settled && !is_taken) || g_error_matches(failure, GST_HDR_ERROR, GST_HDR_ERROR_NOT_SEEKABLE);
    if (is_refused)
        put_back(pipeline, &before, clock);
    gst_clear_object(&before.own);
    gst_clear_object(&before.elements);
    if (failure)
        g_propagate_error(error, failure);
    return is_done;
}

/* A start waits for a preroll at this rate and the present time; it interrupts any other one. */
static void await_preroll(HdrPlayback *playback, gdouble rate, GstClockTime item_time) {
    g_mutex_lock(&playback->lock);
    if (rate == 0 || GST_CLOCK_TIME_IS_VALID(item_time) || playback->pending_rate != rate)
        g_atomic_int_inc(&playback->interruptions);
    else
        while (playback->pending_rate == rate)
            g_cond_wait(&playback->is_idle, &playback->lock);
    g_mutex_unlock(&playback->lock);
}

gboolean hdr_playback_set_rate_time(GstElement *pipeline, GstClock *clock, gdouble rate, GstClockTime item_time,
                                    GstClockTime host_time, GError **error) {
    Request request = {.rate = rate, .time = item_time, .host_time = host_time};
    if (!hdr_is_pipeline(pipeline, error))
        return FALSE;
    if (!hdr_rate_from_double(rate, &request.fraction)) {
        g_set_error(error, GST_HDR_ERROR, GST_HDR_ERROR_INVALID_ARGUMENT, "No pipeline can play at the rate %g", rate);
        return FALSE;
    }
    if ((GST_CLOCK_TIME_IS_VALID(item_time) && item_time > G_MAXINT64) ||
        (GST_CLOCK_TIME_IS_VALID(host_time) && host_time > G_MAXINT64)) {
        g_set_error(error, GST_HDR_ERROR, GST_HDR_ERROR_INVALID_ARGUMENT,
                    "A time is beyond the range of 2^63 ns: GST_CLOCK_TIME_NONE stands for none");
        return FALSE;
    }
    HdrPlayback *playback = hdr_playback_of(pipeline);
    await_preroll(playback, rate, item_time);
    hdr_playback_take_turn(playback);
    gboolean is_done = move(playback, pipeline, clock, &request, error);
    hdr_playback_end_turn(playback);
    hdr_playback_unref(playback);
    return is_done;
}

gboolean gst_hdr_set_rate_time_at_host_time(GstElement *pipeline, gdouble rate, GstClockTime item_time,
                                            GstClockTime host_time, GError **error) {
    return hdr_playback_set_rate_time(pipeline, NULL, rate, item_time, host_time, error);
}
