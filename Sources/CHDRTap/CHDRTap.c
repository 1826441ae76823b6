#include <gst/hdr/gsthdrcompositing.h>
#include <gst/hdr/gsthdrdynamicmetadata.h>
#include <gst/hdr/gsthdrqueue.h>
#include <gst/hdr/gsthdrtap.h>
#include <gst/hdr/gsthdrvideooutput.h>
