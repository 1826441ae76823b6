/* The kernels of one instruction set. Each module of vector kernels fills a table of its own, so that code that runs a
 * kernel need not know the instruction set: it makes one indirect call. In plain C for the reason that KernelPlan.h
 * gives. */
#ifndef KERNEL_TABLE_H
#define KERNEL_TABLE_H

#include "EffectPlan.h"
#include "FixedPointPlan.h"
#include "KernelPlan.h"
#include "LightPlan.h"
#include "LinearLightPlan.h"
#include "ReshapingPlan.h"

#if defined(__clang__)
#pragma clang assume_nonnull begin
#else
#define _Nonnull
#define _Nullable
#endif

typedef struct {
    /* The length of a table that a register holds and that each lane can pick from; 0 where there is no instruction for
     * that. */
    intptr_t register_table_size;
    /* The number of bytes, aligned to 64, that a thread needs to convert or measure pictures of a width in pixels. */
    intptr_t (*_Nonnull scratch_size)(intptr_t width);
    /* Converts rows [first, end) of a picture; `first` is even where the target halves chroma vertically. */
    void (*_Nonnull convert_slice)(const KernelPlan *plan, const KernelFrame *source, const KernelFrame *target,
                                   intptr_t first, intptr_t end, void *scratch);
    /* For contrast recovery, before a picture is converted: the first function finds the signals of rows [first, end)
     * of its cells, the second one, when all signals are found, the gains of such rows. */
    void (*_Nonnull measure_cells)(const KernelPlan *plan, const KernelFrame *source, intptr_t first, intptr_t end,
                                   void *scratch);
    void (*_Nonnull smooth_cells)(const KernelPlan *plan, const KernelFrame *source, intptr_t first, intptr_t end,
                                  void *scratch);
    /* Adds the light of rows [first, end) to `light`. */
    void (*_Nonnull measure_light)(const KernelLightPlan *plan, const KernelFrame *source, intptr_t first, intptr_t end,
                                   void *scratch, KernelLight *light);
    /* Adds the light of pixels in rows, at most a chunk of linear light; the plan is for statistics of light. */
    void (*_Nonnull measure_light_rows)(const KernelLightPlan *plan, KernelLightRows rows, intptr_t count,
                                        void *scratch, KernelLight *light);
    /* Copies `count` 16-bit words to a layout (`writes` is not 0) or from it. Bytes are swapped and codes shifted where
     * the layout asks for that. */
    void (*_Nonnull repack_words)(const uint8_t *from, uint8_t *to, intptr_t count, KernelRepacking layout,
                                  int32_t writes);
    /* Mixes `count` words of two pictures: code values become lower * (1 - share) + upper * share, rounded. */
    void (*_Nonnull mix_words)(const uint8_t *lower, const uint8_t *upper, uint8_t *to, intptr_t count,
                               KernelRepacking layout, float share);
    /* Splits `groups` of two pixels of packed 4:2:2 into rows of luma, Cb and Cr, and joins them again. */
    void (*_Nonnull unpack_pixels)(const uint8_t *from, intptr_t groups, KernelRepacking layout, uint8_t *luma,
                                   uint8_t *cb, uint8_t *cr);
    void (*_Nonnull pack_pixels)(uint8_t *to, intptr_t groups, KernelRepacking layout, const uint8_t *luma,
                                 const uint8_t *cb, const uint8_t *cr);
    /* For linear light: the scratch size, with that of guided chroma or without; the largest number of pixels of a row,
     * a chunk, that the functions below take at a time, from a column on that is a multiple of it; and the rows of the
     * light that is written. */
    intptr_t (*_Nonnull linear_light_scratch_size)(intptr_t width, int32_t guides_chroma);
    intptr_t linear_light_chunk;
    KernelLightRows (*_Nonnull light_rows)(void *scratch);
    /* Where chroma is guided: makes ready what the chunks of row y need. `is_first` tells that rows of this picture,
     * from y on, follow, and that nothing of it is ready. */
    void (*_Nonnull guide_row)(const KernelLinearLightPlan *plan, const KernelFrame *source, intptr_t y,
                               int32_t is_first, void *scratch);
    /* Decodes `count` pixels of row y from column x on, to the destination that `purpose`, a constant of
     * KernelLightKept, names. */
    void (*_Nonnull read_light)(const KernelLinearLightPlan *plan, const KernelFrame *source, intptr_t y, intptr_t x,
                                intptr_t count, int32_t purpose, void *scratch);
    /* Copies the decoded light that was kept to interleaved pixels, and to the light that is written. */
    void (*_Nonnull pack_light)(const KernelLinearLightPlan *plan, intptr_t count, uint8_t *pixels, void *scratch);
    void (*_Nonnull copy_light)(intptr_t count, void *scratch);
    /* Copies interleaved pixels to the light that is written. */
    void (*_Nonnull unpack_light)(const KernelLinearLightPlan *plan, intptr_t count, const uint8_t *pixels,
                                  void *scratch);
    /* Encodes the light that is written; `flags` are constants of KernelLightKeeps. */
    void (*_Nonnull write_light)(const KernelLinearLightPlan *plan, const KernelFrame *target, intptr_t y, intptr_t x,
                                 intptr_t count, int32_t flags, void *scratch);
    /* For a target with halved chroma: writes the chroma that row y completes, when the chunks of that row have all
     * been encoded. Rows [first, end) are asked for, the first row that has been encoded is `around`, and `flags` are
     * those of the chunks. */
    void (*_Nonnull finish_light_row)(const KernelLinearLightPlan *plan, const KernelFrame *target, intptr_t y,
                                      intptr_t first, intptr_t end, intptr_t around, int32_t flags, void *scratch);
    KernelEffects effects;
    /* The counterparts of `scratch_size` and `convert_slice` in 16-bit fixed point; null where the instruction set has
     * no such kernels. */
    intptr_t (*_Nullable fixed_point_scratch_size)(intptr_t width);
    void (*_Nullable convert_fixed_point)(const FixedPointPlan *plan, const KernelFrame *source,
                                          const KernelFrame *target, intptr_t first, intptr_t end, void *scratch);
} KernelTable;

/* The kernels of each instruction set, without those in fixed point in a debug build. Each is defined by the module
 * that is compiled for that set, and needs a processor that has it. */
KernelTable kernel_table_baseline(void);
KernelTable kernel_table_v3(void);
KernelTable kernel_table_v4(void);

#if defined(__clang__)
#pragma clang assume_nonnull end
#else
#undef _Nonnull
#undef _Nullable
#endif

#endif
