/* Parameters and results of the light meter, in plain C for the reason that KernelPlan.h gives. */
#ifndef LIGHT_PLAN_H
#define LIGHT_PLAN_H

#include "KernelPlan.h"

/* How statistics are found: pixels are counted by the PQ signal of the largest component, and those that lie outside
 * another gamut. `OfLight` computes light of each component first, and the signal of the largest one. `OfSignal` is for
 * PQ, whose signals are positions as those of the light meter are; light is computed of the largest one. */
enum { KernelStatisticsNone, KernelStatisticsOfLight, KernelStatisticsOfSignal };

typedef struct {
    /* The picture's layout and the places of its chroma; with `mixes_colors` also its colour, up to light. */
    KernelPlan picture;
    /* Light depends on all components, as HLG's does: it is computed for each. Else on the largest R'G'B'. */
    int32_t mixes_colors;
    int32_t finds_statistics;
    /* Position of the largest R'G'B' in the curve: that of luma, or of the largest component, as a code value times
     * `scale` plus `offset`; then what each colour difference, less its code for grey, adds to R', G' and B'. */
    float scale, offset;
    float grey;
    float red_cr, green_cb, green_cr, blue_cb;
    /* Light of a position: a table in memory, or the light's square root as polynomials on as many cells as a register
     * has lanes, a row of which is one coefficient. Steps and cells are 1 wide. */
    KernelCurve curve;
    /* Columns that count; the first is even. */
    intptr_t left, right;
    /* Bin of a position, or of light where colours mix: the whole number below, clamped to `top_bin`. */
    float bin_scale, bin_offset, top_bin;
    /* Bins of one of the histograms, two or four, whose sum is the picture's. */
    int32_t bins, histograms;
    /* Statistics of linear light in rows: the matrix to components in cd/m2, and the highest of these that counts. */
    KernelMatrix from_rows;
    float top_light;
    /* Statistics: the PQ signal of light, light in the primaries of the other gamut, and in those of a wider one. */
    KernelCurve signal;
    /* Or, where that is a component's own signal, its place among the bins by what the picture's colour measures: scale
     * and offset. */
    int32_t has_own_signal;
    float own_scale, own_offset;
    KernelMatrix gamut;
    /* A pixel whose least component is no less than this share of its largest one is inside both gamuts. */
    float inside_share;
    /* Of signals: light of a position is the square of a polynomial less what it is for black. Its ten coefficients,
     * the lowest first, are rows of 16 equal numbers. The argument, from -1 for black to 1 for white, is the position
     * times a scale, with an offset. */
    const float *root;
    float root_scale, root_offset, root_black;
    /* Of signals: a pixel is inside where for each component the distance of its position from the largest one's,
     * times its weight, is no more than two lines in the latter have: rise and value at 0 of each. */
    float inside_weights[3], inside_lines[4];
    int32_t has_wider;
    KernelMatrix wider_gamut;
    /* A pixel lies outside where a component is below the largest one times `outside_ratio` plus `outside_floor`, in
     * cd/m2; both are negative. */
    float outside_ratio, outside_floor;
} KernelLightPlan;

typedef struct {
    /* Of all pixels, in cd/m2. */
    double sum;
    /* The highest position, or light where colours mix. */
    float maximum;
    /* Pixels in each bin, the histograms one after the other; none are counted where this is null. */
    uint32_t *counts;
    /* Statistics: pixels outside the gamut, and outside the wider one. */
    uint32_t outside, outside_wider;
} KernelLight;

static inline __attribute__((always_inline)) const KernelPlan *kernel_picture(const KernelLightPlan *plan) {
    return &plan->picture;
}
static inline __attribute__((always_inline)) const KernelCurve *kernel_light_curve(const KernelLightPlan *plan) {
    return &plan->curve;
}
static inline __attribute__((always_inline)) const KernelCurve *kernel_light_signal(const KernelLightPlan *plan) {
    return &plan->signal;
}

/* A frame without pixels, for what is measured of none. */
static inline __attribute__((always_inline)) const KernelFrame *kernel_no_frame(void) {
    static const KernelFrame none;
    return &none;
}

#endif
