/* Video taps for languages whose functions capture variables: one function in place of the structure of callbacks in
 * gst/hdr/gsthdrtap.h. */
#ifndef GST_HDR_VIDEO_FUNCTION_H
#define GST_HDR_VIDEO_FUNCTION_H

#include <gst/gst.h>
#include <gst/hdr/gsthdrapi.h>
#include <gst/hdr/gsthdrtap.h>

G_BEGIN_DECLS

/**
 * GstHdrTapVideoFunction:
 * @frame: a frame, valid until the function returns
 * @times: when it is shown
 * @user_data: what was given to gst_hdr_tap_set_video_function()
 *
 * What a tap does with each frame, on the streaming thread.
 *
 * Returns: what becomes of the frame
 */
typedef GstHdrTapFrameResult (*GstHdrTapVideoFunction)(GstHdrTapVideoFrame *frame, const GstHdrTapVideoTimes *times,
                                                       gpointer user_data);

/**
 * gst_hdr_tap_set_video_function:
 * @hdrtap: an element hdrtap
 * @view: what the function sees of a frame
 * @access: what it does with the frame's samples
 * @color_space: the primaries of light
 * @function: (scope notified) (closure user_data) (destroy notify): called with each frame
 * @user_data: for @function
 * @notify: (nullable): called when @function is no longer needed, and before the function returns where it is not
 * attached
 * @error: what went wrong
 *
 * Attaches a function to an element, by the rules of gst_hdr_tap_set_video_callbacks(). A frame for which it returns
 * %GST_HDR_TAP_FRAME_FAILED ends the stream with an error, whose text gst_hdr_tap_video_frame_fail() takes.
 * gst_hdr_tap_remove_video_callbacks() detaches it.
 *
 * Returns: whether it is attached; where it is not, @error is %GST_LIBRARY_ERROR_SETTINGS, in the domain
 *     %GST_LIBRARY_ERROR, for an element that is no hdrtap
 */
GST_HDR_API
gboolean gst_hdr_tap_set_video_function(GstElement *hdrtap, GstHdrTapView view, GstHdrTapAccess access,
                                        GstHdrTapColorSpace color_space, GstHdrTapVideoFunction function,
                                        gpointer user_data, GDestroyNotify notify, GError **error);

/**
 * gst_hdr_tap_video_frame_copy_light:
 * @frame: a frame that the tap sees as light
 *
 * Returns: (transfer full) (nullable): its rows, light_stride bytes each, of pixels of four half or single floats,
 *     R, G, B and A, premultiplied; %NULL for a frame that is seen as planes
 */
GST_HDR_API
GBytes *gst_hdr_tap_video_frame_copy_light(const GstHdrTapVideoFrame *frame);

/**
 * gst_hdr_tap_video_frame_write_light:
 * @frame: a frame that the tap sees as light and may change
 * @light: as gst_hdr_tap_video_frame_copy_light() gives it
 *
 * Returns: FALSE, with nothing written, for another number of bytes, for a frame that is seen as planes, and in a
 *     function that was attached with %GST_HDR_TAP_READ
 */
GST_HDR_API
gboolean gst_hdr_tap_video_frame_write_light(GstHdrTapVideoFrame *frame, GBytes *light);

/**
 * gst_hdr_tap_video_frame_copy_plane:
 * @frame: a frame that the tap sees as planes
 * @plane: its number
 *
 * Returns: (transfer full) (nullable): the plane's rows with their stride, as the frame's GstVideoMeta or its
 *     format has it, or the 256 entries of four bytes of a palette; %NULL for a plane that the frame does not have
 */
GST_HDR_API
GBytes *gst_hdr_tap_video_frame_copy_plane(const GstHdrTapVideoFrame *frame, guint plane);

/**
 * gst_hdr_tap_video_frame_write_plane:
 * @frame: a frame that the tap sees as planes and may change
 * @plane: its number
 * @samples: as gst_hdr_tap_video_frame_copy_plane() gives them
 *
 * Returns: FALSE, with nothing written, for another number of bytes, for a plane that the frame does not have, and for
 *     a tap with %GST_HDR_TAP_READ, whose samples others may use
 */
GST_HDR_API
gboolean gst_hdr_tap_video_frame_write_plane(GstHdrTapVideoFrame *frame, guint plane, GBytes *samples);

/**
 * gst_hdr_tap_video_frame_fail:
 * @frame: the frame of a function that was attached with gst_hdr_tap_set_video_function()
 * @text: why it cannot be processed, and what to do about it
 *
 * Sets the text of the error with which the stream ends, for the function to return the result:
 * `return frame.fail("the model is missing")` in Python. It acts on the thread that called the function.
 *
 * Returns: %GST_HDR_TAP_FRAME_FAILED
 */
GST_HDR_API
GstHdrTapFrameResult gst_hdr_tap_video_frame_fail(GstHdrTapVideoFrame *frame, const gchar *text);

G_END_DECLS

#endif
