/* The packing v210: groups of four words, each of three fields of ten bits. Vectors of CV_LANES / 4 groups hold
 * CV_LANES * 3 / 2 samples of luma and half as many of Cb and of Cr. */
#ifndef CSIMD_V210_H
#define CSIMD_V210_H

#include "CSIMD.h"

/* For unpacking: the places of samples among the fields, where those of the first and the third field are picked
 * together, and then those of the second. For packing: the places of fields among the samples, those of luma, those of
 * chroma, and then all. -1 stands for any place. */
#if CV_LANES == 16
#define CV_V210_LUMA0_OUTER -1, 1, 17, -1, 3, 19, -1, 5, 21, -1, 7, 23, -1, 9, 25, -1
#define CV_V210_LUMA0_ALL 16, 1, 2, 18, 4, 5, 20, 7, 8, 22, 10, 11, 24, 13, 14, 26
#define CV_V210_LUMA1_OUTER 11, 27, -1, 13, 29, -1, 15, 31, -1, -1, -1, -1, -1, -1, -1, -1
#define CV_V210_LUMA1_ALL 0, 1, 28, 3, 4, 30, 6, 7, -1, -1, -1, -1, -1, -1, -1, -1
#define CV_V210_CB_OUTER 0, -1, 18, 4, -1, 22, 8, -1, 26, 12, -1, 30, -1, -1, -1, -1
#define CV_V210_CB_ALL 0, 17, 2, 3, 21, 5, 6, 25, 8, 9, 29, 11, -1, -1, -1, -1
#define CV_V210_CR_OUTER 16, 2, -1, 20, 6, -1, 24, 10, -1, 28, 14, -1, -1, -1, -1, -1
#define CV_V210_CR_ALL 0, 1, 19, 3, 4, 23, 6, 7, 27, 9, 10, 31, -1, -1, -1, -1
#define CV_V210_FIELD0_LUMA -1, 1, -1, 4, -1, 7, -1, 10, -1, 13, -1, 16, -1, 19, -1, 22
#define CV_V210_FIELD0_CHROMA 0, -1, 17, -1, 3, -1, 20, -1, 6, -1, 23, -1, 9, -1, 26, -1
#define CV_V210_FIELD0_ALL 16, 1, 18, 3, 20, 5, 22, 7, 24, 9, 26, 11, 28, 13, 30, 15
#define CV_V210_FIELD1_LUMA 0, -1, 3, -1, 6, -1, 9, -1, 12, -1, 15, -1, 18, -1, 21, -1
#define CV_V210_FIELD1_CHROMA -1, 1, -1, 18, -1, 4, -1, 21, -1, 7, -1, 24, -1, 10, -1, 27
#define CV_V210_FIELD1_ALL 0, 17, 2, 19, 4, 21, 6, 23, 8, 25, 10, 27, 12, 29, 14, 31
#define CV_V210_FIELD2_LUMA -1, 2, -1, 5, -1, 8, -1, 11, -1, 14, -1, 17, -1, 20, -1, 23
#define CV_V210_FIELD2_CHROMA 16, -1, 2, -1, 19, -1, 5, -1, 22, -1, 8, -1, 25, -1, 11, -1
#define CV_V210_FIELD2_ALL 16, 1, 18, 3, 20, 5, 22, 7, 24, 9, 26, 11, 28, 13, 30, 15
#elif CV_LANES == 8
#define CV_V210_LUMA0_OUTER -1, 1, 9, -1, 3, 11, -1, 5
#define CV_V210_LUMA0_ALL 8, 1, 2, 10, 4, 5, 12, 7
#define CV_V210_LUMA1_OUTER 13, -1, 7, 15, -1, -1, -1, -1
#define CV_V210_LUMA1_ALL 0, 14, 2, 3, -1, -1, -1, -1
#define CV_V210_CB_OUTER 0, -1, 10, 4, -1, 14, -1, -1
#define CV_V210_CB_ALL 0, 9, 2, 3, 13, 5, -1, -1
#define CV_V210_CR_OUTER 8, 2, -1, 12, 6, -1, -1, -1
#define CV_V210_CR_ALL 0, 1, 11, 3, 4, 15, -1, -1
#define CV_V210_FIELD0_LUMA -1, 1, -1, 4, -1, 7, -1, 10
#define CV_V210_FIELD0_CHROMA 0, -1, 9, -1, 3, -1, 12, -1
#define CV_V210_FIELD0_ALL 8, 1, 10, 3, 12, 5, 14, 7
#define CV_V210_FIELD1_LUMA 0, -1, 3, -1, 6, -1, 9, -1
#define CV_V210_FIELD1_CHROMA -1, 1, -1, 10, -1, 4, -1, 13
#define CV_V210_FIELD1_ALL 0, 9, 2, 11, 4, 13, 6, 15
#define CV_V210_FIELD2_LUMA -1, 2, -1, 5, -1, 8, -1, 11
#define CV_V210_FIELD2_CHROMA 8, -1, 2, -1, 11, -1, 5, -1
#define CV_V210_FIELD2_ALL 8, 1, 10, 3, 12, 5, 14, 7
#else
#define CV_V210_LUMA0_OUTER -1, 1, 5, -1
#define CV_V210_LUMA0_ALL 4, 1, 2, 6
#define CV_V210_LUMA1_OUTER 3, 7, -1, -1
#define CV_V210_LUMA1_ALL 0, 1, -1, -1
#define CV_V210_CB_OUTER 0, -1, 6, -1
#define CV_V210_CB_ALL 0, 5, 2, -1
#define CV_V210_CR_OUTER 4, 2, -1, -1
#define CV_V210_CR_ALL 0, 1, 7, -1
#define CV_V210_FIELD0_LUMA -1, 1, -1, 4
#define CV_V210_FIELD0_CHROMA 0, -1, 5, -1
#define CV_V210_FIELD0_ALL 4, 1, 6, 3
#define CV_V210_FIELD1_LUMA 0, -1, 3, -1
#define CV_V210_FIELD1_CHROMA -1, 1, -1, 6
#define CV_V210_FIELD1_ALL 0, 5, 2, 7
#define CV_V210_FIELD2_LUMA -1, 2, -1, 5
#define CV_V210_FIELD2_CHROMA 4, -1, 2, -1
#define CV_V210_FIELD2_ALL 4, 1, 6, 3
#endif

