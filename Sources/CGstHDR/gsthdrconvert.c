#include "CGstHDR.h"
#include "enumtype.h"
#include "formats.h"
#include <gst/hdr/gsthdrdynamicmetadata.h>

GST_DEBUG_CATEGORY_STATIC(hdrconvert_debug);

GstDebugCategory *gst_hdr_convert_debug_category(void) { return hdrconvert_debug; }

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE(
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_VIDEO_CAPS_MAKE(GST_HDR_CONVERTER_FORMATS)));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE(
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_VIDEO_CAPS_MAKE(GST_HDR_CONVERTER_FORMATS)));

/* The values, names and descriptions come from the registry of tone curves. */
ENUM_TYPE_OF(tone_mapping_type, "GstHdrToneMapping", hdr_convert_tone_mappings())
ENUM_TYPE_OF(inverse_tone_mapping_type, "GstHdrInverseToneMapping", hdr_convert_inverse_tone_mappings())
GType gst_hdr_inverse_tone_mapping_get_type(void) { return inverse_tone_mapping_type(); }

ENUM_TYPE(
    tone_mapping_domain_type, "GstHdrToneMappingDomain",
    {GST_HDR_TONE_MAPPING_DOMAIN_MAX_RGB,
     "The largest of R, G and B; all three get its gain, so hue is kept and no component exceeds the target's peak",
     "max-rgb"},
    {GST_HDR_TONE_MAPPING_DOMAIN_LUMINANCE,
     "Luminance; R, G and B get its gain; saturated highlights exceed the peak and are clipped: blue sky turns cyan, "
     "orange turns yellow",
     "luminance"},
    {GST_HDR_TONE_MAPPING_DOMAIN_RGB,
     "R, G and B separately: bright colours lose saturation and shift in hue, blue sky turns pale cyan, near-whites "
     "merge sooner",
     "rgb"},
    {GST_HDR_TONE_MAPPING_DOMAIN_ICTCP,
     "I of ICtCp; Ct and Cp are reduced in proportion; saturated highlights exceed the peak and are clipped: with "
     "bt2390 and mobius blue sky turns cyan, orange turns yellow",
     "ictcp"})

ENUM_TYPE(gamut_mapping_type, "GstHdrGamutMapping",
          {GST_HDR_GAMUT_MAPPING_CLIP, "Each component is clipped: exact inside the gamut, hues outside it shift",
           "clip"},
          {GST_HDR_GAMUT_MAPPING_SOFTCLIP, "Saturated colours are compressed, so that gradations stay visible",
           "softclip"},
          {GST_HDR_GAMUT_MAPPING_DESATURATE,
           "Colours outside the gamut are mixed with grey of the same luminance until they fit", "desaturate"},
          {GST_HDR_GAMUT_MAPPING_PERCEPTUAL,
           "Hue is kept and chroma compressed softly, so that saturated areas keep detail", "perceptual"},
          {GST_HDR_GAMUT_MAPPING_AUTO, "perceptual from HDR to SDR, else clip", "auto"})

ENUM_TYPE(dither_type, "GstHdrDither", {GST_HDR_DITHER_NONE, "No dither: values are rounded", "none"},
          {GST_HDR_DITHER_ORDERED, "An 8x8 Bayer matrix", "ordered"},
          {GST_HDR_DITHER_BLUE_NOISE, "A 64x64 blue-noise pattern, which shows no texture", "blue-noise"})

ENUM_TYPE(
    chroma_mode_type, "GstHdrChromaMode",
    {GST_HDR_CHROMA_MODE_LINEAR, "Interpolates according to the siting of the chroma samples", "linear"},
    {GST_HDR_CHROMA_MODE_NEAREST,
     "Repeats or drops chroma samples and ignores their siting: colour is up to half a luma sample off, with aliasing",
     "nearest"})

ENUM_TYPE(quality_type, "GstHdrQuality",
          {GST_HDR_QUALITY_FAST,
           "Short polynomials, or 16-bit fixed point: errors of at most two 8-bit code values in 99.9 % of the pixels "
           "of natural pictures",
           "fast"},
          {GST_HDR_QUALITY_BALANCED, "Single precision: errors of at most two 10-bit code values", "balanced"},
          {GST_HDR_QUALITY_REFERENCE,
           "Errors of at most one code value; in double precision where the target has more than 10 bits, which is "
           "about 100 times slower",
           "reference"})

G_DEFINE_TYPE(GstHdrConvert, gst_hdr_convert, GST_TYPE_VIDEO_FILTER)
GST_ELEMENT_REGISTER_DEFINE(hdrconvert, "hdrconvert", GST_RANK_NONE, gst_hdr_convert_get_type())

