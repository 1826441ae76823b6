/* Display links: an application's function called for each refresh of a display, on a main context of its own, as
 * Apple's CADisplayLink is on a run loop.
 *
 *     GstHdrDisplayLink *link = gst_hdr_display_link_new (sink, NULL, &error);      // an edrsink, or a bin with one
 *     g_signal_connect (link, "refresh", G_CALLBACK (draw), NULL);
 *     gst_hdr_display_link_set_paused (link, FALSE);
 */
#ifndef GST_HDR_DISPLAY_LINK_H
#define GST_HDR_DISPLAY_LINK_H

#include <gst/gst.h>
#include <gst/hdr/gsthdrapi.h>

G_BEGIN_DECLS

#define GST_HDR_TYPE_DISPLAY_LINK (gst_hdr_display_link_get_type())
GST_HDR_API
G_DECLARE_FINAL_TYPE(GstHdrDisplayLink, gst_hdr_display_link, GST_HDR, DISPLAY_LINK, GObject)

/**
 * GstHdrDisplayLink:
 *
 * An object that tells when a display shows another picture.
 */

/**
 * GstHdrDisplayLink::refresh:
 * @link: the link
 * @now: the time of the last refresh, of CLOCK_MONOTONIC, in ns
 * @target: the time of CLOCK_MONOTONIC at which a picture that is made now is shown, in ns
 * @interval: the time from one refresh to the next, in ns
 *
 * Emitted on the main context of the link for each refresh of the display. Where the context is late, refreshes that
 * have passed are left out, and only the newest is told.
 */

/**
 * gst_hdr_display_link_new:
 * @sink: an edrsink, or a bin that contains one by now, such as a pipeline or an hdrvideosink
 * @context: (nullable): where the signal is emitted; %NULL is the calling thread's default main context
 * @error: what went wrong
 *
 * Makes a link to the display of a sink. The link is paused at first, and does not keep the sink alive.
 *
 * Returns: (transfer full) (nullable): the link; %NULL with @error set to %GST_HDR_ERROR_INVALID_ARGUMENT, in the
 *     domain %GST_HDR_ERROR, where there is no edrsink
 */
GST_HDR_API
GstHdrDisplayLink *gst_hdr_display_link_new(GstElement *sink, GMainContext *context, GError **error);

/**
 * gst_hdr_display_link_set_paused:
 * @link: a link
 * @paused: whether the signal is withheld
 *
 * Once a call on the context's own thread has paused the link, no signal comes any more. A sink whose links are all
 * paused asks its display for nothing.
 */
GST_HDR_API
void gst_hdr_display_link_set_paused(GstHdrDisplayLink *link, gboolean paused);

/**
 * gst_hdr_display_link_get_paused:
 * @link: a link
 *
 * Returns: whether the signal is withheld
 */
GST_HDR_API
gboolean gst_hdr_display_link_get_paused(GstHdrDisplayLink *link);

G_END_DECLS

#endif
