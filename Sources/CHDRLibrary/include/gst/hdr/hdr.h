/* Everything for applications: the library libgsthdr-1.0 (pkg-config gstreamer-hdr-1.0, GIR namespace GstHdr-1.0), and
 * taps, compositors, video outputs, queues and dynamic metadata, whose functions are inline in C. */
#ifndef GST_HDR_H
#define GST_HDR_H

#include <gst/hdr/gsthdraudioclock.h>
#include <gst/hdr/gsthdraudiofunction.h>
#include <gst/hdr/gsthdrcompositing.h>
#include <gst/hdr/gsthdrdynamicmetadata.h>
#include <gst/hdr/gsthdrdisplaylink.h>
#include <gst/hdr/gsthdreligibility.h>
#include <gst/hdr/gsthdrinspection.h>
#include <gst/hdr/gsthdrplayback.h>
#include <gst/hdr/gsthdrqueue.h>
#include <gst/hdr/gsthdrsync.h>
#include <gst/hdr/gsthdrtap.h>
#include <gst/hdr/gsthdrtimebase.h>
#include <gst/hdr/gsthdrtimeline.h>
#include <gst/hdr/gsthdrtypes.h>
#include <gst/hdr/gsthdrversion.h>
#include <gst/hdr/gsthdrvideofunction.h>
#include <gst/hdr/gsthdrvideooutput.h>

#endif
