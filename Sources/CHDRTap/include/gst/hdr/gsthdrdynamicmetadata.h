/* Dynamic HDR metadata of a picture: Dolby Vision, HDR10+ and SMPTE ST 2094-50, on its GstBuffer.
 *
 *     GBytes *message = gst_hdr_buffer_get_dynamic_metadata (buffer, GST_HDR_HDR10_PLUS, NULL);
 *     gst_hdr_buffer_set_dynamic_metadata (buffer, GST_HDR_HDR10_PLUS, replacement, 0);
 *     gst_hdr_buffer_remove_dynamic_metadata (buffer, GST_HDR_DOLBY_VISION);
 *
 * The element `hdrmetaparse` puts them on coded pictures, decoders and encoders hand them on with the picture, and
 * `hdrmux-settings` writes them to the file. An application may read, replace, add and remove them anywhere in between.
 *
 * GStreamer has a meta of its own for HDR10+ from version 1.30 on, GstVideoHDRMeta. Elements of this set read it where
 * a picture has none of the metadata here, and the functions below that set and remove HDR10+ keep it the same.
 *
 * Header only: a program that uses it links GStreamer alone. Metadata are a GstMeta without tags, because elements copy
 * such a one whatever they do to the picture. */
#ifndef GST_HDR_DYNAMIC_METADATA_H
#define GST_HDR_DYNAMIC_METADATA_H

#include <gst/gst.h>
#include <gst/hdr/gsthdrinline.h>
#include <gst/video/video.h>
#include <string.h>

G_BEGIN_DECLS

typedef enum {
    /* A reference processing unit (ETSI TS 103 572) from its prefix byte 25 to its last byte 128, without the header of
     * a NAL unit and without emulation prevention. */
    GST_HDR_DOLBY_VISION = 1,
    /* A message of ITU-T T.35 with SMPTE ST 2094-40 (CTA-861-H), from the country code 0xB5 on, without emulation
     * prevention. */
    GST_HDR_HDR10_PLUS = 2,
    /* A message of ITU-T T.35 with SMPTE ST 2094-50, in the same form. */
    GST_HDR_ST2094_50 = 3
} GstHdrDynamicFormat;

/* STALE: the light of the picture has changed since. Such metadata are never applied, and an export computes others. */
typedef enum { GST_HDR_DYNAMIC_METADATA_STALE = 1 << 0 } GstHdrDynamicFlags;

/* Read it; the functions below write it. */
typedef struct {
    GstMeta meta;
    gsize size; /* of this structure, in the version that has made it */
    GstHdrDynamicFormat format;
    guint flags; /* GstHdrDynamicFlags */
    GBytes *data;
    /* Pixels of the picture that the metadata describe, 0 for unknown. Elements that scale the picture scale them;
     * where they differ from the picture's size, it has been cropped or padded since. */
    guint width, height;
} GstHdrDynamicMeta;

#define GST_HDR_DYNAMIC_META_NAME "GstHdrDynamicMeta"
#define GST_HDR_DYNAMIC_META_API_NAME "GstHdrDynamicMetaAPI"

static inline gboolean gst_hdr_dynamic_meta_init_(GstMeta *meta, gpointer params, GstBuffer *buffer) {
    GstHdrDynamicMeta *self = (GstHdrDynamicMeta *)meta;
    (void)params;
    (void)buffer;
    self->size = sizeof(GstHdrDynamicMeta);
    self->format = (GstHdrDynamicFormat)0;
    self->flags = self->width = self->height = 0;
    self->data = NULL;
    return TRUE;
}

static inline void gst_hdr_dynamic_meta_free_(GstMeta *meta, GstBuffer *buffer) {
    (void)buffer;
    g_clear_pointer(&((GstHdrDynamicMeta *)meta)->data, g_bytes_unref);
}

