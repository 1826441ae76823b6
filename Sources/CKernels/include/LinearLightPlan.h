/* Parameters of the kernels of linear light, in plain C for the reason that KernelPlan.h gives. */
#ifndef LINEAR_LIGHT_PLAN_H
#define LINEAR_LIGHT_PLAN_H

#include "KernelPlan.h"

typedef struct {
    /* The source's layout, and its colour up to light; its target is the same layout. */
    KernelPlan reading;
    /* The target's layout, rounding, and its colour from light on; its source is the same layout. */
    KernelPlan writing;
    /* Light in the source's primaries, in cd/m2, to numbers of linear light, and those to light in the target's. */
    KernelMatrix to_light, from_light;
    /* Numbers in memory are binary16, and not binary32. */
    int32_t is_half;
} KernelLinearLightPlan;

/* Rows of a chunk of pixels in linear light. */
typedef struct {
    float *red, *green, *blue, *alpha;
} KernelLightRows;

/* What a chunk of pixels is decoded to. */
enum {
    /* Codes and light that are kept. */
    KernelLightKept,
    /* The light that is written. */
    KernelLightWritten,
    /* The same in the source's primaries and in cd/m2: the plan's `from_light` takes it from there. */
    KernelLightOfSource,
};

/* Added to what a chunk is decoded to, and to what becomes of it: even columns, then odd ones from the next multiple of
 * 16 on, so that no sample of halved chroma is moved to its pixels. For planes without alpha. */
enum { KernelLightInPairs = 16 };

/* What becomes of a chunk of pixels in linear light. */
enum {
    /* Pixels that are as they were decoded keep their codes. */
    KernelLightKeeps = 1,
    /* Those were rounded to binary16 in between. */
    KernelLightThroughHalf = 2,
    /* All samples are written, and not only those kept from which halved chroma is computed. */
    KernelLightWrites = 4,
    /* Light is of the target's own signal, in cd/m2 and within its range: `from_light` is the identity. */
    KernelLightIsOfTarget = 8,
};

static inline __attribute__((always_inline)) const KernelPlan *kernel_reading(const KernelLinearLightPlan *plan) {
    return &plan->reading;
}
static inline __attribute__((always_inline)) const KernelPlan *kernel_writing(const KernelLinearLightPlan *plan) {
    return &plan->writing;
}

#endif
