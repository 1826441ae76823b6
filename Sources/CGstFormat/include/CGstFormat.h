/* Names of formats, read through calls that the compiler knows nothing of.
 *
 * GStreamer declares gst_video_format_from_string and gst_audio_format_from_string G_GNUC_CONST, which says that they
 * read no memory. They read the string. An optimising Swift compiler believes the declaration and frees the string that
 * it made for the call before the call. CGStreamer makes the originals unavailable in Swift for that reason. */
#ifndef CGSTFORMAT_H
#define CGSTFORMAT_H

#include <gst/audio/audio.h>
#include <gst/video/video.h>

#pragma GCC visibility push(hidden)
G_BEGIN_DECLS

/* GST_VIDEO_FORMAT_UNKNOWN where GStreamer knows no raw video format of that name. */
GstVideoFormat hdr_video_format_from_string(const gchar *name);

/* GST_AUDIO_FORMAT_UNKNOWN where GStreamer knows no raw audio format of that name. */
GstAudioFormat hdr_audio_format_from_string(const gchar *name);

G_END_DECLS
#pragma GCC visibility pop

#endif
