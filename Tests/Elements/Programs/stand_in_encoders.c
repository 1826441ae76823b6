/* Encoders in hardware as GStreamer's plugins nvcodec and va register them,
 * with software inside: the same names, properties and pad templates. nvh265enc
 * is that of a device without B-frames, vah264lpenc that of a driver that knows
 * constant quantizers only. As the real ones may, they say no colour.
 *
 * STAND_IN_CLOSED and STAND_IN_REFUSES name elements whose device does not
 * open, and whose driver takes no format. */

#include <gst/gst.h>
#include <string.h>

typedef struct {
    const gchar *name, *codec, *inside;
    const gchar *sink_caps, *src_caps;
} Kind;

#define SIZES(least, most)                                                       \
    ", width = (int) [ " least ", " most " ], height = (int) [ " least ", " most \
    " ], framerate = (fraction) [ 0, 2147483647 ]"

static const Kind kinds[] = {
    {"nvh265enc", "h265",
     "videoconvert ! capsfilter name=depth ! x265enc name=encoder "
     "speed-preset=ultrafast "
     "option-string=colorprim=unknown:transfer=unknown:colormatrix=unknown:"
     "bframes=0",
     "video/x-raw, format = (string) { NV12, P010_10LE, P016_LE, Y444 }" SIZES("144", "8192"),
     "video/x-h265, stream-format = (string) byte-stream, alignment = (string) "
     "au, "
     "profile = (string) { main, main-10, main-444 }" SIZES("144", "8192")},
    {"vah264enc", "h264",
     "videoconvert ! x264enc name=encoder speed-preset=ultrafast "
     "insert-vui=false",
     "video/x-raw(memory:VAMemory), format = (string) NV12" SIZES(
         "32", "4096") "; "
                       "video/x-raw, format = (string) NV12" SIZES("32", "4096"),
     "video/x-h264, stream-format = (string) byte-stream, alignment = (string) "
     "au, "
     "profile = (string) { constrained-baseline, main, high }" SIZES("32", "4096")},
    {"vah264lpenc", "h264",
     "videoconvert ! x264enc name=encoder speed-preset=ultrafast "
     "insert-vui=false",
     "video/x-raw, format = (string) NV12" SIZES("32", "4096"),
     "video/x-h264, stream-format = (string) byte-stream, alignment = (string) "
     "au, "
     "profile = (string) { constrained-baseline, main, high }" SIZES("32", "4096")},
};

typedef struct {
    GstBin parent;
    GValue values[16];
} StandIn;

typedef struct {
    GstBinClass parent_class;
    const Kind *kind;
} StandInClass;

static gpointer parent_class;

static GType choices(const gchar *type_name, const GEnumValue *values) {
    GType known = g_type_from_name(type_name);
    return known ? known : g_enum_register_static(type_name, values);
}

static const GEnumValue presets[] = {
    {0, "Default", "default"}, {1, "High Performance", "hp"}, {2, "High Quality", "hq"}, {0, NULL, NULL}};
static const GEnumValue modes[] = {{0, "Default", "default"},
                                   {1, "Constant Quantization", "constqp"},
                                   {2, "Constant Bit Rate", "cbr"},
                                   {3, "Variable Bit Rate", "vbr"},
                                   {0, NULL, NULL}};
static const GEnumValue va_modes[] = {
    {2, "Constant Bitrate", "cbr"}, {4, "Variable Bitrate", "vbr"}, {16, "Constant Quantizer", "cqp"}, {0, NULL, NULL}};
static const GEnumValue lp_modes[] = {{16, "Constant Quantizer", "cqp"}, {0, NULL, NULL}};

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec) {
    GValue *place = &((StandIn *)object)->values[id];
    if (!G_IS_VALUE(place))
        g_value_init(place, spec->value_type);
    g_value_copy(value, place);
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *spec) {
    GValue *place = &((StandIn *)object)->values[id];
    if (G_IS_VALUE(place))
        g_value_copy(place, value);
}

