/* The effects of hdrtap, its child objects. CGstHDR.h says whose the functions and the arguments are. */
#ifndef CGSTHDR_EFFECT_H
#define CGSTHDR_EFFECT_H

#include <gst/gst.h>

#pragma GCC visibility push(hidden)
G_BEGIN_DECLS

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

G_END_DECLS
#pragma GCC visibility pop

#endif
