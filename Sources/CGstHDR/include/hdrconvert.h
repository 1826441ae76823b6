/* The element hdrconvert. CGstHDR.h says who implements the functions and who owns the arguments. */
#ifndef CGSTHDR_HDRCONVERT_H
#define CGSTHDR_HDRCONVERT_H

#include <gst/video/gstvideofilter.h>

#include "metadatause.h"
#include "peakdetection.h"

#pragma GCC visibility push(hidden)
G_BEGIN_DECLS

typedef struct _GstHdrConvert {
    GstVideoFilter parent;
    gpointer impl;
} GstHdrConvert;

typedef struct _GstHdrConvertClass {
    GstVideoFilterClass parent_class;
} GstHdrConvertClass;

GType gst_hdr_convert_get_type(void);
gboolean gst_element_register_hdrconvert(GstPlugin *plugin);
GstDebugCategory *gst_hdr_convert_debug_category(void);

typedef enum {
    GST_HDR_CONVERT_PROP_TONE_MAPPING = 1,
    GST_HDR_CONVERT_PROP_TONE_MAPPING_DOMAIN,
    GST_HDR_CONVERT_PROP_INVERSE_TONE_MAPPING,
    GST_HDR_CONVERT_PROP_GAMUT_MAPPING,
    GST_HDR_CONVERT_PROP_REFERENCE_WHITE,
    GST_HDR_CONVERT_PROP_SOURCE_PEAK,
    GST_HDR_CONVERT_PROP_TARGET_PEAK,
    GST_HDR_CONVERT_PROP_HLG_PEAK,
    GST_HDR_CONVERT_PROP_DITHER,
    GST_HDR_CONVERT_PROP_CHROMA_MODE,
    GST_HDR_CONVERT_PROP_QUALITY,
    GST_HDR_CONVERT_PROP_N_THREADS,
    GST_HDR_CONVERT_PROP_PEAK_DETECTION,
    GST_HDR_CONVERT_PROP_LOOK_AHEAD,
    GST_HDR_CONVERT_PROP_CONTRAST_RECOVERY,
    GST_HDR_CONVERT_PROP_SCENE_LIGHT,
    GST_HDR_CONVERT_PROP_DYNAMIC_METADATA,
} GstHdrConvertProp;

typedef enum {
    GST_HDR_TONE_MAPPING_DOMAIN_MAX_RGB,
    GST_HDR_TONE_MAPPING_DOMAIN_LUMINANCE,
    GST_HDR_TONE_MAPPING_DOMAIN_RGB,
    GST_HDR_TONE_MAPPING_DOMAIN_ICTCP,
} GstHdrToneMappingDomain;

typedef enum {
    GST_HDR_GAMUT_MAPPING_CLIP,
    GST_HDR_GAMUT_MAPPING_SOFTCLIP,
    GST_HDR_GAMUT_MAPPING_DESATURATE,
    GST_HDR_GAMUT_MAPPING_PERCEPTUAL,
    GST_HDR_GAMUT_MAPPING_AUTO,
} GstHdrGamutMapping;

typedef enum {
    GST_HDR_DITHER_NONE,
    GST_HDR_DITHER_ORDERED,
    GST_HDR_DITHER_BLUE_NOISE,
} GstHdrDither;

typedef enum {
    GST_HDR_CHROMA_MODE_LINEAR,
    GST_HDR_CHROMA_MODE_NEAREST,
} GstHdrChromaMode;

typedef enum {
    GST_HDR_QUALITY_FAST,
    GST_HDR_QUALITY_BALANCED,
    GST_HDR_QUALITY_REFERENCE,
} GstHdrQuality;

/* The defaults of properties, in cd/m2 where they are luminances. */
static const GstHdrToneMappingDomain GST_HDR_CONVERT_DEFAULT_TONE_MAPPING_DOMAIN = GST_HDR_TONE_MAPPING_DOMAIN_MAX_RGB;
static const GstHdrGamutMapping GST_HDR_CONVERT_DEFAULT_GAMUT_MAPPING = GST_HDR_GAMUT_MAPPING_AUTO;
static const gdouble GST_HDR_CONVERT_DEFAULT_REFERENCE_WHITE = 203.0;
static const gdouble GST_HDR_CONVERT_DEFAULT_SOURCE_PEAK = 0.0;
static const gdouble GST_HDR_CONVERT_DEFAULT_TARGET_PEAK = 0.0;
static const gdouble GST_HDR_CONVERT_DEFAULT_HLG_PEAK = 1000.0;
static const GstHdrDither GST_HDR_CONVERT_DEFAULT_DITHER = GST_HDR_DITHER_ORDERED;
static const GstHdrChromaMode GST_HDR_CONVERT_DEFAULT_CHROMA_MODE = GST_HDR_CHROMA_MODE_LINEAR;
static const GstHdrQuality GST_HDR_CONVERT_DEFAULT_QUALITY = GST_HDR_QUALITY_BALANCED;
static const guint GST_HDR_CONVERT_DEFAULT_N_THREADS = 0;
static const GstHdrPeakDetection GST_HDR_CONVERT_DEFAULT_PEAK_DETECTION = GST_HDR_PEAK_DETECTION_AUTO;
static const GstHdrMetadataUse GST_HDR_CONVERT_DEFAULT_DYNAMIC_METADATA = GST_HDR_METADATA_USE_AUTO;
static const guint GST_HDR_CONVERT_DEFAULT_LOOK_AHEAD = 4;
static const gdouble GST_HDR_CONVERT_DEFAULT_CONTRAST_RECOVERY = -1.0;

