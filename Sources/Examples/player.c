/* A player of a file or an address on playbin, with one tap on the sound and one on the picture, neither of which
 * changes anything: each second it prints how loud and how bright the last second was. Ctrl-C ends it.
 *
 *     cc Sources/Examples/player.c -o player -I Sources/CHDRTap/include \
 *         $(pkg-config --cflags --libs gstreamer-audio-1.0 gstreamer-video-1.0) -lm
 *     GST_PLUGIN_PATH=build/plugins ./player FILE-or-URI [VIDEO-SINK [AUDIO-SINK]] */
#include <glib-unix.h>
#include <gst/hdr/gsthdrtap.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#define FLOATS "audio/x-raw,layout=interleaved,format=" GST_AUDIO_NE(F32)

typedef struct {
    GMainLoop *loop;
    GstElement *playbin;
    /* The largest values since the last report. 1.0 is full scale, and the light of SDR white. */
    _Atomic gfloat sound, picture;
    int status;
} Player;

static void note(_Atomic gfloat *peak, gfloat value) {
    gfloat known = atomic_load(peak);
    while (known < value && !atomic_compare_exchange_weak(peak, &known, value)) {
    }
}

static gboolean prepare_sound(GstHdrAudioTap *tap, guint max_frames, const GstAudioInfo *format) {
    (void)tap, (void)max_frames;
    return GST_AUDIO_INFO_FORMAT(format) == GST_AUDIO_FORMAT_F32;
}

/* Runs in real time: no allocation, no lock, no output. Samples that are not changed pass as they are. */
static void process_sound(GstHdrAudioTap *tap, guint frames, guint flags, GstHdrTapAudioBufferList *list,
                          guint *frames_out, guint *flags_out) {
    (void)flags, (void)flags_out;
    gfloat peak = 0;
    if (gst_hdr_tap_get_source_audio(tap, frames, list, NULL, NULL, frames_out) != GST_HDR_TAP_OK)
        return;
    const gfloat *samples = list->buffers[0].data;
    for (guint i = 0; i < *frames_out * list->buffers[0].channels; i++)
        peak = MAX(peak, fabsf(samples[i]));
    note(&((Player *)tap->user_data)->sound, peak);
}

/* The tap sees light for PQ, HLG and SDR alike. Taps on video are not real time. */
static gboolean prepare_picture(GstHdrVideoTap *tap, const GstHdrTapVideoFormat *format, GError **error) {
    (void)format, (void)error;
    tap->view = GST_HDR_TAP_LIGHT_FLOAT;
    tap->color_space = GST_HDR_TAP_COLOR_SPACE_BT2020;
    return TRUE;
}

static GstHdrTapFrameResult process_picture(GstHdrVideoTap *tap, GstHdrTapVideoFrame *frame,
                                            const GstHdrTapVideoTimes *times, GError **error) {
    (void)times, (void)error;
    gfloat peak = 0;
    for (guint y = 0; y < frame->height; y++) {
        const gfloat *rgba = (const gfloat *)(const void *)((const guint8 *)frame->light + y * frame->light_stride);
        for (guint x = 0; x < frame->width; x++, rgba += 4)
            peak = MAX(peak, MAX(MAX(rgba[0], rgba[1]), rgba[2]));
    }
    note(&((Player *)tap->user_data)->picture, peak);
    return GST_HDR_TAP_FRAME_OK;
}

static gboolean report(gpointer data) {
    Player *player = data;
    gint64 position = 0;
    if (gst_element_query_position(player->playbin, GST_FORMAT_TIME, &position))
        g_print("%.1f s: sound %.1f dB, light %.0f cd/m2\n", (gdouble)position / GST_SECOND,
                20 * log10((gdouble)atomic_exchange(&player->sound, 0)),
                203 * (gdouble)atomic_exchange(&player->picture, 0));
    return G_SOURCE_CONTINUE;
}

