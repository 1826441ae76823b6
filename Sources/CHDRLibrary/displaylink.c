#include <gst/hdr/gsthdrdisplaylink.h>
#include <gst/hdr/gsthdrplayback.h>

typedef struct {
    guint64 now, target, interval;
} Refresh;

struct _GstHdrDisplayLink {
    GObject parent;
    GWeakRef sink;
    GMainContext *context;
    GMutex lock;
    /* Guarded by the lock. */
    Refresh newest;
    gboolean is_running, is_pending;
    gulong handler;
};

enum { REFRESH, SIGNALS };
static guint signals[SIGNALS];

G_DEFINE_TYPE(GstHdrDisplayLink, gst_hdr_display_link, G_TYPE_OBJECT)

/* What the running links of a sink have done with it. */
typedef struct {
    gint links;
    /* Whether the sink sends refreshes to them, and whether its property was changed for that. */
    gboolean is_served, has_started;
    /* Whether a thread is about to change that. */
    gboolean is_changing;
} Service;

static GMutex service_lock;

/* Guarded by the lock. */
static Service *service_of(GstElement *sink) {
    GQuark quark = g_quark_from_static_string("gst-hdr-display-links");
    Service *service = g_object_get_qdata(G_OBJECT(sink), quark);
    if (!service) {
        service = g_new0(Service, 1);
        g_object_set_qdata_full(G_OBJECT(sink), quark, service, g_free);
    }
    return service;
}

/* Counts the links of a sink that run, and keeps the sink's property set while there are any. A sink whose property the
 * application has set itself stays as it is. The property is set without the lock, since that may call handlers of the
 * application, by one thread at a time, which looks at the number of links again before it leaves. */
static void count(GstElement *sink, gint difference) {
    g_mutex_lock(&service_lock);
    Service *service = service_of(sink);
    service->links += difference;
    gboolean is_first = !service->is_changing;
    while (is_first && service->is_served != (service->links > 0)) {
        gboolean starts = service->links > 0, is_paused = TRUE, has_started = service->has_started;
        service->is_changing = TRUE;
        g_mutex_unlock(&service_lock);
        if (starts) {
            g_object_get(sink, "display-link-paused", &is_paused, NULL);
            has_started = is_paused;
        }
        if (has_started)
            g_object_set(sink, "display-link-paused", !starts, NULL);
        g_mutex_lock(&service_lock);
        service->is_served = starts;
        service->has_started = has_started;
        service->is_changing = FALSE;
    }
    g_mutex_unlock(&service_lock);
}

static gboolean tell(gpointer data) {
    GstHdrDisplayLink *link = data;
    g_mutex_lock(&link->lock);
    Refresh refresh = link->newest;
    gboolean is_running = link->is_running;
    link->is_pending = FALSE;
    g_mutex_unlock(&link->lock);
    if (is_running)
        g_signal_emit(link, signals[REFRESH], 0, refresh.now, refresh.target, refresh.interval);
    return G_SOURCE_REMOVE;
}

/* Called on the sink's thread. */
static void refreshed(GstElement *sink, guint64 now, guint64 target, guint64 interval, gpointer data) {
    (void)sink;
    GstHdrDisplayLink *link = g_weak_ref_get(data);
    if (!link)
        return;
    g_mutex_lock(&link->lock);
    link->newest = (Refresh){now, target, interval};
    gboolean is_new = link->is_running && !link->is_pending;
    link->is_pending = link->is_pending || is_new;
    g_mutex_unlock(&link->lock);
    if (is_new) {
        GSource *source = g_idle_source_new();
        g_source_set_priority(source, G_PRIORITY_DEFAULT);
        g_source_set_callback(source, tell, g_object_ref(link), g_object_unref);
        g_source_attach(source, link->context);
        g_source_unref(source);
    }
    g_object_unref(link);
}

static void weak_ref_free(gpointer data, GClosure *closure) {
    (void)closure;
    g_weak_ref_clear(data);
    g_free(data);
}

static void stop(GstHdrDisplayLink *link) {
    GstElement *sink = g_weak_ref_get(&link->sink);
    g_mutex_lock(&link->lock);
    gulong handler = link->handler;
    link->handler = 0;
    link->is_running = FALSE;
    g_mutex_unlock(&link->lock);
    if (sink && handler) {
        g_signal_handler_disconnect(sink, handler);
        count(sink, -1);
    }
    gst_clear_object(&sink);
}

