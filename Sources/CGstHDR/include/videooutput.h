/* Frames for applications, by time. CGstHDR.h says who implements the functions and who owns the arguments. */
#ifndef CGSTHDR_VIDEOOUTPUT_H
#define CGSTHDR_VIDEOOUTPUT_H

#include <gst/gst.h>

#pragma GCC visibility push(hidden)
G_BEGIN_DECLS

typedef struct _GstHdrVideoOutput {
    GObject parent;
    /* The element whose frames these are, and its item-time-for-host-time. */
    GWeakRef element;
    guint64 (*item_time)(GstElement *element, guint64 host_time);
    gpointer impl;
} GstHdrVideoOutput;

typedef struct _GstHdrVideoOutputClass {
    GObjectClass parent_class;
} GstHdrVideoOutputClass;

GType gst_hdr_video_output_get_type(void);
/* C. Takes impl over. */
GstHdrVideoOutput *gst_hdr_video_output_new(GstElement *element, guint64 (*item_time)(GstElement *, guint64),
                                            gpointer impl);

/* Swift. Any thread calls them. */
void hdr_video_output_free(gpointer impl);
gboolean hdr_video_output_has_new_frame(gpointer impl, guint64 item_time);
/* The caller owns what these return; the sample is NULL where there is no frame. */
GstSample *hdr_video_output_copy_frame(gpointer impl, guint64 item_time);
GstStructure *hdr_video_output_consumption_record(gpointer impl);

G_END_DECLS
#pragma GCC visibility pop

#endif
