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

/** Angle in 0..pi/2 with tangent z in 0..1, per lane: arc tangent by halving the angle until the series is short. */
LANES_INLINE lanes turn_arc_tangent(lanes z)
{
    lanes factor = lanes_all(1.0), y, even, odd, y2;

    while (lanes_most(z) > 0.2) {
        z = z / (1.0 + lanes_sqrt(1.0 + z * z));
        factor = factor * 2.0;
    }
    y = z * z;
    y2 = y * y;
    /* 1/3 - y/5 + y^2/7 .. to y^11/25, even and odd powers apart so that they are computed side by side */
    even = 1.0 / 23.0 + 0.0 * y;
    odd = 1.0 / 25.0 + 0.0 * y;
    for (int n = 19; n >= 3; n -= 4) {
        even = even * y2 + 1.0 / (double)n;
        odd = odd * y2 + 1.0 / (double)(n + 2);
    }
    return factor * (z - z * y * (even - y * odd));
}

/** Lanes (sin, cos, sin, cos) of x = (xa, xa, xb, xb), |x| <= pi/2: both Taylor series side by side. `small` where
 *  |x| <= TURN_SMALL in all lanes: then six terms are exact to the last bit or so, else it takes eleven. */
LANES_INLINE lanes turn_sin_cos(lanes x, int small)
{
    static const double terms[11][2] = {
        {1.0, 1.0},
        {-1.0 / 6, -1.0 / 2},
        {1.0 / 120, 1.0 / 24},
        {-1.0 / 5040, -1.0 / 720},
        {1.0 / 362880, 1.0 / 40320},
        {-1.0 / 39916800, -1.0 / 3628800},
        {1.0 / 6227020800.0, 1.0 / 479001600},
        {-1.0 / 1307674368000.0, -1.0 / 87178291200.0},
        {1.0 / 355687428096000.0, 1.0 / 20922789888000.0},
        {-1.0 / 121645100408832000.0, -1.0 / 6402373705728000.0},
        {1.0 / 51090942171709440000.0, 1.0 / 2432902008176640000.0},
    };
    lanes y = x * x, sum = lanes_all(0.0);

    for (int i = small ? 6 : 10; i >= 0; i--)
        sum = sum * y + (lanes){terms[i][0], terms[i][1], terms[i][0], terms[i][1]};
    return sum * (lanes){x[0], 1.0, x[2], 1.0};
}

#endif
