#include "CGstHDR.h"

/* The base class of all effects. Swift's registry (EffectKind) describes each effect: its type's name, its properties
 * and its action signals. */

G_DEFINE_ABSTRACT_TYPE(GstHdrEffect, gst_hdr_effect, GST_TYPE_OBJECT)

#define IMPL(object) (((GstHdrEffect *)(object))->impl)

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
    hdr_effect_set_property(IMPL(object), pspec->name, value);
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec) {
    hdr_effect_get_property(IMPL(object), pspec->name, value);
}

guint gst_hdr_effect_number(GstHdrEffect *effect) { return ((GstHdrEffectClass *)G_OBJECT_GET_CLASS(effect))->number; }

void gst_hdr_effect_set_double(GstHdrEffect *effect, const gchar *name, gdouble value) {
    g_object_set(effect, name, value, NULL);
}

gdouble gst_hdr_effect_get_double(GstHdrEffect *effect, const gchar *name) {
    gdouble value = 0;
    g_object_get(effect, name, &value, NULL);
    return value;
}

/* This needs the subclass's number, which instance_init does not know yet. */
static void constructed(GObject *object) {
    GstHdrEffect *effect = (GstHdrEffect *)object;
    effect->impl = hdr_effect_new(effect, gst_hdr_effect_number(effect));
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

/* Initialises the class of a subclass. GObject does not let subclasses inherit the property functions. */
static void kind_class_init(gpointer klass, gpointer number) {
    ((GstHdrEffectClass *)klass)->number = GPOINTER_TO_UINT(number);
    G_OBJECT_CLASS(klass)->set_property = set_property;
    G_OBJECT_CLASS(klass)->get_property = get_property;
    hdr_effect_class_init(G_OBJECT_CLASS(klass), GPOINTER_TO_UINT(number));
}

static GType kind_type(const gchar *name, guint number) {
    static GMutex mutex;
    g_mutex_lock(&mutex);
    GType type = g_type_from_name(name);
    if (!type) {
        const GTypeInfo info = {.class_size = sizeof(GstHdrEffectClass),
                                .class_init = kind_class_init,
                                .class_data = GUINT_TO_POINTER(number),
                                .instance_size = sizeof(GstHdrEffect)};
        type = g_type_register_static(gst_hdr_effect_get_type(), name, &info, 0);
    }
    g_mutex_unlock(&mutex);
    return type;
}

GstHdrEffect *gst_hdr_effect_new(const gchar *type_name, const gchar *name, guint number) {
    return g_object_new(kind_type(type_name, number), "name", name, NULL);
}
