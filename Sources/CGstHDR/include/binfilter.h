/* A filter inside a bin, or the base of an element: one sink and one source pad, with the class's pad templates.
 * CGstHDR.h says who implements the functions and who owns the arguments. */
#ifndef CGSTHDR_BINFILTER_H
#define CGSTHDR_BINFILTER_H

#include <gst/gst.h>

#pragma GCC visibility push(hidden)
G_BEGIN_DECLS

typedef struct _GstHdrBinFilter {
    GstElement parent;
    GstPad *sinkpad;
    GstPad *srcpad;
    gpointer impl;
} GstHdrBinFilter;

typedef struct _GstHdrBinFilterClass {
    GstElementClass parent_class;
} GstHdrBinFilterClass;

GType gst_hdr_bin_filter_get_type(void);

/* C. For the instance_init of a subclass; takes ownership of impl. */
void gst_hdr_bin_filter_set_impl(GstHdrBinFilter *element, gpointer impl);

/* C. Returns a floating element, which takes ownership of impl. */
GstHdrBinFilter *gst_hdr_bin_filter_new(const gchar *name, gpointer impl);

/* Swift. The streaming thread calls chain and event, which take ownership of the buffer and the event. query, for
 * queries from upstream, and source_query, for those from downstream, answer what only the filter knows and return
 * FALSE for the rest. drops_upstream says whether an event from downstream ends here; upstream takes
 * over one that does not, and returns the event that goes on in its place. stop is called after streaming has ended. */
void hdr_bin_filter_attach(gpointer impl, GstHdrBinFilter *element);
void hdr_bin_filter_free(gpointer impl);
GstFlowReturn hdr_bin_filter_chain(gpointer impl, GstBuffer *buffer);
gboolean hdr_bin_filter_event(gpointer impl, GstEvent *event);
gboolean hdr_bin_filter_query(gpointer impl, GstQuery *query);
gboolean hdr_bin_filter_source_query(gpointer impl, GstQuery *query);
gboolean hdr_bin_filter_drops_upstream(gpointer impl, GstEvent *event);
GstEvent *hdr_bin_filter_upstream(gpointer impl, GstEvent *event);
void hdr_bin_filter_stop(gpointer impl);

G_END_DECLS
#pragma GCC visibility pop

#endif
