#include "CGstHDR.h"
#include "enumtype.h"
#include <string.h>

GST_DEBUG_CATEGORY_STATIC(hdrtap_debug);

GstDebugCategory *gst_hdr_tap_debug_category(void) { return hdrtap_debug; }

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

enum {
    SIGNAL_PREPARE,
    SIGNAL_PROCESS,
    SIGNAL_UNPREPARE,
    SIGNAL_SET_AUDIO_CALLBACKS,
    SIGNAL_SET_VIDEO_CALLBACKS,
    SIGNAL_SUPPORTED_EFFECTS,
    SIGNAL_CREATE_VIDEO_OUTPUT,
    SIGNAL_RENDER_AGAIN,
    N_SIGNALS
};
static guint signals[N_SIGNALS];

static void child_proxy_init(gpointer interface, gpointer data);

G_DEFINE_TYPE_WITH_CODE(GstHdrTap, gst_hdr_tap, GST_TYPE_ELEMENT,
                        G_IMPLEMENT_INTERFACE(GST_TYPE_CHILD_PROXY, child_proxy_init))
GST_ELEMENT_REGISTER_DEFINE(hdrtap, "hdrtap", GST_RANK_NONE, gst_hdr_tap_get_type())

#define IMPL(object) (((GstHdrTap *)(object))->impl)

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
    hdr_tap_set_property(IMPL(object), id, value);
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec) {
    hdr_tap_get_property(IMPL(object), id, value);
}

static GstFlowReturn chain(GstPad *pad, GstObject *parent, GstBuffer *buffer) {
    return hdr_tap_chain(IMPL(parent), buffer);
}

static gboolean sink_event(GstPad *pad, GstObject *parent, GstEvent *event) {
    return hdr_tap_sink_event(IMPL(parent), event);
}

static gboolean sink_query(GstPad *pad, GstObject *parent, GstQuery *query) {
    gint answer = hdr_tap_sink_query(IMPL(parent), query);
    return answer >= 0 ? answer : gst_pad_query_default(pad, parent, query);
}

static gboolean src_query(GstPad *pad, GstObject *parent, GstQuery *query) {
    if (gst_hdr_light_change_is_asked(query) && hdr_tap_changes_light(IMPL(parent))) {
        gst_hdr_light_change_answer(query, GST_HDR_LIGHT_GRADED);
        return TRUE;
    }
    return hdr_tap_src_query(IMPL(parent), query) || gst_pad_query_default(pad, parent, query);
}

static gboolean src_event(GstPad *pad, GstObject *parent, GstEvent *event) {
    hdr_tap_src_event(IMPL(parent), event);
    return gst_pad_event_default(pad, parent, event);
}

static GstStateChangeReturn change_state(GstElement *element, GstStateChange transition) {
    if (transition == GST_STATE_CHANGE_NULL_TO_READY && !hdr_tap_check(IMPL(element)))
        return GST_STATE_CHANGE_FAILURE;
    hdr_tap_before_state(IMPL(element), transition);
    if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
        hdr_tap_start(IMPL(element));
    GstStateChangeReturn result = GST_ELEMENT_CLASS(gst_hdr_tap_parent_class)->change_state(element, transition);
    if (transition == GST_STATE_CHANGE_PAUSED_TO_READY ||
        (transition == GST_STATE_CHANGE_READY_TO_PAUSED && result == GST_STATE_CHANGE_FAILURE))
        hdr_tap_stop(IMPL(element));
    return result;
}

static GError *set_audio_callbacks(GstHdrTap *self, gpointer callbacks, gpointer user_data, gpointer notify) {
    return hdr_tap_set_audio_callbacks(self->impl, callbacks, user_data, (GDestroyNotify)notify);
}

static GError *set_video_callbacks(GstHdrTap *self, gpointer callbacks, gpointer user_data, gpointer notify) {
    return hdr_tap_set_video_callbacks(self->impl, callbacks, user_data, (GDestroyNotify)notify);
}

