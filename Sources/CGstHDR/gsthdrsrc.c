#include "CGstHDR.h"
#include "enumtype.h"

GST_DEBUG_CATEGORY_STATIC(hdrsrc_debug);

GstDebugCategory *gst_hdr_src_debug_category(void) { return hdrsrc_debug; }

static GstStaticPadTemplate video_template =
    GST_STATIC_PAD_TEMPLATE("video_%u", GST_PAD_SRC, GST_PAD_SOMETIMES, GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate audio_template =
    GST_STATIC_PAD_TEMPLATE("audio_%u", GST_PAD_SRC, GST_PAD_SOMETIMES, GST_STATIC_CAPS_ANY);

G_DEFINE_TYPE(GstHdrSrc, gst_hdr_src, GST_TYPE_BIN)
GST_ELEMENT_REGISTER_DEFINE(hdrsrc, "hdrsrc", GST_RANK_NONE, gst_hdr_src_get_type())

#define IMPL(object) (((GstHdrSrc *)(object))->impl)

ENUM_TYPE(assume_get_type, "GstHdrSrcAssume",
          {GST_HDR_SRC_ASSUME_NONE, "Nothing: the colour tags of the file are used", "none"},
          {GST_HDR_SRC_ASSUME_PQ, "BT.2100 PQ", "pq"}, {GST_HDR_SRC_ASSUME_HLG, "BT.2100 HLG", "hlg"})

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
    hdr_src_set_property(IMPL(object), id, value);
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec) {
    hdr_src_get_property(IMPL(object), id, value);
}

/* As in decodebin, the change to PAUSED is complete when the pads are there. Otherwise a pipeline that has no sinks yet
 * would be in PAUSED at once. */
static void wait_for_pads(GstHdrSrc *self) {
    g_atomic_int_set(&self->is_pending, 1);
    GST_BIN_CLASS(gst_hdr_src_parent_class)
        ->handle_message(GST_BIN(self), gst_message_new_async_start(GST_OBJECT(self)));
}

void gst_hdr_src_pads_are_there(GstHdrSrc *self) {
    if (g_atomic_int_compare_and_exchange(&self->is_pending, 1, 0))
        GST_BIN_CLASS(gst_hdr_src_parent_class)
            ->handle_message(GST_BIN(self), gst_message_new_async_done(GST_OBJECT(self), GST_CLOCK_TIME_NONE));
}

static GstStateChangeReturn change_state(GstElement *element, GstStateChange transition) {
    GstHdrSrc *self = (GstHdrSrc *)element;
    if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
        if (!hdr_src_start(self->impl)) {
            hdr_src_stop(self->impl);
            return GST_STATE_CHANGE_FAILURE;
        }
        wait_for_pads(self);
    }
    GstStateChangeReturn result = GST_ELEMENT_CLASS(gst_hdr_src_parent_class)->change_state(element, transition);
    if (transition == GST_STATE_CHANGE_PAUSED_TO_READY ||
        (transition == GST_STATE_CHANGE_READY_TO_PAUSED && result == GST_STATE_CHANGE_FAILURE)) {
        gst_hdr_src_pads_are_there(self);
        hdr_src_stop(self->impl);
    } else if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
        result = GST_STATE_CHANGE_ASYNC;
    }
    return result;
}

static void handle_message(GstBin *bin, GstMessage *message) {
    message = hdr_src_explain(IMPL(bin), message);
    if (message)
        GST_BIN_CLASS(gst_hdr_src_parent_class)->handle_message(bin, message);
}

static gboolean query(GstElement *element, GstQuery *query) {
    return hdr_src_query(IMPL(element), query) || GST_ELEMENT_CLASS(gst_hdr_src_parent_class)->query(element, query);
}

static void dispose(GObject *object) {
    hdr_src_stop(IMPL(object));
    G_OBJECT_CLASS(gst_hdr_src_parent_class)->dispose(object);
}

static void finalize(GObject *object) {
    hdr_src_free(IMPL(object));
    G_OBJECT_CLASS(gst_hdr_src_parent_class)->finalize(object);
}

