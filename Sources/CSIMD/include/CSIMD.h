/* Vector operations that Swift's SIMD types would compile to scalar code, to library calls or to other instructions
 * than the intended ones. Header only: each operation compiles to the instructions of the importing module's target,
 * and a vector holds as many samples as that target's registers. */
#ifndef CSIMD_H
#define CSIMD_H

#include <stdint.h>
#include <string.h>

#include "KernelTable.h"

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

/* Every function is inlined, so that no vector is passed in a way that depends on the target. */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpsabi"
#define CV_INLINE static inline __attribute__((always_inline))

#if defined(__AVX512F__)
#define CV_LANES 16
#elif defined(__AVX2__)
#define CV_LANES 8
#else
#define CV_LANES 4
#endif

/* Vectors of samples, and of integers: as many as fit a register. */
typedef float cv_f __attribute__((ext_vector_type(CV_LANES)));
typedef int32_t cv_i __attribute__((ext_vector_type(CV_LANES)));
typedef uint8_t cv_u8 __attribute__((ext_vector_type(CV_LANES)));
typedef uint16_t cv_u16 __attribute__((ext_vector_type(CV_LANES)));

/* ---- single values */

/* The integer part of a value that the caller has clamped to [0, 65535]. */
CV_INLINE uint16_t cv_truncate_f32(float x) { return (uint16_t)(int32_t)x; }
CV_INLINE uint16_t cv_truncate_f64(double x) { return (uint16_t)(int32_t)x; }

/* Clamps to [low, high]; a NaN becomes low. One max and one min instruction. */
CV_INLINE float cv_limit_f32(float x, float low, float high) {
    float above = x > low ? x : low;
    return above < high ? above : high;
}
CV_INLINE double cv_limit_f64(double x, double low, double high) {
    double above = x > low ? x : low;
    return above < high ? above : high;
}

/* Little-endian words at any address. Every processor that this is built for is little-endian. */
CV_INLINE uint16_t cv_get16(const void *p) {
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return v;
}
CV_INLINE uint32_t cv_get32(const void *p) {
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}
CV_INLINE void cv_put16(void *p, uint16_t v) { memcpy(p, &v, sizeof v); }
CV_INLINE void cv_put32(void *p, uint32_t v) { memcpy(p, &v, sizeof v); }

/* ---- samples */

CV_INLINE cv_f cv_splat(float x) { return (cv_f)x; }
CV_INLINE cv_f cv_load(const float *p) {
    cv_f v;
    memcpy(&v, p, sizeof v);
    return v;
}
CV_INLINE void cv_store(float *p, cv_f v) { memcpy(p, &v, sizeof v); }

/* a * b + c, rounded once where the target has an instruction for that. */
CV_INLINE cv_f cv_fma(cv_f a, cv_f b, cv_f c) {
#if defined(__FMA__) || defined(__aarch64__)
    return __builtin_elementwise_fma(a, b, c);
#else
    return a * b + c;
#endif
}
/* x * x. Swift would split its own product into single lanes where a sum follows. */
CV_INLINE cv_f cv_square(cv_f x) { return x * x; }
/* The larger and the smaller number; where x is a NaN the result is y. */
CV_INLINE cv_f cv_max(cv_f x, cv_f y) { return x > y ? x : y; }
CV_INLINE cv_f cv_min(cv_f x, cv_f y) { return x < y ? x : y; }
CV_INLINE cv_f cv_limit(cv_f x, cv_f low, cv_f high) { return cv_min(cv_max(x, low), high); }
/* yes where a > b, otherwise no. */
CV_INLINE cv_f cv_above(cv_f a, cv_f b, cv_f yes, cv_f no) { return a > b ? yes : no; }

/* Adds a step to the index in lanes where x has reached a threshold. */
CV_INLINE cv_i cv_step(cv_i index, cv_f x, cv_f threshold, cv_i step) {
    return index + ((cv_i)(x >= threshold) & step);
}

/* x, or 0 where it is a NaN. */
CV_INLINE cv_f cv_number(cv_f x) { return x == x ? x : (cv_f)0.0f; }
/* 1 where a and b differ or one of them is a NaN, otherwise 0. */
CV_INLINE cv_f cv_differ(cv_f a, cv_f b) { return a != b ? (cv_f)1.0f : (cv_f)0.0f; }

