/* The element hdrvideosink. CGstHDR.h says who implements the functions and who owns the arguments. */
#ifndef CGSTHDR_HDRVIDEOSINK_H
#define CGSTHDR_HDRVIDEOSINK_H

#include <gst/gst.h>
#include <gst/video/colorbalance.h>

#pragma GCC visibility push(hidden)
G_BEGIN_DECLS

typedef struct _GstHdrVideoSink {
    GstBin parent;
    GstPad *sinkpad;
    gpointer impl;
} GstHdrVideoSink;

typedef struct _GstHdrVideoSinkClass {
    GstBinClass parent_class;
} GstHdrVideoSinkClass;

GType gst_hdr_video_sink_get_type(void);
gboolean gst_element_register_hdrvideosink(GstPlugin *plugin);
GstDebugCategory *gst_hdr_video_sink_debug_category(void);

/* The properties before SINK are forwarded to those of the inner sink with the same names. */
typedef enum {
    GST_HDR_VIDEO_SINK_PROP_SYNC = 1,
    GST_HDR_VIDEO_SINK_PROP_ASYNC,
    GST_HDR_VIDEO_SINK_PROP_QOS,
    GST_HDR_VIDEO_SINK_PROP_MAX_LATENESS,
    GST_HDR_VIDEO_SINK_PROP_TS_OFFSET,
    GST_HDR_VIDEO_SINK_PROP_RENDER_DELAY,
    GST_HDR_VIDEO_SINK_PROP_PROCESSING_DEADLINE,
    GST_HDR_VIDEO_SINK_PROP_THROTTLE_TIME,
    GST_HDR_VIDEO_SINK_PROP_ENABLE_LAST_SAMPLE,
    GST_HDR_VIDEO_SINK_PROP_LAST_SAMPLE,
    GST_HDR_VIDEO_SINK_PROP_STATS,
    GST_HDR_VIDEO_SINK_PROP_SHOW_PREROLL_FRAME,
    GST_HDR_VIDEO_SINK_PROP_FORCE_ASPECT_RATIO,
    GST_HDR_VIDEO_SINK_PROP_SINK,
    GST_HDR_VIDEO_SINK_PROP_ACTUAL_SINK,
    GST_HDR_VIDEO_SINK_PROP_DISPLAY_STATE,
    /* This is also the number of the property render-rectangle, which GstVideoOverlay installs. */
    GST_HDR_VIDEO_SINK_PROP_LAST,
} GstHdrVideoSinkProp;

/* Swift. open and close are called by the thread that changes the state, close after streaming has ended; the others
 * by any thread. */
gpointer hdr_video_sink_new(GstHdrVideoSink *element);
void hdr_video_sink_free(gpointer impl);
void hdr_video_sink_set_property(gpointer impl, GParamSpec *property, const GValue *value);
void hdr_video_sink_get_property(gpointer impl, GParamSpec *property, GValue *value);
/* Whether there is a sink that works. Where there is none, an error has been posted. */
gboolean hdr_video_sink_open(gpointer impl);
void hdr_video_sink_close(gpointer impl);
/* Takes ownership of a message of an element inside the bin, and returns the message to post in its place; NULL for
 * none. */
GstMessage *hdr_video_sink_explain(gpointer impl, GstMessage *message);
void hdr_video_sink_set_window_handle(gpointer impl, guintptr handle);
void hdr_video_sink_expose(gpointer impl);
void hdr_video_sink_handle_events(gpointer impl, gboolean handle);
void hdr_video_sink_set_render_rectangle(gpointer impl, gint x, gint y, gint width, gint height);
/* Takes ownership of the event. */
void hdr_video_sink_send_navigation(gpointer impl, GstEvent *event);
/* The inner sink's list of color balance channels, which the inner sink owns; NULL where it has none. */
const GList *hdr_video_sink_list_channels(gpointer impl);
void hdr_video_sink_set_balance(gpointer impl, GstColorBalanceChannel *channel, gint value);
gint hdr_video_sink_get_balance(gpointer impl, GstColorBalanceChannel *channel);
GstColorBalanceType hdr_video_sink_get_balance_type(gpointer impl);

G_END_DECLS
#pragma GCC visibility pop

#endif
