/* Time ranges, and where streams start anew. */
#include "support.h"

static struct {
    guint starts, breaks, calls, prepares, unprepares, latest_flags, ends;
    gint64 next, first;
    guint64 frames;
    gint32 timescale;
} seen;

static gboolean prepare(GstHdrAudioTap *tap, guint max_frames, const GstAudioInfo *format) {
    seen.prepares++;
    return TRUE;
}

static void unprepare(GstHdrAudioTap *tap) { seen.unprepares++; }

static void process(GstHdrAudioTap *tap, guint frames, guint flags, GstHdrTapAudioBufferList *list, guint *frames_out,
                    guint *flags_out) {
    GstHdrTapTimeRange range;
    gst_hdr_tap_get_source_audio(tap, frames, list, &flags, &range, frames_out);
    seen.calls++;
    seen.frames += *frames_out;
    seen.timescale = range.timescale;
    if (flags & GST_HDR_TAP_START_OF_STREAM) {
        seen.starts++;
        seen.first = range.start;
    } else if (range.start != seen.next) {
        seen.breaks++;
    }
    seen.next = range.start + range.duration;
}

static const GstHdrTapAudioCallbacks callbacks = {
    .size = sizeof(GstHdrTapAudioCallbacks), .prepare = prepare, .unprepare = unprepare, .process = process};

static GstHarness *start(void) {
    memset(&seen, 0, sizeof seen);
    GstHarness *harness = harness_of("hdrtap", CAPS);
    attach(harness, &callbacks, NULL, NULL);
    return harness;
}

/* Buffers of 0 to 5000 frames, whose time stamps are off by up to 39 ms. */
static void random_buffers(guint32 seed) {
    GRand *random = g_rand_new_with_seed(seed);
    GstHarness *harness = start();
    guint64 frame = 2 * RATE;
    guint lost = 0;
    for (guint count = 0; count < 300; count++) {
        guint frames = g_rand_int_range(random, 0, 5001);
        GstBuffer *buffer = buffer_of(NULL, frames, frame, 0);
        if (count > 0)
            GST_BUFFER_PTS(buffer) += g_rand_int_range(random, -39000000, 39000001);
        gst_harness_push(harness, buffer);
        frame += frames;
    }
    Output output = take_output(harness);
    lost = (guint)(frame - 2 * RATE) - output.frames;
    printf("ranges/%u starts=%u breaks=%u lost=%u frames-differ=%d "
           "first=%" G_GINT64_FORMAT " end-differs=%d timescale=%d\n",
           seed, seen.starts, seen.breaks, lost, seen.frames != frame - 2 * RATE, seen.first,
           seen.next != (gint64)frame, seen.timescale);
    g_free(output.samples);
    discard(harness);
    g_rand_free(random);
}

/* One thing that happens after the first two of four buffers. */
typedef enum {
    NOTHING,
    JITTER,
    DISCONT,
    RESYNC,
    GAP,
    SAME_SEGMENT,
    CONTINUED_SEGMENT,
    OTHER_SEGMENT,
    FLUSH,
    SAME_CAPS,
    CAPS_CHANGE,
    ATTACH,
    RATE_CHANGE,
    LAST
} Happening;

static const char *const names[] = {
    "nothing",       "jitter", "discont",   "resync",      "gap",    "same-segment", "continued-segment",
    "other-segment", "flush",  "same-caps", "caps-change", "attach", "rate-change"};

