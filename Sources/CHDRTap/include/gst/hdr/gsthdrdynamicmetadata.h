/* Dynamic HDR metadata of a picture: Dolby Vision, HDR10+ and SMPTE ST 2094-50, attached to its GstBuffer.
 *
 *     GBytes *message = gst_hdr_buffer_get_dynamic_metadata (buffer, GST_HDR_HDR10_PLUS, NULL);
 *     gst_hdr_buffer_set_dynamic_metadata (buffer, GST_HDR_HDR10_PLUS, replacement, 0);
 *     gst_hdr_buffer_remove_dynamic_metadata (buffer, GST_HDR_DOLBY_VISION);
 *
 * The element `hdrmetaparse` attaches them to coded pictures, decoders and encoders hand them on with the picture, and
 * `hdrmux-settings` writes them to the file. An application may read, replace, add and remove them anywhere in between.
 *
 * From version 1.30 on, GStreamer has a meta of its own for HDR10+, GstVideoHDRMeta. Elements of this set read it where
 * a picture has none of the metadata here, and the functions below that set and remove HDR10+ keep it equal to them.
 *
 * Header only: a program that uses it links GStreamer alone. The metadata are a GstMeta without tags, because elements
 * copy such a meta whatever they do to the picture. */
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

/* STALE: the picture's samples have changed since the metadata were made. Stale metadata are never applied, and an
 * export computes new ones. */
typedef enum { GST_HDR_DYNAMIC_METADATA_STALE = 1 << 0 } GstHdrDynamicFlags;

