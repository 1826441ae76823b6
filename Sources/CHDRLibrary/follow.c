/* Pipelines that show what a timebase says. */
#include "graph.h"
#include "playback.h"

typedef struct {
    gint references;
    GWeakRef pipeline;
    GstHdrTimebase *timebase;
    gulong handlers[3];
    GThread *thread;
    GMutex lock;
    GCond changed;
    /* Guarded by the lock. */
    gboolean has_change, is_over;
} Follower;

static GQuark follower_quark(void) { return g_quark_from_static_string("gst-hdr-follower"); }

static Follower *follower_ref(Follower *follower) {
    g_atomic_int_inc(&follower->references);
    return follower;
}

static void follower_unref(gpointer data) {
    Follower *follower = data;
    if (!g_atomic_int_dec_and_test(&follower->references))
        return;
    g_weak_ref_clear(&follower->pipeline);
    g_object_unref(follower->timebase);
    g_mutex_clear(&follower->lock);
    g_cond_clear(&follower->changed);
    g_free(follower);
}

static void handler_gone(gpointer data, GClosure *closure) {
    (void)closure;
    follower_unref(data);
}

static void note_change(Follower *follower) {
    g_mutex_lock(&follower->lock);
    follower->has_change = TRUE;
    g_cond_signal(&follower->changed);
    g_mutex_unlock(&follower->lock);
}

/* A reading of the timebase: the stream is at `time`, at `rate`, when the clock shows `moment`. */
typedef struct {
    GstClock *clock;
    gdouble rate;
    GstClockTimeDiff time, moment;
} Instant;

/* Clamps the time to the stream. A timebase that is outside and runs towards the stream gives the moment at which it
 * gets there, so that the stream starts in time; otherwise a timebase outside gives rate 0. */
static Instant read_timebase(GstHdrTimebase *timebase, GstClockTimeDiff duration) {
    Instant instant;
    instant.moment = hdr_graph_lock_now(timebase);
    instant.clock = gst_object_ref(hdr_graph_root(timebase));
    instant.rate = hdr_graph_effective_rate(timebase);
    instant.time = hdr_graph_time_at_root(timebase, instant.moment);
    GstClockTimeDiff inside = CLAMP(instant.time, 0, duration);
    gboolean is_coming = (instant.time < inside && instant.rate > 0) || (instant.time > inside && instant.rate < 0);
    if (instant.time != inside && !(is_coming && hdr_graph_root_time(timebase, inside, &instant.moment)))
        instant.rate = 0;
    instant.time = inside;
    hdr_graph_unlock();
    return instant;
}

static gboolean apply(Follower *follower, GstElement *pipeline, GError **error) {
    gint64 duration;
    if (!gst_element_query_duration(pipeline, GST_FORMAT_TIME, &duration) || duration < 0)
        duration = G_MAXINT64;
    Instant instant = read_timebase(follower->timebase, duration);
    gboolean is_done = hdr_playback_set_rate_time(pipeline, instant.clock, instant.rate, (GstClockTime)instant.time,
                                                  (GstClockTime)MAX(instant.moment, 0), error);
    gst_object_unref(instant.clock);
    return is_done;
}

static void warn(GstElement *pipeline, GError *problem) {
    gst_element_post_message(
        pipeline, gst_message_new_warning(GST_OBJECT(pipeline), problem, "The pipeline does not follow its timebase"));
}

static gpointer follow(gpointer data) {
    Follower *follower = data;
    for (;;) {
        g_mutex_lock(&follower->lock);
        while (!follower->has_change && !follower->is_over)
            g_cond_wait(&follower->changed, &follower->lock);
        gboolean is_over = follower->is_over;
        follower->has_change = FALSE;
        g_mutex_unlock(&follower->lock);
        GstElement *pipeline = is_over ? NULL : g_weak_ref_get(&follower->pipeline);
        if (!pipeline)
            break;
        GError *problem = NULL;
        if (GST_STATE_TARGET(pipeline) >= GST_STATE_PAUSED && !apply(follower, pipeline, &problem))
            warn(pipeline, problem);
        g_clear_error(&problem);
        gst_object_unref(pipeline);
    }
    follower_unref(follower);
    return NULL;
}

/* After this no further change is followed; only one under way is finished. */
static void stop(Follower *follower) {
    for (guint index = 0; index < G_N_ELEMENTS(follower->handlers); index++)
        g_clear_signal_handler(&follower->handlers[index], follower->timebase);
    g_mutex_lock(&follower->lock);
    follower->is_over = TRUE;
    g_cond_signal(&follower->changed);
    g_mutex_unlock(&follower->lock);
}

/* Called when the pipeline is finalized, of which the thread itself may hold the last reference. */
static void follower_free(gpointer data) {
    Follower *follower = data;
    stop(follower);
    g_clear_pointer(&follower->thread, g_thread_unref);
    follower_unref(follower);
}

static void end(Follower *follower) {
    stop(follower);
    if (follower->thread && follower->thread != g_thread_self())
        g_thread_join(g_steal_pointer(&follower->thread));
    follower_free(follower);
}

static gboolean runs_on(GstHdrTimebase *timebase, GstHdrTimebase *other) {
    gboolean does = FALSE;
    hdr_graph_lock();
    for (; timebase && !does; timebase = timebase->source)
        does = timebase == other;
    hdr_graph_unlock();
    return does;
}

static Follower *follower_new(GstElement *pipeline, GstHdrTimebase *timebase) {
    static const gchar *const changes[] = {"time-jumped", "effective-rate-changed", "source-changed"};
    Follower *follower = g_new0(Follower, 1);
    follower->references = 1;
    g_weak_ref_init(&follower->pipeline, pipeline);
    follower->timebase = g_object_ref(timebase);
    g_mutex_init(&follower->lock);
    g_cond_init(&follower->changed);
    for (guint index = 0; index < G_N_ELEMENTS(changes); index++)
        follower->handlers[index] = g_signal_connect_data(timebase, changes[index], G_CALLBACK(note_change),
                                                          follower_ref(follower), handler_gone, G_CONNECT_SWAPPED);
    return follower;
}

gboolean gst_hdr_follow_timebase(GstElement *pipeline, GstHdrTimebase *timebase, GError **error) {
    if (!hdr_is_pipeline(pipeline, error))
        return FALSE;
    g_return_val_if_fail(!timebase || GST_HDR_IS_TIMEBASE(timebase), FALSE);
    if (timebase) {
        GstHdrTimebase *own = gst_hdr_get_timebase(pipeline);
        gboolean is_own = runs_on(timebase, own);
        g_object_unref(own);
        if (is_own) {
            g_set_error(error, GST_HDR_ERROR, GST_HDR_ERROR_INVALID_ARGUMENT,
                        "A pipeline cannot follow its own timebase, nor one that runs on it");
            return FALSE;
        }
    }
    static GMutex mutex;
    g_mutex_lock(&mutex);
    Follower *former = g_object_steal_qdata(G_OBJECT(pipeline), follower_quark());
    g_mutex_unlock(&mutex);
    if (former)
        end(former);
    if (!timebase)
        return TRUE;
    Follower *follower = follower_new(pipeline, timebase);
    if (!apply(follower, pipeline, error)) {
        follower_free(follower);
        return FALSE;
    }
    follower->thread = g_thread_new("hdr-timebase", follow, follower_ref(follower));
    g_mutex_lock(&mutex);
    g_object_set_qdata_full(G_OBJECT(pipeline), follower_quark(), follower, follower_free);
    g_mutex_unlock(&mutex);
    return TRUE;
}
