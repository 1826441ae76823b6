/* Needed for RTLD_DEFAULT. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "editing.h"

static gboolean bind(Editing *editing) {
    const struct {
        const gchar *name;
        gpointer *function;
    } functions[] = {
        {"ges_timeline_get_layers", (gpointer *)&editing->timeline_get_layers},
        {"ges_timeline_append_layer", (gpointer *)&editing->timeline_append_layer},
        {"ges_timeline_move_layer", (gpointer *)&editing->timeline_move_layer},
        {"ges_timeline_remove_layer", (gpointer *)&editing->timeline_remove_layer},
        {"ges_layer_get_clips", (gpointer *)&editing->layer_get_clips},
        {"ges_layer_get_priority", (gpointer *)&editing->layer_get_priority},
        {"ges_layer_remove_clip", (gpointer *)&editing->layer_remove_clip},
        {"ges_clip_move_to_layer", (gpointer *)&editing->clip_move_to_layer},
        {"ges_container_get_children", (gpointer *)&editing->container_get_children},
        {"ges_container_add", (gpointer *)&editing->container_add},
        {"ges_container_remove", (gpointer *)&editing->container_remove},
        {"ges_timeline_element_get_parent", (gpointer *)&editing->get_parent},
        {"ges_track_element_get_control_binding", (gpointer *)&editing->get_control_binding},
        {"ges_timeline_element_get_child_property", (gpointer *)&editing->get_child_property},
        {"ges_timeline_element_set_child_property", (gpointer *)&editing->set_child_property},
        {"ges_track_element_set_control_source", (gpointer *)&editing->set_control_source},
        {"ges_clip_get_internal_time_from_timeline_time", (gpointer *)&editing->clip_get_internal_time},
    };
    /* In programs that load their libraries later, such as those in Python, the library may not be in the global
     * scope. */
    void *library = dlopen("libges-1.0.so.0", RTLD_LAZY | RTLD_NOLOAD);
    gboolean is_whole = TRUE;
    for (guint index = 0; index < G_N_ELEMENTS(functions); index++) {
        *functions[index].function = dlsym(library ? library : RTLD_DEFAULT, functions[index].name);
        is_whole &= *functions[index].function != NULL;
    }
    if (library)
        dlclose(library);
    return is_whole;
}

const Editing *editing_get(void) {
    /* It is looked up anew each time, because a program may load GStreamer Editing Services later. */
    static GMutex mutex;
    static Editing editing;
    static gboolean is_bound;
    g_mutex_lock(&mutex);
    if (!is_bound)
        is_bound = bind(&editing);
    gboolean is_there = is_bound;
    g_mutex_unlock(&mutex);
    return is_there ? &editing : NULL;
}

gboolean editing_is_a(gpointer object, const gchar *type_name) {
    GType type = g_type_from_name(type_name);
    return type && g_type_is_a(G_OBJECT_TYPE(object), type);
}

GstClockTime editing_time(gpointer object, const gchar *property) {
    guint64 time = 0;
    g_object_get(object, property, &time, NULL);
    return time;
}

gdouble editing_number(const Editing *editing, GObject *source, const gchar *property, gdouble without) {
    GValue value = G_VALUE_INIT, number = G_VALUE_INIT;
    gdouble result = without;
    g_value_init(&number, G_TYPE_DOUBLE);
    if (editing->get_child_property(source, property, &value) && g_value_transform(&value, &number))
        result = g_value_get_double(&number);
    if (G_IS_VALUE(&value))
        g_value_unset(&value);
    return result;
}

GObject *editing_child(const Editing *editing, GObject *container, const gchar *type_name) {
    GObject *found = NULL;
    GList *children = editing->container_get_children(container, TRUE);
    for (GList *each = children; each && !found; each = each->next)
        if (editing_is_a(each->data, type_name))
            found = g_object_ref(each->data);
    g_list_free_full(children, g_object_unref);
    return found;
}