static inline gboolean gst_hdr_dynamic_meta_transform_(GstBuffer *target, GstMeta *meta, GstBuffer *buffer, GQuark type,
                                                       gpointer data) {
    const GstHdrDynamicMeta *self = (const GstHdrDynamicMeta *)meta;
    GstHdrDynamicMeta *copy;
    gboolean scales = GST_VIDEO_META_TRANSFORM_IS_SCALE(type);
    (void)buffer;
    if (!self->data || !(scales || GST_META_TRANSFORM_IS_COPY(type)))
        return FALSE;
    /* Part of a coded picture is not the picture. */
    if (!scales && data && ((GstMetaTransformCopy *)data)->region)
        return FALSE;
    copy = (GstHdrDynamicMeta *)gst_buffer_add_meta(target, self->meta.info, NULL);
    if (!copy)
        return FALSE;
    copy->format = self->format;
    copy->flags = self->flags;
    copy->data = g_bytes_ref(self->data);
    copy->width = self->width;
    copy->height = self->height;
    if (scales && data) {
        const GstVideoMetaTransform *scale = (const GstVideoMetaTransform *)data;
        if (scale->in_info->width > 0 && scale->in_info->height > 0) {
            copy->width =
                (guint)gst_util_uint64_scale_int_round(self->width, scale->out_info->width, scale->in_info->width);
            copy->height =
                (guint)gst_util_uint64_scale_int_round(self->height, scale->out_info->height, scale->in_info->height);
        }
    }
    return TRUE;
}

/* The kind of meta, which whoever needs it first registers: a plugin of this set, or the application. */
GST_HDR_INLINE const GstMetaInfo *gst_hdr_dynamic_meta_get_info(void) {
    static gsize info = 0;
    if (g_once_init_enter(&info)) {
        const GstMetaInfo *known = gst_meta_get_info(GST_HDR_DYNAMIC_META_NAME);
        if (!known) {
            static const gchar *no_tags[] = {NULL};
            GType api = g_type_from_name(GST_HDR_DYNAMIC_META_API_NAME);
            if (!api)
                api = gst_meta_api_type_register(GST_HDR_DYNAMIC_META_API_NAME, no_tags);
            known =
                gst_meta_register(api, GST_HDR_DYNAMIC_META_NAME, sizeof(GstHdrDynamicMeta), gst_hdr_dynamic_meta_init_,
                                  gst_hdr_dynamic_meta_free_, gst_hdr_dynamic_meta_transform_);
        }
        g_once_init_leave(&info, (gsize)known);
    }
    return (const GstMetaInfo *)info;
}

/* The meta with a picture's metadata of one format, or NULL. It is the buffer's. */
GST_HDR_INLINE GstHdrDynamicMeta *gst_hdr_buffer_get_dynamic_meta(GstBuffer *buffer, GstHdrDynamicFormat format) {
    const GstMetaInfo *info = gst_hdr_dynamic_meta_get_info();
    gpointer state = NULL;
    GstMeta *meta;
    while (info && (meta = gst_buffer_iterate_meta(buffer, &state)))
        if (meta->info->api == info->api && ((GstHdrDynamicMeta *)meta)->format == format)
            return (GstHdrDynamicMeta *)meta;
    return NULL;
}

#ifndef __GI_SCANNER__
/* GstVideoHDRMeta, known by its name, so that no newer GStreamer is needed. Its data are a message of ITU-T T.35 behind
 * the codes of country and provider. */
typedef struct {
    GstMeta meta;
    gint format;
    guint8 *data;
    gsize size;
} GstHdrNativeMeta_;

#define GST_HDR_NATIVE_HDR10_PLUS_ 2

static const guint8 gst_hdr_native_prefix_[] = {0xB5, 0x00, 0x3C};

/* NULL where this GStreamer has no such meta, or nothing has used it yet. */
static inline const GstMetaInfo *gst_hdr_native_meta_get_info_(void) {
    const GstMetaInfo *info = gst_meta_get_info("GstVideoHDRMeta");
    return info && info->size == sizeof(GstHdrNativeMeta_) ? info : NULL;
}

static inline GstHdrNativeMeta_ *gst_hdr_buffer_get_native_meta_(GstBuffer *buffer) {
    const GstMetaInfo *info = gst_hdr_native_meta_get_info_();
    gpointer state = NULL;
    GstMeta *meta;
    while (info && (meta = gst_buffer_iterate_meta(buffer, &state))) {
        GstHdrNativeMeta_ *native = (GstHdrNativeMeta_ *)meta;
        if (meta->info == info && native->format == GST_HDR_NATIVE_HDR10_PLUS_ && native->data && native->size > 0)
            return native;
    }
    return NULL;
}

