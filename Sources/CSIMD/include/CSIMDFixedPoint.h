/* Vectors of 16-bit fixed-point words, for targets that can look up words in registers. */
#ifndef CSIMD_FIXED_POINT_H
#define CSIMD_FIXED_POINT_H

#include "CSIMD.h"
#include "FixedPointPlan.h"

#if defined(__AVX512BW__)

typedef int16_t cv_w __attribute__((ext_vector_type(32)));

CV_INLINE cv_w cv_load_w(const void *p) {
    cv_w v;
    memcpy(&v, p, sizeof v);
    return v;
}
CV_INLINE void cv_store_w(void *p, cv_w v) { memcpy(p, &v, sizeof v); }
CV_INLINE cv_w cv_splat_w(int16_t x) { return (cv_w)x; }
/* Two words that alternate. */
CV_INLINE cv_w cv_splat_pair(int16_t first, int16_t second) {
    return (cv_w)_mm512_set1_epi32((int32_t)((uint32_t)(uint16_t)first | (uint32_t)(uint16_t)second << 16));
}

CV_INLINE cv_w cv_add_w(cv_w a, cv_w b) { return (cv_w)_mm512_add_epi16((__m512i)a, (__m512i)b); }
CV_INLINE cv_w cv_sub_w(cv_w a, cv_w b) { return (cv_w)_mm512_sub_epi16((__m512i)a, (__m512i)b); }
/* Addition and subtraction with saturation. */
CV_INLINE cv_w cv_add_limited(cv_w a, cv_w b) { return (cv_w)_mm512_adds_epi16((__m512i)a, (__m512i)b); }
CV_INLINE cv_w cv_sub_limited(cv_w a, cv_w b) { return (cv_w)_mm512_subs_epi16((__m512i)a, (__m512i)b); }
CV_INLINE cv_w cv_max_w(cv_w a, cv_w b) { return (cv_w)_mm512_max_epi16((__m512i)a, (__m512i)b); }
CV_INLINE cv_w cv_min_w(cv_w a, cv_w b) { return (cv_w)_mm512_min_epi16((__m512i)a, (__m512i)b); }
/* The Q15 product a * b / 2^15, rounded. */
CV_INLINE cv_w cv_part(cv_w a, cv_w b) { return (cv_w)_mm512_mulhrs_epi16((__m512i)a, (__m512i)b); }
/* The number of the part that contains a word: parts are 2^6 wide up to the 34th, and then 2^10 wide. */
CV_INLINE cv_w cv_fine_at_zero(cv_w a) {
    __m512i coarse = _mm512_add_epi16(_mm512_srli_epi16((__m512i)a, 10), _mm512_set1_epi16(32));
    return (cv_w)_mm512_min_epi16(_mm512_srli_epi16((__m512i)a, 6), coarse);
}
/* Half of unsigned words. */
CV_INLINE cv_w cv_half_w(cv_w a) { return (cv_w)_mm512_srli_epi16((__m512i)a, 1); }
CV_INLINE cv_w cv_times8(cv_w a) { return (cv_w)_mm512_slli_epi16((__m512i)a, 3); }
CV_INLINE cv_w cv_times32(cv_w a) { return (cv_w)_mm512_slli_epi16((__m512i)a, 5); }
CV_INLINE cv_w cv_left_w(cv_w a, int32_t n) { return (cv_w)_mm512_sll_epi16((__m512i)a, _mm_cvtsi32_si128(n)); }
/* The highest five or six bits of words that are not negative. */
CV_INLINE cv_w cv_highest5(cv_w a) { return (cv_w)_mm512_srli_epi16((__m512i)a, 10); }
CV_INLINE cv_w cv_highest6(cv_w a) { return (cv_w)_mm512_srli_epi16((__m512i)a, 9); }
/* A logical shift of unsigned words to the right. */
CV_INLINE cv_w cv_right_w(cv_w a, int32_t n) { return (cv_w)_mm512_srl_epi16((__m512i)a, _mm_cvtsi32_si128(n)); }
/* The mean of unsigned words, rounded up. */
CV_INLINE cv_w cv_mean(cv_w a, cv_w b) { return (cv_w)_mm512_avg_epu16((__m512i)a, (__m512i)b); }
/* From unsigned words to signed ones, with the middle at 0, and back. */
CV_INLINE cv_w cv_centre(cv_w a) { return (cv_w)_mm512_xor_si512((__m512i)a, _mm512_set1_epi16((int16_t)0x8000)); }
/* Picks table entries by the lowest five bits of the index. */
CV_INLINE cv_w cv_pick_w(cv_w table, cv_w index) {
    return (cv_w)_mm512_permutexvar_epi16((__m512i)index, (__m512i)table);
}
/* Picks entries of two tables by the lowest six bits of the index. */
CV_INLINE cv_w cv_pick2_w(cv_w table, cv_w second, cv_w index) {
    return (cv_w)_mm512_permutex2var_epi16((__m512i)table, (__m512i)index, (__m512i)second);
}

