#include <gst/video/gstvideosink.h>
#include <gst/video/navigation.h>
#include <gst/video/videooverlay.h>

#include "CGstHDR.h"
#include "formats.h"

GST_DEBUG_CATEGORY_STATIC(hdrvideosink_debug);

GstDebugCategory *gst_hdr_video_sink_debug_category(void) { return hdrvideosink_debug; }

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE(
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS(GST_VIDEO_CAPS_MAKE(GST_HDR_SINK_FORMATS) "; " GST_VIDEO_CAPS_MAKE_WITH_FEATURES(
        GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY "," GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION,
        GST_HDR_SINK_FORMATS)));

#define IMPL(object) (((GstHdrVideoSink *)(object))->impl)

/* ---- interfaces */

static void set_window_handle(GstVideoOverlay *overlay, guintptr handle) {
    hdr_video_sink_set_window_handle(IMPL(overlay), handle);
}
static void expose(GstVideoOverlay *overlay) { hdr_video_sink_expose(IMPL(overlay)); }
static void handle_events(GstVideoOverlay *overlay, gboolean handle) {
    hdr_video_sink_handle_events(IMPL(overlay), handle);
}
static void set_render_rectangle(GstVideoOverlay *overlay, gint x, gint y, gint width, gint height) {
    hdr_video_sink_set_render_rectangle(IMPL(overlay), x, y, width, height);
}

static void overlay_init(GstVideoOverlayInterface *iface) {
    iface->set_window_handle = set_window_handle;
    iface->expose = expose;
    iface->handle_events = handle_events;
    iface->set_render_rectangle = set_render_rectangle;
}

static void send_navigation(GstNavigation *navigation, GstEvent *event) {
    hdr_video_sink_send_navigation(IMPL(navigation), event);
}

static void navigation_init(GstNavigationInterface *iface) { iface->send_event_simple = send_navigation; }

static const GList *list_channels(GstColorBalance *balance) { return hdr_video_sink_list_channels(IMPL(balance)); }
static void set_balance(GstColorBalance *balance, GstColorBalanceChannel *channel, gint value) {
    hdr_video_sink_set_balance(IMPL(balance), channel, value);
}
static gint get_balance(GstColorBalance *balance, GstColorBalanceChannel *channel) {
    return hdr_video_sink_get_balance(IMPL(balance), channel);
}
static GstColorBalanceType get_balance_type(GstColorBalance *balance) {
    return hdr_video_sink_get_balance_type(IMPL(balance));
}

static void balance_init(GstColorBalanceInterface *iface) {
    iface->list_channels = list_channels;
    iface->set_value = set_balance;
    iface->get_value = get_balance;
    iface->get_balance_type = get_balance_type;
}

G_DEFINE_TYPE_WITH_CODE(GstHdrVideoSink, gst_hdr_video_sink, GST_TYPE_BIN,
                        G_IMPLEMENT_INTERFACE(GST_TYPE_VIDEO_OVERLAY, overlay_init)
                            G_IMPLEMENT_INTERFACE(GST_TYPE_NAVIGATION, navigation_init)
                                G_IMPLEMENT_INTERFACE(GST_TYPE_COLOR_BALANCE, balance_init))
GST_ELEMENT_REGISTER_DEFINE(hdrvideosink, "hdrvideosink", GST_RANK_NONE, gst_hdr_video_sink_get_type())

/* ---- virtual functions */

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
    if (!gst_video_overlay_set_property(object, GST_HDR_VIDEO_SINK_PROP_LAST, id, value))
        hdr_video_sink_set_property(IMPL(object), pspec, value);
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec) {
    hdr_video_sink_get_property(IMPL(object), pspec, value);
}

static GstStateChangeReturn change_state(GstElement *element, GstStateChange transition) {
    if (transition == GST_STATE_CHANGE_NULL_TO_READY && !hdr_video_sink_open(IMPL(element)))
        return GST_STATE_CHANGE_FAILURE;
    GstStateChangeReturn result = GST_ELEMENT_CLASS(gst_hdr_video_sink_parent_class)->change_state(element, transition);
    if (transition == GST_STATE_CHANGE_READY_TO_NULL ||
        (transition == GST_STATE_CHANGE_NULL_TO_READY && result == GST_STATE_CHANGE_FAILURE))
        hdr_video_sink_close(IMPL(element));
    return result;
}

