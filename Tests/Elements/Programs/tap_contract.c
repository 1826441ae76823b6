/* What a tap does with callbacks that give too little, and with settings that
 * cannot be used. */
#include "support.h"

#define BLOCK 1000

static guint calls;

static void give_half(GstHdrAudioTap *tap, guint frames, guint flags, GstHdrTapAudioBufferList *list, guint *frames_out,
                      guint *flags_out) {
    gst_hdr_tap_get_source_audio(tap, frames, list, NULL, NULL, NULL);
    *frames_out = frames / 2;
}

static void give_nothing(GstHdrAudioTap *tap, guint frames, guint flags, GstHdrTapAudioBufferList *list,
                         guint *frames_out, guint *flags_out) {
    gst_hdr_tap_get_source_audio(tap, frames, list, NULL, NULL, NULL);
    *frames_out = 0;
}

/* Fetches half of what it is asked for, so that the rest comes with the next
 * call. */
static void fetch_half(GstHdrAudioTap *tap, guint frames, guint flags, GstHdrTapAudioBufferList *list,
                       guint *frames_out, guint *flags_out) {
    gst_hdr_tap_get_source_audio(tap, frames / 2, list, NULL, NULL, frames_out);
}

static void never_fetch(GstHdrAudioTap *tap, guint frames, guint flags, GstHdrTapAudioBufferList *list,
                        guint *frames_out, guint *flags_out) {
    calls++;
    *frames_out = 0;
}

/* Lets the element copy to memory of the callback's own, and outputs that memory. */
static void copy(GstHdrAudioTap *tap, guint frames, guint flags, GstHdrTapAudioBufferList *list, guint *frames_out,
                 guint *flags_out) {
    static float memory[4096];
    list->buffers[0].data = memory;
    list->buffers[0].size = sizeof memory;
    gst_hdr_tap_get_source_audio(tap, frames, list, NULL, NULL, frames_out);
}

/* Fetches what there is in pieces of random lengths, now into its own memory,
 * now in place. */
static struct {
    GRand *random;
    gint64 next;
    guint wrong;
} pieces;

static void fetch_pieces(GstHdrAudioTap *tap, guint frames, guint flags, GstHdrTapAudioBufferList *list,
                         guint *frames_out, guint *flags_out) {
    static float memory[BLOCK + 1];
    for (guint piece = 0; piece < 4; piece++) {
        GstHdrTapAudioBuffer buffer = {.channels = 1};
        GstHdrTapAudioBufferList part = {1, &buffer};
        GstHdrTapTimeRange range;
        guint wanted = piece == 3 ? frames : (guint)g_rand_int_range(pieces.random, 0, frames / 3), got;
        if (piece % 2) {
            buffer.data = memory;
            buffer.size = sizeof memory;
        }
        GstHdrTapStatus status = gst_hdr_tap_get_source_audio(tap, wanted, &part, NULL, &range, &got);
        pieces.wrong += status != GST_HDR_TAP_OK || got > wanted || range.start != pieces.next || range.duration != got;
        for (guint frame = 0; frame < got; frame++)
            pieces.wrong += ((float *)buffer.data)[frame] != (float)(pieces.next + frame);
        pieces.next += got;
    }
}

/* What get_source_audio says to lists that do not fit, and to another thread.
 */
static GstHdrAudioTap *inside;
static gint statuses[5];

static gpointer fetch_elsewhere(gpointer list) {
    return GINT_TO_POINTER(gst_hdr_tap_get_source_audio(inside, 1, list, NULL, NULL, NULL));
}

