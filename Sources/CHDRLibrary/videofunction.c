#include <gst/hdr/gsthdrvideofunction.h>

typedef struct {
    GstHdrTapView view;
    GstHdrTapAccess access;
    GstHdrTapColorSpace color_space;
    GstHdrTapVideoFunction function;
    gpointer user_data;
    GDestroyNotify notify;
} VideoFunction;

static void video_function_free(gpointer data) {
    VideoFunction *self = data;
    if (self->notify)
        self->notify(self->user_data);
    g_free(self);
}

static gboolean prepare(GstHdrVideoTap *tap, const GstHdrTapVideoFormat *format, GError **error) {
    (void)format;
    (void)error;
    const VideoFunction *self = tap->user_data;
    tap->view = self->view;
    tap->access = self->access;
    tap->color_space = self->color_space;
    return TRUE;
}

/* The frame that the function of a thread only looks at. */
static GPrivate read_frame;
/* Why the function of a thread has failed. */
static GPrivate failure = G_PRIVATE_INIT(g_free);

static GstHdrTapFrameResult process(GstHdrVideoTap *tap, GstHdrTapVideoFrame *frame, const GstHdrTapVideoTimes *times,
                                    GError **error) {
    const VideoFunction *self = tap->user_data;
    g_private_replace(&failure, NULL);
    /* A function may push a buffer into another pipeline, whose tap then has a frame of its own. */
    gpointer outer = g_private_get(&read_frame);
    if (self->access == GST_HDR_TAP_READ)
        g_private_set(&read_frame, frame);
    GstHdrTapFrameResult result = self->function(frame, times, self->user_data);
    g_private_set(&read_frame, outer);
    const gchar *text = g_private_get(&failure);
    if (result == GST_HDR_TAP_FRAME_FAILED && text)
        g_set_error_literal(error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED, text);
    g_private_replace(&failure, NULL);
    return result;
}

gboolean gst_hdr_tap_set_video_function(GstElement *hdrtap, GstHdrTapView view, GstHdrTapAccess access,
                                        GstHdrTapColorSpace color_space, GstHdrTapVideoFunction function,
                                        gpointer user_data, GDestroyNotify notify, GError **error) {
    g_return_val_if_fail(GST_IS_ELEMENT(hdrtap) && function, FALSE);
    static const GstHdrTapVideoCallbacks callbacks = {
        .size = sizeof(GstHdrTapVideoCallbacks), .prepare = prepare, .process = process};
    VideoFunction *self = g_new(VideoFunction, 1);
    *self = (VideoFunction){view, access, color_space, function, user_data, notify};
    gboolean is_attached = gst_hdr_tap_set_video_callbacks(hdrtap, &callbacks, self, video_function_free, error);
    /* Languages with closures free what the function captures by notify alone. */
    if (!is_attached)
        video_function_free(self);
    return is_attached;
}

GstHdrTapFrameResult gst_hdr_tap_video_frame_fail(GstHdrTapVideoFrame *frame, const gchar *text) {
    g_return_val_if_fail(frame && text, GST_HDR_TAP_FRAME_FAILED);
    g_private_replace(&failure, g_strdup(text));
    return GST_HDR_TAP_FRAME_FAILED;
}

static GBytes *copy(gconstpointer data, gsize size) { return data ? g_bytes_new(data, size) : NULL; }

static gboolean write_all(gpointer data, gsize size, GBytes *bytes) {
    gsize count;
    gconstpointer source = g_bytes_get_data(bytes, &count);
    if (!data || count != size)
        return FALSE;
    memcpy(data, source, size);
    return TRUE;
}

GBytes *gst_hdr_tap_video_frame_copy_light(const GstHdrTapVideoFrame *frame) {
    g_return_val_if_fail(frame, NULL);
    return copy(frame->light, frame->light_stride * frame->height);
}

gboolean gst_hdr_tap_video_frame_write_light(GstHdrTapVideoFrame *frame, GBytes *light) {
    g_return_val_if_fail(frame && light, FALSE);
    return frame != g_private_get(&read_frame) && write_all(frame->light, frame->light_stride * frame->height, light);
}

/* The number of bytes of a plane by its format. */
static gsize size_of(const GstVideoFrame *planes, guint plane) {
    const GstVideoFormatInfo *format = planes->info.finfo;
    if (GST_VIDEO_FORMAT_INFO_HAS_PALETTE(format) && plane == GST_VIDEO_COMP_PALETTE)
        return 256 * sizeof(guint32);
    gint stride = GST_VIDEO_FRAME_PLANE_STRIDE(planes, plane);
    /* The stride of tiles is their number, in both directions. */
    if (GST_VIDEO_FORMAT_INFO_IS_TILED(format))
        return (gsize)GST_VIDEO_TILE_X_TILES(stride) * (gsize)GST_VIDEO_TILE_Y_TILES(stride) *
               GST_VIDEO_FORMAT_INFO_TILE_SIZE(format, plane);
    gint components[GST_VIDEO_MAX_COMPONENTS];
    gst_video_format_info_component(format, plane, components);
    return (gsize)stride * (gsize)GST_VIDEO_FRAME_COMP_HEIGHT(planes, components[0]);
}

/* The rows of a plane, and whether its memory is mapped to be written. Memory may end with the last sample, before the
 * end of the last row. */
static gpointer plane_of(const GstHdrTapVideoFrame *frame, guint plane, gsize *size, gboolean *is_writable) {
    const GstVideoFrame *planes = frame->planes;
    *is_writable = FALSE;
    if (!planes || plane >= GST_VIDEO_FRAME_N_PLANES(planes))
        return NULL;
    guint8 *data = GST_VIDEO_FRAME_PLANE_DATA(planes, plane);
    *size = size_of(planes, plane);
    for (guint index = 0; index < GST_VIDEO_MAX_PLANES; index++) {
        const GstMapInfo *map = &planes->map[index];
        if (map->data && data >= map->data && data < map->data + map->size) {
            *size = MIN(*size, (gsize)(map->data + map->size - data));
            *is_writable = (map->flags & GST_MAP_WRITE) != 0;
        }
    }
    return data;
}

GBytes *gst_hdr_tap_video_frame_copy_plane(const GstHdrTapVideoFrame *frame, guint plane) {
    g_return_val_if_fail(frame, NULL);
    gsize size = 0;
    gboolean is_writable;
    gconstpointer data = plane_of(frame, plane, &size, &is_writable);
    return copy(data, size);
}

gboolean gst_hdr_tap_video_frame_write_plane(GstHdrTapVideoFrame *frame, guint plane, GBytes *samples) {
    g_return_val_if_fail(frame && samples, FALSE);
    gsize size = 0;
    gboolean is_writable;
    gpointer data = plane_of(frame, plane, &size, &is_writable);
    return is_writable && write_all(data, size, samples);
}
