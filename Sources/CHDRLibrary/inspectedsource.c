#include "inspectedsource.h"
#include "inspectedstream.h"

/* What the source gives to be parsed. */
typedef struct {
    /* The streams of the source, which may come from several parsers; NULL while they are not known. */
    GstStreamCollection *collection;
    /* Whether a source that has no such collection has shown all its streams. */
    gboolean is_complete;
    /* The number of streams that have a pad, and of those that get none. */
    guint shown, unknown;
    /* Where it comes in; NULL where the source parses by itself. */
    GstPad *entry;
    /* Whether all that is to be parsed has come, where it is pushed. */
    gboolean has_ended;
} Parser;

/* A stream of the source. */
typedef struct {
    HdrInspectedStream inspected;
    Parser *parser;
    /* How many streams have appeared before this one. */
    guint number;
} Stream;

typedef struct {
    HdrInspectedSource *inspection;
    Stream *stream;
} Reader;

static void stream_free(gpointer data) {
    Stream *stream = data;
    hdr_inspected_stream_clear(&stream->inspected);
    g_free(stream);
}

static void parser_free(gpointer data) {
    Parser *parser = data;
    gst_clear_object(&parser->collection);
    gst_clear_object(&parser->entry);
    g_free(parser);
}

static Stream *stream_new(Parser *parser) {
    Stream *stream = g_new0(Stream, 1);
    stream->parser = parser;
    hdr_inspected_stream_init(&stream->inspected);
    return stream;
}

void hdr_inspected_source_init(HdrInspectedSource *inspection, gboolean is_whole) {
    *inspection = (HdrInspectedSource){.pipeline = gst_pipeline_new(NULL), .is_whole = is_whole};
    inspection->streams = g_ptr_array_new_with_free_func(stream_free);
    inspection->parsers = g_ptr_array_new_with_free_func(parser_free);
    g_mutex_init(&inspection->lock);
}

void hdr_inspected_source_clear(HdrInspectedSource *inspection) {
    gst_element_set_state(inspection->pipeline, GST_STATE_NULL);
    gst_object_unref(inspection->pipeline);
    g_ptr_array_unref(inspection->streams);
    g_ptr_array_unref(inspection->parsers);
    g_mutex_clear(&inspection->lock);
}

static gboolean is_shown(const HdrInspectedSource *inspection, const gchar *id) {
    for (guint i = 0; i < inspection->streams->len; i++)
        if (g_strcmp0(((Stream *)g_ptr_array_index(inspection->streams, i))->inspected.id, id) == 0)
            return TRUE;
    return FALSE;
}

/* Whether all streams that come from a parser, or from others of the same source, are there. */
static gboolean is_complete(const HdrInspectedSource *inspection, const Parser *parser) {
    if (!parser->collection)
        return parser->is_complete;
    guint size = gst_stream_collection_get_size(parser->collection), missing = 0;
    for (guint i = 0; i < size; i++) {
        GstStream *stream = gst_stream_collection_get_stream(parser->collection, i);
        missing += !is_shown(inspection, gst_stream_get_stream_id(stream));
    }
    return missing <= parser->unknown || parser->shown + parser->unknown >= size;
}

/* Ends the wait where the first packets suffice and each stream has one. */
static void tell_when_complete(HdrInspectedSource *inspection) {
    if (inspection->is_whole)
        return;
    for (guint i = 0; i < inspection->parsers->len; i++)
        if (!is_complete(inspection, g_ptr_array_index(inspection->parsers, i)))
            return;
    for (guint i = 0; i < inspection->streams->len; i++)
        if (!hdr_inspected_stream_is_known(&((Stream *)g_ptr_array_index(inspection->streams, i))->inspected))
            return;
    GstStructure *done = gst_structure_new_empty("gst-hdr-inspected");
    gst_element_post_message(inspection->pipeline, gst_message_new_application(GST_OBJECT(inspection->pipeline), done));
}

