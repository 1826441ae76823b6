#include "crossfades.h"

const CrossfadesMedium crossfades_pictures = {"GESVideoSource", "GESVideoTransition", "alpha"};
const CrossfadesMedium crossfades_sound = {"GESAudioSource", "GESAudioTransition", "volume"};

typedef CrossfadesPart Part;

static void part_clear(gpointer part) {
    g_clear_object(&((Part *)part)->clip);
    g_clear_object(&((Part *)part)->transition);
}

static gint by_start(gconstpointer a, gconstpointer b) {
    const Part *first = a, *second = b;
    return first->start < second->start ? -1 : first->start > second->start;
}

static gboolean has(const Editing *editing, GObject *clip, const gchar *type_name) {
    GObject *child = editing_child(editing, clip, type_name);
    gboolean result = child != NULL;
    g_clear_object(&child);
    return result;
}

/* Gives a transition to the first of the two parts that it lies between. */
static void place_transition(GArray *parts, GObject *transition) {
    GstClockTime start = editing_time(transition, "start"), end = start + editing_time(transition, "duration");
    for (guint i = 0; i + 1 < parts->len; i++) {
        Part *part = &g_array_index(parts, Part, i), *next = part + 1;
        if (part->transition || next->start != start || part->start + part->duration != end)
            continue;
        part->transition = g_object_ref(transition);
        return;
    }
}

/* The clips of a layer that have a medium, in chronological order, with the transitions of that medium between them. */
static GArray *parts_of(const Editing *editing, GObject *layer, const CrossfadesMedium *medium) {
    GArray *parts = g_array_new(FALSE, TRUE, sizeof(Part));
    g_array_set_clear_func(parts, part_clear);
    GList *clips = editing->layer_get_clips(layer);
    for (GList *each = clips; each; each = each->next) {
        if (!has(editing, each->data, medium->source))
            continue;
        Part part = {.clip = g_object_ref(each->data)};
        part.start = editing_time(part.clip, "start");
        part.duration = editing_time(part.clip, "duration");
        g_array_append_val(parts, part);
    }
    g_array_sort(parts, by_start);
    for (GList *each = clips; each; each = each->next)
        if (has(editing, each->data, medium->transition))
            place_transition(parts, each->data);
    g_list_free_full(clips, gst_object_unref);
    return parts;
}

static gboolean is_crossfade(GObject *transition) {
    gint kind = 0;
    g_object_get(transition, "vtype", &kind, NULL);
    return kind == EDITING_CROSSFADE;
}

/* Whether an application already controls a property that would be ramped here. */
static gboolean is_controlled(const Editing *editing, GObject *clip) {
    gboolean is_found = FALSE;
    GList *children = editing->container_get_children(clip, TRUE);
    for (GList *each = children; each; each = each->next) {
        const CrossfadesMedium *const media[] = {&crossfades_pictures, &crossfades_sound};
        for (guint i = 0; i < G_N_ELEMENTS(media); i++)
            if (editing_is_a(each->data, media[i]->source))
                is_found |= editing->get_control_binding(each->data, media[i]->property) != NULL;
    }
    g_list_free_full(children, g_object_unref);
    return is_found;
}

/* Whether a clip, or one that its sound has a transition with, is controlled. */
static gboolean is_near_controlled(const Editing *editing, GArray *sounds, GObject *clip) {
    gboolean result = is_controlled(editing, clip);
    for (guint i = 0; i + 1 < sounds->len && !result; i++) {
        const Part *part = &g_array_index(sounds, Part, i), *next = part + 1;
        if (part->transition && (part->clip == clip || next->clip == clip))
            result = is_controlled(editing, part->clip == clip ? next->clip : part->clip);
    }
    return result;
}

/* Whether a source's picture lies wholly below the other's, with nothing beside it or showing through. Titles are
 * transparent. */
static gboolean covers(const Editing *editing, GObject *upper, GObject *lower) {
    const struct { const gchar *place, *size; } axes[] = {{"posx", "width"}, {"posy", "height"}};
    gboolean result = !editing_is_a(upper, "GESTitleSource") && editing_number(editing, upper, "alpha", 1) >= 1;
    for (guint i = 0; i < G_N_ELEMENTS(axes); i++) {
        gdouble first = editing_number(editing, upper, axes[i].place, 0);
        gdouble start = editing_number(editing, lower, axes[i].place, 0);
        gdouble end = start + editing_number(editing, lower, axes[i].size, 0);
        result &= first <= start && end <= first + editing_number(editing, upper, axes[i].size, 0);
    }
    return result;
}

static gboolean has_pictures(const Editing *editing, GObject *clip) {
    return has(editing, clip, crossfades_pictures.source);
}

/* Whether a clip is an effect, or a text on pictures: it applies to the clip that is the next one below it. */
static gboolean is_effect(const Editing *editing, GObject *clip) {
    (void)editing;
    return editing_is_a(clip, "GESOperationClip") && !editing_is_a(clip, "GESBaseTransitionClip");
}

/* Whether layers, from one of a list to before another one, have a clip of a kind in that range of time. */
static gboolean is_among(const Editing *editing, GList *from, GList *to,
                         gboolean (*is_kind)(const Editing *, GObject *), GstClockTime start, GstClockTime end) {
    gboolean result = FALSE;
    for (GList *layer = from; layer != to && !result; layer = layer->next) {
        GList *clips = editing->layer_get_clips(layer->data);
        for (GList *each = clips; each && !result; each = each->next) {
            GstClockTime first = editing_time(each->data, "start");
            if (first < end && first + editing_time(each->data, "duration") > start)
                result = is_kind(editing, each->data);
        }
        g_list_free_full(clips, gst_object_unref);
    }
    return result;
}

