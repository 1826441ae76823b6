#include "CGstHDR.h"
#include "enumtype.h"
#include "formats.h"

GST_DEBUG_CATEGORY_STATIC(hdrcompositor_debug);

GstDebugCategory *gst_hdr_compositor_debug_category(void) { return hdrcompositor_debug; }

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE(
    "sink_%u", GST_PAD_SINK, GST_PAD_REQUEST, GST_STATIC_CAPS(GST_VIDEO_CAPS_MAKE(GST_HDR_CONVERTER_FORMATS)));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE(
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_VIDEO_CAPS_MAKE(GST_HDR_CONVERTER_FORMATS)));

ENUM_TYPE(background_type, "GstHdrCompositorBackground",
          {GST_HDR_COMPOSITOR_BACKGROUND_CHECKER, "Checkerboard in two greys", "checker"},
          {GST_HDR_COMPOSITOR_BACKGROUND_BLACK, "Black", "black"},
          {GST_HDR_COMPOSITOR_BACKGROUND_WHITE, "Reference white", "white"},
          {GST_HDR_COMPOSITOR_BACKGROUND_TRANSPARENT, "Transparent, where the output has alpha; else black",
           "transparent"})

ENUM_TYPE(range_type, "GstHdrCompositorRange",
          {GST_HDR_COMPOSITOR_RANGE_AUTO,
           "HLG if a pad is HLG, else PQ if a pad is PQ, else SDR, unless the caps of downstream decide", "auto"},
          {GST_HDR_COMPOSITOR_RANGE_SDR, "SDR", "sdr"}, {GST_HDR_COMPOSITOR_RANGE_HLG, "HLG", "hlg"},
          {GST_HDR_COMPOSITOR_RANGE_PQ, "PQ", "pq"})

ENUM_TYPE(blend_space_type, "GstHdrCompositorBlendSpace",
          {GST_HDR_COMPOSITOR_BLEND_SPACE_LINEAR, "Linear light", "linear"},
          {GST_HDR_COMPOSITOR_BLEND_SPACE_SIGNAL,
           "The encoded signal of the canvas, as in most editors and in GStreamer's compositor", "signal"})

ENUM_TYPE(metadata_policy_type, "GstHdrCompositorMetadataPolicy",
          {GST_HDR_COMPOSITOR_METADATA_POLICY_PROPAGATE, "Those of the pads whose light is unchanged, if they have any",
           "propagate"},
          {GST_HDR_COMPOSITOR_METADATA_POLICY_GENERATE,
           "Primaries of the canvas and the highest peak that any pad declares, for a canvas in PQ", "generate"})

ENUM_TYPE(scaling_type, "GstHdrCompositorScaling",
          {GST_HDR_COMPOSITOR_SCALING_LANCZOS, "Lanczos filter of three lobes: sharp", "lanczos"},
          {GST_HDR_COMPOSITOR_SCALING_BILINEAR, "Triangle filter: softer, without overshoot at edges", "bilinear"})

#define PAD(object) ((GstHdrCompositorPad *)(object))

static void child_proxy_init(gpointer iface, gpointer data);

G_DEFINE_TYPE_WITH_CODE(GstHdrCompositor, gst_hdr_compositor, GST_TYPE_VIDEO_AGGREGATOR,
                        G_IMPLEMENT_INTERFACE(GST_TYPE_CHILD_PROXY, child_proxy_init))
GST_ELEMENT_REGISTER_DEFINE(hdrcompositor, "hdrcompositor", GST_RANK_NONE, gst_hdr_compositor_get_type())

#define SELF(object) ((GstHdrCompositor *)(object))
#define IMPL(object) (SELF(object)->impl)

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
    if (id == GST_HDR_COMPOSITOR_PROP_IGNORE_INACTIVE_PADS) {
        gst_aggregator_set_ignore_inactive_pads(GST_AGGREGATOR(object), g_value_get_boolean(value));
        return;
    }
    hdr_compositor_set_property(IMPL(object), id, value);
    gst_pad_mark_reconfigure(GST_AGGREGATOR(object)->srcpad);
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec) {
    if (id == GST_HDR_COMPOSITOR_PROP_IGNORE_INACTIVE_PADS)
        g_value_set_boolean(value, gst_aggregator_get_ignore_inactive_pads(GST_AGGREGATOR(object)));
    else
        hdr_compositor_get_property(IMPL(object), id, value);
}

