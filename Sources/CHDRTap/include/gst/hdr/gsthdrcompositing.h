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
 *   cancel_all_pending_requests   the one that flushes, stops or attaches, also while start_request runs
 *   finalize                      not the element's streaming one; after the last call of the others has returned
 *
 * All of them may allocate and lock. The element asks for one picture at a time, and waits for its answer: stopping the
 * element, a flush as by a seek, attaching something else and releasing a pad cancel a request that has none yet. */
#ifndef GST_HDR_COMPOSITING_H
#define GST_HDR_COMPOSITING_H

#include <gst/hdr/gsthdrtap.h>

G_BEGIN_DECLS

/* The canvas. It never changes; a canvas of other caps is another context. Valid until render_context_changed returns,
 * and for as long as a request with it. */
typedef struct {
    gsize size; /* of this structure, in the element's version */
    const GstCaps *caps;
    const GstVideoInfo *info; /* size, pixel format, rate, pixel aspect ratio, colorimetry, siting */

    /* NULL where the caps have none. */
    const GstVideoMasteringDisplayInfo *mastering_display;
    const GstVideoContentLightLevel *content_light_level;

    /* Of light in frames, where the callbacks make frames of light: bytes from one row to the next, and its primaries,
     * never DEFAULT. */
    gsize light_stride;
    GstHdrTapColorSpace color_space;
} GstHdrRenderContext;

/* The picture of a pad, in the form that the callbacks declare, and not scaled or placed: what the pad's properties say
 * is for the compositor to do. To be read only. Valid for as long as the request. */
typedef struct {
    gsize size; /* of this structure, in the element's version */
    GstPad *pad;
    const gchar *name; /* the pad's, such as sink_0 */
    guint width, height;

    /* The picture's buffer, for its metadata. */
    GstBuffer *buffer;
    const GstCaps *caps; /* of the picture as it is here */

    /* The picture's planes. NULL where the callbacks see light. */
    const GstVideoFrame *planes;

    /* The first row of light, and the bytes from one row to the next; pixels of four guint16 (half floats) or gfloat,
     * as GstHdrTapView has it. NULL where the callbacks see planes. */
    gconstpointer light;
    gsize light_stride;
    GstHdrTapColorSpace color_space; /* of the light; never DEFAULT */
} GstHdrCompositionSource;

typedef struct _GstHdrCompositionRequest GstHdrCompositionRequest;

/* A picture that is asked for. Valid until start_request returns, and for as long as a reference is held, also after
 * the element has gone. All functions may be called on any thread. Made by the element. */
struct _GstHdrCompositionRequest {
    gsize size; /* of this structure, in the element's version */
    const GstHdrRenderContext *context;

    /* When the picture is shown, in ns; GST_CLOCK_TIME_NONE where that is not known. */
    GstClockTime stream_time;  /* in the medium, as instructions count */
    GstClockTime running_time; /* of the pipeline, as its clock counts */
    GstClockTime duration;

    /* The instruction for this time; NULL where the element has no instructions at all. */
    const GstStructure *instruction;