/* Whether a > b in any lane. */
CV_INLINE int32_t cv_any_above(cv_f a, cv_f b) {
#if defined(__AVX512F__)
    return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ) != 0;
#elif defined(__AVX2__)
    return _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_GT_OQ)) != 0;
#elif defined(__SSE2__)
    return _mm_movemask_ps(_mm_cmpgt_ps(a, b)) != 0;
#elif defined(__aarch64__)
    return vmaxvq_u32(vcgtq_f32(a, b)) != 0;
#else
    int32_t any = 0;
    for (int k = 0; k < CV_LANES; k++)
        any |= a[k] > b[k];
    return any;
#endif
}
/* Whether the sign bit is set in any lane. */
CV_INLINE int32_t cv_any_negative(cv_i bits) {
#if defined(__AVX512F__)
    return _mm512_cmplt_epi32_mask((__m512i)bits, _mm512_setzero_si512()) != 0;
#elif defined(__AVX2__)
    return _mm256_movemask_ps((__m256)bits) != 0;
#elif defined(__SSE2__)
    return _mm_movemask_ps((__m128)bits) != 0;
#elif defined(__aarch64__)
    return vminvq_s32(bits) < 0;
#else
    int32_t all = 0;
    for (int k = 0; k < CV_LANES; k++)
        all |= bits[k];
    return all < 0;
#endif
}
/* 1 / sqrt(x) and 1 / x to 13 bits or more, for normal numbers above 0 whose reciprocals are normal. */
#if defined(__AVX512F__)
CV_INLINE cv_f cv_rsqrt(cv_f x) { return _mm512_rsqrt14_ps(x); }
CV_INLINE cv_f cv_reciprocal(cv_f x) { return _mm512_rcp14_ps(x); }
#elif defined(__SSE2__)
/* One step of Newton's method doubles the twelve exact bits. */
CV_INLINE cv_f cv_rsqrt(cv_f x) {
#if defined(__AVX2__)
    cv_f y = _mm256_rsqrt_ps(x);
#else
    cv_f y = _mm_rsqrt_ps(x);
#endif
    return y * (1.5f - 0.5f * x * y * y);
}
CV_INLINE cv_f cv_reciprocal(cv_f x) {
#if defined(__AVX2__)
    cv_f y = _mm256_rcp_ps(x);
#else
    cv_f y = _mm_rcp_ps(x);
#endif
    return y * (2.0f - x * y);
}
#else
CV_INLINE cv_f cv_rsqrt(cv_f x) { return 1.0f / __builtin_elementwise_sqrt(x); }
CV_INLINE cv_f cv_reciprocal(cv_f x) { return 1.0f / x; }
#endif
/* A quotient, as accurate as cv_reciprocal or more. A division of four numbers takes fewer steps than a reciprocal. */
#if defined(__AVX2__)
CV_INLINE cv_f cv_quotient(cv_f x, cv_f y) { return x * cv_reciprocal(y); }
#else
CV_INLINE cv_f cv_quotient(cv_f x, cv_f y) { return x / y; }
#endif
CV_INLINE cv_f cv_abs(cv_f x) { return __builtin_elementwise_abs(x); }