static gboolean follow(GstElement *element, GstPad *pad, gpointer data) {
    gst_hdr_compositor_pad_follow(PAD(pad));
    return TRUE;
}

static gboolean forget(GstElement *element, GstPad *pad, gpointer data) {
    gst_hdr_compositor_pad_forget(PAD(pad));
    return TRUE;
}

static GstHdrCompositorLayer layer_new(GstVideoAggregatorPad *pad, gboolean has_frame) {
    GstHdrCompositorLayer layer = {.pad = pad};
    if (has_frame)
        layer.frame = gst_video_aggregator_pad_get_prepared_frame(pad);
    GST_OBJECT_LOCK(pad);
    gst_caps_replace(&layer.caps, PAD(pad)->caps);
    layer.info = layer.caps ? PAD(pad)->info : pad->info;
    layer.settings = PAD(pad)->settings;
    if (layer.settings.wipe_map)
        g_ref_string_acquire(layer.settings.wipe_map);
    if (layer.settings.video_direction == GST_VIDEO_ORIENTATION_AUTO)
        layer.settings.video_direction = PAD(pad)->tagged_direction;
    GST_OBJECT_UNLOCK(pad);
    return layer;
}

static void layer_clear(GstHdrCompositorLayer *layer) {
    gst_clear_caps(&layer->caps);
    g_clear_pointer(&layer->settings.wipe_map, g_ref_string_release);
}

/* The pads in ascending order of zorder, as the base class sorts them; to be freed by layers_free(). */
static GArray *layers_new(GstElement *element, gboolean has_frames) {
    GArray *layers = g_array_new(FALSE, TRUE, sizeof(GstHdrCompositorLayer));
    gst_element_foreach_sink_pad(element, follow, NULL);
    GST_OBJECT_LOCK(element);
    for (GList *each = element->sinkpads; each; each = each->next) {
        GstHdrCompositorLayer layer = layer_new(each->data, has_frames);
        g_array_append_val(layers, layer);
    }
    GST_OBJECT_UNLOCK(element);
    return layers;
}

static void layers_free(GArray *layers) {
    for (guint i = 0; i < layers->len; i++)
        layer_clear(&g_array_index(layers, GstHdrCompositorLayer, i));
    g_array_unref(layers);
}

static GstCaps *fixate_src_caps(GstAggregator *aggregator, GstCaps *caps) {
    GArray *layers = layers_new(GST_ELEMENT(aggregator), FALSE);
    caps = hdr_compositor_fixate_caps(IMPL(aggregator), caps, (gconstpointer)layers->data, layers->len);
    layers_free(layers);
    return caps;
}

/* Returns what downstream accepts; fixate_src_caps chooses from it. The base class does not call fixate_src_caps for
 * fixed caps, but these may lack fields, such as the colorimetry. */
static GstCaps *update_caps(GstVideoAggregator *aggregator, GstCaps *caps) {
    if (!gst_caps_is_fixed(caps))
        return gst_caps_ref(caps);
    return fixate_src_caps(GST_AGGREGATOR(aggregator), gst_caps_copy(caps));
}

static gboolean negotiated_src_caps(GstAggregator *aggregator, GstCaps *caps) {
    return hdr_compositor_set_caps(IMPL(aggregator), caps) &&
           GST_AGGREGATOR_CLASS(gst_hdr_compositor_parent_class)->negotiated_src_caps(aggregator, caps);
}

static GstFlowReturn aggregate_frames(GstVideoAggregator *aggregator, GstBuffer *output) {
    /* create_output_buffer locked it. */
    g_mutex_unlock(&SELF(aggregator)->pictures);
    GArray *layers = layers_new(GST_ELEMENT(aggregator), TRUE);
    GstFlowReturn flow = hdr_compositor_compose(IMPL(aggregator), output, (gconstpointer)layers->data, layers->len);
    layers_free(layers);
    return flow;
}

/* Offers every format of the pad's template, in any size, rate and colour: the base class would only accept what
 * downstream gets. */
