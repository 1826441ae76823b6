#include <gst/audio/audio.h>
#include <gst/base/gstbasetransform.h>
#include <gst/controller/controller.h>
#include <gst/gst.h>
#include <gst/video/gstvideofilter.h>
#include <gst/video/video.h>
