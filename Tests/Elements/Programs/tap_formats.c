/* Formats and channel counts: callbacks see the stream's own samples, effects
 * process all of them alike. */
#include "support.h"

#define FRAMES 500

static guint shape_errors;
static GstAudioInfo prepared;
static gboolean gives_half;

static gboolean prepare(GstHdrAudioTap *tap, guint max_frames, const GstAudioInfo *format) {
    prepared = *format;
    return TRUE;
}

/* Inverts every bit of the samples. */
static void process(GstHdrAudioTap *tap, guint frames, guint flags, GstHdrTapAudioBufferList *list, guint *frames_out,
                    guint *flags_out) {
    gboolean planar = GST_AUDIO_INFO_LAYOUT(&prepared) == GST_AUDIO_LAYOUT_NON_INTERLEAVED;
    guint channels = GST_AUDIO_INFO_CHANNELS(&prepared), sample = GST_AUDIO_INFO_WIDTH(&prepared) / 8;
    if (gst_hdr_tap_get_source_audio(tap, frames, list, NULL, NULL, frames_out) != GST_HDR_TAP_OK)
        shape_errors++;
    if (list->n_buffers != (planar ? channels : 1))
        shape_errors++;
    for (guint index = 0; index < list->n_buffers; index++) {
        GstHdrTapAudioBuffer *buffer = &list->buffers[index];
        if (buffer->channels != (planar ? 1 : channels) || buffer->size != *frames_out * buffer->channels * sample)
            shape_errors++;
        for (guint byte = 0; byte < buffer->size; byte++)
            ((guint8 *)buffer->data)[byte] ^= 0xff;
    }
    if (gives_half)
        *frames_out /= 2;
}

static const GstHdrTapAudioCallbacks callbacks = {
    .size = sizeof(GstHdrTapAudioCallbacks), .prepare = prepare, .process = process};

static gchar *caps_of(const char *format, gboolean planar, guint channels) {
    return g_strdup_printf("audio/"
                           "x-raw,format=%s,layout=%s,rate=48000,channels=%u,"
                           "channel-mask=(bitmask)0x0",
                           format, planar ? "non-interleaved" : "interleaved", channels);
}

/* Noise; floats lie within -1 to 1. */
static GstBuffer *noise(const GstAudioInfo *info) {
    guint samples = FRAMES * GST_AUDIO_INFO_CHANNELS(info), width = GST_AUDIO_INFO_WIDTH(info) / 8;
    GstBuffer *buffer = gst_buffer_new_allocate(NULL, samples * width, NULL);
    GstMapInfo map;
    gst_buffer_map(buffer, &map, GST_MAP_WRITE);
    guint32 state = 1;
    for (guint index = 0; index < samples; index++) {
        state = state * 1664525 + 1013904223;
        gint32 integer = (gint32)state;
        double number = integer / 2147483648.0;
        gpointer unpacked = GST_AUDIO_FORMAT_INFO_IS_FLOAT(info->finfo) ? (gpointer)&number : &integer;
        info->finfo->pack_func(info->finfo, 0, unpacked, map.data + index * width, 1);
    }
    gst_buffer_unmap(buffer, &map);
    GST_BUFFER_PTS(buffer) = 0;
    if (GST_AUDIO_INFO_LAYOUT(info) == GST_AUDIO_LAYOUT_NON_INTERLEAVED)
        gst_buffer_add_audio_meta(buffer, info, FRAMES, NULL);
    return buffer;
}

/* Samples of a buffer as numbers of -1 to 1, plane after plane or interleaved.
 */
static double *numbers_of(GstBuffer *buffer, const GstAudioInfo *info) {
    guint samples = FRAMES * GST_AUDIO_INFO_CHANNELS(info), width = GST_AUDIO_INFO_WIDTH(info) / 8;
    double *numbers = g_new(double, samples);
    GstMapInfo map;
    gst_buffer_map(buffer, &map, GST_MAP_READ);
    for (guint index = 0; index < samples; index++) {
        double number = 0;
        gint32 integer = 0;
        gboolean is_float = GST_AUDIO_FORMAT_INFO_IS_FLOAT(info->finfo);
        info->finfo->unpack_func(info->finfo, GST_AUDIO_PACK_FLAG_TRUNCATE_RANGE,
                                 is_float ? (gpointer)&number : &integer, map.data + index * width, 1);
        numbers[index] = is_float ? number : integer / 2147483648.0;
    }
    gst_buffer_unmap(buffer, &map);
    return numbers;
}

/* Through callbacks: bytes that are not the inverted ones, and with half the
 * frames bytes that are no silence. */
static guint wrong_bytes(const char *caps, const GstAudioInfo *info, gboolean half) {
    GstHarness *harness = harness_of("hdrtap", caps);
    gives_half = half;
    attach(harness, &callbacks, NULL, NULL);
    GstBuffer *source = noise(info);
    gsize size = gst_buffer_get_size(source), wrong = size;
    guint8 *expected, *silence = g_malloc(size);
    gst_buffer_extract_dup(source, 0, size, (gpointer *)&expected, &size);
    gst_audio_format_info_fill_silence(info->finfo, silence, size);
    gst_harness_push(harness, source);
    GstBuffer *made = gst_harness_try_pull(harness);
    gsize planes = GST_AUDIO_INFO_LAYOUT(info) == GST_AUDIO_LAYOUT_INTERLEAVED ? 1 : GST_AUDIO_INFO_CHANNELS(info);
    if (made && gst_buffer_get_size(made) == size) {
        GstMapInfo map;
        gst_buffer_map(made, &map, GST_MAP_READ);
        wrong = 0;
        for (gsize byte = 0; byte < size; byte++) {
            gboolean is_made = !half || byte % (size / planes) < size / planes / 2;
            wrong += map.data[byte] != (is_made ? expected[byte] ^ 0xff : silence[byte]);
        }
        gst_buffer_unmap(made, &map);
    }
    if (made)
        gst_buffer_unref(made);
    g_free(expected);
    g_free(silence);
    discard(harness);
    return (guint)wrong;
}