static gboolean sink_query(GstAggregator *aggregator, GstAggregatorPad *pad, GstQuery *query) {
    GstCaps *caps, *filter, *result = NULL;
    switch (GST_QUERY_TYPE(query)) {
    case GST_QUERY_CAPS:
        gst_query_parse_caps(query, &filter);
        caps = gst_pad_get_pad_template_caps(GST_PAD(pad));
        if (filter)
            result = gst_caps_intersect_full(filter, caps, GST_CAPS_INTERSECT_FIRST);
        gst_query_set_caps_result(query, filter ? result : caps);
        gst_clear_caps(&result);
        gst_caps_unref(caps);
        return TRUE;
    case GST_QUERY_ACCEPT_CAPS:
        gst_query_parse_accept_caps(query, &filter);
        caps = gst_pad_get_pad_template_caps(GST_PAD(pad));
        gst_query_set_accept_caps_result(query, gst_caps_can_intersect(filter, caps));
        gst_caps_unref(caps);
        return TRUE;
    default: return GST_AGGREGATOR_CLASS(gst_hdr_compositor_parent_class)->sink_query(aggregator, pad, query);
    }
}

static gboolean src_query(GstAggregator *aggregator, GstQuery *query) {
    if (!gst_hdr_light_change_is_asked(query))
        return GST_AGGREGATOR_CLASS(gst_hdr_compositor_parent_class)->src_query(aggregator, query);
    gst_hdr_light_change_answer(query, GST_HDR_LIGHT_CONVERTED);
    return TRUE;
}

/* The base class refuses a pad whose pictures are interlaced where another one's are not. This element composes all
 * pictures as whole frames, so that the base class is told progressive caps. */
static GstEvent *as_progressive(GstEvent *event, GstCaps *own) {
    GstCaps *told;
    const GstStructure *structure = gst_caps_get_structure(own, 0);
    gst_event_parse_caps(event, &told);
    if (told == own && !gst_structure_has_field(structure, "interlace-mode") &&
        !gst_structure_has_field(structure, "field-order"))
        return event;
    GstCaps *caps = gst_caps_copy(own);
    gst_structure_remove_fields(gst_caps_get_structure(caps, 0), "interlace-mode", "field-order", NULL);
    GstEvent *plain = gst_event_new_caps(caps);
    gst_event_set_seqnum(plain, gst_event_get_seqnum(event));
    gst_event_unref(event);
    gst_caps_unref(caps);
    return plain;
}

static gboolean take_caps(GstAggregator *aggregator, GstAggregatorPad *pad, GstEvent *event) {
    GstCaps *own;
    gst_event_parse_caps(event, &own);
    own = hdr_compositor_pad_caps(GST_PAD(pad), own);
    event = as_progressive(event, own);
    gboolean result = GST_AGGREGATOR_CLASS(gst_hdr_compositor_parent_class)->sink_event(aggregator, pad, event);
    if (result) {
        g_mutex_lock(&SELF(aggregator)->pictures);
        gst_hdr_compositor_pad_take_caps(PAD(pad), own);
        g_mutex_unlock(&SELF(aggregator)->pictures);
    }
    gst_caps_unref(own);
    return result;
}

static gboolean sink_event(GstAggregator *aggregator, GstAggregatorPad *pad, GstEvent *event) {
    if (GST_EVENT_TYPE(event) == GST_EVENT_CAPS)
        return take_caps(aggregator, pad, event);
    GstVideoOrientationMethod direction = GST_VIDEO_ORIENTATION_IDENTITY;
    gboolean tells = GST_EVENT_TYPE(event) == GST_EVENT_STREAM_START;
    if (GST_EVENT_TYPE(event) == GST_EVENT_TAG) {
        GstTagList *tags;
        gst_event_parse_tag(event, &tags);
        tells = gst_video_orientation_from_tag(tags, &direction);
    }
    if (tells)
        gst_hdr_compositor_pad_set_tagged_direction((GstHdrCompositorPad *)pad, direction);
    if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_START)
        hdr_compositor_flushes(IMPL(aggregator), pad, TRUE);
    gboolean ends = GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP;
    gboolean result = GST_AGGREGATOR_CLASS(gst_hdr_compositor_parent_class)->sink_event(aggregator, pad, event);
    if (ends)
        hdr_compositor_flushes(IMPL(aggregator), pad, FALSE);
    return result;
}

static gboolean navigate_pad(GstElement *element, GstPad *pad, gpointer event) {
    gdouble x, y;
    gst_navigation_event_get_coordinates(event, &x, &y);
    GstHdrCompositorLayer layer = layer_new(GST_VIDEO_AGGREGATOR_PAD(pad), FALSE);
    if (hdr_compositor_place_in_picture(IMPL(element), &layer, &GST_VIDEO_AGGREGATOR(element)->info, &x, &y)) {
        /* gst_navigation_event_set_coordinates() of GStreamer 1.22 takes no event's structure to be writable. */
        GstStructure *structure = gst_structure_copy(gst_event_get_structure(event));
        gst_structure_set(structure, "pointer_x", G_TYPE_DOUBLE, x, "pointer_y", G_TYPE_DOUBLE, y, NULL);
        GstEvent *own = gst_event_new_navigation(structure);
        gst_event_set_seqnum(own, gst_event_get_seqnum(event));
        gst_pad_push_event(pad, own);
    }
    layer_clear(&layer);
    return TRUE;
}

