/* Rates as fractions, and times computed with them in 128 bits. Nothing here overflows: a result beyond the range of
 * times becomes the nearest time within it. */
#ifndef HDR_RATE_H
#define HDR_RATE_H

#include <gst/gst.h>

__extension__ typedef __int128 HdrWide;

/* A fraction in lowest terms of at most 62 bits each, with a denominator above 0. */
typedef struct {
    gint64 numerator, denominator;
} HdrRate;

/* An anchor: when the source shows source_time, the timebase shows time. */
typedef struct {
    GstClockTimeDiff time, source_time;
    HdrRate rate;
} HdrAnchor;

static inline gdouble hdr_rate_to_double(HdrRate rate) {
    return (gdouble)((long double)rate.numerator / (long double)rate.denominator);
}

/* The first convergent of the double's continued fraction whose value is that double. FALSE for what is no finite
 * number, and for magnitudes above 2^31 or below 2^-31. */
gboolean hdr_rate_from_double(gdouble value, HdrRate *rate);

/* A fraction in lowest terms. FALSE for a denominator of 0 and for terms of more than 62 bits. */
gboolean hdr_rate_from_fraction(gint64 numerator, gint64 denominator, HdrRate *rate);

/* A product of rates, for reading only; it is exact where its terms fit in 64 bits. */
typedef struct {
    long double numerator, denominator;
} HdrProduct;

static inline HdrProduct hdr_product(HdrProduct product, HdrRate rate) {
    return (HdrProduct){product.numerator * rate.numerator, product.denominator * rate.denominator};
}

static inline gdouble hdr_product_to_double(HdrProduct product) {
    return (gdouble)(product.numerator / product.denominator);
}

/* A number of ns as a time, limited to the range of times. */
GstClockTimeDiff hdr_time_clamped(HdrWide value);

/* interval * rate, rounded to the nearest ns, halves away from 0. */
HdrWide hdr_scaled(HdrWide interval, HdrRate rate);

GstClockTimeDiff hdr_anchor_time_at(const HdrAnchor *anchor, GstClockTimeDiff source_time);

/* The moment of the source that belongs to a time; with `reached`, the first moment at which the timebase has come to
 * that time in the direction of the rate. FALSE at rate 0. */
gboolean hdr_anchor_source_time(const HdrAnchor *anchor, GstClockTimeDiff time, gboolean reached,
                                GstClockTimeDiff *source_time);

#endif
