/* Declarations of the headers' inline functions for GObject Introspection, which does not read their definitions. Not
 * for programs in C. */
#ifndef HDR_INTROSPECTED_H
#define HDR_INTROSPECTED_H

#include <gst/hdr/gsthdrcompositing.h>
#include <gst/hdr/gsthdrdynamicmetadata.h>
#include <gst/hdr/gsthdrqueue.h>
#include <gst/hdr/gsthdrtap.h>
#include <gst/hdr/gsthdrtypes.h>
#include <gst/hdr/gsthdrvideooutput.h>

G_BEGIN_DECLS

#ifdef __GI_SCANNER__

/**
 * gst_hdr_queue_new:
 * @capacity: the largest number of elements, above 0
 *
 * A lock-free queue between two threads: one that enqueues, one that dequeues.
 *
 * Returns: (transfer full) (nullable): the queue; %NULL for a capacity below 1
 */
GstHdrQueue *gst_hdr_queue_new(gssize capacity);

/**
 * gst_hdr_queue_ref: (skip)
 * @queue: a queue
 *
 * Returns: (transfer full): the queue, with another owner
 */
GstHdrQueue *gst_hdr_queue_ref(GstHdrQueue *queue);

/**
 * gst_hdr_queue_free: (skip)
 * @queue: (transfer full): a queue
 *
 * Gives up ownership of the queue; the last owner frees it.
 */
void gst_hdr_queue_free(GstHdrQueue *queue);

/**
 * gst_hdr_queue_enqueue:
 * @queue: a queue
 * @element: any pointer but %NULL
 *
 * Appends an element. Only the enqueueing thread calls this. It never waits, allocates or calls the system.
 *
 * Returns: whether it was taken
 */
GstHdrQueueStatus gst_hdr_queue_enqueue(GstHdrQueue *queue, gpointer element);

/**
 * gst_hdr_queue_get_head:
 * @queue: a queue
 *
 * Only the dequeueing thread calls this.
 *
 * Returns: (nullable) (transfer none): the oldest element, which stays in the queue
 */
gpointer gst_hdr_queue_get_head(GstHdrQueue *queue);

/**
 * gst_hdr_queue_dequeue:
 * @queue: a queue
 *
 * Only the dequeueing thread calls this.
 *
 * Returns: (nullable) (transfer none): the oldest element, which is removed from the queue
 */
gpointer gst_hdr_queue_dequeue(GstHdrQueue *queue);

/**
 * gst_hdr_queue_get_count:
 * @queue: a queue
 *
 * Returns: the number of elements at some moment during the call
 */
gsize gst_hdr_queue_get_count(GstHdrQueue *queue);

/**
 * gst_hdr_queue_get_capacity:
 * @queue: a queue
 *
 * Returns: the largest number of elements
 */
gsize gst_hdr_queue_get_capacity(const GstHdrQueue *queue);

/**
 * gst_hdr_queue_get_fullness:
 * @queue: a queue
 *
 * Returns: the count divided by the capacity, from 0 to 1
 */
gdouble gst_hdr_queue_get_fullness(GstHdrQueue *queue);

/**
 * gst_hdr_queue_reset:
 * @queue: a queue
 *
 * Empties the queue. Neither thread may use it meanwhile.
 */
void gst_hdr_queue_reset(GstHdrQueue *queue);

/**
 * gst_hdr_tap_get_source_audio: (skip)
 * @tap: the tap
 * @frames: how many frames to fetch
 * @list: the buffers that receive them
 * @flags: whether the stream starts or ends with them
 * @range: their stream time
 * @frames_out: how many were fetched
 *
 * Returns: whether that was done
 */
GstHdrTapStatus gst_hdr_tap_get_source_audio(GstHdrAudioTap *tap, guint frames, GstHdrTapAudioBufferList *list,
                                             guint *flags, GstHdrTapTimeRange *range, guint *frames_out);

/**
 * gst_hdr_tap_set_audio_callbacks: (skip)
 * @hdrtap: an element hdrtap
 * @callbacks: an application's functions
 * @user_data: for the functions
 * @notify: called after the last of them
 * @error: what went wrong
 *
 * Returns: whether that was done
 */
gboolean gst_hdr_tap_set_audio_callbacks(GstElement *hdrtap, const GstHdrTapAudioCallbacks *callbacks,
                                         gpointer user_data, GDestroyNotify notify, GError **error);

/**
 * gst_hdr_tap_remove_audio_callbacks:
 * @hdrtap: an element hdrtap
 *
 * Detaches the callbacks for audio, whichever are attached.
 */
