/* Parameters of the kernels, in plain C: Swift code that modules of different instruction sets share would be merged by
 * the linker into one copy, which not every machine could run. */
#ifndef KERNEL_PLAN_H
#define KERNEL_PLAN_H

#include <stdint.h>

enum {
    KernelCurveNone,
    /* x, clamped, times `scale`. */
    KernelCurveLinear,
    /* A segmented polynomial on cells of equal width: `degree` + 1 coefficients, lowest first, each in two rows. */
    KernelCurveCells,
    /* The same on cells of log2(x). */
    KernelCurveLogCells,
    /* x^p = mantissa^p * (2^p)^exponent: `degree` + 1 coefficients of the first in a row of 16, then two rows of the
     * second: by the lowest five bits of the exponent, or where the curve is wide as a product by its lowest and its
     * next bits. */
    KernelCurvePower,
    /* Values in memory at equal steps, and their rises to the next. */
    KernelCurveTable,
    /* Lines in memory, a + b * x, at equal steps within each power of two; x is multiplied with `scale` before, or not.
     * */
    KernelCurveOctaves,
    KernelCurveScaledOctaves,
    /* Polynomials of t = x * `scale` + `offset`, `degree` + 1 coefficients, on equal parts of each power of two of t.
     * */
    KernelCurvePieces,
    /* Polynomials of x's mantissa less 1.5, `degree` + 1 coefficients, one for each of 32 powers of two. */
    KernelCurveMantissas,
};

typedef struct {
    int32_t kind;
    int32_t degree;
    /* The polynomial is the function's square root. */
    int32_t squares;
    /* Cells: where the two rows of a coefficient come from. */
    int32_t form;
    int32_t is_wide;
    /* Limits: of the position for cells and tables, else of the argument. */
    float low, high;
    /* Position of an argument, or of its logarithm, among the cells or steps. */
    float scale, offset;
    /* Octaves and pieces: bits of the argument below a cell's. */
    int32_t shift;
    /* Octaves: the line of the argument 0, which need not be there. */
    const float *table;
    const float *knots;
    /* Coefficients of log2 on [0.75, 1.5) by the distance from 1, lowest first, of degree 5 or 7. */
    const float *logarithm;
    int32_t log_degree;
    /* What is added for arguments below 0: their product with this. */
    float negative;
} KernelCurve;

/* The second row of a coefficient: not used, that of the parts of cells above their knots, or that of the second half
 * of the cells. */
enum { KernelCellsPlain, KernelCellsWithKnots, KernelCellsOfPairs };

/* Rows of a 3x3 matrix, and offsets. */
typedef struct {
    float m00, m01, m02, o0;
    float m10, m11, m12, o1;
    float m20, m21, m22, o2;
} KernelMatrix;

enum {
    KernelToneNone,
    /* One gain of all components. */
    KernelToneGain,
    KernelToneComponents,
    KernelToneICtCp,
    /* BT.2446 method A, to SDR and from SDR. */
    KernelToneMethodA,
    KernelToneInverseMethodA,
};

/* What the tone curve acts on, measured where the light is computed: the largest signal, the largest light, a sum. */
enum { KernelMeasureNone, KernelMeasureSignal, KernelMeasureMaximum, KernelMeasureWeighted };

enum { KernelGamutClip, KernelGamutSoftclip, KernelGamutDesaturate, KernelGamutPerceptual };

/* Perceptual gamut mapping, from light in the source's primaries to light in the target's. */
typedef struct {
    KernelMatrix to_target;
    /* To cone responses, scaled to 1 for white; from these to how far they are from those of the same components in the
     * target's primaries; and to the target's light. Rows of `difference` have the sum 0, of the others 1. */
    KernelMatrix to_cone, difference, from_cone;
    /* Colours near grey: with the sum s of the components, s * (s + dark[1]) is no less than s + dark[0] times each of
     * four weighted sums of the differences of red and of blue from green. These are the pairs of weights, 0 where no
     * colour moves. */
    float sides[8];
    float dark[2];
    /* Cone responses below and above these have their PQ signals. */
    float lowest, highest;
    /* PQ signals, for registers of eight lanes, are polynomials of log2(x) less a constant, of degree 5 or 7, lowest
     * first. What is added to straight lines between powers of two, by the mantissa in [1, 2), and the constant, is
     * another one, of degree 4 or 5. */
    int32_t degree;
    float polynomial[8], logarithm[6];
    /* For longer registers, a polynomial for each power of two, and for shorter ones a table. */
    KernelCurve signal;
    /* Weights of the signals in the opponent values, scaled by the unit of `reach`. The sum of each is 0. */
    float p[3], t[3];
    /* The share of the largest chroma beyond which colours move, over |P| + |T|, by the way around the square
     * |P| + |T| = 1 from (0, -1) over (1, 0): so many cells, and one for the end of that way. The upper 16 bits of a
     * cell are its value, the lower ones how much more the next has, with a sign. */
    const uint32_t *reach;
    float directions;
    /* What is subtracted from the share. */
    float deadzone;
    float strength, bend, middle, knee;
} KernelPerceptual;