static GstStructure *supported_effects(GstHdrTap *self) { return hdr_tap_supported_effects(); }
static GObject *create_video_output(GstHdrTap *self) {
    return G_OBJECT(gst_hdr_video_output_own(hdr_tap_new_video_output(self->impl)));
}

static gboolean render_again(GstHdrTap *self) { return hdr_tap_render_again(self->impl); }

static void effect_has_changed(GObject *effect, GParamSpec *property, gpointer element) {
    hdr_tap_effect_has_changed(IMPL(element));
}

void gst_hdr_tap_watch_effect(GstHdrTap *element, GObject *effect) {
    g_signal_connect_object(effect, "notify", G_CALLBACK(effect_has_changed), element, 0);
}

void gst_hdr_tap_emit_prepare(GstHdrTap *element, guint max_frames, GstCaps *caps) {
    g_signal_emit(element, signals[SIGNAL_PREPARE], 0, max_frames, caps);
}

void gst_hdr_tap_emit_unprepare(GstHdrTap *element) { g_signal_emit(element, signals[SIGNAL_UNPREPARE], 0); }

GBytes *gst_hdr_tap_emit_process(GstHdrTap *element, GBytes *data, guint frames, guint flags, guint64 stream_time) {
    GBytes *result = NULL;
    g_signal_emit(element, signals[SIGNAL_PROCESS], 0, data, frames, flags, stream_time, &result);
    return result;
}

GError *gst_hdr_tap_settings_error(const gchar *text) {
    return g_error_new_literal(GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, text);
}

static guint children_count(GstChildProxy *proxy) { return hdr_tap_count_effects(IMPL(proxy)); }

static GObject *child_by_index(GstChildProxy *proxy, guint index) { return hdr_tap_get_effect(IMPL(proxy), index); }

/* The name "effect" is also that of the first effect of a chain, and "effect_0" also that of a single one. */
static GObject *child_by_name(GstChildProxy *proxy, const gchar *name) {
    if (g_strcmp0(name, "effect") == 0)
        return child_by_index(proxy, 0);
    guint64 index;
    if (!g_str_has_prefix(name, "effect_") ||
        !g_ascii_string_to_unsigned(name + strlen("effect_"), 10, 0, G_MAXUINT, &index, NULL))
        return NULL;
    return child_by_index(proxy, (guint)index);
}

static void child_proxy_init(gpointer interface, gpointer data) {
    ((GstChildProxyInterface *)interface)->get_children_count = children_count;
    ((GstChildProxyInterface *)interface)->get_child_by_name = child_by_name;
    ((GstChildProxyInterface *)interface)->get_child_by_index = child_by_index;
}

static void dispose(GObject *object) {
    hdr_tap_dispose(IMPL(object));
    G_OBJECT_CLASS(gst_hdr_tap_parent_class)->dispose(object);
}

static void finalize(GObject *object) {
    hdr_tap_free(IMPL(object));
    G_OBJECT_CLASS(gst_hdr_tap_parent_class)->finalize(object);
}

static void gst_hdr_tap_init(GstHdrTap *self) {
    self->sinkpad = gst_pad_new_from_static_template(&sink_template, "sink");
    gst_pad_set_chain_function(self->sinkpad, chain);
    gst_pad_set_event_function(self->sinkpad, sink_event);
    gst_pad_set_query_function(self->sinkpad, sink_query);
    self->srcpad = gst_pad_new_from_static_template(&src_template, "src");
    gst_pad_set_event_function(self->srcpad, src_event);
    gst_pad_set_query_function(self->srcpad, src_query);
    GST_PAD_SET_PROXY_CAPS(self->sinkpad);
    GST_PAD_SET_PROXY_CAPS(self->srcpad);
    GST_PAD_SET_PROXY_ALLOCATION(self->sinkpad);
    GST_PAD_SET_PROXY_SCHEDULING(self->sinkpad);
    self->impl = hdr_tap_new(self);
    gst_element_add_pad(&self->parent, self->sinkpad);
    gst_element_add_pad(&self->parent, self->srcpad);
}

#define FLAGS (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS)