    /* The pictures of the pads that have one and that the instruction requires, from the lowest zorder up. */
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

/* A compositor, as its callbacks see it. Made by the element; valid until finalize returns. */
typedef struct {
    gsize size;         /* of this structure, in the element's version */
    gpointer user_data; /* as attached */
    gpointer storage;   /* the callbacks' own; init sets it */
} GstHdrCompositing;

/* What an application's compositor takes, and its functions, of which all but start_request may be NULL. The structure
 * is copied. */
typedef struct {
    gsize size; /* sizeof (GstHdrCompositorCallbacks) */

    /* Which pictures sources may have; others are converted. Neither: all are SDR in BT.709. Wide color: all are SDR,
     * in their own primaries. HDR, which implies wide color: all are as they come. */
    gboolean supports_wide_color_source_frames;
    gboolean supports_hdr_source_frames;

    /* How sources are seen, and what frames are made as: the canvas's planes, or light that the element codes. */
    GstHdrTapView source_view;
    GstHdrTapView frame_view;
    GstHdrTapColorSpace color_space; /* of light; DEFAULT is BT.2020 */

    void (*init)(GstHdrCompositing *compositing, gpointer user_data);
    void (*finalize)(GstHdrCompositing *compositing);

    /* Called before the first request, and before the first one of each other canvas. */
    void (*render_context_changed)(GstHdrCompositing *compositing, const GstHdrRenderContext *context);

    /* Asks for a picture. It is answered once, by one of the functions gst_hdr_composition_request_finish*, in this
     * call or later on any thread; for the latter, take a reference. A request that nobody can answer any more, since
     * nobody holds a reference, ends the stream with an error. */
    void (*start_request)(GstHdrCompositing *compositing, GstHdrCompositionRequest *request);

    /* The pending request is no longer wanted. After this call it is cancelled, whether it was answered or not, and an
     * answer is refused; what is at work on it should have ended, or end soon. */
    void (*cancel_all_pending_requests)(GstHdrCompositing *compositing);
} GstHdrCompositorCallbacks;

/* Takes a reference, for an answer after start_request. */
GST_HDR_INLINE GstHdrCompositionRequest *gst_hdr_composition_request_ref(GstHdrCompositionRequest *request) {
    request->ref(request);
    return request;
}

GST_HDR_INLINE void gst_hdr_composition_request_unref(GstHdrCompositionRequest *request) { request->unref(request); }

/* The picture of a pad by the pad's name; NULL where the request has none of it. */
GST_HDR_INLINE const GstHdrCompositionSource *
gst_hdr_composition_request_get_source(const GstHdrCompositionRequest *request, const gchar *name) {
    guint i;
    for (i = 0; i < request->n_sources; i++)
        if (g_strcmp0(request->sources[i]->name, name) == 0)
            return request->sources[i];
    return NULL;
}

/* A new frame of the render context, of no certain content; the caller owns it. With a frame_view of planes map it by
 * gst_video_frame_map with context->info; of light, by gst_buffer_map: its rows follow each other, light_stride bytes
 * each, RGBA premultiplied with alpha. NULL where there is no memory. */
GST_HDR_INLINE GstBuffer *gst_hdr_composition_request_new_frame(GstHdrCompositionRequest *request) {
    return request->new_frame(request);
}

/* Answers with a frame, which is taken over: one of gst_hdr_composition_request_new_frame, or any other of the render
 * context's caps. FALSE where the request has been answered or cancelled before, and for a frame of another size, which
 * ends the stream with an error. */
GST_HDR_INLINE gboolean gst_hdr_composition_request_finish(GstHdrCompositionRequest *request, GstBuffer *frame) {
    return request->finish(request, frame);
}

/* Answers with one of the request's sources, untouched: the memory of the pad's own buffer where that is of the
 * canvas's format, size and colour, else that pad alone as the element places it. FALSE as above. */
GST_HDR_INLINE gboolean gst_hdr_composition_request_finish_with_source(GstHdrCompositionRequest *request,
                                                                       const GstHdrCompositionSource *source) {
    return request->finish_with_source(request, source);
}

/* Ends the stream with an error of this text. FALSE where the request has been answered or cancelled before. */
GST_HDR_INLINE gboolean gst_hdr_composition_request_finish_with_error(GstHdrCompositionRequest *request,
                                                                      const gchar *text) {
    return request->finish_with_error(request, text);
}

/* Leaves the picture out; the stream goes on without it. FALSE where the request has been answered or cancelled
 * before. */
GST_HDR_INLINE gboolean gst_hdr_composition_request_finish_cancelled(GstHdrCompositionRequest *request) {
    return request->finish_cancelled(request);
}

/* Whether the request is no longer wanted. */
GST_HDR_INLINE gboolean gst_hdr_composition_request_is_cancelled(GstHdrCompositionRequest *request) {
    return request->is_cancelled(request);
}

/* What the functions below do; `signal` is the element's action signal. */
static inline gboolean gst_hdr_compositor_check(GstElement *hdrcompositor, const gchar *signal, GError **error) {
    if (hdrcompositor && g_signal_lookup(signal, G_OBJECT_TYPE(hdrcompositor)))
        return TRUE;
    g_set_error(error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
                "%s is no hdrcompositor with the signal %s: instructions are for that element",
                hdrcompositor ? GST_OBJECT_NAME(hdrcompositor) : "NULL", signal);
    return FALSE;
}

/* Attaches a compositor to an element `hdrcompositor`, in place of its own blending, or of what was attached before.
 * From any thread, in any state; while playing it takes over at the next picture, or at the present one where that has
 * no answer yet. `notify` is called with user_data after finalize.
 *
 * callbacks of NULL detach those that were attached with this user_data, or any where user_data is NULL; the element
 * then blends as before. Callbacks that stay attached are finalized with the element.
 *
 * FALSE, with an error, leaves the element as it was and calls nothing. */
GST_HDR_INLINE gboolean gst_hdr_compositor_set_callbacks(GstElement *hdrcompositor,
                                                         const GstHdrCompositorCallbacks *callbacks, gpointer user_data,
                                                         GDestroyNotify notify, GError **error) {
    return gst_hdr_attach_callbacks(hdrcompositor, "hdrcompositor", "set-compositor-callbacks", callbacks, user_data,
                                    notify, error);
}

/* Detaches whatever callbacks are attached. */
GST_HDR_INLINE void gst_hdr_compositor_remove_callbacks(GstElement *hdrcompositor) {
    gst_hdr_compositor_set_callbacks(hdrcompositor, NULL, NULL, NULL, NULL);
}

/* Says what an attached compositor does in a stretch of stream time. The structure stays the caller's, and has any
 * name; fields that the element knows, all of which may be absent:
 *
 *   start             guint64     the first ns; 0
 *   end               guint64     the first ns after it; without end
 *   required-sources  gchararray  names of pads with commas between them: the request has these alone; all
 *   passthrough       gchararray  the name of a pad, whose picture is taken as
 * gst_hdr_composition_request_finish_with_source has it, without a request
 *
 * All others are the application's own, and come with each request. Times that no instruction has are blended by the
 * element, where it has instructions. FALSE, with an error, for one that overlaps another. */
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

/* Takes all instructions back. */
GST_HDR_INLINE void gst_hdr_compositor_clear_instructions(GstElement *hdrcompositor) {
    if (gst_hdr_compositor_check(hdrcompositor, "clear-instructions", NULL))
        g_signal_emit_by_name(hdrcompositor, "clear-instructions");
}

G_END_DECLS

#endif
