#include <gst/controller/controller.h>
#include <gst/hdr/gsthdrplayback.h>
#include <gst/hdr/gsthdrtimeline.h>

#include "editing.h"

/* A clip of a layer, and the crossfade to the next one. */
typedef struct {
    GObject *clip;
    GstClockTime start, duration;
    /* The transition to the next clip, or NULL. */
    GObject *transition;
    gboolean is_crossfade;
    /* How long it is faded in and out, in nanoseconds. */
    GstClockTime fade_in, fade_out;
    /* Whether it goes to the layer above. */
    gboolean is_upper;
} Part;

static GstClockTime time_of(GObject *object, const gchar *property) {
    guint64 time = 0;
    g_object_get(object, property, &time, NULL);
    return time;
}

static gboolean is_a(gpointer object, const gchar *type_name) {
    GType type = g_type_from_name(type_name);
    return type && g_type_is_a(G_OBJECT_TYPE(object), type);
}

static void part_clear(gpointer part) {
    g_clear_object(&((Part *)part)->clip);
    g_clear_object(&((Part *)part)->transition);
}

static gint by_start(gconstpointer a, gconstpointer b) {
    const Part *first = a, *second = b;
    return first->start < second->start ? -1 : first->start > second->start;
}

/* The clips of a layer in the order of time, with the transitions between them. */
static GArray *parts_of(const Editing *editing, GObject *layer) {
    GArray *parts = g_array_new(FALSE, TRUE, sizeof(Part));
    g_array_set_clear_func(parts, part_clear);
    GList *clips = editing->layer_get_clips(layer);
    for (GList *each = clips; each; each = each->next) {
        Part part = {.start = time_of(each->data, "start"), .duration = time_of(each->data, "duration")};
        if (is_a(each->data, "GESTransitionClip"))
            continue;
        part.clip = g_object_ref(each->data);
        g_array_append_val(parts, part);
    }
    g_array_sort(parts, by_start);
    for (GList *each = clips; each; each = each->next) {
        if (!is_a(each->data, "GESTransitionClip"))
            continue;
        GstClockTime start = time_of(each->data, "start"), duration = time_of(each->data, "duration");
        for (guint i = 0; i + 1 < parts->len; i++) {
            Part *part = &g_array_index(parts, Part, i), *next = part + 1;
            if (part->transition || next->start != start || part->start + part->duration != start + duration)
                continue;
            gint kind = 0;
            g_object_get(each->data, "vtype", &kind, NULL);
            part->transition = g_object_ref(each->data);
            part->is_crossfade = kind == EDITING_CROSSFADE;
            break;
        }
    }
    g_list_free_full(clips, gst_object_unref);
    return parts;
}

/* Whether an application ramps what this would. */
static gboolean is_controlled(const Editing *editing, GObject *clip) {
    gboolean is_found = FALSE;
    GList *children = editing->container_get_children(clip, TRUE);
    for (GList *each = children; each; each = each->next) {
        if (is_a(each->data, "GESVideoSource"))
            is_found |= editing->get_control_binding(each->data, "alpha") != NULL;
        else if (is_a(each->data, "GESAudioSource"))
            is_found |= editing->get_control_binding(each->data, "volume") != NULL;
    }
    g_list_free_full(children, g_object_unref);
    return is_found;
}

/* Which clips go to the layer above, so that each two of a crossfade are on different ones. */
static guint arrange(const Editing *editing, GArray *parts) {
    guint count = 0;
    for (guint i = 0; i + 1 < parts->len; i++) {
        Part *part = &g_array_index(parts, Part, i), *next = part + 1;
        if (!part->transition || !part->is_crossfade)
            continue;
        /* A wipe's clips stay with it. */
        gboolean is_pinned = next->transition && !next->is_crossfade;
        if ((is_pinned && !part->is_upper) || is_controlled(editing, part->clip) ||
            is_controlled(editing, next->clip)) {
            part->is_crossfade = FALSE;
            continue;
        }
        next->is_upper = !part->is_upper;
        part->fade_out = next->fade_in = part->start + part->duration - next->start;
        count++;
    }
    return count;
}

