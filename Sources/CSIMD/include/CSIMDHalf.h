/* Half-precision numbers: IEEE 754 binary16. Part of CSIMD.h. */
#ifndef CSIMD_HALF_H
#define CSIMD_HALF_H

/* binary16 numbers of x in [0, 65504], rounded to the nearest, ties to even. */
CV_INLINE cv_i cv_half(cv_f x) {
#if defined(__AVX512F__)
    return (cv_i)_mm512_cvtepu16_epi32(_mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
#elif defined(__F16C__)
    return (cv_i)_mm256_cvtepu16_epi32(_mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
#else
    cv_i bits = cv_bits(x);
    cv_i normal = ((bits + 0xfff + ((bits >> 13) & 1)) >> 13) - 0x1c000;
    /* Below 2^-14 the step of binary16 is 2^-24, which is that of floats from 0.5 on. */
    cv_i small = cv_bits(x + 0.5f) - 0x3f000000;
    return bits < 0x38800000 ? small : normal;
#endif
}
CV_INLINE uint16_t cv_half_f32(float x) {
    cv_f one = (cv_f)x;
    return (uint16_t)cv_half(one)[0];
}

/* Binary16 numbers of any x, limited to what binary16 holds; a NaN becomes the largest number. */
CV_INLINE cv_i cv_signed_half(cv_f x) {
    cv_i sign = cv_bits(x) & (cv_i)0x80000000;
    cv_f size = cv_float(cv_bits(x) & 0x7fffffff);
    return cv_half(cv_min(size, (cv_f)65504.0f)) | ((sign >> 16) & 0x8000);
}
/* Converts binary16 numbers, each in 32 bits of which the upper half is 0. */
CV_INLINE cv_f cv_from_half(cv_i half) {
#if defined(__AVX512F__)
    return _mm512_cvtph_ps(_mm512_cvtepi32_epi16((__m512i)half));
#elif defined(__F16C__)
    __m256i words = _mm256_packus_epi32((__m256i)half, (__m256i)half);
    return _mm256_cvtph_ps(_mm256_castsi256_si128(_mm256_permute4x64_epi64(words, 0x08)));
#else
    cv_i bits = (half & 0x7fff) << 13;
    cv_i sign = (half & 0x8000) << 16;
    /* 2^112 adjusts the exponent of binary16 to that of binary32, for subnormal numbers too. */
    cv_f size = cv_float(bits) * 0x1p112f;
    cv_f special = cv_float(bits | 0x7f800000);
    return cv_float(cv_bits((half & 0x7c00) == 0x7c00 ? special : size) | sign);
#endif
}
CV_INLINE uint16_t cv_signed_half_f32(float x) {
    cv_f one = (cv_f)x;
    return (uint16_t)cv_signed_half(one)[0];
}
CV_INLINE float cv_from_half_f32(uint16_t half) {
    cv_i one = (cv_i)(int32_t)half;
    return cv_from_half(one)[0];
}

#endif