/* The values are those of the C interface, so that an application can set the property with the constants of its
 * callbacks. */
ENUM_TYPE(color_space_type, "GstHdrTapColorSpace", {GST_HDR_TAP_COLOR_SPACE_DISPLAY_P3, "Display P3", "display-p3"},
          {GST_HDR_TAP_COLOR_SPACE_BT2020, "BT.2020", "bt2020"}, {GST_HDR_TAP_COLOR_SPACE_BT709, "BT.709", "bt709"})

static void install_properties(GObjectClass *klass) {
    g_object_class_install_property(
        klass, GST_HDR_TAP_PROP_EFFECT,
        g_param_spec_string("effect", "Effect", hdr_tap_effect_blurb(), NULL, FLAGS | GST_PARAM_MUTABLE_PLAYING));
    g_object_class_install_property(
        klass, GST_HDR_TAP_PROP_EMIT_SIGNALS,
        g_param_spec_boolean("emit-signals", "Emit signals",
                             "Emit the signals prepare, process and unprepare, which hand audio samples and video "
                             "frames to the application. Not suited to real time: each call copies the data",
                             GST_HDR_TAP_DEFAULT_EMIT_SIGNALS, FLAGS | GST_PARAM_MUTABLE_PLAYING));
    g_object_class_install_property(
        klass, GST_HDR_TAP_PROP_MAX_FRAMES,
        g_param_spec_uint(
            "max-frames", "Largest call",
            "Maximum number of audio frames in a process call; longer buffers are split. 0: 2048 frames at 44.1 and "
            "48 kHz, at other rates the power of two that lasts 43 to 85 ms. Takes effect when processing is prepared",
            0, 1 << 16, GST_HDR_TAP_DEFAULT_MAX_FRAMES, FLAGS | GST_PARAM_MUTABLE_READY));
    g_object_class_install_property(klass, GST_HDR_TAP_PROP_MAX_TAIL,
                                    g_param_spec_uint64("max-tail", "Longest tail",
                                                        "Maximum duration of audio that a processor may add after the "
                                                        "end of the stream (its tail, such as reverberation), in ns",
                                                        0, G_MAXINT64, GST_HDR_TAP_DEFAULT_MAX_TAIL,
                                                        FLAGS | GST_PARAM_MUTABLE_PLAYING));
    g_object_class_install_property(
        klass, GST_HDR_TAP_PROP_ALIGNMENT_THRESHOLD,
        g_param_spec_uint64("alignment-threshold", "Alignment threshold",
                            "Largest deviation of time stamps that counts as jitter, in ns; a larger one counts as a "
                            "gap, after which processing starts anew",
                            0, G_MAXINT64, GST_HDR_TAP_DEFAULT_ALIGNMENT_THRESHOLD, FLAGS | GST_PARAM_MUTABLE_PLAYING));
    g_object_class_install_property(klass, GST_HDR_TAP_PROP_LATENCY,
                                    g_param_spec_uint64("latency", "Latency",
                                                        "Latency that the processor has declared, in ns", 0,
                                                        G_MAXUINT64, 0, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
    g_object_class_install_property(
        klass, GST_HDR_TAP_PROP_STATS,
        g_param_spec_boxed(
            "stats", "Statistics",
            "Numbers of frames, of audio or of video, and of events: processed-frames; silenced-frames, filled with "
            "silence because a processor returned fewer; dropped-frames, source frames that it did not fetch; "
            "discontinuities; absorbed-jitter, time stamps that deviated by no more than alignment-threshold",
            GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
    g_object_class_install_property(
        klass, GST_HDR_TAP_PROP_COLOR_SPACE,
        g_param_spec_enum(
            "color-space", "Color space",
            "Primaries of the linear light for video effects, and for callbacks that do not choose their own",
            color_space_type(), GST_HDR_TAP_DEFAULT_COLOR_SPACE, FLAGS | GST_PARAM_MUTABLE_PLAYING));
    g_object_class_install_property(
        klass, GST_HDR_TAP_PROP_N_THREADS,
        g_param_spec_uint("n-threads", "Threads",
                          "Threads for video effects and for callbacks that take linear light; 0: one for each core. "
                          "Takes effect when processing is prepared",
                          0, 256, GST_HDR_TAP_DEFAULT_N_THREADS, FLAGS | GST_PARAM_MUTABLE_READY));
    g_object_class_install_property(
        klass, GST_HDR_TAP_PROP_KEEP_FRAMES,
        g_param_spec_boolean("keep-frames", "Keep frames",
                             "Keep video frames as they came in, so that callbacks and effects that change in PAUSED "
                             "update the frame that is shown, wherever the pictures go; FALSE: only effects update it, "
                             "and only where the pictures go to one display alone",
                             GST_HDR_TAP_DEFAULT_KEEP_FRAMES, FLAGS | GST_PARAM_MUTABLE_PLAYING));
    hdr_tap_install_parameters(klass);
}

static void install_signals(GType type) {
    signals[SIGNAL_PREPARE] = g_signal_new("prepare", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2,
                                           G_TYPE_UINT, GST_TYPE_CAPS);
    signals[SIGNAL_PROCESS] =
        g_signal_new("process", type, G_SIGNAL_RUN_LAST, 0, g_signal_accumulator_first_wins, NULL, NULL, G_TYPE_BYTES,
                     4, G_TYPE_BYTES, G_TYPE_UINT, G_TYPE_UINT, G_TYPE_UINT64);
    signals[SIGNAL_UNPREPARE] = g_signal_new("unprepare", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
    signals[SIGNAL_SET_AUDIO_CALLBACKS] = g_signal_new_class_handler(
        "set-audio-callbacks", type, G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK(set_audio_callbacks), NULL, NULL,
        NULL, G_TYPE_ERROR, 3, G_TYPE_POINTER, G_TYPE_POINTER, G_TYPE_POINTER);
    signals[SIGNAL_SET_VIDEO_CALLBACKS] = g_signal_new_class_handler(
        "set-video-callbacks", type, G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK(set_video_callbacks), NULL, NULL,
        NULL, G_TYPE_ERROR, 3, G_TYPE_POINTER, G_TYPE_POINTER, G_TYPE_POINTER);
    signals[SIGNAL_SUPPORTED_EFFECTS] =
        g_signal_new_class_handler("supported-effects", type, G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
                                   G_CALLBACK(supported_effects), NULL, NULL, NULL, GST_TYPE_STRUCTURE, 0);
    signals[SIGNAL_CREATE_VIDEO_OUTPUT] =
        g_signal_new_class_handler("create-video-output", type, G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
                                   G_CALLBACK(create_video_output), NULL, NULL, NULL, G_TYPE_OBJECT, 0);
    signals[SIGNAL_RENDER_AGAIN] =
        g_signal_new_class_handler("render-again", type, G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK(render_again),
                                   NULL, NULL, NULL, G_TYPE_BOOLEAN, 0);
}

static void gst_hdr_tap_class_init(GstHdrTapClass *klass) {
    GObjectClass *object_class = G_OBJECT_CLASS(klass);
    GstElementClass *element_class = GST_ELEMENT_CLASS(klass);

    GST_DEBUG_CATEGORY_INIT(hdrtap_debug, "hdrtap", 0, "processing tap");

    object_class->set_property = set_property;
    object_class->get_property = get_property;
    object_class->dispose = dispose;
    object_class->finalize = finalize;
    element_class->change_state = GST_DEBUG_FUNCPTR(change_state);

    gst_element_class_add_static_pad_template(element_class, &sink_template);
    gst_element_class_add_static_pad_template(element_class, &src_template);
    gst_element_class_set_static_metadata(element_class, "Processing tap", "Filter/Effect/Audio/Video",
                                          "Hands raw audio, with real-time guarantees, and raw video to an "
                                          "application's callbacks or to built-in effects; other streams pass",
                                          "The gst-hdr team");
    install_properties(object_class);
    install_signals(G_TYPE_FROM_CLASS(klass));
}
