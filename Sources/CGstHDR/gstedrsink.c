#include <gst/video/navigation.h>
#include <gst/video/videooverlay.h>

#include "CGstHDR.h"
#include "enumtype.h"
#include "formats.h"

GST_DEBUG_CATEGORY_STATIC(edrsink_debug);

GstDebugCategory *gst_edr_sink_debug_category(void) { return edrsink_debug; }

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE(
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS(GST_VIDEO_CAPS_MAKE(GST_HDR_SINK_FORMATS) "; " GST_VIDEO_CAPS_MAKE_WITH_FEATURES(
        GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY "," GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION,
        GST_HDR_SINK_FORMATS)));

ENUM_TYPE(presenter_type, "GstEdrPresenter",
          {GST_EDR_PRESENTER_AUTO, "Wayland, or else X11; an error where there is neither", "auto"},
          {GST_EDR_PRESENTER_WAYLAND, "A Wayland compositor; extended range where it supports color-management-v1",
           "wayland"},
          {GST_EDR_PRESENTER_X11, "An X server of depth 24 or 30; HDR is tone-mapped to SDR", "x11"},
          {GST_EDR_PRESENTER_OFFSCREEN,
           "No display: pictures stay in memory, for the action signals read-frame and save-frame; any headroom",
           "offscreen"})

ENUM_TYPE(pixel_format_type, "GstEdrPixelFormat",
          {GST_EDR_PIXEL_FORMAT_AUTO, "rgba16f up to 1920x1080 where the display accepts it, else rgb10a2, else rgba8",
           "auto"},
          {GST_EDR_PIXEL_FORMAT_RGBA16F, "16-bit floats", "rgba16f"},
          {GST_EDR_PIXEL_FORMAT_RGB10A2, "10-bit integers", "rgb10a2"},
          {GST_EDR_PIXEL_FORMAT_RGBA8, "8-bit integers, dithered", "rgba8"})

ENUM_TYPE(color_space_type, "GstEdrColorSpace",
          {GST_EDR_COLOR_SPACE_AUTO, "The best one that the display accepts for the pixel format", "auto"},
          {GST_EDR_COLOR_SPACE_EXTENDED_LINEAR,
           "Linear light where 1.0 is SDR white; primaries of Display P3 where the display supports them",
           "extended-linear-display-p3"},
          {GST_EDR_COLOR_SPACE_BT2100_PQ, "BT.2100 PQ; SDR white is 203 cd/m2", "bt2100-pq"},
          {GST_EDR_COLOR_SPACE_SRGB, "sRGB, without extended range", "srgb"})

/* The values, names and descriptions come from the registry of tone curves. */
ENUM_TYPE_OF(tone_mapping_type, "GstEdrToneMapping", edr_sink_tone_mappings())

enum {
    SIGNAL_SAVE_FRAME,
    SIGNAL_READ_FRAME,
    SIGNAL_ITEM_TIME,
    SIGNAL_HAS_NEW_FRAME,
    SIGNAL_COPY_FRAME,
    SIGNAL_CREATE_VIDEO_OUTPUT,
    SIGNAL_DISPLAY_LINK,
    N_SIGNALS
};
static guint signals[N_SIGNALS];

#define IMPL(object) (((GstEdrSink *)(object))->impl)

/* ---- interfaces */

static void set_window_handle(GstVideoOverlay *overlay, guintptr handle) {
    edr_sink_set_window_handle(IMPL(overlay), handle);
}
static void expose(GstVideoOverlay *overlay) { edr_sink_expose(IMPL(overlay)); }
static void handle_events(GstVideoOverlay *overlay, gboolean handle) { edr_sink_handle_events(IMPL(overlay), handle); }
static void set_render_rectangle(GstVideoOverlay *overlay, gint x, gint y, gint width, gint height) {
    edr_sink_set_render_rectangle(IMPL(overlay), x, y, width, height);
}

static void overlay_init(GstVideoOverlayInterface *iface) {
    iface->set_window_handle = set_window_handle;
    iface->expose = expose;
    iface->handle_events = handle_events;
    iface->set_render_rectangle = set_render_rectangle;
}

static void send_navigation(GstNavigation *navigation, GstEvent *event) {
    edr_sink_send_navigation(IMPL(navigation), event);
}

