/* A query that tells an element whether the light of its input is still that of the source's file. Caps do not tell
 * that, because decoders and demuxers drop light levels too. */
#ifndef CGSTHDR_LIGHTCHANGE_H
#define CGSTHDR_LIGHTCHANGE_H

#include <gst/gst.h>

#pragma GCC visibility push(hidden)
G_BEGIN_DECLS

typedef enum {
    /* Unchanged, as far as the elements upstream of the pad say. */
    GST_HDR_LIGHT_UNCHANGED,
    /* The light was changed, as by hdrtap, but is still graded for the mastering display in the caps. */
    GST_HDR_LIGHT_GRADED,
    /* Pictures were converted for another display. */
    GST_HDR_LIGHT_CONVERTED,
} GstHdrLightChange;

/* Sends the query upstream from a sink pad. The nearest element that changes light answers. */
GstHdrLightChange gst_hdr_light_change_ask(GstPad *pad);
/* Whether a query is this one. */
gboolean gst_hdr_light_change_is_asked(GstQuery *query);
void gst_hdr_light_change_answer(GstQuery *query, GstHdrLightChange change);

G_END_DECLS
#pragma GCC visibility pop

#endif
