/* Parameters of the kernels, in plain C: the linker would merge Swift code that modules of different instruction sets
 * share into one copy, which not every machine could run. */
#ifndef KERNEL_PLAN_H
#define KERNEL_PLAN_H

#include <stdint.h>

enum {
    KernelCurveNone,
    /* The clamped x times `scale`. */
    KernelCurveLinear,
    /* A segmented polynomial on cells of equal width: `degree` + 1 coefficients in ascending order of powers, each in
     * two rows. */
    KernelCurveCells,
    /* A segmented polynomial on cells of log2(x). */
    KernelCurveLogCells,
    /* x^p as mantissa^p * (2^exponent)^p: the `degree` + 1 coefficients of the first factor in a row of 16 numbers,
     * then two rows of the second factor. These are indexed by the lowest five bits of the exponent; where the curve is
     * wide, the factor is a product, indexed by the exponent's lowest bits and by its next ones. */
    KernelCurvePower,
    /* Values in memory at equal steps, and their differences to the next value. */
    KernelCurveTable,
    /* Lines in memory, a + b * x, at equal steps within each power of two; x may be multiplied with `scale` first. */
    KernelCurveOctaves,
    KernelCurveScaledOctaves,
    /* Polynomials of t = x * `scale` + `offset`, `degree` + 1 coefficients each, on equal parts of each power of two of
     * t. */
    KernelCurvePieces,
    /* Polynomials of x's mantissa minus 1.5, `degree` + 1 coefficients each, one for each of 32 powers of two. */
    KernelCurveMantissas,
};

typedef struct {
    int32_t kind;
    int32_t degree;
    /* Whether the polynomial gives the function's square root, so that its value is squared. */
    int32_t squares;
    /* For cells: where the two rows of a coefficient come from. */
    int32_t form;
    int32_t is_wide;
    /* The limits of the position for cells and tables, otherwise of the argument. */
    float low, high;
    /* From an argument, or from its logarithm, to the position among the cells or steps. */
    float scale, offset;
    /* For octaves and pieces: the number of bits of the argument below those of a cell's number. */
    int32_t shift;
    /* For octaves: the address of the line for the argument 0, which need not exist. */
    const float *table;
    const float *knots;
    /* The coefficients of log2 on [0.75, 1.5) by the distance from 1, in ascending order of powers, of degree 5 or
     * 7. */
    const float *logarithm;
    int32_t log_degree;
    /* For arguments below 0, their product with this is added. */
    float negative;
} KernelCurve;

/* The use of the second row of a coefficient: none, the part of each cell above its knot, or the second half of the
 * cells. */
enum { KernelCellsPlain, KernelCellsWithKnots, KernelCellsOfPairs };

/* The rows of a 3x3 matrix, and offsets. */
typedef struct {
    float m00, m01, m02, o0;
    float m10, m11, m12, o1;
    float m20, m21, m22, o2;
} KernelMatrix;

enum {
    KernelToneNone,
    /* One gain for all components. */
    KernelToneGain,
    KernelToneComponents,
    KernelToneICtCp,
    /* BT.2446 method A to SDR, and from SDR. */
    KernelToneMethodA,
    KernelToneInverseMethodA,
};

/* The measure that the tone curve acts on, computed where the light is: the largest signal, the largest light, or a
 * weighted sum. */
enum { KernelMeasureNone, KernelMeasureSignal, KernelMeasureMaximum, KernelMeasureWeighted };

enum { KernelGamutClip, KernelGamutSoftclip, KernelGamutDesaturate, KernelGamutPerceptual };

