/* Timelines of GStreamer Editing Services whose dissolves are mixed in light.
 *
 *     g_setenv ("GST_PLUGIN_FEATURE_RANK", "hdrcompositor:300", FALSE);
 *     gst_init (NULL, NULL);
 *     ges_init ();
 *     ... build the timeline, with its transitions ...
 *     gst_hdr_timeline_dissolve_in_light (G_OBJECT (timeline), &error);
 *     ges_timeline_commit (timeline);
 *
 * This library does not link GStreamer Editing Services: it uses the one that the program has loaded. */
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
 * Replaces the crossfades of a timeline. GES sends both clips of each through an element of 8 bits; here the later clip
 * lies on another layer, or the earlier one does, and the opacity of the upper one is ramped, so that the mixer,
 * hdrcompositor, dissolves them at full depth. Where one does not cover the other, or is transparent, the opacity of
 * both is ramped and they are added. Sound is faded by the volume of both clips. Opacity and volume that a clip has
 * already are what its ramps reach.
 *
 * To be called once a timeline, after its clips and transitions are there. A layer with crossfades gets another layer
 * above it, for every second clip. Left as they are: other transitions (wipes), and crossfades of a clip whose opacity
 * or volume is controlled already, that lies between two transitions of which one is left, or that would have to be
 * added to pictures of a layer below.
 *
 * Returns: how many crossfades were replaced; -1 with @error set where @timeline is none, or a clip cannot be moved
 */
GST_HDR_API
gint gst_hdr_timeline_dissolve_in_light(GObject *timeline, GError **error);

G_END_DECLS

#endif
