#include <gst/hdr/gsthdrsync.h>
#include "graph.h"
#include <math.h>

/* A clock or a timebase. */
typedef struct {
    GstClock *clock;
    GstHdrTimebase *timebase;
} HdrParty;

static gboolean party(gpointer object, HdrParty *party) {
    *party = (HdrParty){GST_IS_CLOCK(object) ? object : NULL, GST_HDR_IS_TIMEBASE(object) ? object : NULL};
    return party->clock || party->timebase;
}

/* The nearest timebase that both run on, or that one of them is. NULL where they share a clock at most. */
static GstHdrTimebase *common(GstHdrTimebase *one, GstHdrTimebase *other) {
    for (; one; one = one->source)
        for (GstHdrTimebase *candidate = other; candidate; candidate = candidate->source)
            if (candidate == one)
                return one;
    return NULL;
}

static GstClock *root(HdrParty party) { return party.clock ? party.clock : hdr_graph_root(party.timebase); }

/* Takes the lock and reads the ultimate clocks, as one step. */
static void lock_now(HdrParty one, HdrParty other, GstClockTimeDiff *now, GstClockTimeDiff *other_now) {
    for (;;) {
        hdr_graph_lock();
        GstClock *clock = gst_object_ref(root(one)), *other_clock = gst_object_ref(root(other));
        hdr_graph_unlock();
        *now = hdr_clock_time(clock);
        *other_now = clock == other_clock ? *now : hdr_clock_time(other_clock);
        hdr_graph_lock();
        gboolean is_same = root(one) == clock && root(other) == other_clock;
        /* These are not the last references, since they are still the roots. */
        if (is_same) {
            gst_object_unref(clock);
            gst_object_unref(other_clock);
            return;
        }
        hdr_graph_unlock();
        gst_object_unref(clock);
        gst_object_unref(other_clock);
    }
}

GstClockTimeDiff gst_hdr_sync_get_time(gpointer object) {
    HdrParty one;
    g_return_val_if_fail(party(object, &one), GST_CLOCK_STIME_NONE);
    return one.clock ? hdr_clock_time(one.clock) : gst_hdr_timebase_get_time(one.timebase);
}

/* Converts a time of the timebase down to a time of `end`, which is one of the timebases that it runs on, or of its
 * clock where `end` is NULL. */
static gboolean to_source(GstHdrTimebase *timebase, GstHdrTimebase *end, GstClockTimeDiff *time) {
    for (; timebase != end; timebase = timebase->source)
        if (!hdr_anchor_source_time(&timebase->anchor, *time, FALSE, time))
            return FALSE;
    return TRUE;
}

/* Converts a time of `end` up again to a time of the timebase. */
static GstClockTimeDiff from_source(GstHdrTimebase *timebase, GstHdrTimebase *end, GstClockTimeDiff time) {
    return timebase == end ? time : hdr_anchor_time_at(&timebase->anchor, from_source(timebase->source, end, time));
}

GstClockTimeDiff gst_hdr_sync_convert_time(GstClockTimeDiff time, gpointer from, gpointer to) {
    HdrParty one, other;
    g_return_val_if_fail(party(from, &one) && party(to, &other), GST_CLOCK_STIME_NONE);
    if (!GST_CLOCK_STIME_IS_VALID(time) || from == to)
        return time;
    GstClockTimeDiff now, other_now;
    lock_now(one, other, &now, &other_now);
    GstHdrTimebase *shared = common(one.timebase, other.timebase);
    GstClockTimeDiff result = GST_CLOCK_STIME_NONE;
    if (to_source(one.timebase, shared, &time)) {
        if (root(one) != root(other))
            time = hdr_time_clamped((HdrWide)time - now + other_now);
        result = from_source(other.timebase, shared, time);
    }
    hdr_graph_unlock();
    return result;
}

static HdrProduct rate_above(GstHdrTimebase *timebase, GstHdrTimebase *end) {
    HdrProduct product = {1, 1};
    for (; timebase != end; timebase = timebase->source)
        product = hdr_product(product, timebase->anchor.rate);
    return product;
}

gdouble gst_hdr_sync_get_relative_rate(gpointer of, gpointer relative_to) {
    HdrParty one, other;
    g_return_val_if_fail(party(of, &one) && party(relative_to, &other), NAN);
    hdr_graph_lock();
    GstHdrTimebase *shared = common(one.timebase, other.timebase);
    HdrProduct rate = rate_above(one.timebase, shared), base = rate_above(other.timebase, shared);
    hdr_graph_unlock();
    if (base.numerator == 0)
        return rate.numerator == 0 ? 0 : NAN;
    return (gdouble)(rate.numerator * base.denominator / (rate.denominator * base.numerator));
}

gboolean gst_hdr_sync_might_drift(gpointer one, gpointer other) {
    HdrParty first, second;
    g_return_val_if_fail(party(one, &first) && party(other, &second), FALSE);
    hdr_graph_lock();
    gboolean result = root(first) != root(second);
    hdr_graph_unlock();
    return result;
}
