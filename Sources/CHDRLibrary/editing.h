/* The functions of GStreamer Editing Services (GES) that this library uses, taken from the copy that the program has
 * loaded. */
#ifndef EDITING_H
#define EDITING_H

#include <gst/gst.h>

/* The value of GES_VIDEO_STANDARD_TRANSITION_TYPE_CROSSFADE. */
#define EDITING_CROSSFADE 512

typedef struct {
    GList *(*timeline_get_layers)(GObject *timeline);
    GObject *(*timeline_append_layer)(GObject *timeline);
    gboolean (*timeline_move_layer)(GObject *timeline, GObject *layer, guint priority);
    gboolean (*timeline_remove_layer)(GObject *timeline, GObject *layer);
    GList *(*layer_get_clips)(GObject *layer);
    guint (*layer_get_priority)(GObject *layer);
    gboolean (*layer_remove_clip)(GObject *layer, GObject *clip);
    gboolean (*clip_move_to_layer)(GObject *clip, GObject *layer);
    GList *(*container_get_children)(GObject *container, gboolean recursive);
    gboolean (*container_add)(GObject *container, GObject *child);
    gboolean (*container_remove)(GObject *container, GObject *child);
    GObject *(*get_parent)(GObject *element);
    GstControlBinding *(*get_control_binding)(GObject *element, const gchar *property);
    gboolean (*get_child_property)(GObject *element, const gchar *property, GValue *value);
    gboolean (*set_child_property)(GObject *element, const gchar *property, const GValue *value);
    gboolean (*set_control_source)(GObject *element, GstControlSource *source, const gchar *property,
                                   const gchar *binding);
    GstClockTime (*clip_get_internal_time)(GObject *clip, GObject *child, GstClockTime time, GError **error);
} Editing;

/* The functions; NULL where the program has not loaded GES, or one that lacks a function. */
const Editing *editing_get(void);

/* Whether an object is of a type of GES, which is named. */
gboolean editing_is_a(gpointer object, const gchar *type_name);

/* A property of an object that is a time in nanoseconds. */
GstClockTime editing_time(gpointer object, const gchar *property);

/* The number in a property of a source, or `without` where it has no such property. */
gdouble editing_number(const Editing *editing, GObject *source, const gchar *property, gdouble without);

/* The first child of a container that is of a type, or NULL; the caller owns it. */
GObject *editing_child(const Editing *editing, GObject *container, const gchar *type_name);

#endif
