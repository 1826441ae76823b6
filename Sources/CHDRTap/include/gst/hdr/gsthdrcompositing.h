/* Custom compositors: an application's own code in place of the blending of an element `hdrcompositor`, with the
 * contract of Apple's AVVideoCompositing.
 *
 *     static const GstHdrCompositorCallbacks callbacks = {
 *         .size = sizeof(GstHdrCompositorCallbacks), .supports_hdr_source_frames = TRUE,
 *         .source_view = GST_HDR_TAP_LIGHT_HALF, .frame_view = GST_HDR_TAP_LIGHT_HALF, .start_request = start_request};
 *     gst_hdr_compositor_set_callbacks (hdrcompositor, &callbacks, my_data, NULL, &error);
 *
 * Header only: it talks to the element through its signals, and a program that uses it links GStreamer alone.
 *
 * Life of a compositor: init (render_context_changed start_request*)* finalize.
 *
 *   callback                      thread
 *   init                          the one that attaches
 *   render_context_changed        streaming
 *   start_request                 streaming
 *   cancel_all_pending_requests   the one that flushes, stops, attaches or releases a pad, also while start_request
 *                                 runs
 *   finalize                      not the element's streaming one; after the last call of the others has returned
 *
 * All of them may allocate and lock. The element asks for one picture at a time, and waits for its answer: stopping the
 * element, a flush as by a seek, attaching something else and releasing a pad cancel a request that has none yet. */
#ifndef GST_HDR_COMPOSITING_H
#define GST_HDR_COMPOSITING_H

#include <gst/hdr/gsthdrtap.h>

G_BEGIN_DECLS

/* The canvas. It never changes; a canvas of other caps is another context. It is valid until render_context_changed
 * returns, and for as long as a request that refers to it. */
typedef struct {
    gsize size; /* of this structure, in the element's version */
    const GstCaps *caps;
    const GstVideoInfo *info; /* size, pixel format, rate, pixel aspect ratio, colorimetry, siting */

    /* NULL where the caps have none. */
    const GstVideoMasteringDisplayInfo *mastering_display;
    const GstVideoContentLightLevel *content_light_level;

    /* For callbacks that make frames of light: the number of bytes from one row of such a frame to the next, and its
     * primaries, which are never DEFAULT. */
    gsize light_stride;
    GstHdrTapColorSpace color_space;
} GstHdrRenderContext;

/* The picture of a pad, in the form that the callbacks declare, neither scaled nor placed: the compositor itself has to
 * do what the pad's properties say. It is to be read only, and valid for as long as the request. */
typedef struct {
    gsize size; /* of this structure, in the element's version */
    GstPad *pad;
    const gchar *name; /* the pad's name, such as sink_0 */
    guint width, height;

    /* The picture's buffer, for its metadata. */
    GstBuffer *buffer;
    const GstCaps *caps; /* caps of the picture in the form that it has here */

    /* The picture's planes; NULL where the callbacks see light. */
    const GstVideoFrame *planes;

    /* The first row of light, and the number of bytes from one row to the next. A pixel is four guint16 (half floats)
     * or four gfloat, as in GstHdrTapView. light is NULL where the callbacks see planes. */
    gconstpointer light;
    gsize light_stride;
    GstHdrTapColorSpace color_space; /* of the light; never DEFAULT */
} GstHdrCompositionSource;

typedef struct _GstHdrCompositionRequest GstHdrCompositionRequest;

/* A request for a picture, made by the element. It is valid until start_request returns, and for as long as a reference
 * is held, even after the element has gone. All its functions may be called on any thread. */
struct _GstHdrCompositionRequest {
    gsize size; /* of this structure, in the element's version */
    const GstHdrRenderContext *context;

    /* When the picture is shown, in ns; GST_CLOCK_TIME_NONE where that is not known. */
    GstClockTime stream_time;  /* time in the medium, which instructions refer to */
    GstClockTime running_time; /* time of the pipeline, as its clock counts */
    GstClockTime duration;

    /* The instruction for this time; NULL where the element has no instructions at all. */
    const GstStructure *instruction;

    /* The pictures of the pads that have one and that the instruction requires, in ascending order of zorder. */
    guint n_sources;
    const GstHdrCompositionSource *const *sources;

