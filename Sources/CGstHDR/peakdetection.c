#include "peakdetection.h"
#include "enumtype.h"

ENUM_TYPE(peak_detection_get_type, "GstHdrPeakDetection",
          {GST_HDR_PEAK_DETECTION_AUTO, "Measured in the pictures, for each scene, where a curve compresses", "auto"},
          {GST_HDR_PEAK_DETECTION_OFF, "From metadata alone", "off"})

GType gst_hdr_peak_detection_get_type(void) { return peak_detection_get_type(); }
