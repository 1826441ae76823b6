/* Sound that the application makes, beside a film, both started on one instant: a click at each second of the film, at
 * any rate, also backwards. The film is prerolled at the rate first, so that the start has nothing to wait for.
 *
 *     sound_beside_film RATE [FILE] [VIDEO-SINK AUDIO-SINK]
 *
 * cc sound_beside_film.c -o sound_beside_film $(pkg-config --cflags --libs gstreamer-hdr-1.0 gstreamer-app-1.0) */
#include <gst/app/app.h>
#include <gst/hdr/hdr.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLE_RATE 48000
#define BLOCK 480
#define SECONDS 3
/* The time in the film at which it begins. */
#define BEGINNING (4 * GST_SECOND + GST_SECOND / 2)

typedef struct {
    GMainLoop *loop;
    GstElement *film, *sound;
    GstHdrTimebase *timebase; /* the film's time */
    GstClockTime start;       /* the instant of the start, as a time of the clock */
    gdouble rate;
    guint64 sample;
    gint result;
} Player;

static void give_up(Player *player, const GError *error) {
    g_printerr("sound_beside_film: %s\n", error->message);
    player->result = 1;
    g_main_loop_quit(player->loop);
}

/* Makes a click in the first 10 ms of each second of the film. The sample that is heard at a time of the clock belongs
 * to the time that the film's timebase has then. */
static void make_sound(GstAppSrc *source, guint length, gpointer pointer) {
    (void)length;
    Player *player = pointer;
    if (player->sample >= SECONDS * SAMPLE_RATE) {
        gst_app_src_end_of_stream(source);
        return;
    }
    GstBuffer *buffer = gst_buffer_new_allocate(NULL, BLOCK * sizeof(gint16), NULL);
    GstMapInfo map;
    gst_buffer_map(buffer, &map, GST_MAP_WRITE);
    gint16 *samples = (gint16 *)(void *)map.data;
    for (guint index = 0; index < BLOCK; index++) {
        guint64 offset = gst_util_uint64_scale(player->sample + index, GST_SECOND, SAMPLE_RATE);
        gint64 time = gst_hdr_timebase_get_time_at(player->timebase, (gint64)(player->start + offset));
        gint64 since = (time % (gint64)GST_SECOND + (gint64)GST_SECOND) % (gint64)GST_SECOND;
        gboolean clicks = since < (gint64)(10 * GST_MSECOND);
        samples[index] = clicks ? (index / 24 % 2 ? 16000 : -16000) : 0;
    }
    gst_buffer_unmap(buffer, &map);
    GST_BUFFER_PTS(buffer) = gst_util_uint64_scale(player->sample, GST_SECOND, SAMPLE_RATE);
    GST_BUFFER_DURATION(buffer) = gst_util_uint64_scale(BLOCK, GST_SECOND, SAMPLE_RATE);
    player->sample += BLOCK;
    gst_app_src_push_buffer(source, buffer);
}

/* The film is ready, so that both can begin half a second from now. */
static void on_prerolled(GObject *film, GAsyncResult *result, gpointer pointer) {
    (void)film;
    Player *player = pointer;
    GError *error = NULL;
    GstClock *clock = gst_pipeline_get_pipeline_clock(GST_PIPELINE(player->film));
    gboolean is_done = gst_hdr_preroll_at_rate_finish(player->film, result, &error);
    if (is_done) {
        player->start = gst_clock_get_time(clock) + 500 * GST_MSECOND;
        is_done =
            gst_hdr_set_rate_time_at_host_time(player->film, player->rate, GST_CLOCK_TIME_NONE, player->start, &error);
    }
    if (is_done) {
        gst_element_set_state(player->sound, GST_STATE_PAUSED);
        is_done = gst_hdr_use_master_clock(player->sound, clock, &error) &&
                  gst_hdr_set_rate_time_at_host_time(player->sound, 1, 0, player->start, &error);
    }
    gst_object_unref(clock);
    if (!is_done)
        give_up(player, error);
    else
        g_print("film and sound begin at one instant: %s\n",
                gst_element_get_base_time(player->film) == gst_element_get_base_time(player->sound) ? "yes" : "no");
    g_clear_error(&error);
}

static gboolean on_message(GstBus *bus, GstMessage *message, gpointer pointer) {
    (void)bus;
    Player *player = pointer;
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
        GError *error = NULL;
        gst_message_parse_error(message, &error, NULL);
        give_up(player, error);
        g_error_free(error);
    } else if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS) {
        g_main_loop_quit(player->loop);
    }
    return G_SOURCE_CONTINUE;
}

static GstElement *launch(Player *player, gchar *line) {
    GError *error = NULL;
    GstElement *pipeline = gst_parse_launch(line, &error);
    if (error)
        g_error("%s", error->message);
    g_free(line);
    gst_bus_add_watch(GST_ELEMENT_BUS(pipeline), on_message, player);
    return pipeline;
}

int main(int argc, char **argv) {
    gst_init(&argc, &argv);
    Player player = {.rate = argc > 1 ? g_ascii_strtod(argv[1], NULL) : 1};
    const char *file = argc == 3 || argc == 5 ? argv[2] : NULL;
    const char *video_sink = argc > 3 ? argv[argc - 2] : "autovideosink";
    const char *audio_sink = argc > 3 ? argv[argc - 1] : "autoaudiosink";
    gchar *source = file ? g_strdup_printf("filesrc location=\"%s\" ! decodebin", file)
                         : g_strdup("videotestsrc pattern=ball ! video/x-raw,framerate=25/1");
    player.loop = g_main_loop_new(NULL, FALSE);
    player.film = launch(&player, g_strdup_printf("%s ! videoconvert ! %s", source, video_sink));
    player.sound = launch(&player, g_strdup_printf("appsrc name=source format=time caps=audio/x-raw,format=S16LE,"
                                                   "layout=interleaved,channels=1,rate=%d ! audioconvert ! %s",
                                                   SAMPLE_RATE, audio_sink));
    g_free(source);
    GstElement *appsrc = gst_bin_get_by_name(GST_BIN(player.sound), "source");
    gst_app_src_set_callbacks(GST_APP_SRC(appsrc), &(GstAppSrcCallbacks){.need_data = make_sound}, &player, NULL);
    gst_object_unref(appsrc);
    player.timebase = gst_hdr_get_timebase(player.film);

    GError *error = NULL;
    GstClock *clock = gst_system_clock_obtain();
    gst_element_set_state(player.film, GST_STATE_PAUSED);
    if (gst_hdr_use_master_clock(player.film, clock, &error) &&
        gst_hdr_set_rate_time_at_host_time(player.film, 0, BEGINNING, GST_CLOCK_TIME_NONE, &error)) {
        gst_hdr_preroll_at_rate(player.film, player.rate, NULL, on_prerolled, &player);
        g_main_loop_run(player.loop);
    } else {
        give_up(&player, error);
    }
    gst_element_set_state(player.film, GST_STATE_NULL);
    gst_element_set_state(player.sound, GST_STATE_NULL);
    gst_object_unref(player.film);
    gst_object_unref(player.sound);
    gst_object_unref(clock);
    g_object_unref(player.timebase);
    g_main_loop_unref(player.loop);
    return player.result;
}
