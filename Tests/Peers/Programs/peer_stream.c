/* What filters make of a flush, of gaps and of the end of the stream. */
#include "support.h"

/* An echo after 0.1 s, made 100 frames late: out[n] = in[n - 100] + 0.5 in[n -
 * 100 - 4800]. */
#define LATENCY 100
#define TAIL 4800

static struct {
    float line[LATENCY + TAIL + 1];
    guint position, starts, ends;
} echo;

static gboolean prepare(GstHdrAudioTap *tap, guint max_frames, const GstAudioInfo *format) {
    tap->latency = LATENCY;
    tap->tail = TAIL;
    return TRUE;
}

static void process(GstHdrAudioTap *tap, guint frames, guint flags, GstHdrTapAudioBufferList *list, guint *frames_out,
                    guint *flags_out) {
    static float made[65536];
    guint got = 0;
    gst_hdr_tap_get_source_audio(tap, frames, list, &flags, NULL, &got);
    if (flags & GST_HDR_TAP_START_OF_STREAM) {
        memset(echo.line, 0, sizeof echo.line);
        echo.starts++;
    }
    if (flags & GST_HDR_TAP_END_OF_STREAM)
        echo.ends++;
    const float *in = list->buffers[0].data;
    const guint length = G_N_ELEMENTS(echo.line);
    for (guint frame = 0; frame < frames; frame++) {
        echo.line[echo.position] = frame < got ? in[frame] : 0;
        echo.position = (echo.position + 1) % length; /* of the oldest: 4900 frames ago */
        made[frame] = echo.line[(echo.position + length - 1 - LATENCY) % length] + 0.5f * echo.line[echo.position];
    }
    list->buffers[0].data = made;
}

static const GstHdrTapAudioCallbacks callbacks = {
    .size = sizeof(GstHdrTapAudioCallbacks), .prepare = prepare, .process = process};

static const struct Subject {
    const char *name, *line;
    gboolean has_callbacks;
} subjects[] = {
    {"audioecho", "audioecho delay=10000000 intensity=0.6 feedback=0.5"},
    {"audiochebband", "audiochebband mode=band-pass lower-frequency=840.9 "
                      "upper-frequency=1189.2 poles=4"},
    {"audiowsincband", "audiowsincband mode=band-pass lower-frequency=500 "
                       "upper-frequency=2000 length=801"},
    {"bandpass", "hdrtap effect=bandpass effect::center-frequency=1000"},
    {"long-bandpass", "hdrtap effect=bandpass effect::center-frequency=20 "
                      "effect::bandwidth=100 max-tail=1000000000"},
    {"no-tail-bandpass", "hdrtap effect=bandpass effect::center-frequency=1000 max-tail=0"},
    {"callbacks", "hdrtap", TRUE},
};

static GstHarness *harness_for(const struct Subject *subject) {
    memset(&echo, 0, sizeof echo);
    GstHarness *harness = harness_of(subject->line, CAPS);
    if (subject->has_callbacks)
        attach(harness, &callbacks, NULL, NULL);
    return harness;
}

#define BLOCK 4800

/* Sound, a flush, and silence a second on. */
static void flush(const struct Subject *subject, const float *loud) {
    GstHarness *harness = harness_for(subject);
    push(harness, loud, BLOCK, 0, 0);
    g_free(take_output(harness).samples);
    push_flush(harness);
    push(harness, NULL, BLOCK, RATE, GST_BUFFER_FLAG_DISCONT);
    gst_harness_push_event(harness, gst_event_new_eos());
    Output output = take_output(harness);
    printf("flush/%s leak=%g earliest=%g frames=%u\n", subject->name,
           mean_magnitude(output.samples, MIN(output.frames, 480)), (double)output.earliest / GST_SECOND,
           output.frames);
    g_free(output.samples);
    discard(harness);
}

/* Sound, and then ten buffers that are flagged as gaps: the first of them and
 * the last. */
static void gap(const struct Subject *subject, const float *loud) {
    GstHarness *harness = harness_for(subject);
    push(harness, loud, BLOCK, 0, 0);
    g_free(take_output(harness).samples);
    printf("gap/%s", subject->name);
    for (guint block = 1; block <= 10; block++) {
        push(harness, NULL, BLOCK, block * BLOCK, GST_BUFFER_FLAG_GAP);
        Output output = take_output(harness);
        if (block == 1 || block == 10)
            printf(" %s-sound=%g %s-flags=%u", block == 1 ? "first" : "last",
                   mean_magnitude(output.samples, output.frames), block == 1 ? "first" : "last", output.gaps);
        g_free(output.samples);
    }
    putchar('\n');
    discard(harness);
}

/* Sound, and the stream's end: frames, and how they differ from those of a run
 * with silence appended. */
static void end(const struct Subject *subject, const float *loud) {
    GstHarness *harness = harness_for(subject);
    push(harness, loud, BLOCK, 0, 0);
    GstClockTime latency = gst_harness_query_latency(harness);
    guint messages = count_messages(harness->element, GST_MESSAGE_LATENCY, NULL);
    gst_harness_push_event(harness, gst_event_new_eos());
    Output output = take_output(harness);
    gboolean ended = has_event(harness, GST_EVENT_EOS);
    guint ends = echo.ends, starts = echo.starts;
    discard(harness);

    harness = harness_for(subject);
    push(harness, loud, BLOCK, 0, 0);
    for (guint block = 1; block <= 12; block++)
        push(harness, NULL, BLOCK, block * BLOCK, 0);
    Output longer = take_output(harness);
    discard(harness);

    guint differing = 0, misaligned = 0;
    for (guint frame = 0; frame < MIN(output.frames, longer.frames); frame++) {
        differing += output.samples[frame] != longer.samples[frame];
        float direct = frame < BLOCK ? loud[frame] : 0;
        float echoed = frame >= TAIL && frame < TAIL + BLOCK ? 0.5f * loud[frame - TAIL] : 0;
        misaligned += output.samples[frame] != direct + echoed;
    }
    printf("end/%s tail=%d latency=%" G_GUINT64_FORMAT " latency-messages=%u eos=%d differing=%u misaligned=%u "
           "starts=%u ends=%u\n",
           subject->name, (int)output.frames - BLOCK, latency, messages, ended, differing, misaligned, starts, ends);
    g_free(output.samples);
    g_free(longer.samples);
}

int main(int argc, char **argv) {
    gst_init(&argc, &argv);
    float *loud = sine(BLOCK, 1000, 0.9);
    for (guint index = 0; index < G_N_ELEMENTS(subjects); index++) {
        flush(&subjects[index], loud);
        gap(&subjects[index], loud);
        end(&subjects[index], loud);
    }
    g_free(loud);
    return 0;
}
