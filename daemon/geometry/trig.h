/* Sine, cosine and arc tangent from basic operations only. libm's differ in the last bit between C libraries and even
 * processors (code with fused multiply-add is chosen at run time); these give the same bits everywhere. */
#ifndef CLASH_GEOMETRY_TRIG_H
#define CLASH_GEOMETRY_TRIG_H

#include <math.h>

#define TRIG_PI 3.14159265358979323846
#define TRIG_HALF_PI 1.57079632679489661923
/* The rest of pi/2 and pi beyond double precision, so that the reduction below does not lose it. */
#define TRIG_HALF_PI_LOW 6.123233995736766e-17

/* Taylor series for |x| <= pi/4 + 0.02: the first term left out is below 1e-17. */
static inline double trig_sin_small(double x)
{
    double y = x * x;
    double p = -7.6471637318198164e-13; /* -1/15! */

    p = p * y + 1.6059043836821613e-10;
    p = p * y - 2.5052108385441720e-08;
    p = p * y + 2.7557319223985893e-06;
    p = p * y - 1.9841269841269841e-04;
    p = p * y + 8.3333333333333332e-03;
    p = p * y - 1.6666666666666666e-01;
    return x + x * y * p;
}

static inline double trig_cos_small(double x)
{
    double y = x * x;
    double p = 4.7794773323873853e-14; /* 1/16! */

    p = p * y - 1.1470745597729725e-11;
    p = p * y + 2.0876756987868100e-09;
    p = p * y - 2.7557319223985888e-07;
    p = p * y + 2.4801587301587302e-05;
    p = p * y - 1.3888888888888889e-03;
    p = p * y + 4.1666666666666664e-02;
    return 1.0 - y * (0.5 - y * p);
}

/** Return sine and cosine of x in [0, pi]; exactly 0 and 1 at 0. */
static inline void trig_sincos(double x, double *out_sin, double *out_cos)
{
    if (x <= 0.8) {
        *out_sin = trig_sin_small(x);
        *out_cos = trig_cos_small(x);
    } else if (x <= TRIG_PI - 0.8) {
        double y = (TRIG_HALF_PI - x) + TRIG_HALF_PI_LOW;

        *out_sin = trig_cos_small(y);
        *out_cos = trig_sin_small(y);
    } else {
        double y = (TRIG_PI - x) + 2.0 * TRIG_HALF_PI_LOW;

        *out_sin = trig_sin_small(y);
        *out_cos = -trig_cos_small(y);
    }
}

/** Return the angle in [0, pi/2] whose tangent is s / c, for s >= 0 and c >= 0, not both 0. */
static inline double trig_angle(double s, double c)
{
    /* tan(x/2) = s / (c + |(s, c)|) is in 0..1; halve again until the series is short */
    double z = s / (c + sqrt(s * s + c * c));
    double factor = 2.0;
    double y, p;

    while (z > 0.2) {
        z = z / (1.0 + sqrt(1.0 + z * z));
        factor *= 2.0;
    }
    y = z * z;
    p = 1.0 / 25.0;
    p = p * y - 1.0 / 23.0;
    p = p * y + 1.0 / 21.0;
    p = p * y - 1.0 / 19.0;
    p = p * y + 1.0 / 17.0;
    p = p * y - 1.0 / 15.0;
    p = p * y + 1.0 / 13.0;
    p = p * y - 1.0 / 11.0;
    p = p * y + 1.0 / 9.0;
    p = p * y - 1.0 / 7.0;
    p = p * y + 1.0 / 5.0;
    p = p * y - 1.0 / 3.0;
    return factor * (z + z * y * p);
}

#endif
