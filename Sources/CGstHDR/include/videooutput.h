/* Video outputs, from which applications take frames by time. CGstHDR.h says who implements the functions and who owns
 * the arguments. */
#ifndef CGSTHDR_VIDEOOUTPUT_H
#define CGSTHDR_VIDEOOUTPUT_H

#include <gst/gst.h>

#pragma GCC visibility push(hidden)
G_BEGIN_DECLS

typedef struct _GstHdrVideoOutput {
    GObject parent;
    gpointer impl;
} GstHdrVideoOutput;

typedef struct _GstHdrVideoOutputClass {
    GObjectClass parent_class;
} GstHdrVideoOutputClass;

typedef enum {
    GST_HDR_VIDEO_OUTPUT_PROP_CONSUMPTION_RECORD = 1,
    GST_HDR_VIDEO_OUTPUT_PROP_FORMAT,
    GST_HDR_VIDEO_OUTPUT_PROP_PRIMARIES,
    GST_HDR_VIDEO_OUTPUT_PROP_TRANSFER,
    GST_HDR_VIDEO_OUTPUT_PROP_MATRIX,
    GST_HDR_VIDEO_OUTPUT_PROP_ALLOW_WIDE_COLOR,
    GST_HDR_VIDEO_OUTPUT_PROP_LOOK_AHEAD,
    GST_HDR_VIDEO_OUTPUT_PROP_MAX_BYTES,
} GstHdrVideoOutputProp;

/* The defaults of properties, in ns and in bytes. */
static const guint64 GST_HDR_VIDEO_OUTPUT_DEFAULT_LOOK_AHEAD = 2 * GST_SECOND;
static const guint64 GST_HDR_VIDEO_OUTPUT_DEFAULT_MAX_BYTES = (guint64)512 << 20;

GType gst_hdr_video_output_get_type(void);
/* C. Makes a video output, which takes ownership of impl. */
GstHdrVideoOutput *gst_hdr_video_output_own(gpointer impl);
/* C. Emits flushed where `flushed` is true, otherwise media-data-will-change. */
void gst_hdr_video_output_emit(gpointer self, gboolean flushed);

/* Swift. Any thread calls these functions; attach is called once, before all others, and free last. */
void hdr_video_output_attach(gpointer impl, GObject *owner);
void hdr_video_output_free(gpointer impl);
void hdr_video_output_set_property(gpointer impl, guint id, const GValue *value);
void hdr_video_output_get_property(gpointer impl, guint id, GValue *value);
guint64 hdr_video_output_item_time(gpointer impl, guint64 host_time);
gboolean hdr_video_output_has_new_frame(gpointer impl, guint64 item_time);
/* The sample, which the caller owns; NULL where there is no frame. */
GstSample *hdr_video_output_copy_frame(gpointer impl, guint64 item_time);
void hdr_video_output_request_notification(gpointer impl, guint64 advance_interval);

G_END_DECLS
#pragma GCC visibility pop

#endif