void gst_hdr_tap_remove_audio_callbacks(GstElement *hdrtap);

/**
 * gst_hdr_tap_set_video_callbacks: (skip)
 * @hdrtap: an element hdrtap
 * @callbacks: an application's functions
 * @user_data: for the functions
 * @notify: called after the last of them
 * @error: what went wrong
 *
 * Returns: whether that was done
 */
gboolean gst_hdr_tap_set_video_callbacks(GstElement *hdrtap, const GstHdrTapVideoCallbacks *callbacks,
                                         gpointer user_data, GDestroyNotify notify, GError **error);

/**
 * gst_hdr_tap_remove_video_callbacks:
 * @hdrtap: an element hdrtap
 *
 * Detaches the callbacks for video, whichever are attached, and a function of gst_hdr_tap_set_video_function() too.
 */
void gst_hdr_tap_remove_video_callbacks(GstElement *hdrtap);

/**
 * gst_hdr_video_output_new:
 * @element: an hdrtap or an edrsink
 *
 * An object that hands out frames by time. Its properties and signals are listed in the header
 * gst/hdr/gsthdrvideooutput.h.
 *
 * Returns: (transfer full) (nullable): the output; %NULL for other elements
 */
GObject *gst_hdr_video_output_new(GstElement *element);

/**
 * gst_hdr_video_output_item_time:
 * @output: an output
 * @host_time: a time of CLOCK_MONOTONIC, in ns
 *
 * Returns: the running time of what is to be seen then, 0 before anything has played;
 *   %GST_CLOCK_TIME_NONE while the element is stopped
 */
guint64 gst_hdr_video_output_item_time(GObject *output, guint64 host_time);

/**
 * gst_hdr_video_output_has_new_frame:
 * @output: an output
 * @item_time: a running time, in ns
 *
 * Returns: whether the frame for that time is one that this output has not handed out
 */
gboolean gst_hdr_video_output_has_new_frame(GObject *output, guint64 item_time);

/**
 * gst_hdr_video_output_copy_frame:
 * @output: an output
 * @item_time: a running time, in ns
 * @display_time: (out) (optional): the running time from which the frame is seen
 *
 * Returns: (transfer full) (nullable): the newest frame whose time has come by then
 */
GstSample *gst_hdr_video_output_copy_frame(GObject *output, guint64 item_time, guint64 *display_time);

/**
 * gst_hdr_video_output_request_notification:
 * @output: an output
 * @advance_interval: how long before, in ns
 *
 * Asks for the signal media-data-will-change, once, before the time of the next frame.
 */
void gst_hdr_video_output_request_notification(GObject *output, guint64 advance_interval);

/**
 * gst_hdr_dynamic_meta_get_info: (skip)
 *
 * Returns: the GstMetaInfo of the dynamic metadata
 */
const GstMetaInfo *gst_hdr_dynamic_meta_get_info(void);

/**
 * gst_hdr_buffer_get_dynamic_meta: (skip)
 * @buffer: a picture
 * @format: of the metadata
 *
 * Returns: (transfer none) (nullable): the buffer's meta
 */
GstHdrDynamicMeta *gst_hdr_buffer_get_dynamic_meta(GstBuffer *buffer, GstHdrDynamicFormat format);

/**
 * gst_hdr_buffer_get_dynamic_metadata:
 * @buffer: a picture
 * @format: of the metadata
 * @flags: (out) (optional): #GstHdrDynamicFlags
 *
 * Those of GStreamer's own meta alone are not returned.
 *
 * Returns: (transfer none) (nullable): the picture's metadata of that format
 */
GBytes *gst_hdr_buffer_get_dynamic_metadata(GstBuffer *buffer, GstHdrDynamicFormat format, guint *flags);

/**
 * gst_hdr_buffer_set_dynamic_metadata:
 * @buffer: a picture that may be written to
 * @format: of the metadata
 * @data: the metadata
 * @flags: #GstHdrDynamicFlags
 *
 * Puts metadata on a picture, in place of those of the same format that it has.
 *
 * Returns: (transfer none) (nullable): the buffer's meta; %NULL, with nothing changed and a critical warning in the
 *     log, for a buffer that may not be written to, an unknown format, and without data
 */
GstHdrDynamicMeta *gst_hdr_buffer_set_dynamic_metadata(GstBuffer *buffer, GstHdrDynamicFormat format, GBytes *data,
                                                       guint flags);

