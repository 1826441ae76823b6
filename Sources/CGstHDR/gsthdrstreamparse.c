/* hdrh265parse and hdrav1parse: GStreamer's parsers followed by hdrmetaparse, as one parser that ranks above them.
 * parsebin shows a stream as soon as one parser has parsed it, and looks for no further one: from GStreamer 1.28 on
 * every stream, before that those whose caps are known from their pictures alone, as in MPEG-TS. */
#include <gst/pbutils/pbutils.h>
#include <gst/video/video.h>

#include "CGstHDR.h"

typedef struct {
    GstBin parent;
    GstElement *parser;
} GstHdrStreamParse;

typedef struct {
    GstBinClass parent_class;
    const gchar *parser;
} GstHdrStreamParseClass;

static GstBinClass *parent_class;

static GstPad *add_end(GstHdrStreamParse *self, GstElement *element, const gchar *name) {
    GstPad *pad = gst_element_get_static_pad(element, name);
    GstPad *end = gst_ghost_pad_new(name, pad);
    gst_element_add_pad(GST_ELEMENT(self), end);
    gst_object_unref(pad);
    return end;
}

/* qtdemux of GStreamer 1.26 takes the upper halves of the luminances of `mdcv`, in which 1000 cd/m2 are 0.015. Without
 * the field the parser looks for the mastering display in the stream, where it is right. */
static GstPadProbeReturn drop_misread_display(GstPad *pad, GstPadProbeInfo *info, gpointer unused) {
    GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
    GstVideoMasteringDisplayInfo display;
    GstCaps *caps;

    if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS)
        return GST_PAD_PROBE_OK;
    gst_event_parse_caps(event, &caps);
    /* In steps of 0.0001 cd/m2. */
    if (!gst_video_mastering_display_info_from_caps(&display, caps) || display.max_display_mastering_luminance >= 10000)
        return GST_PAD_PROBE_OK;
    caps = gst_caps_copy(caps);
    gst_structure_remove_field(gst_caps_get_structure(caps, 0), "mastering-display-info");
    GstEvent *corrected = gst_event_new_caps(caps);
    gst_event_set_seqnum(corrected, gst_event_get_seqnum(event));
    gst_caps_unref(caps);
    gst_event_unref(event);
    GST_PAD_PROBE_INFO_DATA(info) = corrected;
    return GST_PAD_PROBE_OK;
}

/* Without GStreamer's parser the bin stays empty, which the change to READY reports. */
static void instance_init(GTypeInstance *instance, gpointer klass) {
    GstHdrStreamParse *self = (GstHdrStreamParse *)instance;
    self->parser = gst_element_factory_make(((GstHdrStreamParseClass *)klass)->parser, "parser");
    if (!self->parser)
        return;
    GstElement *metadata = gst_element_factory_make("hdrmetaparse", "metadata");
    gst_bin_add_many(GST_BIN(self), self->parser, metadata, NULL);
    gst_element_link(self->parser, metadata);
    gst_pad_add_probe(add_end(self, self->parser, "sink"), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, drop_misread_display,
                      NULL, NULL);
    add_end(self, metadata, "src");
}

static GstStateChangeReturn change_state(GstElement *element, GstStateChange transition) {
    if (transition == GST_STATE_CHANGE_NULL_TO_READY && !((GstHdrStreamParse *)element)->parser) {
        const gchar *name = ((GstHdrStreamParseClass *)G_OBJECT_GET_CLASS(element))->parser;
        gst_element_post_message(element, gst_missing_element_message_new(element, name));
        GST_ELEMENT_ERROR(element, CORE, MISSING_PLUGIN,
                          ("The element %s is missing: install the package gstreamer1.0-plugins-bad.", name), (NULL));
        return GST_STATE_CHANGE_FAILURE;
    }
    return GST_ELEMENT_CLASS(parent_class)->change_state(element, transition);
}

typedef struct {
    const gchar *type, *element, *parser, *sink_caps, *src_caps, *name, *text;
} Kind;

static void class_init(gpointer klass, gpointer data) {
    const Kind *kind = data;
    GstElementClass *element_class = GST_ELEMENT_CLASS(klass);
    parent_class = g_type_class_peek_parent(klass);
    ((GstHdrStreamParseClass *)klass)->parser = kind->parser;
    const struct {
        const gchar *name, *caps;
        GstPadDirection direction;
    } pads[] = {{"sink", kind->sink_caps, GST_PAD_SINK}, {"src", kind->src_caps, GST_PAD_SRC}};
    for (guint index = 0; index < G_N_ELEMENTS(pads); index++) {
        GstCaps *caps = gst_caps_from_string(pads[index].caps);
        gst_element_class_add_pad_template(
            element_class, gst_pad_template_new(pads[index].name, pads[index].direction, GST_PAD_ALWAYS, caps));
        gst_caps_unref(caps);
    }
    gst_element_class_set_metadata(element_class, kind->name, "Codec/Parser/Converter/Video", kind->text,
                                   "The gst-hdr team");
    element_class->change_state = change_state;
}

static const Kind kinds[] = {
    {"GstHdrH265Parse", "hdrh265parse", "h265parse", "video/x-h265",
     "video/x-h265, parsed = (boolean) true, stream-format = (string) { hvc1, hev1, byte-stream }, "
     "alignment = (string) au",
     "H.265 parser with HDR metadata", "h265parse, followed by hdrmetaparse, for players"},
    {"GstHdrAv1Parse", "hdrav1parse", "av1parse", "video/x-av1",
     "video/x-av1, parsed = (boolean) true, stream-format = (string) obu-stream, alignment = (string) tu",
     "AV1 parser with HDR metadata", "av1parse, followed by hdrmetaparse, for players"},
};

gboolean gst_element_register_hdrstreamparse(GstPlugin *plugin) {
    gboolean is_done = TRUE;
    for (guint index = 0; index < G_N_ELEMENTS(kinds); index++) {
        GType type = g_type_from_name(kinds[index].type);
        if (!type) {
            const GTypeInfo info = {.class_size = sizeof(GstHdrStreamParseClass),
                                    .class_init = class_init,
                                    .class_data = &kinds[index],
                                    .instance_size = sizeof(GstHdrStreamParse),
                                    .instance_init = instance_init};
            type = g_type_register_static(GST_TYPE_BIN, kinds[index].type, &info, 0);
        }
        is_done &= gst_element_register(plugin, kinds[index].element, GST_RANK_PRIMARY + 2, type);
    }
    return is_done;
}
