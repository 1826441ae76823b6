#include "CGstFormat.h"

GstVideoFormat hdr_video_format_from_string(const gchar *name) { return gst_video_format_from_string(name); }

GstAudioFormat hdr_audio_format_from_string(const gchar *name) { return gst_audio_format_from_string(name); }
