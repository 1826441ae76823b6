#include "graph.h"

static GMutex graph_mutex;
/* Counts changes, so that whoever has read a clock knows whether anything changed meanwhile. */
static guint graph_serial;

void hdr_graph_lock(void) { g_mutex_lock(&graph_mutex); }

void hdr_graph_unlock(void) { g_mutex_unlock(&graph_mutex); }

GstClockTimeDiff hdr_clock_time(GstClock *clock) {
    GstClockTime time = gst_clock_get_time(clock);
    return (GstClockTimeDiff)MIN(time, (GstClockTime)G_MAXINT64);
}

GstClock *hdr_graph_root(GstHdrTimebase *timebase) {
    while (timebase->source)
        timebase = timebase->source;
    return timebase->clock;
}

GstClockTimeDiff hdr_graph_lock_now(GstHdrTimebase *timebase) {
    /* Where other threads change rates without end, a time read just before one of these changes must do. */
    for (guint tries = 0;; tries++) {
        hdr_graph_lock();
        guint serial = graph_serial;
        GstClock *clock = gst_object_ref(hdr_graph_root(timebase));
        hdr_graph_unlock();
        GstClockTimeDiff now = hdr_clock_time(clock);
        hdr_graph_lock();
        gboolean is_same = hdr_graph_root(timebase) == clock && (serial == graph_serial || tries >= 16);
        if (is_same) {
            /* This cannot be the last reference, since the timebase has one too. */
            gst_object_unref(clock);
            return now;
        }
        hdr_graph_unlock();
        gst_object_unref(clock);
    }
}

gdouble hdr_graph_effective_rate(GstHdrTimebase *timebase) {
    HdrProduct product = {1, 1};
    for (; timebase; timebase = timebase->source)
        product = hdr_product(product, timebase->anchor.rate);
    /* A rate of 0 has no sign. */
    return hdr_product_to_double(product) + 0.0;
}

GstClockTimeDiff hdr_graph_time_at_root(GstHdrTimebase *timebase, GstClockTimeDiff root_time) {
    GstClockTimeDiff source_time = timebase->source ? hdr_graph_time_at_root(timebase->source, root_time) : root_time;
    return hdr_anchor_time_at(&timebase->anchor, source_time);
}

/* Whether the timebase, which runs forwards or backwards on the ultimate clock, has come to a time. */
static gboolean has_reached(GstHdrTimebase *timebase, GstClockTimeDiff time, gboolean is_forwards, HdrWide root_time) {
    GstClockTimeDiff now = hdr_graph_time_at_root(timebase, hdr_time_clamped(root_time));
    return is_forwards ? now >= time : now <= time;
}

HdrAnchor hdr_graph_anchor(GstHdrTimebase *timebase) {
    hdr_graph_lock();
    HdrAnchor anchor = timebase->anchor;
    hdr_graph_unlock();
    return anchor;
}

/* Exact arithmetic gives a first candidate. Each timebase of the chain rounds to whole ns, so that the last one may not
 * have reached the time at that moment yet; since none of them changes its direction, a binary search finds the first
 * later moment at which it has. */
gboolean hdr_graph_root_time(GstHdrTimebase *timebase, GstClockTimeDiff time, GstClockTimeDiff *root_time) {
    gboolean is_forwards = TRUE;
    GstClockTimeDiff moment = time;
    for (GstHdrTimebase *link = timebase; link; link = link->source) {
        if (!hdr_anchor_source_time(&link->anchor, moment, TRUE, &moment))
            return FALSE;
        is_forwards ^= link->anchor.rate.numerator < 0;
    }
    HdrWide early = moment, late = moment;
    for (HdrWide step = 1; late < G_MAXINT64 && !has_reached(timebase, time, is_forwards, late); step *= 2) {
        early = late;
        late += step;
    }
    while (late - early > 1) {
        HdrWide middle = early + (late - early) / 2;
        if (has_reached(timebase, time, is_forwards, middle))
            late = middle;
        else
            early = middle;
    }
    *root_time = hdr_time_clamped(late);
    return TRUE;
}

/* The pointer serves for comparison only: what it points to may be gone. */
typedef struct {
    gconstpointer identity;
    GWeakRef reference;
} HdrDependent;

void hdr_dependent_free(gpointer pointer) {
    HdrDependent *dependent = pointer;
    g_weak_ref_clear(&dependent->reference);
    g_free(dependent);
}

