/* Whether this machine plays HDR. */
#ifndef GST_HDR_ELIGIBILITY_H
#define GST_HDR_ELIGIBILITY_H

#include <gst/gst.h>
#include <gst/hdr/gsthdrapi.h>

G_BEGIN_DECLS

/**
 * gst_hdr_eligible_for_hdr_playback:
 *
 * The counterpart of AVPlayer's eligibleForHDRPlayback: whether there is a decoder for HDR video (H.265 Main 10, AV1 or
 * VP9 of profile 2), and a display, that of WAYLAND_DISPLAY or of DISPLAY, which shows more than SDR white. No window
 * is seen. The displays are asked at each call. That takes some hundredths of a second, and up to 10 s for each of
 * Wayland and X11 where it does not answer, so that the main thread of a user interface must not call this. It needs
 * the plugin hdr.
 *
 * Returns: whether both are there; FALSE too where the plugin is not found
 */
GST_HDR_API
gboolean gst_hdr_eligible_for_hdr_playback(void);

G_END_DECLS

#endif
