#include "CGstHDR.h"

G_DEFINE_TYPE(GstHdrVideoOutput, gst_hdr_video_output, G_TYPE_OBJECT)

enum { SIGNAL_MEDIA_DATA_WILL_CHANGE, SIGNAL_FLUSHED, N_SIGNALS };
static guint signals[N_SIGNALS];

GstHdrVideoOutput *gst_hdr_video_output_own(gpointer impl) {
    GstHdrVideoOutput *self = g_object_new(gst_hdr_video_output_get_type(), NULL);
    self->impl = impl;
    hdr_video_output_attach(impl, G_OBJECT(self));
    return self;
}

void gst_hdr_video_output_emit(gpointer self, gboolean flushed) {
    g_signal_emit(self, signals[flushed ? SIGNAL_FLUSHED : SIGNAL_MEDIA_DATA_WILL_CHANGE], 0);
}

/* Only objects that an action signal of an element has made have an impl. An object that g_object_new made has no
 * frames. */
static guint64 item_time_for_host_time(GstHdrVideoOutput *self, guint64 host_time) {
    return self->impl ? hdr_video_output_item_time(self->impl, host_time) : GST_CLOCK_TIME_NONE;
}

static gboolean has_new_frame(GstHdrVideoOutput *self, guint64 item_time) {
    return self->impl && hdr_video_output_has_new_frame(self->impl, item_time);
}

static GstSample *copy_frame(GstHdrVideoOutput *self, guint64 item_time) {
    return self->impl ? hdr_video_output_copy_frame(self->impl, item_time) : NULL;
}

static void request_notification(GstHdrVideoOutput *self, guint64 advance_interval) {
    if (self->impl)
        hdr_video_output_request_notification(self->impl, advance_interval);
}

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
    GstHdrVideoOutput *self = (GstHdrVideoOutput *)object;
    if (self->impl)
        hdr_video_output_set_property(self->impl, id, value);
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec) {
    GstHdrVideoOutput *self = (GstHdrVideoOutput *)object;
    if (self->impl)
        hdr_video_output_get_property(self->impl, id, value);
}

static void finalize(GObject *object) {
    GstHdrVideoOutput *self = (GstHdrVideoOutput *)object;
    if (self->impl)
        hdr_video_output_free(self->impl);
    G_OBJECT_CLASS(gst_hdr_video_output_parent_class)->finalize(object);
}

static void gst_hdr_video_output_init(GstHdrVideoOutput *self) {}

#define FLAGS (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS)

static void install_text(GObjectClass *klass, GstHdrVideoOutputProp id, const gchar *name, const gchar *nick,
                         const gchar *blurb) {
    g_object_class_install_property(klass, id, g_param_spec_string(name, nick, blurb, NULL, FLAGS));
}

static void install_properties(GObjectClass *klass) {
    g_object_class_install_property(
        klass, GST_HDR_VIDEO_OUTPUT_PROP_CONSUMPTION_RECORD,
        g_param_spec_boxed("consumption-record", "Consumption record",
                           "Numbers of frames that were copied, missed (came and went between two copies) and repeated "
                           "(copied again), and last-item-time, the running time of the last one in ns",
                           GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
    install_text(
        klass, GST_HDR_VIDEO_OUTPUT_PROP_FORMAT, "format", "Format",
        "Pixel format of copied frames: rgba16f and rgba32f are linear light as half and single floats, others "
        "are raw video formats. NULL: the stream's");
    install_text(klass, GST_HDR_VIDEO_OUTPUT_PROP_PRIMARIES, "primaries", "Primaries",
                 "Primaries of copied frames: bt709, display-p3, bt2020, smpte170m or bt470bg. NULL: the stream's");
    install_text(klass, GST_HDR_VIDEO_OUTPUT_PROP_TRANSFER, "transfer", "Transfer function",
                 "Transfer function of copied frames: bt709, srgb, pq, hlg or linear. NULL: the stream's, and linear "
                 "for floats");
    install_text(klass, GST_HDR_VIDEO_OUTPUT_PROP_MATRIX, "matrix", "Matrix",
                 "Y'CbCr matrix of copied frames: bt709, bt2020 or bt601. NULL: the stream's, or that of the primaries "
                 "where these change");
    g_object_class_install_property(klass, GST_HDR_VIDEO_OUTPUT_PROP_ALLOW_WIDE_COLOR,
                                    g_param_spec_boolean("allow-wide-color", "Allow wide color",
                                                         "Keep HDR and wide colour; FALSE: tone-map them to BT.709 "
                                                         "where none of primaries, transfer and matrix is set",
                                                         TRUE, FLAGS));
    g_object_class_install_property(
        klass, GST_HDR_VIDEO_OUTPUT_PROP_LOOK_AHEAD,
        g_param_spec_uint64("look-ahead", "Look-ahead",
                            "Duration of coming frames that hdrtap holds, in ns; the longest of all its outputs "
                            "counts. It has to be longer than the queues downstream of the element",
                            0, G_MAXINT64, GST_HDR_VIDEO_OUTPUT_DEFAULT_LOOK_AHEAD, FLAGS));
    g_object_class_install_property(klass, GST_HDR_VIDEO_OUTPUT_PROP_MAX_BYTES,
                                    g_param_spec_uint64("max-bytes", "Maximum bytes",
                                                        "Maximum memory of the frames that hdrtap holds, in bytes; the "
                                                        "frame that is shown and the next one are always held",
                                                        0, G_MAXINT64, GST_HDR_VIDEO_OUTPUT_DEFAULT_MAX_BYTES, FLAGS));
}

static void gst_hdr_video_output_class_init(GstHdrVideoOutputClass *klass) {
    GObjectClass *object_class = G_OBJECT_CLASS(klass);
    GType type = G_TYPE_FROM_CLASS(klass);
    const GSignalFlags action = G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION;

    object_class->set_property = set_property;
    object_class->get_property = get_property;
    object_class->finalize = finalize;
    install_properties(object_class);
    g_signal_new_class_handler("item-time-for-host-time", type, action, G_CALLBACK(item_time_for_host_time), NULL, NULL,
                               NULL, G_TYPE_UINT64, 1, G_TYPE_UINT64);
    g_signal_new_class_handler("has-new-frame", type, action, G_CALLBACK(has_new_frame), NULL, NULL, NULL,
                               G_TYPE_BOOLEAN, 1, G_TYPE_UINT64);
    g_signal_new_class_handler("copy-frame", type, action, G_CALLBACK(copy_frame), NULL, NULL, NULL, GST_TYPE_SAMPLE, 1,
                               G_TYPE_UINT64);
    g_signal_new_class_handler("request-notification", type, action, G_CALLBACK(request_notification), NULL, NULL, NULL,
                               G_TYPE_NONE, 1, G_TYPE_UINT64);
    signals[SIGNAL_MEDIA_DATA_WILL_CHANGE] =
        g_signal_new("media-data-will-change", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
    signals[SIGNAL_FLUSHED] = g_signal_new("flushed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}
