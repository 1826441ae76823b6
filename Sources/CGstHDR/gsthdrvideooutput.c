#include "CGstHDR.h"

G_DEFINE_TYPE(GstHdrVideoOutput, gst_hdr_video_output, G_TYPE_OBJECT)

enum { PROP_CONSUMPTION_RECORD = 1 };

GstHdrVideoOutput *gst_hdr_video_output_new(GstElement *element, guint64 (*item_time)(GstElement *, guint64),
                                            gpointer impl) {
    GstHdrVideoOutput *self = g_object_new(gst_hdr_video_output_get_type(), NULL);
    g_weak_ref_set(&self->element, element);
    self->item_time = item_time;
    self->impl = impl;
    return self;
}

static guint64 item_time_for_host_time(GstHdrVideoOutput *self, guint64 host_time) {
    GstElement *element = g_weak_ref_get(&self->element);
    if (!element)
        return GST_CLOCK_TIME_NONE;
    guint64 time = self->item_time(element, host_time);
    gst_object_unref(element);
    return time;
}

/* Only objects that an action signal of the element has made have an impl. One made by g_object_new has no frames. */
static gboolean has_new_frame(GstHdrVideoOutput *self, guint64 item_time) {
    return self->impl && hdr_video_output_has_new_frame(self->impl, item_time);
}

static GstSample *copy_frame(GstHdrVideoOutput *self, guint64 item_time) {
    return self->impl ? hdr_video_output_copy_frame(self->impl, item_time) : NULL;
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec) {
    GstHdrVideoOutput *self = (GstHdrVideoOutput *)object;
    if (id == PROP_CONSUMPTION_RECORD)
        g_value_take_boxed(value, self->impl ? hdr_video_output_consumption_record(self->impl) : NULL);
    else
        G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
}

static void finalize(GObject *object) {
    GstHdrVideoOutput *self = (GstHdrVideoOutput *)object;
    g_weak_ref_clear(&self->element);
    if (self->impl)
        hdr_video_output_free(self->impl);
    G_OBJECT_CLASS(gst_hdr_video_output_parent_class)->finalize(object);
}

static void gst_hdr_video_output_init(GstHdrVideoOutput *self) { g_weak_ref_init(&self->element, NULL); }

static void gst_hdr_video_output_class_init(GstHdrVideoOutputClass *klass) {
    GObjectClass *object_class = G_OBJECT_CLASS(klass);
    GType type = G_TYPE_FROM_CLASS(klass);
    const GSignalFlags action = G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION;

    object_class->get_property = get_property;
    object_class->finalize = finalize;
    g_object_class_install_property(
        object_class, PROP_CONSUMPTION_RECORD,
        g_param_spec_boxed(
            "consumption-record", "Consumption record",
            "How many frames were copied, how many came and went between two of these, how often one was "
            "copied again, and the running time of the last",
            GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
    g_signal_new_class_handler("item-time-for-host-time", type, action, G_CALLBACK(item_time_for_host_time), NULL, NULL,
                               NULL, G_TYPE_UINT64, 1, G_TYPE_UINT64);
    g_signal_new_class_handler("has-new-frame", type, action, G_CALLBACK(has_new_frame), NULL, NULL, NULL,
                               G_TYPE_BOOLEAN, 1, G_TYPE_UINT64);
    g_signal_new_class_handler("copy-frame", type, action, G_CALLBACK(copy_frame), NULL, NULL, NULL, GST_TYPE_SAMPLE, 1,
                               G_TYPE_UINT64);
}