static void take_event(Reader *reader, GstEvent *event) {
    Stream *stream = reader->stream;
    const gchar *id;
    GstCaps *caps;
    switch (GST_EVENT_TYPE(event)) {
    case GST_EVENT_STREAM_COLLECTION:
        gst_clear_object(&stream->parser->collection);
        gst_event_parse_stream_collection(event, &stream->parser->collection);
        break;
    case GST_EVENT_STREAM_START:
        gst_event_parse_stream_start(event, &id);
        g_free(stream->inspected.id);
        stream->inspected.id = g_strdup(id);
        break;
    case GST_EVENT_CAPS:
        gst_event_parse_caps(event, &caps);
        gst_caps_ref(caps);
        /* YUV4MPEG, the only format that its source parses, has no transfer function: that of the caps is assumed. */
        if (!stream->parser->entry) {
            caps = gst_caps_make_writable(caps);
            gst_structure_remove_field(gst_caps_get_structure(caps, 0), "colorimetry");
        }
        hdr_inspected_stream_take_caps(&stream->inspected, caps);
        gst_caps_unref(caps);
        break;
    case GST_EVENT_SEGMENT: gst_event_copy_segment(event, &stream->inspected.segment); break;
    default: break;
    }
}

static GstPadProbeReturn read_packets(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
    Reader *reader = data;
    (void)pad;
    g_mutex_lock(&reader->inspection->lock);
    /* The first packet is enough: how many more come before the end would depend on chance. */
    gboolean is_enough = reader->stream->inspected.has_packets && !reader->inspection->is_whole;
    gboolean is_collection = GST_IS_EVENT(info->data) && GST_EVENT_TYPE(info->data) == GST_EVENT_STREAM_COLLECTION;
    if (GST_IS_EVENT(info->data) && (!is_enough || is_collection)) {
        take_event(reader, info->data);
    } else if (GST_IS_BUFFER(info->data) && !is_enough) {
        hdr_inspected_stream_take_packet(&reader->stream->inspected, info->data);
        tell_when_complete(reader->inspection);
    }
    g_mutex_unlock(&reader->inspection->lock);
    return GST_PAD_PROBE_OK;
}

static void link_to(HdrInspectedSource *inspection, GstPad *pad, GstElement *element) {
    gst_bin_add(GST_BIN(inspection->pipeline), element);
    GstPad *sink = gst_element_get_static_pad(element, "sink");
    gst_pad_link(pad, sink);
    gst_object_unref(sink);
    gst_element_sync_state_with_parent(element);
}

/* A parser of the inspection, to its signals. */
typedef struct {
    HdrInspectedSource *inspection;
    Parser *parser;
} Feed;

static Feed *feed_new(HdrInspectedSource *inspection) {
    Feed *feed = g_new0(Feed, 1);
    feed->inspection = inspection;
    feed->parser = g_new0(Parser, 1);
    g_mutex_lock(&inspection->lock);
    g_ptr_array_add(inspection->parsers, feed->parser);
    g_mutex_unlock(&inspection->lock);
    return feed;
}

static void feed_free(gpointer feed, GClosure *closure) {
    (void)closure;
    g_free(feed);
}

static void add_stream(GstElement *element, GstPad *pad, Feed *feed) {
    (void)element;
    GstElement *sink = gst_element_factory_make("fakesink", NULL);
    if (!sink)
        return;
    HdrInspectedSource *inspection = feed->inspection;
    Reader *reader = g_new0(Reader, 1);
    reader->inspection = inspection;
    reader->stream = stream_new(feed->parser);
    g_mutex_lock(&inspection->lock);
    reader->stream->number = inspection->streams->len;
    g_ptr_array_add(inspection->streams, reader->stream);
    feed->parser->shown++;
    g_mutex_unlock(&inspection->lock);
    /* No sink waits for another, because all streams may come from one thread. */
    g_object_set(sink, "sync", FALSE, "async", FALSE, NULL);
    GstPad *entry = gst_element_get_static_pad(sink, "sink");
    gst_pad_add_probe(entry, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, read_packets, reader,
                      g_free);
    gst_object_unref(entry);
    link_to(inspection, pad, sink);
}

/* A stream that no parser is known for has no pad. */
static void count_unknown(GstElement *element, GstPad *pad, GstCaps *caps, Feed *feed) {
    (void)element, (void)pad, (void)caps;
    g_mutex_lock(&feed->inspection->lock);
    feed->parser->unknown++;
    tell_when_complete(feed->inspection);
    g_mutex_unlock(&feed->inspection->lock);
}

/* Sources without a collection of streams report when they have all their pads. */
static void have_all_streams(GstElement *element, Feed *feed) {
    (void)element;
    g_mutex_lock(&feed->inspection->lock);
    feed->parser->is_complete = TRUE;
    tell_when_complete(feed->inspection);
    g_mutex_unlock(&feed->inspection->lock);
}