/* Swift, from any thread: the values of tone-mapping and of inverse-tone-mapping, which live for ever. The first of
 * each is the default. */
const GEnumValue *hdr_convert_tone_mappings(void);
const GEnumValue *hdr_convert_inverse_tone_mappings(void);
/* C. The type of the property inverse-tone-mapping. */
GType gst_hdr_inverse_tone_mapping_get_type(void);

/* Swift. The streaming thread calls all but new, free, the property functions and latency (any thread) and stop (the
 * thread that changes the state, after streaming has ended). */
gpointer hdr_convert_new(GstHdrConvert *element);
void hdr_convert_free(gpointer impl);
void hdr_convert_set_property(gpointer impl, guint id, const GValue *value);
void hdr_convert_get_property(gpointer impl, guint id, GValue *value);
/* Returns caps that the caller owns. filter may be NULL. */
GstCaps *hdr_convert_transform_caps(gpointer impl, GstPadDirection direction, GstCaps *caps, GstCaps *filter);
/* Takes ownership of othercaps and returns caps that the caller owns. */
GstCaps *hdr_convert_fixate_caps(gpointer impl, GstPadDirection direction, GstCaps *caps, GstCaps *othercaps);
gboolean hdr_convert_set_info(gpointer impl, GstCaps *in_caps, GstVideoInfo *in_info, GstCaps *out_caps,
                              GstVideoInfo *out_info);
void hdr_convert_before_transform(gpointer impl, GstBuffer *buffer);
/* Sets *othersize to the size of a buffer with othercaps. */
gboolean hdr_convert_transform_size(gpointer impl, GstCaps *othercaps, gsize *othersize);
/* Whether a GstMeta with these tags still holds for the converted picture. tags is NULL for a meta without tags. */
gboolean hdr_convert_keeps_meta(gpointer impl, const gchar *const *tags, gboolean describes_light);
/* Attaches the dynamic metadata of a picture that was made from a base layer to its buffer. */
void hdr_convert_attach_metadata(gpointer impl, GstBuffer *inbuf, GstBuffer *outbuf);
/* Whether a buffer holds a picture of its caps. Where it does not, an error has been posted. */
GstFlowReturn hdr_convert_check_buffer(gpointer impl, GstBuffer *buffer);
/* Called when a caps query of upstream has been answered, when caps could not be set, and when a buffer came before any
 * caps. They post a message with the reason. */
void hdr_convert_caps_query_answered(gpointer impl, GstQuery *query);
void hdr_convert_refused(gpointer impl, GstCaps *caps);
void hdr_convert_report_missing_caps(gpointer impl);
GstFlowReturn hdr_convert_transform_frame(gpointer impl, GstVideoFrame *in_frame, GstVideoFrame *out_frame);
/* For pictures that wait for later ones. submitted: the base class has a buffer in queued_buf, whose ownership may be
 * taken. take_held returns the picture to be converted next, which the caller owns, or NULL. release_held lets all
 * waiting pictures go, behind which the stream ends or not, and drop_held drops them. holds_event takes over an event
 * that has to wait with them, or returns FALSE. */
void hdr_convert_submitted(gpointer impl);
GstBuffer *hdr_convert_take_held(gpointer impl);
void hdr_convert_release_held(gpointer impl, gboolean is_end);
void hdr_convert_drop_held(gpointer impl);
gboolean hdr_convert_holds_event(gpointer impl, GstEvent *event);
/* Called when the stream has ended and no picture waits. */
void hdr_convert_ended(gpointer impl);
/* The maximum number of buffers that are held, and the time in ns by which they are delayed. */
guint hdr_convert_max_held_buffers(gpointer impl);
GstClockTime hdr_convert_latency(gpointer impl);
/* Whether the light of pictures that leave differs from that of pictures that came. Any thread calls it. */
gboolean hdr_convert_changes_light(gpointer impl);
void hdr_convert_stop(gpointer impl);

G_END_DECLS
#pragma GCC visibility pop

#endif