#define IMPL(object) (((GstHdrConvert *)(object))->impl)

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
    hdr_convert_set_property(IMPL(object), id, value);
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec) {
    hdr_convert_get_property(IMPL(object), id, value);
}

static GstCaps *transform_caps(GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps, GstCaps *filter) {
    return hdr_convert_transform_caps(IMPL(trans), direction, caps, filter);
}

static GstCaps *fixate_caps(GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps, GstCaps *othercaps) {
    return hdr_convert_fixate_caps(IMPL(trans), direction, caps, othercaps);
}

static gboolean set_info(GstVideoFilter *filter, GstCaps *incaps, GstVideoInfo *in_info, GstCaps *outcaps,
                         GstVideoInfo *out_info) {
    return hdr_convert_set_info(IMPL(filter), incaps, in_info, outcaps, out_info);
}

static void before_transform(GstBaseTransform *trans, GstBuffer *buffer) {
    hdr_convert_before_transform(IMPL(trans), buffer);
}

static gboolean transform_size(GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps, gsize size,
                               GstCaps *othercaps, gsize *othersize) {
    return hdr_convert_transform_size(IMPL(trans), othercaps, othersize);
}

/* Whether the meta is dynamic metadata, which describe light: this project's meta, or GStreamer's from 1.30 on, which
 * is looked up by its name. */
static gboolean describes_light(const GstMeta *meta) {
    return meta->info == gst_hdr_dynamic_meta_get_info() ||
           g_strcmp0(g_type_name(meta->info->api), "GstVideoHDRMetaAPI") == 0;
}

static gboolean transform_meta(GstBaseTransform *trans, GstBuffer *outbuf, GstMeta *meta, GstBuffer *inbuf) {
    return hdr_convert_keeps_meta(IMPL(trans), gst_meta_api_type_get_tags(meta->info->api), describes_light(meta));
}

static gboolean copy_metadata(GstBaseTransform *trans, GstBuffer *inbuf, GstBuffer *outbuf) {
    if (!GST_BASE_TRANSFORM_CLASS(gst_hdr_convert_parent_class)->copy_metadata(trans, inbuf, outbuf))
        return FALSE;
    hdr_convert_attach_metadata(IMPL(trans), inbuf, outbuf);
    return TRUE;
}

static GstFlowReturn transform(GstBaseTransform *trans, GstBuffer *inbuf, GstBuffer *outbuf) {
    GstFlowReturn flow = hdr_convert_check_buffer(IMPL(trans), inbuf);
    return flow == GST_FLOW_OK ? GST_BASE_TRANSFORM_CLASS(gst_hdr_convert_parent_class)->transform(trans, inbuf, outbuf)
                               : flow;
}

static GstFlowReturn transform_frame(GstVideoFilter *filter, GstVideoFrame *in_frame, GstVideoFrame *out_frame) {
    return hdr_convert_transform_frame(IMPL(filter), in_frame, out_frame);
}

/* Converts and pushes the pictures that wait. */
static GstFlowReturn push_held(GstBaseTransform *trans, gboolean is_end) {
    GstFlowReturn flow = GST_FLOW_OK;
    hdr_convert_release_held(IMPL(trans), is_end);
    while (flow == GST_FLOW_OK && (trans->queued_buf = hdr_convert_take_held(IMPL(trans)))) {
        GstBuffer *output = NULL;
        flow = GST_BASE_TRANSFORM_CLASS(gst_hdr_convert_parent_class)->generate_output(trans, &output);
        if (output && flow == GST_FLOW_OK)
            flow = gst_pad_push(trans->srcpad, output);
        else if (output)
            gst_buffer_unref(output);
    }
    return flow;
}

static gboolean sink_event(GstBaseTransform *trans, GstEvent *event) {
    GstCaps *caps = NULL;
    /* The order is kept: no event overtakes a picture. */
    if (GST_EVENT_IS_SERIALIZED(event) && hdr_convert_holds_event(IMPL(trans), event))
        return TRUE;
    if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP)
        hdr_convert_drop_held(IMPL(trans));
    else if (GST_EVENT_IS_SERIALIZED(event))
        push_held(trans, GST_EVENT_TYPE(event) == GST_EVENT_EOS);
    if (GST_EVENT_TYPE(event) == GST_EVENT_EOS)
        hdr_convert_ended(IMPL(trans));
    if (GST_EVENT_TYPE(event) == GST_EVENT_CAPS) {
        gst_event_parse_caps(event, &caps);
        gst_caps_ref(caps);
    }
    gboolean done = GST_BASE_TRANSFORM_CLASS(gst_hdr_convert_parent_class)->sink_event(trans, event);
    if (caps) {
        if (!done)
            hdr_convert_refused(IMPL(trans), caps);
        gst_caps_unref(caps);
    }
    return done;
}

