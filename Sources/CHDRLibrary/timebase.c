#include "graph.h"

G_DEFINE_TYPE(GstHdrTimebase, gst_hdr_timebase, G_TYPE_OBJECT)

enum { TIME_JUMPED, RATE_CHANGED, SOURCE_CHANGED, SIGNALS };
static guint signals[SIGNALS];

void hdr_signal_time_jumped(GstHdrTimebase *timebase, GstClockTimeDiff time) {
    g_signal_emit(timebase, signals[TIME_JUMPED], 0, time);
}

void hdr_signal_rate_changed(GstHdrTimebase *timebase, gdouble rate) {
    g_signal_emit(timebase, signals[RATE_CHANGED], 0, rate);
}

void hdr_signal_source_changed(GstHdrTimebase *timebase) { g_signal_emit(timebase, signals[SOURCE_CHANGED], 0); }

static void gst_hdr_timebase_init(GstHdrTimebase *timebase) {
    timebase->anchor = (HdrAnchor){0, 0, {0, 1}};
    timebase->dependents = g_ptr_array_new_with_free_func(hdr_dependent_free);
    timebase->timers = hdr_timers_new();
    /* Objects that g_object_new() makes, as a binding may, run on the system's clock; the constructors replace this
     * source. */
    timebase->clock = gst_system_clock_obtain();
}

static void finalize(GObject *object) {
    GstHdrTimebase *timebase = GST_HDR_TIMEBASE(object);
    hdr_timers_free(timebase->timers);
    if (timebase->source) {
        hdr_graph_lock();
        hdr_graph_remove_dependent(timebase->source, timebase);
        hdr_graph_unlock();
    }
    g_clear_object(&timebase->source);
    gst_clear_object(&timebase->clock);
    g_ptr_array_unref(timebase->dependents);
    G_OBJECT_CLASS(gst_hdr_timebase_parent_class)->finalize(object);
}

static guint signal_with(const gchar *name, GType argument) {
    return g_signal_new(name, GST_HDR_TYPE_TIMEBASE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                        argument == G_TYPE_NONE ? 0 : 1, argument);
}

static void gst_hdr_timebase_class_init(GstHdrTimebaseClass *klass) {
    G_OBJECT_CLASS(klass)->finalize = finalize;
    signals[TIME_JUMPED] = signal_with("time-jumped", G_TYPE_INT64);
    signals[RATE_CHANGED] = signal_with("effective-rate-changed", G_TYPE_DOUBLE);
    signals[SOURCE_CHANGED] = signal_with("source-changed", G_TYPE_NONE);
}

GstHdrTimebase *gst_hdr_timebase_new(GstClock *clock) {
    g_return_val_if_fail(GST_IS_CLOCK(clock), NULL);
    GstHdrTimebase *timebase = g_object_new(GST_HDR_TYPE_TIMEBASE, NULL);
    gst_object_replace((GstObject **)&timebase->clock, (GstObject *)clock);
    timebase->anchor.source_time = hdr_clock_time(clock);
    return timebase;
}

GstHdrTimebase *gst_hdr_timebase_new_with_timebase(GstHdrTimebase *source) {
    g_return_val_if_fail(GST_HDR_IS_TIMEBASE(source), NULL);
    GstHdrTimebase *timebase = g_object_new(GST_HDR_TYPE_TIMEBASE, NULL);
    GstClockTimeDiff now = hdr_graph_lock_now(source);
    gst_clear_object(&timebase->clock);
    timebase->source = g_object_ref(source);
    timebase->anchor.source_time = hdr_graph_time_at_root(source, now);
    hdr_graph_add_dependent(source, timebase);
    hdr_graph_unlock();
    return timebase;
}

/* Whether `timebase` runs on `other`, or is it. The caller holds the lock. */
static gboolean runs_on(GstHdrTimebase *timebase, GstHdrTimebase *other) {
    for (; timebase; timebase = timebase->source)
        if (timebase == other)
            return TRUE;
    return FALSE;
}

