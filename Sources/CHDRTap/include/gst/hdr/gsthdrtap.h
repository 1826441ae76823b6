/* Processing taps: an application's own code in a GStreamer pipeline, on audio with the contract of Apple's
 * MTAudioProcessingTap, and on video.
 *
 *     static const GstHdrTapAudioCallbacks callbacks = {
 *         .size = sizeof(GstHdrTapAudioCallbacks), .prepare = prepare, .process = process};
 *     gst_hdr_tap_set_audio_callbacks (hdrtap, &callbacks, my_data, NULL, &error);
 *
 * Header only: it talks to the element `hdrtap` through its signals, and a program that uses it links GStreamer alone.
 *
 * Life of a tap: init (prepare process* unprepare)* finalize, in this order always.
 *
 *   callback   thread                                   may allocate and lock
 *   init       the one that attaches                    yes
 *   prepare    streaming                                yes
 *   process    streaming, real time                     no
 *   unprepare  streaming, or the one that stops         yes
 *   finalize   not the element's streaming one; after   yes
 *              the last process call has returned
 *
 * The element neither allocates nor locks, logs or calls the system while process runs. GStreamer does so between the
 * calls: the promise holds for the callback, not for the thread that it runs on. On video nothing is real time: process
 * may allocate and lock too.
 *
 * An element has one tap at a time, for audio or for video; other streams pass, and a warning on the bus says so. */
#ifndef GST_HDR_TAP_H
#define GST_HDR_TAP_H

#include <gst/audio/audio.h>
#include <gst/gst.h>
#include <gst/hdr/gsthdrinline.h>
#include <gst/hdr/gsthdrqueue.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

typedef struct _GstHdrAudioTap GstHdrAudioTap;

/* START_OF_STREAM: these frames do not continue those before them. They are the first ones, or follow a seek, a gap in
 * time or a change of format. Drop all history: the first frame out belongs to the first frame in.
 * END_OF_STREAM: no frame will follow these. In process's flags_out it says that the processor's own output ends
 * here. */
typedef enum { GST_HDR_TAP_START_OF_STREAM = 1 << 8, GST_HDR_TAP_END_OF_STREAM = 1 << 9 } GstHdrTapFlags;

typedef enum {
    GST_HDR_TAP_OK = 0,
    GST_HDR_TAP_NOT_IN_PROCESS = -1,  /* only valid inside process, on its thread */
    GST_HDR_TAP_INVALID_ARGUMENT = -2 /* a list that does not have the format's shape, or a missing pointer */
} GstHdrTapStatus;

/* A tail that never ends by itself; the element's property max-tail limits it. */
#define GST_HDR_TAP_INFINITE_TAIL G_MAXUINT64

/* Samples of one channel in planar formats, of all channels interleaved otherwise. */
typedef struct {
    guint channels; /* in this buffer */
    guint size;     /* bytes that data holds */
    gpointer data;
} GstHdrTapAudioBuffer;

/* One buffer for interleaved formats, one for each channel for planar ones. */
typedef struct {
    guint n_buffers;
    GstHdrTapAudioBuffer *buffers;
} GstHdrTapAudioBufferList;

/* Stream time in units of 1/timescale seconds, where timescale is the sample rate. Between two START_OF_STREAM flags
 * ranges follow each other without gap or overlap. The duration is the number of frames times the segment's applied
 * rate. In reverse playback every buffer is a start of stream, and lies earlier than the one before it. */
typedef struct {
    gint64 start;
    gint64 duration;
    gint32 timescale;
} GstHdrTapTimeRange;

/* A tap, as its callbacks see it. The element makes it; it is valid until finalize returns. */
struct _GstHdrAudioTap {
    gsize size;         /* of this structure, in the element's version */
    gpointer user_data; /* as attached */
    gpointer storage;   /* the callbacks' own; init sets it */