static void gst_hdr_src_init(GstHdrSrc *self) { self->impl = hdr_src_new(self); }

#define FLAGS (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)

static void gst_hdr_src_class_init(GstHdrSrcClass *klass) {
    GObjectClass *object_class = G_OBJECT_CLASS(klass);
    GstElementClass *element_class = GST_ELEMENT_CLASS(klass);

    GST_DEBUG_CATEGORY_INIT(hdrsrc_debug, "hdrsrc", 0, "HDR video file source");

    object_class->set_property = set_property;
    object_class->get_property = get_property;
    object_class->dispose = dispose;
    object_class->finalize = finalize;
    element_class->change_state = GST_DEBUG_FUNCPTR(change_state);
    element_class->query = GST_DEBUG_FUNCPTR(query);
    GST_BIN_CLASS(klass)->handle_message = GST_DEBUG_FUNCPTR(handle_message);

    gst_element_class_add_static_pad_template(element_class, &video_template);
    gst_element_class_add_static_pad_template(element_class, &audio_template);
    gst_element_class_set_static_metadata(element_class, "HDR video file source", "Source/File/Demuxer/Decoder",
                                          "Reads the main video and all sound of a file, complete to the last frame, "
                                          "with the colour and HDR metadata of its header",
                                          "The gst-hdr team");

    g_object_class_install_property(
        object_class, GST_HDR_SRC_PROP_LOCATION,
        g_param_spec_string("location", "File location",
                            "Local file to read: MOV, MP4, Matroska or another format that GStreamer can read", NULL,
                            FLAGS));
    g_object_class_install_property(object_class, GST_HDR_SRC_PROP_DECODE,
                                    g_param_spec_boolean("decode", "Decode",
                                                         "Decode video and sound with the best decoders in software; "
                                                         "FALSE: output the packets as they are in the file",
                                                         GST_HDR_SRC_DEFAULT_DECODE, FLAGS));
    g_object_class_install_property(
        object_class, GST_HDR_SRC_PROP_ASSUME,
        g_param_spec_enum("assume", "Assume",
                          "What the video is where its colour tags are missing or wrong; with decode=false a stream "
                          "whose own tags contradict it is refused",
                          assume_get_type(), GST_HDR_SRC_DEFAULT_ASSUME, FLAGS));
    g_object_class_install_property(
        object_class, GST_HDR_SRC_PROP_KEEP_CAPS,
        g_param_spec_boxed(
            "keep-caps", "Keep caps",
            "Audio formats that are not decoded even with decode=true, such as audio/mpeg,mpegversion=4 for AAC",
            GST_TYPE_CAPS, FLAGS));
    g_object_class_install_property(
        object_class, GST_HDR_SRC_PROP_START,
        g_param_spec_uint64(
            "start", "Start",
            "Time in the file to begin at, in ns; exact to the frame with decode=true, else at the key frame before it",
            0, G_MAXINT64, GST_HDR_SRC_DEFAULT_START, FLAGS));
    g_object_class_install_property(object_class, GST_HDR_SRC_PROP_STOP,
                                    g_param_spec_uint64("stop", "Stop",
                                                        "Time in the file to end at, in ns; 0: the end of the file", 0,
                                                        G_MAXINT64, GST_HDR_SRC_DEFAULT_STOP, FLAGS));
    g_object_class_install_property(
        object_class, GST_HDR_SRC_PROP_SOURCE_INFO,
        g_param_spec_boxed("source-info", "Source info",
                           "What is known of the file once the pads exist: duration (ns), timescale (ticks per "
                           "second), transfer (PQ, HLG, SDR, unknown), colorimetry, codec, orientation, "
                           "ambient-viewing, container (mov, matroska, other), dynamic-metadata (Dolby Vision, HDR10+, "
                           "SMPTE ST 2094-50), sound (the caps of each audio track), and the numbers of tracks that "
                           "were left-out or are undecodable",
                           GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}
