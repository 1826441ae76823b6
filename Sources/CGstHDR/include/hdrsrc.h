/* The element hdrsrc. CGstHDR.h says who implements the functions and who owns the arguments. */
#ifndef CGSTHDR_HDRSRC_H
#define CGSTHDR_HDRSRC_H

#include <gst/gst.h>

#pragma GCC visibility push(hidden)
G_BEGIN_DECLS

typedef struct _GstHdrSrc {
    GstBin parent;
    gpointer impl;
    /* Whether the parent class's change of state waits for the pads; accessed atomically. */
    gint is_pending;
} GstHdrSrc;

typedef struct _GstHdrSrcClass {
    GstBinClass parent_class;
} GstHdrSrcClass;

GType gst_hdr_src_get_type(void);
gboolean gst_element_register_hdrsrc(GstPlugin *plugin);
GstDebugCategory *gst_hdr_src_debug_category(void);

typedef enum {
    GST_HDR_SRC_PROP_LOCATION = 1,
    GST_HDR_SRC_PROP_DECODE,
    GST_HDR_SRC_PROP_ASSUME,
    GST_HDR_SRC_PROP_KEEP_CAPS,
    GST_HDR_SRC_PROP_START,
    GST_HDR_SRC_PROP_STOP,
    GST_HDR_SRC_PROP_SOURCE_INFO,
} GstHdrSrcProp;

typedef enum { GST_HDR_SRC_ASSUME_NONE, GST_HDR_SRC_ASSUME_PQ, GST_HDR_SRC_ASSUME_HLG } GstHdrSrcAssume;

/* The defaults of properties, in ns where they are times. */
static const gboolean GST_HDR_SRC_DEFAULT_DECODE = TRUE;
static const GstHdrSrcAssume GST_HDR_SRC_DEFAULT_ASSUME = GST_HDR_SRC_ASSUME_NONE;
static const guint64 GST_HDR_SRC_DEFAULT_START = 0;
static const guint64 GST_HDR_SRC_DEFAULT_STOP = 0;

/* C. Ends the wait that began with the change from READY to PAUSED, since the pads are there. */
void gst_hdr_src_pads_are_there(GstHdrSrc *element);

/* Swift. start and stop are called by the thread that changes the state, stop after streaming has ended; the others by
 * any thread. */
gpointer hdr_src_new(GstHdrSrc *element);
void hdr_src_free(gpointer impl);
void hdr_src_set_property(gpointer impl, guint id, const GValue *value);
void hdr_src_get_property(gpointer impl, guint id, GValue *value);
/* Whether the file can be read. Where it cannot, an error has been posted. */
gboolean hdr_src_start(gpointer impl);
void hdr_src_stop(gpointer impl);
/* Answers what only the element knows, and returns FALSE for the rest. */
gboolean hdr_src_query(gpointer impl, GstQuery *query);
/* Takes ownership of a message of an element inside the bin, and returns the message to post in its place; NULL for
 * none. */
GstMessage *hdr_src_explain(gpointer impl, GstMessage *message);

G_END_DECLS
#pragma GCC visibility pop

#endif
