#include <gst/hdr/gsthdrinspection.h>
#include <gst/hdr/gsthdrplayback.h>
#include "inspectedsource.h"
#include "yuv4mpeg.h"

/* Whether the pad's streaming thread does not run. */
static gboolean rests(GstElement *element, GstPad *pad, gpointer data) {
    (void)element, (void)data;
    return gst_pad_get_task_state(pad) != GST_TASK_STARTED;
}

/* Whether a pad's streaming thread runs, a change of state is under way, or more is to come. */
static gboolean is_at_work(HdrInspectedSource *inspection) {
    if (hdr_inspected_source_is_awaited(inspection))
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
static GstMessage *await_message(HdrInspectedSource *inspection, GstBus *bus, GstClockTime begin,
                                 GstClockTime timeout) {
    static const GstClockTime glance = 100 * GST_MSECOND;
    GstMessage *message = NULL;
    GstClockTime spent = 0;
    for (guint idle = 0; !message && spent < timeout && idle < 10; spent = gst_util_get_timestamp() - begin) {
        message = gst_bus_timed_pop_filtered(bus, MIN(timeout - spent, glance),
                                             GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_APPLICATION);
        idle = is_at_work(inspection) ? 0 : idle + 1;
    }
    return message;
}

/* What has not been done in time. */
static const gchar *lateness_of(HdrInspectedSource *inspection) {
    if (!hdr_inspected_source_has_packets(inspection))
        return "nothing is known";
    return inspection->is_whole ? "it has not been read whole" : "not all of its streams are known";
}

/* Reads until enough is known. Where it returns FALSE, error says what went wrong. */
static gboolean read_source(HdrInspectedSource *inspection, GstClockTime timeout, GError **error) {
    GstBus *bus = gst_element_get_bus(inspection->pipeline);
    GstClockTime begin = gst_util_get_timestamp();
    gst_element_set_state(inspection->pipeline, GST_STATE_PLAYING);
    GstMessage *message = await_message(inspection, bus, begin, timeout);
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

static GstStructure *result_of(HdrInspectedSource *inspection) {
    GValue streams = G_VALUE_INIT;
    gboolean contains_hdr = FALSE;
    gint64 duration;
    hdr_inspected_source_describe(inspection, &streams, &contains_hdr);
    GstStructure *result = gst_structure_new("inspection", "contains-hdr", G_TYPE_BOOLEAN, contains_hdr, NULL);
    if (gst_element_query_duration(inspection->pipeline, GST_FORMAT_TIME, &duration) && duration > 0)
        gst_structure_set(result, "duration", G_TYPE_UINT64, (guint64)duration, NULL);
    gst_structure_take_value(result, "streams", &streams);
    return result;
}

/* GStreamer's y4mdec reads 8 bits alone, and no colours. hdrsrc reads them all; NULL where that is not to be used. */
static GstElement *yuv4mpeg_source(const gchar *uri) {
    GstElement *source = hdr_is_yuv4mpeg(uri) ? gst_element_factory_make("hdrsrc", NULL) : NULL;
    if (!source)
        return NULL;
    gchar *path = g_filename_from_uri(uri, NULL, NULL);
    g_object_set(source, "location", path, NULL);
    g_free(path);
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
    HdrInspectedSource inspection;
    hdr_inspected_source_init(&inspection, (flags & GST_HDR_INSPECT_WHOLE) != 0);
    GstElement *other = yuv4mpeg_source(uri);
    if (other) {
        gst_object_unref(source);
        source = other;
        hdr_inspected_source_read(&inspection, source);
    } else {
        g_object_set(source, "uri", uri, NULL);
        hdr_inspected_source_parse(&inspection, source);
    }
    gst_bin_add(GST_BIN(inspection.pipeline), source);
    GstStructure *result = NULL;
    if (read_source(&inspection, timeout, error))
        result = result_of(&inspection);
    else
        g_prefix_error(error, "%s: ", uri);
    hdr_inspected_source_clear(&inspection);
    return result;
}
