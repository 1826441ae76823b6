/* Audio taps for languages whose functions capture variables: one function in place of the structure of callbacks in
 * gst/hdr/gsthdrtap.h. */
#ifndef GST_HDR_AUDIO_FUNCTION_H
#define GST_HDR_AUDIO_FUNCTION_H

#include <gst/audio/audio.h>
#include <gst/gst.h>
#include <gst/hdr/gsthdrapi.h>
#include <gst/hdr/gsthdrtap.h>

G_BEGIN_DECLS

/**
 * GstHdrTapAudioBlock:
 * @size: of this structure, in the library's version
 * @frames: how many frames it has
 * @flags: %GST_HDR_TAP_START_OF_STREAM where they do not continue those before
 * @range: their stream time, in units of 1/timescale seconds
 * @format: sample format, rate, channels and layout
 * @n_buffers: 1 for interleaved formats, the number of channels for planar ones
 * @buffer_size: how many bytes of samples each buffer has
 *
 * Frames of a stream, as a #GstHdrTapAudioFunction sees them, valid until it returns.
 */
typedef struct {
    gsize size;
    guint frames;
    guint flags;
    GstHdrTapTimeRange range;
    const GstAudioInfo *format;
    guint n_buffers;
    gsize buffer_size;

    /*< private >*/
    const GstHdrTapAudioBuffer *buffers;
} GstHdrTapAudioBlock;

/**
 * GstHdrTapAudioFunction:
 * @block: some frames of the stream, valid until the function returns
 * @user_data: what was given to gst_hdr_tap_set_audio_function()
 *
 * What a tap does with the frames of a stream, all of them one after the other, on the streaming thread. What it leaves
 * in their samples goes on.
 */
typedef void (*GstHdrTapAudioFunction)(GstHdrTapAudioBlock *block, gpointer user_data);

/**
 * gst_hdr_tap_set_audio_function:
 * @hdrtap: an element hdrtap
 * @function: (scope notified) (closure user_data) (destroy notify): called with the frames of the stream
 * @user_data: for @function
 * @notify: (nullable): called when @function is no longer needed, and before the function returns where it is not
 * attached
 * @error: what went wrong
 *
 * Attaches a function to an element, by the rules of gst_hdr_tap_set_audio_callbacks(); it has neither latency nor
 * tail. The library calls it without allocating, locking or waiting. An interpreter does so itself, so that its
 * functions are not in real time: a queue upstream of the sink and a larger latency of the sink make up for pauses of
 * the interpreter. gst_hdr_tap_remove_audio_callbacks() detaches it.
 *
 * Returns: whether it is attached; where it is not, @error is %GST_LIBRARY_ERROR_SETTINGS, in the domain
 *     %GST_LIBRARY_ERROR, for an element that is no hdrtap
 */
GST_HDR_API
gboolean gst_hdr_tap_set_audio_function(GstElement *hdrtap, GstHdrTapAudioFunction function, gpointer user_data,
                                        GDestroyNotify notify, GError **error);

/**
 * gst_hdr_tap_audio_block_get_samples:
 * @block: some frames
 * @buffer: the number of a buffer: 0 for interleaved formats, that of a channel for planar ones
 *
 * Gives the samples without a copy, to be read and written: @buffer_size bytes.
 *
 * Returns: (transfer none) (nullable): the address of the first sample; %NULL for a buffer that the block does not have
 */
GST_HDR_API
gpointer gst_hdr_tap_audio_block_get_samples(const GstHdrTapAudioBlock *block, guint buffer);

/**
 * gst_hdr_tap_audio_block_copy_samples:
 * @block: some frames
 * @buffer: the number of a buffer: 0 for interleaved formats, that of a channel for planar ones
 *
 * Returns: (transfer full) (nullable): the samples; %NULL for a buffer that the block does not have
 */
GST_HDR_API
GBytes *gst_hdr_tap_audio_block_copy_samples(const GstHdrTapAudioBlock *block, guint buffer);

/**
 * gst_hdr_tap_audio_block_write_samples:
 * @block: some frames
 * @buffer: the number of a buffer: 0 for interleaved formats, that of a channel for planar ones
 * @samples: as gst_hdr_tap_audio_block_copy_samples() gives them
 *
 * Returns: FALSE, with nothing written, for another number of bytes, and for a buffer that the block does not have
 */
GST_HDR_API
gboolean gst_hdr_tap_audio_block_write_samples(GstHdrTapAudioBlock *block, guint buffer, GBytes *samples);

G_END_DECLS

#endif