static void misuse(GstHdrAudioTap *tap, guint frames, guint flags, GstHdrTapAudioBufferList *list, guint *frames_out,
                   guint *flags_out) {
    float memory;
    GstHdrTapAudioBuffer small = {.channels = 1, .size = sizeof memory, .data = &memory};
    GstHdrTapAudioBufferList lists[] = {{0, NULL}, {1, NULL}, {1, &small}};
    for (guint index = 0; index < 3; index++)
        statuses[index] = gst_hdr_tap_get_source_audio(tap, frames, &lists[index], NULL, NULL, NULL);
    statuses[3] = gst_hdr_tap_get_source_audio(tap, frames, NULL, NULL, NULL, NULL);
    inside = tap;
    statuses[4] = GPOINTER_TO_INT(g_thread_join(g_thread_new("elsewhere", fetch_elsewhere, list)));
    gst_hdr_tap_get_source_audio(tap, frames, list, NULL, NULL, NULL);
}

typedef void (*Process)(GstHdrAudioTap *, guint, guint, GstHdrTapAudioBufferList *, guint *, guint *);

static guint64 statistic(GstElement *element, const char *name) {
    GstStructure *stats = NULL;
    guint64 value = G_MAXUINT64;
    g_object_get(element, "stats", &stats, NULL);
    gst_structure_get_uint64(stats, name, &value);
    gst_structure_free(stats);
    return value;
}

/* Five buffers of a sine: frames that are as they came in, frames that are
 * silent, and what the element says. */
static void measure(const char *name, Process process) {
    GstHdrTapAudioCallbacks callbacks = {.size = sizeof callbacks, .process = process};
    GstHarness *harness = harness_of("hdrtap", CAPS);
    attach(harness, &callbacks, NULL, NULL);
    /* A cosine that is nowhere 0. */
    float source[5 * BLOCK];
    for (guint frame = 0; frame < G_N_ELEMENTS(source); frame++)
        source[frame] = 0.5f + 0.25f * (float)cos(0.1 * frame);
    push_all(harness, source, G_N_ELEMENTS(source), BLOCK);
    gst_harness_push_event(harness, gst_event_new_eos());
    Output output = take_output(harness);
    guint same = 0, silent = 0;
    for (guint frame = 0; frame < output.frames; frame++) {
        same += output.samples[frame] == source[frame];
        silent += output.samples[frame] == 0;
    }
    gchar *text;
    guint warnings = count_messages(harness->element, GST_MESSAGE_WARNING, &text);
    printf("process/%s frames=%u same=%u silent=%u warnings=%u "
           "processed=%" G_GUINT64_FORMAT " silenced=%" G_GUINT64_FORMAT " dropped=%" G_GUINT64_FORMAT " | %s\n",
           name, output.frames, same, silent, warnings, statistic(harness->element, "processed-frames"),
           statistic(harness->element, "silenced-frames"), statistic(harness->element, "dropped-frames"), text);
    g_free(text);
    g_free(output.samples);
    discard(harness);
}

static void measure_fetching(void) {
    static float counting[100 * BLOCK];
    for (guint frame = 0; frame < G_N_ELEMENTS(counting); frame++)
        counting[frame] = frame;
    GstHdrTapAudioCallbacks callbacks = {.size = sizeof callbacks, .process = fetch_pieces};
    GstHarness *harness = harness_of("hdrtap", CAPS);
    pieces.random = g_rand_new_with_seed(1);
    attach(harness, &callbacks, NULL, NULL);
    push_all(harness, counting, G_N_ELEMENTS(counting), BLOCK);
    printf("fetch/pieces wrong=%u fetched=%d\n", pieces.wrong, (int)pieces.next);
    callbacks.process = misuse;
    attach(harness, &callbacks, NULL, NULL);
    push(harness, counting, BLOCK, G_N_ELEMENTS(counting), 0);
    printf("fetch/misuse no-buffers=%d no-list=%d too-small=%d null=%d "
           "elsewhere=%d\n",
           statuses[0], statuses[1], statuses[2], statuses[3], statuses[4]);
    g_rand_free(pieces.random);
    discard(harness);
}

/* ---- Callbacks that cannot be attached. */

static void count_init(GstHdrAudioTap *tap, gpointer user_data) { calls++; }

static void count(gpointer data) { calls++; }

