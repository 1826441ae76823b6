/* The streams of a source whose packets are read, which appear while it is. */
#ifndef HDR_INSPECTED_SOURCE_H
#define HDR_INSPECTED_SOURCE_H

#include <gst/gst.h>

typedef struct {
    GMutex lock;
    /* The source is added to it by the caller; an application message, and the end of stream, tell that enough is
     * known. */
    GstElement *pipeline;
    /* Guarded by the lock. */
    GPtrArray *streams, *parsers;
    /* Whether all packets are read, or the first one of each stream. */
    gboolean is_whole;
} HdrInspectedSource;

void hdr_inspected_source_init(HdrInspectedSource *inspection, gboolean is_whole);
/* Stops the pipeline before. */
void hdr_inspected_source_clear(HdrInspectedSource *inspection);

/* Parses what comes from an element whose pads have yet to appear. */
void hdr_inspected_source_parse(HdrInspectedSource *inspection, GstElement *element);
/* Reads an element whose pads, which have yet to appear, have parsed streams. */
void hdr_inspected_source_read(HdrInspectedSource *inspection, GstElement *element);

/* Whether the source may still give something to a parser. */
gboolean hdr_inspected_source_is_awaited(HdrInspectedSource *inspection);
gboolean hdr_inspected_source_has_packets(HdrInspectedSource *inspection);

/* Sets `streams` to the field of gst_hdr_inspect_uri(). `contains_hdr` becomes TRUE where one is HDR. */
void hdr_inspected_source_describe(HdrInspectedSource *inspection, GValue *streams, gboolean *contains_hdr);

#endif
