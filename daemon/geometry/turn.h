/* Two bodies' rotations at once, in lanes (a, a, b, b): prepare them from orientations, and compute sine and cosine of
 * their angles. Angles count from the middle of a motion, so they stay within pi/2 either way. */
#ifndef CLASH_GEOMETRY_TURN_H
#define CLASH_GEOMETRY_TURN_H

#include "f64x4.h"

/** Half angle from the middle, above which the long series is needed. */
#define TURN_SMALL 0.3

typedef struct f64x4_quat {
    f64x4 x, y, z, w;
} f64x4_quat;

/** Return factor times the angle with tangent z in 0..0.2. */
SIMD_INLINE f64x4 turn_arc_series(f64x4 z, f64x4 factor)
{
    /* 1/3 - y/5 + y^2/7 .. + y^10/23 - y^11/25, in three parts that are computed side by side (G. Estrin) */
    f64x4 y = z * z, y2 = y * y, y4 = y2 * y2;
    f64x4 low = (1.0 / 3.0 - y * (1.0 / 5.0)) + y2 * (1.0 / 7.0 - y * (1.0 / 9.0));
    f64x4 middle = (1.0 / 11.0 - y * (1.0 / 13.0)) + y2 * (1.0 / 15.0 - y * (1.0 / 17.0));
    f64x4 high = (1.0 / 19.0 - y * (1.0 / 21.0)) + y2 * (1.0 / 23.0 - y * (1.0 / 25.0));

    return factor * (z - z * y * (low + y4 * (middle + y4 * high)));
}

/** Return the angle in 0..pi/4 with tangent z in 0..1, per lane: arc tangent by halving the angle until the series is
 *  short. */
SIMD_INLINE f64x4 turn_arc_tangent(f64x4 z)
{
    f64x4 factor = f64x4_all(1.0);

    while (f64x4_most(z) > 0.2) {
        z = z / (1.0 + f64x4_sqrt(1.0 + z * z));
        factor = factor * 2.0;
    }
    return turn_arc_series(z, factor);
}

/** Coefficients of the Taylor series in y = x^2, without signs: of sine (over x) or cosine, after the leading 1. */
typedef struct turn_series {
    f64x4 term[10];
} turn_series;

/** The series if the terms above x^13 are below the last bit. */
SIMD_INLINE f64x4 turn_series_small(const turn_series *s, f64x4 y)
{
    const f64x4 *c = s->term;
    f64x4 y2 = y * y, y4 = y2 * y2, low = (1.0 - y * c[0]) + y2 * (c[1] - y * c[2]);

    return low + y4 * (c[3] - y * c[4] + y2 * c[5]);
}

/** The whole series, for up to pi/2. */
SIMD_INLINE f64x4 turn_series_whole(const turn_series *s, f64x4 y)
{
    const f64x4 *c = s->term;
    f64x4 y2 = y * y, y4 = y2 * y2, low = (1.0 - y * c[0]) + y2 * (c[1] - y * c[2]);
    f64x4 top = c[7] - y * c[8] + y2 * c[9];
    f64x4 high = c[3] - y * c[4] + y2 * (c[5] - y * c[6]);

    return low + y4 * (high + y4 * top);
}

/** The terms of two series alternately: sine's in lanes 0 and 2, cosine's in 1 and 3. */
#define TURN_TERM(s, c) ((f64x4){1.0 / (s), 1.0 / (c), 1.0 / (s), 1.0 / (c)})

#define TURN_SERIES(TERM)                                                                                           \
    {                                                                                                               \
        {                                                                                                           \
            TERM(6.0, 2.0), TERM(120.0, 24.0), TERM(5040.0, 720.0), TERM(362880.0, 40320.0),                        \
                TERM(39916800.0, 3628800.0), TERM(6227020800.0, 479001600.0), TERM(1307674368000.0, 87178291200.0), \
                TERM(355687428096000.0, 20922789888000.0), TERM(121645100408832000.0, 6402373705728000.0),          \
                TERM(51090942171709440000.0, 2432902008176640000.0)                                                 \
        }                                                                                                           \
    }

/** Return lanes (sin, cos, sin, cos) of x = (xa, xa, xb, xb), |x| <= pi/2: both Taylor series side by side. `small` if
 *  |x| <= TURN_SMALL in all lanes. */
SIMD_INLINE f64x4 turn_sin_cos(f64x4 x, int small)
{
    const turn_series series = TURN_SERIES(TURN_TERM);
    f64x4 y = x * x;

    return (small ? turn_series_small(&series, y) : turn_series_whole(&series, y)) * (f64x4){x[0], 1.0, x[2], 1.0};
}

#endif
