/* Video outputs: an application's access to frames by time, with the contract of Apple's AVPlayerItemVideoOutput.
 *
 *     GObject *output = gst_hdr_video_output_new (tap);     // an hdrtap, or an edrsink
 *     g_object_set (output, "format", "rgba16f", "primaries", "display-p3", NULL);
 *     ...
 *     guint64 time = gst_hdr_video_output_item_time (output, host_time), display_time;
 *     if (gst_hdr_video_output_has_new_frame (output, time)) {
 *         GstSample *frame = gst_hdr_video_output_copy_frame (output, time, &display_time);
 *         if (frame) { draw (frame); gst_sample_unref (frame); }
 *     }
 *     ...
 *     g_object_unref (output);
 *
 * Header only: it talks to the object through its signals, and a program that uses it links GStreamer alone. All
 * functions may be called from any thread, and from handlers of the signals. Item times are running times of the
 * pipeline, host times are those of CLOCK_MONOTONIC, all in ns.
 *
 * Properties of an output, all of which may be set at any time:
 *
 *   format            gchararray  rgba16f or rgba32f for linear light, 1.0 being reference white, or a raw video format
 *   primaries         gchararray  bt709, display-p3, bt2020, smpte170m, bt470bg
 *   transfer          gchararray  bt709, srgb, pq, hlg, linear
 *   matrix            gchararray  bt709, bt2020, bt601
 *   allow-wide-color  gboolean    FALSE: HDR and wide colour become BT.709, where none of these three is set
 *   look-ahead        guint64     duration of coming frames that hdrtap holds, in ns; 2 s by default
 *   max-bytes         guint64     maximum memory of held frames, in bytes; 512 MiB by default
 *   consumption-record GstStructure  copied, missed, repeated, last-item-time; to be read
 *
 * What is NULL is the stream's; where all are, frames are the stream's own buffers by reference.
 *
 * Signals of an output, on a thread of its own: media-data-will-change, once after each request_notification, and
 * flushed, after a flush, as by a seek. */
#ifndef GST_HDR_VIDEO_OUTPUT_H
#define GST_HDR_VIDEO_OUTPUT_H

#include <gst/gst.h>
#include <gst/hdr/gsthdrinline.h>

G_BEGIN_DECLS

/* A new output of an element `hdrtap` or `edrsink`, owned by the caller; NULL for other elements. It does not have
 * frames that a tap has passed before it was made, so make it before the pipeline is paused. It may outlive the
 * element. */
GST_HDR_INLINE GObject *gst_hdr_video_output_new(GstElement *element) {
    GObject *output = NULL;
    if (element && g_signal_lookup("create-video-output", G_OBJECT_TYPE(element)))
        g_signal_emit_by_name(element, "create-video-output", &output);
    return output;
}

/* The running time of what is to be seen at a host time, which is one of CLOCK_MONOTONIC; GST_CLOCK_TIME_NONE before
 * anything plays. */
GST_HDR_INLINE guint64 gst_hdr_video_output_item_time(GObject *output, guint64 host_time) {
    guint64 time = GST_CLOCK_TIME_NONE;
    g_signal_emit_by_name(output, "item-time-for-host-time", host_time, &time);
    return time;
}

/* Whether the frame for that time is one that this output has not handed out yet. */
GST_HDR_INLINE gboolean gst_hdr_video_output_has_new_frame(GObject *output, guint64 item_time) {
    gboolean is_new = FALSE;
    g_signal_emit_by_name(output, "has-new-frame", item_time, &is_new);
    return is_new;
}

/* The frame for a time: the newest whose time has come by then. The caller owns it. NULL where nothing is to be shown,
 * and where the frame cannot be converted as the properties ask, which a warning on the bus says.
 *
 * It stays valid, and its memory unchanged, for as long as the sample, or a reference to its buffer, is held. It must
 * not be written to, since others have it too: gst_buffer_make_writable on a reference of the buffer makes a copy.
 *
 * *display_time, unless display_time is NULL, becomes the running time from which the frame is seen;
 * GST_CLOCK_TIME_NONE for a frame without one. It is also the field item-time of gst_sample_get_info. */
GST_HDR_INLINE GstSample *gst_hdr_video_output_copy_frame(GObject *output, guint64 item_time, guint64 *display_time) {
    GstSample *sample = NULL;
    g_signal_emit_by_name(output, "copy-frame", item_time, &sample);
    if (display_time) {
        const GstStructure *info = sample ? gst_sample_get_info(sample) : NULL;
        if (!info || !gst_structure_get_uint64(info, "item-time", display_time))
            *display_time = GST_CLOCK_TIME_NONE;
    }
    return sample;
}

/* Asks for one emission of the signal media-data-will-change: advance_interval ns before the time of the next frame
 * that this output has not handed out, or at once where that time is nearer. A second request replaces the first
 * one. */
GST_HDR_INLINE void gst_hdr_video_output_request_notification(GObject *output, guint64 advance_interval) {
    g_signal_emit_by_name(output, "request-notification", advance_interval);
}

G_END_DECLS

#endif
