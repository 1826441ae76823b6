/* What the sinks of a pipeline say of its stream. */
#include <gst/base/gstbasesink.h>

#include "playback.h"

/* How long a thread of a sink that was told to play may take to wake up. */
#define WAKING_TIME (100 * GST_MSECOND)

gboolean hdr_playback_find_position(GstElement *pipeline, GstClockTime *time) {
    gint64 position;
    if (!gst_element_query_position(pipeline, GST_FORMAT_TIME, &position) || position < 0)
        return FALSE;
    *time = (GstClockTime)position;
    return TRUE;
}

GstClockTime hdr_playback_position(HdrPlayback *playback, GstElement *pipeline) {
    GstClockTime time;
    if (hdr_playback_find_position(pipeline, &time))
        return time;
    return hdr_playback_limited(pipeline, gst_hdr_timebase_get_time(playback->timebase));
}

GstClockTime hdr_playback_limited(GstElement *pipeline, GstClockTimeDiff time) {
    gint64 duration;
    if (!gst_element_query_duration(pipeline, GST_FORMAT_TIME, &duration) || duration < 0)
        duration = G_MAXINT64;
    return (GstClockTime)CLAMP(time, 0, duration);
}

/* A function of a sink and its pad, and whether the search for a sink is over. */
typedef gboolean (*SinkFunction)(GstElement *sink, GstPad *pad, gpointer user_data);

/* Calls a function for the sinks of an element, in nested bins too, until it returns TRUE. */
static gboolean search_sinks(GstElement *element, SinkFunction function, gpointer user_data) {
    gboolean is_found = FALSE;
    if (GST_IS_BIN(element)) {
        GstIterator *sinks = gst_bin_iterate_sinks(GST_BIN(element));
        GValue item = G_VALUE_INIT;
        GstIteratorResult result;
        while (!is_found && (result = gst_iterator_next(sinks, &item)) != GST_ITERATOR_DONE &&
               result != GST_ITERATOR_ERROR) {
            /* The bin has other elements now, as where a stream brings its sink with it. */
            if (result == GST_ITERATOR_RESYNC) {
                gst_iterator_resync(sinks);
                continue;
            }
            is_found = search_sinks(g_value_get_object(&item), function, user_data);
            g_value_unset(&item);
        }
        gst_iterator_free(sinks);
        return is_found;
    }
    GST_OBJECT_LOCK(element);
    GstPad *pad = element->sinkpads ? gst_object_ref(element->sinkpads->data) : NULL;
    GST_OBJECT_UNLOCK(element);
    is_found = pad && function(element, pad, user_data);
    gst_clear_object(&pad);
    return is_found;
}

static gboolean read_sink(GstElement *element, GstPad *pad, gpointer user_data) {
    HdrSink *found = user_data;
    gboolean is_found = FALSE;
    GstEvent *event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0);
    /* A sink that waits in PAUSED with the end of stream has not taken it yet. */
    GstPad *peer = gst_pad_get_peer(pad);
    GstEvent *end = peer ? gst_pad_get_sticky_event(peer, GST_EVENT_EOS, 0) : NULL;
    found->has_ended = end != NULL;
    g_clear_pointer(&end, gst_event_unref);
    gst_clear_object(&peer);
    if (event) {
        gst_event_copy_segment(event, &found->segment);
        found->seqnum = gst_event_get_seqnum(event);
        is_found = found->segment.format == GST_FORMAT_TIME &&
                   gst_element_query_position(element, GST_FORMAT_TIME, &found->position);
        gst_event_unref(event);
    }
    return is_found;
}

gboolean hdr_playback_find_sink(GstElement *element, HdrSink *found) { return search_sinks(element, read_sink, found); }

guint32 hdr_playback_seqnum(GstElement *pipeline) {
    HdrSink sink;
    return hdr_playback_find_sink(pipeline, &sink) ? sink.seqnum : 0;
}