void hdr_graph_add_dependent(GstHdrTimebase *source, GstHdrTimebase *timebase) {
    HdrDependent *dependent = g_new0(HdrDependent, 1);
    dependent->identity = timebase;
    g_weak_ref_init(&dependent->reference, timebase);
    g_ptr_array_add(source->dependents, dependent);
}

void hdr_graph_remove_dependent(GstHdrTimebase *source, GstHdrTimebase *timebase) {
    for (guint index = 0; index < source->dependents->len; index++) {
        HdrDependent *dependent = g_ptr_array_index(source->dependents, index);
        if (dependent->identity == timebase) {
            g_ptr_array_remove_index_fast(source->dependents, index);
            return;
        }
    }
}

/* The signals that one timebase has to emit. */
typedef struct {
    GstHdrTimebase *timebase;
    gdouble rate_before, rate;
    GstClockTimeDiff time;
    gboolean jumps, has_new_source;
} HdrNotice;

static void collect(GArray *notices, GstHdrTimebase *timebase, HdrChangeKind kind, gboolean jumps) {
    HdrNotice notice = {timebase, hdr_graph_effective_rate(timebase), 0, 0, jumps, kind == HDR_CHANGE_SOURCE};
    g_array_append_val(notices, notice);
    for (guint index = 0; index < timebase->dependents->len; index++) {
        HdrDependent *dependent = g_ptr_array_index(timebase->dependents, index);
        GstHdrTimebase *other = g_weak_ref_get(&dependent->reference);
        /* A timebase that stands still does not jump when the one that it runs on does. */
        if (other)
            collect(notices, other, kind, jumps && other->anchor.rate.numerator != 0);
    }
}

HdrChange hdr_change_begin(GstHdrTimebase *timebase, HdrChangeKind kind) {
    HdrChange change = {g_array_new(FALSE, FALSE, sizeof(HdrNotice))};
    collect(change.notices, g_object_ref(timebase), kind, kind == HDR_CHANGE_JUMP);
    return change;
}

static void tell(GArray *notices) {
    for (guint index = 0; index < notices->len; index++) {
        HdrNotice *notice = &g_array_index(notices, HdrNotice, index);
        if (notice->has_new_source)
            hdr_signal_source_changed(notice->timebase);
        if (notice->rate_before != notice->rate)
            hdr_signal_rate_changed(notice->timebase, notice->rate);
        if (notice->jumps)
            hdr_signal_time_jumped(notice->timebase, notice->time);
        g_object_unref(notice->timebase);
    }
    g_array_unref(notices);
}

/* The signals, HdrNotice, that a thread has yet to emit, and how many locks it holds for which it must not. A thread
 * that moves a pipeline may move another one from a handler of the first one's messages. */
typedef struct {
    guint locks;
    GArray *notices;
} HdrHeld;

static GPrivate held_by_thread;

void hdr_notices_hold(void) {
    HdrHeld *held = g_private_get(&held_by_thread);
    if (!held) {
        held = g_new0(HdrHeld, 1);
        held->notices = g_array_new(FALSE, FALSE, sizeof(HdrNotice));
        g_private_set(&held_by_thread, held);
    }
    held->locks++;
}

void hdr_notices_release(void) {
    HdrHeld *held = g_private_get(&held_by_thread);
    if (--held->locks > 0)
        return;
    g_private_set(&held_by_thread, NULL);
    tell(held->notices);
    g_free(held);
}

void hdr_change_end(HdrChange *change, GstClockTimeDiff root_time) {
    graph_serial++;
    for (guint index = 0; index < change->notices->len; index++) {
        HdrNotice *notice = &g_array_index(change->notices, HdrNotice, index);
        notice->rate = hdr_graph_effective_rate(notice->timebase);
        notice->time = hdr_graph_time_at_root(notice->timebase, root_time);
    }
    hdr_graph_unlock();
    for (guint index = 0; index < change->notices->len; index++)
        hdr_timers_rearm(g_array_index(change->notices, HdrNotice, index).timebase);
    HdrHeld *held = g_private_get(&held_by_thread);
    if (held) {
        g_array_append_vals(held->notices, change->notices->data, change->notices->len);
        g_array_unref(change->notices);
    } else {
        tell(change->notices);
    }
}
