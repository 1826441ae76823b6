#include <gst/audio/audio.h>
#include <gst/base/gstadapter.h>
#include <gst/base/gstbasetransform.h>
#include <gst/controller/controller.h>
#include <gst/gst.h>
#include <gst/pbutils/pbutils.h>
#include <gst/video/colorbalance.h>
#include <gst/video/gstvideoencoder.h>
#include <gst/video/gstvideofilter.h>
#include <gst/video/gstvideosink.h>
#include <gst/video/navigation.h>
#include <gst/video/video.h>
#include <gst/video/videooverlay.h>

/* Declared G_GNUC_CONST although they read the string, which optimised Swift therefore frees before the call:
 * CGstFormat has the calls to use. */
#define HDR_NOT_FOR_SWIFT(call) \
    __attribute__((availability(swift, unavailable, message = "call " call " of CGstFormat")))
GstVideoFormat gst_video_format_from_string(const gchar *format) HDR_NOT_FOR_SWIFT("hdr_video_format_from_string");
GstAudioFormat gst_audio_format_from_string(const gchar *format) HDR_NOT_FOR_SWIFT("hdr_audio_format_from_string");