static gboolean on_interrupt(gpointer player) {
    g_main_loop_quit(((Player *)player)->loop);
    return G_SOURCE_CONTINUE;
}

static gboolean on_message(GstBus *bus, GstMessage *message, gpointer data) {
    (void)bus;
    Player *player = data;
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
        g_autoptr(GError) error = NULL;
        gst_message_parse_error(message, &error, NULL);
        g_printerr("player: %s\n", error->message);
        player->status = 1;
    } else if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_BUFFERING) { /* from a network: plays when enough is there */
        gint percent;
        gst_message_parse_buffering(message, &percent);
        gst_element_set_state(player->playbin, percent < 100 ? GST_STATE_PAUSED : GST_STATE_PLAYING);
    }
    if (GST_MESSAGE_TYPE(message) & (GST_MESSAGE_ERROR | GST_MESSAGE_EOS))
        g_main_loop_quit(player->loop);
    return G_SOURCE_CONTINUE;
}

static void fail(const char *reason) {
    g_printerr("player: %s\n", reason);
    exit(1);
}

/* Makes elements from a launch line and sets them as a property of playbin. Returns the tap among them. */
static GstElement *add(Player *player, const char *property, const char *line) {
    GError *error = NULL;
    GstElement *bin = gst_parse_bin_from_description(line, TRUE, &error);
    if (error)
        fail(error->message);
    g_object_set(player->playbin, property, bin, NULL);
    return gst_bin_get_by_name(GST_BIN(bin), "tap");
}

int main(int argc, char **argv) {
    gst_init(&argc, &argv);
    GError *error = NULL;
    if (argc < 2)
        fail("usage: player FILE-or-URI [VIDEO-SINK [AUDIO-SINK]]");
    g_autofree gchar *uri = gst_uri_is_valid(argv[1]) ? g_strdup(argv[1]) : gst_filename_to_uri(argv[1], &error);
    if (error)
        fail(error->message);
    Player player = {.loop = g_main_loop_new(NULL, FALSE), .playbin = gst_element_factory_make("playbin", NULL)};
    g_object_set(player.playbin, "uri", uri, NULL);
    /* The flag soft-colorbalance is left out, since that element supports no more than 8 bits. */
    gst_util_set_object_arg(G_OBJECT(player.playbin), "flags", "video+audio+text+soft-volume+deinterlace");
    add(&player, "video-sink", argc > 2 ? argv[2] : "hdrvideosink");
    add(&player, "audio-sink", argc > 3 ? argv[3] : "autoaudiosink");
    g_autoptr(GstElement) picture = add(&player, "video-filter", "hdrtap name=tap");
    g_autoptr(GstElement) sound = add(&player, "audio-filter", "audioconvert ! " FLOATS " ! hdrtap name=tap");
    GstHdrTapVideoCallbacks on_picture = {sizeof on_picture, .prepare = prepare_picture, .process = process_picture};
    GstHdrTapAudioCallbacks on_sound = {sizeof on_sound, .prepare = prepare_sound, .process = process_sound};
    if (!gst_hdr_tap_set_video_callbacks(picture, &on_picture, &player, NULL, &error) ||
        !gst_hdr_tap_set_audio_callbacks(sound, &on_sound, &player, NULL, &error))
        fail(error->message);
    g_autoptr(GstBus) bus = gst_element_get_bus(player.playbin);
    gst_bus_add_watch(bus, on_message, &player);
    g_unix_signal_add(SIGINT, on_interrupt, &player);
    g_timeout_add_seconds(1, report, &player);
    gst_element_set_state(player.playbin, GST_STATE_PLAYING);
    g_main_loop_run(player.loop);
    report(&player);
    gst_element_set_state(player.playbin, GST_STATE_NULL);
    gst_bus_remove_watch(bus);
    gst_object_unref(player.playbin);
    g_main_loop_unref(player.loop);
    return player.status;
}