/* Whether a crossfade can be replaced. Where both clips cover each other, a ramp of the upper one's opacity suffices;
 * otherwise they have to be added (is_sum), which needs the pad's operator and no pictures below. The operator is set
 * for the whole clip, since GES 1.22 hangs where it is controlled over time. */
static gboolean is_mixable(const Editing *editing, GList *below, GArray *sounds, Part *part, const Part *next) {
    if (is_near_controlled(editing, sounds, part->clip) || is_near_controlled(editing, sounds, next->clip))
        return FALSE;
    GObject *first = editing_child(editing, part->clip, crossfades_pictures.source);
    GObject *second = editing_child(editing, next->clip, crossfades_pictures.source);
    gboolean result = TRUE;
    if (!covers(editing, first, second) || !covers(editing, second, first)) {
        GValue operation = G_VALUE_INIT;
        result = editing->get_child_property(second, "operator", &operation) && G_VALUE_HOLDS_ENUM(&operation) &&
                 !is_among(editing, below, NULL, has_pictures, part->start, next->start + next->duration);
        if (G_IS_VALUE(&operation))
            g_value_unset(&operation);
        part->is_sum = result;
    }
    g_object_unref(first);
    g_object_unref(second);
    return result;
}

/* Decides which clips go to the layer above, so that the two clips of each crossfade are on different layers. */
static guint arrange_pictures(const Editing *editing, const Crossfades *all, GList *layers, GList *place) {
    GArray *parts = all->pictures;
    guint count = 0;
    for (guint i = 0; i + 1 < parts->len; i++) {
        Part *part = &g_array_index(parts, Part, i), *next = part + 1;
        /* An effect is to apply to both clips while they are mixed. */
        part->is_replaced =
            part->transition && is_crossfade(part->transition) &&
            !is_among(editing, layers, place->next, is_effect, next->start, part->start + part->duration) &&
            is_mixable(editing, place->next, all->sounds, part, next);
    }
    for (guint i = 0; i + 1 < parts->len; i++) {
        Part *part = &g_array_index(parts, Part, i), *next = part + 1;
        if (!part->is_replaced)
            continue;
        /* The clips of a transition that is left to GES, or below an effect, have to stay on its layer. */
        gboolean is_pinned =
            (next->transition && !next->is_replaced) ||
            is_among(editing, place, place->next, is_effect, next->start, next->start + next->duration);
        if (is_pinned && !part->is_upper) {
            part->is_replaced = FALSE;
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

static Part *part_of(GArray *parts, GObject *clip) {
    for (guint i = 0; i < parts->len; i++)
        if (g_array_index(parts, Part, i).clip == clip)
            return &g_array_index(parts, Part, i);
    return NULL;
}

static gboolean is_raised(GArray *pictures, GObject *clip) {
    const Part *part = part_of(pictures, clip);
    return part && part->is_upper;
}

static gboolean goes_with_pictures(GArray *pictures, GObject *transition) {
    for (guint i = 0; i < pictures->len; i++)
        if (g_array_index(pictures, Part, i).transition == transition)
            return g_array_index(pictures, Part, i).is_replaced;
    return FALSE;
}

static void fade_sound(Part *part, Part *next, GstClockTime duration) {
    const CrossfadesFade fade = {.duration = duration, .has_ramp = TRUE};
    if (part)
        part->out = fade;
    if (next)
        next->in = fade;
}

/* Sound keeps its transitions, but for those whose clips are now on different layers, and those that are a transition
 * of pictures too. The latter may have a clip without sound on one side. */
static void arrange_sounds(const Editing *editing, GArray *sounds, GArray *pictures) {
    for (guint i = 0; i + 1 < sounds->len; i++) {
        Part *part = &g_array_index(sounds, Part, i), *next = part + 1;
        part->is_replaced = part->transition && (is_raised(pictures, part->clip) != is_raised(pictures, next->clip) ||
                                                 goes_with_pictures(pictures, part->transition));
        if (part->is_replaced)
            fade_sound(part, next, part->start + part->duration - next->start);
    }
    for (guint i = 0; i + 1 < pictures->len; i++) {
        const Part *part = &g_array_index(pictures, Part, i), *next = part + 1;
        if (part->is_replaced && has(editing, part->transition, crossfades_sound.transition))
            fade_sound(part_of(sounds, part->clip), part_of(sounds, next->clip), part->out.duration);
    }
}

Crossfades *crossfades_new(const Editing *editing, GList *layers, GList *place) {
    Crossfades *all = g_new0(Crossfades, 1);
    all->layer = g_object_ref(place->data);
    all->pictures = parts_of(editing, all->layer, &crossfades_pictures);
    all->sounds = parts_of(editing, all->layer, &crossfades_sound);
    all->count = arrange_pictures(editing, all, layers, place);
    arrange_sounds(editing, all->sounds, all->pictures);
    return all;
}

void crossfades_free(gpointer crossfades) {
    Crossfades *all = crossfades;
    g_object_unref(all->layer);
    g_array_unref(all->pictures);
    g_array_unref(all->sounds);
    g_free(all);
}
