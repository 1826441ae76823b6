/* The element hdrx265enc. CGstHDR.h of the plugin hdr says who implements the functions and who owns the arguments. */
#ifndef CGSTHDRX265_HDRX265ENC_H
#define CGSTHDRX265_HDRX265ENC_H

#include <gst/video/gstvideoencoder.h>

#pragma GCC visibility push(hidden)
G_BEGIN_DECLS

typedef struct _GstHdrX265Enc {
    GstVideoEncoder parent;
    gpointer impl;
} GstHdrX265Enc;

typedef struct _GstHdrX265EncClass {
    GstVideoEncoderClass parent_class;
} GstHdrX265EncClass;

GType gst_hdr_x265_enc_get_type(void);
gboolean gst_element_register_hdrx265enc(GstPlugin *plugin);
GstDebugCategory *gst_hdr_x265_enc_debug_category(void);

typedef enum {
    GST_HDR_X265_ENC_PROP_BITRATE = 1,
    GST_HDR_X265_ENC_PROP_QP,
    GST_HDR_X265_ENC_PROP_OPTION_STRING,
    GST_HDR_X265_ENC_PROP_LOG_LEVEL,
    GST_HDR_X265_ENC_PROP_SPEED_PRESET,
    GST_HDR_X265_ENC_PROP_TUNE,
    GST_HDR_X265_ENC_PROP_KEY_INT_MAX,
    GST_HDR_X265_ENC_PROP_PASS,
    GST_HDR_X265_ENC_PROP_MULTIPASS_CACHE_FILE,
    GST_HDR_X265_ENC_PROP_DYNAMIC_METADATA,
    GST_HDR_X265_ENC_PROP_AMBIENT_VIEWING,
    GST_HDR_X265_ENC_PROP_PREFERRED_TRANSFER,
    GST_HDR_X265_ENC_PROP_PICTURE_STATISTICS,
} GstHdrX265EncProp;

/* The numbers are those of x265enc; presets from 1 on and tunes from 1 on are those of libx265, in its order. */
enum { GST_HDR_X265_PRESET_NONE = 0, GST_HDR_X265_PRESET_MEDIUM = 6 };
enum { GST_HDR_X265_TUNE_NONE = 0, GST_HDR_X265_TUNE_SSIM = 2 };

typedef enum {
    GST_HDR_X265_DYNAMIC_METADATA_AUTO,
    GST_HDR_X265_DYNAMIC_METADATA_IGNORE,
} GstHdrX265DynamicMetadata;

static const guint GST_HDR_X265_ENC_DEFAULT_BITRATE = 2048;
static const gint GST_HDR_X265_ENC_DEFAULT_QP = -1;
static const gint GST_HDR_X265_ENC_DEFAULT_LOG_LEVEL = -1;
static const gint GST_HDR_X265_ENC_DEFAULT_SPEED_PRESET = GST_HDR_X265_PRESET_MEDIUM;
static const gint GST_HDR_X265_ENC_DEFAULT_TUNE = GST_HDR_X265_TUNE_SSIM;
static const gint GST_HDR_X265_ENC_DEFAULT_KEY_INT_MAX = 0;
static const guint GST_HDR_X265_ENC_DEFAULT_PASS = 0;
static const GstHdrX265DynamicMetadata GST_HDR_X265_ENC_DEFAULT_DYNAMIC_METADATA = GST_HDR_X265_DYNAMIC_METADATA_AUTO;
static const gint GST_HDR_X265_ENC_DEFAULT_PREFERRED_TRANSFER = -1;
static const gboolean GST_HDR_X265_ENC_DEFAULT_PICTURE_STATISTICS = FALSE;
#define GST_HDR_X265_ENC_DEFAULT_MULTIPASS_CACHE_FILE "x265_2pass.log"

/* C. Functions in place of macros of GObject and of the base class, which Swift cannot use. */
static inline gboolean gst_hdr_frame_is_forced(const GstVideoCodecFrame *frame) {
    return GST_VIDEO_CODEC_FRAME_IS_FORCE_KEYFRAME(frame);
}
static inline gboolean gst_hdr_frame_wants_headers(const GstVideoCodecFrame *frame) {
    return GST_VIDEO_CODEC_FRAME_IS_FORCE_KEYFRAME_HEADERS(frame);
}
static inline void gst_hdr_frame_force(GstVideoCodecFrame *frame, gboolean with_headers) {
    GST_VIDEO_CODEC_FRAME_SET_FORCE_KEYFRAME(frame);
    if (with_headers)
        GST_VIDEO_CODEC_FRAME_SET_FORCE_KEYFRAME_HEADERS(frame);
}
static inline void gst_hdr_frame_set_sync_point(GstVideoCodecFrame *frame) {
    GST_VIDEO_CODEC_FRAME_SET_SYNC_POINT(frame);
}

/* Swift. The streaming thread calls all but new, free and the property functions (any thread), and start and stop (the
 * thread that changes the state, before and after streaming). */
gpointer hdr_x265_enc_new(GstHdrX265Enc *element);
void hdr_x265_enc_free(gpointer impl);
void hdr_x265_enc_set_property(gpointer impl, guint id, const GValue *value);
void hdr_x265_enc_get_property(gpointer impl, guint id, GValue *value);
gboolean hdr_x265_enc_start(gpointer impl);
void hdr_x265_enc_stop(gpointer impl);
/* Returns caps that the caller owns. filter may be NULL. */
GstCaps *hdr_x265_enc_getcaps(gpointer impl, GstCaps *filter);
gboolean hdr_x265_enc_set_format(gpointer impl, GstVideoCodecState *state);
/* Takes ownership of the frame. */
GstFlowReturn hdr_x265_enc_handle_frame(gpointer impl, GstVideoCodecFrame *frame);
/* Called at the end of the stream: pushes what waits in the encoder. */
GstFlowReturn hdr_x265_enc_finish(gpointer impl);
/* A request for a key frame from a running time on, or for the next picture (GST_CLOCK_TIME_NONE); any thread. Returns
 * whether the element meets it itself. */
gboolean hdr_x265_enc_keep_request(gpointer impl, GstClockTime time, gboolean all_headers, guint count);
/* Drops what waits in the encoder. */
void hdr_x265_enc_flush(gpointer impl);

G_END_DECLS
#pragma GCC visibility pop

#endif
