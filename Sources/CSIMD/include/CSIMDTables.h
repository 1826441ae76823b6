/* Tables in registers and in memory. Part of CSIMD.h. */
#ifndef CSIMD_TABLES_H
#define CSIMD_TABLES_H

/* ---- in registers: as many entries as lanes; an index is taken modulo that number */

#if CV_LANES == 16
CV_INLINE cv_f cv_pick(cv_f table, cv_i index) { return _mm512_permutexvar_ps((__m512i)index, table); }
/* Picks entries of two tables by the lowest five bits of the index. */
CV_INLINE cv_f cv_pick2(cv_f table, cv_f second, cv_i index) {
    return _mm512_permutex2var_ps(table, (__m512i)index, second);
}
/* The index into a pair of tables. */
CV_INLINE cv_i cv_pair_index(cv_i index, cv_f x, cv_f knot) {
    index = index & 15;
    return (cv_i)_mm512_mask_add_epi32((__m512i)index, _mm512_cmp_ps_mask(x, knot, _CMP_GE_OQ), (__m512i)index,
                                       _mm512_set1_epi32(16));
}
#elif CV_LANES == 8
CV_INLINE cv_f cv_pick(cv_f table, cv_i index) { return _mm256_permutevar8x32_ps(table, (__m256i)index); }
/* The sign of the index selects the table. */
CV_INLINE cv_f cv_pick2(cv_f table, cv_f second, cv_i index) {
    return _mm256_blendv_ps(cv_pick(table, index), cv_pick(second, index), (__m256)index);
}
CV_INLINE cv_i cv_pair_index(cv_i index, cv_f x, cv_f knot) { return (index & 7) | ((x >= knot) & (cv_i)0x80000000); }
#else
CV_INLINE cv_f cv_pick(cv_f table, cv_i index) {
    (void)index;
    return table;
}
CV_INLINE cv_f cv_pick2(cv_f table, cv_f second, cv_i index) {
    (void)second;
    (void)index;
    return table;
}
CV_INLINE cv_i cv_pair_index(cv_i index, cv_f x, cv_f knot) {
    (void)x;
    (void)knot;
    return index;
}
#endif

/* ---- in memory: lines a + b * x, as pairs of a and b */

typedef float cv_f2 __attribute__((ext_vector_type(2)));
typedef float cv_f4 __attribute__((ext_vector_type(4)));

/* Splits a word of two indices into its halves. Each is a register that an address uses as it is: if the compiler knew
 * their origin, it would mask and shift both once more. */
CV_INLINE void cv_halves(uint64_t pair, uint64_t *low, uint64_t *high) {
    *low = (uint32_t)pair;
    *high = pair >> 32;
    __asm__("" : "+r"(*low), "+r"(*high));
}

/* Loads four pairs. The indices come two in each 64-bit word, which takes fewer moves out of the vector registers than
 * one at a time. */
CV_INLINE void cv_pairs(const float *table, uint64_t i01, uint64_t i23, cv_f4 *first, cv_f4 *second) {
    cv_f2 p0, p1, p2, p3;
    uint64_t i0, i1, i2, i3;
    cv_halves(i01, &i0, &i1);
    cv_halves(i23, &i2, &i3);
    memcpy(&p0, table + 2 * i0, sizeof p0);
    memcpy(&p1, table + 2 * i1, sizeof p1);
    memcpy(&p2, table + 2 * i2, sizeof p2);
    memcpy(&p3, table + 2 * i3, sizeof p3);
    cv_f4 lower = __builtin_shufflevector(p0, p1, 0, 1, 2, 3);
    cv_f4 upper = __builtin_shufflevector(p2, p3, 0, 1, 2, 3);
    *first = __builtin_shufflevector(lower, upper, 0, 2, 4, 6);
    *second = __builtin_shufflevector(lower, upper, 1, 3, 5, 7);
}

CV_INLINE cv_f cv_line(const float *table, cv_i index, cv_f x) {
    uint64_t i[CV_LANES / 2];
    memcpy(i, &index, sizeof i);
    cv_f4 a[CV_LANES / 4], b[CV_LANES / 4];
    for (int k = 0; k < CV_LANES / 4; k++)
        cv_pairs(table, i[2 * k], i[2 * k + 1], &a[k], &b[k]);
    cv_f intercept, slope;
    memcpy(&intercept, a, sizeof intercept);
    memcpy(&slope, b, sizeof slope);
    return cv_fma(x, slope, intercept);
}

/* ---- in memory: cells of 32 bits */

/* Replaces the numbers of cells in a row of whole vectors by the cells. Both are moved two in each 64-bit word; gather
 * instructions take longer, here and where a vector's cells are put together one by one. */
CV_INLINE void cv_look_up(float *row, const uint32_t *cells, intptr_t count) {
    for (intptr_t i = 0; i < count; i += 2) {
        uint64_t pair, low, high;
        memcpy(&pair, row + i, sizeof pair);
        cv_halves(pair, &low, &high);
        pair = cells[low] | (uint64_t)cells[high] << 32;
        memcpy(row + i, &pair, sizeof pair);
    }
}

#endif
