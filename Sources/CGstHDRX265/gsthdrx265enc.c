#include "CGstHDRX265.h"
#include "enumtype.h"

GST_DEBUG_CATEGORY_STATIC(hdrx265enc_debug);

GstDebugCategory *gst_hdr_x265_enc_debug_category(void) { return hdrx265enc_debug; }

/* First the formats that libx265 takes as they lie in memory, then those that are separated into planes. */
#define FORMATS                                                                                                   \
    "{ I420_10LE, I420, I420_12LE, Y444_10LE, Y444, Y444_12LE, I422_10LE, Y42B, I422_12LE, YV12, GBR, GBR_10LE, " \
    "GBR_12LE, P010_10LE, P012_LE, NV12, NV21, NV16, NV61, NV24 }"

#define PROFILES                                                                                              \
    "{ main, main-10, main-12, main-422-10, main-422-12, main-444, main-444-10, main-444-12, main-intra, "    \
    "main-10-intra, main-12-intra, main-422-10-intra, main-422-12-intra, main-444-intra, main-444-10-intra, " \
    "main-444-12-intra }"

#define SIZE "framerate = (fraction) [0, MAX], width = (int) [16, MAX], height = (int) [16, MAX]"

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE(
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS("video/x-raw, format = (string) " FORMATS ", " SIZE));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE(
    "src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS("video/x-h265, " SIZE ", stream-format = (string) byte-stream, alignment = (string) au, "
                    "profile = (string) " PROFILES));

ENUM_TYPE(log_level_type, "GstHdrX265LogLevel", {-1, "No logging", "none"}, {0, "Error", "error"},
          {1, "Warning", "warning"}, {2, "Info", "info"}, {3, "Debug", "debug"}, {4, "Full", "full"})

ENUM_TYPE(speed_preset_type, "GstHdrX265SpeedPreset", {0, "No preset", "none"}, {1, "ultrafast", "ultrafast"},
          {2, "superfast", "superfast"}, {3, "veryfast", "veryfast"}, {4, "faster", "faster"}, {5, "fast", "fast"},
          {6, "medium", "medium"}, {7, "slow", "slow"}, {8, "slower", "slower"}, {9, "veryslow", "veryslow"},
          {10, "placebo", "placebo"})

ENUM_TYPE(tune_type, "GstHdrX265Tune",
          {0, "No tuning: libx265's own default, which optimises for perceived quality", "none"},
          {1, "Highest PSNR", "psnr"}, {2, "Highest SSIM", "ssim"}, {3, "Keeps film grain", "grain"},
          {4, "Lowest latency: no B-frames and no look-ahead", "zerolatency"}, {5, "Fast to decode", "fastdecode"},
          {6, "Animated content", "animation"})

ENUM_TYPE(dynamic_metadata_type, "GstHdrX265DynamicMetadata",
          {GST_HDR_X265_DYNAMIC_METADATA_AUTO,
           "Dolby Vision and HDR10+ metadata of the pictures are written into the stream", "auto"},
          {GST_HDR_X265_DYNAMIC_METADATA_IGNORE, "They are not written, and stay on the buffers", "ignore"})

/* Code points of ITU-T H.273. */
ENUM_TYPE(preferred_transfer_type, "GstHdrX265PreferredTransfer",
          {-1, "No alternative transfer characteristics SEI message", "none"}, {1, "BT.709", "bt709"},
          {14, "BT.2020, 10 bits", "bt2020-10"}, {15, "BT.2020, 12 bits", "bt2020-12"}, {16, "PQ", "smpte2084"},
          {18, "HLG", "arib-std-b67"})

G_DEFINE_TYPE(GstHdrX265Enc, gst_hdr_x265_enc, GST_TYPE_VIDEO_ENCODER)
GST_ELEMENT_REGISTER_DEFINE(hdrx265enc, "hdrx265enc", GST_RANK_NONE, gst_hdr_x265_enc_get_type())

#define IMPL(object) (((GstHdrX265Enc *)(object))->impl)

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
    hdr_x265_enc_set_property(IMPL(object), id, value);
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec) {
    hdr_x265_enc_get_property(IMPL(object), id, value);
}

static gboolean start(GstVideoEncoder *encoder) { return hdr_x265_enc_start(IMPL(encoder)); }

static gboolean stop(GstVideoEncoder *encoder) {
    hdr_x265_enc_stop(IMPL(encoder));
    return TRUE;
}

static GstCaps *getcaps(GstVideoEncoder *encoder, GstCaps *filter) {
    return hdr_x265_enc_getcaps(IMPL(encoder), filter);
}

static gboolean set_format(GstVideoEncoder *encoder, GstVideoCodecState *state) {
    return hdr_x265_enc_set_format(IMPL(encoder), state);
}

