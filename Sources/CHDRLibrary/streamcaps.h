/* What the caps of a stream in a file say of it. */
#ifndef HDR_STREAM_CAPS_H
#define HDR_STREAM_CAPS_H

#include <gst/gst.h>

/* "video", "audio", "text" or "other". */
const gchar *hdr_caps_kind(GstCaps *caps);

/* As GStreamer writes it, such as "bt2100-pq"; NULL where the caps have none. */
const gchar *hdr_caps_colorimetry(GstCaps *caps);

/* "PQ", "HLG", "SDR" or "unknown". */
const gchar *hdr_caps_range(GstCaps *caps);
gboolean hdr_caps_are_hdr(GstCaps *caps);

/* Whether they have a mastering display or light levels. */
gboolean hdr_caps_tell_light(GstCaps *caps);

#endif