CV_INLINE cv_i cv_bits(cv_f x) {
    cv_i bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
CV_INLINE cv_f cv_float(cv_i bits) {
    cv_f x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* log2(x) = exponent + log2(mantissa) with the mantissa in [0.75, 1.5); x is positive and normal. */
#if defined(__AVX512F__) && defined(__AVX512DQ__)
CV_INLINE cv_f cv_mantissa(cv_f x) { return _mm512_getmant_ps(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_src); }
CV_INLINE cv_f cv_exponent(cv_f x, cv_f mantissa) {
    /* A mantissa below 1 belongs to the next power of two. */
    cv_f e = _mm512_getexp_ps(x);
    return _mm512_mask_add_ps(e, _mm512_cmp_ps_mask(mantissa, _mm512_set1_ps(1), _CMP_LT_OQ), e, _mm512_set1_ps(1));
}
#else
CV_INLINE cv_f cv_mantissa(cv_f x) {
    /* 0x3f400000 is 0.75: numbers from 0.75 times a power of two on belong to the next power. */
    cv_i above = (cv_bits(x) - 0x3f400000) & (cv_i)0xff800000;
    return cv_float(cv_bits(x) - above);
}
CV_INLINE cv_f cv_exponent(cv_f x, cv_f mantissa) {
    (void)mantissa;
    return __builtin_convertvector((cv_bits(x) - 0x3f400000) >> 23, cv_f);
}
#endif

/* ---- sums in double precision */

typedef double cv_d __attribute__((ext_vector_type(CV_LANES / 2)));

/* The sum of both halves of x. */
CV_INLINE cv_d cv_halves_sum(cv_f x) {
    typedef float half __attribute__((ext_vector_type(CV_LANES / 2)));
    half h[2];
    memcpy(h, &x, sizeof h);
    return __builtin_convertvector(h[0], cv_d) + __builtin_convertvector(h[1], cv_d);
}
CV_INLINE cv_d cv_splat_d(double x) { return (cv_d)x; }
CV_INLINE double cv_total(cv_d x) {
    double sum = 0;
    for (int k = 0; k < CV_LANES / 2; k++)
        sum += x[k];
    return sum;
}
CV_INLINE float cv_largest(cv_f x) {
    float largest = x[0];
    for (int k = 1; k < CV_LANES; k++)
        largest = x[k] > largest ? x[k] : largest;
    return largest;
}
/* The first `count` samples of x, followed by those of y. */
CV_INLINE cv_f cv_first(cv_f x, int32_t count, cv_f y) {
    cv_i place;
    for (int k = 0; k < CV_LANES; k++)
        place[k] = k;
    return place < (cv_i)count ? x : y;
}

/* Prefetches bytes that will be read soon. Several rows are read in turns, a part of each at a time, which the
 * processor's own prefetching does not recognise. Addresses need not be valid. */
CV_INLINE void cv_prefetch(const void *p, intptr_t bytes) {
    for (intptr_t i = 0; i < bytes; i += 64)
        __builtin_prefetch((const char *)p + i, 0, 3);
}

CV_INLINE void cv_prefetch_write(const void *p, intptr_t bytes) {
    for (intptr_t i = 0; i < bytes; i += 64)
        __builtin_prefetch((const char *)p + i, 1, 3);
}

/* ---- integers */

CV_INLINE cv_i cv_splat_i(int32_t x) { return (cv_i)x; }
CV_INLINE cv_f cv_to_float(cv_i x) { return __builtin_convertvector(x, cv_f); }
CV_INLINE cv_i cv_truncate(cv_f x) { return __builtin_convertvector(x, cv_i); }
CV_INLINE cv_i cv_and(cv_i x, int32_t mask) { return x & mask; }
CV_INLINE cv_i cv_or(cv_i x, cv_i y) { return x | y; }
CV_INLINE cv_i cv_left(cv_i x, int32_t n) { return x << (n & 31); }
CV_INLINE cv_i cv_right(cv_i x, int32_t n) {
    typedef uint32_t u __attribute__((ext_vector_type(CV_LANES)));
    return (cv_i)((u)x >> (uint32_t)(n & 31));
}

CV_INLINE cv_i cv_add_i(cv_i x, cv_i y) { return x + y; }
CV_INLINE cv_i cv_subtract_i(cv_i x, cv_i y) { return x - y; }
/* The smaller of two numbers that are not negative. */
CV_INLINE cv_i cv_min_i(cv_i x, cv_i y) { return x < y ? x : y; }

/* Codes of `bits` bits, rescaled and rounded to codes whose highest value is `whole` times theirs plus `rest`. */
CV_INLINE cv_i cv_rescale(cv_i codes, int32_t bits, int32_t whole, int32_t rest) {
    typedef uint32_t u __attribute__((ext_vector_type(CV_LANES)));
    u x = (u)codes * (uint32_t)rest + (((uint32_t)1 << bits) - 1) / 2;
    /* This is x / (2^bits - 1) for x < 2^(2 bits). */
    return codes * whole + (cv_i)((x + 1 + (x >> (uint32_t)bits)) >> (uint32_t)bits);
}

CV_INLINE cv_i cv_load_u8(const void *p) {
    cv_u8 v;
    memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, cv_i);
}
CV_INLINE cv_i cv_load_u16(const void *p) {
    cv_u16 v;
    memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, cv_i);
}
CV_INLINE cv_i cv_load_u32(const void *p) {
    cv_i v;
    memcpy(&v, p, sizeof v);
    return v;
}
CV_INLINE void cv_store_u8(void *p, cv_i x) {
#if defined(__AVX512F__)
    _mm_storeu_si128((__m128i *)p, _mm512_cvtepi32_epi8((__m512i)x));
#else
    cv_u8 v = __builtin_convertvector(x, cv_u8);
    memcpy(p, &v, sizeof v);
#endif
}
CV_INLINE void cv_store_u16(void *p, cv_i x) {
#if defined(__AVX512F__)
    _mm256_storeu_si256((__m256i *)p, _mm512_cvtepi32_epi16((__m512i)x));
#else
    cv_u16 v = __builtin_convertvector(x, cv_u16);
    memcpy(p, &v, sizeof v);
#endif
}
CV_INLINE void cv_store_u32(void *p, cv_i x) { memcpy(p, &x, sizeof x); }

