/* A blade's motion as a target's shape sees it: in the shape's own axes, where the shape stands still. Prepared once for an
 * interval; times are x in 0..1 of it. Near to the shape however far both are from the stage's origin, so that costs no
 * precision. Pure.
 *
 * With g the way from the target's origin to an end, in the axes that the shape has in the middle of its motion, and W its
 * constant turning, the end is at f = Turn(-W) g - center, and
 *     f' = Turn(-W) (g' - W x g),   f'' = Turn(-W) (g'' - 2 W x g' + W x (W x g)),
 *     |f'''| <= |g'''| + 3 W |g''| + 3 W^2 |g'| + W^3 |g|. */
#ifndef CLASH_GEOMETRY_TARGET_MOTION_H
#define CLASH_GEOMETRY_TARGET_MOTION_H

#include "pair.h"
#include "quat.h"

typedef struct target_motion {
    f64x4_vec fixed, across, ahead; /* of the blade's ends, lanes (base, tip, base, tip), about its device's origin */
    f64x4 phase, rate;  /* (blade, blade, target, target), rad; counted from the middle of the whole motion */
    dvec gap, gap_step; /* from the target's origin to the blade device's, m */
    dvec axis;          /* what the target turns about; 0 if it does not turn */
    bool turns;         /* whether it turns */
    dvec center;        /* of the shape's frame from its device's origin, in the shape's axes, m */
    dquat middle;       /* stage_from_shape in the middle of the whole motion */
    dvec origin, step;  /* the target device's origin at x = 0 and its displacement, stage, m */
    double bend;        /* bound on |f''|, m per unit of x squared */
    double jerk;        /* bound on |f'''| */
    double tolerance;   /* what counts as touching, m */
    int small;          /* see turn_sin_cos */
} target_motion;

/** The blade's axis at one time, in the shape's frame. */
typedef struct target_state {
    double x;
    f64x4_vec ends, rates, bends; /* lanes (base, tip, base, tip): m, and their first and second derivatives by x */
    dvec u;                       /* tip - base */
} target_state;

/** The shape's own frame in its device's. */
typedef struct target_frame {
    dvec center;
    dquat orientation; /* unit length */
} target_frame;

SIMD_INLINE dquat target_middle(const pair_turns *turns, dquat device_from_shape)
{
    dquat stage_from_device = {f64x4_vec_get(&turns->middle, 2), turns->middle_w[2]};

    return dquat_mul(stage_from_device, device_from_shape);
}

/** Return the same vector in the shape's axes at the middle of the motion. */
SIMD_INLINE dvec target_inward(const target_motion *m, dvec of_stage)
{
    return dquat_rotate(dquat_conjugate(m->middle), of_stage);
}

SIMD_INLINE f64x4_vec target_end_lanes(dvec base, dvec tip)
{
    return f64x4_vec_of(base, tip, base, tip);
}

/** Compute bounds on the derivatives, from the terms in the head comment. `reach`: of the blade from its device's
 *  origin. */
SIMD_INLINE void target_prepare_bounds(target_motion *m, double reach, double size)
{
    f64x4 swings = f64x4_sqrt(f64x4_vec_dot(m->across, m->across));
    double swing = max_of(swings[0], swings[1]), rate = m->rate[0], turn = m->rate[2];
    double end = dvec_length(dvec_add(m->gap, m->gap_step)), far = max_of(dvec_length(m->gap), end) + reach;
    double speed = dvec_length(m->gap_step) + rate * swing, bend = rate * rate * swing;

    m->bend = bend + turn * (2.0 * speed + turn * far);
    m->jerk = rate * bend + turn * (3.0 * bend + turn * (3.0 * speed + turn * far));
    m->tolerance = TOUCH_TOLERANCE + TOUCH_ROUNDING * (2.0 * reach + size + dvec_sum(m->gap) + dvec_sum(m->gap_step) +
                                                       dvec_sum(m->center));
}

/** Prepare; bodies and spans must be valid. `size`: extent of the shape about its own frame's origin, m, to which
 *  rounding is relative. */
SIMD_INLINE void target_prepare(target_motion *m, const clash_body *blade, clash_span span_blade,
                                const clash_motion *motion, clash_span span_target, target_frame frame, double size)
{
    double width_a = span_blade.to - span_blade.from, width_b = span_target.to - span_target.from;
    dvec from_a = dvec_from(blade->motion.from.position), from_b = dvec_from(motion->from.position);
    dvec whole_a = dvec_sub(dvec_from(blade->motion.to.position), from_a);
    dvec whole_b = dvec_sub(dvec_from(motion->to.position), from_b), gap = dvec_sub(from_a, from_b), arms[2], axis;
    dvec base = dvec_from(blade->shape.base), tip = dvec_from(blade->shape.tip);
    pair_turns turns = pair_turns_of(&blade->motion, motion);
    f64x4_vec arm = pair_turned(&turns, target_end_lanes(base, tip)), turning;

    m->middle = target_middle(&turns, frame.orientation);
    m->axis = target_inward(m, f64x4_vec_get(&turns.axis, 2));
    m->center = dquat_rotate(dquat_conjugate(frame.orientation), frame.center);
    axis = target_inward(m, f64x4_vec_get(&turns.axis, 0));
    /* lanes 2 and 3 were turned by the target's orientation; fill in the blade's ends again */
    arms[0] = target_inward(m, f64x4_vec_get(&arm, 0));
    arms[1] = target_inward(m, f64x4_vec_get(&arm, 1));
    arm = target_end_lanes(arms[0], arms[1]);
    turning = f64x4_vec_all(axis);
    m->fixed = f64x4_vec_scale(turning, f64x4_vec_dot(turning, arm));
    m->across = f64x4_vec_sub(arm, m->fixed);
    m->ahead = f64x4_vec_cross(turning, arm);
    m->phase = turns.angle *
               (f64x4){span_blade.from - 0.5, span_blade.from - 0.5, span_target.from - 0.5, span_target.from - 0.5};
    m->rate = turns.angle * (f64x4){width_a, width_a, width_b, width_b};
    m->small = f64x4_most(turns.angle) <= 2.0 * TURN_SMALL;
    m->turns = turns.angle[2] > 0.0;
    m->origin = dvec_add_scaled(from_b, whole_b, span_target.from);
    m->step = dvec_scale(whole_b, width_b);
    gap = dvec_add_scaled(dvec_add_scaled(gap, whole_a, span_blade.from), whole_b, -span_target.from);
    m->gap = target_inward(m, gap);
    m->gap_step = target_inward(m, dvec_add_scaled(dvec_scale(whole_a, width_a), whole_b, -width_b));
    target_prepare_bounds(m, max_of(dvec_length(arms[0]), dvec_length(arms[1])), size);
}

