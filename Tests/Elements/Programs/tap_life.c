/* The life of taps: init (prepare process* unprepare)* finalize, whatever
 * happens to the stream. */
#include "support.h"

enum { MADE, IDLE, PREPARED, FINALIZED, GONE };

typedef struct {
    gint stage, processing;
    gint violations, calls, prepares;
    gboolean refuses; /* prepare says no */
    GThread *streaming;
} Life;

static GPtrArray *lives;
/* Whether the thread that streams is the one that stops too, as in a harness.
 */
static gboolean is_one_thread;

static void move(Life *life, gint from, gint to) {
    if (!g_atomic_int_compare_and_exchange(&life->stage, from, to))
        g_atomic_int_inc(&life->violations);
}

static void init(GstHdrAudioTap *tap, gpointer user_data) {
    move(user_data, MADE, IDLE);
    tap->storage = user_data;
}

static gboolean prepare(GstHdrAudioTap *tap, guint max_frames, const GstAudioInfo *format) {
    Life *life = tap->storage;
    life->prepares++;
    if (life->refuses)
        return FALSE;
    move(life, IDLE, PREPARED);
    tap->latency = life->prepares % 3 * 50;
    tap->tail = life->prepares % 2 * 700;
    return TRUE;
}

static void process(GstHdrAudioTap *tap, guint frames, guint flags, GstHdrTapAudioBufferList *list, guint *frames_out,
                    guint *flags_out) {
    Life *life = tap->storage;
    life->streaming = g_thread_self();
    g_atomic_int_inc(&life->processing);
    if (g_atomic_int_get(&life->stage) != PREPARED)
        g_atomic_int_inc(&life->violations);
    gst_hdr_tap_get_source_audio(tap, frames, list, NULL, NULL, NULL);
    g_atomic_int_inc(&life->calls);
    g_atomic_int_add(&life->processing, -1);
}

static void unprepare(GstHdrAudioTap *tap) {
    Life *life = tap->storage;
    if (g_atomic_int_get(&life->processing))
        g_atomic_int_inc(&life->violations);
    move(life, PREPARED, IDLE);
}

static void finalize(GstHdrAudioTap *tap) {
    Life *life = tap->storage;
    if (g_atomic_int_get(&life->processing) || (!is_one_thread && life->streaming == g_thread_self()))
        g_atomic_int_inc(&life->violations);
    move(life, IDLE, FINALIZED);
}

static void notify(gpointer data) { move(data, FINALIZED, GONE); }

static const GstHdrTapAudioCallbacks callbacks = {.size = sizeof(GstHdrTapAudioCallbacks),
                                                  .init = init,
                                                  .finalize = finalize,
                                                  .prepare = prepare,
                                                  .unprepare = unprepare,
                                                  .process = process};

static Life *new_life(void) {
    Life *life = g_new0(Life, 1);
    g_ptr_array_add(lives, life);
    return life;
}

/* Prints how all lives ended, when they have or after 5 s. */
static void report(const char *name) {
    guint gone = 0, violations = 0, calls = 0;
    for (guint wait = 0; wait < 500; wait++) {
        gone = violations = calls = 0;
        for (guint index = 0; index < lives->len; index++) {
            Life *life = lives->pdata[index];
            gone += g_atomic_int_get(&life->stage) == GONE;
            violations += g_atomic_int_get(&life->violations);
            calls += g_atomic_int_get(&life->calls);
        }
        if (gone == lives->len)
            break;
        g_usleep(10000);
    }
    printf("life/%s lives=%u gone=%u violations=%u calls=%u\n", name, lives->len, gone, violations, calls);
    g_ptr_array_set_size(lives, 0);
}

/* A random walk through what can happen to a stream. */
static void fuzz(guint32 seed) {
    static const char *const formats[] = {"F32LE", "S16LE", "S24BE", "F64LE"};
    GRand *random = g_rand_new_with_seed(seed);
    GstHarness *harness = harness_of("hdrtap", CAPS);
    guint64 frame = 0;
    is_one_thread = TRUE;
    for (guint step = 0; step < 400; step++) {
        GstEvent *event = NULL;
        switch (g_rand_int_range(random, 0, 12)) {
        case 0: {
            Life *life = new_life();
            life->refuses = g_rand_int_range(random, 0, 8) == 0;
            attach(harness, &callbacks, life, notify);
            break;
        }
        case 1: gst_hdr_tap_remove_audio_callbacks(harness->element); break;
        case 2:
            push_flush(harness);
            frame = 0;
            break;
        case 3: {
            GstCaps *caps = gst_caps_from_string(CAPS);
            gst_caps_set_simple(caps, "format", G_TYPE_STRING, formats[g_rand_int_range(random, 0, 4)], NULL);
            event = gst_event_new_caps(caps);
            gst_caps_unref(caps);
            break;
        }
        case 4: event = gst_event_new_gap(time_of(frame), 20 * GST_MSECOND); break;
        case 5:
            gst_element_set_state(harness->element, GST_STATE_READY);
            gst_element_set_state(harness->element, GST_STATE_PLAYING);
            gst_harness_push_event(harness, gst_event_new_stream_start("again"));
            gst_harness_set_src_caps_str(harness, CAPS);
            break;
        case 6: g_object_set(harness->element, "effect", step % 2 ? "gain" : NULL, NULL); break;
        case 7: push_segment(harness, 1, g_rand_int(random), 0); break;
        default: {
            guint frames = 24 * g_rand_int_range(random, 0, 200);
            GstBuffer *buffer = buffer_of(NULL, frames, frame, 0);
            frame += frames;
            gst_harness_push(harness, buffer);
        }
        }
        if (event)
            gst_harness_push_event(harness, event);
        g_free(take_output(harness).samples);
    }
    discard(harness);
    g_rand_free(random);
    gchar *name = g_strdup_printf("fuzz-%u", seed);
    report(name);
    g_free(name);
    is_one_thread = FALSE;
}