/* An application may read these fields; only the functions below write them. */
typedef struct {
    GstMeta meta;
    gsize size; /* of this structure, in the version of this header that made it */
    GstHdrDynamicFormat format;
    guint flags; /* a combination of GstHdrDynamicFlags */
    GBytes *data;
    /* The size in pixels of the picture that the metadata describe; 0 where it is unknown, as where an application has
     * attached them: hdrmux-settings then takes the size in front of the elements that scale, crop or turn. Elements
     * that transform metas for a new size (GST_VIDEO_META_TRANSFORM_IS_SCALE) scale these too; videoscale, videoflip
     * and videocrop pass the meta on unchanged, so that a picture of another size may have been scaled, turned or
     * cropped. */
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
    /* Metadata of a whole coded picture do not hold for a part of it. */
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

/* The GstMetaInfo of this meta. Whoever needs it first registers it: a plugin of this set, or the application. NULL,
 * with a critical warning in the log, only where another meta or type has its name.
 *
 * The plugins, the library and each program have copies of this function, which threads may call at once. GStreamer
 * takes a name once, so that all copies look it up and register it under one lock that they share. */
GST_HDR_INLINE const GstMetaInfo *gst_hdr_dynamic_meta_get_info(void) {
    static const GstMetaInfo *info = NULL;
    const GstMetaInfo *known = __atomic_load_n(&info, __ATOMIC_ACQUIRE);
    GstRegistry *shared;
    if (known)
        return known;
    shared = gst_registry_get();
    GST_OBJECT_LOCK(shared);
    known = gst_meta_get_info(GST_HDR_DYNAMIC_META_NAME);
    if (!known) {
        static const gchar *no_tags[] = {NULL};
        GType api = g_type_from_name(GST_HDR_DYNAMIC_META_API_NAME);
        if (!api)
            api = gst_meta_api_type_register(GST_HDR_DYNAMIC_META_API_NAME, no_tags);
        known = api ? gst_meta_register(api, GST_HDR_DYNAMIC_META_NAME, sizeof(GstHdrDynamicMeta),
                                        gst_hdr_dynamic_meta_init_, gst_hdr_dynamic_meta_free_,
                                        gst_hdr_dynamic_meta_transform_)
                    : NULL;
        /* A program built with an earlier version of this header has not taken the lock. */
        if (!known)
            known = gst_meta_get_info(GST_HDR_DYNAMIC_META_NAME);
    }
    GST_OBJECT_UNLOCK(shared);
    __atomic_store_n(&info, known, __ATOMIC_RELEASE);
    return known;
}

/* The meta with a picture's metadata of one format, owned by the buffer; NULL where there is none. */
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
/* The layout of GstVideoHDRMeta. The meta is looked up by its name, so that no newer GStreamer is needed to compile
 * this. Its data are the part of a message of ITU-T T.35 that follows the codes of country and provider. */
typedef struct {
    GstMeta meta;
    gint format;
    guint8 *data;
    gsize size;
} GstHdrNativeMeta_;

#define GST_HDR_NATIVE_HDR10_PLUS_ 2

static const guint8 gst_hdr_native_prefix_[] = {0xB5, 0x00, 0x3C};

/* The GstMetaInfo of GstVideoHDRMeta; NULL where this GStreamer has no such meta, or nothing has used it yet. */
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

/* Sets a picture's native meta to the content of `message`, or removes the meta where `message` is NULL. */
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

/* A new reference to a picture's metadata of one format, or NULL. It takes those of GStreamer's own meta into account.
 * flags may be NULL. */
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

/* A picture's metadata of one format, owned by the buffer; NULL where there are none. Those of GStreamer's own meta
 * alone are not returned. flags may be NULL. */
GST_HDR_INLINE GBytes *gst_hdr_buffer_get_dynamic_metadata(GstBuffer *buffer, GstHdrDynamicFormat format,
                                                           guint *flags) {
    const GstHdrDynamicMeta *meta = gst_hdr_buffer_get_dynamic_meta(buffer, format);
    if (flags)
        *flags = meta ? meta->flags : 0;
    return meta ? meta->data : NULL;
}

/* Removes a picture's metadata of one format, those of GStreamer's own meta too. The buffer must be writable. Returns
 * whether a meta of this project was removed. */
GST_HDR_INLINE gboolean gst_hdr_buffer_remove_dynamic_metadata(GstBuffer *buffer, GstHdrDynamicFormat format) {
    GstHdrDynamicMeta *meta;
    gboolean is_removed = FALSE;
    if (format == GST_HDR_HDR10_PLUS)
        gst_hdr_buffer_set_native_meta_(buffer, NULL);
    /* A buffer into which another one was copied may have several. */
    while ((meta = gst_hdr_buffer_get_dynamic_meta(buffer, format)) && gst_buffer_remove_meta(buffer, (GstMeta *)meta))
        is_removed = TRUE;
    return is_removed;
}

/* Attaches metadata to a picture, in place of those of the same format that it has. The buffer must be writable; the
 * caller keeps its reference to `data`. Where the picture had metadata of this format, the size that they describe is
 * kept. Returns the buffer's meta; NULL, with nothing changed and a critical warning in the log, for a buffer that is
 * not writable, an unknown format, and without data. */
GST_HDR_INLINE GstHdrDynamicMeta *gst_hdr_buffer_set_dynamic_metadata(GstBuffer *buffer, GstHdrDynamicFormat format,
                                                                      GBytes *data, guint flags) {
    const GstMetaInfo *info = gst_hdr_dynamic_meta_get_info();
    GstHdrDynamicMeta *meta;
    guint width = 0, height = 0;
    g_return_val_if_fail(data != NULL, NULL);
    g_return_val_if_fail(format >= GST_HDR_DOLBY_VISION && format <= GST_HDR_ST2094_50, NULL);
    g_return_val_if_fail(gst_buffer_is_writable(buffer), NULL);
    /* A reference to `data`, which may be those of the meta that is removed. */
    g_bytes_ref(data);
    if ((meta = gst_hdr_buffer_get_dynamic_meta(buffer, format)))
        width = meta->width, height = meta->height;
    gst_hdr_buffer_remove_dynamic_metadata(buffer, format);
    meta = info ? (GstHdrDynamicMeta *)gst_buffer_add_meta(buffer, info, NULL) : NULL;
    if (!meta) {
        g_bytes_unref(data);
        return NULL;
    }
    meta->data = data;
    meta->width = width;
    meta->height = height;
    meta->format = format;
    meta->flags = flags;
    /* GStreamer's own meta has no flag for stale metadata, so that it is removed in that case. */
    if (format == GST_HDR_HDR10_PLUS)
        gst_hdr_buffer_set_native_meta_(buffer, flags & GST_HDR_DYNAMIC_METADATA_STALE ? NULL : data);
    return meta;
}

G_END_DECLS

#endif