/** Turn about the target's axis by the angle whose sine and cosine are given: turn_apply in lanes. */
SIMD_INLINE f64x4_vec target_turned(const target_motion *m, double sine, double cosine, f64x4_vec v)
{
    f64x4_vec axis = f64x4_vec_all(m->axis), along = f64x4_vec_scale(axis, f64x4_vec_dot(axis, v)),
              across = f64x4_vec_sub(v, along);
    f64x4_vec turned =
        f64x4_vec_mad(f64x4_vec_scale(across, f64x4_all(cosine)), f64x4_vec_cross(axis, v), f64x4_all(sine));

    return f64x4_vec_add(along, turned);
}

/** Convert from the shape's axes at the middle of its motion to its own at that time. */
SIMD_INLINE void target_turn_back(const target_motion *m, double sine, double cosine, target_state *s)
{
    f64x4_vec w = f64x4_vec_all(dvec_scale(m->axis, m->rate[2])), wg = f64x4_vec_cross(w, s->ends);
    f64x4_vec bends =
        f64x4_vec_add(f64x4_vec_mad(s->bends, f64x4_vec_cross(w, s->rates), f64x4_all(-2.0)), f64x4_vec_cross(w, wg));

    s->ends = target_turned(m, -sine, cosine, s->ends);
    s->rates = target_turned(m, -sine, cosine, f64x4_vec_sub(s->rates, wg));
    s->bends = target_turned(m, -sine, cosine, bends);
}

SIMD_INLINE void target_at(const target_motion *m, double x, target_state *s)
{
    f64x4 turned = turn_sin_cos(m->phase + m->rate * x, m->small);
    f64x4 sine = f64x4_all(turned[0]), cosine = f64x4_all(turned[1]), rate = f64x4_all(m->rate[0]);
    f64x4_vec arm = f64x4_vec_mad(f64x4_vec_scale(m->across, cosine), m->ahead, sine);

    s->x = x;
    s->ends = f64x4_vec_add(f64x4_vec_add(m->fixed, arm), f64x4_vec_all(dvec_add_scaled(m->gap, m->gap_step, x)));
    s->bends = f64x4_vec_scale(arm, -rate * rate);
    s->rates = f64x4_vec_mad(f64x4_vec_scale(m->ahead, cosine), m->across, -sine);
    s->rates = f64x4_vec_mad(f64x4_vec_all(m->gap_step), s->rates, rate);
    if (m->turns)
        target_turn_back(m, turned[2], turned[3], s);
    s->ends = f64x4_vec_sub(s->ends, f64x4_vec_all(m->center));
    s->u = dvec_sub(f64x4_vec_get(&s->ends, 1), f64x4_vec_get(&s->ends, 0));
}

/** Return a direction of the shape's frame at x, in stage axes. */
SIMD_INLINE dvec target_outward(const target_motion *m, double x, dvec direction)
{
    f64x4 turned = turn_sin_cos(m->phase + m->rate * x, m->small);

    if (m->turns)
        direction = turn_apply(m->axis, turned[2], turned[3], direction);
    return dquat_rotate(m->middle, direction);
}

/** Return a point of the shape's frame at x, in stage space. */
SIMD_INLINE dvec target_stage_point(const target_motion *m, double x, dvec point)
{
    dvec arm = target_outward(m, x, dvec_add(point, m->center));

    return dvec_add(dvec_add_scaled(m->origin, m->step, x), arm);
}

/** Return a box, in the shape's frame, that holds the whole axis throughout from..to, widened by `margin`: each end
 *  leaves the straight line between its places at both times by at most bend (to - from)^2 / 8. */
SIMD_INLINE void target_swept_box(const target_motion *m, const target_state *from, double to, double margin,
                                  dvec *out_low, dvec *out_high)
{
    double width = to - from->x, wide = margin + 0.125 * m->bend * width * width + m->tolerance;
    target_state end;
    f64x4_vec low, high;

    target_at(m, to, &end);
    low = (f64x4_vec){f64x4_min(from->ends.x, end.ends.x), f64x4_min(from->ends.y, end.ends.y),
                      f64x4_min(from->ends.z, end.ends.z)};
    high = (f64x4_vec){f64x4_max(from->ends.x, end.ends.x), f64x4_max(from->ends.y, end.ends.y),
                       f64x4_max(from->ends.z, end.ends.z)};
    *out_low = (dvec){f64x4_least(low.x) - wide, f64x4_least(low.y) - wide, f64x4_least(low.z) - wide};
    *out_high = (dvec){f64x4_most(high.x) + wide, f64x4_most(high.y) + wide, f64x4_most(high.z) + wide};
}

#endif