static gboolean query(GstBaseTransform *trans, GstPadDirection direction, GstQuery *query) {
    /* Upstream wants its buffers back, so that none may be held. */
    if (direction == GST_PAD_SINK && GST_QUERY_TYPE(query) == GST_QUERY_DRAIN)
        push_held(trans, FALSE);
    if (direction == GST_PAD_SRC && gst_hdr_light_change_is_asked(query) && hdr_convert_changes_light(IMPL(trans))) {
        gst_hdr_light_change_answer(query, GST_HDR_LIGHT_CONVERTED);
        return TRUE;
    }
    gboolean done = GST_BASE_TRANSFORM_CLASS(gst_hdr_convert_parent_class)->query(trans, direction, query);
    if (done && direction == GST_PAD_SINK && GST_QUERY_TYPE(query) == GST_QUERY_CAPS) {
        hdr_convert_caps_query_answered(IMPL(trans), query);
    }
    if (done && direction == GST_PAD_SRC && GST_QUERY_TYPE(query) == GST_QUERY_LATENCY) {
        gboolean live;
        GstClockTime min, max, own = hdr_convert_latency(IMPL(trans));
        gst_query_parse_latency(query, &live, &min, &max);
        gst_query_set_latency(query, live, min + own, GST_CLOCK_TIME_IS_VALID(max) ? max + own : max);
    }
    return done;
}

static GstFlowReturn submit_input_buffer(GstBaseTransform *trans, gboolean is_discont, GstBuffer *input) {
    if (!gst_pad_has_current_caps(trans->sinkpad)) {
        hdr_convert_report_missing_caps(IMPL(trans));
        gst_buffer_unref(input);
        return GST_FLOW_ERROR;
    }
    GstFlowReturn flow = GST_BUFFER_IS_DISCONT(input) ? push_held(trans, FALSE) : GST_FLOW_OK;
    if (flow != GST_FLOW_OK) {
        gst_buffer_unref(input);
        return flow;
    }
    flow = GST_BASE_TRANSFORM_CLASS(gst_hdr_convert_parent_class)->submit_input_buffer(trans, is_discont, input);
    if (flow == GST_FLOW_OK)
        hdr_convert_submitted(IMPL(trans));
    return flow;
}

static GstFlowReturn generate_output(GstBaseTransform *trans, GstBuffer **output) {
    if (!trans->queued_buf)
        trans->queued_buf = hdr_convert_take_held(IMPL(trans));
    return GST_BASE_TRANSFORM_CLASS(gst_hdr_convert_parent_class)->generate_output(trans, output);
}

/* Asks upstream for additional buffers, to replace those that are held. */
static gboolean propose_allocation(GstBaseTransform *trans, GstQuery *decide_query, GstQuery *query) {
    GstBaseTransformClass *parent = GST_BASE_TRANSFORM_CLASS(gst_hdr_convert_parent_class);
    if (!parent->propose_allocation(trans, decide_query, query))
        return FALSE;
    guint held = hdr_convert_max_held_buffers(IMPL(trans));
    if (held > 0 && gst_query_get_n_allocation_pools(query) > 0) {
        GstBufferPool *pool;
        guint size, min, max;
        gst_query_parse_nth_allocation_pool(query, 0, &pool, &size, &min, &max);
        gst_query_set_nth_allocation_pool(query, 0, pool, size, min + held, max > 0 ? max + held : 0);
        if (pool)
            gst_object_unref(pool);
    }
    return TRUE;
}

static gboolean stop(GstBaseTransform *trans) {
    hdr_convert_stop(IMPL(trans));
    return TRUE;
}

static void finalize(GObject *object) {
    hdr_convert_free(IMPL(object));
    G_OBJECT_CLASS(gst_hdr_convert_parent_class)->finalize(object);
}

static void gst_hdr_convert_init(GstHdrConvert *self) { self->impl = hdr_convert_new(self); }

#define FLAGS (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)

static void install_enum(GObjectClass *klass, guint id, const gchar *name, const gchar *nick, const gchar *blurb,
                         GType type, gint value) {
    g_object_class_install_property(klass, id, g_param_spec_enum(name, nick, blurb, type, value, FLAGS));
}

