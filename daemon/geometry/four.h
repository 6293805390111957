/* Four pairs in lanes: pair.h for the batch. There the lanes hold the four ends of one pair; here each of them is a pair of its
 * own, and what pair.h computes once is computed here side by side. Whole motions only. Every formula is that of pair.h,
 * operation for operation, so that a batch gives the bits of a single sweep. Pure. */
#ifndef CLASH_GEOMETRY_FOUR_H
#define CLASH_GEOMETRY_FOUR_H

#include <string.h>

#include "pair.h"

enum { FOUR = 4, ENDS = 4, BASE_A = 0, TIP_A, BASE_B, TIP_B };

/** Four bodies: lane i of each field is that of body i. */
typedef struct four_bodies {
    lanes3 base, tip;
    lanes radius;
    lanes_quat from_turn, to_turn;
    lanes3 from, to;
} four_bodies;

/** As pair: the motions of four pairs over the interval. */
typedef struct four_pairs {
    lanes3 still[ENDS], across[ENDS], ahead[ENDS];
    lanes phase_a, phase_b, rate_a, rate_b;
    lanes3 origin, step, gap, gap_step;
    lanes jerk, tolerance;
    lanes_mask small;
} four_pairs;

LANES_INLINE bool four_any(lanes_mask where)
{
#if defined(__AVX__)
    return _mm256_movemask_pd((__m256d)where) != 0;
#else
    return (where[0] | where[1] | where[2] | where[3]) != 0;
#endif
}

LANES_INLINE lanes four_length(lanes3 a)
{
    return lanes_sqrt(lanes3_dot(a, a));
}

LANES_INLINE lanes3 four_choose(lanes_mask where, lanes3 yes, lanes3 no)
{
    return (lanes3){lanes_choose(where, yes.x, no.x), lanes_choose(where, yes.y, no.y),
                    lanes_choose(where, yes.z, no.z)};
}

typedef float four_floats __attribute__((vector_size(16)));

/** Floats `start` .. `start` + 3 of each of the bodies, field by field. */
LANES_INLINE void four_columns(lanes out[4], const clash_body *const bodies[FOUR], size_t start)
{
    four_floats r[FOUR], low[2], high[2];

    for (int i = 0; i < FOUR; i++)
        memcpy(&r[i], (const char *)bodies[i] + start * sizeof(float), sizeof r[i]);
    for (size_t i = 0; i < 2; i++) {
        low[i] = __builtin_shufflevector(r[2 * i], r[2 * i + 1], 0, 4, 1, 5);
        high[i] = __builtin_shufflevector(r[2 * i], r[2 * i + 1], 2, 6, 3, 7);
    }
    out[0] = __builtin_convertvector(__builtin_shufflevector(low[0], low[1], 0, 1, 4, 5), lanes);
    out[1] = __builtin_convertvector(__builtin_shufflevector(low[0], low[1], 2, 3, 6, 7), lanes);
    out[2] = __builtin_convertvector(__builtin_shufflevector(high[0], high[1], 0, 1, 4, 5), lanes);
    out[3] = __builtin_convertvector(__builtin_shufflevector(high[0], high[1], 2, 3, 6, 7), lanes);
}

LANES_INLINE void four_load(four_bodies *out, const clash_body *const bodies[FOUR])
{
    lanes f[21];

    _Static_assert(sizeof(clash_body) == 21 * sizeof(float), "a body is 21 floats without padding");
    for (size_t start = 0; start < 16; start += 4)
        four_columns(f + start, bodies, start);
    four_columns(f + 13, bodies, 13);
    four_columns(f + 17, bodies, 17);
    out->base = (lanes3){f[0], f[1], f[2]};
    out->tip = (lanes3){f[3], f[4], f[5]};
    out->radius = f[6];
    out->from_turn = (lanes_quat){f[7], f[8], f[9], f[10]};
    out->from = (lanes3){f[11], f[12], f[13]};
    out->to_turn = (lanes_quat){f[14], f[15], f[16], f[17]};
    out->to = (lanes3){f[18], f[19], f[20]};
}

LANES_INLINE void four_rescale(lanes_quat *q, lanes square, lanes_mask tiny)
{
    lanes off = square - 1.0, scale = 1.0 + off * (0.375 * off - 0.5);

    if (four_any(~tiny))
        scale = lanes_choose(tiny, scale, 1.0 / lanes_sqrt(square));
    *q = (lanes_quat){q->x * scale, q->y * scale, q->z * scale, q->w * scale};
}

/** As pair_orientations. */
LANES_INLINE void four_normalise(four_bodies *a, four_bodies *b)
{
    lanes_quat *q[4] = {&a->from_turn, &a->to_turn, &b->from_turn, &b->to_turn};
    lanes square[4];
    lanes_mask tiny = {-1, -1, -1, -1};

    for (int i = 0; i < 4; i++) {
        square[i] = q[i]->x * q[i]->x + q[i]->y * q[i]->y + q[i]->z * q[i]->z + q[i]->w * q[i]->w;
        tiny = tiny & (square[i] - 1.0 < 1e-5) & (square[i] - 1.0 > -1e-5);
    }
    for (int i = 0; i < 4; i++)
        four_rescale(q[i], square[i], tiny);
}

/** Half way through pair_prepare_turning: one body's rotation. */
typedef struct four_turns {
    lanes3 axis, sum;
    lanes w, plus, minus;
} four_turns;