static void handle_message(GstBin *bin, GstMessage *message) {
    message = hdr_video_sink_explain(IMPL(bin), message);
    if (message)
        GST_BIN_CLASS(gst_hdr_video_sink_parent_class)->handle_message(bin, message);
}

static void dispose(GObject *object) {
    hdr_video_sink_close(IMPL(object));
    G_OBJECT_CLASS(gst_hdr_video_sink_parent_class)->dispose(object);
}

static void finalize(GObject *object) {
    hdr_video_sink_free(IMPL(object));
    G_OBJECT_CLASS(gst_hdr_video_sink_parent_class)->finalize(object);
}

static void gst_hdr_video_sink_init(GstHdrVideoSink *self) {
    /* The bin counts as a sink even while there is nothing inside. */
    gst_bin_set_suppressed_flags(GST_BIN(self), GST_ELEMENT_FLAG_SOURCE | GST_ELEMENT_FLAG_SINK);
    GST_OBJECT_FLAG_SET(self, GST_ELEMENT_FLAG_SINK);
    GstPadTemplate *templ = gst_static_pad_template_get(&sink_template);
    self->sinkpad = gst_ghost_pad_new_no_target_from_template("sink", templ);
    gst_object_unref(templ);
    gst_element_add_pad(GST_ELEMENT(self), self->sinkpad);
    self->impl = hdr_video_sink_new(self);
}

#define FLAGS (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)
#define READABLE (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)

static void install_boolean(GObjectClass *klass, guint id, const gchar *name, const gchar *nick, const gchar *blurb,
                            gboolean standard) {
    g_object_class_install_property(klass, id, g_param_spec_boolean(name, nick, blurb, standard, FLAGS));
}

static void install_time(GObjectClass *klass, guint id, const gchar *name, const gchar *nick, const gchar *blurb,
                         guint64 standard) {
    g_object_class_install_property(klass, id, g_param_spec_uint64(name, nick, blurb, 0, G_MAXUINT64, standard, FLAGS));
}

/* Installs the properties of the inner sink, with GstVideoSink's defaults. */
static void install_forwarded(GObjectClass *klass) {
    install_boolean(klass, GST_HDR_VIDEO_SINK_PROP_SYNC, "sync", "Sync", "Show pictures at their time on the clock",
                    TRUE);
    install_boolean(klass, GST_HDR_VIDEO_SINK_PROP_ASYNC, "async", "Async",
                    "Reach PAUSED only when the first picture has arrived", TRUE);
    install_boolean(klass, GST_HDR_VIDEO_SINK_PROP_QOS, "qos", "QoS",
                    "Send QoS events upstream that tell how late pictures are", TRUE);
    g_object_class_install_property(klass, GST_HDR_VIDEO_SINK_PROP_MAX_LATENESS,
                                    g_param_spec_int64("max-lateness", "Max lateness",
                                                       "Lateness above which pictures are dropped, in ns; -1: never. "
                                                       "Unless it is set, the inner sink's own default applies",
                                                       -1, G_MAXINT64, 5 * GST_MSECOND, FLAGS));
    g_object_class_install_property(klass, GST_HDR_VIDEO_SINK_PROP_TS_OFFSET,
                                    g_param_spec_int64("ts-offset", "Timestamp offset",
                                                       "Offset that is added to the time of each picture, in ns",
                                                       G_MININT64, G_MAXINT64, 0, FLAGS));
    install_time(klass, GST_HDR_VIDEO_SINK_PROP_RENDER_DELAY, "render-delay", "Render delay",
                 "Additional delay of the display, in ns", 0);
    install_time(klass, GST_HDR_VIDEO_SINK_PROP_PROCESSING_DEADLINE, "processing-deadline", "Processing deadline",
                 "Maximum processing time of a picture in live pipelines, in ns", 15 * GST_MSECOND);
    install_time(klass, GST_HDR_VIDEO_SINK_PROP_THROTTLE_TIME, "throttle-time", "Throttle time",
                 "Minimum time between pictures, in ns; 0: no minimum", 0);
    install_boolean(klass, GST_HDR_VIDEO_SINK_PROP_ENABLE_LAST_SAMPLE, "enable-last-sample", "Enable last sample",
                    "Keep the last picture for last-sample", TRUE);
    g_object_class_install_property(klass, GST_HDR_VIDEO_SINK_PROP_LAST_SAMPLE,
                                    g_param_spec_boxed("last-sample", "Last sample",
                                                       "The last picture that the inner sink received", GST_TYPE_SAMPLE,
                                                       READABLE));
    g_object_class_install_property(klass, GST_HDR_VIDEO_SINK_PROP_STATS,
                                    g_param_spec_boxed("stats", "Statistics",
                                                       "How many pictures were rendered and dropped",
                                                       GST_TYPE_STRUCTURE, READABLE));
    install_boolean(klass, GST_HDR_VIDEO_SINK_PROP_SHOW_PREROLL_FRAME, "show-preroll-frame", "Show preroll frame",
                    "Show the first picture in PAUSED", TRUE);
    install_boolean(klass, GST_HDR_VIDEO_SINK_PROP_FORCE_ASPECT_RATIO, "force-aspect-ratio", "Force aspect ratio",
                    "Keep the picture's aspect ratio and fill the rest of the window with black; FALSE stretches the "
                    "picture to the window",
                    TRUE);
}

