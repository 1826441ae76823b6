/* A step inside of a bin. CGstHDR.h says whose the functions and the arguments are. */
#ifndef CGSTHDR_STAGE_H
#define CGSTHDR_STAGE_H

#include <gst/gst.h>

#pragma GCC visibility push(hidden)
G_BEGIN_DECLS

typedef struct _GstHdrStage {
    GstElement parent;
    GstPad *sinkpad;
    GstPad *srcpad;
    gpointer impl;
} GstHdrStage;

typedef struct _GstHdrStageClass {
    GstElementClass parent_class;
} GstHdrStageClass;

/* C. A floating element, which takes impl over. */
GstHdrStage *gst_hdr_stage_new(const gchar *name, gpointer impl);

/* Swift. The streaming thread calls chain and event, which take over what they are given. query answers what only the
 * stage knows and returns FALSE for the rest. drops_upstream says whether an event from below ends here. stop is called
 * after streaming has ended. */
void hdr_stage_attach(gpointer impl, GstHdrStage *element);
void hdr_stage_free(gpointer impl);
GstFlowReturn hdr_stage_chain(gpointer impl, GstBuffer *buffer);
gboolean hdr_stage_event(gpointer impl, GstEvent *event);
gboolean hdr_stage_query(gpointer impl, GstQuery *query);
gboolean hdr_stage_drops_upstream(gpointer impl, GstEvent *event);
void hdr_stage_stop(gpointer impl);

G_END_DECLS
#pragma GCC visibility pop

#endif
