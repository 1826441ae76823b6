#include "CGstHDR.h"

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

/* Not registered: only bins of this plugin make it, and elements of this plugin derive from it. */
G_DEFINE_TYPE(GstHdrBinFilter, gst_hdr_bin_filter, GST_TYPE_ELEMENT)

static GstFlowReturn chain(GstPad *pad, GstObject *parent, GstBuffer *buffer) {
    return hdr_bin_filter_chain(((GstHdrBinFilter *)parent)->impl, buffer);
}

static gboolean sink_event(GstPad *pad, GstObject *parent, GstEvent *event) {
    return hdr_bin_filter_event(((GstHdrBinFilter *)parent)->impl, event);
}

static gboolean sink_query(GstPad *pad, GstObject *parent, GstQuery *query) {
    return hdr_bin_filter_query(((GstHdrBinFilter *)parent)->impl, query) || gst_pad_query_default(pad, parent, query);
}

static gboolean src_query(GstPad *pad, GstObject *parent, GstQuery *query) {
    return hdr_bin_filter_source_query(((GstHdrBinFilter *)parent)->impl, query) ||
           gst_pad_query_default(pad, parent, query);
}

static gboolean src_event(GstPad *pad, GstObject *parent, GstEvent *event) {
    gpointer impl = ((GstHdrBinFilter *)parent)->impl;
    if (!hdr_bin_filter_drops_upstream(impl, event))
        return gst_pad_event_default(pad, parent, hdr_bin_filter_upstream(impl, event));
    gst_event_unref(event);
    return TRUE;
}

static GstStateChangeReturn change_state(GstElement *element, GstStateChange transition) {
    GstStateChangeReturn result = GST_ELEMENT_CLASS(gst_hdr_bin_filter_parent_class)->change_state(element, transition);
    if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
        hdr_bin_filter_stop(((GstHdrBinFilter *)element)->impl);
    return result;
}

void gst_hdr_bin_filter_set_impl(GstHdrBinFilter *self, gpointer impl) {
    self->impl = impl;
    hdr_bin_filter_attach(impl, self);
}

GstHdrBinFilter *gst_hdr_bin_filter_new(const gchar *name, gpointer impl) {
    GstHdrBinFilter *self = g_object_new(gst_hdr_bin_filter_get_type(), "name", name, NULL);
    gst_hdr_bin_filter_set_impl(self, impl);
    return self;
}

static void finalize(GObject *object) {
    hdr_bin_filter_free(((GstHdrBinFilter *)object)->impl);
    G_OBJECT_CLASS(gst_hdr_bin_filter_parent_class)->finalize(object);
}

static void gst_hdr_bin_filter_init(GstHdrBinFilter *self) { (void)self; }

static GstPad *new_pad(GstHdrBinFilter *self, const gchar *name) {
    return gst_pad_new_from_template(gst_element_class_get_pad_template(GST_ELEMENT_GET_CLASS(self), name), name);
}

/* The pad templates may be a subclass's. The instance is not yet one of the subclass while this class initialises
 * it. */
static void constructed(GObject *object) {
    GstHdrBinFilter *self = (GstHdrBinFilter *)object;
    G_OBJECT_CLASS(gst_hdr_bin_filter_parent_class)->constructed(object);
    self->sinkpad = new_pad(self, "sink");
    gst_pad_set_chain_function(self->sinkpad, chain);
    gst_pad_set_event_function(self->sinkpad, sink_event);
    gst_pad_set_query_function(self->sinkpad, sink_query);
    self->srcpad = new_pad(self, "src");
    gst_pad_set_event_function(self->srcpad, src_event);
    gst_pad_set_query_function(self->srcpad, src_query);
    GST_PAD_SET_PROXY_CAPS(self->sinkpad);
    GST_PAD_SET_PROXY_ALLOCATION(self->sinkpad);
    gst_element_add_pad(&self->parent, self->sinkpad);
    gst_element_add_pad(&self->parent, self->srcpad);
}

static void gst_hdr_bin_filter_class_init(GstHdrBinFilterClass *klass) {
    GObjectClass *object_class = G_OBJECT_CLASS(klass);
    GstElementClass *element_class = GST_ELEMENT_CLASS(klass);
    object_class->constructed = constructed;
    object_class->finalize = finalize;
    element_class->change_state = GST_DEBUG_FUNCPTR(change_state);
    gst_element_class_add_static_pad_template(element_class, &sink_template);
    gst_element_class_add_static_pad_template(element_class, &src_template);
    gst_element_class_set_static_metadata(element_class, "HDR bin filter", "Filter", "A step inside of a bin",
                                          "The gst-hdr team");
}