static void finalize(GObject *object) {
    for (guint i = 0; i < G_N_ELEMENTS(((StandIn *)object)->values); i++)
        if (G_IS_VALUE(&((StandIn *)object)->values[i]))
            g_value_unset(&((StandIn *)object)->values[i]);
    G_OBJECT_CLASS(parent_class)->finalize(object);
}

static const Kind *kind_of(gpointer object) { return ((StandInClass *)G_OBJECT_GET_CLASS(object))->kind; }

static gboolean is_named(const gchar *variable, const gchar *name) {
    gchar **names = g_strsplit(g_getenv(variable) ? g_getenv(variable) : "", ",", -1);
    gboolean found = g_strv_contains((const gchar *const *)names, name);
    g_strfreev(names);
    return found;
}

/* Prints the settings, in the order of their names. */
static void report(StandIn *self) {
    guint count;
    GParamSpec **specs = g_object_class_list_properties(G_OBJECT_GET_CLASS(self), &count);
    GString *line = g_string_new(kind_of(self)->name);
    for (guint i = 0; i < count; i++) {
        if (specs[i]->owner_type != G_OBJECT_TYPE(self) || !G_IS_VALUE(&self->values[specs[i]->param_id]))
            continue;
        gchar *text = gst_value_serialize(&self->values[specs[i]->param_id]);
        g_string_append_printf(line, " %s=%s", specs[i]->name, text);
        g_free(text);
    }
    g_print("stand-in: %s\n", line->str);
    g_string_free(line, TRUE);
    g_free(specs);
}

static GstStateChangeReturn change_state(GstElement *element, GstStateChange change) {
    if (change == GST_STATE_CHANGE_NULL_TO_READY) {
        if (is_named("STAND_IN_CLOSED", kind_of(element)->name)) {
            GST_ELEMENT_ERROR(element, RESOURCE, OPEN_READ_WRITE, ("no device"), (NULL));
            return GST_STATE_CHANGE_FAILURE;
        }
        report((StandIn *)element);
        GstElement *inside = gst_bin_get_by_name(GST_BIN(element), "encoder");
        GParamSpec *rate = g_object_class_find_property(G_OBJECT_GET_CLASS(element), "bitrate");
        GValue *value = rate ? &((StandIn *)element)->values[rate->param_id] : NULL;
        if (value && G_IS_VALUE(value))
            g_object_set_property(G_OBJECT(inside), "bitrate", value);
        gst_object_unref(inside);
    }
    return GST_ELEMENT_CLASS(parent_class)->change_state(element, change);
}

static gboolean sink_event(GstPad *pad, GstObject *parent, GstEvent *event) {
    if (GST_EVENT_TYPE(event) == GST_EVENT_CAPS && is_named("STAND_IN_REFUSES", kind_of(parent)->name)) {
        GST_ELEMENT_ERROR(parent, LIBRARY, SETTINGS, ("the driver refuses"), (NULL));
        gst_event_unref(event);
        return FALSE;
    }
    GstElement *depth = GST_EVENT_TYPE(event) == GST_EVENT_CAPS ? gst_bin_get_by_name(GST_BIN(parent), "depth") : NULL;
    if (depth) {
        GstCaps *caps;
        gst_event_parse_caps(event, &caps);
        gboolean deep = !strcmp(gst_structure_get_string(gst_caps_get_structure(caps, 0), "format"), "P010_10LE");
        gst_util_set_object_arg(G_OBJECT(depth), "caps",
                                deep ? "video/x-raw,format=I420_10LE" : "video/x-raw,format=I420");
        gst_object_unref(depth);
    }
    return gst_pad_event_default(pad, parent, event);
}

