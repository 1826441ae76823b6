/* Two copies of gst_hdr_dynamic_meta_get_info(), the program's own and the library's, which two threads call at once,
 * and one of a former version, which takes no lock. This program's functions stand in front of GStreamer's, for the
 * library too, to bring about the order of events that is rare otherwise. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <gst/hdr/gsthdrdynamicmetadata.h>

static gpointer next(const gchar *name) { return dlsym(RTLD_NEXT, name); }

static gpointer call_library(gpointer data) {
    (void)data;
    /* This name is the program's own copy here. */
    const GstMetaInfo *(*function)(void);
    void *library = dlopen("libgsthdr-1.0.so.0", RTLD_NOW);
    *(gpointer *)&function = dlsym(library, "gst_hdr_dynamic_meta_get_info");
    return (gpointer)function();
}

static GThread *other;
static gint has_looked_up, registrations;

/* The first thread that finds nothing lets the other one come as far as it gets: to its end without a lock, which the
 * time only limits where there is one. */
const GstMetaInfo *gst_meta_get_info(const gchar *impl) {
    const GstMetaInfo *info = ((const GstMetaInfo *(*)(const gchar *))next("gst_meta_get_info"))(impl);
    if (g_strcmp0(impl, GST_HDR_DYNAMIC_META_NAME) == 0 && !info && g_atomic_int_add(&has_looked_up, 1) == 0) {
        other = g_thread_new("other", call_library, NULL);
        for (int i = 0; i < 30 && !g_atomic_int_get(&registrations); i++)
            g_usleep(10000);
    }
    return info;
}

const GstMetaInfo *gst_meta_register(GType api, const gchar *impl, gsize size, GstMetaInitFunction init,
                                     GstMetaFreeFunction free, GstMetaTransformFunction transform) {
    typedef const GstMetaInfo *(*Register)(GType, const gchar *, gsize, GstMetaInitFunction, GstMetaFreeFunction,
                                           GstMetaTransformFunction);
    const GstMetaInfo *info = ((Register)next("gst_meta_register"))(api, impl, size, init, free, transform);
    /* As GStreamer answers where a copy without a lock has been faster. */
    if (g_strcmp0(impl, GST_HDR_DYNAMIC_META_NAME) == 0 && g_atomic_int_add(&registrations, 1) == 0)
        return NULL;
    return info;
}

int main(int argc, char **argv) {
    gst_init(&argc, &argv);
    const GstMetaInfo *own = gst_hdr_dynamic_meta_get_info(), *others = g_thread_join(other);
    gboolean is_same = own && own == others && own == gst_hdr_dynamic_meta_get_info();
    g_print(is_same ? "one meta, " : "not one meta, ");
    g_print("registered %d times\n", registrations);
    return 0;
}
