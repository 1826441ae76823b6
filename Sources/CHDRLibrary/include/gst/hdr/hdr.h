/* Everything of the library libgsthdr-1.0: pkg-config gstreamer-hdr-1.0, GIR namespace GstHdr-1.0. */
#ifndef GST_HDR_H
#define GST_HDR_H

#include <gst/hdr/gsthdrversion.h>
#include <gst/hdr/gsthdrplayback.h>
#include <gst/hdr/gsthdrsync.h>
#include <gst/hdr/gsthdrtimebase.h>

#endif
