#include "CGstHDR.h"
#include "enumtype.h"

ENUM_TYPE(operator_type, "GstHdrCompositorOperator",
          {GST_HDR_COMPOSITOR_OPERATOR_SOURCE, "Replaces what is below, where the picture is transparent too",
           "source"},
          {GST_HDR_COMPOSITOR_OPERATOR_OVER, "Blended over what is below by its alpha", "over"},
          {GST_HDR_COMPOSITOR_OPERATOR_ADD, "Added to what is below", "add"})

ENUM_TYPE(sizing_policy_type, "GstHdrCompositorSizingPolicy",
          {GST_HDR_COMPOSITOR_SIZING_POLICY_NONE, "Stretched to width and height", "none"},
          {GST_HDR_COMPOSITOR_SIZING_POLICY_KEEP_ASPECT_RATIO,
           "As large as width and height allow at its aspect ratio, centred", "keep-aspect-ratio"})

ENUM_TYPE(wipe_type, "GstHdrCompositorWipe", {GST_HDR_COMPOSITOR_WIPE_NONE, "The whole picture is shown", "none"},
          {GST_HDR_COMPOSITOR_WIPE_BAR_LEFT, "An edge that moves to the left", "bar-left"},
          {GST_HDR_COMPOSITOR_WIPE_BAR_RIGHT, "An edge that moves to the right", "bar-right"},
          {GST_HDR_COMPOSITOR_WIPE_BAR_UP, "An edge that moves up", "bar-up"},
          {GST_HDR_COMPOSITOR_WIPE_BAR_DOWN, "An edge that moves down", "bar-down"},
          {GST_HDR_COMPOSITOR_WIPE_DIAGONAL, "An edge that moves to the lower right corner", "diagonal"},
          {GST_HDR_COMPOSITOR_WIPE_IRIS, "A circle that opens from the middle", "iris"},
          {GST_HDR_COMPOSITOR_WIPE_DIAMOND, "A diamond that opens from the middle", "diamond"},
          {GST_HDR_COMPOSITOR_WIPE_CLOCK, "A clock hand that turns clockwise from 12 o'clock", "clock"},
          {GST_HDR_COMPOSITOR_WIPE_BARN_DOOR, "Two edges that move from the middle to the sides", "barn-door"},
          {GST_HDR_COMPOSITOR_WIPE_MAP, "Dark parts of wipe-map first", "map"})

G_DEFINE_TYPE(GstHdrCompositorPad, gst_hdr_compositor_pad, GST_TYPE_VIDEO_AGGREGATOR_PAD)
#define PAD(object) ((GstHdrCompositorPad *)(object))

static gdouble *pad_share(GstHdrCompositorPadSettings *settings, guint id) {
    switch (id) {
    case GST_HDR_COMPOSITOR_PAD_PROP_ALPHA: return &settings->alpha;
    case GST_HDR_COMPOSITOR_PAD_PROP_WIPE_PROGRESS: return &settings->wipe_progress;
    case GST_HDR_COMPOSITOR_PAD_PROP_WIPE_SOFTNESS: return &settings->wipe_softness;
    default: return NULL;
    }
}

static gint *pad_number(GstHdrCompositorPadSettings *settings, guint id) {
    switch (id) {
    case GST_HDR_COMPOSITOR_PAD_PROP_XPOS: return &settings->xpos;
    case GST_HDR_COMPOSITOR_PAD_PROP_YPOS: return &settings->ypos;
    case GST_HDR_COMPOSITOR_PAD_PROP_WIDTH: return &settings->width;
    case GST_HDR_COMPOSITOR_PAD_PROP_HEIGHT: return &settings->height;
    case GST_HDR_COMPOSITOR_PAD_PROP_CROP_LEFT: return &settings->crop_left;
    case GST_HDR_COMPOSITOR_PAD_PROP_CROP_RIGHT: return &settings->crop_right;
    case GST_HDR_COMPOSITOR_PAD_PROP_CROP_TOP: return &settings->crop_top;
    case GST_HDR_COMPOSITOR_PAD_PROP_CROP_BOTTOM: return &settings->crop_bottom;
    default: return NULL;
    }
}

/* Tags come late, when the canvas may already have the size of the picture that is not turned. */
static void renegotiate(GObject *pad) {
    GstObject *element = gst_object_get_parent(GST_OBJECT(pad));
    if (!element)
        return;
    gst_pad_mark_reconfigure(GST_AGGREGATOR(element)->srcpad);
    gst_object_unref(element);
}

