/* The element hdrcompositor. CGstHDR.h says who implements the functions and who owns the arguments. */
#ifndef CGSTHDR_HDRCOMPOSITOR_H
#define CGSTHDR_HDRCOMPOSITOR_H

#include <gst/video/gstvideoaggregator.h>

#include "metadatause.h"
#include "peakdetection.h"

#pragma GCC visibility push(hidden)
G_BEGIN_DECLS

typedef struct _GstHdrCompositor {
    GstVideoAggregator parent;
    gpointer impl;
    /* Held while the pads' pictures are read: a flush drops them on another thread, and the base class does not guard
     * them. */
    GMutex pictures;
} GstHdrCompositor;

typedef struct _GstHdrCompositorClass {
    GstVideoAggregatorClass parent_class;
} GstHdrCompositorClass;

/* The values of GStreamer's `compositor`, in its order. */
typedef enum {
    GST_HDR_COMPOSITOR_BACKGROUND_CHECKER,
    GST_HDR_COMPOSITOR_BACKGROUND_BLACK,
    GST_HDR_COMPOSITOR_BACKGROUND_WHITE,
    GST_HDR_COMPOSITOR_BACKGROUND_TRANSPARENT,
} GstHdrCompositorBackground;

typedef enum {
    GST_HDR_COMPOSITOR_OPERATOR_SOURCE,
    GST_HDR_COMPOSITOR_OPERATOR_OVER,
    GST_HDR_COMPOSITOR_OPERATOR_ADD,
} GstHdrCompositorOperator;

typedef enum {
    GST_HDR_COMPOSITOR_SIZING_POLICY_NONE,
    GST_HDR_COMPOSITOR_SIZING_POLICY_KEEP_ASPECT_RATIO,
} GstHdrCompositorSizingPolicy;

typedef enum {
    GST_HDR_COMPOSITOR_RANGE_AUTO,
    GST_HDR_COMPOSITOR_RANGE_SDR,
    GST_HDR_COMPOSITOR_RANGE_HLG,
    GST_HDR_COMPOSITOR_RANGE_PQ,
} GstHdrCompositorRange;

typedef enum {
    GST_HDR_COMPOSITOR_BLEND_SPACE_LINEAR,
    GST_HDR_COMPOSITOR_BLEND_SPACE_SIGNAL,
} GstHdrCompositorBlendSpace;

typedef enum {
    GST_HDR_COMPOSITOR_METADATA_POLICY_PROPAGATE,
    GST_HDR_COMPOSITOR_METADATA_POLICY_GENERATE,
} GstHdrCompositorMetadataPolicy;

typedef enum {
    GST_HDR_COMPOSITOR_SCALING_LANCZOS,
    GST_HDR_COMPOSITOR_SCALING_BILINEAR,
} GstHdrCompositorScaling;

/* The order in which the places of a pad's picture appear in a wipe. */
typedef enum {
    GST_HDR_COMPOSITOR_WIPE_NONE,
    GST_HDR_COMPOSITOR_WIPE_BAR_LEFT,
    GST_HDR_COMPOSITOR_WIPE_BAR_RIGHT,
    GST_HDR_COMPOSITOR_WIPE_BAR_UP,
    GST_HDR_COMPOSITOR_WIPE_BAR_DOWN,
    GST_HDR_COMPOSITOR_WIPE_DIAGONAL,
    GST_HDR_COMPOSITOR_WIPE_IRIS,
    GST_HDR_COMPOSITOR_WIPE_DIAMOND,
    GST_HDR_COMPOSITOR_WIPE_CLOCK,
    GST_HDR_COMPOSITOR_WIPE_BARN_DOOR,
    GST_HDR_COMPOSITOR_WIPE_MAP,
} GstHdrCompositorWipe;

typedef enum {
    GST_HDR_COMPOSITOR_PROP_BACKGROUND = 1,
    GST_HDR_COMPOSITOR_PROP_ZERO_SIZE_IS_UNSCALED,
    GST_HDR_COMPOSITOR_PROP_IGNORE_INACTIVE_PADS,
    GST_HDR_COMPOSITOR_PROP_DYNAMIC_RANGE,
    GST_HDR_COMPOSITOR_PROP_BLEND_SPACE,
    GST_HDR_COMPOSITOR_PROP_HDR_METADATA_POLICY,
    GST_HDR_COMPOSITOR_PROP_N_THREADS,
    GST_HDR_COMPOSITOR_PROP_REQUEST_TIMEOUT,
    GST_HDR_COMPOSITOR_PROP_COMPOSE_SOURCES,
    GST_HDR_COMPOSITOR_PROP_SCALING_METHOD,
    GST_HDR_COMPOSITOR_PROP_MAX_THREADS,
} GstHdrCompositorProp;

