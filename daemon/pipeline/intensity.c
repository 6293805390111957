/* Why a logarithm: blades meet at between 0.2 and 150 m/s, and eye and ear compare ratios, not differences. PROTOCOL.md
 * has the measurements. See intensity.h. */
#include "pipeline/intensity.h"

#define LN_2 0.69314718055994530942
#define LN_101 4.61512051684125945088
#define STEEPNESS 100.0

/* Return ln u for 1 <= u <= 101. With z = (m - 1) / (m + 1), ln m = 2 artanh z = 2 (z + z^3/3 + z^5/5 + ..). Since m is
 * below 2, z is at most 1/3 and the terms left out are below 2^-53 of the first. */
static double logarithm(double u)
{
    double whole = 0.0, sum = 0.0, z, square, power;

    while (u >= 2.0) {
        u *= 0.5;
        whole += LN_2;
    }
    z = (u - 1.0) / (u + 1.0);
    square = z * z;
    power = z;
    for (int odd = 1; odd <= 33; odd += 2) {
        sum += power / (double)odd;
        power *= square;
    }
    return whole + 2.0 * sum;
}

float intensity_of(double closing_speed, float full_speed, pipeline_intensity_curve curve)
{
    double share = closing_speed / (double)full_speed;

    if (share >= 1.0)
        return 1.0f;
    if (!(share > 0.0))
        return 0.0f;
    if (curve == PIPELINE_INTENSITY_LINEAR)
        return (float)share;
    return (float)(logarithm(1.0 + STEEPNESS * share) / LN_101);
}
