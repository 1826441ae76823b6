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
 * Replaces the crossfades of a timeline's pictures. GES sends both clips of a crossfade through an element of 8 bits.
 * This function puts one of the two clips on another layer and ramps the opacity of the upper one, so that the mixer,
 * hdrcompositor, dissolves them at full depth. Where one clip does not cover the other, or is transparent, the opacity
 * of both is ramped and they are added. A ramp goes between 0 and the opacity or volume that a clip has already.
 *
 * Sound keeps its crossfades. Those of a clip that goes to another layer, and those that are one transition with the
 * pictures', become ramps of volume; all others, such as those of sound in clips of its own, are left to GES. A clip
 * that takes part in no crossfade is not changed.
 *
 * It is to be called once for each timeline, after its clips and transitions are there. A layer with crossfades gets
 * another layer above it, for every second clip. Clips stay in their groups, and the other clips of a group stay where
 * they are. Other transitions (wipes) are left as they are. So are crossfades of a clip whose opacity or volume is
 * controlled already, or whose sound has a crossfade with such a clip, that lies between two transitions of which one
 * is left, that would have to be added to pictures of a layer below, or that lies below an effect clip or a text clip,
 * of its own layer or of a higher one.
 *
 * Returns: how many crossfades of pictures were replaced; -1 with @error set, in the domain %GST_HDR_ERROR: to
 *     %GST_HDR_ERROR_INVALID_ARGUMENT where @timeline is none of GES 1.22 or newer, and to %GST_HDR_ERROR_FAILED where
 *     a clip cannot be moved. In case of an error all clips are on the layers where they were, and all crossfades are
 *     those of GES
 */
GST_HDR_API
gint gst_hdr_timeline_dissolve_in_light(GObject *timeline, GError **error);

G_END_DECLS

#endif
