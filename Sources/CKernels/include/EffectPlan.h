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

/* A mark on pixels that a condition holds for: a square wave of 0 and 1 along the row says where it is drawn, nowhere
 * where it is null, and the colour is of alpha 1. */
typedef struct {
    const float *_Nullable wave;
    float color[3];
} KernelMark;

typedef struct {
    /* The conditions: a component is above `level`, is above `headroom`, or in the primaries of a gamut is below the
     * largest one times `outside_ratio` plus `outside_floor`, both of which are negative. */
    float level, headroom;
    KernelMatrix gamut;
    float outside_ratio, outside_floor;
    KernelMark above_level, above_headroom, outside_gamut;
} KernelHighlight;

typedef struct {
    /* 0 for the form with square roots, whose top is the root of the brightest light. */
    float bend;
    float top;
    /* The brightest light. */
    float headroom;
    int32_t has_alpha;
} KernelInvert;

typedef struct {
    /* The square of each pixel's distance from the centre along the row, and of the row's; where light begins to fall,
     * with all squares scaled to grow from 0 there to 1 in the corners; and how much. */
    const float *columns;
    float row, start, scale, strength;
} KernelVignette;
/* A look-up table of colours. Colour is divided by alpha before, and multiplied with it after. */
typedef struct {
    /* Light to the signal that the tables take, and back; KernelCurveNone where they take light. */
    KernelCurve to_signal, to_light;
    /* Values at equal steps and their rises to the next, a table for each component; null where there is none. Signals
     * have positions among the steps: a scale and an offset for each component. */
    const float *_Nullable lines[3];
    float line_scale[3], line_offset[3];
    float last_line;
    /* The nodes of a cube, red first, each red, green, blue and a number that does not count; null where there is none.
     * Signals have positions likewise. */
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

/* What a colour key takes away. Rows of weights have the sum 0. */
typedef struct {
    /* The amount of the key's chroma in a colour, and what is at right angles to it. */
    float along[3], across[3];
    /* The key's colour, whose largest component is 1. */
    float key[3];
    /* Chroma counts fully up to one slope, and not at all from another on: that one, and 1 / their difference. */
    float slope, slope_scale;
    /* The largest component of an evenly lit screen. */
    float level;
    /* The screen's share is the key's, less an offset, times a scale. */
    float share_scale, share_offset;
    /* And is lowered in shadows: largest components, and alpha, times these. */
    float guard_scale, guard_offset;
    /* What is taken from components times the key's chroma that is left. */
    float despill[3];
    /* 1 / the alpha below which colour fades to nothing. */
    float fade;
} KernelChromaKey;

/* Pixels of a row of a zoomed picture: the two rows of the picture around it, the share of the lower one, and how much
 * nearer to the centre its pixels are, with what weight they count. Each component has the same number of floats from
 * a row to the next, and all are as far behind their first row. */
typedef struct {
    intptr_t upper, lower;
    float fraction;
    float scale;
    float weight;
} KernelZoomTap;

/* Each changes `count` pixels in place, whose rows are aligned to 64 bytes and have room up to the next multiple of 16
 * pixels. Colour is premultiplied with alpha. */
typedef struct {
    /* Colour times a matrix, with its offsets times alpha added. */
    void (*_Nonnull color_matrix)(const KernelMatrix *matrix, KernelLightRows rows, intptr_t count);
    /* Each component x becomes (top - x) / (1 + bend * x), or (top - sqrt(x))^2; black stays under an alpha of 0. */
    void (*_Nonnull invert)(const KernelInvert *plan, KernelLightRows rows, intptr_t count);
    /* Marks: those of the level first, then of the gamut over them, then of the headroom. */
    void (*_Nonnull highlight)(const KernelHighlight *plan, KernelLightRows rows, intptr_t count);
    /* Colour times (1 + strength * d)^-2, with d the scaled square of the distance. */
    void (*_Nonnull vignette)(const KernelVignette *plan, KernelLightRows rows, intptr_t count);
    /* Look-up tables. */
    void (*_Nonnull lut)(const KernelLut *lut, KernelLightRows rows, intptr_t count);
    /* Takes a screen away, and lowers alpha to what is left. */
    void (*_Nonnull chroma_key)(const KernelChromaKey *key, KernelLightRows rows, intptr_t count);
    /* A layer over them, whose pixels count times an opacity. */
    void (*_Nonnull blend)(KernelLightRows layer, float opacity, int32_t has_alpha, KernelLightRows rows,
                           intptr_t count);
    /* What follows is of rows of single components, at any address, with room up to the next multiple of 16 numbers.
     *
     * The sum of `terms` rows times weights. */
    void (*_Nonnull sum_rows)(const float *_Nonnull const *_Nonnull rows, const float *weights, intptr_t terms,
                              float *to, intptr_t count);
    /* Every `step`-th number into a row of its own, of which each has `count` and begins `stride` after the one before;
     * and such a row back, to every `step`-th place. */
    void (*_Nonnull split_row)(const float *from, intptr_t step, float *to, intptr_t stride, intptr_t count);
    void (*_Nonnull join_row)(const float *from, float *to, intptr_t step, intptr_t count);
    /* The sum of zoomed rows, of four components: `from` has their first rows, and taps how far behind these a row
     * begins. The first tap is the row itself. The centre is a place among the pixels; four scratch rows lie `stride`
     * apart, which is 48 numbers more than there are pixels, or more. */
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
