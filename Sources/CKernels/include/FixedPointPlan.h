/* Parameters of the kernels of 16-bit fixed point (Q15): `quality=fast` from PQ to SDR, Y'CbCr to Y'CbCr. In plain C
 * for the reason that KernelPlan.h gives. */
#ifndef FIXED_POINT_PLAN_H
#define FIXED_POINT_PLAN_H

#include <stdint.h>

#include "KernelPlan.h"

/* A function as lines on parts of its argument, a word from 0 on: value = base + slope * (word << up) / 2^15, modulo
 * 2^16. The kernels know the parts and the `up` of each table; no part contains an argument at which word << up wraps.
 * */
typedef struct {
    int32_t up;
    int16_t base[64], slope[64];
} FixedPointTable;

enum {
    /* One gain of all components, by the largest of them. */
    FixedPointToneGain,
    /* BT.2446 method A. */
    FixedPointToneMethodA,
};

typedef struct {
    KernelLayout source, target;
    int32_t tone;
    /* Chroma, less its code for grey and with its highest bit in the word's, to what it adds to positions of R', G',
     * B'. A position is a code value with its highest bit below the word's. All factors are of 2^-15. */
    int16_t red_cr, green_cb, green_cr, blue_cb;
    /* Positions of the signals 0 and 1. */
    int16_t low, high;
    /* Position to the fourth root of light, or to companded light. */
    FixedPointTable eotf;
    /* Fourth root of the gain of the largest position, or method A's factor of luma. */
    FixedPointTable curve;
    /* Method A: luma's weights, what luma and what a positive R' - Y' add to all components, and its signal to the
     * square root of light. */
    int16_t luma_red, luma_green, luma_blue, luma_part, red_part;
    FixedPointTable expand;
    /* The roots, as numbers in the lower and in the higher half of a 32-bit word, are made light, which the matrices
     * bring to the target's primaries: rows of 3. */
    KernelMatrix lower, higher;
    /* The target's peak in what the matrices make, and fourth roots of that to R', G', B'. */
    float lower_peak, higher_peak;
    FixedPointTable oetf;
    /* R', G', B' to Y', and Y' to half its code with the highest bit in the word's. */
    int16_t red, green, blue, luma_scale;
    /* B' - Y' and R' - Y' to half their codes with the highest bit in the word's. Of halved columns, weights for each
     * column, the one to its right and the one to its left. */
    int16_t chroma_scale[2];
    int16_t halving[2][3];
    int32_t is_nearest, source_cosited_x, source_cosited_y, target_cosited_y;
    /* Rounding, dither and the code of black or of grey, for 64 columns in bias_rows rows, a power of 2; both repeat.
     * Halved chroma has a pair of words for each column. */
    const uint16_t *luma_bias, *chroma_bias, *pair_bias;
    int32_t bias_rows;
} FixedPointPlan;

/* Addresses of members, which Swift would copy. */
#define FIXED_POINT_INLINE static inline __attribute__((always_inline))
#define FIXED_POINT_TABLE(name) \
    FIXED_POINT_INLINE const FixedPointTable *fixed_point_##name(const FixedPointPlan *plan) { return &plan->name; }
FIXED_POINT_TABLE(eotf)
FIXED_POINT_TABLE(curve)
FIXED_POINT_TABLE(expand)
FIXED_POINT_TABLE(oetf)
#undef FIXED_POINT_TABLE
FIXED_POINT_INLINE const int16_t *fixed_point_base(const FixedPointTable *table) { return table->base; }
FIXED_POINT_INLINE const int16_t *fixed_point_slope(const FixedPointTable *table) { return table->slope; }

FIXED_POINT_INLINE const int16_t *fixed_point_halving(const FixedPointPlan *plan, int component) {
    return plan->halving[component];
}

#undef FIXED_POINT_INLINE

#endif