static void refuse(const char *name, gsize size, Process process) {
    GstHdrTapAudioCallbacks callbacks = {.size = size, .init = count_init, .process = process};
    GstHarness *harness = harness_of("hdrtap effect=gain", CAPS);
    GError *error = NULL;
    calls = 0;
    gboolean ok = gst_hdr_tap_set_audio_callbacks(harness->element, &callbacks, NULL, count, &error);
    push(harness, NULL, BLOCK, 0, 0);
    guint64 processed = statistic(harness->element, "processed-frames");
    discard(harness);
    printf("attach/%s ok=%d calls=%u processed-by-effect=%" G_GUINT64_FORMAT " | %s\n", name, ok, calls, processed,
           error ? error->message : "");
    g_clear_error(&error);
}

/* ---- Effects and their settings. */

static void unknown_effect(void) {
    gchar *text;
    GstHarness *harness = harness_of("hdrtap effect=gain", CAPS);
    g_object_set(harness->element, "effect", "bandpas", NULL);
    guint errors = count_messages(harness->element, GST_MESSAGE_ERROR, &text);
    printf("effect/while-playing errors=%u | %s\n", errors, text);
    g_free(text);
    discard(harness);

    GstElement *element = gst_element_factory_make("hdrtap", NULL);
    gst_object_ref_sink(element);
    GstBus *bus = gst_bus_new();
    gst_element_set_bus(element, bus);
    g_object_set(element, "effect", "bandpas", NULL);
    GstStateChangeReturn result = gst_element_set_state(element, GST_STATE_READY);
    errors = count_messages(element, GST_MESSAGE_ERROR, &text);
    printf("effect/before-ready failed=%d errors=%u | %s\n", result == GST_STATE_CHANGE_FAILURE, errors, text);
    g_free(text);
    g_object_set(element, "effect", "bandpass", NULL);
    result = gst_element_set_state(element, GST_STATE_READY);
    printf("effect/corrected failed=%d errors=%u\n", result == GST_STATE_CHANGE_FAILURE,
           count_messages(element, GST_MESSAGE_ERROR, NULL));
    gst_element_set_state(element, GST_STATE_NULL);
    gst_bus_set_flushing(bus, TRUE);
    gst_object_unref(bus);
    gst_object_unref(element);
}

static void not_a_number(const char *effect, const char *property, double good) {
    gchar *line = g_strdup_printf("hdrtap effect=%s", effect), *text;
    GstHarness *harness = harness_of(line, CAPS);
    GObject *child = gst_child_proxy_get_child_by_name(GST_CHILD_PROXY(harness->element), "effect");
    double kept = 0;
    g_object_set(child, property, good, NULL);
    g_object_set(child, property, (double)NAN, NULL);
    g_object_get(child, property, &kept, NULL);
    float *source = sine(BLOCK, 1000, 0.5);
    push(harness, source, BLOCK, 0, 0);
    Output output = take_output(harness);
    guint broken = 0;
    for (guint frame = 0; frame < output.frames; frame++)
        broken += !isfinite(output.samples[frame]);
    guint errors = count_messages(harness->element, GST_MESSAGE_ERROR, &text);
    printf("nan/%s errors=%u kept=%d frames=%u broken=%u | %s\n", property, errors, kept == good, output.frames, broken,
           text);
    g_free(output.samples);
    g_free(source);
    g_free(text);
    g_free(line);
    g_object_unref(child);
    discard(harness);
}

int main(int argc, char **argv) {
    gst_init(&argc, &argv);
    measure("half", give_half);
    measure("nothing", give_nothing);
    measure("fetch-half", fetch_half);
    measure("never-fetch", never_fetch);
    measure("copy", copy);
    measure_fetching();
    refuse("size-0", 0, never_fetch);
    refuse("size-short", sizeof(GstHdrTapAudioCallbacks) - 1, never_fetch);
    refuse("no-process", sizeof(GstHdrTapAudioCallbacks), NULL);
    unknown_effect();
    not_a_number("bandpass", "center-frequency", 1000);
    not_a_number("bandpass", "bandwidth", 700);
    not_a_number("gain", "volume", 0.5);
    not_a_number("gain", "gain", -3);
    return 0;
}