static void install_light(GObjectClass *klass, guint id, const gchar *name, const gchar *nick, const gchar *blurb,
                          gdouble minimum, gdouble value) {
    g_object_class_install_property(
        klass, id, g_param_spec_double(name, nick, blurb, minimum, 10000.0, value, FLAGS | GST_PARAM_CONTROLLABLE));
}

static void gst_hdr_convert_class_init(GstHdrConvertClass *klass) {
    GObjectClass *object_class = G_OBJECT_CLASS(klass);
    GstElementClass *element_class = GST_ELEMENT_CLASS(klass);
    GstBaseTransformClass *transform_class = GST_BASE_TRANSFORM_CLASS(klass);
    GstVideoFilterClass *filter_class = GST_VIDEO_FILTER_CLASS(klass);

    GST_DEBUG_CATEGORY_INIT(hdrconvert_debug, "hdrconvert", 0, "HDR video converter");

    object_class->set_property = set_property;
    object_class->get_property = get_property;
    object_class->finalize = finalize;
    transform_class->passthrough_on_same_caps = FALSE;
    transform_class->transform_caps = GST_DEBUG_FUNCPTR(transform_caps);
    transform_class->fixate_caps = GST_DEBUG_FUNCPTR(fixate_caps);
    transform_class->before_transform = GST_DEBUG_FUNCPTR(before_transform);
    transform_class->transform_size = GST_DEBUG_FUNCPTR(transform_size);
    transform_class->transform_meta = GST_DEBUG_FUNCPTR(transform_meta);
    transform_class->copy_metadata = GST_DEBUG_FUNCPTR(copy_metadata);
    transform_class->transform = GST_DEBUG_FUNCPTR(transform);
    transform_class->sink_event = GST_DEBUG_FUNCPTR(sink_event);
    transform_class->query = GST_DEBUG_FUNCPTR(query);
    transform_class->submit_input_buffer = GST_DEBUG_FUNCPTR(submit_input_buffer);
    transform_class->generate_output = GST_DEBUG_FUNCPTR(generate_output);
    transform_class->propose_allocation = GST_DEBUG_FUNCPTR(propose_allocation);
    transform_class->stop = GST_DEBUG_FUNCPTR(stop);
    filter_class->set_info = GST_DEBUG_FUNCPTR(set_info);
    filter_class->transform_frame = GST_DEBUG_FUNCPTR(transform_frame);

    gst_element_class_add_static_pad_template(element_class, &sink_template);
    gst_element_class_add_static_pad_template(element_class, &src_template);
    gst_element_class_set_static_metadata(
        element_class, "HDR video converter", "Filter/Converter/Video/Colorspace",
        "Converts video between PQ, HLG and SDR with tone and gamut mapping, and between raw formats",
        "The gst-hdr team");

    install_enum(object_class, GST_HDR_CONVERT_PROP_TONE_MAPPING, "tone-mapping", "Tone mapping",
                 "Tone curve (EETF) that compresses light above the target's peak into its range", tone_mapping_type(),
                 0);
    install_enum(object_class, GST_HDR_CONVERT_PROP_TONE_MAPPING_DOMAIN, "tone-mapping-domain", "Tone mapping domain",
                 "Quantity that the tone curve acts on; no effect with reference-white (which auto takes from HDR to "
                 "SDR), bt2446a and bt2446c, which define their own. Only max-rgb keeps the hue of saturated "
                 "highlights: with the others bright blue sky turns cyan",
                 tone_mapping_domain_type(), GST_HDR_CONVERT_DEFAULT_TONE_MAPPING_DOMAIN);
    install_enum(object_class, GST_HDR_CONVERT_PROP_INVERSE_TONE_MAPPING, "inverse-tone-mapping",
                 "Inverse tone mapping", "Curve that expands SDR where the target is HDR", inverse_tone_mapping_type(),
                 0);
    install_enum(object_class, GST_HDR_CONVERT_PROP_GAMUT_MAPPING, "gamut-mapping", "Gamut mapping",
                 "What is done with colours that the target cannot show", gamut_mapping_type(),
                 GST_HDR_CONVERT_DEFAULT_GAMUT_MAPPING);
    install_light(object_class, GST_HDR_CONVERT_PROP_REFERENCE_WHITE, "reference-white", "Reference white",
                  "Luminance of SDR white in HDR, in cd/m2 (BT.2408: 203)", 1.0,
                  GST_HDR_CONVERT_DEFAULT_REFERENCE_WHITE);
    install_light(object_class, GST_HDR_CONVERT_PROP_SOURCE_PEAK, "source-peak", "Source peak",
                  "Peak luminance of an HDR source, in cd/m2; 0: as measured by peak-detection; where it is not "
                  "measured, for PQ MaxCLL, else the peak of the mastering display (MDCV), else 1000, and for HLG "
                  "hlg-peak. The peak of SDR is reference-white. Values below 1 count as 0",
                  0.0, GST_HDR_CONVERT_DEFAULT_SOURCE_PEAK);
    install_light(object_class, GST_HDR_CONVERT_PROP_TARGET_PEAK, "target-peak", "Target peak",
                  "Peak luminance of the target, in cd/m2; 0: for PQ the peak of the mastering display (MDCV) in the "
                  "caps that downstream asks for, else 10000, or 1000 for inverse tone mapping; for HLG hlg-peak; for "
                  "SDR reference-white. Values below 1 count as 0",
                  0.0, GST_HDR_CONVERT_DEFAULT_TARGET_PEAK);
    install_light(object_class, GST_HDR_CONVERT_PROP_HLG_PEAK, "hlg-peak", "HLG peak",
                  "Nominal peak luminance of the display that HLG is rendered for, in cd/m2, which sets the system "
                  "gamma of the OOTF",
                  100.0, GST_HDR_CONVERT_DEFAULT_HLG_PEAK);
    install_enum(object_class, GST_HDR_CONVERT_PROP_DITHER, "dither", "Dither",
                 "Dither pattern that hides banding where the target has fewer bits than the source", dither_type(),
                 GST_HDR_CONVERT_DEFAULT_DITHER);
    install_enum(object_class, GST_HDR_CONVERT_PROP_CHROMA_MODE, "chroma-mode", "Chroma mode",
                 "How chroma is resampled where its subsampling or siting changes", chroma_mode_type(),
                 GST_HDR_CONVERT_DEFAULT_CHROMA_MODE);
    install_enum(object_class, GST_HDR_CONVERT_PROP_QUALITY, "quality", "Quality",
                 "Trade-off between accuracy and speed", quality_type(), GST_HDR_CONVERT_DEFAULT_QUALITY);
    g_object_class_install_property(object_class, GST_HDR_CONVERT_PROP_N_THREADS,
                                    g_param_spec_uint("n-threads", "Threads",
                                                      "Threads that convert a picture; 0: one for each core", 0, 256,
                                                      GST_HDR_CONVERT_DEFAULT_N_THREADS, FLAGS));
    install_enum(object_class, GST_HDR_CONVERT_PROP_PEAK_DETECTION, "peak-detection", "Peak detection",
                 "Where the peak of an HDR source comes from if source-peak is 0 and the source has to be tone-mapped",
                 gst_hdr_peak_detection_get_type(), GST_HDR_CONVERT_DEFAULT_PEAK_DETECTION);
    install_enum(object_class, GST_HDR_CONVERT_PROP_DYNAMIC_METADATA, "dynamic-metadata", "Dynamic metadata",
                 "Whether Dolby Vision and HDR10+ metadata that hdrmetaparse has attached to the pictures are applied",
                 gst_hdr_metadata_use_get_type(), GST_HDR_CONVERT_DEFAULT_DYNAMIC_METADATA);
    g_object_class_install_property(
        object_class, GST_HDR_CONVERT_PROP_SCENE_LIGHT,
        g_param_spec_string("scene-light", "Scene light",
                            "Light of scenes as a previous pass has measured it, which takes precedence over "
                            "peak-detection: START:PEAK:AVERAGE for each scene, separated by commas, in ns of stream "
                            "time and cd/m2, as in the element messages hdr-scene",
                            NULL, FLAGS));
    g_object_class_install_property(
        object_class, GST_HDR_CONVERT_PROP_LOOK_AHEAD,
        g_param_spec_uint(
            "look-ahead", "Look-ahead",
            "Number of pictures that are held back until those after them have been measured, so that peak-detection "
            "knows a scene from its first picture on and recognises flashes; fewer where they would last for longer "
            "than half a second, and none in live streams",
            0, 32, GST_HDR_CONVERT_DEFAULT_LOOK_AHEAD, FLAGS));
    g_object_class_install_property(
        object_class, GST_HDR_CONVERT_PROP_CONTRAST_RECOVERY,
        g_param_spec_double(
            "contrast-recovery", "Contrast recovery",
            "How much of the local contrast that the tone curve flattens is restored; 0: none, 0.35: a good value; -1: "
            "0.35 with tone-mapping=auto and peak-detection=auto, otherwise 0. No effect with none, clip, bt2446a and "
            "bt2446c, and with the domains rgb and ictcp",
            -1.0, 1.0, GST_HDR_CONVERT_DEFAULT_CONTRAST_RECOVERY, FLAGS | GST_PARAM_CONTROLLABLE));
}
