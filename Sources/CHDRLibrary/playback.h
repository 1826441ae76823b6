/* What is kept of a pipeline that is started by host times. */
#ifndef HDR_PLAYBACK_H
#define HDR_PLAYBACK_H

#include <gst/hdr/gsthdrplayback.h>
#include "rate.h"

typedef struct {
    gint references;
    /* Held by whoever moves the pipeline, from its seek until it is there: hdr_playback_take_turn(). */
    GMutex turn;
    /* Counts what ends prerolls that wait. */
    gint interruptions;
    GMutex lock;
    GCond is_idle;
    /* With the lock: the rate of the newest preroll that is not done, and its number; 0 where there is none. */
    gdouble pending_rate;
    gint pending_number;
    /* With the lock: what an element said that failed. */
    GError *failure;
    GstHdrTimebase *timebase;
    /* With the turn: where the pipeline is prerolled, and how that can be told from what others did since. */
    GstClockTime primed_time;
    gint64 primed_position;
    guint32 primed_seqnum;
} HdrPlayback;

/* A reference to the record of a pipeline. */
HdrPlayback *hdr_playback_of(GstElement *pipeline);
void hdr_playback_unref(HdrPlayback *playback);

/* One thread at a time moves a pipeline. What its timebase has to say is said when the turn is over, so that handlers
 * may move the pipeline too. */
void hdr_playback_take_turn(HdrPlayback *playback);
void hdr_playback_end_turn(HdrPlayback *playback);

/* Whether a wait is to end; sets the error then. */
typedef gboolean (*HdrIsOver)(gpointer user_data, GError **error);

/* Needs the turn, and a pipeline in PAUSED. Goes to a time at a rate, and returns when the frame of that time is there.
 */
gboolean hdr_playback_prime(HdrPlayback *playback, GstElement *pipeline, gdouble rate, GstClockTime time,
                            HdrIsOver is_over, gpointer user_data, GError **error);

/* Waits for a change of state that is under way; needs the turn. */
gboolean hdr_playback_settle(HdrPlayback *playback, GstElement *pipeline, HdrIsOver is_over, gpointer user_data,
                             GError **error);

/* The present time of the stream; 0 where nothing says it. */
GstClockTime hdr_playback_position(GstElement *pipeline);

/* The running time of a time of the stream: 0 where a seek went to it. A demuxer that cannot be so accurate begins
 * before. */
GstClockTime hdr_playback_running_time(GstElement *pipeline, GstClockTime time);

/* Whether the pipeline waits in PAUSED without a frame, because the stream ended before one. */
gboolean hdr_playback_is_empty(GstElement *pipeline);

gboolean hdr_is_pipeline(GstElement *pipeline, GError **error);

#endif