typedef struct {
    /* Only the numbers' form changes: `decode` goes from code values to code values. */
    int32_t keeps_light;
    /* Code values to the positions of signals in the EOTF, whose scale and offset it contains. */
    KernelMatrix decode;
    int32_t source_is_rgb, target_is_rgb;
    KernelCurve eotf;
    /* The EOTF gives light in cd/m2 of each component, and not a power of it, so that what is that light already can
     * go past it. */
    int32_t takes_light;
    /* HLG's OOTF and inverse OOTF: a common factor from a luminance. */
    KernelCurve ootf, inverse_ootf;
    int32_t tone;
    int32_t measure;
    float weights[3];
    /* The gain where the measure is no higher than another. */
    float gain_of_black, black;
    /* A matrix before the curve, and after it. A gain with a matrix before it is that of the largest component of what
     * the matrix makes. */
    int32_t has_before, has_after;
    KernelMatrix before, after;
    /* The curve: a gain of light, the curve on I, or method A's factor of luma. */
    KernelCurve curve;
    /* Its arguments need no clamping, whatever the rounding. */
    int32_t curve_is_inside;
    /* ICtCp's and method A's companding and its inverse. */
    KernelCurve compand, expand;
    /* Method A: where `expand` takes positions, their scale is part of the curve's values, and this is their offset. */
    float expand_offset;
    KernelMatrix to_lms, to_opponent, from_opponent;
    /* Contrast recovery: the share of the low-pass's gain in the curve's, 0 for none; differences of gains that count
     * as none. */
    float recovery, recovery_slack;
    /* The PQ signal of the measure: of light `recovery_signal`; where that is no curve, of a position its product with
     * the scale, and the offset. Then the curve's gain of such a signal. */
    KernelCurve recovery_signal, recovery_gain;
    float recovery_scale, recovery_offset;
    /* Components are clamped to this after the matrix; infinite for none. */
    float clips_at;
    int32_t gamut;
    float luminance[3];
    float reach[3];
    KernelPerceptual perceptual;
    float peak;
    KernelCurve oetf;
    KernelMatrix encode;
} KernelColor;

enum {
    /* A word a sample, in planes of their own. */
    KernelPackingPlanar,
    /* Luma in a plane, Cb and Cr in turn in another. */
    KernelPackingSemiplanar,
    /* Three components and alpha or padding in a 32-bit word. */
    KernelPackingWord32,
    /* Four 16-bit words. */
    KernelPackingWord64,
    /* Three bytes. */
    KernelPackingBytes3,
    KernelPackingV210,
};

typedef struct {
    int32_t packing;
    int32_t bits;
    int32_t bytes_per_word;
    /* Bits below a sample in its word. */
    int32_t shift;
    int32_t horizontal_shift, vertical_shift;
    /* Planar: the plane of each component. Semiplanar: their order, 0 and 1, after luma's. Word32 and bytes: the bit
     * each starts at. Word64: their place among the words. */
    int32_t places[3];
    /* The same of alpha or padding, whose plane it is in planar formats; -1 where there is none. */
    int32_t alpha_place;
    int32_t alpha_bits;
    int32_t has_alpha;
    /* Samples are binary16 numbers. */
    int32_t is_float;
    /* 16-bit words of a planar or semiplanar layout have their higher byte first: only where samples are moved, each by
     * itself. */
    int32_t is_big_endian;
} KernelLayout;

