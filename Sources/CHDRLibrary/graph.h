/* The graph of timebases and what they run on. One lock guards the sources, anchors and rates of all of them, so that
 * what is read of a chain is of one moment; it is held for arithmetic only. Clocks are read without it, because a clock
 * may itself ask a timebase. */
#ifndef HDR_GRAPH_H
#define HDR_GRAPH_H

#include <gst/hdr/gsthdrtimebase.h>
#include "rate.h"

typedef struct HdrTimers HdrTimers;

struct _GstHdrTimebase {
    GObject parent;
    /* The source: one of these is set, and owned. */
    GstClock *clock;
    GstHdrTimebase *source;
    HdrAnchor anchor;
    /* The timebases that run on this one, as HdrDependent. */
    GPtrArray *dependents;
    HdrTimers *timers;
};

void hdr_graph_lock(void);
void hdr_graph_unlock(void);

/* A clock's time as a GstClockTimeDiff. */
GstClockTimeDiff hdr_clock_time(GstClock *clock);

/* Takes the lock and returns the ultimate clock's time, read after the last change that the lock shows. */
GstClockTimeDiff hdr_graph_lock_now(GstHdrTimebase *timebase);

/* The caller of these holds the lock. */
GstClock *hdr_graph_root(GstHdrTimebase *timebase);
gdouble hdr_graph_effective_rate(GstHdrTimebase *timebase);
GstClockTimeDiff hdr_graph_time_at_root(GstHdrTimebase *timebase, GstClockTimeDiff root_time);

/* What a timebase was told last. The caller does not hold the lock. */
HdrAnchor hdr_graph_anchor(GstHdrTimebase *timebase);

/* A time of the ultimate clock at which the timebase has come to `time`, not before it should; FALSE where something in
 * the chain stands still. */
gboolean hdr_graph_root_time(GstHdrTimebase *timebase, GstClockTimeDiff time, GstClockTimeDiff *root_time);

/* A change lies between hdr_change_begin(), which needs the lock, and hdr_change_end(), which releases it, notifies all
 * users and arms timers anew. */
typedef enum { HDR_CHANGE_RATE, HDR_CHANGE_JUMP, HDR_CHANGE_SOURCE } HdrChangeKind;

typedef struct {
    GArray *notices;
} HdrChange;

HdrChange hdr_change_begin(GstHdrTimebase *timebase, HdrChangeKind kind);
void hdr_change_end(HdrChange *change, GstClockTimeDiff root_time);

/* Between these two calls, which may nest, changes that this thread makes are told to nobody; the outermost second call
 * tells them all. So the thread can hold a lock meanwhile that a handler takes. */
void hdr_notices_hold(void);
void hdr_notices_release(void);

void hdr_signal_time_jumped(GstHdrTimebase *timebase, GstClockTimeDiff time);
void hdr_signal_rate_changed(GstHdrTimebase *timebase, gdouble rate);
void hdr_signal_source_changed(GstHdrTimebase *timebase);

void hdr_graph_add_dependent(GstHdrTimebase *source, GstHdrTimebase *timebase);
void hdr_graph_remove_dependent(GstHdrTimebase *source, GstHdrTimebase *timebase);
void hdr_dependent_free(gpointer dependent);

HdrTimers *hdr_timers_new(void);
void hdr_timers_free(HdrTimers *timers);
/* The caller must not hold the graph's lock. */
void hdr_timers_rearm(GstHdrTimebase *timebase);

#endif