LANES_INLINE four_turns four_turns_of(const four_bodies *body)
{
    lanes3 f = {body->from_turn.x, body->from_turn.y, body->from_turn.z};
    lanes3 t = {body->to_turn.x, body->to_turn.y, body->to_turn.z};
    lanes fw = body->from_turn.w, tw = body->to_turn.w;
    lanes sign = lanes_choose(lanes3_dot(f, t) + fw * tw < 0.0, lanes_all(-1.0), lanes_all(1.0));
    lanes3 sum, diff;
    lanes sine, per_sine;
    four_turns r;

    t = lanes3_scale(t, sign);
    tw = tw * sign;
    sum = lanes3_add(f, t);
    diff = lanes3_sub(t, f);
    r.plus = lanes_sqrt(lanes3_dot(sum, sum) + (fw + tw) * (fw + tw));
    r.minus = lanes_sqrt(lanes3_dot(diff, diff) + (tw - fw) * (tw - fw));
    sine = 0.5 * r.plus * r.minus;
    per_sine = lanes_choose(sine > 0.0, 1.0 / sine, lanes_all(0.0));
    r.axis = lanes3_sub(lanes3_scale(t, fw), lanes3_scale(f, tw));
    r.axis = lanes3_scale(lanes3_sub(r.axis, lanes3_cross(t, f)), per_sine);
    r.sum = sum;
    r.w = fw + tw;
    return r;
}

/** The other half: both arms of one body, ends `first` and `first` + 1. */
LANES_INLINE void four_arms(four_pairs *p, int first, const four_turns *r, const four_bodies *body)
{
    lanes per_plus = 1.0 / r->plus, w = r->w * per_plus;
    lanes3 q = lanes3_scale(r->sum, per_plus);

    for (int i = 0; i < 2; i++) {
        lanes3 arm = i ? body->tip : body->base;
        lanes3 cross = lanes3_scale(lanes3_cross(q, arm), lanes_all(2.0));

        arm = lanes3_add(lanes3_mad(arm, cross, w), lanes3_cross(q, cross));
        p->still[first + i] = lanes3_scale(r->axis, lanes3_dot(r->axis, arm));
        p->across[first + i] = lanes3_sub(arm, p->still[first + i]);
        p->ahead[first + i] = lanes3_cross(r->axis, arm);
    }
}

/** As turn_arc_tangent of both, which halves both as often as the larger one needs. */
LANES_INLINE void four_arc_tangents(lanes *a, lanes *b)
{
    lanes factor = lanes_all(1.0), *of[2] = {a, b};
    lanes_mask large = lanes_max(*a, *b) > 0.2;

    while (four_any(large)) {
        *a = lanes_choose(large, *a / (1.0 + lanes_sqrt(1.0 + *a * *a)), *a);
        *b = lanes_choose(large, *b / (1.0 + lanes_sqrt(1.0 + *b * *b)), *b);
        factor = lanes_choose(large, factor * 2.0, factor);
        large = lanes_max(*a, *b) > 0.2;
    }
    for (int i = 0; i < 2; i++)
        *of[i] = turn_arc_series(*of[i], factor);
}

LANES_INLINE void four_prepare_turning(four_pairs *p, four_bodies *a, four_bodies *b)
{
    four_turns ra, rb;
    lanes angle_a, angle_b;

    four_normalise(a, b);
    ra = four_turns_of(a);
    rb = four_turns_of(b);
    angle_a = ra.minus / ra.plus;
    angle_b = rb.minus / rb.plus;
    four_arc_tangents(&angle_a, &angle_b);
    p->rate_a = 4.0 * angle_a;
    p->rate_b = 4.0 * angle_b;
    p->phase_a = p->rate_a * -0.5;
    p->phase_b = p->rate_b * -0.5;
    p->small = lanes_max(p->rate_a, p->rate_b) <= 2.0 * TURN_SMALL;
    four_arms(p, BASE_A, &ra, a);
    four_arms(p, BASE_B, &rb, b);
}

/** The longer one of two arms: the root of the larger square is the larger of the roots, to the bit. */
LANES_INLINE lanes four_swing(const lanes3 arms[2])
{
    return lanes_sqrt(lanes_max(lanes3_dot(arms[0], arms[0]), lanes3_dot(arms[1], arms[1])));
}

/** As dvec_sum. */
LANES_INLINE lanes four_sum(lanes3 a)
{
    return lanes_abs(a.x) + lanes_abs(a.y) + lanes_abs(a.z);
}

/** As pair_prepare with whole spans; spoils a and b. The products with zero are those of pair.h, for the sake of signs. */
LANES_INLINE void four_prepare(four_pairs *p, four_bodies *a, four_bodies *b)
{
    lanes3 whole_a = lanes3_sub(a->to, a->from), whole_b = lanes3_sub(b->to, b->from);
    lanes none = lanes_all(0.0), size[ENDS], swing_a, swing_b;

    four_prepare_turning(p, a, b);
    p->origin = lanes3_mad(a->from, whole_a, none);
    p->step = lanes3_scale(whole_a, lanes_all(1.0));
    p->gap = lanes3_mad(lanes3_mad(lanes3_sub(b->from, a->from), whole_b, none), whole_a, -none);
    p->gap_step = lanes3_mad(lanes3_scale(whole_b, lanes_all(1.0)), whole_a, lanes_all(-1.0));
    swing_a = p->rate_a * p->rate_a * four_swing(&p->across[BASE_A]);
    swing_b = p->rate_b * p->rate_b * four_swing(&p->across[BASE_B]);
    p->jerk = p->rate_a * swing_a + p->rate_b * swing_b;
    for (int i = 0; i < ENDS; i++)
        size[i] = four_sum(lanes3_add(p->still[i], p->across[i]));
    p->tolerance = TOUCH_TOLERANCE +
                   TOUCH_ROUNDING * (lanes_max(size[BASE_A], size[TIP_A]) + lanes_max(size[BASE_B], size[TIP_B]) +
                                     four_sum(p->gap) + four_sum(p->gap_step));
}

#endif
