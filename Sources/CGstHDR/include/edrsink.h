/* The element edrsink. CGstHDR.h says who implements the functions and who owns the arguments. */
#ifndef CGSTHDR_EDRSINK_H
#define CGSTHDR_EDRSINK_H

#include <gst/video/gstvideosink.h>

#include "metadatause.h"
#include "peakdetection.h"

#pragma GCC visibility push(hidden)
G_BEGIN_DECLS

typedef struct _GstEdrSink {
    GstVideoSink parent;
    gpointer impl;
} GstEdrSink;

typedef struct _GstEdrSinkClass {
    GstVideoSinkClass parent_class;
} GstEdrSinkClass;

GType gst_edr_sink_get_type(void);
gboolean gst_element_register_edrsink(GstPlugin *plugin);
GstDebugCategory *gst_edr_sink_debug_category(void);
/* C. Emits the signal display-link. */
void gst_edr_sink_emit_display_link(GstEdrSink *self, guint64 now, guint64 target, guint64 interval);
gboolean gst_edr_sink_has_display_link(GstEdrSink *self);

typedef enum {
    GST_EDR_SINK_PROP_PRESENTER = 1,
    GST_EDR_SINK_PROP_WANTS_EDR,
    GST_EDR_SINK_PROP_PIXEL_FORMAT,
    GST_EDR_SINK_PROP_COLOR_SPACE,
    GST_EDR_SINK_PROP_FORCE_HEADROOM,
    GST_EDR_SINK_PROP_TONE_MAPPING,
    GST_EDR_SINK_PROP_PEAK_DETECTION,
    GST_EDR_SINK_PROP_FORCE_ASPECT_RATIO,
    GST_EDR_SINK_PROP_VIEWS,
    GST_EDR_SINK_PROP_DISPLAY_LINK_PAUSED,
    GST_EDR_SINK_PROP_HEADROOM,
    GST_EDR_SINK_PROP_POTENTIAL_HEADROOM,
    GST_EDR_SINK_PROP_REFERENCE_WHITE,
    GST_EDR_SINK_PROP_DISPLAY_STATE,
    GST_EDR_SINK_PROP_ELIGIBLE,
    GST_EDR_SINK_PROP_FRAME_RECORD,
    GST_EDR_SINK_PROP_DYNAMIC_METADATA,
    GST_EDR_SINK_PROP_LAST,
} GstEdrSinkProp;

typedef enum {
    GST_EDR_PRESENTER_AUTO,
    GST_EDR_PRESENTER_WAYLAND,
    GST_EDR_PRESENTER_X11,
    GST_EDR_PRESENTER_OFFSCREEN
} GstEdrPresenter;
typedef enum {
    GST_EDR_PIXEL_FORMAT_AUTO,
    GST_EDR_PIXEL_FORMAT_RGBA16F,
    GST_EDR_PIXEL_FORMAT_RGB10A2,
    GST_EDR_PIXEL_FORMAT_RGBA8
} GstEdrPixelFormat;
typedef enum {
    GST_EDR_COLOR_SPACE_AUTO,
    GST_EDR_COLOR_SPACE_EXTENDED_LINEAR,
    GST_EDR_COLOR_SPACE_BT2100_PQ,
    GST_EDR_COLOR_SPACE_SRGB
} GstEdrColorSpace;
/* The defaults of properties. */
static const GstEdrPresenter GST_EDR_SINK_DEFAULT_PRESENTER = GST_EDR_PRESENTER_AUTO;
static const gboolean GST_EDR_SINK_DEFAULT_WANTS_EDR = TRUE;
static const GstEdrPixelFormat GST_EDR_SINK_DEFAULT_PIXEL_FORMAT = GST_EDR_PIXEL_FORMAT_AUTO;
static const GstEdrColorSpace GST_EDR_SINK_DEFAULT_COLOR_SPACE = GST_EDR_COLOR_SPACE_AUTO;
static const gdouble GST_EDR_SINK_DEFAULT_FORCE_HEADROOM = 0;
static const GstHdrPeakDetection GST_EDR_SINK_DEFAULT_PEAK_DETECTION = GST_HDR_PEAK_DETECTION_AUTO;
static const GstHdrMetadataUse GST_EDR_SINK_DEFAULT_DYNAMIC_METADATA = GST_HDR_METADATA_USE_AUTO;
static const gboolean GST_EDR_SINK_DEFAULT_FORCE_ASPECT_RATIO = TRUE;
static const gboolean GST_EDR_SINK_DEFAULT_DISPLAY_LINK_PAUSED = TRUE;

/* Swift, from any thread: the values of tone-mapping, which live for ever. The first is the default. */
const GEnumValue *edr_sink_tone_mappings(void);

/* Swift. The streaming thread calls set_info, prepare, show, propose_allocation and event; the thread that changes the
 * state calls open, before_state, stop and close; any thread the others. */
gpointer edr_sink_new(GstEdrSink *element);
void edr_sink_free(gpointer impl);
void edr_sink_set_property(gpointer impl, guint id, const GValue *value);
void edr_sink_get_property(gpointer impl, guint id, GValue *value);
/* Connects to a display. Where it returns FALSE, an error has been posted. */
gboolean edr_sink_open(gpointer impl);
void edr_sink_before_state(gpointer impl, GstStateChange transition);
void edr_sink_stop(gpointer impl);
void edr_sink_close(gpointer impl);
void edr_sink_set_context(gpointer impl, GstContext *context);
gboolean edr_sink_set_info(gpointer impl, GstCaps *caps, const GstVideoInfo *info);
gboolean edr_sink_propose_allocation(gpointer impl, GstQuery *query);
GstFlowReturn edr_sink_prepare(gpointer impl, GstBuffer *buffer);
GstFlowReturn edr_sink_show(gpointer impl, GstBuffer *buffer);
void edr_sink_set_flushing(gpointer impl, gboolean flushing);
void edr_sink_event(gpointer impl, GstEvent *event);
void edr_sink_set_window_handle(gpointer impl, guintptr handle);
void edr_sink_expose(gpointer impl);
void edr_sink_handle_events(gpointer impl, gboolean handle);
void edr_sink_set_render_rectangle(gpointer impl, gint x, gint y, gint width, gint height);
/* Takes ownership of the event. */
void edr_sink_send_navigation(gpointer impl, GstEvent *event);
gboolean edr_sink_save_frame(gpointer impl, const gchar *location);
/* The current frame, which the caller owns; NULL where there is none. */
GstSample *edr_sink_read_frame(gpointer impl);
guint64 edr_sink_item_time(gpointer impl, guint64 host_time);
/* The sink's own video output, which the sink owns; and a new output, which the caller owns. */
gpointer edr_sink_video_output(gpointer impl);
gpointer edr_sink_new_video_output(gpointer impl);

G_END_DECLS
#pragma GCC visibility pop

#endif