void gst_hdr_compositor_pad_set_tagged_direction(GstHdrCompositorPad *pad, GstVideoOrientationMethod direction) {
    GST_OBJECT_LOCK(pad);
    gboolean turned = pad->tagged_direction != direction && pad->settings.video_direction == GST_VIDEO_ORIENTATION_AUTO;
    pad->tagged_direction = direction;
    GST_OBJECT_UNLOCK(pad);
    if (turned)
        renegotiate(G_OBJECT(pad));
}

static void pad_set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
    GST_OBJECT_LOCK(object);
    GstHdrCompositorPadSettings *settings = &PAD(object)->settings;
    gint *number = pad_number(settings, id);
    gdouble *share = pad_share(settings, id);
    if (number)
        *number = g_value_get_int(value);
    else if (share)
        *share = g_value_get_double(value);
    else if (id == GST_HDR_COMPOSITOR_PAD_PROP_OPERATOR)
        settings->operation = g_value_get_enum(value);
    else if (id == GST_HDR_COMPOSITOR_PAD_PROP_SIZING_POLICY)
        settings->sizing_policy = g_value_get_enum(value);
    else if (id == GST_HDR_COMPOSITOR_PAD_PROP_VIDEO_DIRECTION)
        settings->video_direction = g_value_get_enum(value);
    else if (id == GST_HDR_COMPOSITOR_PAD_PROP_WIPE)
        settings->wipe = g_value_get_enum(value);
    else if (id == GST_HDR_COMPOSITOR_PAD_PROP_WIPE_REVERSE)
        settings->wipe_reverse = g_value_get_boolean(value);
    else if (id == GST_HDR_COMPOSITOR_PAD_PROP_INVERSE_TONE_MAPPING)
        settings->inverse_tone_mapping = g_value_get_enum(value);
    else if (id == GST_HDR_COMPOSITOR_PAD_PROP_PEAK_DETECTION)
        settings->peak_detection = g_value_get_enum(value);
    else if (id == GST_HDR_COMPOSITOR_PAD_PROP_DYNAMIC_METADATA)
        settings->dynamic_metadata = g_value_get_enum(value);
    else if (id == GST_HDR_COMPOSITOR_PAD_PROP_WIPE_MAP) {
        const gchar *path = g_value_get_string(value);
        g_clear_pointer(&settings->wipe_map, g_ref_string_release);
        settings->wipe_map = path && *path ? g_ref_string_new(path) : NULL;
    }
    GST_OBJECT_UNLOCK(object);
}

static void pad_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec) {
    GST_OBJECT_LOCK(object);
    GstHdrCompositorPadSettings *settings = &PAD(object)->settings;
    gint *number = pad_number(settings, id);
    gdouble *share = pad_share(settings, id);
    if (number)
        g_value_set_int(value, *number);
    else if (share)
        g_value_set_double(value, *share);
    else if (id == GST_HDR_COMPOSITOR_PAD_PROP_OPERATOR)
        g_value_set_enum(value, settings->operation);
    else if (id == GST_HDR_COMPOSITOR_PAD_PROP_SIZING_POLICY)
        g_value_set_enum(value, settings->sizing_policy);
    else if (id == GST_HDR_COMPOSITOR_PAD_PROP_VIDEO_DIRECTION)
        g_value_set_enum(value, settings->video_direction);
    else if (id == GST_HDR_COMPOSITOR_PAD_PROP_WIPE)
        g_value_set_enum(value, settings->wipe);
    else if (id == GST_HDR_COMPOSITOR_PAD_PROP_WIPE_REVERSE)
        g_value_set_boolean(value, settings->wipe_reverse);
    else if (id == GST_HDR_COMPOSITOR_PAD_PROP_WIPE_MAP)
        g_value_set_string(value, settings->wipe_map);
    else if (id == GST_HDR_COMPOSITOR_PAD_PROP_INVERSE_TONE_MAPPING)
        g_value_set_enum(value, settings->inverse_tone_mapping);
    else if (id == GST_HDR_COMPOSITOR_PAD_PROP_PEAK_DETECTION)
        g_value_set_enum(value, settings->peak_detection);
    else if (id == GST_HDR_COMPOSITOR_PAD_PROP_DYNAMIC_METADATA)
        g_value_set_enum(value, settings->dynamic_metadata);
    GST_OBJECT_UNLOCK(object);
}

