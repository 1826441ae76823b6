/* The kernels of effects on linear light, and their parameters, in plain C for the reason that KernelPlan.h gives. */
#ifndef EFFECT_PLAN_H
#define EFFECT_PLAN_H

#include "KernelPlan.h"
#include "LinearLightPlan.h"

#if defined(__clang__)
#pragma clang assume_nonnull begin
#else
#define _Nonnull
#define _Nullable
#endif

/* A mark on pixels that meet a condition. A square wave of 0 and 1 along the row says where it is drawn; where that is
 * null, it is drawn nowhere. The colour has alpha 1. */
typedef struct {
    const float *_Nullable wave;
    float color[3];
} KernelMark;

typedef struct {
    /* The conditions: a component is above `level`; a component is above `headroom`; a component in the primaries of a
     * gamut is below the largest one times `outside_ratio` plus `outside_floor`, both of which are negative. */
    float level, headroom;
    KernelMatrix gamut;
    float outside_ratio, outside_floor;
    KernelMark above_level, above_headroom, outside_gamut;
} KernelHighlight;

typedef struct {
    /* 0 selects the form with square roots, whose top is the root of the brightest light. */
    float bend;
    float top;
    /* The brightest light. */
    float headroom;
    int32_t has_alpha;
} KernelInvert;

typedef struct {
    /* The square of each pixel's horizontal distance from the centre, and the square of the row's vertical distance.
     * Light begins to fall at `start`; `scale` makes all squares grow from 0 there to 1 in the corners, and `strength`
     * says how much light falls. */
    const float *columns;
    float row, start, scale, strength;
} KernelVignette;
/* A look-up table of colours. Colour is divided by alpha before the look-up, and multiplied with it afterwards. */
typedef struct {
    /* From light to the signal that the tables take, and back; KernelCurveNone where the tables take light. */
    KernelCurve to_signal, to_light;
    /* Values at equal steps and their differences to the next value, a table for each component; null where there is
     * none. The positions among the steps are the signals times a scale plus an offset, for each component. */
    const float *_Nullable lines[3];
    float line_scale[3], line_offset[3];
    float last_line;
    /* The nodes of a cube, red varying fastest, each as red, green, blue and a number that is ignored; null where there
     * is none. The positions follow from the signals in the same way. */
    const float *_Nullable nodes;
    float node_scale[3], node_offset[3];
    /* The highest position. */
    float last_node;
} KernelLut;

static inline __attribute__((always_inline)) const KernelCurve *kernel_lut_to_signal(const KernelLut *lut) {
    return &lut->to_signal;
}
static inline __attribute__((always_inline)) const KernelCurve *kernel_lut_to_light(const KernelLut *lut) {
    return &lut->to_light;
}

/* A colour key, which removes a screen's colour. Rows of weights have the sum 0. */
typedef struct {
    /* The weights of the amount of the key's chroma in a colour, and of the chroma at right angles to it. */
    float along[3], across[3];
    /* The key's colour, whose largest component is 1. */
    float key[3];
    /* Chroma counts fully up to one slope, and not at all from another one on: the latter slope, and 1 / the difference
     * of both. */
    float slope, slope_scale;
    /* The largest component of an evenly lit screen. */
    float level;
    /* The screen's share is the key's amount minus an offset, times a scale. */
    float share_scale, share_offset;
    /* The share is lowered in shadows: largest components, and alpha, times these. */
    float guard_scale, guard_offset;
    /* The factors of the remaining chroma of the key that is subtracted from each component. */
    float despill[3];
    /* 1 / the alpha below which colour fades to zero. */
    float fade;
} KernelChromaKey;

/* A tap of the zoom blur for a row: the two rows of the picture around the zoomed row, the share of the lower one, the
 * factor by which the positions of its pixels are nearer to the centre, and its weight. Each component has the same
 * number of floats from one row to the next, and all are as far behind their first row. */
typedef struct {
    intptr_t upper, lower;
    float fraction;
    float scale;
    float weight;
} KernelZoomTap;

/* Each function changes `count` pixels in place, whose rows are aligned to 64 bytes and have room up to the next
 * multiple of 16 pixels. Colour is premultiplied with alpha. */
typedef struct {
    /* Multiplies colour with a matrix, and adds the matrix's offsets times alpha. */
    void (*_Nonnull color_matrix)(const KernelMatrix *matrix, KernelLightRows rows, intptr_t count);
    /* Each component x becomes (top - x) / (1 + bend * x), or (top - sqrt(x))^2. Where alpha is 0, colour stays
     * black. */
    void (*_Nonnull invert)(const KernelInvert *plan, KernelLightRows rows, intptr_t count);
    /* Draws marks: those of the level first, those of the gamut over them, and those of the headroom on top. */
    void (*_Nonnull highlight)(const KernelHighlight *plan, KernelLightRows rows, intptr_t count);
    /* Multiplies colour with (1 + strength * d)^-2, where d is the scaled square of the distance. */
    void (*_Nonnull vignette)(const KernelVignette *plan, KernelLightRows rows, intptr_t count);
    /* Replaces colours by those of a look-up table. */
    void (*_Nonnull lut)(const KernelLut *lut, KernelLightRows rows, intptr_t count);
    /* Removes a screen's colour, and lowers alpha to the share that is left. */
    void (*_Nonnull chroma_key)(const KernelChromaKey *key, KernelLightRows rows, intptr_t count);
    /* Composites a layer over the pixels, with the layer multiplied by an opacity. */
    void (*_Nonnull blend)(KernelLightRows layer, float opacity, int32_t has_alpha, KernelLightRows rows,
                           intptr_t count);
    /* The functions that follow take rows of single components, at any address, with room up to the next multiple of 16
     * numbers.
     *
     * Computes the weighted sum of `terms` rows. */
    void (*_Nonnull sum_rows)(const float *_Nonnull const *_Nonnull rows, const float *weights, intptr_t terms,
                              float *to, intptr_t count);
    /* Computes `count` weighted sums of pixels of four components. Each is of `taps` pixels, a multiple of
     * `pixels_per_vector`, from a place in the row on, and has weights of its own. */
    intptr_t pixels_per_vector;
    void (*_Nonnull filter_pixels)(const float *from, const int32_t *first, const float *weights, intptr_t taps,
                                   float *to, intptr_t count);
    /* Copies every `step`-th number into a row of its own, which gives `step` rows of `count` numbers that lie `stride`
     * apart. The second function copies such a row back to every `step`-th place. */
    void (*_Nonnull split_row)(const float *from, intptr_t step, float *to, intptr_t stride, intptr_t count);
    void (*_Nonnull join_row)(const float *from, float *to, intptr_t step, intptr_t count);
    /* Computes the sum of zoomed rows of four components: `from` has their first rows, and taps say how far behind
     * these a row begins. The first tap is the row itself. The centre is a position among the pixels. Four scratch rows
     * lie `stride` apart, which is at least 48 numbers more than there are pixels. */
    void (*_Nonnull zoom_rows)(const KernelZoomTap *taps, intptr_t tap_count, float centre, KernelLightRows from,
                               KernelLightRows to, float *scratch, intptr_t stride, intptr_t count);
} KernelEffects;

#if defined(__clang__)
#pragma clang assume_nonnull end
#else
#undef _Nonnull
#undef _Nullable
#endif

#endif
