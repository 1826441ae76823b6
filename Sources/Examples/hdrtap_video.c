/* An application's own video processing in a pipeline: one tap looks at the frames of a branch, another one on the
 * other branch of the same tee darkens them; the first sees them as they were.
 *
 *     cc Sources/Examples/hdrtap_video.c -o hdrtap_video -I Sources/CHDRTap/include \
 *         $(pkg-config --cflags --libs gstreamer-audio-1.0 gstreamer-video-1.0)
 *     GST_PLUGIN_PATH=build/plugins ./hdrtap_video */
#include <gst/hdr/gsthdrtap.h>

/* The mean luma of a branch. */
typedef struct {
    const char *name;
    GstHdrTapAccess access;
    guint64 sum, samples; /* used by the streaming thread, and by the main one after it has ended */
} Branch;

static Branch seen = {.name = "seen", .access = GST_HDR_TAP_READ};
static Branch darkened = {.name = "darkened", .access = GST_HDR_TAP_CHANGE};

/* Runs on the streaming thread, once for each format. */
static gboolean prepare(GstHdrVideoTap *tap, const GstHdrTapVideoFormat *format, GError **error) {
    Branch *branch = tap->user_data;
    if (GST_VIDEO_INFO_FORMAT(format->info) != GST_VIDEO_FORMAT_GRAY8) {
        g_set_error(error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "The tap %s takes GRAY8 only", branch->name);
        return FALSE;
    }
    tap->access = branch->access;
    return TRUE;
}

static GstHdrTapFrameResult process(GstHdrVideoTap *tap, GstHdrTapVideoFrame *frame, const GstHdrTapVideoTimes *times,
                                    GError **error) {
    Branch *branch = tap->user_data;
    for (guint y = 0; y < frame->height; y++) {
        guint8 *row =
            (guint8 *)GST_VIDEO_FRAME_PLANE_DATA(frame->planes, 0) + y * GST_VIDEO_FRAME_PLANE_STRIDE(frame->planes, 0);
        for (guint x = 0; x < frame->width; x++) {
            if (branch->access == GST_HDR_TAP_CHANGE)
                row[x] /= 2;
            branch->sum += row[x];
        }
    }
    branch->samples += frame->width * frame->height;
    return GST_HDR_TAP_FRAME_OK;
}

static gboolean attach(GstElement *pipeline, Branch *branch) {
    static const GstHdrTapVideoCallbacks callbacks = {
        .size = sizeof(GstHdrTapVideoCallbacks), .prepare = prepare, .process = process};
    GError *error = NULL;
    GstElement *tap = gst_bin_get_by_name(GST_BIN(pipeline), branch->name);
    gboolean attached = gst_hdr_tap_set_video_callbacks(tap, &callbacks, branch, NULL, &error);
    if (!attached)
        g_printerr("%s\n", error->message);
    g_clear_error(&error);
    gst_object_unref(tap);
    return attached;
}

int main(int argc, char **argv) {
    gst_init(&argc, &argv);
    GError *error = NULL;
    GstElement *pipeline =
        gst_parse_launch("videotestsrc num-buffers=50 pattern=white ! video/x-raw,format=GRAY8,width=320,height=240 ! "
                         "tee name=t  t. ! queue ! hdrtap name=darkened ! fakesink sync=false  "
                         "t. ! queue ! hdrtap name=seen ! fakesink sync=false",
                         &error);
    if (error) {
        g_printerr("%s\n", error->message);
        return 1;
    }
    if (!attach(pipeline, &seen) || !attach(pipeline, &darkened))
        return 1;
    gst_element_set_state(pipeline, GST_STATE_PLAYING);
    GstBus *bus = gst_element_get_bus(pipeline);
    GstMessage *message = gst_bus_timed_pop_filtered(bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
    int status = GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS ? 0 : 1;
    if (status) {
        gst_message_parse_error(message, &error, NULL);
        g_printerr("%s\n", error->message);
        g_clear_error(&error);
    }
    gst_message_unref(message);
    gst_object_unref(bus);
    gst_element_set_state(pipeline, GST_STATE_NULL);
    gst_object_unref(pipeline);
    const Branch *branches[] = {&seen, &darkened};
    for (guint i = 0; i < 2 && !status; i++)
        g_print("%s: average %.1f\n", branches[i]->name, (double)branches[i]->sum / branches[i]->samples);
    return status;
}
