/* The crossfades of a layer of a timeline of GES: which of them are replaced by ramps, and how. */
#ifndef CROSSFADES_H
#define CROSSFADES_H

#include "editing.h"

/* What clips consist of: pictures, or sound. Each has transitions of its own. */
typedef struct {
    /* The types of what is in a clip, and in a transition. */
    const gchar *source, *transition;
    /* What is ramped. */
    const gchar *property;
} CrossfadesMedium;

extern const CrossfadesMedium crossfades_pictures, crossfades_sound;

/* How a clip appears at its start, or disappears at its end. */
typedef struct {
    /* In nanoseconds. */
    GstClockTime duration;
    /* Whether its property is ramped. */
    gboolean has_ramp;
} CrossfadesFade;

/* A clip of a layer, as one of those with pictures or one of those with sound, and its transition to the next one. */
typedef struct {
    GObject *clip;
    GstClockTime start, duration;
    /* The transition to the next clip, or NULL. */
    GObject *transition;
    /* Whether the transition is replaced, and whether that takes the sum of both clips. */
    gboolean is_replaced, is_sum;
    CrossfadesFade in, out;
    /* Whether it goes to the layer above, and is added to what is below. */
    gboolean is_upper, is_added;
} CrossfadesPart;

typedef struct {
    GObject *layer;
    /* The layer that the upper clips go to; NULL until there is one. */
    GObject *above;
    /* Parts in chronological order. A clip that has both is in both. */
    GArray *pictures, *sounds;
    /* How many crossfades of pictures are replaced. */
    guint count;
} Crossfades;

/* Finds what is to be done with the layer at a place in the list of all layers. It changes nothing. */
Crossfades *crossfades_new(const Editing *editing, GList *layers, GList *place);

void crossfades_free(gpointer crossfades);

#endif