/**
 * gst_hdr_buffer_remove_dynamic_metadata:
 * @buffer: a picture that may be written to
 * @format: of the metadata
 *
 * Removes a picture's metadata of one format, those of GStreamer's own meta too.
 *
 * Returns: whether a meta of this project was removed
 */
gboolean gst_hdr_buffer_remove_dynamic_metadata(GstBuffer *buffer, GstHdrDynamicFormat format);

/**
 * gst_hdr_composition_request_ref: (skip)
 * @request: a request
 *
 * Returns: (transfer full): the request
 */
GstHdrCompositionRequest *gst_hdr_composition_request_ref(GstHdrCompositionRequest *request);

/**
 * gst_hdr_composition_request_unref: (skip)
 * @request: (transfer full): a request
 */
void gst_hdr_composition_request_unref(GstHdrCompositionRequest *request);

/**
 * gst_hdr_composition_request_get_source:
 * @request: a request
 * @name: the name of a pad
 *
 * Returns: (transfer none) (nullable): the picture of that pad; %NULL where the request has none
 */
const GstHdrCompositionSource *gst_hdr_composition_request_get_source(const GstHdrCompositionRequest *request,
                                                                      const gchar *name);

/**
 * gst_hdr_composition_request_new_frame:
 * @request: a request
 *
 * Returns: (transfer full) (nullable): a frame of the render context with undefined content; %NULL where there is no
 *     memory
 */
GstBuffer *gst_hdr_composition_request_new_frame(GstHdrCompositionRequest *request);

/**
 * gst_hdr_composition_request_finish:
 * @request: a request
 * @frame: (transfer full): the answer
 *
 * Returns: FALSE where the request has been answered or cancelled before
 */
gboolean gst_hdr_composition_request_finish(GstHdrCompositionRequest *request, GstBuffer *frame);

/**
 * gst_hdr_composition_request_finish_with_source:
 * @request: a request
 * @source: one of its sources, which becomes the answer untouched
 *
 * Returns: FALSE where the request has been answered or cancelled before
 */
gboolean gst_hdr_composition_request_finish_with_source(GstHdrCompositionRequest *request,
                                                        const GstHdrCompositionSource *source);

/**
 * gst_hdr_composition_request_finish_with_error:
 * @request: a request
 * @text: the message of the error that ends the stream
 *
 * Returns: FALSE where the request has been answered or cancelled before
 */
gboolean gst_hdr_composition_request_finish_with_error(GstHdrCompositionRequest *request, const gchar *text);

/**
 * gst_hdr_composition_request_finish_cancelled:
 * @request: a request
 *
 * Leaves the picture out; the stream goes on without it.
 *
 * Returns: FALSE where the request has been answered or cancelled before
 */
gboolean gst_hdr_composition_request_finish_cancelled(GstHdrCompositionRequest *request);

/**
 * gst_hdr_composition_request_is_cancelled:
 * @request: a request
 *
 * Returns: whether it is no longer wanted
 */
gboolean gst_hdr_composition_request_is_cancelled(GstHdrCompositionRequest *request);

/**
 * gst_hdr_compositor_set_callbacks: (skip)
 * @hdrcompositor: an element hdrcompositor
 * @callbacks: an application's functions
 * @user_data: for the functions
 * @notify: called after the last of them
 * @error: what went wrong
 *
 * Returns: whether that was done
 */
gboolean gst_hdr_compositor_set_callbacks(GstElement *hdrcompositor, const GstHdrCompositorCallbacks *callbacks,
                                          gpointer user_data, GDestroyNotify notify, GError **error);

/**
 * gst_hdr_compositor_remove_callbacks:
 * @hdrcompositor: an element hdrcompositor
 *
 * Detaches the callbacks, whichever are attached.
 */
void gst_hdr_compositor_remove_callbacks(GstElement *hdrcompositor);

/**
 * gst_hdr_compositor_add_instruction:
 * @hdrcompositor: an element hdrcompositor
 * @instruction: its fields are listed in the header gst/hdr/gsthdrcompositing.h
 * @error: what went wrong
 *
 * Says what an attached compositor does in a range of stream time.
 *
 * Returns: whether it was taken
 */
gboolean gst_hdr_compositor_add_instruction(GstElement *hdrcompositor, const GstStructure *instruction, GError **error);

/**
 * gst_hdr_compositor_clear_instructions:
 * @hdrcompositor: an element hdrcompositor
 *
 * Removes all instructions.
 */
void gst_hdr_compositor_clear_instructions(GstElement *hdrcompositor);

#endif

G_END_DECLS

#endif
