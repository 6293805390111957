/* Four pairs in lanes: pair.h for the batch. There the lanes are the four ends of one pair; here each lane is a pair of
 * its own. Whole motions only. Every formula is that of pair.h, operation for operation, so that a batch gives the bits
 * of a single sweep. Pure. */
#ifndef CLASH_GEOMETRY_PAIR4_H
#define CLASH_GEOMETRY_PAIR4_H

#include <string.h>

#include "pair.h"

enum { FOUR = 4, ENDS = 4, BASE_A = 0, TIP_A, BASE_B, TIP_B };

/** Four bodies: lane i of each field is that of body i. */
typedef struct pair4_bodies {
    f64x4_vec base, tip;
    f64x4 radius;
    f64x4_quat from_turn, to_turn;
    f64x4_vec from, to;
} pair4_bodies;

/** As pair: the motions of four pairs over the interval. */
typedef struct pair4_pairs {
    f64x4_vec fixed[ENDS], across[ENDS], ahead[ENDS];
    f64x4 phase_a, phase_b, rate_a, rate_b;
    f64x4_vec origin, step, gap, gap_step;
    f64x4 jerk, tolerance;
    f64x4_mask small;
} pair4_pairs;

SIMD_INLINE bool pair4_any(f64x4_mask where)
{
#if defined(__AVX__)
    return _mm256_movemask_pd((__m256d)where) != 0;
#elif defined(F64X4_HALVES)
    return F64X4_BITS(where) != 0;
#else
    return (where[0] | where[1] | where[2] | where[3]) != 0;
#endif
}

SIMD_INLINE f64x4 pair4_length(f64x4_vec a)
{
    return f64x4_sqrt(f64x4_vec_dot(a, a));
}

SIMD_INLINE f64x4_vec pair4_choose(f64x4_mask where, f64x4_vec yes, f64x4_vec no)
{
    return (f64x4_vec){f64x4_choose(where, yes.x, no.x), f64x4_choose(where, yes.y, no.y),
                       f64x4_choose(where, yes.z, no.z)};
}

typedef float pair4_floats __attribute__((vector_size(16)));

/** Return floats `start` .. `start` + 3 of each of the bodies, field by field. */
SIMD_INLINE void pair4_columns(f64x4 out[4], const clash_body *const bodies[FOUR], size_t start)
{
    pair4_floats r[FOUR], low[2], high[2];

    for (int i = 0; i < FOUR; i++)
        memcpy(&r[i], (const char *)bodies[i] + start * sizeof(float), sizeof r[i]);
    for (size_t i = 0; i < 2; i++) {
        low[i] = __builtin_shufflevector(r[2 * i], r[2 * i + 1], 0, 4, 1, 5);
        high[i] = __builtin_shufflevector(r[2 * i], r[2 * i + 1], 2, 6, 3, 7);
    }
    out[0] = __builtin_convertvector(__builtin_shufflevector(low[0], low[1], 0, 1, 4, 5), f64x4);
    out[1] = __builtin_convertvector(__builtin_shufflevector(low[0], low[1], 2, 3, 6, 7), f64x4);
    out[2] = __builtin_convertvector(__builtin_shufflevector(high[0], high[1], 0, 1, 4, 5), f64x4);
    out[3] = __builtin_convertvector(__builtin_shufflevector(high[0], high[1], 2, 3, 6, 7), f64x4);
}

SIMD_INLINE void pair4_load(pair4_bodies *out, const clash_body *const bodies[FOUR])
{
    f64x4 f[21];

    _Static_assert(sizeof(clash_body) == 21 * sizeof(float), "a body is 21 floats without padding");
    for (size_t start = 0; start < 16; start += 4)
        pair4_columns(f + start, bodies, start);
    pair4_columns(f + 13, bodies, 13);
    pair4_columns(f + 17, bodies, 17);
    out->base = (f64x4_vec){f[0], f[1], f[2]};
    out->tip = (f64x4_vec){f[3], f[4], f[5]};
    out->radius = f[6];
    out->from_turn = (f64x4_quat){f[7], f[8], f[9], f[10]};
    out->from = (f64x4_vec){f[11], f[12], f[13]};
    out->to_turn = (f64x4_quat){f[14], f[15], f[16], f[17]};
    out->to = (f64x4_vec){f[18], f[19], f[20]};
}

