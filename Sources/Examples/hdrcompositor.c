/* An application's own compositor: the picture of one pad on the left of a line that moves across the canvas, that of
 * another pad on the right. It works on light, whatever the sources are, and answers on a thread of its own.
 *
 *     cc Sources/Examples/hdrcompositor.c -o hdrcompositor -I Sources/CHDRTap/include \
 *         $(pkg-config --cflags --libs gstreamer-audio-1.0 gstreamer-video-1.0)
 *     GST_PLUGIN_PATH=build/plugins ./hdrcompositor */
#include <gst/hdr/gsthdrcompositing.h>
#include <string.h>

typedef struct {
    GThreadPool *workers;
    guint pictures; /* counted by the workers */
    gfloat left, right;
} Curtain;

/* Copies a row of light of the source, or fills it with black where the source does not extend. */
static void copy(gfloat *row, const GstHdrCompositionSource *source, guint y, guint first, guint end) {
    guint last = source ? MIN(end, source->width) : first;
    if (!source || y >= source->height || last < first)
        last = first;
    if (last > first)
        memcpy(row + 4 * first, (const gfloat *)((const guint8 *)source->light + y * source->light_stride) + 4 * first,
               (last - first) * 4 * sizeof(gfloat));
    memset(row + 4 * last, 0, (end - last) * 4 * sizeof(gfloat));
}

/* Runs on a worker's thread. The request has been this function's since start_request. */
static void draw(gpointer data, gpointer user_data) {
    GstHdrCompositionRequest *request = data;
    Curtain *curtain = user_data;
    const GstVideoInfo *info = request->context->info;
    const guint width = GST_VIDEO_INFO_WIDTH(info), height = GST_VIDEO_INFO_HEIGHT(info);
    const guint line = (guint)gst_util_uint64_scale(width, request->stream_time % GST_SECOND, GST_SECOND);
    GstBuffer *frame = gst_hdr_composition_request_new_frame(request);
    GstMapInfo map;
    if (frame && gst_buffer_map(frame, &map, GST_MAP_WRITE)) {
        for (guint y = 0; y < height; y++) {
            gfloat *row = (gfloat *)(map.data + y * request->context->light_stride);
            copy(row, gst_hdr_composition_request_get_source(request, "sink_0"), y, 0, line);
            copy(row, gst_hdr_composition_request_get_source(request, "sink_1"), y, line, width);
            if (y == 0 && line > 0) {
                curtain->left = row[0];
                curtain->right = row[4 * (width - 1)];
            }
        }
        gst_buffer_unmap(frame, &map);
        curtain->pictures += gst_hdr_composition_request_finish(request, frame);
    } else {
        gst_clear_buffer(&frame);
        gst_hdr_composition_request_finish_with_error(request, "Out of memory for a picture");
    }
    gst_hdr_composition_request_unref(request);
}

/* Runs on the streaming thread. */
static void start_request(GstHdrCompositing *compositing, GstHdrCompositionRequest *request) {
    Curtain *curtain = compositing->user_data;
    g_thread_pool_push(curtain->workers, gst_hdr_composition_request_ref(request), NULL);
}

int main(int argc, char **argv) {
    static const GstHdrCompositorCallbacks callbacks = {.size = sizeof(GstHdrCompositorCallbacks),
                                                        .supports_hdr_source_frames = TRUE,
                                                        .source_view = GST_HDR_TAP_LIGHT_FLOAT,
                                                        .frame_view = GST_HDR_TAP_LIGHT_FLOAT,
                                                        .start_request = start_request};
    gst_init(&argc, &argv);
    Curtain curtain = {NULL};
    curtain.workers = g_thread_pool_new(draw, &curtain, 1, FALSE, NULL);
    GError *error = NULL;
    GstElement *pipeline = gst_parse_launch(
        "hdrcompositor name=compositor ! video/x-raw,format=I420_10LE ! fakesink  "
        "videotestsrc num-buffers=50 pattern=white ! "
        "video/x-raw,format=I420,width=320,height=240,framerate=25/1,colorimetry=bt709 ! compositor.sink_0  "
        "videotestsrc num-buffers=50 pattern=white ! "
        "video/x-raw,format=I420_10LE,width=320,height=240,framerate=25/1,colorimetry=bt2100-pq ! compositor.sink_1",
        &error);
    if (error) {
        g_printerr("%s\n", error->message);
        return 1;
    }
    GstElement *compositor = gst_bin_get_by_name(GST_BIN(pipeline), "compositor");
    if (!gst_hdr_compositor_set_callbacks(compositor, &callbacks, &curtain, NULL, &error)) {
        g_printerr("%s\n", error->message);
        return 1;
    }
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
    gst_object_unref(compositor);
    gst_object_unref(pipeline);
    /* By now the last request has been answered, or cancelled. */
    g_thread_pool_free(curtain.workers, FALSE, TRUE);
    if (!status)
        g_print("%u pictures, light of %.2f on the left and %.2f on the right\n", curtain.pictures, curtain.left,
                curtain.right);
    return status;
}