    /*< private >*/
    /* Use the functions below. */
    gpointer implementation;
    void (*ref)(GstHdrCompositionRequest *request);
    void (*unref)(GstHdrCompositionRequest *request);
    GstBuffer *(*new_frame)(GstHdrCompositionRequest *request);
    gboolean (*finish)(GstHdrCompositionRequest *request, GstBuffer *frame);
    gboolean (*finish_with_source)(GstHdrCompositionRequest *request, const GstHdrCompositionSource *source);
    gboolean (*finish_with_error)(GstHdrCompositionRequest *request, const gchar *text);
    gboolean (*finish_cancelled)(GstHdrCompositionRequest *request);
    gboolean (*is_cancelled)(GstHdrCompositionRequest *request);
};

/* A compositor, as its callbacks see it. The element makes it; it is valid until finalize returns. */
typedef struct {
    gsize size;         /* of this structure, in the element's version */
    gpointer user_data; /* as attached */
    gpointer storage;   /* the callbacks' own; init sets it */
} GstHdrCompositing;

/* The sources that an application's compositor accepts, and its functions, of which all but start_request may be NULL.
 * The element copies the structure. */
typedef struct {
    gsize size; /* sizeof (GstHdrCompositorCallbacks) */

    /* Which pictures sources may have; others are converted. With neither, all are SDR in BT.709. With wide color, all
     * are SDR in their own primaries. With HDR, which implies wide color, all are passed as they come. */
    gboolean supports_wide_color_source_frames;
    gboolean supports_hdr_source_frames;

    /* The form in which sources are seen, and that in which frames are made: the canvas's planes, or light that the
     * element codes. */
    GstHdrTapView source_view;
    GstHdrTapView frame_view;
    GstHdrTapColorSpace color_space; /* primaries of light; DEFAULT is BT.2020 */

    void (*init)(GstHdrCompositing *compositing, gpointer user_data);
    void (*finalize)(GstHdrCompositing *compositing);

    /* Called before the first request, and before the first request of each canvas that differs from the one before. */
    void (*render_context_changed)(GstHdrCompositing *compositing, const GstHdrRenderContext *context);

    /* Asks for a picture. It is answered once, by one of the functions gst_hdr_composition_request_finish*, in this
     * call or later on any thread; for the latter, take a reference. A request that nobody can answer any more, since
     * nobody holds a reference, ends the stream with an error. */
    void (*start_request)(GstHdrCompositing *compositing, GstHdrCompositionRequest *request);

    /* Says that the pending request is no longer wanted. From this call on it is cancelled, whether it was answered or
     * not, and an answer is refused. Work on it should have ended when this returns, or end soon after. */
    void (*cancel_all_pending_requests)(GstHdrCompositing *compositing);
} GstHdrCompositorCallbacks;

/* Takes a reference, which an answer after start_request needs. */
GST_HDR_INLINE GstHdrCompositionRequest *gst_hdr_composition_request_ref(GstHdrCompositionRequest *request) {
    request->ref(request);
    return request;
}

GST_HDR_INLINE void gst_hdr_composition_request_unref(GstHdrCompositionRequest *request) { request->unref(request); }

/* The picture of the pad with that name; NULL where the request has none. */
GST_HDR_INLINE const GstHdrCompositionSource *
gst_hdr_composition_request_get_source(const GstHdrCompositionRequest *request, const gchar *name) {
    guint i;
    for (i = 0; i < request->n_sources; i++)
        if (g_strcmp0(request->sources[i]->name, name) == 0)
            return request->sources[i];
    return NULL;
}

/* A new frame of the render context with undefined content; the caller owns it. Where frame_view is planes, map it by
 * gst_video_frame_map with context->info; where it is light, by gst_buffer_map: its rows follow each other,
 * light_stride bytes each, of RGBA premultiplied with alpha. NULL where there is no memory. */
GST_HDR_INLINE GstBuffer *gst_hdr_composition_request_new_frame(GstHdrCompositionRequest *request) {
    return request->new_frame(request);
}

/* Answers with a frame, whose ownership is taken: one of gst_hdr_composition_request_new_frame, or any other of the
 * render context's caps. FALSE where the request has been answered or cancelled before, and for a frame of another
 * size, which ends the stream with an error. */
GST_HDR_INLINE gboolean gst_hdr_composition_request_finish(GstHdrCompositionRequest *request, GstBuffer *frame) {
    return request->finish(request, frame);
}

/* Answers with one of the request's sources, untouched: the memory of the pad's own buffer where that has the canvas's
 * format, size and colour, else that pad alone as the element places it. FALSE where the request has been answered or
 * cancelled before. */
