/* The record of a pipeline that is started by host times. */
#ifndef HDR_PLAYBACK_H
#define HDR_PLAYBACK_H

#include <gst/hdr/gsthdrplayback.h>
#include "rate.h"

typedef struct {
    gint references;
    /* Held by the thread that moves the pipeline, from its seek until it is there; see hdr_playback_take_turn(). */
    GMutex turn;
    /* Counts the events that end waits for a preroll. */
    gint interruptions;
    GMutex lock;
    GCond is_idle;
    /* Guarded by the lock: the rate of the newest preroll that is not done, and its number; 0 where there is none. */
    gdouble pending_rate;
    gint pending_number;
    /* Guarded by the lock: the error of an element that failed. */
    GError *failure;
    /* Guarded by the lock, and written by the thread that has the turn: counts starts, so that the end of one stream
     * does not stop the next one. */
    guint starts;
    /* Guarded by the lock: whether the stream has ended, and was not moved since. */
    gboolean has_ended;
    /* Whether a look at the pipeline is to come; see hdr_playback_watch(). */
    gint is_look_due;
    GstHdrTimebase *timebase;
    /* Guarded by the turn: where the pipeline is prerolled, and what tells whether others have moved it since. */
    GstClockTime primed_time;
    gint64 primed_position;
    guint32 primed_seqnum;
    /* Guarded by the turn: the base time that the last start set, and the number of its seek. Where the pipeline has
     * another base time, or its segment comes from another seek, the application has moved it since. */
    GstClockTime base_time;
    guint32 started_seqnum;
} HdrPlayback;

/* A new reference to the record of a pipeline. */
HdrPlayback *hdr_playback_of(GstElement *pipeline);
void hdr_playback_unref(HdrPlayback *playback);

/* One thread at a time moves a pipeline. The signals of its timebase are emitted when the turn is over, so that
 * handlers may move the pipeline too. */
void hdr_playback_take_turn(HdrPlayback *playback);
gboolean hdr_playback_try_turn(HdrPlayback *playback);
void hdr_playback_end_turn(HdrPlayback *playback);

/* Has the timebase follow what the application itself does with the pipeline. */
void hdr_playback_watch(HdrPlayback *playback, GstBus *bus);

/* Sets the timebase to what the pipeline does, where others have moved it. The caller holds the turn. */
void hdr_playback_look(HdrPlayback *playback, GstElement *pipeline);

/* Whether the host time of the last start has passed, and the playing pipeline agrees with its timebase. */
gboolean hdr_playback_is_in_step(HdrPlayback *playback, GstElement *pipeline);

/* Whether a wait is to end, in which case it sets the error. */
typedef gboolean (*HdrIsOver)(gpointer user_data, GError **error);

/* Goes to a time at a rate, and returns when the frame of that time is there. The caller holds the turn, and the
 * pipeline is in PAUSED. */
gboolean hdr_playback_prime(HdrPlayback *playback, GstElement *pipeline, gdouble rate, GstClockTime time,
                            HdrIsOver is_over, gpointer user_data, GError **error);

/* Waits for a change of state that is under way. The caller holds the turn. */
gboolean hdr_playback_settle(HdrPlayback *playback, GstElement *pipeline, HdrIsOver is_over, gpointer user_data,
                             GError **error);

/* The error of an element that failed since it was taken last, which the caller then owns; NULL where there is none. */
GError *hdr_playback_take_failure(HdrPlayback *playback);

/* Whether a sink's stream comes from a live source. */
gboolean hdr_playback_is_live(GstElement *pipeline);

#define HDR_LIVE_CANNOT_MOVE "A live pipeline has no frame before it plays, and cannot go to a time"

/* What a sink knows of the stream. A sink whose stream is in bytes knows nothing. */
typedef struct {
    GstSegment segment;
    /* The number of the seek that the segment came from. */
    guint32 seqnum;
    gint64 position;
    /* Whether it was told the end of the stream. */
    gboolean has_ended;
} HdrSink;
/* The first sink that knows the time of its stream; FALSE where there is none. */
gboolean hdr_playback_find_sink(GstElement *pipeline, HdrSink *found);

/* The number of the seek that the first sink's segment came from; 0 where there is none. */
guint32 hdr_playback_seqnum(GstElement *pipeline);

/* The present time of the stream; FALSE where no element tells it, as where it began at its end. */
gboolean hdr_playback_find_position(GstElement *pipeline, GstClockTime *time);

/* The same, or that of the timebase. */
GstClockTime hdr_playback_position(HdrPlayback *playback, GstElement *pipeline);

/* The nearest time within the stream, of which no end is known where no element tells it. */
GstClockTime hdr_playback_limited(GstElement *pipeline, GstClockTimeDiff time);

/* The running time of a time of the stream: 0 where a seek went to exactly that time, and more where a demuxer that
 * cannot seek so accurately begins before it. */
GstClockTime hdr_playback_running_time(GstElement *pipeline, GstClockTime time);

/* Sets the start time of a pipeline in PAUSED so that it is, and goes on, at a time of the stream. Without one, sinks
 * that are set to PAUSED once more tell the end of the frame that they show, which nobody has seen yet. */
void hdr_playback_set_start_time(GstElement *pipeline, GstClockTime time);

/* The latency that sinks add to the times of buffers. */
GstClockTime hdr_playback_latency(GstElement *pipeline);

/* How the time of a stream that plays follows from that of the pipeline's clock: by the segment of its first sink, the
 * base time and the latency. FALSE where no sink tells it. */
gboolean hdr_playback_anchor(GstElement *pipeline, HdrAnchor *anchor);

/* Waits, in PLAYING, until the threads of the sinks have left their preroll. GStreamer's base sink, paused before its
 * thread wakes up, plays that frame in PAUSED, at its time on whichever clock the sink has then. */
void hdr_playback_wake_sinks(GstElement *pipeline);

/* Whether the pipeline waits in PAUSED without a frame, because the stream ended before one. */
gboolean hdr_playback_is_empty(GstElement *pipeline);

/* What gst_hdr_set_rate_time_at_host_time() does, on a clock that becomes the pipeline's; NULL is the one that it has.
 * A pipeline that cannot go there, or does not take the clock, keeps its own. */
gboolean hdr_playback_set_rate_time(GstElement *pipeline, GstClock *clock, gdouble rate, GstClockTime item_time,
                                    GstClockTime host_time, GError **error);

gboolean hdr_is_pipeline(GstElement *pipeline, GError **error);

#endif