gboolean gst_hdr_compositor_navigate(GstAggregator *aggregator, GstEvent *event) {
    gdouble x, y;
    if (GST_EVENT_TYPE(event) != GST_EVENT_NAVIGATION || !gst_navigation_event_get_coordinates(event, &x, &y))
        return FALSE;
    gst_element_foreach_sink_pad(GST_ELEMENT(aggregator), navigate_pad, event);
    return TRUE;
}

static gboolean stop(GstAggregator *aggregator) {
    hdr_compositor_stop(IMPL(aggregator));
    gst_element_foreach_sink_pad(GST_ELEMENT(aggregator), forget, NULL);
    return GST_AGGREGATOR_CLASS(gst_hdr_compositor_parent_class)->stop(aggregator);
}

static GstPad *request_new_pad(GstElement *element, GstPadTemplate *template, const gchar *name, const GstCaps *caps) {
    GstPad *pad = GST_ELEMENT_CLASS(gst_hdr_compositor_parent_class)->request_new_pad(element, template, name, caps);
    if (pad)
        gst_child_proxy_child_added(GST_CHILD_PROXY(element), G_OBJECT(pad), GST_OBJECT_NAME(pad));
    return pad;
}

static void release_pad(GstElement *element, GstPad *pad) {
    gst_child_proxy_child_removed(GST_CHILD_PROXY(element), G_OBJECT(pad), GST_OBJECT_NAME(pad));
    hdr_compositor_releases(IMPL(element), pad, TRUE);
    GST_ELEMENT_CLASS(gst_hdr_compositor_parent_class)->release_pad(element, pad);
    hdr_compositor_releases(IMPL(element), pad, FALSE);
}

static GObject *child_by_index(GstChildProxy *proxy, guint index) {
    GST_OBJECT_LOCK(proxy);
    GObject *child = g_list_nth_data(GST_ELEMENT(proxy)->sinkpads, index);
    if (child)
        g_object_ref(child);
    GST_OBJECT_UNLOCK(proxy);
    return child;
}

static guint children_count(GstChildProxy *proxy) {
    GST_OBJECT_LOCK(proxy);
    guint count = GST_ELEMENT(proxy)->numsinkpads;
    GST_OBJECT_UNLOCK(proxy);
    return count;
}

static void child_proxy_init(gpointer iface, gpointer data) {
    GstChildProxyInterface *proxy = iface;
    proxy->get_child_by_index = child_by_index;
    proxy->get_children_count = children_count;
}

static void finalize(GObject *object) {
    hdr_compositor_free(IMPL(object));
    g_mutex_clear(&SELF(object)->pictures);
    G_OBJECT_CLASS(gst_hdr_compositor_parent_class)->finalize(object);
}

static void gst_hdr_compositor_init(GstHdrCompositor *self) {
    g_mutex_init(&self->pictures);
    self->impl = hdr_compositor_new(self);
}

#define FLAGS (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)