SIMD_INLINE void pair4_rescale(f64x4_quat *q, f64x4 square, f64x4_mask tiny)
{
    f64x4 off = square - 1.0, scale = 1.0 + off * (0.375 * off - 0.5);

    if (pair4_any(~tiny))
        scale = f64x4_choose(tiny, scale, 1.0 / f64x4_sqrt(square));
    *q = (f64x4_quat){q->x * scale, q->y * scale, q->z * scale, q->w * scale};
}

/** As pair_orientations. */
SIMD_INLINE void pair4_normalise(pair4_bodies *a, pair4_bodies *b)
{
    f64x4_quat *q[4] = {&a->from_turn, &a->to_turn, &b->from_turn, &b->to_turn};
    f64x4 square[4];
    f64x4_mask tiny = {-1, -1, -1, -1};

    for (int i = 0; i < 4; i++) {
        square[i] = q[i]->x * q[i]->x + q[i]->y * q[i]->y + q[i]->z * q[i]->z + q[i]->w * q[i]->w;
        tiny = tiny & f64x4_less(square[i] - 1.0, f64x4_all(1e-5)) & f64x4_less(f64x4_all(-1e-5), square[i] - 1.0);
    }
    for (int i = 0; i < 4; i++)
        pair4_rescale(q[i], square[i], tiny);
}

/** Half way through pair_prepare_turning: one body's rotation. */
typedef struct pair4_turns {
    f64x4_vec axis, sum;
    f64x4 w, plus, minus;
} pair4_turns;

SIMD_INLINE pair4_turns pair4_turns_of(const pair4_bodies *body)
{
    f64x4_vec f = {body->from_turn.x, body->from_turn.y, body->from_turn.z};
    f64x4_vec t = {body->to_turn.x, body->to_turn.y, body->to_turn.z};
    f64x4 fw = body->from_turn.w, tw = body->to_turn.w;
    f64x4 sign =
        f64x4_choose(f64x4_less(f64x4_vec_dot(f, t) + fw * tw, f64x4_all(0.0)), f64x4_all(-1.0), f64x4_all(1.0));
    f64x4_vec sum, diff;
    f64x4 sine, per_sine;
    pair4_turns r;

    t = f64x4_vec_scale(t, sign);
    tw = tw * sign;
    sum = f64x4_vec_add(f, t);
    diff = f64x4_vec_sub(t, f);
    r.plus = f64x4_sqrt(f64x4_vec_dot(sum, sum) + (fw + tw) * (fw + tw));
    r.minus = f64x4_sqrt(f64x4_vec_dot(diff, diff) + (tw - fw) * (tw - fw));
    sine = 0.5 * r.plus * r.minus;
    per_sine = f64x4_choose(f64x4_less(f64x4_all(0.0), sine), 1.0 / sine, f64x4_all(0.0));
    r.axis = f64x4_vec_sub(f64x4_vec_scale(t, fw), f64x4_vec_scale(f, tw));
    r.axis = f64x4_vec_scale(f64x4_vec_sub(r.axis, f64x4_vec_cross(t, f)), per_sine);
    r.sum = sum;
    r.w = fw + tw;
    return r;
}

/** The other half: both arms of one body, ends `first` and `first` + 1. */
SIMD_INLINE void pair4_arms(pair4_pairs *p, int first, const pair4_turns *r, const pair4_bodies *body)
{
    f64x4 per_plus = 1.0 / r->plus, w = r->w * per_plus;
    f64x4_vec q = f64x4_vec_scale(r->sum, per_plus);

    for (int i = 0; i < 2; i++) {
        f64x4_vec arm = i ? body->tip : body->base;
        f64x4_vec cross = f64x4_vec_scale(f64x4_vec_cross(q, arm), f64x4_all(2.0));

        arm = f64x4_vec_add(f64x4_vec_mad(arm, cross, w), f64x4_vec_cross(q, cross));
        p->fixed[first + i] = f64x4_vec_scale(r->axis, f64x4_vec_dot(r->axis, arm));
        p->across[first + i] = f64x4_vec_sub(arm, p->fixed[first + i]);
        p->ahead[first + i] = f64x4_vec_cross(r->axis, arm);
    }
}