static void navigation_init(GstNavigationInterface *iface) { iface->send_event_simple = send_navigation; }

G_DEFINE_TYPE_WITH_CODE(GstEdrSink, gst_edr_sink, GST_TYPE_VIDEO_SINK,
                        G_IMPLEMENT_INTERFACE(GST_TYPE_VIDEO_OVERLAY, overlay_init)
                            G_IMPLEMENT_INTERFACE(GST_TYPE_NAVIGATION, navigation_init))
GST_ELEMENT_REGISTER_DEFINE(edrsink, "edrsink", GST_RANK_NONE, gst_edr_sink_get_type())

void gst_edr_sink_emit_display_link(GstEdrSink *self, guint64 now, guint64 target, guint64 interval) {
    g_signal_emit(self, signals[SIGNAL_DISPLAY_LINK], 0, now, target, interval);
}

gboolean gst_edr_sink_has_display_link(GstEdrSink *self) {
    return g_signal_has_handler_pending(self, signals[SIGNAL_DISPLAY_LINK], 0, FALSE);
}

/* ---- virtual functions */

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
    if (!gst_video_overlay_set_property(object, GST_EDR_SINK_PROP_LAST, id, value))
        edr_sink_set_property(IMPL(object), id, value);
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec) {
    edr_sink_get_property(IMPL(object), id, value);
}

static GstStateChangeReturn change_state(GstElement *element, GstStateChange transition) {
    if (transition == GST_STATE_CHANGE_NULL_TO_READY && !edr_sink_open(IMPL(element)))
        return GST_STATE_CHANGE_FAILURE;
    edr_sink_before_state(IMPL(element), transition);
    GstStateChangeReturn result = GST_ELEMENT_CLASS(gst_edr_sink_parent_class)->change_state(element, transition);
    if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
        edr_sink_stop(IMPL(element));
    if (transition == GST_STATE_CHANGE_READY_TO_NULL)
        edr_sink_close(IMPL(element));
    return result;
}

static void set_context(GstElement *element, GstContext *context) {
    edr_sink_set_context(IMPL(element), context);
    GST_ELEMENT_CLASS(gst_edr_sink_parent_class)->set_context(element, context);
}

static gboolean set_info(GstVideoSink *sink, GstCaps *caps, const GstVideoInfo *info) {
    return edr_sink_set_info(IMPL(sink), caps, info);
}

static gboolean propose_allocation(GstBaseSink *sink, GstQuery *query) {
    return edr_sink_propose_allocation(IMPL(sink), query);
}

/* Makes or shows a picture. A pause interrupts that, and it is done again when the pipeline goes on; the same holds for
 * a step, which GstBaseSink reports as GST_FLOW_CUSTOM_ERROR. Only a flush ends it. */
static GstFlowReturn until_done(GstBaseSink *sink, GstBuffer *buffer,
                                GstFlowReturn (*paint)(gpointer impl, GstBuffer *buffer)) {
    GstFlowReturn result = paint(IMPL(sink), buffer);
    while (result == GST_FLOW_FLUSHING) {
        GstFlowReturn waited = gst_base_sink_wait_preroll(sink);
        if (waited != GST_FLOW_OK && waited != GST_FLOW_CUSTOM_ERROR)
            return waited;
        result = paint(IMPL(sink), buffer);
    }
    return result;
}

static GstFlowReturn prepare(GstBaseSink *sink, GstBuffer *buffer) {
    return until_done(sink, buffer, edr_sink_prepare);
}
static GstFlowReturn show_frame(GstVideoSink *sink, GstBuffer *buffer) {
    return until_done(GST_BASE_SINK(sink), buffer, edr_sink_show);
}

static gboolean unlock(GstBaseSink *sink) {
    edr_sink_set_flushing(IMPL(sink), TRUE);
    return TRUE;
}

static gboolean unlock_stop(GstBaseSink *sink) {
    edr_sink_set_flushing(IMPL(sink), FALSE);
    return TRUE;
}

static gboolean event(GstBaseSink *sink, GstEvent *event) {
    edr_sink_event(IMPL(sink), event);
    return GST_BASE_SINK_CLASS(gst_edr_sink_parent_class)->event(sink, event);
}

