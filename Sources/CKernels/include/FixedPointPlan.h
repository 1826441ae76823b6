/* Parameters of the kernels in 16-bit fixed point (Q15), for `quality=fast` from PQ to SDR, Y'CbCr to Y'CbCr. They are
 * in plain C for the reason that KernelPlan.h gives. */
#ifndef FIXED_POINT_PLAN_H
#define FIXED_POINT_PLAN_H

#include <stdint.h>

#include "KernelPlan.h"

/* A function as lines on parts of its argument, which is a word from 0 on: value = base + slope * (word << up) / 2^15,
 * modulo 2^16. The parts and the `up` of each table are fixed in the kernels; no part contains an argument at which
 * word << up wraps. */
typedef struct {
    int32_t up;
    int16_t base[64], slope[64];
} FixedPointTable;

enum {
    /* One gain for all components, looked up by the largest of them. */
    FixedPointToneGain,
    /* BT.2446 method A. */
    FixedPointToneMethodA,
};

typedef struct {
    KernelLayout source, target;
    int32_t tone;
    /* The factors of chroma in the positions of R', G', B'. Chroma is taken minus its code for grey and shifted so that
     * its highest bit is the word's. A position is a code value whose highest bit is the one below the word's highest.
     * All factors are multiples of 2^-15. */
    int16_t red_cr, green_cb, green_cr, blue_cb;
    /* The positions of the signals 0 and 1. */
    int16_t low, high;
    /* From position to the fourth root of light, or to companded light. */
    FixedPointTable eotf;
    /* The fourth root of the gain of the largest position, or method A's factor of luma. */
    FixedPointTable curve;
    /* For method A: the weights of luma, the parts of luma and of a positive R' - Y' that are added to all components,
     * and a table from its signal to the square root of light. */
    int16_t luma_red, luma_green, luma_blue, luma_part, red_part;
    FixedPointTable expand;
    /* The roots, as numbers in the lower and in the higher half of a 32-bit word, are converted to light, which the
     * matrices convert to the target's primaries. Each has rows of 3. */
    KernelMatrix lower, higher;
    /* The target's peak in the unit of the matrices' results, and a table from fourth roots of such results to R', G',
     * B'. */
    float lower_peak, higher_peak;
    FixedPointTable oetf;
    /* The weights of R', G', B' in Y', and the factor from Y' to half its code with the highest bit in the word's
     * highest. */
    int16_t red, green, blue, luma_scale;
    /* The factors from B' - Y' and R' - Y' to half their codes with the highest bit in the word's highest. Where
     * columns are halved, there are weights for the column itself, the one to its right and the one to its left. */
    int16_t chroma_scale[2];
    int16_t halving[2][3];
    int32_t is_nearest, source_cosited_x, source_cosited_y, target_cosited_y;
    /* Rounding, dither and the code of black or of grey, for 64 columns in bias_rows rows, a power of 2; both repeat
     * over the picture. Halved chroma has a pair of words for each column. */
    const uint16_t *luma_bias, *chroma_bias, *pair_bias;
    int32_t bias_rows;
} FixedPointPlan;

/* These functions return addresses of members, since Swift would copy the members. */
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
