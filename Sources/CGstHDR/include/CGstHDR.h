/* The contract between the C shim and Swift.
 *
 * C registers types, properties and pad templates and forwards each virtual function in one line. Swift implements every
 * function of the sections "Swift" below with `@c @implementation`, so that the compiler checks the signatures.
 *
 * Ownership: `impl` is a Swift object that the GObject owns: made in instance_init, given back in finalize. All other
 * arguments are borrowed for the call unless a comment says otherwise. */
#ifndef CGSTHDR_H
#define CGSTHDR_H

#include <gst/base/gstbasetransform.h>
#include <gst/gst.h>
#include <gst/hdr/gsthdrtap.h>
#include <gst/video/gstvideofilter.h>
#include <gst/video/gstvideosink.h>
#include <gst/video/video.h>

#pragma GCC visibility push(hidden)
G_BEGIN_DECLS

/* ---- hdrconvert */

typedef struct _GstHdrConvert {
    GstVideoFilter parent;
    gpointer impl;
} GstHdrConvert;

typedef struct _GstHdrConvertClass {
    GstVideoFilterClass parent_class;
} GstHdrConvertClass;

GType gst_hdr_convert_get_type(void);
gboolean gst_element_register_hdrconvert(GstPlugin *plugin);
GstDebugCategory *gst_hdr_convert_debug_category(void);

typedef enum {
    GST_HDR_CONVERT_PROP_TONE_MAPPING = 1,
    GST_HDR_CONVERT_PROP_TONE_MAPPING_DOMAIN,
    GST_HDR_CONVERT_PROP_INVERSE_TONE_MAPPING,
    GST_HDR_CONVERT_PROP_GAMUT_MAPPING,
    GST_HDR_CONVERT_PROP_REFERENCE_WHITE,
    GST_HDR_CONVERT_PROP_SOURCE_PEAK,
    GST_HDR_CONVERT_PROP_TARGET_PEAK,
    GST_HDR_CONVERT_PROP_HLG_PEAK,
    GST_HDR_CONVERT_PROP_DITHER,
    GST_HDR_CONVERT_PROP_CHROMA_MODE,
    GST_HDR_CONVERT_PROP_QUALITY,
    GST_HDR_CONVERT_PROP_N_THREADS,
} GstHdrConvertProp;

typedef enum {
    GST_HDR_TONE_MAPPING_AUTO,
    GST_HDR_TONE_MAPPING_NONE,
    GST_HDR_TONE_MAPPING_CLIP,
    GST_HDR_TONE_MAPPING_BT2390,
    GST_HDR_TONE_MAPPING_BT2446A,
    GST_HDR_TONE_MAPPING_BT2446C,
    GST_HDR_TONE_MAPPING_SPLINE,
    GST_HDR_TONE_MAPPING_REINHARD,
    GST_HDR_TONE_MAPPING_HABLE,
    GST_HDR_TONE_MAPPING_MOBIUS,
} GstHdrToneMapping;

typedef enum {
    GST_HDR_TONE_MAPPING_DOMAIN_MAX_RGB,
    GST_HDR_TONE_MAPPING_DOMAIN_LUMINANCE,
    GST_HDR_TONE_MAPPING_DOMAIN_RGB,
    GST_HDR_TONE_MAPPING_DOMAIN_ICTCP,
} GstHdrToneMappingDomain;

typedef enum {
    GST_HDR_INVERSE_TONE_MAPPING_NONE,
    GST_HDR_INVERSE_TONE_MAPPING_BT2446A,
    GST_HDR_INVERSE_TONE_MAPPING_BT2446C,
    GST_HDR_INVERSE_TONE_MAPPING_SPLINE,
} GstHdrInverseToneMapping;

typedef enum {
    GST_HDR_GAMUT_MAPPING_CLIP,
    GST_HDR_GAMUT_MAPPING_SOFTCLIP,
    GST_HDR_GAMUT_MAPPING_DESATURATE,
} GstHdrGamutMapping;

typedef enum {
    GST_HDR_DITHER_NONE,
    GST_HDR_DITHER_ORDERED,
} GstHdrDither;

typedef enum {
    GST_HDR_CHROMA_MODE_LINEAR,
    GST_HDR_CHROMA_MODE_NEAREST,
} GstHdrChromaMode;

typedef enum {
    GST_HDR_QUALITY_FAST,
    GST_HDR_QUALITY_BALANCED,
    GST_HDR_QUALITY_REFERENCE,
} GstHdrQuality;

/* Swift. The streaming thread calls all but new, free, the property functions (any thread) and stop (the thread that
 * changes the state, after streaming has ended). */
