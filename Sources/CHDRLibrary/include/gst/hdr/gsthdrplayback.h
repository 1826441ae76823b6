/* Pipelines that start, change their rate and stop at an exact time of a clock, as AVPlayer does with
 * setRate:time:atHostTime:, prerollAtRate: and masterClock.
 *
 *     gst_element_set_state (pipeline, GST_STATE_PAUSED);
 *     GstClock *clock = gst_system_clock_obtain ();
 *     gst_hdr_use_master_clock (pipeline, clock, &error);
 *     ...
 *     GstClockTime start = gst_clock_get_time (clock) + 100 * GST_MSECOND;
 *     gst_hdr_set_rate_time_at_host_time (pipeline, 1, 0, start, &error);
 *
 * Several pipelines with one clock and one host time start on one instant, in one program or, with a GstNetClientClock,
 * on several machines.
 *
 * A `pipeline` is a GstPipeline that can seek; one that cannot is started at rate 1 from where it is prerolled. Live
 * ones cannot be started so. The application may also pause, play and seek it by itself, between these calls, by the
 * rules of GStreamer, which then chooses the base time. These functions wait for the pipeline, so that
 * they must not be called from its streaming threads, nor from its bus's sync handler. */
#ifndef GST_HDR_PLAYBACK_H
#define GST_HDR_PLAYBACK_H

#include <gio/gio.h>
#include <gst/gst.h>
#include <gst/hdr/gsthdrapi.h>
#include <gst/hdr/gsthdrtimebase.h>

G_BEGIN_DECLS

/**
 * GstHdrError:
 * @GST_HDR_ERROR_INVALID_ARGUMENT: a rate or a time that is not valid
 * @GST_HDR_ERROR_NOT_READY: the pipeline is in a state that does not allow this; the message says in which it must be
 * @GST_HDR_ERROR_NOT_SEEKABLE: the pipeline cannot go to that time at that rate
 * @GST_HDR_ERROR_INTERRUPTED: another call, seek or change of state came between, or the time that was given is over
 * @GST_HDR_ERROR_FAILED: an element or a device failed, is missing or does not answer; the message says which, in the
 *     words of the element where it has any
 *
 * What went wrong, in the domain %GST_HDR_ERROR.
 */
typedef enum {
    GST_HDR_ERROR_INVALID_ARGUMENT,
    GST_HDR_ERROR_NOT_READY,
    GST_HDR_ERROR_NOT_SEEKABLE,
    GST_HDR_ERROR_INTERRUPTED,
    GST_HDR_ERROR_FAILED
} GstHdrError;

#define GST_HDR_ERROR (gst_hdr_error_quark())
GST_HDR_API
GQuark gst_hdr_error_quark(void);

/**
 * gst_hdr_use_master_clock:
 * @pipeline: a pipeline in NULL, READY or PAUSED
 * @clock: (nullable): what it runs on; %NULL gives clock and base time back to GStreamer
 * @error: what went wrong
 *
 * Sets the pipeline's clock, which the host times of gst_hdr_set_rate_time_at_host_time() refer to. Without this call
 * it is the one that GStreamer chooses, such as that of an audio device. Sound that is played on another clock than its
 * device's is skewed in steps to stay in time.
 *
 * Returns: whether that was done
 */
GST_HDR_API
gboolean gst_hdr_use_master_clock(GstElement *pipeline, GstClock *clock, GError **error);

/**
 * gst_hdr_set_rate_time_at_host_time:
 * @pipeline: a pipeline in PAUSED or PLAYING
 * @rate: the rate; a negative one plays backwards, 0 pauses
 * @item_time: a time of the stream, in ns; %GST_CLOCK_TIME_NONE is the present one
 * @host_time: a time of the pipeline's clock, in ns; %GST_CLOCK_TIME_NONE is as soon as possible
 * @error: what went wrong
 *
 * The pipeline shows @item_time exactly when its clock shows @host_time: the first frame is presented then, and each
 * following one after its distance in the stream divided by the rate. Until then the pipeline stays at @item_time, and
 * shows its frame. An @item_time after the end stands for the end.
 *
 * Where @host_time is in the past, or cannot be kept because the pipeline needs longer to get there, the pipeline goes
 * to where it would be if it had run at @rate since; it joins in 40 ms later, or as soon as its seek allows, on the
 * frame that is to be seen then. A pipeline that is at @item_time already, because it was paused or prerolled there, or
 * because nothing was played yet, does not seek again.
 *
 * Without either time, the timebase of a pipeline that plays goes on from its present time at @rate, without a jump.
 * The picture stands while the pipeline seeks, 20 ms or as long as its seek takes, and then is where the timebase is.
 * The rate at which the pipeline plays already changes nothing.
 *
 * At rate 0 the pipeline pauses now, and shows the frame of @item_time, or the last frame where that time lies after
 * the end; @host_time does not matter.
 *
 * Where the pipeline cannot go to that time at that rate, it goes on as before, after a short pause if it was playing.
 * A live pipeline is not touched; one that is on its way to PLAYING, and whose sources do not say yet that they are
 * live, goes on as before.
 *
 * Returns: whether it will start
 */