typedef enum {
    GST_HDR_COMPOSITOR_PAD_PROP_XPOS = 1,
    GST_HDR_COMPOSITOR_PAD_PROP_YPOS,
    GST_HDR_COMPOSITOR_PAD_PROP_WIDTH,
    GST_HDR_COMPOSITOR_PAD_PROP_HEIGHT,
    GST_HDR_COMPOSITOR_PAD_PROP_ALPHA,
    GST_HDR_COMPOSITOR_PAD_PROP_OPERATOR,
    GST_HDR_COMPOSITOR_PAD_PROP_SIZING_POLICY,
    GST_HDR_COMPOSITOR_PAD_PROP_CROP_LEFT,
    GST_HDR_COMPOSITOR_PAD_PROP_CROP_RIGHT,
    GST_HDR_COMPOSITOR_PAD_PROP_CROP_TOP,
    GST_HDR_COMPOSITOR_PAD_PROP_CROP_BOTTOM,
    GST_HDR_COMPOSITOR_PAD_PROP_VIDEO_DIRECTION,
    GST_HDR_COMPOSITOR_PAD_PROP_WIPE,
    GST_HDR_COMPOSITOR_PAD_PROP_WIPE_PROGRESS,
    GST_HDR_COMPOSITOR_PAD_PROP_WIPE_SOFTNESS,
    GST_HDR_COMPOSITOR_PAD_PROP_WIPE_REVERSE,
    GST_HDR_COMPOSITOR_PAD_PROP_WIPE_MAP,
    GST_HDR_COMPOSITOR_PAD_PROP_INVERSE_TONE_MAPPING,
    GST_HDR_COMPOSITOR_PAD_PROP_PEAK_DETECTION,
    GST_HDR_COMPOSITOR_PAD_PROP_DYNAMIC_METADATA,
} GstHdrCompositorPadProp;

/* The defaults of properties. */
static const GstHdrCompositorBackground GST_HDR_COMPOSITOR_DEFAULT_BACKGROUND = GST_HDR_COMPOSITOR_BACKGROUND_BLACK;
static const GstHdrCompositorRange GST_HDR_COMPOSITOR_DEFAULT_DYNAMIC_RANGE = GST_HDR_COMPOSITOR_RANGE_AUTO;
static const GstHdrCompositorBlendSpace GST_HDR_COMPOSITOR_DEFAULT_BLEND_SPACE = GST_HDR_COMPOSITOR_BLEND_SPACE_LINEAR;
static const GstHdrCompositorMetadataPolicy GST_HDR_COMPOSITOR_DEFAULT_METADATA_POLICY =
    GST_HDR_COMPOSITOR_METADATA_POLICY_PROPAGATE;
static const GstHdrCompositorScaling GST_HDR_COMPOSITOR_DEFAULT_SCALING_METHOD = GST_HDR_COMPOSITOR_SCALING_LANCZOS;
static const gboolean GST_HDR_COMPOSITOR_DEFAULT_ZERO_SIZE_IS_UNSCALED = TRUE;
static const guint GST_HDR_COMPOSITOR_DEFAULT_N_THREADS = 0;
static const GstHdrPeakDetection GST_HDR_COMPOSITOR_PAD_DEFAULT_PEAK_DETECTION = GST_HDR_PEAK_DETECTION_AUTO;
static const GstHdrMetadataUse GST_HDR_COMPOSITOR_PAD_DEFAULT_DYNAMIC_METADATA = GST_HDR_METADATA_USE_AUTO;
static const gint GST_HDR_COMPOSITOR_PAD_DEFAULT_SIZE = -1;
static const gdouble GST_HDR_COMPOSITOR_PAD_DEFAULT_ALPHA = 1.0;
static const GstHdrCompositorOperator GST_HDR_COMPOSITOR_PAD_DEFAULT_OPERATOR = GST_HDR_COMPOSITOR_OPERATOR_OVER;
static const GstHdrCompositorSizingPolicy GST_HDR_COMPOSITOR_PAD_DEFAULT_SIZING_POLICY =
    GST_HDR_COMPOSITOR_SIZING_POLICY_NONE;
static const GstVideoOrientationMethod GST_HDR_COMPOSITOR_PAD_DEFAULT_VIDEO_DIRECTION = GST_VIDEO_ORIENTATION_IDENTITY;

static const gdouble GST_HDR_COMPOSITOR_PAD_DEFAULT_WIPE_PROGRESS = 1.0;

/* The values of a pad's properties. Positions and sizes are in pixels of the canvas, crops in pixels of the picture
 * after it has been turned. */