/* The pad's sticky caps cannot be used for the picture that is shown: they may belong to one that is still queued. */
void gst_hdr_compositor_pad_take_caps(GstHdrCompositorPad *pad, GstCaps *caps) {
    /* The reference keeps a later buffer from reusing this address, by which gst_hdr_compositor_pad_follow() tells that
     * the picture has changed. */
    GstBuffer *shown = gst_video_aggregator_pad_get_current_buffer(GST_VIDEO_AGGREGATOR_PAD(pad));
    if (shown)
        gst_buffer_ref(shown);
    GST_OBJECT_LOCK(pad);
    gst_caps_replace(&pad->next_caps, caps);
    GstBuffer *old = pad->last_picture;
    pad->last_picture = shown;
    GST_OBJECT_UNLOCK(pad);
    gst_clear_buffer(&old);
}

void gst_hdr_compositor_pad_follow(GstHdrCompositorPad *pad) {
    GstBuffer *shown = gst_video_aggregator_pad_get_current_buffer(GST_VIDEO_AGGREGATOR_PAD(pad));
    GstBuffer *old = NULL;
    GST_OBJECT_LOCK(pad);
    if (pad->next_caps && (!shown || shown != pad->last_picture)) {
        gst_clear_caps(&pad->caps);
        pad->caps = g_steal_pointer(&pad->next_caps);
        if (!gst_video_info_from_caps(&pad->info, pad->caps))
            gst_clear_caps(&pad->caps);
        old = g_steal_pointer(&pad->last_picture);
    }
    GST_OBJECT_UNLOCK(pad);
    gst_clear_buffer(&old);
}

void gst_hdr_compositor_pad_forget(GstHdrCompositorPad *pad) {
    GST_OBJECT_LOCK(pad);
    gst_clear_caps(&pad->caps);
    gst_clear_caps(&pad->next_caps);
    GstBuffer *old = g_steal_pointer(&pad->last_picture);
    GST_OBJECT_UNLOCK(pad);
    gst_clear_buffer(&old);
}

static GstFlowReturn flush(GstAggregatorPad *pad, GstAggregator *aggregator) {
    GMutex *pictures = &((GstHdrCompositor *)aggregator)->pictures;
    g_mutex_lock(pictures);
    GstFlowReturn flow = GST_AGGREGATOR_PAD_CLASS(gst_hdr_compositor_pad_parent_class)->flush(pad, aggregator);
    g_mutex_unlock(pictures);
    return flow;
}

/* Returns TRUE even without a picture: after FALSE the base class would not prepare the remaining pads. */
static gboolean prepare_frame(GstVideoAggregatorPad *pad, GstVideoAggregator *aggregator, GstBuffer *buffer,
                              GstVideoFrame *frame) {
    gst_hdr_compositor_pad_follow(PAD(pad));
    if (!gst_video_frame_map(frame, PAD(pad)->caps ? &PAD(pad)->info : &pad->info, buffer, GST_MAP_READ)) {
        GST_CAT_WARNING_OBJECT(gst_hdr_compositor_debug_category(), pad,
                               "a buffer does not hold a picture of its caps");
        memset(frame, 0, sizeof *frame);
    }
    return TRUE;
}

static void clean_frame(GstVideoAggregatorPad *pad, GstVideoAggregator *aggregator, GstVideoFrame *frame) {
    if (!frame->buffer)
        return;
    gst_video_frame_unmap(frame);
    memset(frame, 0, sizeof *frame);
}

static void pad_finalize(GObject *object) {
    g_clear_pointer(&PAD(object)->settings.wipe_map, g_ref_string_release);
    gst_hdr_compositor_pad_forget(PAD(object));
    G_OBJECT_CLASS(gst_hdr_compositor_pad_parent_class)->finalize(object);
}

#define PAD_FLAGS (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_CONTROLLABLE | GST_PARAM_MUTABLE_PLAYING)

static void install_int(GObjectClass *klass, guint id, const gchar *name, const gchar *nick, const gchar *blurb,
                        gint min, gint value) {
    g_object_class_install_property(klass, id, g_param_spec_int(name, nick, blurb, min, G_MAXINT, value, PAD_FLAGS));
}