CV_INLINE void cv_v210_fields(cv_i words, cv_i *first, cv_i *second, cv_i *third) {
    *first = words & 0x3ff;
    *second = (words >> 10) & 0x3ff;
    *third = (words >> 20) & 0x3ff;
}

/* The first CV_LANES samples of luma of the words, and the remaining half as many. */
CV_INLINE cv_i cv_v210_luma(cv_i words) {
    cv_i a, b, c;
    cv_v210_fields(words, &a, &b, &c);
    cv_i outer = __builtin_shufflevector(a, c, CV_V210_LUMA0_OUTER);
    return __builtin_shufflevector(outer, b, CV_V210_LUMA0_ALL);
}
CV_INLINE cv_i cv_v210_more_luma(cv_i words) {
    cv_i a, b, c;
    cv_v210_fields(words, &a, &b, &c);
    cv_i outer = __builtin_shufflevector(a, c, CV_V210_LUMA1_OUTER);
    return __builtin_shufflevector(outer, b, CV_V210_LUMA1_ALL);
}
/* CV_LANES * 3 / 4 samples of Cb, or of Cr. */
CV_INLINE cv_i cv_v210_cb(cv_i words) {
    cv_i a, b, c;
    cv_v210_fields(words, &a, &b, &c);
    return __builtin_shufflevector(__builtin_shufflevector(a, c, CV_V210_CB_OUTER), b, CV_V210_CB_ALL);
}
CV_INLINE cv_i cv_v210_cr(cv_i words) {
    cv_i a, b, c;
    cv_v210_fields(words, &a, &b, &c);
    return __builtin_shufflevector(__builtin_shufflevector(a, c, CV_V210_CR_OUTER), b, CV_V210_CR_ALL);
}

/* Packs words of luma, the first CV_LANES samples and the remaining ones, and of chroma. */
CV_INLINE cv_i cv_v210_words(cv_i luma, cv_i more, cv_i cb, cv_i cr) {
#define CV_V210_FIELD(n)                                                             \
    __builtin_shufflevector(__builtin_shufflevector(luma, more, CV_V210_##n##_LUMA), \
                            __builtin_shufflevector(cb, cr, CV_V210_##n##_CHROMA), CV_V210_##n##_ALL)
    return CV_V210_FIELD(FIELD0) | CV_V210_FIELD(FIELD1) << 10 | CV_V210_FIELD(FIELD2) << 20;
#undef CV_V210_FIELD
}

#endif
