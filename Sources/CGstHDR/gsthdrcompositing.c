#include "CGstHDR.h"
#include "enumtype.h"

/* The parts of hdrcompositor that serve an application's compositor. */

enum {
    SIGNAL_SET_COMPOSITOR_CALLBACKS,
    SIGNAL_ADD_INSTRUCTION,
    SIGNAL_CLEAR_INSTRUCTIONS,
    SIGNAL_RENDER_CONTEXT_CHANGED,
    SIGNAL_COMPOSE,
    N_SIGNALS
};
static guint signals[N_SIGNALS];

static gpointer parent_class;

ENUM_TYPE(sources_type, "GstHdrCompositorSources", {GST_HDR_COMPOSITOR_SOURCES_SDR, "SDR in BT.709", "sdr"},
          {GST_HDR_COMPOSITOR_SOURCES_WIDE_COLOR, "SDR in the sources' own primaries", "wide-color"},
          {GST_HDR_COMPOSITOR_SOURCES_HDR, "HDR and SDR as they come, without conversion", "hdr"})

#define IMPL(object) (((GstHdrCompositor *)(object))->impl)

static GError *set_compositor_callbacks(GstHdrCompositor *self, gpointer callbacks, gpointer user_data,
                                        gpointer notify) {
    return hdr_compositor_set_callbacks(self->impl, callbacks, user_data, (GDestroyNotify)notify);
}

static GError *add_instruction(GstHdrCompositor *self, GstStructure *instruction) {
    return hdr_compositor_add_instruction(self->impl, instruction);
}

static void clear_instructions(GstHdrCompositor *self) { hdr_compositor_clear_instructions(self->impl); }

gboolean gst_hdr_compositor_has_compose_handler(GstHdrCompositor *element) {
    gboolean emits = FALSE;
    if (!g_signal_has_handler_pending(element, signals[SIGNAL_COMPOSE], 0, FALSE))
        return FALSE;
    g_object_get(element, "emit-signals", &emits, NULL);
    return emits;
}

GstBuffer *gst_hdr_compositor_emit_compose(GstHdrCompositor *element, GstStructure *request) {
    GstBuffer *frame = NULL;
    g_signal_emit(element, signals[SIGNAL_COMPOSE], 0, request, &frame);
    return frame;
}

void gst_hdr_compositor_emit_render_context_changed(GstHdrCompositor *element, GstCaps *caps) {
    g_signal_emit(element, signals[SIGNAL_RENDER_CONTEXT_CHANGED], 0, caps);
}

/* Where no request may begin, the base class would call this again at once, in a busy loop. So the call below waits for
 * a short while; here no lock is held that the release of a pad needs. */
static GstFlowReturn aggregate(GstAggregator *aggregator, gboolean timeout) {
    if (!hdr_compositor_may_compose(IMPL(aggregator)))
        return GST_HDR_COMPOSITOR_FLOW_AGAIN;
    return GST_AGGREGATOR_CLASS(parent_class)->aggregate(aggregator, timeout);
}

/* A custom compositor brings a frame of its own, for which an empty buffer stands until then: finish_buffer replaces it
 * by the frame, so that a source passes without a copy. */
static GstFlowReturn create_output_buffer(GstVideoAggregator *aggregator, GstBuffer **output) {
    GstFlowReturn flow = GST_FLOW_OK;
    if (hdr_compositor_is_custom(IMPL(aggregator)))
        *output = gst_buffer_new();
    else
        flow = GST_VIDEO_AGGREGATOR_CLASS(parent_class)->create_output_buffer(aggregator, output);
    /* The base class prepares the pads' pictures now, and then calls aggregate_frames, which unlocks. */
    if (flow == GST_FLOW_OK && *output)
        g_mutex_lock(&((GstHdrCompositor *)aggregator)->pictures);
    return flow;
}

static GstFlowReturn finish_buffer(GstAggregator *aggregator, GstBuffer *buffer) {
    GstBuffer *picture = hdr_compositor_finished_picture(IMPL(aggregator), buffer);
    return picture ? GST_AGGREGATOR_CLASS(parent_class)->finish_buffer(aggregator, picture) : GST_FLOW_OK;
}

/* A flushing seek waits for the aggregator's thread, which may itself be waiting for an application's compositor: its
 * request is cancelled first. change_state does the same. */