static void gst_hdr_compositor_class_init(GstHdrCompositorClass *klass) {
    GObjectClass *object_class = G_OBJECT_CLASS(klass);
    GstElementClass *element_class = GST_ELEMENT_CLASS(klass);
    GstAggregatorClass *aggregator_class = GST_AGGREGATOR_CLASS(klass);
    GstVideoAggregatorClass *video_class = GST_VIDEO_AGGREGATOR_CLASS(klass);

    GST_DEBUG_CATEGORY_INIT(hdrcompositor_debug, "hdrcompositor", 0, "HDR video compositor");

    object_class->set_property = set_property;
    object_class->get_property = get_property;
    object_class->finalize = finalize;
    element_class->request_new_pad = GST_DEBUG_FUNCPTR(request_new_pad);
    element_class->release_pad = GST_DEBUG_FUNCPTR(release_pad);
    aggregator_class->fixate_src_caps = GST_DEBUG_FUNCPTR(fixate_src_caps);
    aggregator_class->negotiated_src_caps = GST_DEBUG_FUNCPTR(negotiated_src_caps);
    aggregator_class->sink_query = GST_DEBUG_FUNCPTR(sink_query);
    aggregator_class->src_query = GST_DEBUG_FUNCPTR(src_query);
    aggregator_class->sink_event = GST_DEBUG_FUNCPTR(sink_event);
    aggregator_class->stop = GST_DEBUG_FUNCPTR(stop);
    video_class->update_caps = GST_DEBUG_FUNCPTR(update_caps);
    video_class->aggregate_frames = GST_DEBUG_FUNCPTR(aggregate_frames);

    gst_element_class_add_static_pad_template_with_gtype(element_class, &sink_template,
                                                         gst_hdr_compositor_pad_get_type());
    gst_element_class_add_static_pad_template_with_gtype(element_class, &src_template, GST_TYPE_AGGREGATOR_PAD);
    gst_element_class_set_static_metadata(
        element_class, "HDR video compositor", "Filter/Editor/Video/Compositor",
        "Puts pictures in PQ, HLG and SDR onto one canvas, scaled and blended in linear light", "The gst-hdr team");

    g_object_class_install_property(object_class, GST_HDR_COMPOSITOR_PROP_BACKGROUND,
                                    g_param_spec_enum("background", "Background", "What is shown behind all pictures",
                                                      background_type(), GST_HDR_COMPOSITOR_DEFAULT_BACKGROUND, FLAGS));
    g_object_class_install_property(
        object_class, GST_HDR_COMPOSITOR_PROP_ZERO_SIZE_IS_UNSCALED,
        g_param_spec_boolean(
            "zero-size-is-unscaled", "Zero size is unscaled",
            "Whether a pad's width or height of 0 stands for the picture's own; FALSE: such a pad is not shown",
            GST_HDR_COMPOSITOR_DEFAULT_ZERO_SIZE_IS_UNSCALED, FLAGS));
    g_object_class_install_property(object_class, GST_HDR_COMPOSITOR_PROP_IGNORE_INACTIVE_PADS,
                                    g_param_spec_boolean("ignore-inactive-pads", "Ignore inactive pads",
                                                         "Do not wait for pads that have not received any data yet",
                                                         FALSE, FLAGS));
    g_object_class_install_property(object_class, GST_HDR_COMPOSITOR_PROP_DYNAMIC_RANGE,
                                    g_param_spec_enum("dynamic-range", "Dynamic range", "Dynamic range of the canvas",
                                                      range_type(), GST_HDR_COMPOSITOR_DEFAULT_DYNAMIC_RANGE, FLAGS));
    g_object_class_install_property(
        object_class, GST_HDR_COMPOSITOR_PROP_BLEND_SPACE,
        g_param_spec_enum("blend-space", "Blend space",
                          "What pictures are blended in; they are scaled in linear light in both cases",
                          blend_space_type(), GST_HDR_COMPOSITOR_DEFAULT_BLEND_SPACE, FLAGS));
    g_object_class_install_property(
        object_class, GST_HDR_COMPOSITOR_PROP_HDR_METADATA_POLICY,
        g_param_spec_enum("hdr-metadata-policy", "HDR metadata policy",
                          "Where the mastering display metadata (MDCV) of the canvas come from", metadata_policy_type(),
                          GST_HDR_COMPOSITOR_DEFAULT_METADATA_POLICY, FLAGS));
    g_object_class_install_property(object_class, GST_HDR_COMPOSITOR_PROP_N_THREADS,
                                    g_param_spec_uint("n-threads", "Threads",
                                                      "Threads that compose a picture; 0: one for each core", 0, 256,
                                                      GST_HDR_COMPOSITOR_DEFAULT_N_THREADS, FLAGS));
    g_object_class_install_property(
        object_class, GST_HDR_COMPOSITOR_PROP_MAX_THREADS,
        g_param_spec_uint("max-threads", "Maximum threads",
                          "Same as n-threads, under the name that GStreamer's compositor uses", 0, G_MAXINT,
                          GST_HDR_COMPOSITOR_DEFAULT_N_THREADS, FLAGS));
    g_object_class_install_property(object_class, GST_HDR_COMPOSITOR_PROP_SCALING_METHOD,
                                    g_param_spec_enum("scaling-method", "Scaling method",
                                                      "Filter that scales pictures, in linear light", scaling_type(),
                                                      GST_HDR_COMPOSITOR_DEFAULT_SCALING_METHOD, FLAGS));
    gst_hdr_compositor_install_compositing(klass);
}