/* Has a picture's native meta say the same as `message`, or be gone where that is NULL. */
static inline void gst_hdr_buffer_set_native_meta_(GstBuffer *buffer, GBytes *message) {
    const GstMetaInfo *info = gst_hdr_native_meta_get_info_();
    const gsize skipped = sizeof gst_hdr_native_prefix_;
    GstHdrNativeMeta_ *native;
    gsize size = 0;
    const guint8 *bytes = message ? (const guint8 *)g_bytes_get_data(message, &size) : NULL;
    while ((native = gst_hdr_buffer_get_native_meta_(buffer)))
        if (!gst_buffer_remove_meta(buffer, (GstMeta *)native))
            return;
    if (!info || size <= skipped || memcmp(bytes, gst_hdr_native_prefix_, skipped) != 0)
        return;
    native = (GstHdrNativeMeta_ *)gst_buffer_add_meta(buffer, info, NULL);
    if (!native)
        return;
    native->format = GST_HDR_NATIVE_HDR10_PLUS_;
    native->size = size - skipped;
    native->data = (guint8 *)g_malloc(native->size);
    memcpy(native->data, bytes + skipped, native->size);
}

/* A new reference to a picture's metadata of one format, those of GStreamer's own meta included, or NULL. flags may be
 * NULL. */
static inline GBytes *gst_hdr_buffer_ref_dynamic_metadata_(GstBuffer *buffer, GstHdrDynamicFormat format,
                                                           guint *flags) {
    const GstHdrDynamicMeta *meta = gst_hdr_buffer_get_dynamic_meta(buffer, format);
    const GstHdrNativeMeta_ *native;
    GByteArray *message;
    if (flags)
        *flags = meta ? meta->flags : 0;
    if (meta)
        return meta->data ? g_bytes_ref(meta->data) : NULL;
    if (format != GST_HDR_HDR10_PLUS || !(native = gst_hdr_buffer_get_native_meta_(buffer)) ||
        native->size > G_MAXUINT16)
        return NULL;
    message = g_byte_array_new();
    g_byte_array_append(message, gst_hdr_native_prefix_, sizeof gst_hdr_native_prefix_);
    g_byte_array_append(message, native->data, (guint)native->size);
    return g_byte_array_free_to_bytes(message);
}
#endif

/* A picture's metadata of one format, or NULL; they are the buffer's. flags may be NULL. */
GST_HDR_INLINE GBytes *gst_hdr_buffer_get_dynamic_metadata(GstBuffer *buffer, GstHdrDynamicFormat format,
                                                           guint *flags) {
    const GstHdrDynamicMeta *meta = gst_hdr_buffer_get_dynamic_meta(buffer, format);
    if (flags)
        *flags = meta ? meta->flags : 0;
    return meta ? meta->data : NULL;
}

/* Takes a picture's metadata of one format off. The buffer must be writable. */
GST_HDR_INLINE gboolean gst_hdr_buffer_remove_dynamic_metadata(GstBuffer *buffer, GstHdrDynamicFormat format) {
    GstHdrDynamicMeta *meta = gst_hdr_buffer_get_dynamic_meta(buffer, format);
    if (format == GST_HDR_HDR10_PLUS)
        gst_hdr_buffer_set_native_meta_(buffer, NULL);
    return meta && gst_buffer_remove_meta(buffer, (GstMeta *)meta);
}

/* Puts metadata on a picture, in place of those of the same format that it has. The buffer must be writable; `data` is
 * not taken over. A picture that had some keeps the size that they are for. */
GST_HDR_INLINE GstHdrDynamicMeta *gst_hdr_buffer_set_dynamic_metadata(GstBuffer *buffer, GstHdrDynamicFormat format,
                                                                      GBytes *data, guint flags) {
    const GstMetaInfo *info = gst_hdr_dynamic_meta_get_info();
    GstHdrDynamicMeta *meta = gst_hdr_buffer_get_dynamic_meta(buffer, format);
    g_return_val_if_fail(data != NULL, NULL);
    g_return_val_if_fail(gst_buffer_is_writable(buffer), NULL);
    if (!meta && info)
        meta = (GstHdrDynamicMeta *)gst_buffer_add_meta(buffer, info, NULL);
    if (!meta)
        return NULL;
    g_bytes_ref(data);
    g_clear_pointer(&meta->data, g_bytes_unref);
    meta->data = data;
    meta->format = format;
    meta->flags = flags;
    /* GStreamer's own meta cannot say that it is stale. */
    if (format == GST_HDR_HDR10_PLUS)
        gst_hdr_buffer_set_native_meta_(buffer, flags & GST_HDR_DYNAMIC_METADATA_STALE ? NULL : data);
    return meta;
}

G_END_DECLS

#endif