gpointer hdr_convert_new(GstHdrConvert *element);
void hdr_convert_free(gpointer impl);
void hdr_convert_set_property(gpointer impl, guint id, const GValue *value);
void hdr_convert_get_property(gpointer impl, guint id, GValue *value);
/* Returns caps that the caller owns; filter may be NULL. */
GstCaps *hdr_convert_transform_caps(gpointer impl, GstPadDirection direction, GstCaps *caps, GstCaps *filter);
/* Takes othercaps over and returns caps that the caller owns. */
GstCaps *hdr_convert_fixate_caps(gpointer impl, GstPadDirection direction, GstCaps *caps, GstCaps *othercaps);
gboolean hdr_convert_set_info(gpointer impl, GstCaps *in_caps, GstVideoInfo *in_info, GstCaps *out_caps,
                              GstVideoInfo *out_info);
void hdr_convert_before_transform(gpointer impl, GstBuffer *buffer);
/* Writes the size of a buffer of othercaps. */
gboolean hdr_convert_transform_size(gpointer impl, GstCaps *othercaps, gsize *othersize);
/* Whether a meta with these tags (NULL: none) is still true of the converted picture. */
gboolean hdr_convert_keeps_meta(gpointer impl, const gchar *const *tags);
/* Whether a buffer holds a picture of its caps; else an error is posted. */
GstFlowReturn hdr_convert_check_buffer(gpointer impl, GstBuffer *buffer);
GstFlowReturn hdr_convert_transform_frame(gpointer impl, GstVideoFrame *in_frame, GstVideoFrame *out_frame);
void hdr_convert_stop(gpointer impl);

/* ---- hdrtap */

typedef struct _GstHdrTap {
    GstElement parent;
    GstPad *sinkpad;
    GstPad *srcpad;
    gpointer impl;
} GstHdrTap;

typedef struct _GstHdrTapClass {
    GstElementClass parent_class;
} GstHdrTapClass;

GType gst_hdr_tap_get_type(void);
gboolean gst_element_register_hdrtap(GstPlugin *plugin);
GstDebugCategory *gst_hdr_tap_debug_category(void);

typedef enum {
    GST_HDR_TAP_PROP_EFFECT = 1,
    GST_HDR_TAP_PROP_EMIT_SIGNALS,
    GST_HDR_TAP_PROP_MAX_FRAMES,
    GST_HDR_TAP_PROP_MAX_TAIL,
    GST_HDR_TAP_PROP_ALIGNMENT_THRESHOLD,
    GST_HDR_TAP_PROP_LATENCY,
    GST_HDR_TAP_PROP_STATS,
} GstHdrTapProp;

/* C. The signals of emit-signals, on the streaming thread. */
void gst_hdr_tap_emit_prepare(GstHdrTap *element, guint max_frames, GstCaps *caps);
void gst_hdr_tap_emit_unprepare(GstHdrTap *element);
/* Returns what a handler gives, which the caller owns, or NULL. */
GBytes *gst_hdr_tap_emit_process(GstHdrTap *element, GBytes *data, guint frames, guint flags, guint64 stream_time);
/* C. An error for the domain of GStreamer's library errors; the caller owns it. */
GError *gst_hdr_tap_settings_error(const gchar *text);

/* Swift. The streaming thread calls chain and sink_event, which take over what they are given. src_query answers what only
 * the element knows and returns FALSE for the rest. check, start and stop are called by the thread that changes the state, stop
 * after streaming has ended; dispose when no one else holds the element. All others: any thread. */
gpointer hdr_tap_new(GstHdrTap *element);
void hdr_tap_dispose(gpointer impl);
void hdr_tap_free(gpointer impl);
void hdr_tap_set_property(gpointer impl, guint id, const GValue *value);
void hdr_tap_get_property(gpointer impl, guint id, GValue *value);
GstFlowReturn hdr_tap_chain(gpointer impl, GstBuffer *buffer);
gboolean hdr_tap_sink_event(gpointer impl, GstEvent *event);
gboolean hdr_tap_src_query(gpointer impl, GstQuery *query);
/* Whether the settings are usable; else an error is posted. */
gboolean hdr_tap_check(gpointer impl);
void hdr_tap_start(gpointer impl);
void hdr_tap_stop(gpointer impl);
/* NULL, or an error that the caller owns. */
GError *hdr_tap_set_audio_callbacks(gpointer impl, const GstHdrTapAudioCallbacks *callbacks, gpointer user_data,
                                    GDestroyNotify notify);
/* The effect, which the caller owns a reference of, or NULL. */
GObject *hdr_tap_get_effect(gpointer impl);