/* Sinks that wait for the clock say that they are live, so that what comes before them is asked. */
static gboolean has_live_source(GstElement *element, GstPad *pad, gpointer user_data) {
    gboolean is_live = FALSE;
    GstQuery *query = gst_query_new_latency();
    (void)element, (void)user_data;
    if (gst_pad_peer_query(pad, query))
        gst_query_parse_latency(query, &is_live, NULL, NULL);
    gst_query_unref(query);
    return is_live;
}

gboolean hdr_playback_is_live(GstElement *pipeline) { return search_sinks(pipeline, has_live_source, NULL); }

static gboolean is_waking(GstElement *element, GstPad *pad, gpointer user_data) {
    (void)pad, (void)user_data;
    if (!GST_IS_BASE_SINK(element))
        return FALSE;
    GstBaseSink *sink = GST_BASE_SINK(element);
    GST_BASE_SINK_PREROLL_LOCK(sink);
    gboolean is_so = sink->have_preroll && !sink->need_preroll;
    GST_BASE_SINK_PREROLL_UNLOCK(sink);
    return is_so;
}

void hdr_playback_wake_sinks(GstElement *pipeline) {
    gint64 end = g_get_monotonic_time() + WAKING_TIME / GST_USECOND;
    while (search_sinks(pipeline, is_waking, NULL) && g_get_monotonic_time() < end)
        g_usleep(100);
}

gboolean hdr_playback_is_empty(GstElement *pipeline) {
    HdrSink sink = {.has_ended = FALSE};
    hdr_playback_find_sink(pipeline, &sink);
    return sink.has_ended;
}

GstClockTime hdr_playback_running_time(GstElement *pipeline, GstClockTime time) {
    HdrSink sink;
    if (!hdr_playback_find_sink(pipeline, &sink))
        return 0;
    guint64 position = gst_segment_position_from_stream_time(&sink.segment, GST_FORMAT_TIME, time);
    guint64 running = gst_segment_to_running_time(&sink.segment, GST_FORMAT_TIME, position);
    return GST_CLOCK_TIME_IS_VALID(running) ? running : 0;
}

void hdr_playback_set_start_time(GstElement *pipeline, GstClockTime time) {
    gst_element_set_start_time(pipeline, hdr_playback_running_time(pipeline, time));
}

GstClockTime hdr_playback_latency(GstElement *pipeline) {
    GstClockTime latency = gst_pipeline_get_latency(GST_PIPELINE(pipeline));
    if (GST_CLOCK_TIME_IS_VALID(latency))
        return latency;
    latency = 0;
    GstQuery *query = gst_query_new_latency();
    if (gst_element_query(pipeline, query))
        gst_query_parse_latency(query, NULL, &latency, NULL);
    gst_query_unref(query);
    return GST_CLOCK_TIME_IS_VALID(latency) ? latency : 0;
}

gboolean hdr_playback_anchor(GstElement *pipeline, HdrAnchor *anchor) {
    HdrSink sink;
    if (!hdr_playback_find_sink(pipeline, &sink) ||
        !hdr_rate_from_double(sink.segment.rate * sink.segment.applied_rate, &anchor->rate))
        return FALSE;
    /* Where the segment begins in the direction of its rate, the running time is its base. */
    const GstSegment *segment = &sink.segment;
    guint64 begin = segment->rate > 0 ? segment->start + segment->offset : segment->stop - segment->offset;
    guint64 time = segment->rate < 0 && !GST_CLOCK_TIME_IS_VALID(segment->stop)
                       ? GST_CLOCK_TIME_NONE
                       : gst_segment_to_stream_time(segment, GST_FORMAT_TIME, begin);
    if (!GST_CLOCK_TIME_IS_VALID(time))
        return FALSE;
    anchor->time = (GstClockTimeDiff)time;
    anchor->source_time =
        (GstClockTimeDiff)(gst_element_get_base_time(pipeline) + hdr_playback_latency(pipeline) + segment->base);
    return TRUE;
}
