/* Times and rates of clocks and timebases in terms of each other, by the rules of Apple's CMSync. Each argument is a
 * GstClock or a GstHdrTimebase. */
#ifndef GST_HDR_SYNC_H
#define GST_HDR_SYNC_H

#include <gst/gst.h>
#include <gst/hdr/gsthdrapi.h>

G_BEGIN_DECLS

/**
 * gst_hdr_sync_get_time:
 * @object: (type GObject.Object): a clock or a timebase
 *
 * Returns: its time now, in ns
 */
GST_HDR_API
GstClockTimeDiff gst_hdr_sync_get_time(gpointer object);

/**
 * gst_hdr_sync_convert_time:
 * @time: a time of @from, in ns
 * @from: (type GObject.Object): a clock or a timebase
 * @to: (type GObject.Object): a clock or a timebase
 *
 * The time of @to when @from shows @time. Where both run on one clock or timebase this is arithmetic alone, from the
 * present rates and anchors. Where they do not, both are read now, and their clocks are taken to run equally fast from
 * then on; see gst_hdr_sync_might_drift().
 *
 * Returns: the time, in ns; %GST_CLOCK_STIME_NONE where @from stands still, or a timebase that only @from and not @to
 *     runs on does, so that no moment follows from its time; and where @time is %GST_CLOCK_STIME_NONE
 */
GST_HDR_API
GstClockTimeDiff gst_hdr_sync_convert_time(GstClockTimeDiff time, gpointer from, gpointer to);

/**
 * gst_hdr_sync_get_relative_rate:
 * @of: (type GObject.Object): a clock or a timebase
 * @relative_to: (type GObject.Object): a clock or a timebase
 *
 * Where both run on one timebase, the result is that of their rates on it, whether or not that timebase itself moves.
 *
 * Returns: how much time passes in @of for each ns of @relative_to; NaN where @relative_to alone stands still, and 0
 *     where both do
 */
GST_HDR_API
gdouble gst_hdr_sync_get_relative_rate(gpointer of, gpointer relative_to);

/**
 * gst_hdr_sync_might_drift:
 * @one: (type GObject.Object): a clock or a timebase
 * @other: (type GObject.Object): a clock or a timebase
 *
 * Returns: whether the clocks at the ends of their chains differ
 */
GST_HDR_API
gboolean gst_hdr_sync_might_drift(gpointer one, gpointer other);

G_END_DECLS

#endif
