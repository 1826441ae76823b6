/* Types of structures that are made by inline functions, for languages that copy and free them by their type. */
#ifndef GST_HDR_TYPES_H
#define GST_HDR_TYPES_H

#include <glib-object.h>
#include <gst/hdr/gsthdrapi.h>

G_BEGIN_DECLS

/* The boxed type of GstHdrQueue, whose copy function adds an owner. */
#define GST_HDR_TYPE_QUEUE (gst_hdr_queue_get_type())
GST_HDR_API
GType gst_hdr_queue_get_type(void);

/* The boxed type of GstHdrCompositionRequest, whose copy function adds a reference. */
#define GST_HDR_TYPE_COMPOSITION_REQUEST (gst_hdr_composition_request_get_type())
GST_HDR_API
GType gst_hdr_composition_request_get_type(void);

G_END_DECLS

#endif
