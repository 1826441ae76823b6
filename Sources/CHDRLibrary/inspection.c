#include <gst/hdr/gsthdrinspection.h>
#include <gst/hdr/gsthdrplayback.h>
#include "inspectedstream.h"
#include "yuv4mpeg.h"

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
    GMutex lock;
    GstElement *pipeline;
    GPtrArray *streams, *parsers;
    gboolean is_whole;
} Inspection;

typedef struct {
    Inspection *inspection;
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

/* MARK: Reading */

static gboolean is_shown(const Inspection *inspection, const gchar *id) {
    for (guint i = 0; i < inspection->streams->len; i++)
        if (g_strcmp0(((Stream *)g_ptr_array_index(inspection->streams, i))->inspected.id, id) == 0)
            return TRUE;
    return FALSE;
}

/* Whether all streams that come from a parser, or from others of the same source, are there. */
static gboolean is_complete(const Inspection *inspection, const Parser *parser) {
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
static void tell_when_complete(Inspection *inspection) {
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
        hdr_inspected_stream_take_caps(&stream->inspected, caps);
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

static void link_to(Inspection *inspection, GstPad *pad, GstElement *element) {
    gst_bin_add(GST_BIN(inspection->pipeline), element);
    GstPad *sink = gst_element_get_static_pad(element, "sink");
    gst_pad_link(pad, sink);
    gst_object_unref(sink);
    gst_element_sync_state_with_parent(element);
}

/* A parser of the inspection, to its signals. */
typedef struct {
    Inspection *inspection;
    Parser *parser;
} Feed;

static Feed *feed_new(Inspection *inspection) {
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
    Inspection *inspection = feed->inspection;
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

static void add_parser(GstElement *source, GstPad *pad, Inspection *inspection) {
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

/* Whether the pad's streaming thread does not run. */
static gboolean rests(GstElement *element, GstPad *pad, gpointer data) {
    (void)element, (void)data;
    return gst_pad_get_task_state(pad) != GST_TASK_STARTED;
}

/* Whether the source may still give something to a parser. Its threads are its own, such as those of segments that are
 * downloaded; only a parser that reads by itself has one that can be seen. */
static gboolean awaits_source(Inspection *inspection) {
    g_mutex_lock(&inspection->lock);
    gboolean awaits = inspection->parsers->len == 0;
    for (guint i = 0; i < inspection->parsers->len && !awaits; i++) {
        Parser *parser = g_ptr_array_index(inspection->parsers, i);
        awaits = parser->entry && GST_PAD_MODE(parser->entry) != GST_PAD_MODE_PULL && !parser->has_ended;
    }
    g_mutex_unlock(&inspection->lock);
    return awaits;
}

/* Whether a pad's streaming thread runs, a change of state is under way, or more is to come. */
static gboolean is_at_work(Inspection *inspection) {
    if (awaits_source(inspection))
        return TRUE;
    gboolean is_at_work = gst_element_get_state(inspection->pipeline, NULL, NULL, 0) == GST_STATE_CHANGE_ASYNC;
    GstIterator *elements = gst_bin_iterate_recurse(GST_BIN(inspection->pipeline));
    GValue item = G_VALUE_INIT;
    GstIteratorResult result;
    while (!is_at_work && (result = gst_iterator_next(elements, &item)) != GST_ITERATOR_DONE) {
        /* An iterator that does not give the next element says that the pipeline changes just now. */
        is_at_work = result != GST_ITERATOR_OK || !gst_element_foreach_pad(g_value_get_object(&item), rests, NULL);
        if (result == GST_ITERATOR_OK)
            g_value_unset(&item);
    }
    gst_iterator_free(elements);
    return is_at_work;
}

/* The next message that ends the wait; NULL after the timeout, and where nothing is at work any more: parsebin does not
 * always report that a file that ends early has no streams. */
static GstMessage *await_message(Inspection *inspection, GstBus *bus, GstClockTime timeout) {
    static const GstClockTime glance = 100 * GST_MSECOND;
    GstMessage *message = NULL;
    for (guint idle = 0; !message && timeout && idle < 10;) {
        GstClockTime span = MIN(timeout, glance);
        message = gst_bus_timed_pop_filtered(bus, span, GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_APPLICATION);
        if (GST_CLOCK_TIME_IS_VALID(timeout))
            timeout -= span;
        idle = is_at_work(inspection) ? 0 : idle + 1;
    }
    return message;
}

/* What has not been done in time. */
static const gchar *lateness_of(Inspection *inspection) {
    gboolean has_packets = FALSE;
    g_mutex_lock(&inspection->lock);
    for (guint i = 0; i < inspection->streams->len && !has_packets; i++)
        has_packets = ((Stream *)g_ptr_array_index(inspection->streams, i))->inspected.has_packets;
    g_mutex_unlock(&inspection->lock);
    if (!has_packets)
        return "nothing is known";
    return inspection->is_whole ? "it has not been read whole" : "not all of its streams are known";
}

/* Reads until enough is known. Where it returns FALSE, error says what went wrong. */
static gboolean read_source(Inspection *inspection, GstClockTime timeout, GError **error) {
    GstBus *bus = gst_element_get_bus(inspection->pipeline);
    GstClockTime begin = gst_util_get_timestamp();
    gst_element_set_state(inspection->pipeline, GST_STATE_PLAYING);
    GstMessage *message = await_message(inspection, bus, timeout);
    gboolean is_read = message && GST_MESSAGE_TYPE(message) != GST_MESSAGE_ERROR;
    if (!message && gst_util_get_timestamp() - begin < timeout) {
        g_set_error(error, GST_HDR_ERROR, GST_HDR_ERROR_FAILED,
                    "nothing can be read, it ends before its first packet or is no media");
    } else if (!message) {
        g_set_error(error, GST_HDR_ERROR, GST_HDR_ERROR_INTERRUPTED, "%s after %" G_GUINT64_FORMAT " ms",
                    lateness_of(inspection), timeout / GST_MSECOND);
    } else if (!is_read) {
        gst_message_parse_error(message, error, NULL);
    }
    g_clear_pointer(&message, gst_message_unref);
    gst_object_unref(bus);
    return is_read;
}

/* MARK: What was found */

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

static GstStructure *result_of(Inspection *inspection) {
    GValue streams = G_VALUE_INIT;
    gboolean contains_hdr = FALSE;
    gint64 duration;
    g_value_init(&streams, GST_TYPE_ARRAY);
    g_mutex_lock(&inspection->lock);
    g_ptr_array_sort(inspection->streams, by_place);
    for (guint i = 0; i < inspection->streams->len; i++) {
        const Stream *stream = g_ptr_array_index(inspection->streams, i);
        GValue value = G_VALUE_INIT;
        g_value_init(&value, GST_TYPE_STRUCTURE);
        g_value_take_boxed(&value, hdr_inspected_stream_describe(&stream->inspected, &contains_hdr));
        gst_value_array_append_and_take_value(&streams, &value);
    }
    g_mutex_unlock(&inspection->lock);
    GstStructure *result = gst_structure_new("inspection", "contains-hdr", G_TYPE_BOOLEAN, contains_hdr, NULL);
    if (gst_element_query_duration(inspection->pipeline, GST_FORMAT_TIME, &duration) && duration > 0)
        gst_structure_set(result, "duration", G_TYPE_UINT64, (guint64)duration, NULL);
    gst_structure_take_value(result, "streams", &streams);
    return result;
}

/* GStreamer's y4mdec reads 8 bits alone, and no colours. hdrsrc reads them all; NULL where that is not to be used. */
static GstElement *yuv4mpeg_source(const gchar *uri, Inspection *inspection) {
    GstElement *source = hdr_is_yuv4mpeg(uri) ? gst_element_factory_make("hdrsrc", NULL) : NULL;
    if (!source)
        return NULL;
    gchar *path = g_filename_from_uri(uri, NULL, NULL);
    g_object_set(source, "location", path, NULL);
    g_free(path);
    Feed *feed = feed_new(inspection);
    g_signal_connect_data(source, "pad-added", G_CALLBACK(add_stream), feed, feed_free, 0);
    g_signal_connect(source, "no-more-pads", G_CALLBACK(have_all_streams), feed);
    return source;
}

GstStructure *gst_hdr_inspect_uri(const gchar *uri, GstHdrInspectFlags flags, GstClockTime timeout, GError **error) {
    g_return_val_if_fail(error == NULL || *error == NULL, NULL);
    if (!uri || !gst_uri_is_valid(uri)) {
        g_set_error(error, GST_HDR_ERROR, GST_HDR_ERROR_INVALID_ARGUMENT,
                    "'%s' is no URI: make one of a path with gst_filename_to_uri()", uri ? uri : "NULL");
        return NULL;
    }
    GstElement *source = gst_element_factory_make("urisourcebin", NULL);
    GstElementFactory *parser = gst_element_factory_find("parsebin");
    if (!source || !parser) {
        g_set_error(error, GST_HDR_ERROR, GST_HDR_ERROR_FAILED,
                    "GStreamer's urisourcebin and parsebin are missing: apt-get install gstreamer1.0-plugins-base");
        gst_clear_object(&source);
        gst_clear_object(&parser);
        return NULL;
    }
    gst_object_unref(parser);
    Inspection inspection = {.pipeline = gst_pipeline_new(NULL), .is_whole = (flags & GST_HDR_INSPECT_WHOLE) != 0};
    inspection.streams = g_ptr_array_new_with_free_func(stream_free);
    inspection.parsers = g_ptr_array_new_with_free_func(parser_free);
    g_mutex_init(&inspection.lock);
    GstElement *other = yuv4mpeg_source(uri, &inspection);
    if (other) {
        gst_object_unref(source);
        source = other;
    } else {
        g_object_set(source, "uri", uri, NULL);
        g_signal_connect(source, "pad-added", G_CALLBACK(add_parser), &inspection);
    }
    gst_bin_add(GST_BIN(inspection.pipeline), source);
    GstStructure *result = NULL;
    if (read_source(&inspection, timeout, error))
        result = result_of(&inspection);
    else
        g_prefix_error(error, "%s: ", uri);
    gst_element_set_state(inspection.pipeline, GST_STATE_NULL);
    gst_object_unref(inspection.pipeline);
    g_ptr_array_unref(inspection.streams);
    g_ptr_array_unref(inspection.parsers);
    g_mutex_clear(&inspection.lock);
    return result;
}
