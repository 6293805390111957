/* The cheapest proof of "apart", for eight pairs that are far from each other: one quadratic form a pair, straight from the
 * bodies as they lie in memory. Pure.
 *
 * With f and t the vectors between the devices at both ends of the interval, they stay at least |f + t| / 2 - |t - f| / 2
 * apart, and the blades touch only if that is at most the sum of both reaches, both radii and the margin. By Cauchy's
 * inequality (x1 + x2 + ..)^2 <= x1^2 / w1 + x2^2 / w2 + .. for weights w that sum to 1, so they do not where
 *     |f + t|^2 / 4  >  |t - f|^2 / 4 / FAR_STEP + (reach_a^2 + reach_b^2) / FAR_REACH + ..
 * whose terms are all squares of what two rows of floats differ in or hold. A number that is not finite makes the sum NaN,
 * because even what does not count is multiplied by 0 and added. */
#ifndef CLASH_GEOMETRY_FAR_H
#define CLASH_GEOMETRY_FAR_H

#include "wide.h"

/* The weights: of half the displacement, each reach, each radius, and the margin. */
#define FAR_STEP 0.08f
#define FAR_REACH 0.44f
#define FAR_RADIUS 0.01f
#define FAR_MARGIN 0.02f
/* More than all that rounds: each term is off by a few 1e-7 of the terms' sizes. */
#define FAR_LESS (1.0f - 1e-5f)
#define FAR_MORE (1.0f + 1e-5f)

/** Rows of eight that overlap; the second and the third have quaternion and position of their pose in the same lanes:
 *  radius of the shape or z of the first position, then x y z w, then x y z. */
enum { FAR_SHAPE = 0, FAR_FROM = 6, FAR_TO = 13 };

LANES_INLINE wide far_row(const clash_body *body, size_t start)
{
    return *(const wide_in_memory *)((const float *)body + start);
}

/** What must not be zero and what must not be negative in all bodies looked at so far, as bits. */
typedef struct far_checks {
    wide_bits common, negative;
} far_checks;

/** The quadratic form, still to be summed over its lanes. */
LANES_INLINE wide far_form(const clash_body *a, const clash_body *b, far_checks *checks)
{
    const wide apart = {0, 0, 0, 0, 0, 0.25f * FAR_LESS, 0.25f * FAR_LESS, 0.25f * FAR_LESS};
    const wide step = {
        0, 0, 0, 0, 0, 0.25f * FAR_MORE / FAR_STEP, 0.25f * FAR_MORE / FAR_STEP, 0.25f * FAR_MORE / FAR_STEP};
    const wide shape = {FAR_MORE / FAR_REACH, FAR_MORE / FAR_REACH, FAR_MORE / FAR_REACH,  FAR_MORE / FAR_REACH,
                        FAR_MORE / FAR_REACH, FAR_MORE / FAR_REACH, FAR_MORE / FAR_RADIUS, 0};
    wide shape_a = far_row(a, FAR_SHAPE), from_a = far_row(a, FAR_FROM), to_a = far_row(a, FAR_TO);
    wide shape_b = far_row(b, FAR_SHAPE), from_b = far_row(b, FAR_FROM), to_b = far_row(b, FAR_TO);
    wide f = from_b - from_a, t = to_b - to_a, sum = f + t, difference = t - f;

    checks->common &= (wide_bits)from_a & (wide_bits)from_b & (wide_bits)to_a & (wide_bits)to_b;
    checks->negative |= (wide_bits)shape_a | (wide_bits)shape_b;
    return sum * sum * apart - difference * difference * step - (shape_a * shape_a + shape_b * shape_b) * shape;
}

/** Lanes 0, 2, 4, .. of a and b added to 1, 3, 5, ..: sums of a in lanes 0, 1, 4, 5, of b in the others. */
LANES_INLINE wide far_add_pairs(wide a, wide b)
{
    return WIDE_PAIR(a, b, 0, 2, 8, 10, 4, 6, 12, 14) + WIDE_PAIR(a, b, 1, 3, 9, 11, 5, 7, 13, 15);
}

/** Bit i of the result: pair i, going through its whole motions, stays further apart than the sum of its radii and the margin.
 *  0 where one of the bodies is not certain to be valid: then it takes a closer look to say which. `needed` is
 *  far_needed(margin). */
LANES_INLINE unsigned far_proves_apart(const clash_body *bodies, const uint32_t (*pairs)[2], float needed)
{
    far_checks checks = {wide_all_bits(0x7fffffff), wide_all_bits(0)};
    wide half[2];
    unsigned apart, nonzero, negative;

    _Static_assert(sizeof(clash_body) == (FAR_TO + WIDE) * sizeof(float), "a body is 21 floats without padding");
    for (size_t i = 0; i < 2; i++) {
        wide two[2];

        for (size_t k = 0; k < 2; k++) {
            const uint32_t(*p)[2] = pairs + 4 * i + 2 * k;
            wide first = far_form(&bodies[p[0][0]], &bodies[p[0][1]], &checks);

            two[k] = far_add_pairs(first, far_form(&bodies[p[1][0]], &bodies[p[1][1]], &checks));
        }
        half[i] = far_add_pairs(two[0], two[1]);
    }
    apart = wide_mask(WIDE_PAIR(half[0], half[1], 0, 1, 2, 3, 8, 9, 10, 11) +
                          WIDE_PAIR(half[0], half[1], 4, 5, 6, 7, 12, 13, 14, 15) >
                      needed);
    /* A component that has a bit in common in all quaternions is zero in none. */
    nonzero = wide_mask(checks.common != 0) & 0x1eu;
    negative = wide_mask(checks.negative < 0) & 0x40u;
    return nonzero && !negative ? apart : 0;
}

LANES_INLINE float far_needed(float margin)
{
    return margin * margin * (FAR_MORE / FAR_MARGIN) + 1e-30f;
}

#endif
