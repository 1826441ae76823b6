#include "rate.h"
#include <math.h>

/* An interval between two times has 64 bits and a sign, so that its product with a term of 62 bits fits. */
#define MOST (((HdrWide)1 << 62) - 1)

static HdrWide magnitude(HdrWide value) { return value < 0 ? -value : value; }

static HdrWide common_divisor(HdrWide a, HdrWide b) {
    while (b) {
        HdrWide rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

gboolean hdr_rate_from_double(gdouble value, HdrRate *rate) {
    gdouble size = fabs(value);
    if (!isfinite(value) || size > 0x1p31 || (size > 0 && size < 0x1p-31))
        return FALSE;
    if (size == 0) {
        *rate = (HdrRate){0, 1};
        return TRUE;
    }
    /* A double in this range is an integer of 53 bits over a power of 2 of at most 84. */
    int exponent;
    HdrWide upper = (HdrWide)ldexp(frexp(size, &exponent), 53), lower = 1;
    exponent -= 53;
    if (exponent >= 0)
        upper <<= exponent;
    else
        lower <<= -exponent;
    /* The convergents of the continued fraction. */
    HdrWide n = 1, d = 0, last_n = 0, last_d = 1;
    while (lower) {
        HdrWide whole = upper / lower, rest = upper % lower;
        if ((n > 0 && whole > (MOST - last_n) / n) || (d > 0 && whole > (MOST - last_d) / d))
            break;
        HdrWide next_n = whole * n + last_n, next_d = whole * d + last_d;
        last_n = n, last_d = d, n = next_n, d = next_d;
        if (hdr_rate_to_double((HdrRate){(gint64)n, (gint64)d}) == size)
            break;
        upper = lower;
        lower = rest;
    }
    *rate = (HdrRate){(gint64)(value < 0 ? -n : n), (gint64)d};
    return d > 0;
}

gboolean hdr_rate_from_fraction(gint64 numerator, gint64 denominator, HdrRate *rate) {
    if (denominator == 0)
        return FALSE;
    HdrWide n = numerator, d = denominator;
    if (d < 0)
        n = -n, d = -d;
    HdrWide divisor = common_divisor(magnitude(n), d);
    n /= divisor, d /= divisor;
    if (magnitude(n) > MOST || d > MOST)
        return FALSE;
    *rate = (HdrRate){(gint64)n, (gint64)d};
    return TRUE;
}

GstClockTimeDiff hdr_time_clamped(HdrWide value) {
    /* The least value of the type stands for no time. */
    return (GstClockTimeDiff)CLAMP(value, (HdrWide)-G_MAXINT64, (HdrWide)G_MAXINT64);
}

static HdrWide quotient(HdrWide upper, HdrWide lower) {
    HdrWide result = upper / lower, rest = magnitude(upper % lower);
    if (rest >= lower - rest)
        result += upper < 0 ? -1 : 1;
    return result;
}

HdrWide hdr_scaled(HdrWide interval, HdrRate rate) { return quotient(interval * rate.numerator, rate.denominator); }

GstClockTimeDiff hdr_anchor_time_at(const HdrAnchor *anchor, GstClockTimeDiff source_time) {
    return hdr_time_clamped(anchor->time + hdr_scaled((HdrWide)source_time - anchor->source_time, anchor->rate));
}

gboolean hdr_anchor_source_time(const HdrAnchor *anchor, GstClockTimeDiff time, gboolean reached,
                                GstClockTimeDiff *source_time) {
    if (anchor->rate.numerator == 0)
        return FALSE;
    gboolean is_backwards = anchor->rate.numerator < 0;
    HdrWide upper = ((HdrWide)time - anchor->time) * anchor->rate.denominator;
    HdrWide lower = magnitude(anchor->rate.numerator);
    if (is_backwards)
        upper = -upper;
    HdrWide interval = quotient(upper, lower);
    if (reached && interval * lower < upper)
        interval += 1;
    *source_time = hdr_time_clamped(anchor->source_time + interval);
    return TRUE;
}
