/* Two bodies' rigid motions over one interval, prepared once, and their state at any time of it. Times are x in 0..1 of the
 * interval. The four ends of the two axes go side by side in lanes: (a base, a tip, b base, b tip), all relative to a's
 * origin, so that being far from the stage's origin costs no precision. Pure. */
#ifndef CLASH_GEOMETRY_PAIR_H
#define CLASH_GEOMETRY_PAIR_H

#include <clash/time_of_impact.h>

#include "closest.h"
#include "turn.h"

/* Touching: 1 nm, plus the uncertainty by rounding for large or distant things. */
#define TOUCH_TOLERANCE 1e-9
#define TOUCH_ROUNDING 5.7e-15 /* of sum norms, so at most 1e-14 of the lengths */

typedef struct pair {
    f64x4_vec fixed, across,
        ahead;          /* an end is at still + cos(phase) across + sin(phase) ahead from its device's origin */
    f64x4 phase, rate;  /* phase = phase + rate x, radians; counted from the middle of the whole motion */
    dvec origin, step;  /* a's origin at x = 0 and its displacement, stage, m */
    dvec gap, gap_step; /* from a's origin to b's, m */
    double bend;        /* bound on the relative acceleration of any two points, m per unit of x squared */
    double jerk;        /* bound on its derivative, m per unit of x cubed */
    double tolerance;   /* what counts as touching, m */
    int small;          /* see turn_sin_cos */
} pair;

/** Everything about the pair at one time. */
typedef struct pair_state {
    f64x4_vec ends, rates, bends; /* m, and their first and second derivatives by x */
    dvec u, v;                    /* the axes, tip - base */
    closest near;
    double distance;
} pair_state;

SIMD_INLINE f64x4 pair_first_of(f64x4 q)
{
    return (f64x4){q[0], q[0], q[2], q[2]};
}

SIMD_INLINE f64x4 pair_second_of(f64x4 q)
{
    return (f64x4){q[1], q[1], q[3], q[3]};
}

/** The orientations, normalised: lanes (a from, a to, b from, b to). */
SIMD_INLINE f64x4_quat pair_orientations(const clash_motion *a, const clash_motion *b)
{
    const clash_quat *p = &a->from.orientation, *q = &a->to.orientation;
    const clash_quat *r = &b->from.orientation, *s = &b->to.orientation;
    f64x4_quat o = {{(double)p->x, (double)q->x, (double)r->x, (double)s->x},
                    {(double)p->y, (double)q->y, (double)r->y, (double)s->y},
                    {(double)p->z, (double)q->z, (double)r->z, (double)s->z},
                    {(double)p->w, (double)q->w, (double)r->w, (double)s->w}};
    f64x4 square = o.x * o.x + o.y * o.y + o.z * o.z + o.w * o.w, off = square - 1.0, scale;

    /* Samples are of unit length except for float rounding: three terms of 1 / sqrt(1 + off) are then exact to the last
     * bit. */
    if (f64x4_most(off) < 1e-5 && f64x4_least(off) > -1e-5)
        scale = 1.0 + off * (0.375 * off - 0.5);
    else
        scale = 1.0 / f64x4_sqrt(square);
    return (f64x4_quat){o.x * scale, o.y * scale, o.z * scale, o.w * scale};
}

/** How two devices turn, in lanes (a, a, b, b): orientation in the middle of the whole motion (vector part and w), axis (0
 *  if there is no turning) and whole angle. */
typedef struct pair_turns {
    f64x4_vec middle;
    f64x4 middle_w;
    f64x4_vec axis;
    f64x4 angle;
} pair_turns;

/** With from f and to t (the nearer of t and -t), |t - f| = 2 sin(angle / 4) and |t + f| = 2 cos(angle / 4): accurate
 *  however small the angle. */
SIMD_INLINE pair_turns pair_turns_of(const clash_motion *a, const clash_motion *b)
{
    f64x4_quat o = pair_orientations(a, b);
    f64x4_vec f = {pair_first_of(o.x), pair_first_of(o.y), pair_first_of(o.z)};
    f64x4_vec t = {pair_second_of(o.x), pair_second_of(o.y), pair_second_of(o.z)};
    f64x4 fw = pair_first_of(o.w), tw = pair_second_of(o.w);
    f64x4 sign =
        f64x4_choose(f64x4_less(f64x4_vec_dot(f, t) + fw * tw, f64x4_all(0.0)), f64x4_all(-1.0), f64x4_all(1.0));
    f64x4_vec sum, diff, axis;
    f64x4 plus, minus, sine, per_sine, per_plus;

    t = f64x4_vec_scale(t, sign);
    tw = tw * sign;
    sum = f64x4_vec_add(f, t);
    diff = f64x4_vec_sub(t, f);
    plus = f64x4_sqrt(f64x4_vec_dot(sum, sum) + (fw + tw) * (fw + tw));
    minus = f64x4_sqrt(f64x4_vec_dot(diff, diff) + (tw - fw) * (tw - fw));
    sine = 0.5 * plus * minus;
    per_sine = f64x4_choose(f64x4_less(f64x4_all(0.0), sine), 1.0 / sine, f64x4_all(0.0));
    axis = f64x4_vec_sub(f64x4_vec_scale(t, fw), f64x4_vec_scale(f, tw));
    per_plus = 1.0 / plus;
    return (pair_turns){.middle = f64x4_vec_scale(sum, per_plus),
                        .middle_w = (fw + tw) * per_plus,
                        .axis = f64x4_vec_scale(f64x4_vec_sub(axis, f64x4_vec_cross(t, f)), per_sine),
                        .angle = 4.0 * turn_arc_tangent(minus / plus)};
}