/* In an instant rate change the pipeline sends INSTANT_RATE_SYNC_TIME to its sinks, which pass it upstream. Swift gets
 * the event after the base class, so that it reads the sink's new rate. */
static gboolean send_event(GstElement *element, GstEvent *event) {
    if (GST_EVENT_TYPE(event) != GST_EVENT_INSTANT_RATE_SYNC_TIME)
        return GST_ELEMENT_CLASS(gst_edr_sink_parent_class)->send_event(element, event);
    gst_event_ref(event);
    gboolean handled = GST_ELEMENT_CLASS(gst_edr_sink_parent_class)->send_event(element, event);
    edr_sink_event(IMPL(element), event);
    gst_event_unref(event);
    return handled;
}

static gboolean save_frame(GstEdrSink *self, const gchar *location) {
    return edr_sink_save_frame(self->impl, location);
}
static GstSample *read_frame(GstEdrSink *self) { return edr_sink_read_frame(self->impl); }
static guint64 item_time_for_host_time(GstEdrSink *self, guint64 host_time) {
    return edr_sink_item_time(self->impl, host_time);
}
static gboolean has_new_frame(GstEdrSink *self, guint64 item_time) {
    return hdr_video_output_has_new_frame(edr_sink_video_output(self->impl), item_time);
}
static GstSample *copy_frame(GstEdrSink *self, guint64 item_time) {
    return hdr_video_output_copy_frame(edr_sink_video_output(self->impl), item_time);
}

static GObject *create_video_output(GstEdrSink *self) {
    return G_OBJECT(gst_hdr_video_output_own(edr_sink_new_video_output(self->impl)));
}

static void dispose(GObject *object) {
    edr_sink_close(IMPL(object));
    G_OBJECT_CLASS(gst_edr_sink_parent_class)->dispose(object);
}

static void finalize(GObject *object) {
    edr_sink_free(IMPL(object));
    G_OBJECT_CLASS(gst_edr_sink_parent_class)->finalize(object);
}

static void gst_edr_sink_init(GstEdrSink *self) { self->impl = edr_sink_new(self); }

#define FLAGS (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)
#define READABLE (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)