static gboolean src_event(GstAggregator *aggregator, GstEvent *event) {
    GstSeekFlags flags = 0;
    if (gst_hdr_compositor_navigate(aggregator, event)) {
        gst_event_unref(event);
        return TRUE;
    }
    if (GST_EVENT_TYPE(event) == GST_EVENT_SEEK)
        gst_event_parse_seek(event, NULL, NULL, &flags, NULL, NULL, NULL, NULL);
    const gboolean flushes = (flags & GST_SEEK_FLAG_FLUSH) != 0;
    if (flushes)
        hdr_compositor_seeks(IMPL(aggregator), TRUE);
    gboolean result = GST_AGGREGATOR_CLASS(parent_class)->src_event(aggregator, event);
    if (flushes)
        hdr_compositor_seeks(IMPL(aggregator), FALSE);
    return result;
}

static GstStateChangeReturn change_state(GstElement *element, GstStateChange transition) {
    if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
        hdr_compositor_streams(IMPL(element), TRUE);
    else if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
        hdr_compositor_streams(IMPL(element), FALSE);
    return GST_ELEMENT_CLASS(parent_class)->change_state(element, transition);
}

static void dispose(GObject *object) {
    hdr_compositor_dispose(IMPL(object));
    G_OBJECT_CLASS(parent_class)->dispose(object);
}

static void install_signals(GType type) {
    const GSignalFlags action = G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION;
    signals[SIGNAL_SET_COMPOSITOR_CALLBACKS] =
        g_signal_new_class_handler("set-compositor-callbacks", type, action, G_CALLBACK(set_compositor_callbacks), NULL,
                                   NULL, NULL, G_TYPE_ERROR, 3, G_TYPE_POINTER, G_TYPE_POINTER, G_TYPE_POINTER);
    signals[SIGNAL_ADD_INSTRUCTION] =
        g_signal_new_class_handler("add-instruction", type, action, G_CALLBACK(add_instruction), NULL, NULL, NULL,
                                   G_TYPE_ERROR, 1, GST_TYPE_STRUCTURE);
    signals[SIGNAL_CLEAR_INSTRUCTIONS] = g_signal_new_class_handler(
        "clear-instructions", type, action, G_CALLBACK(clear_instructions), NULL, NULL, NULL, G_TYPE_NONE, 0);
    signals[SIGNAL_RENDER_CONTEXT_CHANGED] = g_signal_new("render-context-changed", type, G_SIGNAL_RUN_LAST, 0, NULL,
                                                          NULL, NULL, G_TYPE_NONE, 1, GST_TYPE_CAPS);
    signals[SIGNAL_COMPOSE] = g_signal_new("compose", type, G_SIGNAL_RUN_LAST, 0, g_signal_accumulator_first_wins, NULL,
                                           NULL, GST_TYPE_BUFFER, 1, GST_TYPE_STRUCTURE);
}

#define FLAGS (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)

void gst_hdr_compositor_install_compositing(GstHdrCompositorClass *klass) {
    GObjectClass *object_class = G_OBJECT_CLASS(klass);

    parent_class = g_type_class_peek_parent(klass);
    object_class->dispose = dispose;
    GST_ELEMENT_CLASS(klass)->change_state = GST_DEBUG_FUNCPTR(change_state);
    GST_AGGREGATOR_CLASS(klass)->aggregate = GST_DEBUG_FUNCPTR(aggregate);
    GST_AGGREGATOR_CLASS(klass)->src_event = GST_DEBUG_FUNCPTR(src_event);
    GST_AGGREGATOR_CLASS(klass)->finish_buffer = GST_DEBUG_FUNCPTR(finish_buffer);
    GST_VIDEO_AGGREGATOR_CLASS(klass)->create_output_buffer = GST_DEBUG_FUNCPTR(create_output_buffer);
    install_signals(G_TYPE_FROM_CLASS(klass));
    g_object_class_install_property(object_class, GST_HDR_COMPOSITOR_PROP_REQUEST_TIMEOUT,
                                    g_param_spec_uint64("request-timeout", "Request timeout",
                                                        "How long an application's compositor may take for a picture, "
                                                        "in ns, after which the stream ends with an error; 0: no limit",
                                                        0, G_MAXINT64, GST_HDR_COMPOSITOR_DEFAULT_REQUEST_TIMEOUT,
                                                        FLAGS));
    g_object_class_install_property(
        object_class, GST_HDR_COMPOSITOR_PROP_COMPOSE_SOURCES,
        g_param_spec_enum("compose-sources", "Sources of the signal compose",
                          "Which pictures handlers of the signal compose accept; all others are converted to these",
                          sources_type(), GST_HDR_COMPOSITOR_DEFAULT_COMPOSE_SOURCES, FLAGS));
}
