/* Pixels of four components, one after the other in a vector. Part of CSIMD.h. */
#ifndef CSIMD_PIXELS_H
#define CSIMD_PIXELS_H

/* Numbers from p on, one for each pixel of a vector, each repeated for the pixel's components. */
CV_INLINE cv_f cv_spread(const float *p) {
#if CV_LANES == 4
    return cv_splat(*p);
#else
    typedef float few __attribute__((ext_vector_type(CV_LANES / 4)));
    few v;
    memcpy(&v, p, sizeof v);
#if CV_LANES == 16
    return __builtin_shufflevector(v, v, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
#else
    return __builtin_shufflevector(v, v, 0, 0, 0, 0, 1, 1, 1, 1);
#endif
#endif
}
/* Stores the sum of a vector's pixels. */
CV_INLINE void cv_store_pixel_sum(float *p, cv_f x) {
    typedef float pixel __attribute__((ext_vector_type(4)));
#if CV_LANES == 16
    typedef float half __attribute__((ext_vector_type(8)));
    half two = x.lo + x.hi;
    pixel sum = two.lo + two.hi;
#elif CV_LANES == 8
    pixel sum = x.lo + x.hi;
#else
    pixel sum = x;
#endif
    memcpy(p, &sum, sizeof sum);
}

#endif