static void happen(Happening happening) {
    GstHarness *harness = happening == ATTACH ? harness_of("hdrtap", CAPS) : start();
    if (happening == ATTACH)
        memset(&seen, 0, sizeof seen);
    push(harness, NULL, 480, 0, 0);
    push(harness, NULL, 480, 480, 0);
    guint64 next = 960;
    guint flags = 0;
    switch (happening) {
    case JITTER: next += 39 * 48; break;
    case DISCONT: flags = GST_BUFFER_FLAG_DISCONT; break;
    case RESYNC: flags = GST_BUFFER_FLAG_RESYNC; break;
    case GAP: next += 41 * 48; break;
    case SAME_SEGMENT: push_segment(harness, 1, 0, 0); break;
    case CONTINUED_SEGMENT: push_segment(harness, 1, time_of(960), time_of(960)); break;
    case OTHER_SEGMENT:
        next = 10 * RATE;
        push_segment(harness, 1, time_of(next), time_of(960));
        break;
    case FLUSH:
        push_flush(harness);
        next = 0;
        break;
    case SAME_CAPS:
    case CAPS_CHANGE: {
        GstCaps *caps = gst_caps_from_string(CAPS);
        if (happening == CAPS_CHANGE)
            gst_caps_set_simple(caps, "format", G_TYPE_STRING, "S32LE", NULL);
        gst_harness_push_event(harness, gst_event_new_caps(caps));
        gst_caps_unref(caps);
        break;
    }
    case ATTACH: attach(harness, &callbacks, NULL, NULL); break;
    case RATE_CHANGE: push_segment(harness, 2, 0, 0); break;
    default: break;
    }
    guint before = seen.starts;
    push(harness, NULL, 480, next, flags);
    push(harness, NULL, 480, next + 480, 0);
    printf("starts/%s before=%u after=%u breaks=%u first=%" G_GINT64_FORMAT " prepares=%u unprepares=%u\n",
           names[happening], before, seen.starts - before, seen.breaks, seen.first, seen.prepares, seen.unprepares);
    discard(harness);
}

/* ---- Delays of random lengths that take turns while the stream goes on: the
 * output stays the input. */

static gboolean prepare_delay(GstHdrAudioTap *tap, guint max_frames, const GstAudioInfo *format) {
    tap->latency = GPOINTER_TO_UINT(tap->user_data);
    tap->storage = g_new0(float, tap->latency + 1);
    return TRUE;
}

static void unprepare_delay(GstHdrAudioTap *tap) { g_free(tap->storage); }

static void delay(GstHdrAudioTap *tap, guint frames, guint flags, GstHdrTapAudioBufferList *list, guint *frames_out,
                  guint *flags_out) {
    static float made[4096];
    static guint position;
    guint got = 0, length = tap->latency + 1;
    gst_hdr_tap_get_source_audio(tap, frames, list, &flags, NULL, &got);
    if (flags & GST_HDR_TAP_START_OF_STREAM)
        position = 0;
    float *line = tap->storage, *in = list->buffers[0].data;
    for (guint frame = 0; frame < frames; frame++) {
        line[position++ % length] = frame < got ? in[frame] : 0;
        made[frame] = line[position % length];
    }
    list->buffers[0].data = made;
}

static void relay(void) {
    const GstHdrTapAudioCallbacks delaying = {.size = sizeof(GstHdrTapAudioCallbacks),
                                              .prepare = prepare_delay,
                                              .unprepare = unprepare_delay,
                                              .process = delay};
    static float counting[200];
    GRand *random = g_rand_new_with_seed(5);
    GstHarness *harness = harness_of("hdrtap", CAPS);
    guint next = 0;
    for (guint step = 0; step < 2000; step++) {
        switch (g_rand_int_range(random, 0, 8)) {
        case 0: attach(harness, &delaying, GUINT_TO_POINTER(g_rand_int_range(random, 0, 300)), NULL); break;
        case 1: gst_hdr_tap_remove_audio_callbacks(harness->element); break;
        }
        guint frames = g_rand_int_range(random, 0, 200);
        for (guint frame = 0; frame < frames; frame++)
            counting[frame] = next + frame;
        push(harness, counting, frames, next, 0);
        next += frames;
    }
    gst_harness_push_event(harness, gst_event_new_eos());
    GstBuffer *buffer;
    guint frame = 0, wrong = 0, breaks = 0;
    while ((buffer = gst_harness_try_pull(harness))) {
        GstMapInfo map;
        gst_buffer_map(buffer, &map, GST_MAP_READ);
        breaks += ABS(GST_CLOCK_DIFF(GST_BUFFER_PTS(buffer), time_of(frame))) > 1; /* rounding */
        for (gsize index = 0; index < map.size / sizeof(float); index++)
            wrong += ((float *)map.data)[index] != (float)frame++;
        gst_buffer_unmap(buffer, &map);
        gst_buffer_unref(buffer);
    }
    printf("relay/delays lost=%d wrong=%u breaks=%u\n", (int)(next - frame), wrong, breaks);
    discard(harness);
    g_rand_free(random);
}

int main(int argc, char **argv) {
    gst_init(&argc, &argv);
    for (guint32 seed = 1; seed <= 8; seed++)
        random_buffers(seed);
    for (Happening happening = NOTHING; happening < LAST; happening++)
        happen(happening);
    relay();
    return 0;
}
