#include <gst/pbutils/pbutils.h>

#include "CGstHDR.h"
#include "enumtype.h"

GST_DEBUG_CATEGORY_STATIC(hdrmuxsettings_debug);

GstDebugCategory *gst_hdr_mux_settings_debug_category(void) { return hdrmuxsettings_debug; }

static GstStaticPadTemplate video_template =
    GST_STATIC_PAD_TEMPLATE("video_%u", GST_PAD_SINK, GST_PAD_REQUEST,
                            GST_STATIC_CAPS("video/x-raw; video/x-h265; video/x-h264; video/x-prores; video/x-av1; "
                                            "video/x-vp9; video/mpeg, mpegversion = (int) 4; image/jpeg"));
static GstStaticPadTemplate audio_template =
    GST_STATIC_PAD_TEMPLATE("audio_%u", GST_PAD_SINK, GST_PAD_REQUEST,
                            GST_STATIC_CAPS("audio/x-raw; audio/mpeg; audio/x-alac; audio/x-ac3; audio/x-eac3; "
                                            "audio/x-opus; audio/x-flac; audio/x-vorbis"));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS,
                            GST_STATIC_CAPS("video/quicktime; video/x-matroska; audio/x-matroska; video/mpegts, "
                                            "systemstream=(boolean)true, packetsize=(int)188"));

enum {
    SIGNAL_CREATE_ENCODING_PROFILE,
    SIGNAL_SUPPORTED_SETTINGS,
    SIGNAL_COMPATIBLE_PRESETS,
    SIGNAL_SETTINGS_FOR,
    N_SIGNALS
};
static guint signals[N_SIGNALS];

G_DEFINE_TYPE(GstHdrMuxSettings, gst_hdr_mux_settings, GST_TYPE_BIN)
GST_ELEMENT_REGISTER_DEFINE(hdrmuxsettings, "hdrmux-settings", GST_RANK_NONE, gst_hdr_mux_settings_get_type())

#define IMPL(object) (((GstHdrMuxSettings *)(object))->impl)

ENUM_TYPE(file_type_get_type, "GstHdrFileType", {GST_HDR_FILE_TYPE_MOV, "QuickTime (.mov)", "mov"},
          {GST_HDR_FILE_TYPE_MP4, "MPEG-4 (.mp4)", "mp4"}, {GST_HDR_FILE_TYPE_MATROSKA, "Matroska (.mkv)", "matroska"},
          {GST_HDR_FILE_TYPE_MPEGTS, "MPEG transport stream (.ts)", "mpegts"})

ENUM_TYPE(insertion_mode_get_type, "GstHdrMetadataInsertionMode",
          {GST_HDR_INSERTION_AUTO, "HDR metadata in bitstream and container, where the video is HDR", "auto"},
          {GST_HDR_INSERTION_NONE, "No HDR metadata", "none"})

ENUM_TYPE(dynamic_metadata_get_type, "GstHdrDynamicMetadata",
          {GST_HDR_DYNAMIC_METADATA_AUTO, "Only those of the source are written", "auto"},
          {GST_HDR_DYNAMIC_METADATA_DOLBY_VISION, "Dolby Vision: profile 8.4 with HLG, 8.1 with PQ", "dolby-vision"},
          {GST_HDR_DYNAMIC_METADATA_HDR10_PLUS, "HDR10+, with PQ only", "hdr10-plus"})

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
    hdr_mux_settings_set_property(IMPL(object), id, value);
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec) {
    hdr_mux_settings_get_property(IMPL(object), id, value);
}

static GstPad *request_new_pad(GstElement *element, GstPadTemplate *templ, const gchar *name, const GstCaps *caps) {
    return hdr_mux_settings_request_pad(IMPL(element), templ, name);
}

static void release_pad(GstElement *element, GstPad *pad) { hdr_mux_settings_release_pad(IMPL(element), pad); }

static GstStateChangeReturn change_state(GstElement *element, GstStateChange transition) {
    if (transition == GST_STATE_CHANGE_NULL_TO_READY && !hdr_mux_settings_check(IMPL(element)))
        return GST_STATE_CHANGE_FAILURE;
    GstStateChangeReturn result = GST_STATE_CHANGE_FAILURE;
    if (transition != GST_STATE_CHANGE_READY_TO_PAUSED || hdr_mux_settings_start(IMPL(element)))
        result = GST_ELEMENT_CLASS(gst_hdr_mux_settings_parent_class)->change_state(element, transition);
    gboolean has_failed = transition == GST_STATE_CHANGE_READY_TO_PAUSED && result == GST_STATE_CHANGE_FAILURE;
    if (has_failed || transition == GST_STATE_CHANGE_PAUSED_TO_READY)
        hdr_mux_settings_stop(IMPL(element));
    return result;
}