GST_HDR_API
gboolean gst_hdr_set_rate_time_at_host_time(GstElement *pipeline, gdouble rate, GstClockTime item_time,
                                            GstClockTime host_time, GError **error);

/**
 * gst_hdr_preroll_at_rate:
 * @pipeline: a pipeline in PAUSED
 * @rate: the rate at which it will be started, not 0
 * @cancellable: (nullable): ends the wait
 * @callback: (scope async) (closure user_data): called on the main context that is the thread's default now
 * @user_data: for @callback
 *
 * Gets the pipeline ready to start from where it is at @rate without delay. The wait ends early, with
 * %GST_HDR_ERROR_INTERRUPTED, for another time or rate, and where the pipeline leaves PAUSED; where @cancellable is
 * cancelled, it ends with %G_IO_ERROR_CANCELLED, in the domain %G_IO_ERROR.
 */
GST_HDR_API
void gst_hdr_preroll_at_rate(GstElement *pipeline, gdouble rate, GCancellable *cancellable,
                             GAsyncReadyCallback callback, gpointer user_data);

/**
 * gst_hdr_preroll_at_rate_finish:
 * @pipeline: the pipeline
 * @result: what the callback was given
 * @error: what went wrong
 *
 * Returns: whether the pipeline is ready to start
 */
GST_HDR_API
gboolean gst_hdr_preroll_at_rate_finish(GstElement *pipeline, GAsyncResult *result, GError **error);

/**
 * gst_hdr_preroll_finish:
 * @result: what the callback was given
 * @error: what went wrong
 *
 * The same without the pipeline, for languages in which the function that ends an asynchronous one has no object, such
 * as Vala.
 *
 * Returns: whether the pipeline is ready to start
 */
GST_HDR_API
gboolean gst_hdr_preroll_finish(GAsyncResult *result, GError **error);

/**
 * gst_hdr_cancel_pending_prerolls:
 * @pipeline: a pipeline
 *
 * Ends all waits of gst_hdr_preroll_at_rate(), with %GST_HDR_ERROR_INTERRUPTED.
 */
GST_HDR_API
void gst_hdr_cancel_pending_prerolls(GstElement *pipeline);

/**
 * gst_hdr_get_timebase:
 * @pipeline: a pipeline
 *
 * The time of the stream as gst_hdr_set_rate_time_at_host_time() has set it, on the pipeline's clock. Before the host
 * time it is less than the item time by what is left until the start; at the end of the stream it stops there. It is to
 * be read only: setting it changes nothing in the pipeline.
 *
 * The timebase follows a pipeline that the application itself plays, pauses, seeks with %GST_SEEK_FLAG_FLUSH or stops,
 * some ms later, on a thread of the library, which emits its signals then. It does not follow seeks without a flush,
 * steps, nor streams that change their segment as they play, nor a pipeline whose application drops all messages in a
 * sync handler of the bus.
 *
 * Returns: (transfer full): the pipeline's timebase, always the same object
 */
GST_HDR_API
GstHdrTimebase *gst_hdr_get_timebase(GstElement *pipeline);

/**
 * gst_hdr_follow_timebase:
 * @pipeline: a pipeline in PAUSED or PLAYING
 * @timebase: (nullable): a timebase of the application; %NULL ends the following
 * @error: what went wrong
 *
 * From now on the pipeline shows what the timebase says, as an AVSampleBufferDisplayLayer does with its
 * controlTimebase. It shows the frame of each time when the timebase has that time, at the timebase's rate, also
 * backwards, and while the timebase stands still the frame of that time. The clock at the end of the timebase's chain
 * becomes the pipeline's. A jump or another rate is followed in the way that gst_hdr_set_rate_time_at_host_time()
 * follows a host time that has passed. Before time 0 the stream waits on its first frame, after its end on its last
 * one. While the pipeline is in READY or NULL nothing is followed; a change of the timebase while the pipeline is in
 * PAUSED or PLAYING takes it up again.
 *
 * The first change is followed before this call returns, later ones on a thread of the library. What cannot be followed
 * is reported as a warning on the pipeline's bus. After the call that ends the following, nothing moves the pipeline
 * any more; it goes on as it plays then. The pipeline keeps the timebase alive as long as it follows it.
 *
 * A pipeline that cannot go to the timebase's time at its rate, or does not take its clock, goes on as before on the
 * clock that it has, after a short pause if it was playing.
 *
 * Returns: FALSE, with nothing followed, for the pipeline's own timebase or one that runs on it, and where the pipeline
 *     cannot be started
 */
GST_HDR_API
gboolean gst_hdr_follow_timebase(GstElement *pipeline, GstHdrTimebase *timebase, GError **error);

G_END_DECLS

#endif
