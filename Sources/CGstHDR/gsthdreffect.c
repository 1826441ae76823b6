#include "CGstHDR.h"

/* ---- the base class */

G_DEFINE_ABSTRACT_TYPE(GstHdrEffect, gst_hdr_effect, GST_TYPE_OBJECT)

#define IMPL(object) (((GstHdrEffect *)(object))->impl)

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
    hdr_effect_set_property(IMPL(object), id, value);
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec) {
    hdr_effect_get_property(IMPL(object), id, value);
}

/* The kind is the subclass's, which instance_init does not know yet. */
static void constructed(GObject *object) {
    IMPL(object) = hdr_effect_new((GstHdrEffect *)object, ((GstHdrEffectClass *)G_OBJECT_GET_CLASS(object))->kind);
    G_OBJECT_CLASS(gst_hdr_effect_parent_class)->constructed(object);
}

static void finalize(GObject *object) {
    hdr_effect_free(IMPL(object));
    G_OBJECT_CLASS(gst_hdr_effect_parent_class)->finalize(object);
}

static void gst_hdr_effect_init(GstHdrEffect *self) {}

static void gst_hdr_effect_class_init(GstHdrEffectClass *klass) {
    GObjectClass *object_class = G_OBJECT_CLASS(klass);
    object_class->constructed = constructed;
    object_class->finalize = finalize;
}

#define FLAGS (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)

/* GObject does not hand the property functions down to subclasses. */
static void init_kind(GstHdrEffectClass *klass, GstHdrEffectKind kind) {
    klass->kind = kind;
    G_OBJECT_CLASS(klass)->set_property = set_property;
    G_OBJECT_CLASS(klass)->get_property = get_property;
}

#define EFFECT_TYPE(Name, name)                                                                                        \
    typedef GstHdrEffect Name;                                                                                         \
    typedef GstHdrEffectClass Name##Class;                                                                             \
    static GType name##_get_type(void);                                                                                \
    G_DEFINE_TYPE(Name, name, gst_hdr_effect_get_type())                                                               \
    static void name##_init(Name *self) {}

/* What is no number or outside of the range gets through to the effect, which says so on the bus. */
static void install_double(GstHdrEffectClass *klass, guint id, const gchar *name, const gchar *nick, const gchar *blurb,
                           gdouble minimum, gdouble maximum, gdouble value) {
    g_object_class_install_property(
        G_OBJECT_CLASS(klass), id,
        gst_hdr_param_spec_double(name, nick, blurb, minimum, maximum, value, FLAGS | GST_PARAM_CONTROLLABLE));
}

/* ---- bandpass: parameters of Core Audio's band-pass unit (AudioUnitParameters.h) */

EFFECT_TYPE(GstHdrBandpass, gst_hdr_bandpass)

static void gst_hdr_bandpass_class_init(GstHdrBandpassClass *klass) {
    init_kind(klass, GST_HDR_EFFECT_BANDPASS);
    install_double(klass, GST_HDR_EFFECT_PROP_CENTER_FREQUENCY, "center-frequency", "Center frequency",
                   "Frequency that passes unchanged, in Hz; acts up to 0.49 times the sample rate", 20.0, 384000.0,
                   5000.0);
    install_double(klass, GST_HDR_EFFECT_PROP_BANDWIDTH, "bandwidth", "Bandwidth",
                   "Distance of the two frequencies that come out 3 dB lower, in cents (1200 are an octave)", 100.0,
                   12000.0, 600.0);
}

/* ---- gain: volumes of AVAudioMix */

EFFECT_TYPE(GstHdrGain, gst_hdr_gain)

static void set_volume_ramp(GstHdrEffect *self, gdouble from, gdouble to, guint64 start, guint64 duration) {
    hdr_effect_set_volume_ramp(self->impl, from, to, start, duration);
}

static void set_volume_at(GstHdrEffect *self, gdouble volume, guint64 time) {
    hdr_effect_set_volume_ramp(self->impl, volume, volume, time, 0);
}

static void clear_volume_ramps(GstHdrEffect *self) { hdr_effect_clear_volume_ramps(self->impl); }