static GstPadProbeReturn watch_end(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
    Feed *feed = data;
    (void)pad;
    GstEventType type = GST_EVENT_TYPE(info->data);
    if (type == GST_EVENT_EOS || type == GST_EVENT_STREAM_START) {
        g_mutex_lock(&feed->inspection->lock);
        feed->parser->has_ended = type == GST_EVENT_EOS;
        g_mutex_unlock(&feed->inspection->lock);
    }
    return GST_PAD_PROBE_OK;
}

static void add_parser(GstElement *source, GstPad *pad, HdrInspectedSource *inspection) {
    (void)source;
    GstElement *element = gst_element_factory_make("parsebin", NULL);
    if (!element)
        return;
    Feed *feed = feed_new(inspection);
    g_signal_connect_data(element, "pad-added", G_CALLBACK(add_stream), feed, feed_free, 0);
    g_signal_connect(element, "unknown-type", G_CALLBACK(count_unknown), feed);
    feed->parser->entry = gst_element_get_static_pad(element, "sink");
    gst_pad_add_probe(feed->parser->entry, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, watch_end, feed, NULL);
    link_to(inspection, pad, element);
}

void hdr_inspected_source_parse(HdrInspectedSource *inspection, GstElement *element) {
    g_signal_connect(element, "pad-added", G_CALLBACK(add_parser), inspection);
}

void hdr_inspected_source_read(HdrInspectedSource *inspection, GstElement *element) {
    Feed *feed = feed_new(inspection);
    g_signal_connect_data(element, "pad-added", G_CALLBACK(add_stream), feed, feed_free, 0);
    g_signal_connect(element, "no-more-pads", G_CALLBACK(have_all_streams), feed);
}

/* Whether the source may still give something to a parser. Its threads are its own, such as those of segments that are
 * downloaded; only a parser that reads by itself has one that can be seen. */
gboolean hdr_inspected_source_is_awaited(HdrInspectedSource *inspection) {
    g_mutex_lock(&inspection->lock);
    gboolean awaits = inspection->parsers->len == 0;
    for (guint i = 0; i < inspection->parsers->len && !awaits; i++) {
        Parser *parser = g_ptr_array_index(inspection->parsers, i);
        awaits = parser->entry && GST_PAD_MODE(parser->entry) != GST_PAD_MODE_PULL && !parser->has_ended;
    }
    g_mutex_unlock(&inspection->lock);
    return awaits;
}

gboolean hdr_inspected_source_has_packets(HdrInspectedSource *inspection) {
    gboolean has_packets = FALSE;
    g_mutex_lock(&inspection->lock);
    for (guint i = 0; i < inspection->streams->len && !has_packets; i++)
        has_packets = ((Stream *)g_ptr_array_index(inspection->streams, i))->inspected.has_packets;
    g_mutex_unlock(&inspection->lock);
    return has_packets;
}

/* The place of a stream in the collection of its source; the largest number where it is in none. */
static guint place_of(const Stream *stream) {
    GstStreamCollection *collection = stream->parser->collection;
    guint size = collection ? gst_stream_collection_get_size(collection) : 0;
    for (guint i = 0; i < size; i++) {
        GstStream *other = gst_stream_collection_get_stream(collection, i);
        if (g_strcmp0(gst_stream_get_stream_id(other), stream->inspected.id) == 0)
            return i;
    }
    return G_MAXUINT;
}

/* Parsers show pictures before sound; a collection is in the order of the container. */
static gint by_place(gconstpointer first, gconstpointer second) {
    const Stream *a = *(Stream *const *)first, *b = *(Stream *const *)second;
    guint places[] = {place_of(a), place_of(b)};
    if (places[0] != places[1])
        return places[0] < places[1] ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

void hdr_inspected_source_describe(HdrInspectedSource *inspection, GValue *streams, gboolean *contains_hdr) {
    g_value_init(streams, GST_TYPE_ARRAY);
    g_mutex_lock(&inspection->lock);
    g_ptr_array_sort(inspection->streams, by_place);
    for (guint i = 0; i < inspection->streams->len; i++) {
        const Stream *stream = g_ptr_array_index(inspection->streams, i);
        GValue value = G_VALUE_INIT;
        g_value_init(&value, GST_TYPE_STRUCTURE);
        g_value_take_boxed(&value, hdr_inspected_stream_describe(&stream->inspected, contains_hdr));
        gst_value_array_append_and_take_value(streams, &value);
    }
    g_mutex_unlock(&inspection->lock);
}
