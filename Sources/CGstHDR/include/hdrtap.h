/* The element hdrtap. CGstHDR.h says who implements the functions and who owns the arguments. */
#ifndef CGSTHDR_HDRTAP_H
#define CGSTHDR_HDRTAP_H

#include <gst/hdr/gsthdrtap.h>

#pragma GCC visibility push(hidden)
G_BEGIN_DECLS

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
    GST_HDR_TAP_PROP_COLOR_SPACE,
    GST_HDR_TAP_PROP_N_THREADS,
    GST_HDR_TAP_PROP_KEEP_FRAMES,
    /* The first of the properties that hdr_tap_install_parameters installs. */
    GST_HDR_TAP_PROP_FIRST_PARAMETER = 256,
} GstHdrTapProp;

/* The defaults of properties, in ns where they are times. */
static const gboolean GST_HDR_TAP_DEFAULT_EMIT_SIGNALS = FALSE;
static const guint GST_HDR_TAP_DEFAULT_MAX_FRAMES = 0;
static const guint64 GST_HDR_TAP_DEFAULT_MAX_TAIL = 10 * GST_SECOND;
static const guint64 GST_HDR_TAP_DEFAULT_ALIGNMENT_THRESHOLD = 40 * GST_MSECOND;
static const GstHdrTapColorSpace GST_HDR_TAP_DEFAULT_COLOR_SPACE = GST_HDR_TAP_COLOR_SPACE_DISPLAY_P3;
static const guint GST_HDR_TAP_DEFAULT_N_THREADS = 0;
static const gboolean GST_HDR_TAP_DEFAULT_KEEP_FRAMES = FALSE;

/* C. Emit the signals that the property emit-signals switches on, on the streaming thread. */
void gst_hdr_tap_emit_prepare(GstHdrTap *element, guint max_frames, GstCaps *caps);
void gst_hdr_tap_emit_unprepare(GstHdrTap *element);
/* Returns the bytes that the signal's handler returns, which the caller owns, or NULL. */
GBytes *gst_hdr_tap_emit_process(GstHdrTap *element, GBytes *data, guint frames, guint flags, guint64 stream_time);
/* C. Connects changes of the effect's properties to hdr_tap_effect_has_changed, for as long as both objects live. */
void gst_hdr_tap_watch_effect(GstHdrTap *element, GObject *effect);
/* C. An error of the domain GST_LIBRARY_ERROR, which the caller owns. */
GError *gst_hdr_tap_settings_error(const gchar *text);

/* Swift. The streaming thread calls chain and sink_event, which take ownership of the buffer and the event. src_query
 * answers what only the element knows and returns FALSE for the rest; sink_query returns TRUE, FALSE, or -1 for the
 * rest. check, start and stop are called by the thread that changes the state, stop after streaming has ended; dispose
 * is called when no one else holds the element. All others may be called by any thread. */
gpointer hdr_tap_new(GstHdrTap *element);
void hdr_tap_dispose(gpointer impl);
void hdr_tap_free(gpointer impl);
void hdr_tap_set_property(gpointer impl, guint id, const GValue *value);
void hdr_tap_get_property(gpointer impl, guint id, GValue *value);
GstFlowReturn hdr_tap_chain(gpointer impl, GstBuffer *buffer);
gboolean hdr_tap_sink_event(gpointer impl, GstEvent *event);
gboolean hdr_tap_src_query(gpointer impl, GstQuery *query);
/* Whether the light of frames that leave differs from that of frames that came, by the caps that were sent last. Any
 * thread calls it. */
gboolean hdr_tap_changes_light(gpointer impl);
gint hdr_tap_sink_query(gpointer impl, GstQuery *query);
/* Takes note of an event that goes upstream. */
void hdr_tap_src_event(gpointer impl, GstEvent *event);
void hdr_tap_before_state(gpointer impl, GstStateChange transition);
/* Whether the frames that a pause shows will be processed again. */
gboolean hdr_tap_render_again(gpointer impl);
void hdr_tap_effect_has_changed(gpointer impl);
/* A new video output for applications, which the caller owns. */
gpointer hdr_tap_new_video_output(gpointer impl);
/* Whether the settings are usable. Where they are not, an error has been posted. */
gboolean hdr_tap_check(gpointer impl);
void hdr_tap_start(gpointer impl);
void hdr_tap_stop(gpointer impl);
/* Returns NULL, or an error that the caller owns. */
GError *hdr_tap_set_audio_callbacks(gpointer impl, const GstHdrTapAudioCallbacks *callbacks, gpointer user_data,
                                    GDestroyNotify notify);
GError *hdr_tap_set_video_callbacks(gpointer impl, const GstHdrTapVideoCallbacks *callbacks, gpointer user_data,
                                    GDestroyNotify notify);
/* The number of effects in the chain, and one of them in the chain's order: a reference that the caller owns, or
 * NULL. */
guint hdr_tap_count_effects(gpointer impl);
GObject *hdr_tap_get_effect(gpointer impl, guint index);
/* All effects with their parameters, which the caller owns. */
GstStructure *hdr_tap_supported_effects(void);
/* The description of the property effect, which lists all effects; it is never freed. */
const gchar *hdr_tap_effect_blurb(void);
/* Installs the properties of the element that are those of its effects. */
void hdr_tap_install_parameters(GObjectClass *klass);

/* Swift. The function get_source_audio of every tap. */
GstHdrTapStatus hdr_tap_get_source_audio(GstHdrAudioTap *tap, guint frames, GstHdrTapAudioBufferList *list,
                                         guint *flags, GstHdrTapTimeRange *range, guint *frames_out);

G_END_DECLS
#pragma GCC visibility pop

#endif