/* Perceptual gamut mapping, from light in the source's primaries to light in the target's. */
typedef struct {
    KernelMatrix to_target;
    /* Matrices: to cone responses, scaled to 1 for white; from these to their difference from the cone responses of the
     * same components in the target's primaries; and to the target's light. The rows of `difference` have the sum 0,
     * those of the others 1. */
    KernelMatrix to_cone, difference, from_cone;
    /* The test for colours near grey: with the sum s of the components, s * (s + dark[1]) is no less than s + dark[0]
     * times each of four weighted sums of the differences of red and of blue from green. These are the pairs of
     * weights, which are 0 where no colour moves. */
    float sides[8];
    float dark[2];
    /* The range of cone responses: those below and above it get the PQ signals of its ends. */
    float lowest, highest;
    /* For registers of eight lanes, PQ signals are polynomials of log2(x) minus a constant, of degree 5 or 7, in
     * ascending order of powers. The logarithm, minus that constant, is a straight line between powers of two plus
     * another polynomial of the mantissa in [1, 2), of degree 4 or 5. */
    int32_t degree;
    float polynomial[8], logarithm[6];
    /* For longer registers, PQ signals are a polynomial for each power of two, and for shorter ones a table. */
    KernelCurve signal;
    /* The weights of the signals in the opponent values P and T, scaled by the unit of `reach`. Each row has the sum
     * 0. */
    float p[3], t[3];
    /* The largest chroma beyond which colours move, as a share of |P| + |T|, along the square |P| + |T| = 1 from (0,
     * -1) over (1, 0): one number for each of `directions` cells, and one for the end of the path. The upper 16 bits of
     * a number are its value, the lower ones the signed difference to the next one. */
    const uint32_t *reach;
    float directions;
    /* The number that is subtracted from the share. */
    float deadzone;
    float strength, bend, middle, knee;
} KernelPerceptual;

typedef struct {
    /* Whether only the form of numbers changes: `decode` converts code values to code values. */
    int32_t keeps_light;
    /* From code values to positions of signals in the EOTF, including the EOTF's scale and offset. */
    KernelMatrix decode;
    int32_t source_is_rgb, target_is_rgb;
    KernelCurve eotf;
    /* Whether the EOTF gives light in cd/m2 of each component, and not a power of it, so that samples that are such
     * light already can bypass it. */
    int32_t takes_light;
    /* HLG's OOTF and inverse OOTF: from a luminance to a common factor of the components. */
    KernelCurve ootf, inverse_ootf;
    int32_t tone;
    int32_t measure;
    float weights[3];
    /* The gain where the measure is not above `black`. */
    float gain_of_black, black;
    /* Whether there is a matrix before the curve, and one after it. With a matrix before it, a gain is that of the
     * largest component of the matrix's result. */
    int32_t has_before, has_after;
    KernelMatrix before, after;
    /* The curve: a gain of light, the curve on I of ICtCp, or method A's factor of luma. */
    KernelCurve curve;
    /* Where `curve` is a gain of the signal, and pictures may be reshaped by way of light: the same gain of light. */
    KernelCurve gain_of_light;
    /* Whether the arguments of `curve` need no clamping, even with rounding errors. */
    int32_t curve_is_inside;
    /* The companding of ICtCp or of method A, and its inverse. */
    KernelCurve compand, expand;
    /* For method A: where `expand` takes positions, their scale is part of the curve's values, and this is their
     * offset. */
    float expand_offset;
    KernelMatrix to_lms, to_opponent, from_opponent;
    /* For contrast recovery: the share of the low-pass's gain in the gain that is applied, 0 for no recovery; the
     * highest such gain, relative to the pixel's own; and the measure up to which even that leaves room below the
     * peak. */
    float recovery, recovery_rise, recovery_knee;
    /* The PQ signal of the measure. Where the measure is light, `recovery_signal` gives it; where that is no curve, the
     * measure is a position, and the signal is its product with the scale, plus the offset. `recovery_gain` is the tone
     * curve's gain for such a signal times `recovery`. */
    KernelCurve recovery_signal, recovery_gain;
    float recovery_scale, recovery_offset;
    /* The number that components are clamped to after the matrix; infinite where they are not clamped. */
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
    /* One word for each sample, with the components in planes of their own. */
    KernelPackingPlanar,
    /* Luma in a plane, Cb and Cr alternating in another one. */
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
    /* The number of bits below a sample in its word. */
    int32_t shift;
    int32_t horizontal_shift, vertical_shift;
    /* Planar: the plane of each component. Semiplanar: the order of Cb and Cr, 0 and 1, after luma. Word32 and bytes:
     * the bit that each component starts at. Word64: its place among the words. */
    int32_t places[3];
    /* The place of alpha or padding in the same sense; in planar formats it is the plane. -1 where there is none. */
    int32_t alpha_place;
    int32_t alpha_bits;
    int32_t has_alpha;
    /* Whether samples are binary16 numbers. */
    int32_t is_float;
    /* Whether 16-bit words of a planar or semiplanar layout have their higher byte first. This occurs only where
     * samples are copied one by one. */
    int32_t is_big_endian;
} KernelLayout;