/* Sets the source, of which one of clock and source is given. */
static gboolean set_source(GstHdrTimebase *timebase, GstClock *clock, GstHdrTimebase *source) {
    GstClock *root = NULL;
    GstClockTimeDiff now, new_root_time;
    for (;;) {
        root = clock ? gst_object_ref(clock) : gst_hdr_timebase_get_ultimate_clock(source);
        new_root_time = hdr_clock_time(root);
        now = hdr_graph_lock_now(timebase);
        if (source && runs_on(source, timebase)) {
            hdr_graph_unlock();
            gst_object_unref(root);
            return FALSE;
        }
        if (!source || hdr_graph_root(source) == root)
            break;
        hdr_graph_unlock();
        gst_object_unref(root);
    }
    /* Where both have one ultimate clock, both times are of one moment. */
    if (root == hdr_graph_root(timebase))
        new_root_time = now;
    HdrChange change = hdr_change_begin(timebase, HDR_CHANGE_SOURCE);
    GstClock *old_clock = timebase->clock;
    GstHdrTimebase *old_source = timebase->source;
    timebase->anchor.time = hdr_graph_time_at_root(timebase, now);
    timebase->anchor.source_time = source ? hdr_graph_time_at_root(source, new_root_time) : new_root_time;
    timebase->clock = clock ? gst_object_ref(clock) : NULL;
    timebase->source = source ? g_object_ref(source) : NULL;
    if (old_source)
        hdr_graph_remove_dependent(old_source, timebase);
    if (source)
        hdr_graph_add_dependent(source, timebase);
    hdr_change_end(&change, new_root_time);
    gst_object_unref(root);
    gst_clear_object(&old_clock);
    g_clear_object(&old_source);
    return TRUE;
}

void gst_hdr_timebase_set_source_clock(GstHdrTimebase *timebase, GstClock *clock) {
    g_return_if_fail(GST_HDR_IS_TIMEBASE(timebase) && GST_IS_CLOCK(clock));
    set_source(timebase, clock, NULL);
}

gboolean gst_hdr_timebase_set_source_timebase(GstHdrTimebase *timebase, GstHdrTimebase *source) {
    g_return_val_if_fail(GST_HDR_IS_TIMEBASE(timebase) && GST_HDR_IS_TIMEBASE(source), FALSE);
    return set_source(timebase, NULL, source);
}

GstClock *gst_hdr_timebase_get_source_clock(GstHdrTimebase *timebase) {
    g_return_val_if_fail(GST_HDR_IS_TIMEBASE(timebase), NULL);
    hdr_graph_lock();
    GstClock *clock = timebase->clock ? gst_object_ref(timebase->clock) : NULL;
    hdr_graph_unlock();
    return clock;
}

GstHdrTimebase *gst_hdr_timebase_get_source_timebase(GstHdrTimebase *timebase) {
    g_return_val_if_fail(GST_HDR_IS_TIMEBASE(timebase), NULL);
    hdr_graph_lock();
    GstHdrTimebase *source = timebase->source ? g_object_ref(timebase->source) : NULL;
    hdr_graph_unlock();
    return source;
}

GstClock *gst_hdr_timebase_get_ultimate_clock(GstHdrTimebase *timebase) {
    g_return_val_if_fail(GST_HDR_IS_TIMEBASE(timebase), NULL);
    hdr_graph_lock();
    GstClock *clock = gst_object_ref(hdr_graph_root(timebase));
    hdr_graph_unlock();
    return clock;
}

void gst_hdr_timebase_get_time_and_rate(GstHdrTimebase *timebase, GstClockTimeDiff *time, gdouble *rate) {
    g_return_if_fail(GST_HDR_IS_TIMEBASE(timebase));
    GstClockTimeDiff now = hdr_graph_lock_now(timebase);
    if (time)
        *time = hdr_graph_time_at_root(timebase, now);
    if (rate)
        *rate = hdr_rate_to_double(timebase->anchor.rate);
    hdr_graph_unlock();
}

GstClockTimeDiff gst_hdr_timebase_get_time(GstHdrTimebase *timebase) {
    GstClockTimeDiff time = GST_CLOCK_STIME_NONE;
    gst_hdr_timebase_get_time_and_rate(timebase, &time, NULL);
    return time;
}

static HdrRate current_rate(GstHdrTimebase *timebase) {
    hdr_graph_lock();
    HdrRate rate = timebase->anchor.rate;
    hdr_graph_unlock();
    return rate;
}

gdouble gst_hdr_timebase_get_rate(GstHdrTimebase *timebase) {
    g_return_val_if_fail(GST_HDR_IS_TIMEBASE(timebase), 0);
    return hdr_rate_to_double(current_rate(timebase));
}

