/* Exports the headers' inline functions as symbols of the library. */
#include <gst/hdr/gsthdrapi.h>
#define GST_HDR_INLINE GST_HDR_API
#include <gst/hdr/gsthdrcompositing.h>
#include <gst/hdr/gsthdrdynamicmetadata.h>
#include <gst/hdr/gsthdrqueue.h>
#include <gst/hdr/gsthdrtap.h>
#include <gst/hdr/gsthdrvideooutput.h>
#include "introspected.h"

G_DEFINE_BOXED_TYPE(GstHdrQueue, gst_hdr_queue, gst_hdr_queue_ref, gst_hdr_queue_free)
G_DEFINE_BOXED_TYPE(GstHdrCompositionRequest, gst_hdr_composition_request, gst_hdr_composition_request_ref,
                    gst_hdr_composition_request_unref)