static void start(GstHdrDisplayLink *link) {
    GstElement *sink = g_weak_ref_get(&link->sink);
    if (!sink)
        return;
    GWeakRef *self = g_new(GWeakRef, 1);
    g_weak_ref_init(self, link);
    gulong handler = g_signal_connect_data(sink, "display-link", G_CALLBACK(refreshed), self, weak_ref_free, 0);
    g_mutex_lock(&link->lock);
    gboolean is_first = link->handler == 0;
    if (is_first) {
        link->handler = handler;
        link->is_running = TRUE;
    }
    g_mutex_unlock(&link->lock);
    if (is_first)
        count(sink, 1);
    else
        g_signal_handler_disconnect(sink, handler);
    gst_object_unref(sink);
}

static void dispose(GObject *object) {
    stop(GST_HDR_DISPLAY_LINK(object));
    G_OBJECT_CLASS(gst_hdr_display_link_parent_class)->dispose(object);
}

static void finalize(GObject *object) {
    GstHdrDisplayLink *link = GST_HDR_DISPLAY_LINK(object);
    g_weak_ref_clear(&link->sink);
    g_main_context_unref(link->context);
    g_mutex_clear(&link->lock);
    G_OBJECT_CLASS(gst_hdr_display_link_parent_class)->finalize(object);
}

static void gst_hdr_display_link_class_init(GstHdrDisplayLinkClass *klass) {
    G_OBJECT_CLASS(klass)->dispose = dispose;
    G_OBJECT_CLASS(klass)->finalize = finalize;
    signals[REFRESH] = g_signal_new("refresh", GST_HDR_TYPE_DISPLAY_LINK, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                    G_TYPE_NONE, 3, G_TYPE_UINT64, G_TYPE_UINT64, G_TYPE_UINT64);
}

static void gst_hdr_display_link_init(GstHdrDisplayLink *link) {
    g_mutex_init(&link->lock);
    g_weak_ref_init(&link->sink, NULL);
    link->context = g_main_context_ref_thread_default();
}

static gboolean has_display_link(GstElement *element) {
    return g_signal_lookup("display-link", G_OBJECT_TYPE(element)) != 0;
}

/* A new reference. */
static GstElement *find_sink(GstElement *element) {
    if (has_display_link(element))
        return gst_object_ref(element);
    if (!GST_IS_BIN(element))
        return NULL;
    GstElement *found = NULL;
    GstIterator *elements = gst_bin_iterate_recurse(GST_BIN(element));
    GValue item = G_VALUE_INIT;
    GstIteratorResult result;
    while (!found && (result = gst_iterator_next(elements, &item)) != GST_ITERATOR_DONE &&
           result != GST_ITERATOR_ERROR) {
        if (result == GST_ITERATOR_RESYNC) {
            gst_iterator_resync(elements);
            continue;
        }
        GstElement *candidate = g_value_get_object(&item);
        if (has_display_link(candidate))
            found = gst_object_ref(candidate);
        g_value_unset(&item);
    }
    gst_iterator_free(elements);
    return found;
}

GstHdrDisplayLink *gst_hdr_display_link_new(GstElement *element, GMainContext *context, GError **error) {
    g_return_val_if_fail(GST_IS_ELEMENT(element), NULL);
    GstElement *sink = find_sink(element);
    if (!sink) {
        g_set_error(error, GST_HDR_ERROR, GST_HDR_ERROR_INVALID_ARGUMENT,
                    "%s is no edrsink and has none: a display link is for that element", GST_ELEMENT_NAME(element));
        return NULL;
    }
    GstHdrDisplayLink *link = g_object_new(GST_HDR_TYPE_DISPLAY_LINK, NULL);
    g_weak_ref_set(&link->sink, sink);
    gst_object_unref(sink);
    if (context) {
        g_main_context_unref(link->context);
        link->context = g_main_context_ref(context);
    }
    return link;
}

void gst_hdr_display_link_set_paused(GstHdrDisplayLink *link, gboolean paused) {
    g_return_if_fail(GST_HDR_IS_DISPLAY_LINK(link));
    if (paused)
        stop(link);
    else
        start(link);
}

gboolean gst_hdr_display_link_get_paused(GstHdrDisplayLink *link) {
    g_return_val_if_fail(GST_HDR_IS_DISPLAY_LINK(link), TRUE);
    g_mutex_lock(&link->lock);
    gboolean is_paused = !link->is_running;
    g_mutex_unlock(&link->lock);
    return is_paused;
}
