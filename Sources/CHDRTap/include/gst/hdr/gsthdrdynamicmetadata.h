/* Dynamic HDR metadata of a picture: Dolby Vision, HDR10+ and SMPTE ST 2094-50, on its GstBuffer.
 *
 *     GBytes *message = gst_hdr_buffer_get_dynamic_metadata (buffer, GST_HDR_HDR10_PLUS, NULL);
 *     gst_hdr_buffer_set_dynamic_metadata (buffer, GST_HDR_HDR10_PLUS, replacement, 0);
 *     gst_hdr_buffer_remove_dynamic_metadata (buffer, GST_HDR_DOLBY_VISION);
 *
 * The element `hdrmetaparse` puts them on coded pictures, decoders and encoders hand them on with the picture, and
 * `hdrmux-settings` writes them to the file. An application may read, replace, add and remove them anywhere in between.
 *
 * Header only: a program that uses it links GStreamer alone. Metadata are a GstMeta without tags, because elements copy
 * such a one whatever they do to the picture. */
#ifndef GST_HDR_DYNAMIC_METADATA_H
#define GST_HDR_DYNAMIC_METADATA_H

#include <gst/gst.h>
#include <gst/hdr/gsthdrinline.h>
#include <gst/video/video.h>

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
            static const gchar *const no_tags[] = {NULL};
            GType api = g_type_from_name(GST_HDR_DYNAMIC_META_API_NAME);
            if (!api)
                api = gst_meta_api_type_register(GST_HDR_DYNAMIC_META_API_NAME, (const gchar **)no_tags);
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
    return meta;
}

G_END_DECLS

#endif