/* Swift. get_source_audio of a tap's callbacks. */
GstHdrTapStatus hdr_tap_get_source_audio(GstHdrAudioTap *tap, guint frames, GstHdrTapAudioBufferList *list, guint *flags,
                                         GstHdrTapTimeRange *range, guint *frames_out);

/* ---- the effects of hdrtap, its child objects */

typedef enum {
    GST_HDR_EFFECT_BANDPASS,
    GST_HDR_EFFECT_GAIN,
    GST_HDR_EFFECT_METER,
    GST_HDR_EFFECT_WAVEFORM,
} GstHdrEffectKind;

typedef struct _GstHdrEffect {
    GstObject parent;
    gpointer impl;
} GstHdrEffect;

typedef struct _GstHdrEffectClass {
    GstObjectClass parent_class;
    GstHdrEffectKind kind;
} GstHdrEffectClass;

/* Property numbers of all effects. */
typedef enum {
    GST_HDR_EFFECT_PROP_CENTER_FREQUENCY = 1,
    GST_HDR_EFFECT_PROP_BANDWIDTH,
    GST_HDR_EFFECT_PROP_VOLUME,
    GST_HDR_EFFECT_PROP_GAIN,
    GST_HDR_EFFECT_PROP_VOLUME_RAMPS,
    GST_HDR_EFFECT_PROP_INTERVAL,
    GST_HDR_EFFECT_PROP_TRUE_PEAK,
    GST_HDR_EFFECT_PROP_LOUDNESS,
    GST_HDR_EFFECT_PROP_BUFFER_TIME,
} GstHdrEffectProp;

/* C. A new effect named "effect", floating; NULL for an unknown name. */
GstHdrEffect *gst_hdr_effect_new(const gchar *name);
/* C. The names of all effects, with a comma between them. */
const gchar *gst_hdr_effect_names(void);

/* Swift. Any thread. */
gpointer hdr_effect_new(GstHdrEffect *object, GstHdrEffectKind kind);
void hdr_effect_free(gpointer impl);
void hdr_effect_set_property(gpointer impl, guint id, const GValue *value);
void hdr_effect_get_property(gpointer impl, guint id, GValue *value);
void hdr_effect_set_volume_ramp(gpointer impl, gdouble from, gdouble to, guint64 start, guint64 duration);
void hdr_effect_clear_volume_ramps(gpointer impl);
/* A sample that the caller owns, or NULL. */
GstSample *hdr_effect_pull_samples(gpointer impl, guint max_frames);

/* ---- hdrmux-settings */

typedef struct _GstHdrMuxSettings {
    GstBin parent;
    GstPad *srcpad;
    gpointer impl;
} GstHdrMuxSettings;

typedef struct _GstHdrMuxSettingsClass {
    GstBinClass parent_class;
} GstHdrMuxSettingsClass;

GType gst_hdr_mux_settings_get_type(void);
gboolean gst_element_register_hdrmuxsettings(GstPlugin *plugin);
GstDebugCategory *gst_hdr_mux_settings_debug_category(void);

typedef enum {
    GST_HDR_MUX_PROP_PRESET = 1,
    GST_HDR_MUX_PROP_FILE_TYPE,
    GST_HDR_MUX_PROP_SETTINGS,
    GST_HDR_MUX_PROP_MASTERING_DISPLAY,
    GST_HDR_MUX_PROP_CONTENT_LIGHT_LEVEL,
    GST_HDR_MUX_PROP_INSERTION_MODE,
    GST_HDR_MUX_PROP_PRESERVE_DYNAMIC,
    GST_HDR_MUX_PROP_SOURCE_FORMAT_HINT,
    GST_HDR_MUX_PROP_MIXED_SOURCES,
    GST_HDR_MUX_PROP_SPEED_PRESET,
    GST_HDR_MUX_PROP_OPTIMIZE_FOR_NETWORK,
    GST_HDR_MUX_PROP_FRAGMENT_DURATION,
    GST_HDR_MUX_PROP_HARDWARE_ACCELERATION,
    GST_HDR_MUX_PROP_MEASURED_LIGHT_LEVELS,
} GstHdrMuxProp;

typedef enum { GST_HDR_FILE_TYPE_MOV, GST_HDR_FILE_TYPE_MP4, GST_HDR_FILE_TYPE_MATROSKA } GstHdrFileType;
typedef enum { GST_HDR_INSERTION_AUTO, GST_HDR_INSERTION_NONE } GstHdrInsertionMode;

/* Swift. check, start and stop are called by the thread that changes the state, stop after streaming has ended; the
 * others by any thread. */
