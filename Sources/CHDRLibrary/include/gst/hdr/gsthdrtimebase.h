/* A timebase: a time that runs at a rate of its own on a clock, or on another timebase. The rules are those of Apple's
 * CMTimebase.
 *
 *     GstHdrTimebase *timebase = gst_hdr_timebase_new (clock);           // stands still at 0
 *     gst_hdr_timebase_set_time (timebase, 10 * GST_SECOND);
 *     gst_hdr_timebase_set_rate (timebase, -0.5);                        // and now runs backwards
 *
 * Times are in ns and may be negative. A result beyond the range of GstClockTimeDiff becomes the nearest time in it;
 * the least value of that type, GST_CLOCK_STIME_NONE, is no time. Between an anchor and a time the arithmetic is exact,
 * in 128 bits, and rounded to the nearest ns once, in each timebase of a chain.
 *
 * Every function may be called from any thread, and from handlers of the signals. Signals are emitted on the thread
 * that made the change, after it, with no lock held. */
#ifndef GST_HDR_TIMEBASE_H
#define GST_HDR_TIMEBASE_H

#include <gst/gst.h>
#include <gst/hdr/gsthdrapi.h>

G_BEGIN_DECLS

#define GST_HDR_TYPE_TIMEBASE (gst_hdr_timebase_get_type())
GST_HDR_API
G_DECLARE_FINAL_TYPE(GstHdrTimebase, gst_hdr_timebase, GST_HDR, TIMEBASE, GObject)

/**
 * GstHdrTimebase:
 *
 * A time that runs at a rate of its own on a clock or on another timebase.
 */

/**
 * GstHdrTimebase::time-jumped:
 * @timebase: the timebase
 * @time: its time, in ns
 *
 * The time was set, here or in a timebase that this one runs on. A new rate alone does not emit this.
 */

/**
 * GstHdrTimebase::effective-rate-changed:
 * @timebase: the timebase
 * @rate: its rate relative to the clock at the end of the chain
 *
 * The rate has changed, here or in a timebase that this one runs on.
 */

/**
 * GstHdrTimebase::source-changed:
 * @timebase: the timebase
 *
 * This timebase, or one that it runs on, has another source.
 */

/**
 * gst_hdr_timebase_new:
 * @clock: what it runs on
 *
 * A timebase at time 0 and rate 0.
 *
 * Returns: (transfer full): the timebase
 */
GST_HDR_API
GstHdrTimebase *gst_hdr_timebase_new(GstClock *clock);

/**
 * gst_hdr_timebase_new_with_timebase: (constructor)
 * @source: what it runs on
 *
 * A timebase at time 0 and rate 0, which runs on another one and keeps it alive.
 *
 * Returns: (transfer full): the timebase
 */
GST_HDR_API
GstHdrTimebase *gst_hdr_timebase_new_with_timebase(GstHdrTimebase *source);

/**
 * gst_hdr_timebase_set_source_clock:
 * @timebase: a timebase
 * @clock: what it runs on from now on
 *
 * Time and rate stay as they are at the moment of the change.
 */
GST_HDR_API
void gst_hdr_timebase_set_source_clock(GstHdrTimebase *timebase, GstClock *clock);

/**
 * gst_hdr_timebase_set_source_timebase:
 * @timebase: a timebase
 * @source: what it runs on from now on
 *
 * Time and rate stay as they are at the moment of the change.
 *
 * Returns: FALSE, with nothing changed, where @source runs on @timebase
 */
GST_HDR_API
gboolean gst_hdr_timebase_set_source_timebase(GstHdrTimebase *timebase, GstHdrTimebase *source);

/**
 * gst_hdr_timebase_get_source_clock:
 * @timebase: a timebase
 *
 * Returns: (transfer full) (nullable): the clock that it runs on directly; %NULL where it runs on a timebase
 */
GST_HDR_API
GstClock *gst_hdr_timebase_get_source_clock(GstHdrTimebase *timebase);