typedef struct {
    KernelColor color;
    KernelLayout source, target;
    int32_t nearest;
    int32_t source_cosited_x, source_cosited_y, target_cosited_x, target_cosited_y;
    /* Every component by itself, code = code * direct_scale + direct_offset, luma's or the first component's and then
     * the others', and chroma at its places. */
    int32_t is_direct;
    /* Every component by itself, luma in a plane or in v210's rows of both formats; chroma may be resampled. */
    int32_t has_planes;
    /* Chroma stays in its columns. */
    int32_t keeps_columns;
    /* Either of both with unchanged codes, except chroma that is resampled. */
    int32_t keeps_codes;
    /* That, and unchanged words. */
    int32_t keeps_words;
    /* That of pixels of whole bytes side by side: for each byte of 16 bytes of pixels, the place of the one that it
     * gets, or 0x80 where it gets that of `filling`; three bytes count as four. */
    int32_t reorders;
    uint8_t order[16], filling[16];
    float direct_scale[2], direct_offset[2];
    /* Added before truncation, a half and the dither, of 64 columns in bias_rows rows, a power of 2; both repeat. Then
     * the same of 32 even and 32 odd columns in each row. */
    const float *bias;
    int32_t bias_rows;
    float top;
    /* Samples plus bias never leave the range of codes, so that they need no clamping. */
    int32_t is_inside;
    /* Contrast recovery: of cells of 4x4 pixels the PQ signals, and the gains of the low-pass. Floats from one row to
     * the next; a row has room for one cell before it and for vectors beyond it. */
    float *cells, *cell_gains;
    intptr_t cell_stride;
} KernelPlan;

typedef struct KernelReshaping KernelReshaping;

typedef struct {
    uint8_t *data[4];
    intptr_t stride[4];
    intptr_t width, height, chroma_rows;
    /* What makes the signal that a plan's colour takes of the samples; null where they are that. */
    const KernelReshaping *reshaping;
} KernelFrame;

/* A layout that is rearranged before or after the conversion: where its samples lie. */
typedef struct {
    int32_t bytes_per_word;
    /* Bits of a word below its code. */
    int32_t shift;
    /* Whether words have their higher byte first. */
    int32_t is_big_endian;
    /* Packed 4:2:2: positions in a group of the first luma sample (0 or 1; the second one is two further), of Cb and of
     * Cr. */
    int32_t luma, cb, cr;
} KernelRepacking;

/* Addresses of members, which Swift would copy. */
#define KERNEL_INLINE static inline __attribute__((always_inline))
#define KERNEL_MEMBER(type, name) \
    KERNEL_INLINE const type *kernel_##name(const KernelColor *color) { return &color->name; }
KERNEL_MEMBER(KernelCurve, eotf)
KERNEL_MEMBER(KernelCurve, ootf)
KERNEL_MEMBER(KernelCurve, inverse_ootf)
KERNEL_MEMBER(KernelCurve, curve)
KERNEL_MEMBER(KernelCurve, compand)
KERNEL_MEMBER(KernelCurve, expand)
KERNEL_MEMBER(KernelCurve, oetf)
KERNEL_MEMBER(KernelCurve, recovery_signal)
KERNEL_MEMBER(KernelCurve, recovery_gain)
KERNEL_MEMBER(KernelPerceptual, perceptual)
#undef KERNEL_MEMBER

KERNEL_INLINE const KernelColor *kernel_color(const KernelPlan *plan) { return &plan->color; }
KERNEL_INLINE const KernelCurve *kernel_signal(const KernelPerceptual *plan) { return &plan->signal; }
KERNEL_INLINE const float *kernel_polynomial(const KernelPerceptual *plan) { return plan->polynomial; }
KERNEL_INLINE const float *kernel_logarithm(const KernelPerceptual *plan) { return plan->logarithm; }
KERNEL_INLINE const uint8_t *kernel_order(const KernelPlan *plan) { return plan->order; }
KERNEL_INLINE const uint8_t *kernel_filling(const KernelPlan *plan) { return plan->filling; }
KERNEL_INLINE uint8_t *kernel_row(const KernelFrame *frame, int plane, intptr_t y) {
    return frame->data[plane] + y * frame->stride[plane];
}

#undef KERNEL_INLINE

#endif