/* Through the effect gain at a half: the largest error in units of the format's
 * last place. */
static double gain_error(const char *caps, const GstAudioInfo *info) {
    GstHarness *harness = harness_of("hdrtap effect=gain", caps);
    gst_child_proxy_set(GST_CHILD_PROXY(harness->element), "effect::volume", 0.5, NULL);
    GstBuffer *source = noise(info);
    double *expected = numbers_of(source, info), error = 1e9;
    gst_harness_push(harness, source);
    GstBuffer *made = gst_harness_try_pull(harness);
    if (made) {
        double *numbers = numbers_of(made, info);
        int depth = GST_AUDIO_FORMAT_INFO_IS_FLOAT(info->finfo) ? 24 : GST_AUDIO_INFO_DEPTH(info);
        error = 0;
        for (guint index = 0; index < FRAMES * (guint)GST_AUDIO_INFO_CHANNELS(info); index++)
            error = MAX(error, fabs(numbers[index] - 0.5 * expected[index]) * ldexp(1, depth - 1));
        g_free(numbers);
        gst_buffer_unref(made);
    }
    g_free(expected);
    discard(harness);
    return error;
}

static void measure(GstAudioFormat format, gboolean planar, guint channels) {
    gchar *caps = caps_of(gst_audio_format_to_string(format), planar, channels);
    GstCaps *parsed = gst_caps_from_string(caps);
    GstAudioInfo info;
    if (!gst_audio_info_from_caps(&info, parsed))
        g_error("%s", caps);
    shape_errors = 0;
    guint inverted = wrong_bytes(caps, &info, FALSE);
    guint format_errors = !gst_audio_info_is_equal(&info, &prepared);
    printf("format/%s-%s-%u wrong=%u wrong-halves=%u shape=%u format=%u "
           "gain-error=%g\n",
           gst_audio_format_to_string(format), planar ? "planar" : "interleaved", channels, inverted,
           wrong_bytes(caps, &info, TRUE), shape_errors, format_errors, gain_error(caps, &info));
    gst_caps_unref(parsed);
    g_free(caps);
}

/* Streams that a tap has nothing to do with: the same buffer comes out. */
static void pass(const char *name, const char *line, const char *caps, gboolean has_callbacks) {
    GstHarness *harness = harness_of(line, caps);
    if (has_callbacks)
        attach(harness, &callbacks, NULL, NULL);
    GstBuffer *source = gst_buffer_new_allocate(NULL, 4800, NULL), *kept = gst_buffer_ref(source);
    GstFlowReturn flow = gst_harness_push(harness, source);
    GstBuffer *made = gst_harness_try_pull(harness);
    printf("pass/%s flow=%d same=%d messages=%u\n", name, flow, made == kept,
           count_messages(harness->element, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR, NULL));
    if (made)
        gst_buffer_unref(made);
    gst_buffer_unref(kept);
    discard(harness);
}

static void too_many_channels(void) {
    gchar *caps = caps_of("F32LE", FALSE, 65), *text;
    GstHarness *harness = harness_of("hdrtap effect=gain", caps);
    GstFlowReturn flow = GST_FLOW_OK;
    for (guint count = 0; count < 3; count++)
        flow = gst_harness_push(harness, gst_buffer_new_allocate(NULL, 65 * 4 * 10, NULL));
    guint errors = count_messages(harness->element, GST_MESSAGE_ERROR, &text);
    printf("channels/65 flow=%d errors=%u | %s\n", flow, errors, text);
    g_free(text);
    g_free(caps);
    discard(harness);
}

int main(int argc, char **argv) {
    gst_init(&argc, &argv);
    static const guint channels[] = {1, 2, 8, 9, 33, 64};
    for (GstAudioFormat format = GST_AUDIO_FORMAT_S8; format <= GST_AUDIO_FORMAT_F64BE; format++)
        for (guint planar = 0; planar < 2; planar++)
            for (guint index = 0; index < G_N_ELEMENTS(channels); index++)
                measure(format, planar, channels[index]);
    too_many_channels();
    pass("video", "hdrtap effect=gain", "video/x-raw,format=I420,width=64,height=50,framerate=25/1", FALSE);
    pass("video-callbacks", "hdrtap", "video/x-raw,format=I420,width=64,height=50,framerate=25/1", TRUE);
    pass("compressed", "hdrtap effect=gain", "audio/mpeg,mpegversion=1,layer=3,rate=48000,channels=2", FALSE);
    pass("compressed-callbacks", "hdrtap", "audio/mpeg,mpegversion=1,layer=3,rate=48000,channels=2", TRUE);
    pass("raw-without-processor", "hdrtap", CAPS, FALSE);
    return 0;
}