/**
 * gst_hdr_timebase_get_source_timebase:
 * @timebase: a timebase
 *
 * Returns: (transfer full) (nullable): the timebase that it runs on directly; %NULL where it runs on a clock
 */
GST_HDR_API
GstHdrTimebase *gst_hdr_timebase_get_source_timebase(GstHdrTimebase *timebase);

/**
 * gst_hdr_timebase_get_ultimate_clock:
 * @timebase: a timebase
 *
 * Returns: (transfer full): the clock at the end of the chain
 */
GST_HDR_API
GstClock *gst_hdr_timebase_get_ultimate_clock(GstHdrTimebase *timebase);

/**
 * gst_hdr_timebase_get_time:
 * @timebase: a timebase
 *
 * Returns: its time now, in ns
 */
GST_HDR_API
GstClockTimeDiff gst_hdr_timebase_get_time(GstHdrTimebase *timebase);

/**
 * gst_hdr_timebase_get_rate:
 * @timebase: a timebase
 *
 * Returns: its rate relative to what it runs on directly
 */
GST_HDR_API
gdouble gst_hdr_timebase_get_rate(GstHdrTimebase *timebase);

/**
 * gst_hdr_timebase_get_rate_fraction:
 * @timebase: a timebase
 * @numerator: (out): of the rate in lowest terms
 * @denominator: (out): of the rate in lowest terms, above 0
 *
 * The exact rate that the timebase computes with.
 */
GST_HDR_API
void gst_hdr_timebase_get_rate_fraction(GstHdrTimebase *timebase, gint64 *numerator, gint64 *denominator);

/**
 * gst_hdr_timebase_get_effective_rate:
 * @timebase: a timebase
 *
 * Returns: its rate relative to the clock at the end of the chain, which is the product of all rates
 */
GST_HDR_API
gdouble gst_hdr_timebase_get_effective_rate(GstHdrTimebase *timebase);

/**
 * gst_hdr_timebase_get_time_and_rate:
 * @timebase: a timebase
 * @time: (out) (optional): its time now, in ns
 * @rate: (out) (optional): the rate at which it runs at that time
 *
 * Both values are of one moment: no change by another thread lies between them.
 */
GST_HDR_API
void gst_hdr_timebase_get_time_and_rate(GstHdrTimebase *timebase, GstClockTimeDiff *time, gdouble *rate);

/**
 * gst_hdr_timebase_get_time_at:
 * @timebase: a timebase
 * @source_time: a time of what it runs on, in ns
 *
 * Returns: its time when what it runs on shows @source_time, as though rate and anchor had always been the present
 *     ones; %GST_CLOCK_STIME_NONE where @source_time is that
 */
GST_HDR_API
GstClockTimeDiff gst_hdr_timebase_get_time_at(GstHdrTimebase *timebase, GstClockTimeDiff source_time);

/**
 * gst_hdr_timebase_set_time:
 * @timebase: a timebase
 * @time: its time now, in ns
 *
 * Returns: FALSE, with nothing changed, where @time is %GST_CLOCK_STIME_NONE
 */
GST_HDR_API
gboolean gst_hdr_timebase_set_time(GstHdrTimebase *timebase, GstClockTimeDiff time);

/**
 * gst_hdr_timebase_set_anchor_time:
 * @timebase: a timebase
 * @time: its time, in ns
 * @source_time: the time of what it runs on at which it has that time, past or future, in ns
 *
 * Returns: FALSE, with nothing changed, where a time is %GST_CLOCK_STIME_NONE
 */
GST_HDR_API
gboolean gst_hdr_timebase_set_anchor_time(GstHdrTimebase *timebase, GstClockTimeDiff time,
                                          GstClockTimeDiff source_time);

/**
 * gst_hdr_timebase_set_rate:
 * @timebase: a timebase
 * @rate: the rate from now on: a negative one runs backwards, 0 stands still
 *
 * A rate is kept as a fraction whose value is this double, the first one of its continued fraction, so that 1.001 is
 * 1001/1000.
 *
 * Returns: FALSE, with nothing changed, for a rate that is no finite number or whose magnitude is above 2^31, or below
 *     2^-31 and not 0
 */
