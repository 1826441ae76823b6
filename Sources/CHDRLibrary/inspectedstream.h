/* What the packets of a stream say of its dynamic range. */
#ifndef HDR_INSPECTED_STREAM_H
#define HDR_INSPECTED_STREAM_H

#include <gst/gst.h>

/* Written by one streaming thread, under a lock of the caller's. */
typedef struct {
    gchar *id;
    /* The caps of the first packet; NULL where there was none. */
    GstCaps *caps;
    /* Caps that have changed, so that the next packet begins a run. */
    GstCaps *changed;
    /* Runs of packets of one dynamic range. */
    GArray *runs;
    GstSegment segment;
    gboolean has_packets, has_dolby_vision, has_hdr10_plus, has_st2094_50;
} HdrInspectedStream;

void hdr_inspected_stream_init(HdrInspectedStream *stream);
void hdr_inspected_stream_clear(HdrInspectedStream *stream);

void hdr_inspected_stream_take_packet(HdrInspectedStream *stream, GstBuffer *buffer);
void hdr_inspected_stream_take_caps(HdrInspectedStream *stream, GstCaps *caps);

/* Whether nothing more has to be known of a stream. Text and data may come late, so that they are not waited for. */
gboolean hdr_inspected_stream_is_known(const HdrInspectedStream *stream);

/* The structure `stream` of gst_hdr_inspect_uri(). `contains_hdr` becomes TRUE where it is HDR. */
GstStructure *hdr_inspected_stream_describe(const HdrInspectedStream *stream, gboolean *contains_hdr);

#endif
