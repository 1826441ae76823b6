#include <gst/controller/controller.h>
#include <gst/hdr/gsthdrplayback.h>
#include <gst/hdr/gsthdrtimeline.h>

#include "crossfades.h"

/* The media time of a source at an offset in ns from its clip's start; effects may change the speed of the media. */
static GstClockTime media_time(const Editing *editing, GObject *clip, GObject *source, GstClockTime offset) {
    GstClockTime time = editing->clip_get_internal_time(clip, source, editing_time(clip, "start") + offset, NULL);
    return GST_CLOCK_TIME_IS_VALID(time) ? time : editing_time(source, "in-point") + offset;
}

/* Ramps a property of a clip's source in the time of its media: from 0 to its value, and back to 0. */
static void ramp(const Editing *editing, GObject *clip, GObject *source, const gchar *property, GstClockTime in,
                 GstClockTime out) {
    GstControlSource *control = gst_interpolation_control_source_new();
    GstTimedValueControlSource *values = GST_TIMED_VALUE_CONTROL_SOURCE(control);
    GstClockTime length = editing_time(clip, "duration");
    gdouble whole = editing_number(editing, source, property, 1);
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

static void fade(const Editing *editing, const CrossfadesPart *part, const CrossfadesMedium *medium) {
    GstClockTime in = part->in.has_ramp ? part->in.duration : 0;
    GstClockTime out = part->out.has_ramp ? part->out.duration : 0;
    GList *children = editing->container_get_children(part->clip, TRUE);
    for (GList *each = children; each; each = each->next) {
        if (!editing_is_a(each->data, medium->source))
            continue;
        if (in || out)
            ramp(editing, part->clip, each->data, medium->property, in, out);
        if (part->is_added)
            add(editing, each->data);
    }
    g_list_free_full(children, g_object_unref);
}

static gboolean is_on(const Editing *editing, GObject *layer, GObject *clip) {
    GList *clips = editing->layer_get_clips(layer);
    gboolean result = g_list_find(clips, clip) != NULL;
    g_list_free_full(clips, gst_object_unref);
    return result;
}

/* A transition that GES made for two clips of a layer goes with either clip; one that the application added does not.
 * A group would keep it as a member. */
static void remove_transition(const Editing *editing, GObject *layer, GObject *transition) {
    GObject *group = editing->get_parent(transition);
    if (group)
        editing->container_remove(group, transition);
    g_clear_object(&group);
    if (is_on(editing, layer, transition))
        editing->layer_remove_clip(layer, transition);
}

/* The smallest group of a clip that has other members too, or NULL. The member that is the clip, or has only this clip,
 * is passed as well; the caller owns both. */
static GObject *group_of(const Editing *editing, GObject *clip, GObject **member) {
    GObject *group;
    *member = g_object_ref(clip);
    while ((group = editing->get_parent(*member))) {
        GList *members = editing->container_get_children(group, FALSE);
        gboolean has_others = members && members->next;
        g_list_free_full(members, g_object_unref);
        if (has_others)
            break;
        g_object_unref(*member);
        *member = group;
    }
    return group;
}

/* Moves a clip alone to another layer. It leaves its group meanwhile, since GES moves all clips of a group together.
 * The group has other members, without which it would be destroyed. */
static gboolean move(const Editing *editing, GObject *clip, GObject *layer) {
    GObject *member, *group = group_of(editing, clip, &member);
    gboolean is_alone = !group || editing->container_remove(group, member);
    gboolean is_moved = is_alone && editing->clip_move_to_layer(clip, layer);
    if (group && is_alone)
        editing->container_add(group, member);
    g_object_unref(member);
    g_clear_object(&group);
    return is_moved;
}

/* Moves the upper clips to a new layer above theirs. */
static gboolean separate(const Editing *editing, GObject *timeline, Crossfades *all, GError **error) {
    all->above = editing->timeline_append_layer(timeline);
    editing->timeline_move_layer(timeline, all->above, editing->layer_get_priority(all->layer));
    for (guint i = 0; i < all->pictures->len; i++) {
        const CrossfadesPart *part = &g_array_index(all->pictures, CrossfadesPart, i);
        if (!part->is_upper || move(editing, part->clip, all->above))
            continue;
        gchar *name = NULL;
        g_object_get(part->clip, "name", &name, NULL);
        g_set_error(error, GST_HDR_ERROR, GST_HDR_ERROR_FAILED,
                    "GStreamer Editing Services cannot move the clip %s to a layer of its own", name);
        g_free(name);
        return FALSE;
    }
    return TRUE;
}

/* Moves the upper clips back, where GES makes its transitions again, and removes their layer. */
static void join(const Editing *editing, GObject *timeline, Crossfades *all) {
    if (!all->above)
        return;
    for (guint i = 0; i < all->pictures->len; i++) {
        const CrossfadesPart *part = &g_array_index(all->pictures, CrossfadesPart, i);
        if (part->is_upper && is_on(editing, all->above, part->clip))
            move(editing, part->clip, all->layer);
    }
    /* The layers below a removed one keep their numbers. */
    GList *layers = editing->timeline_get_layers(timeline);
    editing->timeline_move_layer(timeline, all->above, g_list_length(layers) - 1);
    g_list_free_full(layers, g_object_unref);
    editing->timeline_remove_layer(timeline, all->above);
    all->above = NULL;
}

static void dissolve(const Editing *editing, GObject *layer, GArray *parts, const CrossfadesMedium *medium) {
    for (guint i = 0; i < parts->len; i++) {
        const CrossfadesPart *part = &g_array_index(parts, CrossfadesPart, i);
        if (part->is_replaced)
            remove_transition(editing, layer, part->transition);
        fade(editing, part, medium);
    }
}

/* What is to be done with the layers that have crossfades to be replaced. */
static GPtrArray *crossfades_of(const Editing *editing, GObject *timeline) {
    GPtrArray *found = g_ptr_array_new_with_free_func(crossfades_free);
    GList *layers = editing->timeline_get_layers(timeline);
    for (GList *each = layers; each; each = each->next) {
        Crossfades *all = crossfades_new(editing, layers, each);
        if (all->count)
            g_ptr_array_add(found, all);
        else
            crossfades_free(all);
    }
    g_list_free_full(layers, g_object_unref);
    return found;
}

/* Puts the clips of all crossfades on layers of their own, or changes nothing. */
static gboolean separate_all(const Editing *editing, GObject *timeline, GPtrArray *found, GError **error) {
    gboolean is_done = TRUE;
    for (guint i = 0; i < found->len && is_done; i++)
        is_done = separate(editing, timeline, g_ptr_array_index(found, i), error);
    for (guint i = found->len; i-- && !is_done;)
        join(editing, timeline, g_ptr_array_index(found, i));
    return is_done;
}

gint gst_hdr_timeline_dissolve_in_light(GObject *timeline, GError **error) {
    g_return_val_if_fail(error == NULL || *error == NULL, -1);
    const Editing *editing = editing_get();
    if (!editing || !G_IS_OBJECT(timeline) || !editing_is_a(timeline, "GESTimeline")) {
        g_set_error(error, GST_HDR_ERROR, GST_HDR_ERROR_INVALID_ARGUMENT,
                    "This is no GESTimeline of GStreamer Editing Services 1.22 or newer");
        return -1;
    }
    GPtrArray *found = crossfades_of(editing, timeline);
    gint count = separate_all(editing, timeline, found, error) ? 0 : -1;
    for (guint i = 0; i < found->len && count >= 0; i++) {
        Crossfades *all = g_ptr_array_index(found, i);
        dissolve(editing, all->layer, all->pictures, &crossfades_pictures);
        dissolve(editing, all->layer, all->sounds, &crossfades_sound);
        count += (gint)all->count;
    }
    g_ptr_array_unref(found);
    return count;
}
