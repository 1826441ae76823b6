/* Parameters of the kernels of linear light, in plain C for the reason that KernelPlan.h gives. */
#ifndef LINEAR_LIGHT_PLAN_H
#define LINEAR_LIGHT_PLAN_H

#include "KernelPlan.h"

typedef struct {
    /* The source's layout, and its colour conversion up to light; the target in this plan has the same layout. */
    KernelPlan reading;
    /* The target's layout and rounding, and its colour conversion from light on; the source in this plan has the same
     * layout. */
    KernelPlan writing;
    /* From light in the source's primaries, in cd/m2, to numbers of linear light, and from those to light in the
     * target's primaries. */
    KernelMatrix to_light, from_light;
    /* Whether numbers in memory are binary16, and not binary32. */
    int32_t is_half;
    /* Where the source's subsampled chroma is guided by luma: the variance of luma, in squared codes, at which chroma
     * follows it by half as much as it would otherwise; 0 where it is interpolated alone. `guide_row` makes ready what
     * `read_light` needs then, in rows from the top down; columns are not in pairs. `guide_range` is the largest
     * difference of chroma, in codes, at which it does not follow luma. */
    float guide_variance, guide_range;
} KernelLinearLightPlan;

/* Rows of a chunk of pixels in linear light. */
typedef struct {
    float *red, *green, *blue, *alpha;
} KernelLightRows;

/* The destination of a chunk of pixels that is decoded. */
enum {
    /* The codes and the light are kept. */
    KernelLightKept,
    /* The light becomes that which is written. */
    KernelLightWritten,
    /* The light becomes that which is written, but stays in the source's primaries and in cd/m2, from which the plan's
     * `from_light` converts it. */
    KernelLightOfSource,
};

/* A flag for the destination of a chunk and for its use: even columns come first, then odd ones from the next multiple
 * of 16 on, so that no sample of halved chroma has to be moved to its pixels. For planes without alpha. */
enum { KernelLightInPairs = 16 };

/* The use of a chunk of pixels in linear light. */
enum {
    /* Pixels that are as they were decoded keep their codes. */
    KernelLightKeeps = 1,
    /* The pixels were rounded to binary16 since they were decoded. */
    KernelLightThroughHalf = 2,
    /* All samples are written. Without this, only the samples that halved chroma is computed from are kept. */
    KernelLightWrites = 4,
    /* Light is that of the target's own signal, in cd/m2 and within its range: `from_light` is the identity. */
    KernelLightIsOfTarget = 8,
};

static inline __attribute__((always_inline)) const KernelPlan *kernel_reading(const KernelLinearLightPlan *plan) {
    return &plan->reading;
}
static inline __attribute__((always_inline)) const KernelPlan *kernel_writing(const KernelLinearLightPlan *plan) {
    return &plan->writing;
}

#endif