static void handle_message(GstBin *bin, GstMessage *message) {
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR)
        message = hdr_mux_settings_explain(IMPL(bin), message);
    GST_BIN_CLASS(gst_hdr_mux_settings_parent_class)->handle_message(bin, message);
}

static GstEncodingProfile *create_encoding_profile(GstHdrMuxSettings *self) {
    return (GstEncodingProfile *)hdr_mux_settings_create_encoding_profile(self->impl);
}

static GstStructure *supported_settings(GstHdrMuxSettings *self) {
    return hdr_mux_settings_supported_settings(self->impl);
}

static GStrv compatible_presets(GstHdrMuxSettings *self, GstCaps *source) {
    return hdr_mux_settings_compatible_presets(self->impl, source);
}

static GstStructure *settings_for(GstHdrMuxSettings *self, GstCaps *source) {
    return hdr_mux_settings_settings_for(self->impl, source);
}

static void dispose(GObject *object) {
    hdr_mux_settings_dispose(IMPL(object));
    G_OBJECT_CLASS(gst_hdr_mux_settings_parent_class)->dispose(object);
}

static void finalize(GObject *object) {
    hdr_mux_settings_free(IMPL(object));
    G_OBJECT_CLASS(gst_hdr_mux_settings_parent_class)->finalize(object);
}

static void gst_hdr_mux_settings_init(GstHdrMuxSettings *self) {
    GstPadTemplate *templ = gst_static_pad_template_get(&src_template);
    self->srcpad = gst_ghost_pad_new_no_target_from_template("src", templ);
    gst_object_unref(templ);
    gst_element_add_pad(GST_ELEMENT(self), self->srcpad);
    self->impl = hdr_mux_settings_new(self);
}

#define FLAGS (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)

