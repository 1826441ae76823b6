/* Operations on samples that are packed without regard to word boundaries. */
#ifndef CSIMD_BYTES_H
#define CSIMD_BYTES_H

#include "CSIMD.h"

/* Reorders the bytes within each 16; where the order's highest bit is set, those of `filling` are taken. */
#if CV_LANES == 16
#define CV_REORDERS 1
CV_INLINE cv_i cv_byte_order(const uint8_t *order) {
    return (cv_i)_mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)order));
}
CV_INLINE cv_i cv_reorder(cv_i x, cv_i order, cv_i filling) {
    return (cv_i)_mm512_shuffle_epi8((__m512i)x, (__m512i)order) | filling;
}
#elif CV_LANES == 8
#define CV_REORDERS 1
CV_INLINE cv_i cv_byte_order(const uint8_t *order) {
    return (cv_i)_mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)order));
}
CV_INLINE cv_i cv_reorder(cv_i x, cv_i order, cv_i filling) {
    return (cv_i)_mm256_shuffle_epi8((__m256i)x, (__m256i)order) | filling;
}
#elif defined(__aarch64__)
#define CV_REORDERS 1
CV_INLINE cv_i cv_byte_order(const uint8_t *order) { return (cv_i)vld1q_u8(order); }
CV_INLINE cv_i cv_reorder(cv_i x, cv_i order, cv_i filling) {
    return (cv_i)vqtbl1q_u8((uint8x16_t)x, (uint8x16_t)order) | filling;
}
#else
#define CV_REORDERS 0
CV_INLINE cv_i cv_byte_order(const uint8_t *order) {
    cv_i v;
    memcpy(&v, order, sizeof v);
    return v;
}
CV_INLINE cv_i cv_reorder(cv_i x, cv_i order, cv_i filling) {
    (void)order;
    return x | filling;
}
#endif

/* Swaps the bytes of each 16-bit word. */
CV_INLINE cv_i cv_swap_bytes16(cv_i x) {
    typedef uint16_t words __attribute__((ext_vector_type(2 * CV_LANES)));
    words w = (words)x;
    return (cv_i)(w << 8 | w >> 8);
}

/* Loads words of three bytes each, whose highest byte is undefined. Reads 3 * CV_LANES bytes. */
CV_INLINE cv_i cv_load_u24(const void *p) {
#if CV_LANES == 16
    __m256i first = _mm256_loadu_si256((const __m256i *)p);
    __m256i rest = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)((const char *)p + 32)));
    __m512i bytes = _mm512_inserti64x4(_mm512_castsi256_si512(first), rest, 1);
    /* Twelve bytes go to each part of sixteen. */
    const __m512i twelves = _mm512_setr_epi32(0, 1, 2, 2, 3, 4, 5, 5, 6, 7, 8, 8, 9, 10, 11, 11);
    __m512i parts = _mm512_permutexvar_epi32(twelves, bytes);
    const __m128i order = _mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
    return (cv_i)_mm512_shuffle_epi8(parts, _mm512_broadcast_i32x4(order));
#elif CV_LANES == 8
    __m128i low = _mm_loadu_si128((const __m128i *)p);
    __m128i high = _mm_loadu_si128((const __m128i *)((const char *)p + 8));
    const __m256i order = _mm256_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1, 4, 5, 6, -1, 7, 8, 9,
                                           -1, 10, 11, 12, -1, 13, 14, 15, -1);
    return (cv_i)_mm256_shuffle_epi8(_mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1), order);
#else
    uint64_t first;
    uint32_t last;
    memcpy(&first, p, sizeof first);
    memcpy(&last, (const char *)p + 8, sizeof last);
    uint64_t second = first >> 48 | (uint64_t)last << 16;
    uint64_t pairs[2] = {(first & 0xffffff) | (first >> 24) << 32, (second & 0xffffff) | (second >> 24) << 32};
    cv_i words;
    memcpy(&words, pairs, sizeof words);
    return words;
#endif
}

/* Stores the lower three bytes of each word, whose highest byte is 0. Writes 3 * CV_LANES bytes. */
CV_INLINE void cv_store_u24(void *p, cv_i words) {
#if CV_LANES == 16
    const __m128i order = _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
    __m512i parts = _mm512_shuffle_epi8((__m512i)words, _mm512_broadcast_i32x4(order));
    const __m512i packed = _mm512_setr_epi32(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3, 7, 11, 15);
    __m512i bytes = _mm512_permutexvar_epi32(packed, parts);
    _mm256_storeu_si256((__m256i *)p, _mm512_castsi512_si256(bytes));
    _mm_storeu_si128((__m128i *)((char *)p + 32), _mm512_extracti32x4_epi32(bytes, 2));
#elif CV_LANES == 8
    const __m128i order = _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
    __m256i parts = _mm256_shuffle_epi8((__m256i)words, _mm256_broadcastsi128_si256(order));
    __m256i bytes = _mm256_permutevar8x32_epi32(parts, _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7));
    _mm_storeu_si128((__m128i *)p, _mm256_castsi256_si128(bytes));
    _mm_storel_epi64((__m128i *)((char *)p + 16), _mm256_extracti128_si256(bytes, 1));
#else
    uint64_t pairs[2];
    memcpy(pairs, &words, sizeof pairs);
    uint64_t low = (pairs[0] & 0xffffff) | pairs[0] >> 32 << 24;
    uint64_t high = (pairs[1] & 0xffffff) | pairs[1] >> 32 << 24;
    uint64_t first = low | high << 48;
    uint32_t last = (uint32_t)(high >> 16);
    memcpy(p, &first, sizeof first);
    memcpy((char *)p + 8, &last, sizeof last);
#endif
}

#endif