gdouble gst_hdr_timebase_get_effective_rate(GstHdrTimebase *timebase) {
    g_return_val_if_fail(GST_HDR_IS_TIMEBASE(timebase), 0);
    hdr_graph_lock();
    gdouble rate = hdr_graph_effective_rate(timebase);
    hdr_graph_unlock();
    return rate;
}

void gst_hdr_timebase_get_rate_fraction(GstHdrTimebase *timebase, gint64 *numerator, gint64 *denominator) {
    g_return_if_fail(GST_HDR_IS_TIMEBASE(timebase) && numerator && denominator);
    HdrRate rate = current_rate(timebase);
    *numerator = rate.numerator;
    *denominator = rate.denominator;
}

GstClockTimeDiff gst_hdr_timebase_get_time_at(GstHdrTimebase *timebase, GstClockTimeDiff source_time) {
    g_return_val_if_fail(GST_HDR_IS_TIMEBASE(timebase), GST_CLOCK_STIME_NONE);
    if (!GST_CLOCK_STIME_IS_VALID(source_time))
        return GST_CLOCK_STIME_NONE;
    hdr_graph_lock();
    GstClockTimeDiff time = hdr_anchor_time_at(&timebase->anchor, source_time);
    hdr_graph_unlock();
    return time;
}

/* Sets the values that are not NULL; where only one of time and source_time is given, the other is that of now. */
static gboolean set_anchor(GstHdrTimebase *timebase, const HdrRate *rate, const GstClockTimeDiff *time,
                           const GstClockTimeDiff *source_time) {
    if ((time && !GST_CLOCK_STIME_IS_VALID(*time)) || (source_time && !GST_CLOCK_STIME_IS_VALID(*source_time)))
        return FALSE;
    GstClockTimeDiff now = hdr_graph_lock_now(timebase);
    HdrChange change = hdr_change_begin(timebase, time ? HDR_CHANGE_JUMP : HDR_CHANGE_RATE);
    GstClockTimeDiff source_now = timebase->source ? hdr_graph_time_at_root(timebase->source, now) : now;
    timebase->anchor = (HdrAnchor){
        time ? *time : hdr_anchor_time_at(&timebase->anchor, source_now),
        source_time ? *source_time : source_now,
        rate ? *rate : timebase->anchor.rate,
    };
    hdr_change_end(&change, now);
    return TRUE;
}

gboolean gst_hdr_timebase_set_time(GstHdrTimebase *timebase, GstClockTimeDiff time) {
    g_return_val_if_fail(GST_HDR_IS_TIMEBASE(timebase), FALSE);
    return set_anchor(timebase, NULL, &time, NULL);
}

gboolean gst_hdr_timebase_set_anchor_time(GstHdrTimebase *timebase, GstClockTimeDiff time,
                                          GstClockTimeDiff source_time) {
    g_return_val_if_fail(GST_HDR_IS_TIMEBASE(timebase), FALSE);
    return set_anchor(timebase, NULL, &time, &source_time);
}

gboolean gst_hdr_timebase_set_rate(GstHdrTimebase *timebase, gdouble rate) {
    g_return_val_if_fail(GST_HDR_IS_TIMEBASE(timebase), FALSE);
    HdrRate fraction;
    return hdr_rate_from_double(rate, &fraction) && set_anchor(timebase, &fraction, NULL, NULL);
}

gboolean gst_hdr_timebase_set_rate_fraction(GstHdrTimebase *timebase, gint64 numerator, gint64 denominator) {
    g_return_val_if_fail(GST_HDR_IS_TIMEBASE(timebase), FALSE);
    HdrRate fraction;
    return hdr_rate_from_fraction(numerator, denominator, &fraction) && set_anchor(timebase, &fraction, NULL, NULL);
}

gboolean gst_hdr_timebase_set_rate_and_anchor_time(GstHdrTimebase *timebase, gdouble rate, GstClockTimeDiff time,
                                                   GstClockTimeDiff source_time) {
    g_return_val_if_fail(GST_HDR_IS_TIMEBASE(timebase), FALSE);
    HdrRate fraction;
    return hdr_rate_from_double(rate, &fraction) && set_anchor(timebase, &fraction, &time, &source_time);
}
