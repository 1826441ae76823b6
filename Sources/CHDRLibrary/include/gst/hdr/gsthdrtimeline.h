/* Timelines of GStreamer Editing Services (GES) whose dissolves are mixed in linear light.
 *
 *     g_setenv ("GST_PLUGIN_FEATURE_RANK", "hdrcompositor:300", FALSE);
 *     gst_init (NULL, NULL);
 *     ges_init ();
 *     ... build the timeline, with its transitions ...
 *     gst_hdr_timeline_dissolve_in_light (G_OBJECT (timeline), &error);
 *     ges_timeline_commit (timeline);
 *
 * This library does not link GES: it uses the one that the program has loaded. */
#ifndef GST_HDR_TIMELINE_H
#define GST_HDR_TIMELINE_H

#include <glib-object.h>
#include <gst/gst.h>
#include <gst/hdr/gsthdrapi.h>

G_BEGIN_DECLS

/**
 * gst_hdr_timeline_dissolve_in_light:
 * @timeline: a GESTimeline that no pipeline plays yet
 * @error: what went wrong
 *
 * Replaces the crossfades of a timeline. GES sends both clips of a crossfade through an element of 8 bits. This
 * function puts one of the two clips on another layer and ramps the opacity of the upper one, so that the mixer,
 * hdrcompositor, dissolves them at full depth. Where one clip does not cover the other, or is transparent, the opacity
 * of both is ramped and they are added. Sound is faded by the volume of both clips. A ramp goes between 0 and the
 * opacity or volume that a clip has already.
 *
 * It is to be called once for each timeline, after its clips and transitions are there. A layer with crossfades gets
 * another layer above it, for every second clip. Other transitions (wipes) are left as they are. So are crossfades of a
 * clip whose opacity or volume is controlled already, that lies between two transitions of which one is left, or that
 * would have to be added to pictures of a layer below.
 *
 * Returns: how many crossfades were replaced; -1 with @error set, in the domain %GST_HDR_ERROR: to
 *     %GST_HDR_ERROR_INVALID_ARGUMENT where @timeline is none of GES 1.22 or newer, and to %GST_HDR_ERROR_FAILED where
 *     a clip cannot be moved
 */
GST_HDR_API
gint gst_hdr_timeline_dissolve_in_light(GObject *timeline, GError **error);

G_END_DECLS

#endif