    /* Set by prepare, which finds both 0. */
    guint latency; /* frames by which the output lags; the element drops as many and reports them to the pipeline */
    guint64 tail;  /* frames that still sound after the source's last one */

    /*< private >*/
    /* Use gst_hdr_tap_get_source_audio. */
    GstHdrTapStatus (*get_source_audio)(GstHdrAudioTap *tap, guint frames, GstHdrTapAudioBufferList *list, guint *flags,
                                        GstHdrTapTimeRange *range, guint *frames_out);
};

/* An application's functions. All but process may be NULL. The element copies the structure. */
typedef struct {
    gsize size; /* sizeof (GstHdrTapAudioCallbacks) */

    void (*init)(GstHdrAudioTap *tap, gpointer user_data);
    void (*finalize)(GstHdrAudioTap *tap);

    /* Called before the first samples after the start, after a change of caps and after an attachment, but not after a
     * seek. max_frames is the largest number of frames that process will be asked for. The format is the stream's: put
     * `audioconvert ! audio/x-raw,format=F32LE` before the element for another one. FALSE ends the stream with an
     * error. */
    gboolean (*prepare)(GstHdrAudioTap *tap, guint max_frames, const GstAudioInfo *format);
    void (*unprepare)(GstHdrAudioTap *tap);

    /* Produces `frames` frames (1 to max_frames). `list` has the format's shape, without data: hand it to
     * gst_hdr_tap_get_source_audio to get the source's samples, and change them in place, or point it to samples of
     * your own that stay valid until the next call. *frames_out holds `frames` at first; where less is written to it,
     * the rest is filled up with silence. A call that does not fetch its source audio lets it pass unchanged.
     *
     * `flags` holds START_OF_STREAM where the source audio of this call starts anew, and END_OF_STREAM where there is
     * none left: at the end of the stream calls go on for as long as the latency and the tail last. */
    void (*process)(GstHdrAudioTap *tap, guint frames, guint flags, GstHdrTapAudioBufferList *list, guint *frames_out,
                    guint *flags_out);
} GstHdrTapAudioCallbacks;

/* Fetches source audio; valid only inside process. A buffer whose data is NULL is pointed to memory of the element that
 * may be written to and stays valid until process returns; for other buffers samples are copied into their memory. The
 * source may have fewer frames than `frames`, and has none at the end of the stream: the buffers' `size` and
 * *frames_out give the number that was fetched. The memory of a call's first fetch has room for all frames of the call
 * all the same. Frames that are not fetched come with the next call; no frame comes twice.
 *
 * flags, range and frames_out may be NULL. */
GST_HDR_NO_LOCKS GST_HDR_INLINE GstHdrTapStatus gst_hdr_tap_get_source_audio(GstHdrAudioTap *tap, guint frames,
                                                                             GstHdrTapAudioBufferList *list,
                                                                             guint *flags, GstHdrTapTimeRange *range,
                                                                             guint *frames_out) {
    return tap->get_source_audio(tap, frames, list, flags, range, frames_out);
}

/* The common part of the functions that attach callbacks; `signal` is the action signal of an element of the type named
 * `kind`. */
static inline gboolean gst_hdr_attach_callbacks(GstElement *element, const gchar *kind, const gchar *signal,
                                                gconstpointer callbacks, gpointer user_data, GDestroyNotify notify,
                                                GError **error) {
    GError *problem = NULL;
    /* ISO C has no conversion from a function's address to a pointer, which the signal takes. */
    union {
        GDestroyNotify function;
        gpointer pointer;
    } notified = {notify};
    if (!element || !g_signal_lookup(signal, G_OBJECT_TYPE(element)))
        problem = g_error_new(GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
                              "%s is no %s with the signal %s: callbacks are for that element",
                              element ? GST_OBJECT_NAME(element) : "NULL", kind, signal);
    else
        g_signal_emit_by_name(element, signal, callbacks, user_data, notified.pointer, &problem);
    if (!problem)
        return TRUE;
    g_propagate_error(error, problem);
    return FALSE;
}

