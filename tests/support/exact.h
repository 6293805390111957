/* Sine and cosine from basic operations only, for tests' inputs: the same bits in every build and with every C library,
 * which libm does not promise. Shares no code with libclash. */
#ifndef CLASHD_TESTS_EXACT_H
#define CLASHD_TESTS_EXACT_H

/** Any angle of a few turns, to about 1e-13: Taylor series of a 64th of the angle, then six doublings. */
static inline void exact_sincos(double angle, double *out_sin, double *out_cos)
{
    double x = angle / 64.0, y = x * x;
    double s = x * (1.0 - y / 6.0 * (1.0 - y / 20.0 * (1.0 - y / 42.0 * (1.0 - y / 72.0))));
    double v = y / 2.0 * (1.0 - y / 12.0 * (1.0 - y / 30.0 * (1.0 - y / 56.0 * (1.0 - y / 90.0)))); /* 1 - cos */

    for (int i = 0; i < 6; i++) {
        double sine = 2.0 * s * (1.0 - v);

        v = 2.0 * s * s;
        s = sine;
    }
    *out_sin = s;
    *out_cos = 1.0 - v;
}

/** 10^exponent for whole exponents. */
static inline double exact_power_of_ten(int exponent)
{
    double power = 1.0;

    for (int i = 0; i < exponent; i++)
        power *= 10.0;
    for (int i = 0; i > exponent; i--)
        power /= 10.0;
    return power;
}

#endif
