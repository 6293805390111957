/* Two bodies' rotations at once, in lanes (a, a, b, b): preparing them from orientations, and sine and cosine of where
 * they stand. Angles count from the middle of a motion, so they stay within half a turn, pi/2 either way. */
#ifndef CLASH_GEOMETRY_TURN_H
#define CLASH_GEOMETRY_TURN_H

#include "lanes.h"

/** Half angle from the middle, above which the long series is taken. */
#define TURN_SMALL 0.3

typedef struct lanes_quat {
    lanes x, y, z, w;
} lanes_quat;

/** Angle in 0..pi/4 with tangent z in 0..1, per lane: arc tangent by halving the angle until the series is short. */
LANES_INLINE lanes turn_arc_tangent(lanes z)
{
    lanes factor = lanes_all(1.0), y, y2, y4, low, middle, high;

    while (lanes_most(z) > 0.2) {
        z = z / (1.0 + lanes_sqrt(1.0 + z * z));
        factor = factor * 2.0;
    }
    /* 1/3 - y/5 + y^2/7 .. + y^10/23 - y^11/25, in three parts that are computed side by side (G. Estrin) */
    y = z * z;
    y2 = y * y;
    y4 = y2 * y2;
    low = (1.0 / 3.0 - y * (1.0 / 5.0)) + y2 * (1.0 / 7.0 - y * (1.0 / 9.0));
    middle = (1.0 / 11.0 - y * (1.0 / 13.0)) + y2 * (1.0 / 15.0 - y * (1.0 / 17.0));
    high = (1.0 / 19.0 - y * (1.0 / 21.0)) + y2 * (1.0 / 23.0 - y * (1.0 / 25.0));
    return factor * (z - z * y * (low + y4 * (middle + y4 * high)));
}

/** Term pairs of the two series: sine's in lanes 0 and 2, cosine's in 1 and 3. */
#define TURN_TERM(s, c) ((lanes){1.0 / (s), 1.0 / (c), 1.0 / (s), 1.0 / (c)})

/** Lanes (sin, cos, sin, cos) of x = (xa, xa, xb, xb), |x| <= pi/2: both Taylor series side by side. `small` where
 *  |x| <= TURN_SMALL in all lanes: then the terms above x^13 are below the last bit. */
LANES_INLINE lanes turn_sin_cos(lanes x, int small)
{
    lanes y = x * x, y2 = y * y, y4 = y2 * y2;
    lanes low = (1.0 - y * TURN_TERM(6.0, 2.0)) + y2 * (TURN_TERM(120.0, 24.0) - y * TURN_TERM(5040.0, 720.0));
    lanes high = TURN_TERM(362880.0, 40320.0) - y * TURN_TERM(39916800.0, 3628800.0);

    if (small) {
        high = high + y2 * TURN_TERM(6227020800.0, 479001600.0);
    } else {
        lanes top = TURN_TERM(355687428096000.0, 20922789888000.0) -
                    y * TURN_TERM(121645100408832000.0, 6402373705728000.0) +
                    y2 * TURN_TERM(51090942171709440000.0, 2432902008176640000.0);

        high = high + y2 * (TURN_TERM(6227020800.0, 479001600.0) - y * TURN_TERM(1307674368000.0, 87178291200.0));
        high = high + y4 * top;
    }
    return (low + y4 * high) * (lanes){x[0], 1.0, x[2], 1.0};
}

#endif