/** Return vectors turned by the middle orientations, each by its lane's. */
SIMD_INLINE f64x4_vec pair_turned(const pair_turns *turns, f64x4_vec v)
{
    f64x4_vec cross = f64x4_vec_scale(f64x4_vec_cross(turns->middle, v), f64x4_all(2.0));

    return f64x4_vec_add(f64x4_vec_mad(v, cross, turns->middle_w), f64x4_vec_cross(turns->middle, cross));
}

/** Split the arms of the four ends, at the middle of the motion, into what the rotation keeps and what it turns;
 *  out_angle gets the whole angles. */
SIMD_INLINE void pair_prepare_turning(pair *p, const clash_body *a, const clash_body *b, f64x4 *out_angle)
{
    pair_turns turns = pair_turns_of(&a->motion, &b->motion);
    f64x4_vec arm = f64x4_vec_of(dvec_from(a->shape.base), dvec_from(a->shape.tip), dvec_from(b->shape.base),
                                 dvec_from(b->shape.tip));

    arm = pair_turned(&turns, arm);
    p->fixed = f64x4_vec_scale(turns.axis, f64x4_vec_dot(turns.axis, arm));
    p->across = f64x4_vec_sub(arm, p->fixed);
    p->ahead = f64x4_vec_cross(turns.axis, arm);
    *out_angle = turns.angle;
}

/** Prepare a pair; bodies and spans must be valid. */
SIMD_INLINE void pair_prepare(pair *p, const clash_body *a, clash_span span_a, const clash_body *b, clash_span span_b)
{
    double width_a = span_a.to - span_a.from, width_b = span_b.to - span_b.from;
    dvec from_a = dvec_from(a->motion.from.position), from_b = dvec_from(b->motion.from.position);
    dvec whole_a = dvec_sub(dvec_from(a->motion.to.position), from_a);
    dvec whole_b = dvec_sub(dvec_from(b->motion.to.position), from_b);
    dvec gap = dvec_sub(from_b, from_a);
    f64x4 angle, swing, size;
    double swing_a, swing_b;

    pair_prepare_turning(p, a, b, &angle);
    p->phase = angle * (f64x4){span_a.from - 0.5, span_a.from - 0.5, span_b.from - 0.5, span_b.from - 0.5};
    p->rate = angle * (f64x4){width_a, width_a, width_b, width_b};
    p->small = f64x4_most(angle) <= 2.0 * TURN_SMALL;
    p->origin = dvec_add_scaled(from_a, whole_a, span_a.from);
    p->step = dvec_scale(whole_a, width_a);
    p->gap = dvec_add_scaled(dvec_add_scaled(gap, whole_b, span_b.from), whole_a, -span_a.from);
    p->gap_step = dvec_add_scaled(dvec_scale(whole_b, width_b), whole_a, -width_a);
    /* The origins move on straight lines, so only turning accelerates: rate squared times distance from the axis. */
    swing = f64x4_sqrt(f64x4_vec_dot(p->across, p->across));
    swing_a = p->rate[0] * p->rate[0] * max_of(swing[0], swing[1]);
    swing_b = p->rate[2] * p->rate[2] * max_of(swing[2], swing[3]);
    p->bend = swing_a + swing_b;
    p->jerk = p->rate[0] * swing_a + p->rate[2] * swing_b;
    size =
        f64x4_abs(p->fixed.x + p->across.x) + f64x4_abs(p->fixed.y + p->across.y) + f64x4_abs(p->fixed.z + p->across.z);
    p->tolerance = TOUCH_TOLERANCE + TOUCH_ROUNDING * (max_of(size[0], size[1]) + max_of(size[2], size[3]) +
                                                       dvec_sum(p->gap) + dvec_sum(p->gap_step));
}

SIMD_INLINE void pair_at(const pair *p, double x, pair_state *s)
{
    f64x4 turned = turn_sin_cos(p->phase + p->rate * x, p->small);
    f64x4 sine = pair_first_of(turned), cosine = pair_second_of(turned);
    dvec gap = dvec_add_scaled(p->gap, p->gap_step, x), zero = {0.0, 0.0, 0.0};
    f64x4_vec moved = f64x4_vec_of(zero, zero, gap, gap), step = f64x4_vec_of(zero, zero, p->gap_step, p->gap_step);
    f64x4_vec arm;
    dvec base;

    arm = f64x4_vec_mad(f64x4_vec_scale(p->across, cosine), p->ahead, sine);
    s->ends = f64x4_vec_add(f64x4_vec_add(p->fixed, arm), moved);
    s->bends = f64x4_vec_scale(arm, -p->rate * p->rate);
    s->rates = f64x4_vec_mad(f64x4_vec_scale(p->ahead, cosine), p->across, -sine);
    s->rates = f64x4_vec_mad(step, s->rates, p->rate);
    base = f64x4_vec_get(&s->ends, 0);
    s->u = dvec_sub(f64x4_vec_get(&s->ends, 1), base);
    s->v = dvec_sub(f64x4_vec_get(&s->ends, 3), f64x4_vec_get(&s->ends, 2));
    s->near = closest_of_segments(dvec_sub(f64x4_vec_get(&s->ends, 2), base), s->u, s->v);
    s->distance = sqrt(s->near.distance_squared);
}

#endif