gpointer hdr_mux_settings_new(GstHdrMuxSettings *element);
void hdr_mux_settings_dispose(gpointer impl);
void hdr_mux_settings_free(gpointer impl);
void hdr_mux_settings_set_property(gpointer impl, guint id, const GValue *value);
void hdr_mux_settings_get_property(gpointer impl, guint id, GValue *value);
/* A pad that the element owns, or NULL. name may be NULL. */
GstPad *hdr_mux_settings_request_pad(gpointer impl, GstPadTemplate *templ, const gchar *name);
void hdr_mux_settings_release_pad(gpointer impl, GstPad *pad);
/* Whether the settings are usable; else an error is posted. */
gboolean hdr_mux_settings_check(gpointer impl);
gboolean hdr_mux_settings_start(gpointer impl);
void hdr_mux_settings_stop(gpointer impl);
/* The caller owns what the action signals return; NULL where the settings are unusable, which a warning explains. */
gpointer hdr_mux_settings_create_encoding_profile(gpointer impl);
GstStructure *hdr_mux_settings_supported_settings(gpointer impl);
GStrv hdr_mux_settings_compatible_presets(gpointer impl, GstCaps *source);
GstStructure *hdr_mux_settings_settings_for(gpointer impl, GstCaps *source);

/* ---- edrsink */

typedef struct _GstEdrSink {
    GstVideoSink parent;
    gpointer impl;
} GstEdrSink;

typedef struct _GstEdrSinkClass {
    GstVideoSinkClass parent_class;
} GstEdrSinkClass;

GType gst_edr_sink_get_type(void);
gboolean gst_element_register_edrsink(GstPlugin *plugin);
GstDebugCategory *gst_edr_sink_debug_category(void);
/* C. Emits the signal display-link. */
void gst_edr_sink_emit_display_link(GstEdrSink *self, guint64 now, guint64 target, guint64 interval);
gboolean gst_edr_sink_has_display_link(GstEdrSink *self);

typedef enum {
    GST_EDR_PROP_PRESENTER = 1,
    GST_EDR_PROP_WANTS_EDR,
    GST_EDR_PROP_PIXEL_FORMAT,
    GST_EDR_PROP_COLOR_SPACE,
    GST_EDR_PROP_FORCE_HEADROOM,
    GST_EDR_PROP_TONE_MAPPING,
    GST_EDR_PROP_FORCE_ASPECT_RATIO,
    GST_EDR_PROP_VIEWS,
    GST_EDR_PROP_DISPLAY_LINK_PAUSED,
    GST_EDR_PROP_HEADROOM,
    GST_EDR_PROP_POTENTIAL_HEADROOM,
    GST_EDR_PROP_REFERENCE_WHITE,
    GST_EDR_PROP_DISPLAY_STATE,
    GST_EDR_PROP_ELIGIBLE,
    GST_EDR_PROP_FRAME_RECORD,
    GST_EDR_PROP_LAST,
} GstEdrProp;

typedef enum { GST_EDR_PRESENTER_AUTO, GST_EDR_PRESENTER_WAYLAND, GST_EDR_PRESENTER_X11, GST_EDR_PRESENTER_OFFSCREEN } GstEdrPresenter;
typedef enum { GST_EDR_PIXEL_FORMAT_AUTO, GST_EDR_PIXEL_FORMAT_RGBA16F, GST_EDR_PIXEL_FORMAT_RGB10A2, GST_EDR_PIXEL_FORMAT_RGBA8 } GstEdrPixelFormat;
typedef enum { GST_EDR_COLOR_SPACE_AUTO, GST_EDR_COLOR_SPACE_EXTENDED_LINEAR, GST_EDR_COLOR_SPACE_BT2100_PQ, GST_EDR_COLOR_SPACE_SRGB } GstEdrColorSpace;
typedef enum { GST_EDR_TONE_MAPPING_ROLLOFF, GST_EDR_TONE_MAPPING_CLIP, GST_EDR_TONE_MAPPING_BT2390 } GstEdrToneMapping;

/* Swift. The streaming thread calls set_info, prepare, show, propose_allocation and event; the thread that changes the
 * state calls open, before_state, stop and close; any thread the others. */