typedef struct {
    KernelColor color;
    KernelLayout source, target;
    int32_t nearest;
    int32_t source_cosited_x, source_cosited_y, target_cosited_x, target_cosited_y;
    /* Whether every component is converted by itself, with chroma at its positions: code = code * direct_scale +
     * direct_offset. The first number of each is for luma or the first component, the second one for the others. */
    int32_t is_direct;
    /* Whether every component is converted by itself, with luma in a plane or in v210's rows in both formats. Chroma
     * may be resampled. */
    int32_t has_planes;
    /* Whether chroma keeps its columns. */
    int32_t keeps_columns;
    /* Whether one of the two holds with unchanged codes, except for chroma that is resampled. */
    int32_t keeps_codes;
    /* Whether that holds, and words are unchanged too. */
    int32_t keeps_words;
    /* Whether that holds for pixels of whole bytes that lie side by side. Then there is, for each byte of 16 bytes of
     * pixels, the place of the byte that it is copied from, or 0x80 where it is copied from `filling`; three bytes
     * count as four. */
    int32_t reorders;
    uint8_t order[16], filling[16];
    float direct_scale[2], direct_offset[2];
    /* What is added before truncation, a half and the dither, for 64 columns in bias_rows rows, a power of 2; both
     * repeat over the picture. Then the same numbers with the 32 even columns before the 32 odd ones in each row. */
    const float *bias;
    int32_t bias_rows;
    float top;
    /* Whether samples plus bias never leave the range of codes, so that they need no clamping. */
    int32_t is_inside;
    /* For contrast recovery: the PQ signals of cells of 8x8 pixels, and the gains of the low-pass times `recovery`; and
     * the number of floats from one row to the next. A row has room for one cell before it and for vectors beyond
     * it. */
    float *cells, *cell_gains;
    intptr_t cell_stride;
} KernelPlan;

typedef struct KernelReshaping KernelReshaping;

typedef struct {
    uint8_t *data[4];
    intptr_t stride[4];
    intptr_t width, height, chroma_rows;
    /* Where chroma that is not cosited vertically lies between the two rows of a pair: 0 at the upper one, 1 at the
     * lower one. */
    float chroma_place;
    /* The mapping from samples to the signal that the plan's colour takes; null where the samples are that signal. */
    const KernelReshaping *reshaping;
} KernelFrame;

/* How samples lie in the words of a layout that is mixed, or rearranged before or after the conversion. */
typedef struct {
    int32_t bytes_per_word;
    /* The number of bits of a word below its code. */
    int32_t shift;
    /* Whether words have their higher byte first. */
    int32_t is_big_endian;
    /* For packed 4:2:2: the positions in a group of the first luma sample (0 or 1; the second one is two further), of
     * Cb and of Cr. */
    int32_t luma, cb, cr;
} KernelRepacking;

/* These functions return addresses of members, since Swift would copy the members. */
#define KERNEL_INLINE static inline __attribute__((always_inline))
#define KERNEL_MEMBER(type, name) \
    KERNEL_INLINE const type *kernel_##name(const KernelColor *color) { return &color->name; }
KERNEL_MEMBER(KernelCurve, eotf)
KERNEL_MEMBER(KernelCurve, ootf)
KERNEL_MEMBER(KernelCurve, inverse_ootf)
KERNEL_MEMBER(KernelCurve, curve)
KERNEL_MEMBER(KernelCurve, gain_of_light)
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