/* The lower words of a and the higher words of b, in each 32 bits. */
CV_INLINE cv_w cv_join(cv_w a, cv_w b) { return (cv_w)_mm512_mask_blend_epi16(0xaaaaaaaa, (__m512i)a, (__m512i)b); }
/* Moves lower words to the higher ones, and the other way. */
CV_INLINE cv_w cv_to_higher(cv_w a) { return (cv_w)_mm512_slli_epi32((__m512i)a, 16); }
CV_INLINE cv_w cv_to_lower(cv_w a) { return (cv_w)_mm512_srli_epi32((__m512i)a, 16); }
/* Shifts b by 32 bits: the last 32 bits of a come first. */
CV_INLINE cv_w cv_after(cv_w a, cv_w b) { return (cv_w)_mm512_alignr_epi32((__m512i)b, (__m512i)a, 15); }
/* The first word in all places. */
CV_INLINE cv_w cv_first_word(cv_w a) { return (cv_w)_mm512_broadcastw_epi16(_mm512_castsi512_si128((__m512i)a)); }
/* Sums of products of the two words of each 32 bits, as 32-bit words. */
CV_INLINE cv_w cv_dot(cv_w a, cv_w b) { return (cv_w)_mm512_madd_epi16((__m512i)a, (__m512i)b); }
CV_INLINE cv_w cv_add_i32(cv_w a, cv_w b) { return (cv_w)_mm512_add_epi32((__m512i)a, (__m512i)b); }

/* Lower words as samples, and higher ones times 2^16 as samples; none is negative. The latter include the lower words
 * as a fraction of less than 1 in the unit of higher words. If the compiler knew that lower words are integers, it
 * would multiply them as such, which takes longer. */
CV_INLINE cv_f cv_lower(cv_w a) {
    cv_f x = _mm512_cvtepi32_ps(_mm512_and_si512((__m512i)a, _mm512_set1_epi32(0xffff)));
    __asm__("" : "+v"(x));
    return x;
}
CV_INLINE cv_f cv_higher(cv_w a) { return _mm512_cvtepi32_ps((__m512i)a); }
/* Words of samples below 2^15, and words of samples that are 2^16 times as large. A NaN becomes 0 or the lowest
 * word. */
CV_INLINE cv_w cv_words(cv_f lower, cv_f higher) {
    return cv_join((cv_w)_mm512_cvttps_epi32(lower), (cv_w)_mm512_cvttps_epi32(higher));
}
/* The fourth root, to 13 bits, of the smaller of x and `top`, which is not negative; a NaN where x is negative. */
CV_INLINE cv_f cv_fourth_root(cv_f x, cv_f top) {
    /* Read as integers, positive samples have the same order, and negative ones come before them. */
    __m512i limited = _mm512_min_epi32((__m512i)x, (__m512i)top);
    return _mm512_rsqrt14_ps(_mm512_rsqrt14_ps((__m512)limited));
}

/* Keeps the compiler from moving instructions that compute these values behind this point, or instructions that use
 * them before it, without an instruction of its own. The values are vectors of words, but d and e are samples. Swift
 * has no pointers to vectors. */
CV_INLINE void cv_order(void *a, void *b, void *c, void *d, void *e, void *f, void *g, void *h, void *i) {
    __asm__(""
            : "+v"(*(cv_w *)a), "+v"(*(cv_w *)b), "+v"(*(cv_w *)c), "+v"(*(cv_f *)d), "+v"(*(cv_f *)e),
              "+v"(*(cv_w *)f), "+v"(*(cv_w *)g), "+v"(*(cv_w *)h), "+v"(*(cv_w *)i));
}

/* Stores the first `count` words of a vector, 0 to 32, as words or as bytes. Nothing behind them is touched. */
CV_INLINE uint32_t cv_first_bits(intptr_t count) {
    return count >= 32 ? ~(uint32_t)0 : ((uint32_t)1 << (count & 31)) - 1;
}
CV_INLINE void cv_store_words(void *p, cv_w a, intptr_t count) {
    _mm512_mask_storeu_epi16(p, cv_first_bits(count), (__m512i)a);
}
CV_INLINE void cv_store_bytes(void *p, cv_w a, intptr_t count) {
    _mm256_mask_storeu_epi8(p, cv_first_bits(count), _mm512_cvtepi16_epi8((__m512i)a));
}
/* Stores the lower words of the first `count` 32 bits, 0 to 16, as words or as bytes. */
CV_INLINE void cv_store_lower_words(void *p, cv_w a, intptr_t count) {
    _mm256_mask_storeu_epi16(p, (uint16_t)cv_first_bits(count), _mm512_cvtepi32_epi16((__m512i)a));
}
CV_INLINE void cv_store_lower_bytes(void *p, cv_w a, intptr_t count) {
    _mm_mask_storeu_epi8(p, (uint16_t)cv_first_bits(count), _mm512_cvtepi32_epi8((__m512i)a));
}
/* The sixteen words of each of two vectors, alternating. */
CV_INLINE cv_w cv_interleave(const void *first, const void *second) {
    __m512i a = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)first));
    __m512i b = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)second));
    return (cv_w)_mm512_or_si512(a, _mm512_slli_epi32(b, 16));
}

#endif
#endif
