#include "yuv4mpeg.h"
#include <gio/gio.h>
#include <string.h>

gboolean hdr_is_yuv4mpeg(const gchar *uri) {
    static const gchar magic[] = "YUV4MPEG2";
    gchar start[sizeof magic - 1];
    gsize length = 0;
    GFile *file = g_file_new_for_uri(uri);
    /* Reading from a pipe would take its bytes away. */
    GFileInputStream *stream =
        g_file_is_native(file) && g_file_query_file_type(file, G_FILE_QUERY_INFO_NONE, NULL) == G_FILE_TYPE_REGULAR
            ? g_file_read(file, NULL, NULL)
            : NULL;
    gboolean is_read =
        stream && g_input_stream_read_all(G_INPUT_STREAM(stream), start, sizeof start, &length, NULL, NULL);
    g_clear_object(&stream);
    g_object_unref(file);
    return is_read && length == sizeof start && memcmp(start, magic, sizeof start) == 0;
}