/* Ramps a property of a clip's source, in the time of its media: from 0 to 1 and back. */
static void ramp(const Editing *editing, GObject *source, const gchar *property, GstClockTime in, GstClockTime out) {
    GstControlSource *control = gst_interpolation_control_source_new();
    GstTimedValueControlSource *values = GST_TIMED_VALUE_CONTROL_SOURCE(control);
    GstClockTime start = time_of(source, "in-point"), end = start + time_of(source, "duration");
    g_object_set(control, "mode", GST_INTERPOLATION_MODE_LINEAR, NULL);
    gst_timed_value_control_source_set(values, start, in ? 0 : 1);
    if (in)
        gst_timed_value_control_source_set(values, start + in, 1);
    if (out)
        gst_timed_value_control_source_set(values, end - out, 1);
    gst_timed_value_control_source_set(values, end, out ? 0 : 1);
    editing->set_control_source(source, control, property, "direct-absolute");
    gst_object_unref(control);
}

static void fade(const Editing *editing, const Part *part) {
    GList *children = editing->container_get_children(part->clip, TRUE);
    for (GList *each = children; each; each = each->next) {
        if (is_a(each->data, "GESAudioSource"))
            ramp(editing, each->data, "volume", part->fade_in, part->fade_out);
        else if (is_a(each->data, "GESVideoSource") && part->is_upper)
            ramp(editing, each->data, "alpha", part->fade_in, part->fade_out);
    }
    g_list_free_full(children, g_object_unref);
}

/* A transition that GES made for two clips of a layer is gone when one of them is; one that was put there is not. */
static void remove_transition(const Editing *editing, GObject *layer, GObject *transition) {
    GList *clips = editing->layer_get_clips(layer);
    if (g_list_find(clips, transition))
        editing->layer_remove_clip(layer, transition);
    g_list_free_full(clips, gst_object_unref);
}

static gboolean dissolve(const Editing *editing, GObject *timeline, GObject *layer, GArray *parts, GError **error) {
    GObject *above = editing->timeline_append_layer(timeline);
    editing->timeline_move_layer(timeline, above, editing->layer_get_priority(layer));
    for (guint i = 0; i < parts->len; i++) {
        Part *part = &g_array_index(parts, Part, i);
        if (!part->is_upper || editing->clip_move_to_layer(part->clip, above))
            continue;
        gchar *name = NULL;
        g_object_get(part->clip, "name", &name, NULL);
        g_set_error(error, GST_HDR_ERROR, GST_HDR_ERROR_FAILED,
                    "GStreamer Editing Services cannot move the clip %s to a layer of its own", name);
        g_free(name);
        return FALSE;
    }
    for (guint i = 0; i < parts->len; i++) {
        Part *part = &g_array_index(parts, Part, i);
        if (part->fade_out)
            remove_transition(editing, layer, part->transition);
        if (part->fade_in || part->fade_out)
            fade(editing, part);
    }
    return TRUE;
}

gint gst_hdr_timeline_dissolve_in_light(GObject *timeline, GError **error) {
    g_return_val_if_fail(error == NULL || *error == NULL, -1);
    const Editing *editing = editing_get();
    if (!editing || !G_IS_OBJECT(timeline) || !is_a(timeline, "GESTimeline")) {
        g_set_error(error, GST_HDR_ERROR, GST_HDR_ERROR_INVALID_ARGUMENT,
                    "This is no GESTimeline of GStreamer Editing Services 1.22 or newer");
        return -1;
    }
    gint count = 0;
    GList *layers = editing->timeline_get_layers(timeline);
    for (GList *each = layers; each && count >= 0; each = each->next) {
        GArray *parts = parts_of(editing, each->data);
        guint found = arrange(editing, parts);
        if (found)
            count = dissolve(editing, timeline, each->data, parts, error) ? count + (gint)found : -1;
        g_array_unref(parts);
    }
    g_list_free_full(layers, gst_object_unref);
    return count;
}