static void install_share(GObjectClass *klass, guint id, const gchar *name, const gchar *nick, const gchar *blurb,
                          gdouble value) {
    g_object_class_install_property(klass, id, g_param_spec_double(name, nick, blurb, 0.0, 1.0, value, PAD_FLAGS));
}

static void install_wipe(GObjectClass *klass) {
    g_object_class_install_property(
        klass, GST_HDR_COMPOSITOR_PAD_PROP_WIPE,
        g_param_spec_enum("wipe", "Wipe", "Shape of a wipe: the order in which the parts of the picture appear",
                          wipe_type(), GST_HDR_COMPOSITOR_WIPE_NONE, PAD_FLAGS));
    install_share(klass, GST_HDR_COMPOSITOR_PAD_PROP_WIPE_PROGRESS, "wipe-progress", "Wipe progress",
                  "How much of the picture a wipe shows; 0: nothing, 1: all",
                  GST_HDR_COMPOSITOR_PAD_DEFAULT_WIPE_PROGRESS);
    install_share(klass, GST_HDR_COMPOSITOR_PAD_PROP_WIPE_SOFTNESS, "wipe-softness", "Wipe softness",
                  "Width of a wipe's edge, as a fraction of the distance that it travels; at least one pixel", 0.0);
    g_object_class_install_property(klass, GST_HDR_COMPOSITOR_PAD_PROP_WIPE_REVERSE,
                                    g_param_spec_boolean("wipe-reverse", "Wipe reverse",
                                                         "Whether the parts of the picture appear in reverse order",
                                                         FALSE, PAD_FLAGS));
    g_object_class_install_property(
        klass, GST_HDR_COMPOSITOR_PAD_PROP_WIPE_MAP,
        g_param_spec_string(
            "wipe-map", "Wipe map",
            "File of a greyscale picture, a PNG of 8 or 16 bits, for wipe=map: parts where it is dark appear first",
            NULL, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING));
}

