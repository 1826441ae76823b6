#include "playback.h"

typedef struct {
    HdrPlayback *playback;
    GCancellable *cancellable;
    gdouble rate;
    gint interruptions;
    /* Whether the pipeline was in PAUSED when the preroll was asked for. */
    gboolean was_paused;
} HdrPreroll;

static void preroll_free(gpointer pointer) {
    HdrPreroll *preroll = pointer;
    hdr_playback_unref(preroll->playback);
    g_clear_object(&preroll->cancellable);
    g_free(preroll);
}

static gboolean is_over(gpointer pointer, GError **error) {
    HdrPreroll *preroll = pointer;
    if (g_cancellable_set_error_if_cancelled(preroll->cancellable, error))
        return TRUE;
    if (g_atomic_int_get(&preroll->playback->interruptions) == preroll->interruptions)
        return FALSE;
    g_set_error(error, GST_HDR_ERROR, GST_HDR_ERROR_INTERRUPTED,
                "The preroll was cancelled, or another time or rate was set before it was done");
    return TRUE;
}

static gboolean preroll_now(HdrPreroll *preroll, GstElement *pipeline, GError **error) {
    if (is_over(preroll, error))
        return FALSE;
    if (!hdr_playback_settle(preroll->playback, pipeline, is_over, preroll, error)) {
        if (preroll->was_paused && g_error_matches(*error, GST_HDR_ERROR, GST_HDR_ERROR_NOT_READY))
            (*error)->code = GST_HDR_ERROR_INTERRUPTED;
        return FALSE;
    }
    if (GST_STATE(pipeline) != GST_STATE_PAUSED) {
        g_set_error(error, GST_HDR_ERROR, GST_HDR_ERROR_NOT_READY, "The pipeline plays: pause it before, with rate 0");
        return FALSE;
    }
    return hdr_playback_prime(preroll->playback, pipeline, preroll->rate,
                              hdr_playback_position(preroll->playback, pipeline), is_over, preroll, error);
}

/* Ends what a start at that rate waits for. It does not end the wait for a newer preroll. */
static void set_done(HdrPreroll *preroll) {
    HdrPlayback *playback = preroll->playback;
    g_mutex_lock(&playback->lock);
    if (playback->pending_number == preroll->interruptions) {
        playback->pending_rate = 0;
        g_cond_broadcast(&playback->is_idle);
    }
    g_mutex_unlock(&playback->lock);
}

static void run(GTask *task, gpointer pipeline, gpointer pointer, GCancellable *cancellable) {
    (void)cancellable;
    HdrPreroll *preroll = pointer;
    GError *error = NULL;
    hdr_playback_take_turn(preroll->playback);
    gboolean is_ready = preroll_now(preroll, pipeline, &error);
    hdr_playback_end_turn(preroll->playback);
    set_done(preroll);
    if (is_ready)
        g_task_return_boolean(task, TRUE);
    else
        g_task_return_error(task, error);
}

void gst_hdr_preroll_at_rate(GstElement *pipeline, gdouble rate, GCancellable *cancellable,
                             GAsyncReadyCallback callback, gpointer user_data) {
    GError *error = NULL;
    HdrRate fraction;
    g_return_if_fail(GST_IS_ELEMENT(pipeline));
    GTask *task = g_task_new(pipeline, cancellable, callback, user_data);
    /* A preroll that was cancelled when the pipeline was ready already succeeds. */
    g_task_set_check_cancellable(task, FALSE);
    if (!hdr_rate_from_double(rate, &fraction) || rate == 0)
        g_set_error(&error, GST_HDR_ERROR, GST_HDR_ERROR_INVALID_ARGUMENT,
                    "A preroll needs the rate at which the pipeline will start, not %g", rate);
    if (error || !hdr_is_pipeline(pipeline, &error)) {
        g_task_return_error(task, error);
        g_object_unref(task);
        return;
    }
    HdrPreroll *preroll = g_new0(HdrPreroll, 1);
    preroll->playback = hdr_playback_of(pipeline);
    preroll->cancellable = cancellable ? g_object_ref(cancellable) : NULL;
    preroll->rate = rate;
    preroll->was_paused = GST_STATE_TARGET(pipeline) >= GST_STATE_PAUSED;
    /* Only the newest preroll is kept. */
    g_mutex_lock(&preroll->playback->lock);
    preroll->interruptions = g_atomic_int_add(&preroll->playback->interruptions, 1) + 1;
    preroll->playback->pending_number = preroll->interruptions;
    preroll->playback->pending_rate = rate;
    g_mutex_unlock(&preroll->playback->lock);
    g_task_set_task_data(task, preroll, preroll_free);
    g_task_run_in_thread(task, run);
    g_object_unref(task);
}

gboolean gst_hdr_preroll_at_rate_finish(GstElement *pipeline, GAsyncResult *result, GError **error) {
    g_return_val_if_fail(g_task_is_valid(result, pipeline), FALSE);
    return g_task_propagate_boolean(G_TASK(result), error);
}

gboolean gst_hdr_preroll_finish(GAsyncResult *result, GError **error) {
    g_return_val_if_fail(G_IS_TASK(result), FALSE);
    return gst_hdr_preroll_at_rate_finish(g_task_get_source_object(G_TASK(result)), result, error);
}

void gst_hdr_cancel_pending_prerolls(GstElement *pipeline) {
    g_return_if_fail(GST_IS_PIPELINE(pipeline));
    HdrPlayback *playback = hdr_playback_of(pipeline);
    g_atomic_int_inc(&playback->interruptions);
    hdr_playback_unref(playback);
}
