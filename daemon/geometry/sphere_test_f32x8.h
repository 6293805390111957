/* The cheapest proof of "apart", for eight pairs that are far from each other: one quadratic form a pair, straight from the
 * bodies as they lie in memory. Pure.
 *
 * With f and t the vectors between the devices at both ends of the interval, they stay at least |f + t| / 2 - |t - f| / 2
 * apart, and the blades touch only if that is at most the sum of both reaches, both radii and the margin. By Cauchy's
 * inequality (x1 + x2 + ..)^2 <= x1^2 / w1 + x2^2 / w2 + .. for weights w that sum to 1, so they do not if
 *     |f + t|^2 / 4  >  |t - f|^2 / 4 / SPHERES_STEP + (reach_a^2 + reach_b^2) / SPHERES_REACH + ..
 * whose terms are all squares of what two rows of floats differ in or hold. A number that is not finite makes the sum NaN,
 * because even what does not count is multiplied by 0 and added. */
#ifndef CLASH_GEOMETRY_SPHERE_TEST_F32X8_H
#define CLASH_GEOMETRY_SPHERE_TEST_F32X8_H

#include "f32x8.h"
#include "separation_test.h"

/* The weights: of half the displacement, each reach, each radius, and the margin. */
#define SPHERES_STEP 0.08f
#define SPHERES_REACH 0.44f
#define SPHERES_RADIUS 0.01f
#define SPHERES_MARGIN 0.02f
/* Less than 1 by more than all rounding: each term is off by a few 1e-7 of the terms' sizes. */
#define SPHERES_LESS (1.0f - 1e-5f)
#define SPHERES_MORE (1.0f + 1e-5f)
#define SPHERES_FORM_MAX 3e38f

/** Rows of eight floats, which overlap. The second and third hold quaternion and position of their pose in the same
 *  lanes: radius of the shape or z of the first position, then x y z w, then x y z. */
enum { SPHERES_SHAPE = 0, SPHERES_FROM = 6, SPHERES_TO = 13 };

SIMD_INLINE f32x8 spheres_row(const clash_body *body, size_t start)
{
    return *(const f32x8_in_memory *)((const float *)body + start);
}

/** What must not be zero and what must not be negative in all bodies so far, as bits. */
typedef struct spheres_checks {
    i32x8 common, negative;
} spheres_checks;

/** Return the quadratic form, not yet summed over its lanes. */
SIMD_INLINE f32x8 spheres_form(const clash_body *a, const clash_body *b, spheres_checks *checks)
{
    const f32x8 apart = {0, 0, 0, 0, 0, 0.25f * SPHERES_LESS, 0.25f * SPHERES_LESS, 0.25f * SPHERES_LESS};
    const f32x8 step = {0,
                        0,
                        0,
                        0,
                        0,
                        0.25f * SPHERES_MORE / SPHERES_STEP,
                        0.25f * SPHERES_MORE / SPHERES_STEP,
                        0.25f * SPHERES_MORE / SPHERES_STEP};
    const f32x8 shape = {SPHERES_MORE / SPHERES_REACH,  SPHERES_MORE / SPHERES_REACH,
                         SPHERES_MORE / SPHERES_REACH,  SPHERES_MORE / SPHERES_REACH,
                         SPHERES_MORE / SPHERES_REACH,  SPHERES_MORE / SPHERES_REACH,
                         SPHERES_MORE / SPHERES_RADIUS, 0};
    f32x8 shape_a = spheres_row(a, SPHERES_SHAPE), from_a = spheres_row(a, SPHERES_FROM),
          to_a = spheres_row(a, SPHERES_TO);
    f32x8 shape_b = spheres_row(b, SPHERES_SHAPE), from_b = spheres_row(b, SPHERES_FROM),
          to_b = spheres_row(b, SPHERES_TO);
    f32x8 f = from_b - from_a, t = to_b - to_a, sum = f + t, difference = t - f;

    checks->common &= (i32x8)from_a & (i32x8)from_b & (i32x8)to_a & (i32x8)to_b;
    checks->negative |= (i32x8)shape_a | (i32x8)shape_b;
    return sum * sum * apart - difference * difference * step - (shape_a * shape_a + shape_b * shape_b) * shape;
}

/** Add lanes 0, 2, 4, .. of a and b to 1, 3, 5, ..: sums of a in lanes 0, 1, 4, 5, of b in the others. */
SIMD_INLINE f32x8 spheres_add_pairs(f32x8 a, f32x8 b)
{
    return F32X8_PAIR(a, b, 0, 2, 8, 10, 4, 6, 12, 14) + F32X8_PAIR(a, b, 1, 3, 9, 11, 5, 7, 13, 15);
}

/** Return bits: bit i is set if pair i, going through its whole motions, stays further apart than the sum of its radii
 *  and the margin. Returns 0 if one of the bodies may be invalid: then examine them one by one. `needed` is
 *  spheres_needed(margin). */
SIMD_INLINE unsigned spheres_proves_apart(const clash_body *bodies, const uint32_t (*pairs)[2], float needed)
{
    spheres_checks checks = {f32x8_all_bits(0x7fffffff), f32x8_all_bits(0)};
    f32x8 half[2], form;
    unsigned apart, nonzero, negative;

    _Static_assert(sizeof(clash_body) == (SPHERES_TO + F32X8) * sizeof(float), "a body is 21 floats without padding");
    for (size_t i = 0; i < 2; i++) {
        f32x8 two[2];

        for (size_t k = 0; k < 2; k++) {
            const uint32_t(*p)[2] = pairs + 4 * i + 2 * k;
            f32x8 first = spheres_form(&bodies[p[0][0]], &bodies[p[0][1]], &checks);

            two[k] = spheres_add_pairs(first, spheres_form(&bodies[p[1][0]], &bodies[p[1][1]], &checks));
        }
        half[i] = spheres_add_pairs(two[0], two[1]);
    }
    form = F32X8_PAIR(half[0], half[1], 0, 1, 2, 3, 8, 9, 10, 11) +
           F32X8_PAIR(half[0], half[1], 4, 5, 6, 7, 12, 13, 14, 15);
    /* A form beyond the range of float proves nothing: what is subtracted from it may be nearly as large. */
    apart = f32x8_mask(f32x8_less(f32x8_all(needed), form) & f32x8_less(form, f32x8_all(SPHERES_FORM_MAX)));
    /* if all quaternions have a bit of a component in common, that component is zero in none */
    nonzero = f32x8_mask(checks.common != 0) & 0x1eu;
    negative = f32x8_mask(checks.negative < 0) & 0x40u;
    return nonzero && !negative ? apart : 0;
}

SIMD_INLINE float spheres_needed(float margin)
{
    float least = margin + SEPARATION_TOLERANCE;

    return least * least * (SPHERES_MORE / SPHERES_MARGIN);
}

#endif