static void install_properties(GObjectClass *klass) {
    g_object_class_install_property(
        klass, GST_HDR_MUX_SETTINGS_PROP_PRESET,
        g_param_spec_string(
            "preset", "Preset",
            "Export preset: hevc-highest-quality, hevc-1920x1080, hevc-3840x2160, hevc-7680x4320, hevc-4320x2160 (HDR "
            "stays HDR); h264-low-quality, h264-medium-quality, h264-highest-quality, h264-640x480, h264-960x540, "
            "h264-1280x720, h264-1920x1080, h264-3840x2160 (SDR); prores-422, prores-4444; passthrough (streams are "
            "copied); m4a (audio only). Pictures are never enlarged to a preset's size",
            GST_HDR_MUX_SETTINGS_DEFAULT_PRESET, FLAGS));
    g_object_class_install_property(klass, GST_HDR_MUX_SETTINGS_PROP_FILE_TYPE,
                                    g_param_spec_enum("file-type", "File type", "Container of the output",
                                                      file_type_get_type(), GST_HDR_MUX_SETTINGS_DEFAULT_FILE_TYPE,
                                                      FLAGS));
    g_object_class_install_property(
        klass, GST_HDR_MUX_SETTINGS_PROP_SETTINGS,
        g_param_spec_boxed("settings", "Settings",
                           "Settings that override the preset, by the keys of AVFoundation's AVVideoSettings: codec, "
                           "width, height, scaling-mode, color-properties (primaries, transfer, matrix: all three or "
                           "none), compression-properties; the signal supported-settings lists them all",
                           GST_TYPE_STRUCTURE, FLAGS));
    g_object_class_install_property(
        klass, GST_HDR_MUX_SETTINGS_PROP_MASTERING_DISPLAY,
        g_param_spec_string(
            "mastering-display-color-volume", "Mastering display",
            "Mastering display (MDCV) to write, as in GStreamer's caps: Rx:Ry:Gx:Gy:Bx:By:Wx:Wy:max:min, with CIE x "
            "and y in units of 0.00002 and luminance in units of 0.0001 cd/m2. Unset: the source's",
            NULL, FLAGS));
    g_object_class_install_property(
        klass, GST_HDR_MUX_SETTINGS_PROP_CONTENT_LIGHT_LEVEL,
        g_param_spec_string("content-light-level-info", "Content light level",
                            "MaxCLL:MaxFALL to write, in cd/m2; auto: measured during the export and written into the "
                            "container at the end. Unset: the source's",
                            NULL, FLAGS));
    g_object_class_install_property(
        klass, GST_HDR_MUX_SETTINGS_PROP_AMBIENT_VIEWING,
        g_param_spec_string(
            "ambient-viewing-environment", "Ambient viewing environment",
            "Ambient viewing environment to write: illuminance:x:y, in units of 0.0001 lux and, for CIE x and y, of "
            "0.00002, such as 3140000:15635:16450 for 314 lux of D65. Unset: the source's",
            NULL, FLAGS));
    g_object_class_install_property(
        klass, GST_HDR_MUX_SETTINGS_PROP_SCENE_LIGHT,
        g_param_spec_string("scene-light", "Scene light",
                            "Light of scenes as a first pass has measured it, for tone mapping: START:PEAK:AVERAGE for "
                            "each scene, separated by commas, in ns of stream time and cd/m2, as in the element "
                            "messages hdr-scene. Unset: measured during the export",
                            NULL, FLAGS));
    g_object_class_install_property(klass, GST_HDR_MUX_SETTINGS_PROP_INSERTION_MODE,
                                    g_param_spec_enum("hdr-metadata-insertion-mode", "HDR metadata insertion",
                                                      "Whether HDR metadata are written", insertion_mode_get_type(),
                                                      GST_HDR_MUX_SETTINGS_DEFAULT_INSERTION_MODE, FLAGS));
    g_object_class_install_property(
        klass, GST_HDR_MUX_SETTINGS_PROP_PRESERVE_DYNAMIC,
        g_param_spec_boolean(
            "preserve-dynamic-hdr-metadata", "Preserve dynamic HDR metadata",
            "Keep HDR10+ and Dolby Vision metadata of pictures whose light is unchanged; FALSE: measure them anew",
            GST_HDR_MUX_SETTINGS_DEFAULT_PRESERVE_DYNAMIC, FLAGS));
    g_object_class_install_property(
        klass, GST_HDR_MUX_SETTINGS_PROP_ENCODER,
        g_param_spec_string("encoder", "Encoder",
                            "Name of the video encoder element, such as x265enc; empty: the best one available, for "
                            "HEVC one in hardware, else hdrx265enc, else x265enc",
                            GST_HDR_MUX_SETTINGS_DEFAULT_ENCODER, FLAGS));
    g_object_class_install_property(
        klass, GST_HDR_MUX_SETTINGS_PROP_DYNAMIC_METADATA,
        g_param_spec_enum("dynamic-hdr-metadata", "Dynamic HDR metadata",
                          "Dynamic metadata that are measured and written also for a source that has none",
                          dynamic_metadata_get_type(), GST_HDR_MUX_SETTINGS_DEFAULT_DYNAMIC_METADATA, FLAGS));
    g_object_class_install_property(
        klass, GST_HDR_MUX_SETTINGS_PROP_SOURCE_FORMAT_HINT,
        g_param_spec_boxed("source-format-hint", "Source format hint",
                           "Caps that supply what the source's caps do not say, such as colorimetry, "
                           "mastering-display-info, or the framerate of an elementary stream",
                           GST_TYPE_CAPS, FLAGS));
    g_object_class_install_property(
        klass, GST_HDR_MUX_SETTINGS_PROP_MIXED_SOURCES,
        g_param_spec_boxed("mixed-sources", "Mixed sources",
                           "Caps of all clips that arrive one after another on one pad, with a structure for each: all "
                           "are converted to HLG if one of them is HLG, else to PQ if one is PQ, else to SDR",
                           GST_TYPE_CAPS, FLAGS));
    g_object_class_install_property(
        klass, GST_HDR_MUX_SETTINGS_PROP_SPEED_PRESET,
        g_param_spec_string("speed-preset", "Encoder speed",
                            "Speed of the HEVC and H.264 encoders, slower ones compressing better: ultrafast, "
                            "superfast, veryfast, faster, fast, medium, slow, slower, veryslow, placebo. Hardware "
                            "encoders get the nearest of their own presets",
                            GST_HDR_MUX_SETTINGS_DEFAULT_SPEED_PRESET, FLAGS));
    g_object_class_install_property(
        klass, GST_HDR_MUX_SETTINGS_PROP_OPTIMIZE_FOR_NETWORK,
        g_param_spec_boolean(
            "optimize-for-network-use", "Optimize for network use",
            "Write the movie header before the media data (faststart), for players that start during the download",
            GST_HDR_MUX_SETTINGS_DEFAULT_OPTIMIZE_FOR_NETWORK, FLAGS));
    g_object_class_install_property(
        klass, GST_HDR_MUX_SETTINGS_PROP_FRAGMENT_DURATION,
        g_param_spec_uint(
            "fragment-duration", "Fragment duration",
            "Length of a fragment in ms, for files that are read while they are written; 0: not fragmented", 0,
            G_MAXUINT32, GST_HDR_MUX_SETTINGS_DEFAULT_FRAGMENT_DURATION, FLAGS));
    g_object_class_install_property(
        klass, GST_HDR_MUX_SETTINGS_PROP_HARDWARE_ACCELERATION,
        g_param_spec_boolean("enable-hardware-acceleration", "Enable hardware acceleration",
                             "Encode in hardware (NVENC, VA-API, Quick Sync) where a device supports what is asked "
                             "for; otherwise, and if FALSE, in software",
                             GST_HDR_MUX_SETTINGS_DEFAULT_HARDWARE_ACCELERATION, FLAGS));
    g_object_class_install_property(
        klass, GST_HDR_MUX_SETTINGS_PROP_MEASURED_LIGHT_LEVELS,
        g_param_spec_boxed(
            "measured-light-levels", "Measured light levels",
            "Light levels measured so far with content-light-level-info=auto: max-cll and max-fall in cd/m2 "
            "(CTA-861.3), frames, and max-cll-99.99, which leaves out the brightest 0.01 % of each frame. The element "
            "message light-levels has the same fields, once for each second of the stream",
            GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}

static void install_signals(GType type) {
    signals[SIGNAL_CREATE_ENCODING_PROFILE] =
        g_signal_new_class_handler("create-encoding-profile", type, G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
                                   G_CALLBACK(create_encoding_profile), NULL, NULL, NULL, GST_TYPE_ENCODING_PROFILE, 0);
    signals[SIGNAL_SUPPORTED_SETTINGS] =
        g_signal_new_class_handler("supported-settings", type, G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
                                   G_CALLBACK(supported_settings), NULL, NULL, NULL, GST_TYPE_STRUCTURE, 0);
    signals[SIGNAL_COMPATIBLE_PRESETS] =
        g_signal_new_class_handler("compatible-presets", type, G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
                                   G_CALLBACK(compatible_presets), NULL, NULL, NULL, G_TYPE_STRV, 1, GST_TYPE_CAPS);
    signals[SIGNAL_SETTINGS_FOR] =
        g_signal_new_class_handler("settings-for", type, G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK(settings_for),
                                   NULL, NULL, NULL, GST_TYPE_STRUCTURE, 1, GST_TYPE_CAPS);
}

static void gst_hdr_mux_settings_class_init(GstHdrMuxSettingsClass *klass) {
    GObjectClass *object_class = G_OBJECT_CLASS(klass);
    GstElementClass *element_class = GST_ELEMENT_CLASS(klass);

    GST_DEBUG_CATEGORY_INIT(hdrmuxsettings_debug, "hdrmux-settings", 0, "HDR export");

    object_class->set_property = set_property;
    object_class->get_property = get_property;
    object_class->dispose = dispose;
    object_class->finalize = finalize;
    element_class->change_state = GST_DEBUG_FUNCPTR(change_state);
    element_class->request_new_pad = GST_DEBUG_FUNCPTR(request_new_pad);
    element_class->release_pad = GST_DEBUG_FUNCPTR(release_pad);
    GST_BIN_CLASS(klass)->handle_message = GST_DEBUG_FUNCPTR(handle_message);

    gst_element_class_add_static_pad_template(element_class, &video_template);
    gst_element_class_add_static_pad_template(element_class, &audio_template);
    gst_element_class_add_static_pad_template(element_class, &src_template);
    gst_element_class_set_static_metadata(
        element_class, "HDR export", "Generic/Bin/Encoder/Muxer",
        "Encodes and muxes by preset or settings, with the same HDR metadata in stream and container",
        "The gst-hdr team");
    install_properties(object_class);
    install_signals(G_TYPE_FROM_CLASS(klass));
}