/* Attaches callbacks for audio to an element `hdrtap`, in place of its effect or of those attached before. It may be
 * called from any thread, in any state; while the element plays, the callbacks take over at the next buffer. `notify`
 * is called with user_data after finalize.
 *
 * callbacks of NULL detach those for audio: those that were attached with this user_data, or any where user_data is
 * NULL. The tap is finalized after its last process call has returned, at the latest when the element stops. Callbacks
 * that stay attached are finalized with the element.
 *
 * Where it returns FALSE, error is set, the element is left as it was and nothing is called. */
GST_HDR_INLINE gboolean gst_hdr_tap_set_audio_callbacks(GstElement *hdrtap, const GstHdrTapAudioCallbacks *callbacks,
                                                        gpointer user_data, GDestroyNotify notify, GError **error) {
    return gst_hdr_attach_callbacks(hdrtap, "hdrtap", "set-audio-callbacks", callbacks, user_data, notify, error);
}

/* Detaches the callbacks for audio, whichever are attached. */
GST_HDR_INLINE void gst_hdr_tap_remove_audio_callbacks(GstElement *hdrtap) {
    gst_hdr_tap_set_audio_callbacks(hdrtap, NULL, NULL, NULL, NULL);
}

/* ---- Video ---- */

typedef struct _GstHdrVideoTap GstHdrVideoTap;

/* What process sees of a frame.
 *
 * PLANES: the stream's own samples, untouched.
 *
 * LIGHT: linear light in extended range, rows of RGBA as half (binary16) or single floats. 1.0 is reference white: that
 * of SDR, and 203 cd/m^2 of PQ and of HLG on a display of 1000 cd/m^2. Highlights are above it, and colours outside of
 * the color space have components below 0. Colour is premultiplied with alpha, which is 1 where the stream has none.
 * What process writes is converted to the stream's samples again, with dither: values are limited to the range of the
 * samples, NaN becomes 0, and samples whose light has not changed stay as they were. */
typedef enum { GST_HDR_TAP_PLANES = 0, GST_HDR_TAP_LIGHT_HALF = 1, GST_HDR_TAP_LIGHT_FLOAT = 2 } GstHdrTapView;

/* The primaries of light; the white point is D65. */
typedef enum {
    GST_HDR_TAP_COLOR_SPACE_DEFAULT = 0, /* what the element's property color-space says */
    GST_HDR_TAP_COLOR_SPACE_DISPLAY_P3 = 1,
    GST_HDR_TAP_COLOR_SPACE_BT2020 = 2,
    GST_HDR_TAP_COLOR_SPACE_BT709 = 3
} GstHdrTapColorSpace;

/* What process does with a frame's samples. READ: it only looks at them; buffers pass by reference, so that this costs
 * no copy. CHANGE: it may write them; where a buffer is in use elsewhere, as behind a tee, process gets a copy. */
typedef enum { GST_HDR_TAP_READ = 0, GST_HDR_TAP_CHANGE = 1 } GstHdrTapAccess;

/* What process returns. NOT_THIS_ONE: the frame passes as it came. FAILED: the stream ends with the error that process
 * has set. */
typedef enum {
    GST_HDR_TAP_FRAME_OK = 0,
    GST_HDR_TAP_FRAME_NOT_THIS_ONE = 1,
    GST_HDR_TAP_FRAME_FAILED = -1
} GstHdrTapFrameResult;

/* A stream of raw video. It is valid until prepare returns. */
typedef struct {
    gsize size; /* of this structure, in the element's version */
    const GstCaps *caps;
    const GstVideoInfo *info; /* pixel format, size, rate, interlacing, colorimetry, siting */

    /* NULL where the caps have none. */
    const GstVideoMasteringDisplayInfo *mastering_display;
    const GstVideoContentLightLevel *content_light_level;
} GstHdrTapVideoFormat;