static void gst_hdr_compositor_pad_class_init(GstHdrCompositorPadClass *klass) {
    GObjectClass *object_class = G_OBJECT_CLASS(klass);
    GstVideoAggregatorPadClass *pad_class = GST_VIDEO_AGGREGATOR_PAD_CLASS(klass);

    object_class->set_property = pad_set_property;
    object_class->get_property = pad_get_property;
    object_class->finalize = pad_finalize;
    GST_AGGREGATOR_PAD_CLASS(klass)->flush = GST_DEBUG_FUNCPTR(flush);
    pad_class->prepare_frame = GST_DEBUG_FUNCPTR(prepare_frame);
    pad_class->clean_frame = GST_DEBUG_FUNCPTR(clean_frame);

    install_int(object_class, GST_HDR_COMPOSITOR_PAD_PROP_XPOS, "xpos", "X", "Left edge on the canvas, in pixels",
                G_MININT, 0);
    install_int(object_class, GST_HDR_COMPOSITOR_PAD_PROP_YPOS, "ypos", "Y", "Upper edge on the canvas, in pixels",
                G_MININT, 0);
    install_int(object_class, GST_HDR_COMPOSITOR_PAD_PROP_WIDTH, "width", "Width",
                "Width on the canvas, in pixels; -1, and 0 with zero-size-is-unscaled: the picture's own", G_MININT,
                GST_HDR_COMPOSITOR_PAD_DEFAULT_SIZE);
    install_int(object_class, GST_HDR_COMPOSITOR_PAD_PROP_HEIGHT, "height", "Height",
                "Height on the canvas, in pixels; -1, and 0 with zero-size-is-unscaled: the picture's own", G_MININT,
                GST_HDR_COMPOSITOR_PAD_DEFAULT_SIZE);
    install_share(object_class, GST_HDR_COMPOSITOR_PAD_PROP_ALPHA, "alpha", "Alpha",
                  "Opacity of the whole picture; 0: invisible, 1: opaque where the picture itself is",
                  GST_HDR_COMPOSITOR_PAD_DEFAULT_ALPHA);
    g_object_class_install_property(object_class, GST_HDR_COMPOSITOR_PAD_PROP_OPERATOR,
                                    g_param_spec_enum("operator", "Operator",
                                                      "How the picture is combined with what is below", operator_type(),
                                                      GST_HDR_COMPOSITOR_PAD_DEFAULT_OPERATOR, PAD_FLAGS));
    g_object_class_install_property(object_class, GST_HDR_COMPOSITOR_PAD_PROP_SIZING_POLICY,
                                    g_param_spec_enum("sizing-policy", "Sizing policy",
                                                      "How the picture fills width and height", sizing_policy_type(),
                                                      GST_HDR_COMPOSITOR_PAD_DEFAULT_SIZING_POLICY, PAD_FLAGS));
    install_int(object_class, GST_HDR_COMPOSITOR_PAD_PROP_CROP_LEFT, "crop-left", "Crop left",
                "Columns of the picture that are left out at the left", 0, 0);
    install_int(object_class, GST_HDR_COMPOSITOR_PAD_PROP_CROP_RIGHT, "crop-right", "Crop right",
                "Columns of the picture that are left out at the right", 0, 0);
    install_int(object_class, GST_HDR_COMPOSITOR_PAD_PROP_CROP_TOP, "crop-top", "Crop top",
                "Rows of the picture that are left out at the top", 0, 0);
    install_int(object_class, GST_HDR_COMPOSITOR_PAD_PROP_CROP_BOTTOM, "crop-bottom", "Crop bottom",
                "Rows of the picture that are left out at the bottom", 0, 0);
    g_object_class_install_property(object_class, GST_HDR_COMPOSITOR_PAD_PROP_VIDEO_DIRECTION,
                                    g_param_spec_enum("video-direction", "Video direction",
                                                      "How the picture is rotated or mirrored before it is cropped; "
                                                      "auto: as the stream's tags say; custom: not at all",
                                                      GST_TYPE_VIDEO_ORIENTATION_METHOD,
                                                      GST_HDR_COMPOSITOR_PAD_DEFAULT_VIDEO_DIRECTION, PAD_FLAGS));
    g_object_class_install_property(object_class, GST_HDR_COMPOSITOR_PAD_PROP_INVERSE_TONE_MAPPING,
                                    g_param_spec_enum("inverse-tone-mapping", "Inverse tone mapping",
                                                      "Curve that expands SDR where the canvas is HDR",
                                                      gst_hdr_inverse_tone_mapping_get_type(), 0, PAD_FLAGS));
    g_object_class_install_property(
        object_class, GST_HDR_COMPOSITOR_PAD_PROP_PEAK_DETECTION,
        g_param_spec_enum("peak-detection", "Peak detection",
                          "Where the picture's peak comes from if it has to be tone-mapped for the canvas",
                          gst_hdr_peak_detection_get_type(), GST_HDR_COMPOSITOR_PAD_DEFAULT_PEAK_DETECTION, PAD_FLAGS));
    g_object_class_install_property(
        object_class, GST_HDR_COMPOSITOR_PAD_PROP_DYNAMIC_METADATA,
        g_param_spec_enum("dynamic-metadata", "Dynamic metadata",
                          "Whether Dolby Vision and HDR10+ metadata of the pad's pictures are applied",
                          gst_hdr_metadata_use_get_type(), GST_HDR_COMPOSITOR_PAD_DEFAULT_DYNAMIC_METADATA, PAD_FLAGS));
    install_wipe(object_class);
}

static void gst_hdr_compositor_pad_init(GstHdrCompositorPad *self) {
    self->settings.width = self->settings.height = GST_HDR_COMPOSITOR_PAD_DEFAULT_SIZE;
    self->settings.alpha = GST_HDR_COMPOSITOR_PAD_DEFAULT_ALPHA;
    self->settings.operation = GST_HDR_COMPOSITOR_PAD_DEFAULT_OPERATOR;
    self->settings.sizing_policy = GST_HDR_COMPOSITOR_PAD_DEFAULT_SIZING_POLICY;
    self->settings.video_direction = GST_HDR_COMPOSITOR_PAD_DEFAULT_VIDEO_DIRECTION;
    self->settings.wipe_progress = GST_HDR_COMPOSITOR_PAD_DEFAULT_WIPE_PROGRESS;
    self->settings.peak_detection = GST_HDR_COMPOSITOR_PAD_DEFAULT_PEAK_DETECTION;
    self->settings.dynamic_metadata = GST_HDR_COMPOSITOR_PAD_DEFAULT_DYNAMIC_METADATA;
    self->tagged_direction = GST_VIDEO_ORIENTATION_IDENTITY;
}
