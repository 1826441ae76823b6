/* Parameters and results of the light meter, in plain C for the reason that KernelPlan.h gives. */
#ifndef LIGHT_PLAN_H
#define LIGHT_PLAN_H

#include "KernelPlan.h"

/* How statistics are found. Pixels are counted by the PQ signal of the largest component, and those outside another
 * gamut are counted as well. `OfLight` first computes the light of each component, and then the signal of the largest
 * one. `OfSignal` is for PQ, whose signals are positions as in the light meter; only the light of the largest one is
 * computed. */
enum { KernelStatisticsNone, KernelStatisticsOfLight, KernelStatisticsOfSignal };

typedef struct {
    /* The picture's layout and chroma siting; with `mixes_colors` also its colour conversion, up to light. */
    KernelPlan picture;
    /* Whether light depends on all components, as HLG's does, and is computed for each. Otherwise it depends on the
     * largest of R'G'B'. */
    int32_t mixes_colors;
    int32_t finds_statistics;
    /* The position of the largest of R'G'B' in the curve: that of luma, or of the largest component, is a code value
     * times `scale` plus `offset`; to it each colour difference, minus its code for grey, adds its product with these
     * factors for R', G' and B'. */
    float scale, offset;
    float grey;
    float red_cr, green_cb, green_cr, blue_cb;
    /* The light of a position: a table in memory, or polynomials for the light's square root on as many cells as a
     * register has lanes, where a row holds one coefficient. Steps and cells are 1 wide. */
    KernelCurve curve;
    /* The range of columns that are measured; the first is even. */
    intptr_t left, right;
    /* The bin of a position, or of light where colours mix: the integer part of its scaled value, clamped to
     * `top_bin`. */
    float bin_scale, bin_offset, top_bin;
    /* The number of bins of each histogram, and the number of histograms, two or four, whose sum is the picture's. */
    int32_t bins, histograms;
    /* For statistics of linear light in rows: the matrix to components in cd/m2, and the highest component that
     * counts. */
    KernelMatrix from_rows;
    float top_light;
    /* For statistics: the PQ signal of light, the matrix to light in the primaries of the other gamut, and that to
     * those of a wider one. */
    KernelCurve signal;
    /* Where the picture's colour conversion measures a component's own signal: the scale and offset from that measure
     * to a position among the bins. */
    int32_t has_own_signal;
    float own_scale, own_offset;
    KernelMatrix gamut;
    /* A pixel whose smallest component is no less than this share of its largest one lies inside both gamuts. */
    float inside_share;
    /* For statistics of signals: the number of parts of a bin, `KernelPartsOfBin`, in a position; see `signals`. */
    float part_scale;
    /* For statistics of signals: the light of a position is the square of a polynomial minus its value for black. The
     * ten coefficients, in ascending order of powers, are rows of 16 equal numbers. The argument, from -1 for black to
     * 1 for white, is the position times a scale plus an offset. */
    const float *root;
    float root_scale, root_offset, root_black;
    /* For statistics of signals: a pixel lies inside where for each component the distance of its position from the
     * largest one's, times its weight, is no more than two lines give at the latter: slope and value at 0 of each
     * line. */
    float inside_weights[3], inside_lines[4];
    int32_t has_wider;
    KernelMatrix wider_gamut;
    /* A pixel lies outside where a component is below the largest one times `outside_ratio` plus `outside_floor`, in
     * cd/m2; both are negative. */
    float outside_ratio, outside_floor;
} KernelLightPlan;

/* For statistics of signals: a bin has 2^KernelPartBits parts. */
enum { KernelPartBits = 12, KernelPartsOfBin = 1 << KernelPartBits };
/* What a pixel adds beside its part. */
#define KERNEL_ONE_PIXEL 0x80000000u

typedef struct {
    /* The sum over all pixels, in cd/m2; 0 for statistics of signals. */
    double sum;
    /* The highest position, or the highest light where colours mix. */
    float maximum;
    /* The number of pixels in each bin, one histogram after the other; null where none are counted. */
    uint32_t *counts;
    /* For statistics of signals, in place of `counts`: to its bin each pixel adds `KERNEL_ONE_PIXEL` plus its part,
     * counted from 0 over all bins. Parts together must not exceed `KERNEL_ONE_PIXEL`, so that 2^19 pixels can be told
     * apart in a bin. */
    uint64_t *signals;
    /* For statistics: the number of pixels outside the gamut, and outside the wider one. */
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

/* A frame without pixels, for measurements that read no frame. */
static inline __attribute__((always_inline)) const KernelFrame *kernel_no_frame(void) {
    static const KernelFrame none;
    return &none;
}

#endif
