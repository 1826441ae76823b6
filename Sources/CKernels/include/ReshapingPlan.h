/* The mapping from a Dolby Vision base layer to a PQ signal in BT.2020 primaries, for one picture. In plain C for the
 * reason that KernelPlan.h gives. */
#ifndef RESHAPING_PLAN_H
#define RESHAPING_PLAN_H

#include <stdint.h>

#include "KernelPlan.h"

enum { KernelReshapingPieces = 8, KernelReshapingTerms = 7, KernelReshapingOrders = 3 };

/* The form of the mapping of both chroma components: any mix of pieces, one regression for each component, or one
 * polynomial in each piece. */
enum { KernelReshapingPiecewise, KernelReshapingRegressions, KernelReshapingPolynomials };

/* The mapping of one component, in pieces of its range of codes. */
typedef struct {
    /* The number of pieces, 1 to 8. */
    int32_t pieces;
    /* The codes at which the second piece and the following ones begin; infinite where there is no such piece. */
    float starts[KernelReshapingPieces];
    /* The polynomial a + b * code + c * code^2 of each piece: a row of a, of b and of c, as long as the longest
     * register. */
    float polynomial[3][16];
    /* The pieces that are regressions, as one bit for each piece. */
    int32_t regressions;
    /* For regressions: a constant, and for each of the terms y, u, v, yu, yv, uv and yuv, whose factors are luma as a
     * fraction of the highest code and chroma as codes, the coefficients of its powers in ascending order from the
     * first power on. */
    float constants[KernelReshapingPieces];
    float coefficients[KernelReshapingPieces][KernelReshapingTerms * KernelReshapingOrders];
    /* The limits of the results. */
    float low, high;
} KernelReshapingCurve;

struct KernelReshaping {
    /* The reciprocal of the base layer's highest code. */
    float unit;
    KernelReshapingCurve curves[3];
    /* The form of the mapping of both chroma components. */
    int32_t chroma;
    /* The matrix to R', G', B' as codes, of which `signal_top` is the highest. */
    KernelMatrix to_signal;
    float signal_top;
    /* Whether `to_signal` leads to a signal of other primaries. Then the second matrix converts its light to BT.2020
     * primaries. */
    int32_t has_light;
    KernelMatrix to_bt2020;
    KernelCurve eotf, oetf;
};

/* These functions return addresses of members, since Swift would copy the members. */
#define KERNEL_INLINE static inline __attribute__((always_inline))
KERNEL_INLINE KernelReshapingCurve *kernel_reshaping_curve(const KernelReshaping *plan, int component) {
    return (KernelReshapingCurve *)&plan->curves[component];
}
KERNEL_INLINE const KernelCurve *kernel_reshaping_eotf(const KernelReshaping *plan) { return &plan->eotf; }
KERNEL_INLINE const KernelCurve *kernel_reshaping_oetf(const KernelReshaping *plan) { return &plan->oetf; }
KERNEL_INLINE float *kernel_reshaping_starts(const KernelReshapingCurve *curve) { return (float *)curve->starts; }
KERNEL_INLINE float *kernel_reshaping_polynomial(const KernelReshapingCurve *curve, int degree) {
    return (float *)curve->polynomial[degree];
}
KERNEL_INLINE float *kernel_reshaping_constants(const KernelReshapingCurve *curve) { return (float *)curve->constants; }
KERNEL_INLINE float *kernel_reshaping_coefficients(const KernelReshapingCurve *curve, intptr_t piece) {
    return (float *)curve->coefficients[piece];
}
#undef KERNEL_INLINE

#endif