typedef struct {
    gint xpos, ypos, width, height;
    gdouble alpha;
    GstHdrCompositorOperator operation;
    GstHdrCompositorSizingPolicy sizing_policy;
    gint crop_left, crop_right, crop_top, crop_bottom;
    GstVideoOrientationMethod video_direction;
    GstHdrCompositorWipe wipe;
    gdouble wipe_progress, wipe_softness;
    gboolean wipe_reverse;
    /* A GRefString, or NULL. */
    gchar *wipe_map;
    /* One of hdr_convert_inverse_tone_mappings. */
    gint inverse_tone_mapping;
    GstHdrPeakDetection peak_detection;
    GstHdrMetadataUse dynamic_metadata;
} GstHdrCompositorPadSettings;

typedef struct _GstHdrCompositorPad {
    GstVideoAggregatorPad parent;
    /* Guarded by the object's lock. */
    GstHdrCompositorPadSettings settings;
    /* The direction of the stream's tags, which holds where the direction is automatic. */
    GstVideoOrientationMethod tagged_direction;
    /* The caps of the picture that is shown; NULL before there is one. */
    GstCaps *caps;
    GstVideoInfo info;
    /* The caps of the pictures behind the one that was shown when these caps came, or NULL. A reference to that picture
     * is held until then. */
    GstCaps *next_caps;
    GstBuffer *last_picture;
} GstHdrCompositorPad;

typedef struct _GstHdrCompositorPadClass {
    GstVideoAggregatorPadClass parent_class;
} GstHdrCompositorPadClass;

/* A pad's state at the time when a picture is composed. Arrays of these are in ascending order of zorder. */
typedef struct {
    /* The pad's identity; it is never dereferenced. */
    gconstpointer pad;
    GstVideoInfo info;
    /* The caps of the picture, or NULL. */
    GstCaps *caps;
    /* The frame that it shows; NULL where it has nothing to show, and while caps are chosen. */
    GstVideoFrame *frame;
    /* The pad's settings, whose direction is never automatic. */
    GstHdrCompositorPadSettings settings;
} GstHdrCompositorLayer;

GType gst_hdr_compositor_get_type(void);
GType gst_hdr_compositor_pad_get_type(void);
/* Sets the direction of the stream's tags, on any thread. */
void gst_hdr_compositor_pad_set_tagged_direction(GstHdrCompositorPad *pad, GstVideoOrientationMethod direction);
/* For the aggregator's thread: take_caps takes caps that hold from the pad's next picture on, and follow checks which
 * picture the pad shows now. forget drops all of them when the element has stopped. */
void gst_hdr_compositor_pad_take_caps(GstHdrCompositorPad *pad, GstCaps *caps);
void gst_hdr_compositor_pad_follow(GstHdrCompositorPad *pad);
void gst_hdr_compositor_pad_forget(GstHdrCompositorPad *pad);
gboolean gst_element_register_hdrcompositor(GstPlugin *plugin);
/* Sends a mouse or touch event to the pads whose pictures are under it, at the place in the picture; FALSE for other
 * events. */
gboolean gst_hdr_compositor_navigate(GstAggregator *aggregator, GstEvent *event);
GstDebugCategory *gst_hdr_compositor_debug_category(void);

/* Swift. The aggregator's thread calls all but new, free and the property functions (any thread) and stop (the thread
 * that changes the state, after the aggregator's thread has ended). */
gpointer hdr_compositor_new(GstHdrCompositor *element);
void hdr_compositor_free(gpointer impl);
void hdr_compositor_set_property(gpointer impl, guint id, const GValue *value);
void hdr_compositor_get_property(gpointer impl, guint id, GValue *value);
/* Takes ownership of caps that downstream accepts, and returns fixed ones that the caller owns. */
GstCaps *hdr_compositor_fixate_caps(gpointer impl, GstCaps *caps, const GstHdrCompositorLayer *layers, gsize count);
gboolean hdr_compositor_set_caps(gpointer impl, GstCaps *caps);
GstFlowReturn hdr_compositor_compose(gpointer impl, GstBuffer *output, const GstHdrCompositorLayer *layers,
                                     gsize count);
void hdr_compositor_stop(gpointer impl);
/* The caps that a pad's pictures have, which may say more than those that it was told; the caller owns the result. The
 * pad's streaming thread. */
GstCaps *hdr_compositor_pad_caps(GstPad *pad, GstCaps *caps);
/* Replaces a place on the canvas by that in a pad's picture, in pixels; FALSE where the picture is not there. Any
 * thread. */
gboolean hdr_compositor_place_in_picture(gpointer impl, const GstHdrCompositorLayer *layer, const GstVideoInfo *canvas,
                                         gdouble *x, gdouble *y);

G_END_DECLS
#pragma GCC visibility pop

#endif