/* Swaps and detaches from another thread while a pipeline plays as fast as it
 * goes. */
static void swap(void) {
    GstElement *pipeline = gst_parse_launch("audiotestsrc samplesperbuffer=64 ! audio/x-raw,format=F32LE ! hdrtap "
                                            "name=tap ! fakesink sync=false",
                                            NULL);
    GstElement *tap = gst_bin_get_by_name(GST_BIN(pipeline), "tap");
    GError *error = NULL;
    gst_element_set_state(pipeline, GST_STATE_PLAYING);
    gst_element_get_state(pipeline, NULL, NULL, 5 * GST_SECOND);
    for (guint round = 0; round < 500; round++) {
        gst_hdr_tap_set_audio_callbacks(tap, &callbacks, new_life(), notify, &error);
        if (round % 3 == 0)
            g_usleep(1000);
        if (round % 5 == 0)
            gst_hdr_tap_remove_audio_callbacks(tap);
    }
    GstBus *bus = gst_element_get_bus(pipeline);
    GstMessage *message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR);
    gst_element_set_state(pipeline, GST_STATE_NULL);
    printf("life/swap-errors count=%d\n", message != NULL);
    if (message)
        gst_message_unref(message);
    gst_object_unref(bus);
    gst_object_unref(tap);
    gst_object_unref(pipeline);
    report("swap");
}

/* Attached to elements that never play, or in a state where none streams. */
static void idle(void) {
    GstElement *element = gst_object_ref_sink(gst_element_factory_make("hdrtap", NULL));
    GError *error = NULL;
    gst_hdr_tap_set_audio_callbacks(element, &callbacks, new_life(), notify, &error);
    gst_hdr_tap_set_audio_callbacks(element, &callbacks, new_life(), notify, &error);
    gst_element_set_state(element, GST_STATE_READY);
    gst_hdr_tap_set_audio_callbacks(element, &callbacks, new_life(), notify, &error);
    gst_hdr_tap_remove_audio_callbacks(element);
    gst_hdr_tap_set_audio_callbacks(element, &callbacks, new_life(), notify, &error);
    gst_element_set_state(element, GST_STATE_NULL);
    gst_object_unref(element);
    report("idle");
}

/* A detached tap is finalized while the element plays on. */
static void detach(void) {
    GstHarness *harness = harness_of("hdrtap", CAPS);
    attach(harness, &callbacks, new_life(), notify);
    push(harness, NULL, 480, 0, 0);
    gst_hdr_tap_remove_audio_callbacks(harness->element);
    push(harness, NULL, 480, 480, 0);
    report("detach");
    Output output = take_output(harness);
    printf("life/detach-output frames=%u\n", output.frames);
    g_free(output.samples);
    discard(harness);
}

/* A format that prepare refuses. */
static void refuse(void) {
    GstHarness *harness = harness_of("hdrtap", CAPS);
    Life *life = new_life();
    life->refuses = TRUE;
    attach(harness, &callbacks, life, notify);
    GstFlowReturn flow = gst_harness_push(harness, buffer_of(NULL, 480, 0, 0));
    gchar *text;
    guint errors = count_messages(harness->element, GST_MESSAGE_ERROR, &text);
    printf("life/refused-flow flow=%d errors=%u | %s\n", flow, errors, text);
    g_free(text);
    discard(harness);
    report("refused");
}

int main(int argc, char **argv) {
    gst_init(&argc, &argv);
    lives = g_ptr_array_new_with_free_func(g_free);
    for (guint32 seed = 1; seed <= 10; seed++)
        fuzz(seed);
    swap();
    idle();
    detach();
    refuse();
    g_ptr_array_unref(lives);
    return 0;
}
