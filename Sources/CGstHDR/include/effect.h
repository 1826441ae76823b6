/* The effects of hdrtap, its child objects. CGstHDR.h says who implements the functions and who owns the arguments. */
#ifndef CGSTHDR_EFFECT_H
#define CGSTHDR_EFFECT_H

#include <gst/gst.h>

#pragma GCC visibility push(hidden)
G_BEGIN_DECLS

typedef struct _GstHdrEffect {
    GstObject parent;
    gpointer impl;
} GstHdrEffect;

typedef struct _GstHdrEffectClass {
    GstObjectClass parent_class;
    /* The effect's index in Swift's list of effects. */
    guint number;
} GstHdrEffectClass;

/* Flags of the effects' properties. */
typedef enum {
    GST_HDR_EFFECT_FLAGS = G_PARAM_READWRITE | GST_PARAM_MUTABLE_PLAYING,
    GST_HDR_EFFECT_FLAGS_CONTROLLABLE = GST_HDR_EFFECT_FLAGS | GST_PARAM_CONTROLLABLE,
} GstHdrEffectFlags;

/* C. A new floating effect with an object name. The first call registers the effect's type. */
GstHdrEffect *gst_hdr_effect_new(const gchar *type_name, const gchar *name, guint number);

/* C. The index that gst_hdr_effect_new was given. */
guint gst_hdr_effect_number(GstHdrEffect *effect);
/* C. Set and read a property that is a double. */
void gst_hdr_effect_set_double(GstHdrEffect *effect, const gchar *name, gdouble value);
gdouble gst_hdr_effect_get_double(GstHdrEffect *effect, const gchar *name);

/* Swift. Installs the properties and the signals of an effect's class. */
void hdr_effect_class_init(GObjectClass *klass, guint number);
/* Swift. Any thread calls these. */
gpointer hdr_effect_new(GstHdrEffect *object, guint number);
void hdr_effect_free(gpointer impl);
void hdr_effect_set_property(gpointer impl, const gchar *name, const GValue *value);
void hdr_effect_get_property(gpointer impl, const gchar *name, GValue *value);

G_END_DECLS
#pragma GCC visibility pop

#endif
