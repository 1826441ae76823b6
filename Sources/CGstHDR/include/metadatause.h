/* The choices for how elements that show or convert pictures use the pictures' dynamic metadata. */
#ifndef CGSTHDR_METADATAUSE_H
#define CGSTHDR_METADATAUSE_H

#include <gst/gst.h>

#pragma GCC visibility push(hidden)
G_BEGIN_DECLS

typedef enum { GST_HDR_METADATA_USE_AUTO, GST_HDR_METADATA_USE_IGNORE } GstHdrMetadataUse;

GType gst_hdr_metadata_use_get_type(void);

G_END_DECLS
#pragma GCC visibility pop

#endif
