/* A window of GTK 3 that shows a clip, in HDR where the display can: edrsink draws into a widget, on X11 and on
 * Wayland. The space bar pauses, Q ends it.
 *
 *     cc Sources/Examples/window_gtk.c -o window_gtk $(pkg-config --cflags --libs gtk+-3.0 gstreamer-video-1.0)
 *     GST_PLUGIN_PATH=build/plugins ./window_gtk FILE-or-URI */
#include <gst/gst.h>
#include <gst/video/videooverlay.h>
#include <gtk/gtk.h>
#ifdef GDK_WINDOWING_WAYLAND
#include <gdk/gdkwayland.h>
#endif
#ifdef GDK_WINDOWING_X11
#include <gdk/gdkx.h>
#endif

typedef struct {
    GtkWidget *window, *picture;
    GstElement *playbin, *sink;
    int status;
} Viewer;

/* Tells the sink where to draw, before it opens a window of its own. */
static void show_in_widget(Viewer *viewer) {
    GdkWindow *window = gtk_widget_get_window(viewer->picture);
    GstVideoOverlay *overlay = GST_VIDEO_OVERLAY(viewer->sink);
#ifdef GDK_WINDOWING_WAYLAND
    if (GDK_IS_WAYLAND_WINDOW(window)) {
        /* A surface is valid on its own connection only. */
        g_autoptr(GstContext) context = gst_context_new("GstWaylandDisplayHandleContextType", TRUE);
        struct wl_display *display = gdk_wayland_display_get_wl_display(gdk_window_get_display(window));
        gst_structure_set(gst_context_writable_structure(context), "display", G_TYPE_POINTER, display, NULL);
        gst_element_set_context(viewer->sink, context);
        gst_video_overlay_set_window_handle(overlay, (guintptr)gdk_wayland_window_get_wl_surface(window));
    }
#endif
#ifdef GDK_WINDOWING_X11
    if (GDK_IS_X11_WINDOW(window))
        gst_video_overlay_set_window_handle(overlay, GDK_WINDOW_XID(window));
#endif
}

/* On Wayland the surface is that of the whole window, and the widget is a rectangle in it. On X11 a widget has a window
 * of its own, which the sink fills. */
static void on_size(GtkWidget *picture, GdkRectangle *place, Viewer *viewer) {
    (void)picture;
#ifdef GDK_WINDOWING_WAYLAND
    if (GDK_IS_WAYLAND_WINDOW(gtk_widget_get_window(viewer->window)))
        gst_video_overlay_set_render_rectangle(GST_VIDEO_OVERLAY(viewer->sink), place->x, place->y, place->width,
                                               place->height);
#endif
}

/* Draws what is seen before the first picture comes. */
static gboolean on_draw(GtkWidget *picture, cairo_t *cairo) {
    (void)picture;
    cairo_paint(cairo);
    return TRUE;
}

static gboolean on_key(GtkWidget *window, GdkEventKey *event, Viewer *viewer) {
    gboolean plays = GST_STATE_TARGET(viewer->playbin) == GST_STATE_PLAYING;
    if (event->keyval == GDK_KEY_q)
        gtk_widget_destroy(window);
    else if (event->keyval == GDK_KEY_space)
        gst_element_set_state(viewer->playbin, plays ? GST_STATE_PAUSED : GST_STATE_PLAYING);
    return event->keyval == GDK_KEY_q || event->keyval == GDK_KEY_space;
}

/* The sink has to release the window before GTK destroys it. */
static void on_destroy(GtkWidget *window, Viewer *viewer) {
    (void)window;
    gst_element_set_state(viewer->playbin, GST_STATE_NULL);
    gtk_main_quit();
}

static gboolean on_message(GstBus *bus, GstMessage *message, gpointer data) {
    (void)bus;
    Viewer *viewer = data;
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
        g_autoptr(GError) error = NULL;
        gst_message_parse_error(message, &error, NULL);
        g_printerr("window_gtk: %s\n", error->message);
        viewer->status = 1;
    }
    /* A compositor that has nothing to do would not show the first picture, whose surface is new to it. */
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ASYNC_DONE)
        gtk_widget_queue_draw(viewer->window);
    if (GST_MESSAGE_TYPE(message) & (GST_MESSAGE_ERROR | GST_MESSAGE_EOS))
        gtk_widget_destroy(viewer->window);
    return G_SOURCE_CONTINUE;
}

int main(int argc, char **argv) {
    gst_init(&argc, &argv);
    gtk_init(&argc, &argv);
    g_autoptr(GError) error = NULL;
    g_autofree gchar *uri =
        argc < 2 || gst_uri_is_valid(argv[1]) ? g_strdup(argv[1]) : gst_filename_to_uri(argv[1], &error);
    Viewer viewer = {.playbin = gst_element_factory_make("playbin", NULL),
                     .sink = gst_element_factory_make("edrsink", NULL)};
    if (!uri || !viewer.sink) {
        const char *reason = uri ? "no element \"edrsink\"" : "usage: window_gtk FILE-or-URI";
        g_printerr("window_gtk: %s\n", error ? error->message : reason);
        return 1;
    }
    /* The flag soft-colorbalance is left out, since that element supports no more than 8 bits. */
    gst_util_set_object_arg(G_OBJECT(viewer.playbin), "flags", "video+audio+text+soft-volume+deinterlace");
    g_object_set(viewer.playbin, "uri", uri, "video-sink", viewer.sink, NULL);

    viewer.window = gtk_window_new(GTK_WINDOW_TOPLEVEL);
    viewer.picture = gtk_drawing_area_new();
    gtk_window_set_default_size(GTK_WINDOW(viewer.window), 640, 360);
    gtk_container_add(GTK_CONTAINER(viewer.window), viewer.picture);
    g_signal_connect(viewer.window, "key-press-event", G_CALLBACK(on_key), &viewer);
    g_signal_connect(viewer.window, "destroy", G_CALLBACK(on_destroy), &viewer);
    g_signal_connect(viewer.picture, "size-allocate", G_CALLBACK(on_size), &viewer);
    g_signal_connect(viewer.picture, "draw", G_CALLBACK(on_draw), NULL);
    gtk_widget_realize(viewer.picture);
    show_in_widget(&viewer);
    gtk_widget_show_all(viewer.window);

    g_autoptr(GstBus) bus = gst_element_get_bus(viewer.playbin);
    gst_bus_add_watch(bus, on_message, &viewer);
    gst_element_set_state(viewer.playbin, GST_STATE_PLAYING);
    gtk_main();
    gst_bus_remove_watch(bus);
    gst_object_unref(viewer.playbin);
    return viewer.status;
}