GST_HDR_INLINE gboolean gst_hdr_composition_request_finish_with_source(GstHdrCompositionRequest *request,
                                                                       const GstHdrCompositionSource *source) {
    return request->finish_with_source(request, source);
}

/* Answers by ending the stream with an error of this text. FALSE where the request has been answered or cancelled
 * before. */
GST_HDR_INLINE gboolean gst_hdr_composition_request_finish_with_error(GstHdrCompositionRequest *request,
                                                                      const gchar *text) {
    return request->finish_with_error(request, text);
}

/* Answers with no picture: it is left out, and the stream goes on without it. FALSE where the request has been answered
 * or cancelled before. */
GST_HDR_INLINE gboolean gst_hdr_composition_request_finish_cancelled(GstHdrCompositionRequest *request) {
    return request->finish_cancelled(request);
}

/* Whether the request is no longer wanted. */
GST_HDR_INLINE gboolean gst_hdr_composition_request_is_cancelled(GstHdrCompositionRequest *request) {
    return request->is_cancelled(request);
}

/* Whether the element has the action signal `signal`; sets error where it does not. */
static inline gboolean gst_hdr_compositor_check(GstElement *hdrcompositor, const gchar *signal, GError **error) {
    if (hdrcompositor && g_signal_lookup(signal, G_OBJECT_TYPE(hdrcompositor)))
        return TRUE;
    g_set_error(error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
                "%s is no hdrcompositor with the signal %s: instructions are for that element",
                hdrcompositor ? GST_OBJECT_NAME(hdrcompositor) : "NULL", signal);
    return FALSE;
}

/* Attaches a compositor to an element `hdrcompositor`, in place of its own blending, or of what was attached before. It
 * may be called from any thread, in any state; while the element plays, the compositor takes over at the next picture,
 * or at the present one where that has no answer yet. `notify` is called with user_data after finalize.
 *
 * callbacks of NULL detach those that were attached with this user_data, or any where user_data is NULL; the element
 * then blends as before. Callbacks that stay attached are finalized with the element.
 *
 * Where it returns FALSE, error is set, the element is left as it was and nothing is called. */
GST_HDR_INLINE gboolean gst_hdr_compositor_set_callbacks(GstElement *hdrcompositor,
                                                         const GstHdrCompositorCallbacks *callbacks, gpointer user_data,
                                                         GDestroyNotify notify, GError **error) {
    return gst_hdr_attach_callbacks(hdrcompositor, "hdrcompositor", "set-compositor-callbacks", callbacks, user_data,
                                    notify, error);
}

/* Detaches the callbacks, whichever are attached. */
GST_HDR_INLINE void gst_hdr_compositor_remove_callbacks(GstElement *hdrcompositor) {
    gst_hdr_compositor_set_callbacks(hdrcompositor, NULL, NULL, NULL, NULL);
}

/* Says what an attached compositor does in a range of stream time. The structure stays the caller's, and may have any
 * name. The element knows these fields, all of which may be absent:
 *
 *   start             guint64     the first ns; 0 where absent
 *   end               guint64     the first ns after the range; no end where absent
 *   required-sources  gchararray  names of pads, separated by commas, which alone the request has; all where absent
 *   passthrough       gchararray  the name of a pad whose picture is the answer without a request, in the way of
 *                                 gst_hdr_composition_request_finish_with_source
 *
 * All other fields are the application's own, and come with each request. Once the element has instructions, it blends
 * the times that none of them covers by itself. FALSE, with an error, for an instruction that overlaps another. */
GST_HDR_INLINE gboolean gst_hdr_compositor_add_instruction(GstElement *hdrcompositor, const GstStructure *instruction,
                                                           GError **error) {
    GError *problem = NULL;
    if (!gst_hdr_compositor_check(hdrcompositor, "add-instruction", error))
        return FALSE;
    g_signal_emit_by_name(hdrcompositor, "add-instruction", instruction, &problem);
    if (!problem)
        return TRUE;
    g_propagate_error(error, problem);
    return FALSE;
}

/* Removes all instructions. */
GST_HDR_INLINE void gst_hdr_compositor_clear_instructions(GstElement *hdrcompositor) {
    if (gst_hdr_compositor_check(hdrcompositor, "clear-instructions", NULL))
        g_signal_emit_by_name(hdrcompositor, "clear-instructions");
}

G_END_DECLS

#endif
