#include "CGstHDR.h"

static gboolean leave(GParamSpec *pspec, GValue *value) { return FALSE; }

static void class_init(gpointer klass, gpointer data) { ((GParamSpecClass *)klass)->value_validate = leave; }

/* A subclass of GParamSpecDouble: applications read its range as usual, but validation leaves values as they are. */
static GType open_double_type(void) {
    static gsize type = 0;
    if (g_once_init_enter(&type)) {
        GTypeQuery parent;
        g_type_query(G_TYPE_PARAM_DOUBLE, &parent);
        const GTypeInfo info = {.class_size = (guint16)parent.class_size,
                                .class_init = class_init,
                                .instance_size = (guint16)parent.instance_size};
        g_once_init_leave(&type, g_type_register_static(G_TYPE_PARAM_DOUBLE, "GstHdrParamDouble", &info, 0));
    }
    return type;
}

GParamSpec *gst_hdr_param_spec_double(const gchar *name, const gchar *nick, const gchar *blurb, gdouble minimum,
                                      gdouble maximum, gdouble value, GParamFlags flags) {
    GParamSpecDouble *spec = g_param_spec_internal(open_double_type(), name, nick, blurb, flags);
    spec->minimum = minimum;
    spec->maximum = maximum;
    spec->default_value = value;
    return G_PARAM_SPEC(spec);
}
