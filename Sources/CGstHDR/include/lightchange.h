/* A query by which an element learns whether the light of what it gets is still that of the source's file: decoders and
 * demuxers drop light levels too, so that caps without any do not say so. */
#ifndef CGSTHDR_LIGHTCHANGE_H
#define CGSTHDR_LIGHTCHANGE_H

#include <gst/gst.h>

#pragma GCC visibility push(hidden)
G_BEGIN_DECLS

typedef enum {
    /* As far as the elements before the pad say. */
    GST_HDR_LIGHT_UNCHANGED,
    /* Pictures were changed on the display that they were mastered on. */
    GST_HDR_LIGHT_GRADED,
    /* They were converted for another display. */
    GST_HDR_LIGHT_CONVERTED,
} GstHdrLightChange;

/* Asks the elements before a sink pad. The nearest one that changes light answers. */
GstHdrLightChange gst_hdr_light_change_ask(GstPad *pad);
/* Whether a query asks that. */
gboolean gst_hdr_light_change_is_asked(GstQuery *query);
void gst_hdr_light_change_answer(GstQuery *query, GstHdrLightChange change);

G_END_DECLS
#pragma GCC visibility pop

#endif
