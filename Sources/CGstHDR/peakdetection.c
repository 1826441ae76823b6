#include "peakdetection.h"
#include "enumtype.h"

ENUM_TYPE(peak_detection_get_type, "GstHdrPeakDetection",
          {GST_HDR_PEAK_DETECTION_AUTO, "Measured in the pictures, for each scene", "auto"},
          {GST_HDR_PEAK_DETECTION_OFF, "Metadata alone, such as MaxCLL", "off"})

GType gst_hdr_peak_detection_get_type(void) { return peak_detection_get_type(); }