static void gst_hdr_gain_class_init(GstHdrGainClass *klass) {
    init_kind(klass, GST_HDR_EFFECT_GAIN);
    install_double(klass, GST_HDR_EFFECT_PROP_VOLUME, "volume", "Volume", "Factor of the samples", 0.0, 10.0, 1.0);
    install_double(klass, GST_HDR_EFFECT_PROP_GAIN, "gain", "Gain", "Gain in dB, on top of volume", -200.0, 40.0, 0.0);
    GParamSpec *number = g_param_spec_double("number", "Number", "A time or a volume", 0.0, G_MAXDOUBLE, 0.0, FLAGS);
    GParamSpec *ramp = gst_param_spec_array("ramp", "Ramp", "Start, duration, from, to", number, FLAGS);
    g_object_class_install_property(
        G_OBJECT_CLASS(klass), GST_HDR_EFFECT_PROP_VOLUME_RAMPS,
        gst_param_spec_array("volume-ramps", "Volume ramps",
                             "Volumes over stream time, each <start, duration, from, to> with times in seconds; on top of "
                             "volume and gain. 1.0 before the first, held after each",
                             ramp, FLAGS));
    GType type = G_TYPE_FROM_CLASS(klass);
    g_signal_new_class_handler("set-volume-ramp", type, G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK(set_volume_ramp),
                               NULL, NULL, NULL, G_TYPE_NONE, 4, G_TYPE_DOUBLE, G_TYPE_DOUBLE, G_TYPE_UINT64,
                               G_TYPE_UINT64);
    g_signal_new_class_handler("set-volume-at", type, G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK(set_volume_at),
                               NULL, NULL, NULL, G_TYPE_NONE, 2, G_TYPE_DOUBLE, G_TYPE_UINT64);
    g_signal_new_class_handler("clear-volume-ramps", type, G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
                               G_CALLBACK(clear_volume_ramps), NULL, NULL, NULL, G_TYPE_NONE, 0);
}

/* ---- meter */

EFFECT_TYPE(GstHdrMeter, gst_hdr_meter)

static void gst_hdr_meter_class_init(GstHdrMeterClass *klass) {
    init_kind(klass, GST_HDR_EFFECT_METER);
    g_object_class_install_property(
        G_OBJECT_CLASS(klass), GST_HDR_EFFECT_PROP_INTERVAL,
        g_param_spec_uint64("interval", "Interval", "Time that each message \"meter\" is about, in ns", GST_MSECOND,
                            3600 * GST_SECOND, 100 * GST_MSECOND, FLAGS));
    g_object_class_install_property(
        G_OBJECT_CLASS(klass), GST_HDR_EFFECT_PROP_TRUE_PEAK,
        g_param_spec_boolean("true-peak", "True peak",
                             "Measure the peak between the samples too (ITU-R BS.1770, annex 2)", TRUE, FLAGS));
    g_object_class_install_property(
        G_OBJECT_CLASS(klass), GST_HDR_EFFECT_PROP_LOUDNESS,
        g_param_spec_boolean("loudness", "Loudness",
                             "Measure loudness (EBU R 128) with the library libebur128, which must be installed", FALSE,
                             FLAGS));
}

/* ---- waveform */

EFFECT_TYPE(GstHdrWaveform, gst_hdr_waveform)

static GstSample *pull_samples(GstHdrEffect *self, guint max_frames) {
    return hdr_effect_pull_samples(self->impl, max_frames);
}

static void gst_hdr_waveform_class_init(GstHdrWaveformClass *klass) {
    init_kind(klass, GST_HDR_EFFECT_WAVEFORM);
    g_object_class_install_property(
        G_OBJECT_CLASS(klass), GST_HDR_EFFECT_PROP_BUFFER_TIME,
        g_param_spec_uint64("buffer-time", "Buffer time",
                            "Samples that are kept for pull-samples, in ns; when it comes too late, the newest are lost",
                            10 * GST_MSECOND, 60 * GST_SECOND, GST_SECOND, FLAGS));
    g_signal_new_class_handler("pull-samples", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
                               G_CALLBACK(pull_samples), NULL, NULL, NULL, GST_TYPE_SAMPLE, 1, G_TYPE_UINT);
}

/* ---- making them */

static const struct {
    const gchar *name;
    GType (*get_type)(void);
} effects[] = {
    {"bandpass", gst_hdr_bandpass_get_type},
    {"gain", gst_hdr_gain_get_type},
    {"meter", gst_hdr_meter_get_type},
    {"waveform", gst_hdr_waveform_get_type},
};

GstHdrEffect *gst_hdr_effect_new(const gchar *name) {
    for (gsize index = 0; index < G_N_ELEMENTS(effects); index++)
        if (g_strcmp0(name, effects[index].name) == 0)
            return g_object_new(effects[index].get_type(), "name", "effect", NULL);
    return NULL;
}

const gchar *gst_hdr_effect_names(void) { return "bandpass, gain, meter, waveform"; }