static void install_own(GObjectClass *klass) {
    g_object_class_install_property(
        klass, GST_HDR_VIDEO_SINK_PROP_SINK,
        g_param_spec_string("sink", "Sink",
                            "Factory name of the sink that shows pictures. Empty: edrsink where the display has "
                            "extended range, else the sink of the highest rank that opens, with hdrconvert before it",
                            "", (FLAGS & ~GST_PARAM_MUTABLE_PLAYING) | GST_PARAM_MUTABLE_READY));
    g_object_class_install_property(klass, GST_HDR_VIDEO_SINK_PROP_ACTUAL_SINK,
                                    g_param_spec_object("actual-sink", "Actual sink",
                                                        "The sink that shows pictures, from READY on", GST_TYPE_ELEMENT,
                                                        READABLE));
    g_object_class_install_property(
        klass, GST_HDR_VIDEO_SINK_PROP_DISPLAY_STATE,
        g_param_spec_boxed(
            "display-state", "Display state",
            "Which sink was chosen, whether HDR is converted to SDR for it, and why no better one, from READY on",
            GST_TYPE_STRUCTURE, READABLE));
}

static void gst_hdr_video_sink_class_init(GstHdrVideoSinkClass *klass) {
    GObjectClass *object_class = G_OBJECT_CLASS(klass);
    GstElementClass *element_class = GST_ELEMENT_CLASS(klass);

    GST_DEBUG_CATEGORY_INIT(hdrvideosink_debug, "hdrvideosink", 0, "HDR video sink for any display");

    object_class->set_property = set_property;
    object_class->get_property = get_property;
    object_class->dispose = dispose;
    object_class->finalize = finalize;
    element_class->change_state = GST_DEBUG_FUNCPTR(change_state);
    GST_BIN_CLASS(klass)->handle_message = GST_DEBUG_FUNCPTR(handle_message);

    gst_element_class_add_static_pad_template(element_class, &sink_template);
    gst_element_class_set_static_metadata(element_class, "HDR video sink", "Sink/Video",
                                          "Shows HDR and SDR video correctly on any display: with extended range by "
                                          "edrsink, else tone-mapped on the platform's best sink",
                                          "The gst-hdr team");

    install_forwarded(object_class);
    install_own(object_class);
    gst_video_overlay_install_properties(object_class, GST_HDR_VIDEO_SINK_PROP_LAST);
}