/** Like turn_arc_tangent of both, halving both as often as the larger one needs. */
SIMD_INLINE void pair4_arc_tangents(f64x4 *a, f64x4 *b)
{
    f64x4 factor = f64x4_all(1.0), *of[2] = {a, b};
    f64x4_mask large = f64x4_less(f64x4_all(0.2), f64x4_max(*a, *b));

    while (pair4_any(large)) {
        *a = f64x4_choose(large, *a / (1.0 + f64x4_sqrt(1.0 + *a * *a)), *a);
        *b = f64x4_choose(large, *b / (1.0 + f64x4_sqrt(1.0 + *b * *b)), *b);
        factor = f64x4_choose(large, factor * 2.0, factor);
        large = f64x4_less(f64x4_all(0.2), f64x4_max(*a, *b));
    }
    for (int i = 0; i < 2; i++)
        *of[i] = turn_arc_series(*of[i], factor);
}

SIMD_INLINE void pair4_prepare_turning(pair4_pairs *p, pair4_bodies *a, pair4_bodies *b)
{
    pair4_turns ra, rb;
    f64x4 angle_a, angle_b;

    pair4_normalise(a, b);
    ra = pair4_turns_of(a);
    rb = pair4_turns_of(b);
    angle_a = ra.minus / ra.plus;
    angle_b = rb.minus / rb.plus;
    pair4_arc_tangents(&angle_a, &angle_b);
    p->rate_a = 4.0 * angle_a;
    p->rate_b = 4.0 * angle_b;
    p->phase_a = p->rate_a * -0.5;
    p->phase_b = p->rate_b * -0.5;
    p->small = f64x4_at_most(f64x4_max(p->rate_a, p->rate_b), f64x4_all(2.0 * TURN_SMALL));
    pair4_arms(p, BASE_A, &ra, a);
    pair4_arms(p, BASE_B, &rb, b);
}

/** Return the longer of two arms: the root of the larger square is the larger of the roots, to the bit. */
SIMD_INLINE f64x4 pair4_swing(const f64x4_vec arms[2])
{
    return f64x4_sqrt(f64x4_max(f64x4_vec_dot(arms[0], arms[0]), f64x4_vec_dot(arms[1], arms[1])));
}

/** As dvec_sum. */
SIMD_INLINE f64x4 pair4_sum(f64x4_vec a)
{
    return f64x4_abs(a.x) + f64x4_abs(a.y) + f64x4_abs(a.z);
}

/** Like pair_prepare with whole spans; overwrites a and b. The products with zero are those of pair.h, for the sake of
 *  signs. */
SIMD_INLINE void pair4_prepare(pair4_pairs *p, pair4_bodies *a, pair4_bodies *b)
{
    f64x4_vec whole_a = f64x4_vec_sub(a->to, a->from), whole_b = f64x4_vec_sub(b->to, b->from);
    f64x4 none = f64x4_all(0.0), size[ENDS], swing_a, swing_b;

    pair4_prepare_turning(p, a, b);
    p->origin = f64x4_vec_mad(a->from, whole_a, none);
    p->step = f64x4_vec_scale(whole_a, f64x4_all(1.0));
    p->gap = f64x4_vec_mad(f64x4_vec_mad(f64x4_vec_sub(b->from, a->from), whole_b, none), whole_a, -none);
    p->gap_step = f64x4_vec_mad(f64x4_vec_scale(whole_b, f64x4_all(1.0)), whole_a, f64x4_all(-1.0));
    swing_a = p->rate_a * p->rate_a * pair4_swing(&p->across[BASE_A]);
    swing_b = p->rate_b * p->rate_b * pair4_swing(&p->across[BASE_B]);
    p->jerk = p->rate_a * swing_a + p->rate_b * swing_b;
    for (int i = 0; i < ENDS; i++)
        size[i] = pair4_sum(f64x4_vec_add(p->fixed[i], p->across[i]));
    p->tolerance = TOUCH_TOLERANCE +
                   TOUCH_ROUNDING * (f64x4_max(size[BASE_A], size[TIP_A]) + f64x4_max(size[BASE_B], size[TIP_B]) +
                                     pair4_sum(p->gap) + pair4_sum(p->gap_step));
}

#endif