static GstFlowReturn handle_frame(GstVideoEncoder *encoder, GstVideoCodecFrame *frame) {
    return hdr_x265_enc_handle_frame(IMPL(encoder), frame);
}

static GstFlowReturn finish(GstVideoEncoder *encoder) { return hdr_x265_enc_finish(IMPL(encoder)); }

static gboolean flush(GstVideoEncoder *encoder) {
    hdr_x265_enc_flush(IMPL(encoder));
    return TRUE;
}

static gboolean src_event(GstVideoEncoder *encoder, GstEvent *event) {
    GstClockTime time;
    gboolean all_headers;
    guint count;
    if (gst_video_event_is_force_key_unit(event) &&
        gst_video_event_parse_upstream_force_key_unit(event, &time, &all_headers, &count) &&
        hdr_x265_enc_keep_request(IMPL(encoder), time, all_headers, count)) {
        gst_event_unref(event);
        return TRUE;
    }
    return GST_VIDEO_ENCODER_CLASS(gst_hdr_x265_enc_parent_class)->src_event(encoder, event);
}

static gboolean sink_event(GstVideoEncoder *encoder, GstEvent *event) {
    gboolean all_headers;
    guint count;
    if (gst_video_event_is_force_key_unit(event) &&
        gst_video_event_parse_downstream_force_key_unit(event, NULL, NULL, NULL, &all_headers, &count) &&
        hdr_x265_enc_keep_request(IMPL(encoder), GST_CLOCK_TIME_NONE, all_headers, count)) {
        gst_event_unref(event);
        return TRUE;
    }
    return GST_VIDEO_ENCODER_CLASS(gst_hdr_x265_enc_parent_class)->sink_event(encoder, event);
}

/* Video metas are supported, so that upstream may lay out its pictures as it likes. */
static gboolean propose_allocation(GstVideoEncoder *encoder, GstQuery *query) {
    gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, NULL);
    return GST_VIDEO_ENCODER_CLASS(gst_hdr_x265_enc_parent_class)->propose_allocation(encoder, query);
}

static void finalize(GObject *object) {
    hdr_x265_enc_free(IMPL(object));
    G_OBJECT_CLASS(gst_hdr_x265_enc_parent_class)->finalize(object);
}

static void gst_hdr_x265_enc_init(GstHdrX265Enc *self) { self->impl = hdr_x265_enc_new(self); }

#define FLAGS (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)

static void install_enum(GObjectClass *klass, guint id, const gchar *name, const gchar *nick, const gchar *blurb,
                         GType type, gint value) {
    g_object_class_install_property(klass, id, g_param_spec_enum(name, nick, blurb, type, value, FLAGS));
}

