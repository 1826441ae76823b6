#include <gst/controller/controller.h>
#include <gst/hdr/gsthdrplayback.h>
#include <gst/hdr/gsthdrtimeline.h>

#include "editing.h"

/* How a clip appears at its start, or disappears at its end. */
typedef struct {
    /* In nanoseconds. */
    GstClockTime duration;
    /* Whether its opacity is ramped. */
    gboolean has_ramp;
} Fade;

/* A clip of a layer, and its crossfade to the next one. */
typedef struct {
    GObject *clip;
    GstClockTime start, duration;
    /* The transition to the next clip, or NULL. */
    GObject *transition;
    /* Whether it is a crossfade that can be replaced, and whether that takes the sum of both clips. */
    gboolean is_crossfade, is_sum;
    Fade in, out;
    /* Whether it goes to the layer above, and is added to what is below. */
    gboolean is_upper, is_added;
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

/* The clips of a layer in chronological order, with the transitions between them. */
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

/* Whether an application already controls a property that would be ramped here. */
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

/* The source of a clip's pictures, or NULL; the caller owns it. */
static GObject *pictures_of(const Editing *editing, GObject *clip) {
    GObject *found = NULL;
    GList *children = editing->container_get_children(clip, TRUE);
    for (GList *each = children; each && !found; each = each->next)
        if (is_a(each->data, "GESVideoSource"))
            found = g_object_ref(each->data);
    g_list_free_full(children, g_object_unref);
    return found;
}

/* The number in a property of a source, or `without` where it has no such property. */
static gdouble number_of(const Editing *editing, GObject *source, const gchar *property, gdouble without) {
    GValue value = G_VALUE_INIT, number = G_VALUE_INIT;
    gdouble result = without;
    g_value_init(&number, G_TYPE_DOUBLE);
    if (editing->get_child_property(source, property, &value) && g_value_transform(&value, &number))
        result = g_value_get_double(&number);
    if (G_IS_VALUE(&value))
        g_value_unset(&value);
    return result;
}

/* Whether a source's picture lies wholly below the other's, with nothing beside it or showing through. Titles are
 * transparent. */
static gboolean covers(const Editing *editing, GObject *upper, GObject *lower) {
    const struct { const gchar *place, *size; } axes[] = {{"posx", "width"}, {"posy", "height"}};
    gboolean result = !is_a(upper, "GESTitleSource") && number_of(editing, upper, "alpha", 1) >= 1;
    for (guint i = 0; i < G_N_ELEMENTS(axes); i++) {
        gdouble first = number_of(editing, upper, axes[i].place, 0);
        gdouble start = number_of(editing, lower, axes[i].place, 0);
        gdouble end = start + number_of(editing, lower, axes[i].size, 0);
        result &= first <= start && end <= first + number_of(editing, upper, axes[i].size, 0);
    }
    return result;
}

/* Whether layers below this one have pictures in that range of time. */
static gboolean is_above_others(const Editing *editing, GList *below, GstClockTime start, GstClockTime end) {
    gboolean result = FALSE;
    for (GList *layer = below; layer && !result; layer = layer->next) {
        GList *clips = editing->layer_get_clips(layer->data);
        for (GList *each = clips; each && !result; each = each->next) {
            GstClockTime first = time_of(each->data, "start");
            if (first >= end || first + time_of(each->data, "duration") <= start)
                continue;
            GObject *pictures = pictures_of(editing, each->data);
            result = pictures != NULL;
            g_clear_object(&pictures);
        }
        g_list_free_full(clips, gst_object_unref);
    }
    return result;
}

/* Whether a crossfade can be replaced. Where both clips cover each other, a ramp of the upper one's opacity suffices;
 * otherwise they have to be added (is_sum), which needs the pad's operator and no pictures below. The operator is set
 * for the whole clip, since GES 1.22 hangs where it is controlled over time. */
static gboolean is_mixable(const Editing *editing, GList *below, Part *part, const Part *next) {
    if (is_controlled(editing, part->clip) || is_controlled(editing, next->clip))
        return FALSE;
    GObject *first = pictures_of(editing, part->clip), *second = pictures_of(editing, next->clip);
    gboolean result = TRUE;
    if (first && second && !(covers(editing, first, second) && covers(editing, second, first))) {
        GValue operation = G_VALUE_INIT;
        result = editing->get_child_property(second, "operator", &operation) && G_VALUE_HOLDS_ENUM(&operation) &&
                 !is_above_others(editing, below, part->start, next->start + next->duration);
        if (G_IS_VALUE(&operation))
            g_value_unset(&operation);
        part->is_sum = result;
    }
    g_clear_object(&first);
    g_clear_object(&second);
    return result;
}

/* Decides which clips go to the layer above, so that the two clips of each crossfade are on different layers. */
static guint arrange(const Editing *editing, GArray *parts, GList *below) {
    guint count = 0;
    for (guint i = 0; i + 1 < parts->len; i++) {
        Part *part = &g_array_index(parts, Part, i);
        if (part->transition && part->is_crossfade)
            part->is_crossfade = is_mixable(editing, below, part, part + 1);
    }
    for (guint i = 0; i + 1 < parts->len; i++) {
        Part *part = &g_array_index(parts, Part, i), *next = part + 1;
        if (!part->transition || !part->is_crossfade)
            continue;
        /* The clips of a transition that is left to GES have to stay on the transition's layer. */
        gboolean is_pinned = next->transition && !next->is_crossfade;
        if (is_pinned && !part->is_upper) {
            part->is_crossfade = FALSE;
            continue;
        }
        next->is_upper = !part->is_upper;
        part->out.duration = next->in.duration = part->start + part->duration - next->start;
        *(part->is_upper ? &part->is_added : &next->is_added) |= part->is_sum;
        count++;
    }
    for (guint i = 0; i + 1 < parts->len; i++) {
        Part *part = &g_array_index(parts, Part, i), *next = part + 1;
        gboolean is_sum = part->is_added || next->is_added;
        part->out.has_ramp = is_sum || part->is_upper;
        next->in.has_ramp = is_sum || next->is_upper;
    }
    return count;
}

/* The media time of a source at an offset in ns from its clip's start; effects may change the speed of the media. */
static GstClockTime media_time(const Editing *editing, GObject *clip, GObject *source, GstClockTime offset) {
    GstClockTime time = editing->clip_get_internal_time(clip, source, time_of(clip, "start") + offset, NULL);
    return GST_CLOCK_TIME_IS_VALID(time) ? time : time_of(source, "in-point") + offset;
}

/* Ramps a property of a clip's source in the time of its media: from 0 to its value, and back to 0. */
static void ramp(const Editing *editing, GObject *clip, GObject *source, const gchar *property, GstClockTime in,
                 GstClockTime out) {
    GstControlSource *control = gst_interpolation_control_source_new();
    GstTimedValueControlSource *values = GST_TIMED_VALUE_CONTROL_SOURCE(control);
    GstClockTime length = time_of(clip, "duration");
    gdouble whole = number_of(editing, source, property, 1);
    g_object_set(control, "mode", GST_INTERPOLATION_MODE_LINEAR, NULL);
    gst_timed_value_control_source_set(values, media_time(editing, clip, source, 0), in ? 0 : whole);
    if (in)
        gst_timed_value_control_source_set(values, media_time(editing, clip, source, in), whole);
    if (out)
        gst_timed_value_control_source_set(values, media_time(editing, clip, source, length - out), whole);
    gst_timed_value_control_source_set(values, media_time(editing, clip, source, length), out ? 0 : whole);
    editing->set_control_source(source, control, property, "direct-absolute");
    gst_object_unref(control);
}

static void add(const Editing *editing, GObject *source) {
    static const gchar *const places[] = {"posx", "posy", "width", "height"};
    GValue value = G_VALUE_INIT;
    /* GES 1.22 hangs where the operator is set of a source whose position is still chosen by GES. */
    for (guint i = 0; i < G_N_ELEMENTS(places); i++) {
        if (editing->get_child_property(source, places[i], &value))
            editing->set_child_property(source, places[i], &value);
        if (G_IS_VALUE(&value))
            g_value_unset(&value);
    }
    if (!editing->get_child_property(source, "operator", &value))
        return;
    if (G_VALUE_HOLDS_ENUM(&value)) {
        GEnumClass *klass = g_type_class_ref(G_VALUE_TYPE(&value));
        const GEnumValue *sum = g_enum_get_value_by_nick(klass, "add");
        g_value_set_enum(&value, sum ? sum->value : g_value_get_enum(&value));
        editing->set_child_property(source, "operator", &value);
        g_type_class_unref(klass);
    }
    g_value_unset(&value);
}

static void fade(const Editing *editing, const Part *part) {
    GList *children = editing->container_get_children(part->clip, TRUE);
    for (GList *each = children; each; each = each->next) {
        GstClockTime in = part->in.has_ramp ? part->in.duration : 0;
        GstClockTime out = part->out.has_ramp ? part->out.duration : 0;
        if (is_a(each->data, "GESAudioSource"))
            ramp(editing, part->clip, each->data, "volume", part->in.duration, part->out.duration);
        if (!is_a(each->data, "GESVideoSource"))
            continue;
        if (in || out)
            ramp(editing, part->clip, each->data, "alpha", in, out);
        if (part->is_added)
            add(editing, each->data);
    }
    g_list_free_full(children, g_object_unref);
}

/* A transition that GES made for two clips of a layer goes with either clip; one that the application added does
 * not. */
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
        if (part->out.duration)
            remove_transition(editing, layer, part->transition);
        if (part->in.duration || part->out.duration)
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
        guint found = arrange(editing, parts, each->next);
        if (found)
            count = dissolve(editing, timeline, each->data, parts, error) ? count + (gint)found : -1;
        g_array_unref(parts);
    }
    g_list_free_full(layers, gst_object_unref);
    return count;
}