/* Copies a vector's bytes, or one byte. A loop over these functions stays a loop: the compiler would replace one that
 * it recognises by a call of memmove. */
CV_INLINE void cv_move(void *to, const void *from) {
    cv_i v;
    memcpy(&v, from, sizeof v);
    __asm__ volatile("" ::: "memory");
    memcpy(to, &v, sizeof v);
}
CV_INLINE void cv_move_byte(uint8_t *to, const uint8_t *from) {
    uint8_t v = *from;
    __asm__ volatile("" ::: "memory");
    *to = v;
}

/* ---- order */

#if CV_LANES == 16
#define CV_EVEN 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define CV_ODD 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define CV_LOW 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define CV_HIGH 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define CV_SLIDE 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
#elif CV_LANES == 8
#define CV_EVEN 0, 2, 4, 6, 8, 10, 12, 14
#define CV_ODD 1, 3, 5, 7, 9, 11, 13, 15
#define CV_LOW 0, 8, 1, 9, 2, 10, 3, 11
#define CV_HIGH 4, 12, 5, 13, 6, 14, 7, 15
#define CV_SLIDE 7, 8, 9, 10, 11, 12, 13, 14
#else
#define CV_EVEN 0, 2, 4, 6
#define CV_ODD 1, 3, 5, 7
#define CV_LOW 0, 4, 1, 5
#define CV_HIGH 2, 6, 3, 7
#define CV_SLIDE 3, 4, 5, 6
#endif
/* Every second value of a, followed by every second value of b. */
CV_INLINE cv_f cv_even(cv_f a, cv_f b) { return __builtin_shufflevector(a, b, CV_EVEN); }
CV_INLINE cv_f cv_odd(cv_f a, cv_f b) { return __builtin_shufflevector(a, b, CV_ODD); }
CV_INLINE cv_i cv_even_i(cv_i a, cv_i b) { return __builtin_shufflevector(a, b, CV_EVEN); }
CV_INLINE cv_i cv_odd_i(cv_i a, cv_i b) { return __builtin_shufflevector(a, b, CV_ODD); }
/* The values of a and b in turn: the first and the second half of the result. */
CV_INLINE cv_f cv_low(cv_f a, cv_f b) { return __builtin_shufflevector(a, b, CV_LOW); }
CV_INLINE cv_f cv_high(cv_f a, cv_f b) { return __builtin_shufflevector(a, b, CV_HIGH); }
/* The last value of a, followed by all values of b but the last. */
CV_INLINE cv_f cv_slide(cv_f a, cv_f b) { return __builtin_shufflevector(a, b, CV_SLIDE); }
CV_INLINE cv_i cv_low_i(cv_i a, cv_i b) { return __builtin_shufflevector(a, b, CV_LOW); }
CV_INLINE cv_i cv_high_i(cv_i a, cv_i b) { return __builtin_shufflevector(a, b, CV_HIGH); }

/* The number with x's mantissa, in [1, 2). */
CV_INLINE cv_f cv_fraction(cv_f x) { return cv_float((cv_bits(x) & 0x7fffff) | 0x3f800000); }

#include "CSIMDHalf.h"
#include "CSIMDTables.h"
#include "CSIMDBytes.h"
#include "CSIMDPixels.h"
#include "CSIMDV210.h"
#include "CSIMDFixedPoint.h"
#include "CSIMDNodes.h"

#pragma clang diagnostic pop

#endif