static void class_init(gpointer klass, gpointer data) {
    const Kind *kind = data;
    GObjectClass *object_class = klass;
    GstElementClass *element_class = klass;
    GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;
    guint id = 0;
    parent_class = g_type_class_peek_parent(klass);
    ((StandInClass *)klass)->kind = kind;
    object_class->set_property = set_property;
    object_class->get_property = get_property;
    object_class->finalize = finalize;
    element_class->change_state = change_state;
#define INTEGER(name, least, most) \
    g_object_class_install_property(object_class, ++id, g_param_spec_int(name, name, name, least, most, -1, flags))
#define COUNT(name, least, most) \
    g_object_class_install_property(object_class, ++id, g_param_spec_uint(name, name, name, least, most, least, flags))
#define CHOICE(name, type, values)   \
    g_object_class_install_property( \
        object_class, ++id, g_param_spec_enum(name, name, name, choices(type, values), values[0].value, flags))
    COUNT("bitrate", 0, 2000 * 1024);
    if (!strcmp(kind->name, "nvh265enc")) {
        CHOICE("preset", "GstNvPreset", presets);
        CHOICE("rc-mode", "GstNvRCMode", modes);
        INTEGER("gop-size", -1, G_MAXINT);
        INTEGER("qp-const-i", -1, 51);
        INTEGER("qp-const-p", -1, 51);
        INTEGER("qp-const-b", -1, 51);
        COUNT("max-bitrate", 0, 2000 * 1024);
    } else {
        if (!strcmp(kind->name, "vah264enc"))
            CHOICE("rate-control", "GstVaEncoderRateControl", va_modes);
        else
            CHOICE("rate-control", "GstVaEncoderRateControlLP", lp_modes);
        COUNT("key-int-max", 0, 1024);
        COUNT("b-frames", 0, 31);
        COUNT("qpi", 0, 51);
        COUNT("qpp", 0, 51);
        COUNT("qpb", 0, 51);
        COUNT("target-usage", 1, 7);
        COUNT("target-percentage", 50, 100);
    }
    GstCaps *caps = gst_caps_from_string(kind->sink_caps);
    gst_element_class_add_pad_template(element_class, gst_pad_template_new("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps));
    gst_caps_unref(caps);
    caps = gst_caps_from_string(kind->src_caps);
    gst_element_class_add_pad_template(element_class, gst_pad_template_new("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps));
    gst_caps_unref(caps);
    gst_element_class_set_static_metadata(element_class, kind->name, "Codec/Encoder/Video/Hardware", "stand-in",
                                          "tests");
}

static void instance_init(GTypeInstance *instance, gpointer klass) {
    const Kind *kind = ((StandInClass *)klass)->kind;
    GstElement *inside = gst_parse_bin_from_description(kind->inside, TRUE, NULL);
    if (!inside)
        return;
    gst_bin_add(GST_BIN(instance), inside);
    for (guint i = 0; i < 2; i++) {
        const gchar *name = i ? "src" : "sink";
        GstPad *target = gst_element_get_static_pad(inside, name);
        GstPad *ghost = gst_ghost_pad_new_from_template(
            name, target, gst_element_class_get_pad_template(GST_ELEMENT_CLASS(klass), name));
        if (!i)
            gst_pad_set_event_function(ghost, sink_event);
        gst_element_add_pad(GST_ELEMENT(instance), ghost);
        gst_object_unref(target);
    }
}

static gboolean plugin_init(GstPlugin *plugin) {
    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++) {
        GTypeInfo info = {.class_size = sizeof(StandInClass),
                          .class_init = class_init,
                          .class_data = &kinds[i],
                          .instance_size = sizeof(StandIn),
                          .instance_init = (GInstanceInitFunc)instance_init};
        gchar *type = g_strdup_printf("StandIn_%s", kinds[i].name);
        GType made = g_type_register_static(GST_TYPE_BIN, type, &info, 0);
        g_free(type);
        if (!gst_element_register(plugin, kinds[i].name, GST_RANK_NONE, made))
            return FALSE;
    }
    return TRUE;
}

#define PACKAGE "stand-in"
GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, standin, "encoders to test with", plugin_init, "1.0", "LGPL",
                  "stand-in", "https://gstreamer.freedesktop.org")
