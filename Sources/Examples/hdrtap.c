/* An application's own audio processing in a pipeline: a ring modulator, which is replaced by a soft clipper, which is
 * removed, all while the stream plays. Levels pass from the real-time thread to the main one through a lock-free queue.
 *
 *     cc Sources/Examples/hdrtap.c -o hdrtap -I Sources/CHDRTap/include \
 *         $(pkg-config --cflags --libs gstreamer-audio-1.0) -lm
 *     GST_PLUGIN_PATH=build/plugins ./hdrtap [--play] [FILE or URI]
 *
 * Without a file, two seconds of a tone are processed as fast as possible; --play makes it audible. */
#include <gst/hdr/gsthdrqueue.h>
#include <gst/hdr/gsthdrtap.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One processor and its settings. */
typedef struct {
    const char *name;
    float (*function)(float sample, double phase);
    double frequency; /* in Hz */

    double phase, step; /* used by the real-time thread */
    guint channels;
    GstHdrQueue *levels;  /* from the real-time thread to the main one; the peak of a call in thousandths, plus 1 */
    guint calls, loudest; /* used by the main thread */
} Voice;

static float ring_modulate(float sample, double phase) { return sample * (float)sin(phase); }
static float clip(float sample, double phase) { return (void)phase, 0.5f * tanhf(4 * sample); }

static Voice ring = {.name = "ring modulator", .function = ring_modulate, .frequency = 30};
static Voice clipper = {.name = "soft clipper", .function = clip};

/* Runs on the streaming thread, once for each format; may allocate. */
static gboolean prepare(GstHdrAudioTap *tap, guint max_frames, const GstAudioInfo *format) {
    Voice *voice = tap->user_data;
    if (GST_AUDIO_INFO_FORMAT(format) != GST_AUDIO_FORMAT_F32 ||
        GST_AUDIO_INFO_LAYOUT(format) != GST_AUDIO_LAYOUT_INTERLEAVED)
        return FALSE;
    voice->channels = GST_AUDIO_INFO_CHANNELS(format);
    voice->step = 2 * G_PI * voice->frequency / GST_AUDIO_INFO_RATE(format);
    g_print("%s: prepared for %u frames of %u channels at %d Hz\n", voice->name, max_frames, voice->channels,
            GST_AUDIO_INFO_RATE(format));
    return TRUE;
}

/* Runs on the streaming thread, in real time: no allocation, no lock, no output. */
static void process(GstHdrAudioTap *tap, guint frames, guint flags, GstHdrTapAudioBufferList *list, guint *frames_out,
                    guint *flags_out) {
    Voice *voice = tap->user_data;
    if (gst_hdr_tap_get_source_audio(tap, frames, list, &flags, NULL, frames_out) != GST_HDR_TAP_OK)
        return;
    if (flags & GST_HDR_TAP_START_OF_STREAM)
        voice->phase = 0;
    float *sample = list->buffers[0].data;
    float peak = 0;
    for (guint frame = 0; frame < *frames_out; frame++) {
        for (guint channel = 0; channel < voice->channels; channel++, sample++) {
            *sample = voice->function(*sample, voice->phase);
            peak = fmaxf(peak, fabsf(*sample));
        }
        voice->phase = fmod(voice->phase + voice->step, 2 * G_PI);
    }
    /* A full queue loses a level, so that no thread waits. */
    gst_hdr_queue_enqueue(voice->levels, GUINT_TO_POINTER(1 + (guint)(fminf(peak, 1e6f) * 1000)));
}

/* Runs after the last call of process, and not on a streaming thread. */
static void finalize(GstHdrAudioTap *tap) { g_print("%s: finalized\n", ((Voice *)tap->user_data)->name); }

static const GstHdrTapAudioCallbacks callbacks = {
    .size = sizeof(GstHdrTapAudioCallbacks), .finalize = finalize, .prepare = prepare, .process = process};

static void fail(const GError *error) {
    g_printerr("%s\n", error->message);
    exit(1);
}

static void attach(GstElement *tap, Voice *voice) {
    GError *error = NULL;
    if (!gst_hdr_tap_set_audio_callbacks(tap, &callbacks, voice, NULL, &error))
        fail(error);
}

/* Runs on the main thread. */
static void show_levels(Voice *voice) {
    gpointer level;
    while ((level = gst_hdr_queue_dequeue(voice->levels))) {
        voice->loudest = MAX(voice->loudest, GPOINTER_TO_UINT(level) - 1);
        if (++voice->calls % 16 == 0) {
            g_print("%s: peak %.2f\n", voice->name, voice->loudest / 1000.0);
            voice->loudest = 0;
        }
    }
}

/* Taps may be changed on any thread, at any time; here on the streaming thread, at an exact time of the stream. */
static GstPadProbeReturn before_buffer(GstPad *pad, GstPadProbeInfo *info, gpointer tap) {
    static int step = 0;
    GstClockTime time = GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info));
    if (time >= 700 * GST_MSECOND && step == 0 && ++step)
        attach(tap, &clipper);
    if (time >= 1400 * GST_MSECOND && step == 1 && ++step)
        gst_hdr_tap_remove_audio_callbacks(tap);
    return GST_PAD_PROBE_OK;
}

int main(int argc, char **argv) {
    gst_init(&argc, &argv);
    gboolean play = argc > 1 && strcmp(argv[1], "--play") == 0;
    const char *file = argc > 1 + play ? argv[1 + play] : NULL;
    GError *error = NULL;
    g_autofree gchar *uri = !file || gst_uri_is_valid(file) ? g_strdup(file) : gst_filename_to_uri(file, &error);
    if (file && !uri)
        fail(error);
    g_autofree gchar *source =
        uri ? g_strdup_printf("uridecodebin uri=\"%s\"", uri)
            : g_strdup("audiotestsrc volume=0.5 num-buffers=94 ! audio/x-raw,rate=48000,channels=2");
    g_autofree gchar *line =
        g_strdup_printf("%s ! audioconvert ! audio/x-raw,format=%s,layout=interleaved ! hdrtap name=tap ! audioconvert"
                        " ! audioresample ! %s",
                        source, GST_AUDIO_NE(F32), play ? "autoaudiosink" : "fakesink sync=false");
    g_autoptr(GstElement) pipeline = gst_parse_launch(line, &error);
    if (!pipeline || error)
        fail(error);
    g_autoptr(GstElement) tap = gst_bin_get_by_name(GST_BIN(pipeline), "tap");
    ring.levels = gst_hdr_queue_new(256), clipper.levels = gst_hdr_queue_new(256);
    attach(tap, &ring);
    g_autoptr(GstPad) pad = gst_element_get_static_pad(tap, "sink");
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, before_buffer, tap, NULL);

    g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
    g_autoptr(GstMessage) end = NULL;
    gst_element_set_state(pipeline, GST_STATE_PLAYING);
    while (!end) {
        end = gst_bus_timed_pop_filtered(bus, 20 * GST_MSECOND, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
        show_levels(&ring);
        show_levels(&clipper);
    }
    if (GST_MESSAGE_TYPE(end) == GST_MESSAGE_ERROR) {
        gst_message_parse_error(end, &error, NULL);
        fail(error);
    }
    gst_element_set_state(pipeline, GST_STATE_NULL);
    g_print("%s: %u calls, %s: %u calls\n", ring.name, ring.calls, clipper.name, clipper.calls);

    /* The taps have been finalized, so that nothing uses their queues any more. */
    gst_hdr_queue_free(ring.levels), gst_hdr_queue_free(clipper.levels);
    return 0;
}
