/* The element hdrmetaparse. CGstHDR.h says who implements the functions and who owns the arguments. */
#ifndef CGSTHDR_HDRMETAPARSE_H
#define CGSTHDR_HDRMETAPARSE_H

#include "binfilter.h"

#pragma GCC visibility push(hidden)
G_BEGIN_DECLS

typedef struct _GstHdrMetaParse {
    GstHdrBinFilter parent;
} GstHdrMetaParse;

typedef struct _GstHdrMetaParseClass {
    GstHdrBinFilterClass parent_class;
} GstHdrMetaParseClass;

GType gst_hdr_meta_parse_get_type(void);
gboolean gst_element_register_hdrmetaparse(GstPlugin *plugin);
GstDebugCategory *gst_hdr_meta_parse_debug_category(void);
/* Registers hdrh265parse and hdrav1parse. */
gboolean gst_element_register_hdrstreamparse(GstPlugin *plugin);

/* Swift. The implementation of the filter, whose functions binfilter.h declares. */
gpointer hdr_meta_parse_new(void);

G_END_DECLS
#pragma GCC visibility pop

#endif
