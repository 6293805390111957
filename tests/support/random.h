/* Seeded random numbers for tests: the same on every machine. The seed comes from CLASHD_SEED if that is set, so that a
 * failure, which prints it, can be repeated. */
#ifndef CLASHD_TESTS_RANDOM_H
#define CLASHD_TESTS_RANDOM_H

#include <clash/math.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "support/exact.h"

typedef struct random_state {
    uint64_t s;
} random_state;

static inline uint64_t random_seed(uint64_t fallback)
{
    const char *text = getenv("CLASHD_SEED");

    return text ? strtoull(text, NULL, 0) : fallback;
}

/** Return on how many cases to try a property, at least one; CLASHD_CASES multiplies it. */
static inline long random_cases(long normal)
{
    const char *text = getenv("CLASHD_CASES");

    return text ? (long)fmax(1.0, (double)normal * strtod(text, NULL)) : normal;
}

/** Return what a count of things that happen in some of the cases must exceed: `normal`, or with fewer cases, where
 *  chance matters more, half of their share of it; with very few none at all may be enough. */
static inline long random_enough(long normal)
{
    const char *text = getenv("CLASHD_CASES");
    const double share = text ? strtod(text, NULL) : 1.0;

    return share < 1.0 ? (long)((double)normal * share / 2.0) - 1 : normal;
}

/** splitmix64 (G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom Number Generators", 2014). */
static inline uint64_t random_bits(random_state *r)
{
    uint64_t z = r->s += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/** Uniform in low..high. */
static inline double random_in(random_state *r, double low, double high)
{
    return low + (high - low) * (double)(random_bits(r) >> 11) * 0x1p-53;
}

static inline int random_below(random_state *r, int limit)
{
    return (int)(random_bits(r) % (uint64_t)limit);
}

static inline clash_vec3 random_box(random_state *r, double half)
{
    float x = (float)random_in(r, -half, half), y = (float)random_in(r, -half, half),
          z = (float)random_in(r, -half, half);

    return (clash_vec3){x, y, z};
}

/** Uniform on the unit sphere. */
static inline clash_vec3 random_direction(random_state *r)
{
    for (;;) {
        clash_vec3 v = random_box(r, 1.0);
        float length = sqrtf(v.x * v.x + v.y * v.y + v.z * v.z);

        if (length > 0.05f && length <= 1.0f)
            return (clash_vec3){v.x / length, v.y / length, v.z / length};
    }
}

static inline clash_quat random_turn(random_state *r, double max_angle)
{
    clash_vec3 k = random_direction(r);
    double s, c;

    exact_sincos(random_in(r, 0.0, max_angle) / 2.0, &s, &c);
    return (clash_quat){(float)(k.x * s), (float)(k.y * s), (float)(k.z * s), (float)c};
}

static inline clash_quat quat_times(clash_quat a, clash_quat b)
{
    return (clash_quat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z,
                        a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

#endif