static void install_choices(GObjectClass *klass) {
    g_object_class_install_property(
        klass, GST_EDR_SINK_PROP_PRESENTER,
        g_param_spec_enum(
            "presenter", "Presenter",
            "Display system that shows the pictures; takes effect when the element goes from NULL to READY",
            presenter_type(), GST_EDR_SINK_DEFAULT_PRESENTER,
            (FLAGS & ~GST_PARAM_MUTABLE_PLAYING) | GST_PARAM_MUTABLE_READY));
    g_object_class_install_property(
        klass, GST_EDR_SINK_PROP_WANTS_EDR,
        g_param_spec_boolean(
            "wants-extended-dynamic-range", "Wants extended dynamic range",
            "Ask the display for brightness above SDR white where the video is HDR; FALSE shows it as SDR",
            GST_EDR_SINK_DEFAULT_WANTS_EDR, FLAGS));
    g_object_class_install_property(klass, GST_EDR_SINK_PROP_PIXEL_FORMAT,
                                    g_param_spec_enum("pixel-format", "Pixel format",
                                                      "Format of the pixels that the display gets", pixel_format_type(),
                                                      GST_EDR_SINK_DEFAULT_PIXEL_FORMAT, FLAGS));
    g_object_class_install_property(klass, GST_EDR_SINK_PROP_COLOR_SPACE,
                                    g_param_spec_enum("color-space", "Colour space",
                                                      "Colour encoding of the pixels that the display gets",
                                                      color_space_type(), GST_EDR_SINK_DEFAULT_COLOR_SPACE, FLAGS));
    g_object_class_install_property(
        klass, GST_EDR_SINK_PROP_FORCE_HEADROOM,
        gst_hdr_param_spec_double(
            "force-headroom", "Force headroom",
            "Headroom (peak luminance divided by that of SDR white) to tone-map to, whatever the display reports: 1 to "
            "50; 0: the display's own. Other values are refused with a warning",
            0, 50, GST_EDR_SINK_DEFAULT_FORCE_HEADROOM, FLAGS));
    g_object_class_install_property(klass, GST_EDR_SINK_PROP_TONE_MAPPING,
                                    g_param_spec_enum("tone-mapping", "Tone mapping",
                                                      "Tone curve that compresses light above the headroom into it",
                                                      tone_mapping_type(), 0, FLAGS));
    g_object_class_install_property(
        klass, GST_EDR_SINK_PROP_PEAK_DETECTION,
        g_param_spec_enum("peak-detection", "Peak detection",
                          "Where the peak of an HDR source comes from if the source has to be tone-mapped",
                          gst_hdr_peak_detection_get_type(), GST_EDR_SINK_DEFAULT_PEAK_DETECTION, FLAGS));
    g_object_class_install_property(
        klass, GST_EDR_SINK_PROP_DYNAMIC_METADATA,
        g_param_spec_enum(
            "dynamic-metadata", "Dynamic metadata",
            "Whether Dolby Vision and HDR10+ metadata that hdrmetaparse has attached to the pictures are applied",
            gst_hdr_metadata_use_get_type(), GST_EDR_SINK_DEFAULT_DYNAMIC_METADATA, FLAGS));
    g_object_class_install_property(klass, GST_EDR_SINK_PROP_FORCE_ASPECT_RATIO,
                                    g_param_spec_boolean("force-aspect-ratio", "Force aspect ratio",
                                                         "Keep the picture's aspect ratio and fill the rest of the "
                                                         "window with black; FALSE stretches the picture to the window",
                                                         GST_EDR_SINK_DEFAULT_FORCE_ASPECT_RATIO, FLAGS));
    g_object_class_install_property(
        klass, GST_EDR_SINK_PROP_VIEWS,
        gst_param_spec_array(
            "views", "Views",
            "Regions of the picture and where in the window they are shown: structures \"view\" with source-x, "
            "source-y, source-width, source-height (fractions of the picture, 0 to 1), x, y, width, height (fractions "
            "of the window, 0 to 1), mask (none, ellipse), opacity and feather (0 to 1); the first is at the bottom. "
            "All show the same frame. Empty: the whole picture",
            g_param_spec_boxed("view", "View", "A view", GST_TYPE_STRUCTURE, FLAGS), FLAGS));
    g_object_class_install_property(
        klass, GST_EDR_SINK_PROP_DISPLAY_LINK_PAUSED,
        g_param_spec_boolean(
            "display-link-paused", "Display link paused",
            "Do not emit the signal display-link; FALSE: it is emitted for each refresh of the display",
            GST_EDR_SINK_DEFAULT_DISPLAY_LINK_PAUSED, FLAGS));
}

static void install_state(GObjectClass *klass) {
    g_object_class_install_property(klass, GST_EDR_SINK_PROP_HEADROOM,
                                    g_param_spec_double("headroom", "Headroom",
                                                        "Headroom that pictures are tone-mapped to: peak luminance "
                                                        "divided by that of SDR white; 1 while the picture is SDR",
                                                        1, G_MAXDOUBLE, 1, READABLE));
    g_object_class_install_property(
        klass, GST_EDR_SINK_PROP_POTENTIAL_HEADROOM,
        g_param_spec_double("potential-headroom", "Potential headroom",
                            "Largest headroom that the display can reach; 1: it has no extended range", 1, G_MAXDOUBLE,
                            1, READABLE));
    g_object_class_install_property(klass, GST_EDR_SINK_PROP_REFERENCE_WHITE,
                                    g_param_spec_double("reference-white", "Reference white",
                                                        "Luminance of SDR white on the display, in cd/m2", 0,
                                                        G_MAXDOUBLE, 203, READABLE));
    g_object_class_install_property(
        klass, GST_EDR_SINK_PROP_DISPLAY_STATE,
        g_param_spec_boxed("display-state", "Display state",
                           "What the display offers, which pixel format and colour space were chosen, and why no "
                           "better ones. An element message of the same name reports changes",
                           GST_TYPE_STRUCTURE, READABLE));
    g_object_class_install_property(klass, GST_EDR_SINK_PROP_ELIGIBLE,
                                    g_param_spec_boolean("eligible-for-hdr-playback", "Eligible for HDR playback",
                                                         "Whether the display can show HDR without tone mapping to SDR",
                                                         FALSE, READABLE));
    g_object_class_install_property(
        klass, GST_EDR_SINK_PROP_FRAME_RECORD,
        g_param_spec_boxed("frame-record", "Frame record",
                           "Numbers of frames since the start that were presented, repeated, late, dropped or are "
                           "pending, and the last 240 frames in fields named 0, 1, ..., oldest first, as structures "
                           "with pts (ns), target-time, presented-time (ns of CLOCK_MONOTONIC) and state",
                           GST_TYPE_STRUCTURE, READABLE));
}