GST_HDR_API
gboolean gst_hdr_timebase_set_rate(GstHdrTimebase *timebase, gdouble rate);

/**
 * gst_hdr_timebase_set_rate_fraction:
 * @timebase: a timebase
 * @numerator: of the rate from now on
 * @denominator: of the rate from now on, not 0
 *
 * Returns: FALSE, with nothing changed, for a denominator of 0 and for terms of more than 62 bits
 */
GST_HDR_API
gboolean gst_hdr_timebase_set_rate_fraction(GstHdrTimebase *timebase, gint64 numerator, gint64 denominator);

/**
 * gst_hdr_timebase_set_rate_and_anchor_time:
 * @timebase: a timebase
 * @rate: as in gst_hdr_timebase_set_rate()
 * @time: its time, in ns
 * @source_time: the time of what it runs on at which it has that time, in ns
 *
 * The time goes on as though it had run at @rate since @source_time. Unlike gst_hdr_timebase_set_rate() this is a jump
 * in time, for which time-jumped is emitted.
 *
 * Returns: FALSE, with nothing changed, for a rate that gst_hdr_timebase_set_rate() refuses, and where a time is
 *     %GST_CLOCK_STIME_NONE
 */
GST_HDR_API
gboolean gst_hdr_timebase_set_rate_and_anchor_time(GstHdrTimebase *timebase, gdouble rate, GstClockTimeDiff time,
                                                   GstClockTimeDiff source_time);

/**
 * GstHdrTimebaseTimerFunc:
 * @timebase: the timebase
 * @fire_time: the time that has come, in ns
 * @user_data: what was given to gst_hdr_timebase_add_timer()
 *
 * Called on the main context of the timer.
 */
typedef void (*GstHdrTimebaseTimerFunc)(GstHdrTimebase *timebase, GstClockTimeDiff fire_time, gpointer user_data);

/**
 * gst_hdr_timebase_add_timer:
 * @timebase: a timebase
 * @context: (nullable): where @func is called; %NULL is the default main context
 * @func: (scope notified) (closure user_data) (destroy notify): the function that is called
 * @user_data: for @func
 * @notify: (nullable): called when @func is no longer needed
 *
 * Adds a timer, which does not fire before gst_hdr_timebase_set_timer_fire_time() has been called.
 *
 * Returns: its number, above 0
 */
GST_HDR_API
guint gst_hdr_timebase_add_timer(GstHdrTimebase *timebase, GMainContext *context, GstHdrTimebaseTimerFunc func,
                                 gpointer user_data, GDestroyNotify notify);

/**
 * gst_hdr_timebase_set_timer_fire_time:
 * @timebase: a timebase
 * @timer: a number of gst_hdr_timebase_add_timer()
 * @time: when it fires, in ns of the timebase; %GST_CLOCK_STIME_NONE for never
 *
 * The timer fires once when the timebase comes to that time in the direction in which it runs, or at once where it has
 * passed it. The moment is computed anew whenever rate or time change; while the timebase stands still there is none. A
 * timer that was due before such a change may fire all the same.
 *
 * Returns: FALSE where there is no such timer
 */
GST_HDR_API
gboolean gst_hdr_timebase_set_timer_fire_time(GstHdrTimebase *timebase, guint timer, GstClockTimeDiff time);

/**
 * gst_hdr_timebase_remove_timer:
 * @timebase: a timebase
 * @timer: a number of gst_hdr_timebase_add_timer()
 *
 * Once a call on the thread of the timer's context has returned, the function is not called again.
 *
 * Returns: FALSE where there is no such timer
 */
GST_HDR_API
gboolean gst_hdr_timebase_remove_timer(GstHdrTimebase *timebase, guint timer);

G_END_DECLS

#endif