gpointer edr_sink_new(GstEdrSink *element);
void edr_sink_free(gpointer impl);
void edr_sink_set_property(gpointer impl, guint id, const GValue *value);
void edr_sink_get_property(gpointer impl, guint id, GValue *value);
/* Connects to a display; else an error is posted. */
gboolean edr_sink_open(gpointer impl);
void edr_sink_before_state(gpointer impl, GstStateChange transition);
void edr_sink_stop(gpointer impl);
void edr_sink_close(gpointer impl);
void edr_sink_set_context(gpointer impl, GstContext *context);
gboolean edr_sink_set_info(gpointer impl, GstCaps *caps, const GstVideoInfo *info);
gboolean edr_sink_propose_allocation(gpointer impl, GstQuery *query);
GstFlowReturn edr_sink_prepare(gpointer impl, GstBuffer *buffer);
GstFlowReturn edr_sink_show(gpointer impl, GstBuffer *buffer);
void edr_sink_set_flushing(gpointer impl, gboolean flushing);
void edr_sink_event(gpointer impl, GstEvent *event);
void edr_sink_set_window_handle(gpointer impl, guintptr handle);
void edr_sink_expose(gpointer impl);
void edr_sink_handle_events(gpointer impl, gboolean handle);
void edr_sink_set_render_rectangle(gpointer impl, gint x, gint y, gint width, gint height);
/* Takes the event over. */
void edr_sink_send_navigation(gpointer impl, GstEvent *event);
gboolean edr_sink_save_frame(gpointer impl, const gchar *location);
/* The caller owns the samples; NULL where there is no frame. */
GstSample *edr_sink_read_frame(gpointer impl);
guint64 edr_sink_item_time(gpointer impl, guint64 host_time);
/* The sink's own video output, which it keeps; and a new one, which the caller owns. */
gpointer edr_sink_video_output(gpointer impl);
gpointer edr_sink_new_video_output(gpointer impl);

/* ---- frames for applications, by time */

typedef struct _GstHdrVideoOutput {
    GObject parent;
    /* The element whose frames these are, and its item-time-for-host-time. */
    GWeakRef element;
    guint64 (*item_time)(GstElement *element, guint64 host_time);
    gpointer impl;
} GstHdrVideoOutput;

typedef struct _GstHdrVideoOutputClass {
    GObjectClass parent_class;
} GstHdrVideoOutputClass;

GType gst_hdr_video_output_get_type(void);
/* C. Takes impl over. */
GstHdrVideoOutput *gst_hdr_video_output_new(GstElement *element, guint64 (*item_time)(GstElement *, guint64), gpointer impl);

/* Swift. Any thread calls them. */
void hdr_video_output_free(gpointer impl);
gboolean hdr_video_output_has_new_frame(gpointer impl, guint64 item_time);
/* The caller owns what these return; the sample is NULL where there is no frame. */
GstSample *hdr_video_output_copy_frame(gpointer impl, guint64 item_time);
GstStructure *hdr_video_output_consumption_record(gpointer impl);

/* ---- a step inside of a bin */

typedef struct _GstHdrStage {
    GstElement parent;
    GstPad *sinkpad;
    GstPad *srcpad;
    gpointer impl;
} GstHdrStage;

typedef struct _GstHdrStageClass {
    GstElementClass parent_class;
} GstHdrStageClass;

/* C. A floating element, which takes impl over. */
GstHdrStage *gst_hdr_stage_new(const gchar *name, gpointer impl);

/* Swift. The streaming thread calls chain and event, which take over what they are given. query answers what only the
 * stage knows and returns FALSE for the rest. stop is called after streaming has ended. */
void hdr_stage_attach(gpointer impl, GstHdrStage *element);
void hdr_stage_free(gpointer impl);
GstFlowReturn hdr_stage_chain(gpointer impl, GstBuffer *buffer);
gboolean hdr_stage_event(gpointer impl, GstEvent *event);
gboolean hdr_stage_query(gpointer impl, GstQuery *query);
void hdr_stage_stop(gpointer impl);

/* ---- real time */

/* Marks the section in which nothing may allocate, lock or wait: tells RealtimeSanitizer where the program has it, and sets
 * the processor to take subnormal numbers for zero. Returns the processor's mode, for the end of the section. */
guint64 gst_hdr_realtime_enter(void);
void gst_hdr_realtime_exit(guint64 mode);

/* Calls an application's process, which answers for what it does. */
GST_HDR_NO_LOCKS void gst_hdr_call_process(const GstHdrTapAudioCallbacks *callbacks, GstHdrAudioTap *tap, guint frames,
                                           guint flags, GstHdrTapAudioBufferList *list, guint *frames_out,
                                           guint *flags_out);
/* A number that is the calling thread's alone. */
GST_HDR_NO_LOCKS gsize gst_hdr_thread(void);

#pragma GCC visibility pop

/* ---- the plugin, for programs that link it statically: registers every element. */
GST_PLUGIN_EXPORT void gst_plugin_hdr_register(void);

G_END_DECLS

#endif
