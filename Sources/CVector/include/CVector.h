/* Vector and rounding operations that Swift's SIMD types turn into scalar code or into checked conversions. Header only:
 * each compiles to the instructions of the importing module's target. */
#ifndef CVECTOR_H
#define CVECTOR_H

#include <stdint.h>
#include <string.h>

/* Every function is inlined, so that no vector is passed in a way that depends on the target. */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpsabi"
#define CV_INLINE static inline __attribute__((always_inline))

typedef float cv_f2 __attribute__((ext_vector_type(2)));
typedef float cv_f4 __attribute__((ext_vector_type(4)));
typedef float cv_f8 __attribute__((ext_vector_type(8)));
typedef int32_t cv_i8 __attribute__((ext_vector_type(8)));

/* ---- single values */

/* Integer part of a value that the caller has limited to [0, 65535]. */
CV_INLINE uint16_t cv_truncate_f32(float x) { return (uint16_t)(int32_t)x; }
CV_INLINE uint16_t cv_truncate_f64(double x) { return (uint16_t)(int32_t)x; }

/* Limits to [low, high]; a NaN becomes low. One max and one min instruction. */
CV_INLINE float cv_limit_f32(float x, float low, float high) {
    float above = x > low ? x : low;
    return above < high ? above : high;
}
CV_INLINE double cv_limit_f64(double x, double low, double high) {
    double above = x > low ? x : low;
    return above < high ? above : high;
}

/* ---- eight values */

/* The larger, the smaller; where x is a NaN the result is y. */
CV_INLINE cv_f8 cv_max(cv_f8 x, cv_f8 y) { return x > y ? x : y; }
CV_INLINE cv_f8 cv_min(cv_f8 x, cv_f8 y) { return x < y ? x : y; }
/* value where x is above the threshold, else otherwise. */
CV_INLINE cv_f8 cv_above(cv_f8 x, cv_f8 threshold, cv_f8 value, cv_f8 otherwise) { return x > threshold ? value : otherwise; }
CV_INLINE cv_f8 cv_limit(cv_f8 x, cv_f8 low, cv_f8 high) { return cv_min(cv_max(x, low), high); }

/* Four pairs of neighbours in a table, as their first and their second members. The indices come two in each 64-bit word,
 * which takes fewer moves out of the vector registers than one at a time. */
CV_INLINE void cv_pairs(const float *table, uint64_t i01, uint64_t i23, cv_f4 *first, cv_f4 *second) {
    cv_f2 p0, p1, p2, p3;
    memcpy(&p0, table + (uint32_t)i01, sizeof p0);
    memcpy(&p1, table + (i01 >> 32), sizeof p1);
    memcpy(&p2, table + (uint32_t)i23, sizeof p2);
    memcpy(&p3, table + (i23 >> 32), sizeof p3);
    cv_f4 lower = __builtin_shufflevector(p0, p1, 0, 1, 2, 3);
    cv_f4 upper = __builtin_shufflevector(p2, p3, 0, 1, 2, 3);
    *first = __builtin_shufflevector(lower, upper, 0, 2, 4, 6);
    *second = __builtin_shufflevector(lower, upper, 1, 3, 5, 7);
}

/* table[index] and table[index + 1] */
CV_INLINE void cv_members(const float *table, cv_i8 index, cv_f8 *first, cv_f8 *second) {
    uint64_t i[4];
    memcpy(i, &index, sizeof i);
    cv_f4 a0, b0, a1, b1;
    cv_pairs(table, i[0], i[1], &a0, &b0);
    cv_pairs(table, i[2], i[3], &a1, &b1);
    *first = __builtin_shufflevector(a0, a1, 0, 1, 2, 3, 4, 5, 6, 7);
    *second = __builtin_shufflevector(b0, b1, 0, 1, 2, 3, 4, 5, 6, 7);
}

CV_INLINE cv_f8 cv_gather(const float *table, cv_i8 index) {
    uint64_t i[4];
    memcpy(i, &index, sizeof i);
    return (cv_f8){table[(uint32_t)i[0]], table[i[0] >> 32], table[(uint32_t)i[1]], table[i[1] >> 32],
                   table[(uint32_t)i[2]], table[i[2] >> 32], table[(uint32_t)i[3]], table[i[3] >> 32]};
}

/* A table of values at 0, 1/scale, 2/scale ...: linear between them, or the nearest. x lies in the table's range. */
CV_INLINE cv_f8 cv_uniform_linear(const float *table, float scale, cv_f8 x) {
    cv_f8 position = x * scale;
    cv_i8 index = __builtin_convertvector(position, cv_i8);
    cv_f8 fraction = position - __builtin_convertvector(index, cv_f8);
    cv_f8 a, b;
    cv_members(table, index, &a, &b);
    return a + fraction * (b - a);
}
CV_INLINE cv_f8 cv_uniform_nearest(const float *table, float scale, cv_f8 x) {
    return cv_gather(table, __builtin_convertvector(x * scale + 0.5f, cv_i8));
}

/* A table with 1 << (23 - shift) cells in each power of two; base is the bit pattern of its first argument, and x is not
 * below it: linear within a cell, which holds its first value and its rise, or the cell's value. */
CV_INLINE cv_i8 cv_bits(cv_f8 x) {
    cv_i8 bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
CV_INLINE cv_f8 cv_octaves_linear(const float *table, int32_t base, int32_t shift, float fraction_scale, cv_f8 x) {
    cv_i8 offset = cv_bits(x) - base;
    cv_f8 fraction = __builtin_convertvector(offset & ((1 << shift) - 1), cv_f8) * fraction_scale;
    cv_f8 start, rise;
    cv_members(table, (offset >> shift) << 1, &start, &rise);
    return start + fraction * rise;
}
CV_INLINE cv_f8 cv_octaves_nearest(const float *table, int32_t base, int32_t shift, cv_f8 x) {
    return cv_gather(table, (cv_bits(x) - base) >> shift);
}

#pragma clang diagnostic pop

#endif
