/* An application's compositor in the element hdrcompositor. CGstHDR.h says who implements the functions and who owns
 * the arguments. */
#ifndef CGSTHDR_HDRCOMPOSITING_H
#define CGSTHDR_HDRCOMPOSITING_H

#include "hdrcompositor.h"
#include <gst/hdr/gsthdrcompositing.h>

#pragma GCC visibility push(hidden)
G_BEGIN_DECLS

/* The values of compose-sources. */
typedef enum {
    GST_HDR_COMPOSITOR_SOURCES_SDR,
    GST_HDR_COMPOSITOR_SOURCES_WIDE_COLOR,
    GST_HDR_COMPOSITOR_SOURCES_HDR,
} GstHdrCompositorSources;

static const guint64 GST_HDR_COMPOSITOR_DEFAULT_REQUEST_TIMEOUT = 0;
static const GstHdrCompositorSources GST_HDR_COMPOSITOR_DEFAULT_COMPOSE_SOURCES = GST_HDR_COMPOSITOR_SOURCES_SDR;

/* Returned by aggregate and aggregate_frames for a picture that is to be composed anew. */
static const GstFlowReturn GST_HDR_COMPOSITOR_FLOW_AGAIN = GST_AGGREGATOR_FLOW_NEED_DATA;

/* C. Installs the signals and properties of compositing and overrides functions of the class, after the class's own. */
void gst_hdr_compositor_install_compositing(GstHdrCompositorClass *klass);
/* C. Whether a handler of the signal compose waits for pictures. */
gboolean gst_hdr_compositor_has_compose_handler(GstHdrCompositor *element);
/* C. The buffer that the handler returns, which the caller owns, or NULL. */
GstBuffer *gst_hdr_compositor_emit_compose(GstHdrCompositor *element, GstStructure *request);
void gst_hdr_compositor_emit_render_context_changed(GstHdrCompositor *element, GstCaps *caps);

/* Swift. The aggregator's thread calls may_compose, is_custom and finished_picture; all others: any thread. */

/* Returns NULL, or an error that the caller owns. */
GError *hdr_compositor_set_callbacks(gpointer impl, const GstHdrCompositorCallbacks *callbacks, gpointer user_data,
                                     GDestroyNotify notify);
/* Returns NULL, or an error that the caller owns. */
GError *hdr_compositor_add_instruction(gpointer impl, const GstStructure *instruction);
void hdr_compositor_clear_instructions(gpointer impl);
/* Whether a request may begin, if one is needed. It waits for a short while until one may. */
gboolean hdr_compositor_may_compose(gpointer impl);
/* Whether the next picture is composed by something other than the element. */
gboolean hdr_compositor_is_custom(gpointer impl);
/* Takes ownership of the buffer that stands for the picture that was composed last. Returns the picture itself, which
 * the caller owns, or NULL where it was left out. */
GstBuffer *hdr_compositor_finished_picture(gpointer impl, GstBuffer *buffer);
/* Called for a flush of a pad, before and after it takes effect. */
void hdr_compositor_flushes(gpointer impl, gconstpointer pad, gboolean begins);
/* Called before and after a seek that flushes goes upstream. */
void hdr_compositor_seeks(gpointer impl, gboolean begins);
/* Called before and after a pad is released. */
void hdr_compositor_releases(gpointer impl, gconstpointer pad, gboolean begins);
/* Called before streaming begins, and before it ends. */
void hdr_compositor_streams(gpointer impl, gboolean begins);
void hdr_compositor_dispose(gpointer impl);

G_END_DECLS
#pragma GCC visibility pop

#endif
