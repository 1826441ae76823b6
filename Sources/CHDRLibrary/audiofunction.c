#include <gst/hdr/gsthdraudiofunction.h>

typedef struct {
    GstHdrTapAudioFunction function;
    gpointer user_data;
    GDestroyNotify notify;
    /* Set by prepare: the format of what follows. */
    GstAudioInfo format;
} AudioFunction;

static void audio_function_free(gpointer data) {
    AudioFunction *self = data;
    if (self->notify)
        self->notify(self->user_data);
    g_free(self);
}

static gboolean prepare(GstHdrAudioTap *tap, guint max_frames, const GstAudioInfo *format) {
    (void)max_frames;
    AudioFunction *self = tap->user_data;
    self->format = *format;
    return TRUE;
}

static void process(GstHdrAudioTap *tap, guint frames, guint flags, GstHdrTapAudioBufferList *list, guint *frames_out,
                    guint *flags_out) {
    (void)flags_out;
    const AudioFunction *self = tap->user_data;
    GstHdrTapAudioBlock block = {.size = sizeof(GstHdrTapAudioBlock), .flags = flags, .format = &self->format};
    if (gst_hdr_tap_get_source_audio(tap, frames, list, &block.flags, &block.range, frames_out) != GST_HDR_TAP_OK)
        return;
    if (*frames_out == 0)
        return;
    block.frames = *frames_out;
    block.n_buffers = list->n_buffers;
    block.buffer_size = list->n_buffers ? list->buffers[0].size : 0;
    block.buffers = list->buffers;
    self->function(&block, self->user_data);
}

gboolean gst_hdr_tap_set_audio_function(GstElement *hdrtap, GstHdrTapAudioFunction function, gpointer user_data,
                                        GDestroyNotify notify, GError **error) {
    g_return_val_if_fail(GST_IS_ELEMENT(hdrtap) && function, FALSE);
    static const GstHdrTapAudioCallbacks callbacks = {
        .size = sizeof(GstHdrTapAudioCallbacks), .prepare = prepare, .process = process};
    AudioFunction *self = g_new0(AudioFunction, 1);
    self->function = function;
    self->user_data = user_data;
    self->notify = notify;
    gboolean is_attached = gst_hdr_tap_set_audio_callbacks(hdrtap, &callbacks, self, audio_function_free, error);
    /* Languages with closures free what the function captures by notify alone. */
    if (!is_attached)
        audio_function_free(self);
    return is_attached;
}

gpointer gst_hdr_tap_audio_block_get_samples(const GstHdrTapAudioBlock *block, guint buffer) {
    g_return_val_if_fail(block, NULL);
    return buffer < block->n_buffers ? block->buffers[buffer].data : NULL;
}

GBytes *gst_hdr_tap_audio_block_copy_samples(const GstHdrTapAudioBlock *block, guint buffer) {
    g_return_val_if_fail(block, NULL);
    gconstpointer samples = gst_hdr_tap_audio_block_get_samples(block, buffer);
    return samples ? g_bytes_new(samples, block->buffer_size) : NULL;
}

gboolean gst_hdr_tap_audio_block_write_samples(GstHdrTapAudioBlock *block, guint buffer, GBytes *samples) {
    g_return_val_if_fail(block && samples, FALSE);
    gsize count;
    gpointer data = gst_hdr_tap_audio_block_get_samples(block, buffer);
    gconstpointer source = g_bytes_get_data(samples, &count);
    if (!data || count != block->buffer_size)
        return FALSE;
    memcpy(data, source, count);
    return TRUE;
}
