/* Files of raw pictures, YUV4MPEG2 (.y4m). */
#ifndef HDR_YUV4MPEG_H
#define HDR_YUV4MPEG_H

#include <glib.h>

/* Whether a URI names such a file on this machine, by its first bytes. */
gboolean hdr_is_yuv4mpeg(const gchar *uri);

#endif
