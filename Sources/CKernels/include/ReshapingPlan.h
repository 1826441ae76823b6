/* How a Dolby Vision base layer becomes a PQ signal of BT.2020, for one picture. In plain C for the reason that
 * KernelPlan.h gives. */
#ifndef RESHAPING_PLAN_H
#define RESHAPING_PLAN_H

#include <stdint.h>

#include "KernelPlan.h"

enum { KernelReshapingPieces = 8, KernelReshapingTerms = 7, KernelReshapingOrders = 3 };

/* Anything, a regression each, or a polynomial each. */
enum { KernelReshapingPiecewise, KernelReshapingRegressions, KernelReshapingPolynomials };

/* What maps a component, in pieces of its codes. */
typedef struct {
    /* 1...8. */
    int32_t pieces;
    /* The codes at which the second piece and those after it begin, infinite where there is none. */
    float starts[KernelReshapingPieces];
    /* a + b * code + c * code^2 of each piece: a row of a, of b and of c, as long as the longest register. */
    float polynomial[3][16];
    /* Which pieces are regressions: a bit for each. */
    int32_t regressions;
    /* Of these a constant, and for each of the terms y, u, v, yu, yv, uv and yuv, which are fractions of the highest
     * code, the coefficients of its powers, the first power first. */
    float constants[KernelReshapingPieces];
    float coefficients[KernelReshapingPieces][KernelReshapingTerms * KernelReshapingOrders];
    /* What results are limited to. */
    float low, high;
} KernelReshapingCurve;

struct KernelReshaping {
    /* The base layer's highest code, and 1 / that. */
    float top, unit;
    KernelReshapingCurve curves[3];
    /* What both chroma components are. */
    int32_t chroma;
    /* To R', G', B' as codes, the highest of which `signal_top` is. */
    KernelMatrix to_signal;
    float signal_top;
    /* Or to a signal of other primaries, whose light the second matrix makes that of BT.2020. */
    int32_t has_light;
    KernelMatrix to_bt2020;
    KernelCurve eotf, oetf;
};

/* Addresses of members, which Swift would copy. */
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