/* When a frame is shown, in ns; a time is GST_CLOCK_TIME_NONE where it is not known, and outside of the segment. */
typedef struct {
    gsize size;                /* of this structure, in the element's version */
    guint flags;               /* GST_HDR_TAP_START_OF_STREAM where the frame does not continue those before */
    GstClockTime stream_time;  /* time in the medium, as a player shows it */
    GstClockTime running_time; /* time of the pipeline, as its clock counts */
    GstClockTime pts;          /* the buffer's time stamp */
    GstClockTime duration;
} GstHdrTapVideoTimes;

/* A frame. It is valid until process returns. */
typedef struct {
    gsize size; /* of this structure, in the element's version */
    guint width, height;

    /* The frame's buffer, for its metadata. It must not be changed. To keep it, take a reference: the memory behind it
     * then stays as it is, and elements downstream that write into it make copies. */
    GstBuffer *buffer;

    /* The stream's own planes, to be read with GST_VIDEO_FRAME_PLANE_DATA and the like, and written only with
     * GST_HDR_TAP_CHANGE. NULL where the tap sees light. */
    GstVideoFrame *planes;

    /* The first row of light, and the number of bytes from one row to the next. A pixel is four guint16 (half floats)
     * or four gfloat. light is NULL where the tap sees planes. */
    gpointer light;
    gsize light_stride;
    GstHdrTapColorSpace color_space; /* of the light; never DEFAULT */
} GstHdrTapVideoFrame;

/* A tap, as its callbacks see it. The element makes it; it is valid until finalize returns. */
struct _GstHdrVideoTap {
    gsize size;         /* of this structure, in the element's version */
    gpointer user_data; /* as attached */
    gpointer storage;   /* the callbacks' own; init sets it */

    /* Set by prepare, which finds them 0. */
    GstHdrTapView view;
    GstHdrTapAccess access;
    GstHdrTapColorSpace color_space;
};

/* An application's functions for video. All but process may be NULL. The element copies the structure. */
typedef struct {
    gsize size; /* sizeof (GstHdrTapVideoCallbacks) */

    void (*init)(GstHdrVideoTap *tap, gpointer user_data);
    void (*finalize)(GstHdrVideoTap *tap);

    /* Called before the first frame after the start, after a change of caps and after an attachment, but not after a
     * seek. FALSE ends the stream, with the error's text where one is set. */
    gboolean (*prepare)(GstHdrVideoTap *tap, const GstHdrTapVideoFormat *format, GError **error);
    void (*unprepare)(GstHdrVideoTap *tap);

    /* Processes one frame. Where it returns NOT_THIS_ONE or FAILED, it must not have written to the frame. After FAILED
     * there are no more calls before a flush, other caps, another attachment or a new start. */
    GstHdrTapFrameResult (*process)(GstHdrVideoTap *tap, GstHdrTapVideoFrame *frame, const GstHdrTapVideoTimes *times,
                                    GError **error);
} GstHdrTapVideoCallbacks;

/* Attaches callbacks for video to an element `hdrtap`, by the rules of gst_hdr_tap_set_audio_callbacks; callbacks of
 * NULL detach those for video only. */
GST_HDR_INLINE gboolean gst_hdr_tap_set_video_callbacks(GstElement *hdrtap, const GstHdrTapVideoCallbacks *callbacks,
                                                        gpointer user_data, GDestroyNotify notify, GError **error) {
    return gst_hdr_attach_callbacks(hdrtap, "hdrtap", "set-video-callbacks", callbacks, user_data, notify, error);
}

/* Detaches the callbacks for video, whichever are attached. */
GST_HDR_INLINE void gst_hdr_tap_remove_video_callbacks(GstElement *hdrtap) {
    gst_hdr_tap_set_video_callbacks(hdrtap, NULL, NULL, NULL, NULL);
}

G_END_DECLS

#endif