static void install_properties(GObjectClass *klass) {
    g_object_class_install_property(
        klass, GST_HDR_X265_ENC_PROP_BITRATE,
        g_param_spec_uint("bitrate", "Bit rate",
                          "Average bit rate in kbit/s, which may change while playing; not with qp, nor with crf in "
                          "option-string",
                          1, 800000, GST_HDR_X265_ENC_DEFAULT_BITRATE,
                          (FLAGS & ~GST_PARAM_MUTABLE_READY) | GST_PARAM_MUTABLE_PLAYING));
    g_object_class_install_property(
        klass, GST_HDR_X265_ENC_PROP_QP,
        g_param_spec_int("qp", "Quantizer",
                         "Constant quantizer (QP) of P slices, in place of bitrate; -1: bitrate applies", -1, 51,
                         GST_HDR_X265_ENC_DEFAULT_QP, FLAGS));
    g_object_class_install_property(
        klass, GST_HDR_X265_ENC_PROP_OPTION_STRING,
        g_param_spec_string(
            "option-string", "Option string",
            "Further options of libx265 as key1=value1:key2=value2, which take precedence over properties and caps", "",
            FLAGS));
    install_enum(klass, GST_HDR_X265_ENC_PROP_LOG_LEVEL, "log-level", "Log level",
                 "What libx265 writes to standard error", log_level_type(), GST_HDR_X265_ENC_DEFAULT_LOG_LEVEL);
    install_enum(klass, GST_HDR_X265_ENC_PROP_SPEED_PRESET, "speed-preset", "Speed preset",
                 "Trade-off between encoding speed and compression", speed_preset_type(),
                 GST_HDR_X265_ENC_DEFAULT_SPEED_PRESET);
    install_enum(klass, GST_HDR_X265_ENC_PROP_TUNE, "tune", "Tune", "What the options of speed-preset are tuned for",
                 tune_type(), GST_HDR_X265_ENC_DEFAULT_TUNE);
    g_object_class_install_property(
        klass, GST_HDR_X265_ENC_PROP_KEY_INT_MAX,
        g_param_spec_int("key-int-max", "Key frame interval",
                         "Maximum distance between key frames, in pictures; 0: libx265's default, 250", 0, G_MAXINT32,
                         GST_HDR_X265_ENC_DEFAULT_KEY_INT_MAX, FLAGS));
    g_object_class_install_property(
        klass, GST_HDR_X265_ENC_PROP_PASS,
        g_param_spec_uint("pass", "Pass",
                          "Pass of a multi-pass encode; 0: the only pass; 1: the first, which writes "
                          "multipass-cache-file; 2: the last, which reads it; 3: one in between, which does both",
                          0, 3, GST_HDR_X265_ENC_DEFAULT_PASS, FLAGS));
    g_object_class_install_property(klass, GST_HDR_X265_ENC_PROP_MULTIPASS_CACHE_FILE,
                                    g_param_spec_string("multipass-cache-file", "Multipass cache file",
                                                        "File with the statistics that a pass writes for the next one",
                                                        GST_HDR_X265_ENC_DEFAULT_MULTIPASS_CACHE_FILE, FLAGS));
    install_enum(klass, GST_HDR_X265_ENC_PROP_DYNAMIC_METADATA, "dynamic-metadata", "Dynamic metadata",
                 "Whether dynamic HDR metadata of the pictures are written", dynamic_metadata_type(),
                 GST_HDR_X265_ENC_DEFAULT_DYNAMIC_METADATA);
    g_object_class_install_property(
        klass, GST_HDR_X265_ENC_PROP_AMBIENT_VIEWING,
        g_param_spec_string("ambient-viewing-environment", "Ambient viewing environment",
                            "Ambient viewing environment to write: illuminance:x:y, in units of 0.0001 lux and, for "
                            "CIE x and y, of 0.00002, such as 3140000:15635:16450 for 314 lux of D65. Unset: none",
                            NULL, FLAGS));
    install_enum(klass, GST_HDR_X265_ENC_PROP_PREFERRED_TRANSFER, "preferred-transfer", "Preferred transfer",
                 "Transfer function that decoders are asked to use in place of the one in the stream's header, such as "
                 "arib-std-b67 for HLG that is declared as BT.2020",
                 preferred_transfer_type(), GST_HDR_X265_ENC_DEFAULT_PREFERRED_TRANSFER);
    g_object_class_install_property(
        klass, GST_HDR_X265_ENC_PROP_PICTURE_STATISTICS,
        g_param_spec_boolean("picture-statistics", "Picture statistics",
                             "Whether an element message hdr-x265-picture is posted for each picture",
                             GST_HDR_X265_ENC_DEFAULT_PICTURE_STATISTICS, FLAGS));
}

static void gst_hdr_x265_enc_class_init(GstHdrX265EncClass *klass) {
    GObjectClass *object_class = G_OBJECT_CLASS(klass);
    GstElementClass *element_class = GST_ELEMENT_CLASS(klass);
    GstVideoEncoderClass *encoder_class = GST_VIDEO_ENCODER_CLASS(klass);

    GST_DEBUG_CATEGORY_INIT(hdrx265enc_debug, "hdrx265enc", 0, "HEVC encoder with HDR metadata");

    object_class->set_property = set_property;
    object_class->get_property = get_property;
    object_class->finalize = finalize;
    encoder_class->start = GST_DEBUG_FUNCPTR(start);
    encoder_class->stop = GST_DEBUG_FUNCPTR(stop);
    encoder_class->getcaps = GST_DEBUG_FUNCPTR(getcaps);
    encoder_class->set_format = GST_DEBUG_FUNCPTR(set_format);
    encoder_class->handle_frame = GST_DEBUG_FUNCPTR(handle_frame);
    encoder_class->finish = GST_DEBUG_FUNCPTR(finish);
    encoder_class->flush = GST_DEBUG_FUNCPTR(flush);
    encoder_class->src_event = GST_DEBUG_FUNCPTR(src_event);
    encoder_class->sink_event = GST_DEBUG_FUNCPTR(sink_event);
    encoder_class->propose_allocation = GST_DEBUG_FUNCPTR(propose_allocation);

    gst_element_class_add_static_pad_template(element_class, &sink_template);
    gst_element_class_add_static_pad_template(element_class, &src_template);
    gst_element_class_set_static_metadata(element_class, "HEVC encoder with HDR metadata", "Codec/Encoder/Video",
                                          "Encodes HEVC by libx265, with static and dynamic HDR metadata",
                                          "The gst-hdr team");
    install_properties(object_class);
}