static void install_signals(GType type) {
    const GSignalFlags action = G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION;
    signals[SIGNAL_SAVE_FRAME] = g_signal_new_class_handler("save-frame", type, action, G_CALLBACK(save_frame), NULL,
                                                            NULL, NULL, G_TYPE_BOOLEAN, 1, G_TYPE_STRING);
    signals[SIGNAL_READ_FRAME] = g_signal_new_class_handler("read-frame", type, action, G_CALLBACK(read_frame), NULL,
                                                            NULL, NULL, GST_TYPE_SAMPLE, 0);
    signals[SIGNAL_ITEM_TIME] =
        g_signal_new_class_handler("item-time-for-host-time", type, action, G_CALLBACK(item_time_for_host_time), NULL,
                                   NULL, NULL, G_TYPE_UINT64, 1, G_TYPE_UINT64);
    signals[SIGNAL_HAS_NEW_FRAME] = g_signal_new_class_handler("has-new-frame", type, action, G_CALLBACK(has_new_frame),
                                                               NULL, NULL, NULL, G_TYPE_BOOLEAN, 1, G_TYPE_UINT64);
    signals[SIGNAL_COPY_FRAME] = g_signal_new_class_handler("copy-frame", type, action, G_CALLBACK(copy_frame), NULL,
                                                            NULL, NULL, GST_TYPE_SAMPLE, 1, G_TYPE_UINT64);
    signals[SIGNAL_CREATE_VIDEO_OUTPUT] = g_signal_new_class_handler(
        "create-video-output", type, action, G_CALLBACK(create_video_output), NULL, NULL, NULL, G_TYPE_OBJECT, 0);
    signals[SIGNAL_DISPLAY_LINK] = g_signal_new("display-link", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                                G_TYPE_NONE, 3, G_TYPE_UINT64, G_TYPE_UINT64, G_TYPE_UINT64);
}

static void gst_edr_sink_class_init(GstEdrSinkClass *klass) {
    GObjectClass *object_class = G_OBJECT_CLASS(klass);
    GstElementClass *element_class = GST_ELEMENT_CLASS(klass);
    GstBaseSinkClass *base_class = GST_BASE_SINK_CLASS(klass);
    GstVideoSinkClass *video_class = GST_VIDEO_SINK_CLASS(klass);

    GST_DEBUG_CATEGORY_INIT(edrsink_debug, "edrsink", 0, "Extended dynamic range video sink");

    object_class->set_property = set_property;
    object_class->get_property = get_property;
    object_class->dispose = dispose;
    object_class->finalize = finalize;
    element_class->change_state = GST_DEBUG_FUNCPTR(change_state);
    element_class->send_event = GST_DEBUG_FUNCPTR(send_event);
    element_class->set_context = GST_DEBUG_FUNCPTR(set_context);
    base_class->propose_allocation = GST_DEBUG_FUNCPTR(propose_allocation);
    base_class->prepare = GST_DEBUG_FUNCPTR(prepare);
    base_class->unlock = GST_DEBUG_FUNCPTR(unlock);
    base_class->unlock_stop = GST_DEBUG_FUNCPTR(unlock_stop);
    base_class->event = GST_DEBUG_FUNCPTR(event);
    video_class->set_info = GST_DEBUG_FUNCPTR(set_info);
    video_class->show_frame = GST_DEBUG_FUNCPTR(show_frame);

    gst_element_class_add_static_pad_template(element_class, &sink_template);
    gst_element_class_set_static_metadata(
        element_class, "EDR video sink", "Sink/Video",
        "Shows HDR and SDR video with extended dynamic range on Wayland, as SDR on X11, or offscreen",
        "The gst-hdr team");
    install_choices(object_class);
    install_state(object_class);
    gst_video_overlay_install_properties(object_class, GST_EDR_SINK_PROP_LAST);
    install_signals(G_TYPE_FROM_CLASS(klass));
}
