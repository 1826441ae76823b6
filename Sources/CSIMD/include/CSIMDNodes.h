/* Operations on numbers of rows and tables in memory, and interpolation between them. Part of CSIMD.h. */
#ifndef CSIMD_NODES_H
#define CSIMD_NODES_H

/* Spreads one of the four values in each group over its group. */
#if CV_LANES == 16
#define CV_SPREAD(k)                                                                                                \
    (k), (k), (k), (k), 4 + (k), 4 + (k), 4 + (k), 4 + (k), 8 + (k), 8 + (k), 8 + (k), 8 + (k), 12 + (k), 12 + (k), \
        12 + (k), 12 + (k)
#define CV_JOIN(a, b)                                                                                         \
    (a), (b), 16 + (a), 16 + (b), 4 + (a), 4 + (b), 20 + (a), 20 + (b), 8 + (a), 8 + (b), 24 + (a), 24 + (b), \
        12 + (a), 12 + (b), 28 + (a), 28 + (b)
#define CV_MINGLE(a, b)                                                                                       \
    (a), 16 + (a), (b), 16 + (b), 4 + (a), 20 + (a), 4 + (b), 20 + (b), 8 + (a), 24 + (a), 8 + (b), 24 + (b), \
        12 + (a), 28 + (a), 12 + (b), 28 + (b)
#elif CV_LANES == 8
#define CV_SPREAD(k) (k), (k), (k), (k), 4 + (k), 4 + (k), 4 + (k), 4 + (k)
#define CV_JOIN(a, b) (a), (b), 8 + (a), 8 + (b), 4 + (a), 4 + (b), 12 + (a), 12 + (b)
#define CV_MINGLE(a, b) (a), 8 + (a), (b), 8 + (b), 4 + (a), 12 + (a), 4 + (b), 12 + (b)
#else
#define CV_SPREAD(k) (k), (k), (k), (k)
#define CV_JOIN(a, b) (a), (b), 4 + (a), 4 + (b)
#define CV_MINGLE(a, b) (a), 4 + (a), (b), 4 + (b)
#endif

/* The points at every fourth index from the k-th on. Each index is doubled, because an address is computed as the index
 * times eight. */
CV_INLINE cv_f cv_points(const float *points, const uint64_t *pairs, int k) {
    cv_f4 parts[CV_LANES / 4];
    for (int g = 0; g < CV_LANES / 4; g++) {
        uint64_t i[2];
        cv_halves(pairs[2 * g + k / 2], &i[0], &i[1]);
        memcpy(&parts[g], points + 2 * i[k % 2], sizeof parts[g]);
    }
    cv_f v;
    memcpy(&v, parts, sizeof v);
    return v;
}

/* Computes the weighted sum of four points for each lane, and stores its components. An index counts points,
 * doubled. */
CV_INLINE void cv_point_sums(const float *points, cv_i i0, cv_i i1, cv_i i2, cv_i i3, cv_f w0, cv_f w1, cv_f w2,
                             cv_f w3, float *a, float *b, float *c) {
    uint64_t p0[CV_LANES / 2], p1[CV_LANES / 2], p2[CV_LANES / 2], p3[CV_LANES / 2];
    memcpy(p0, &i0, sizeof i0);
    memcpy(p1, &i1, sizeof i1);
    memcpy(p2, &i2, sizeof i2);
    memcpy(p3, &i3, sizeof i3);
#define CV_SUM(k)                                                                                 \
    cv_fma(cv_points(points, p3, k), __builtin_shufflevector(w3, w3, CV_SPREAD(k)),               \
           cv_fma(cv_points(points, p2, k), __builtin_shufflevector(w2, w2, CV_SPREAD(k)),        \
                  cv_fma(cv_points(points, p1, k), __builtin_shufflevector(w1, w1, CV_SPREAD(k)), \
                         cv_points(points, p0, k) * __builtin_shufflevector(w0, w0, CV_SPREAD(k)))))
    cv_f s0 = CV_SUM(0), s1 = CV_SUM(1), s2 = CV_SUM(2), s3 = CV_SUM(3);
#undef CV_SUM
    /* Four by four numbers, transposed. */
    cv_f low01 = __builtin_shufflevector(s0, s1, CV_MINGLE(0, 1)),
         low23 = __builtin_shufflevector(s2, s3, CV_MINGLE(0, 1));
    cv_f high01 = __builtin_shufflevector(s0, s1, CV_MINGLE(2, 3)),
         high23 = __builtin_shufflevector(s2, s3, CV_MINGLE(2, 3));
    cv_store(a, __builtin_shufflevector(low01, low23, CV_JOIN(0, 1)));
    cv_store(b, __builtin_shufflevector(low01, low23, CV_JOIN(2, 3)));
    cv_store(c, __builtin_shufflevector(high01, high23, CV_JOIN(0, 1)));
}

/* Adds the values of four rows at positions between their numbers, times a weight, to four other rows. Positions are at
 * least 0 and rise by at most 1 from lane to lane; each row begins `stride` behind the one before. */
CV_INLINE void cv_add_between(const float *rows, intptr_t stride, cv_f position, cv_f weight, float *a_to, float *b_to,
                              float *c_to, float *d_to) {
    float *const to[4] = {a_to, b_to, c_to, d_to};
#if CV_LANES > 4
    int32_t first = (int32_t)position[0];
    /* Rounding must not lead to the number behind those that are loaded. */
    cv_f place = cv_min(position - (float)first, (cv_f)(CV_LANES - 0x1p-12f));
    cv_i index = cv_truncate(place);
    cv_f fraction = place - cv_to_float(index);
#else
    cv_i index = cv_truncate(position);
    cv_f fraction = position - cv_to_float(index);
    uint64_t pairs[2], i0, i1, i2, i3;
    memcpy(pairs, &index, sizeof pairs);
    cv_halves(pairs[0], &i0, &i1);
    cv_halves(pairs[1], &i2, &i3);
#endif
    for (int r = 0; r < 4; r++) {
        const float *row = rows + r * stride;
#if CV_LANES > 4
        cv_f a = cv_pick(cv_load(row + first), index), b = cv_pick(cv_load(row + first + 1), index);
#else
        cv_f2 p0, p1, p2, p3;
        memcpy(&p0, row + i0, sizeof p0);
        memcpy(&p1, row + i1, sizeof p1);
        memcpy(&p2, row + i2, sizeof p2);
        memcpy(&p3, row + i3, sizeof p3);
        cv_f4 lower = __builtin_shufflevector(p0, p1, 0, 1, 2, 3);
        cv_f4 upper = __builtin_shufflevector(p2, p3, 0, 1, 2, 3);
        cv_f a = __builtin_shufflevector(lower, upper, 0, 2, 4, 6),
             b = __builtin_shufflevector(lower, upper, 1, 3, 5, 7);
#endif
        cv_store(to[r], cv_fma(cv_fma(b - a, fraction, a), weight, cv_load(to[r])));
    }
}

/* Copies a number. A loop over this function stays a loop: the compiler would replace it by gather instructions. */
CV_INLINE void cv_move_number(float *to, const float *from) {
    float x = *from;
    __asm__ volatile("" ::: "memory");
    *to = x;
}

/* Counts up from x, by 1 from lane to lane. */
CV_INLINE cv_f cv_count_from(float x) {
    cv_f place;
    for (int k = 0; k < CV_LANES; k++)
        place[k] = (float)k;
    return place + x;
}

#endif
