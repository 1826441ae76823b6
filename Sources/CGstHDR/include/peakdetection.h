/* The choices for where elements that show or convert pictures take the peak of an HDR source from. */
#ifndef CGSTHDR_PEAKDETECTION_H
#define CGSTHDR_PEAKDETECTION_H

#include <gst/gst.h>

#pragma GCC visibility push(hidden)
G_BEGIN_DECLS

typedef enum { GST_HDR_PEAK_DETECTION_AUTO, GST_HDR_PEAK_DETECTION_OFF } GstHdrPeakDetection;

GType gst_hdr_peak_detection_get_type(void);

G_END_DECLS
#pragma GCC visibility pop

#endif
