/* The element hdrmux-settings. CGstHDR.h says who implements the functions and who owns the arguments. */
#ifndef CGSTHDR_HDRMUXSETTINGS_H
#define CGSTHDR_HDRMUXSETTINGS_H

#include <gst/gst.h>

#pragma GCC visibility push(hidden)
G_BEGIN_DECLS

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
    GST_HDR_MUX_SETTINGS_PROP_PRESET = 1,
    GST_HDR_MUX_SETTINGS_PROP_FILE_TYPE,
    GST_HDR_MUX_SETTINGS_PROP_SETTINGS,
    GST_HDR_MUX_SETTINGS_PROP_MASTERING_DISPLAY,
    GST_HDR_MUX_SETTINGS_PROP_CONTENT_LIGHT_LEVEL,
    GST_HDR_MUX_SETTINGS_PROP_INSERTION_MODE,
    GST_HDR_MUX_SETTINGS_PROP_PRESERVE_DYNAMIC,
    GST_HDR_MUX_SETTINGS_PROP_SOURCE_FORMAT_HINT,
    GST_HDR_MUX_SETTINGS_PROP_MIXED_SOURCES,
    GST_HDR_MUX_SETTINGS_PROP_SPEED_PRESET,
    GST_HDR_MUX_SETTINGS_PROP_OPTIMIZE_FOR_NETWORK,
    GST_HDR_MUX_SETTINGS_PROP_FRAGMENT_DURATION,
    GST_HDR_MUX_SETTINGS_PROP_HARDWARE_ACCELERATION,
    GST_HDR_MUX_SETTINGS_PROP_MEASURED_LIGHT_LEVELS,
    GST_HDR_MUX_SETTINGS_PROP_AMBIENT_VIEWING,
    GST_HDR_MUX_SETTINGS_PROP_SCENE_LIGHT,
    GST_HDR_MUX_SETTINGS_PROP_DYNAMIC_METADATA,
    GST_HDR_MUX_SETTINGS_PROP_ENCODER,
} GstHdrMuxSettingsProp;

typedef enum {
    GST_HDR_FILE_TYPE_MOV,
    GST_HDR_FILE_TYPE_MP4,
    GST_HDR_FILE_TYPE_MATROSKA,
    GST_HDR_FILE_TYPE_MPEGTS,
} GstHdrFileType;
typedef enum { GST_HDR_INSERTION_AUTO, GST_HDR_INSERTION_NONE } GstHdrInsertionMode;
typedef enum {
    GST_HDR_DYNAMIC_METADATA_AUTO,
    GST_HDR_DYNAMIC_METADATA_DOLBY_VISION,
    GST_HDR_DYNAMIC_METADATA_HDR10_PLUS,
} GstHdrDynamicMetadata;

/* The defaults of properties. */
#define GST_HDR_MUX_SETTINGS_DEFAULT_PRESET "hevc-highest-quality"
static const GstHdrFileType GST_HDR_MUX_SETTINGS_DEFAULT_FILE_TYPE = GST_HDR_FILE_TYPE_MOV;
static const GstHdrInsertionMode GST_HDR_MUX_SETTINGS_DEFAULT_INSERTION_MODE = GST_HDR_INSERTION_AUTO;
static const gboolean GST_HDR_MUX_SETTINGS_DEFAULT_PRESERVE_DYNAMIC = TRUE;
static const GstHdrDynamicMetadata GST_HDR_MUX_SETTINGS_DEFAULT_DYNAMIC_METADATA = GST_HDR_DYNAMIC_METADATA_AUTO;
#define GST_HDR_MUX_SETTINGS_DEFAULT_ENCODER ""
#define GST_HDR_MUX_SETTINGS_DEFAULT_SPEED_PRESET "medium"
static const gboolean GST_HDR_MUX_SETTINGS_DEFAULT_OPTIMIZE_FOR_NETWORK = FALSE;
static const guint GST_HDR_MUX_SETTINGS_DEFAULT_FRAGMENT_DURATION = 0;
static const gboolean GST_HDR_MUX_SETTINGS_DEFAULT_HARDWARE_ACCELERATION = TRUE;

/* Swift. check, start and stop are called by the thread that changes the state, stop after streaming has ended; the
 * others by any thread. */
gpointer hdr_mux_settings_new(GstHdrMuxSettings *element);
void hdr_mux_settings_dispose(gpointer impl);
void hdr_mux_settings_free(gpointer impl);
void hdr_mux_settings_set_property(gpointer impl, guint id, const GValue *value);
void hdr_mux_settings_get_property(gpointer impl, guint id, GValue *value);
/* Returns a pad that the element owns, or NULL. name may be NULL. */
GstPad *hdr_mux_settings_request_pad(gpointer impl, GstPadTemplate *templ, const gchar *name);
void hdr_mux_settings_release_pad(gpointer impl, GstPad *pad);
/* Whether the settings are usable. Where they are not, an error has been posted. */
gboolean hdr_mux_settings_check(gpointer impl);
gboolean hdr_mux_settings_start(gpointer impl);
void hdr_mux_settings_stop(gpointer impl);
/* Takes ownership of an error message of an element inside the bin, and returns the message to post in its place: the
 * same one where its text already says what is wrong. */
GstMessage *hdr_mux_settings_explain(gpointer impl, GstMessage *message);
/* The results of the action signals, which the caller owns; NULL where the settings are unusable, which a warning
 * explains. */
gpointer hdr_mux_settings_create_encoding_profile(gpointer impl);
GstStructure *hdr_mux_settings_supported_settings(gpointer impl);
GStrv hdr_mux_settings_compatible_presets(gpointer impl, GstCaps *source);
GstStructure *hdr_mux_settings_settings_for(gpointer impl, GstCaps *source);

G_END_DECLS
#pragma GCC visibility pop

#endif
