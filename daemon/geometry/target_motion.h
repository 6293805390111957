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
    lanes3 still, across, ahead; /* of the blade's ends, lanes (base, tip, base, tip), about its device's origin */
    lanes phase, rate;           /* (blade, blade, target, target), rad; counted from the middle of the whole motion */
    dvec gap, gap_step;          /* from the target's origin to the blade device's, m */
    dvec axis;                   /* what the target turns about; 0 where it does not turn */
    bool turns;                  /* whether it does */
    dvec center;                 /* of the shape's frame from its device's origin, in the shape's axes, m */
    dquat middle;                /* stage_from_shape in the middle of the whole motion */
    dvec origin, step;           /* the target device's origin at x = 0 and its displacement, stage, m */
    double bend;                 /* bound on |f''|, m per unit of x squared */
    double jerk;                 /* bound on |f'''| */
    double tolerance;            /* what counts as touching, m */
    int small;                   /* see turn_sin_cos */
} target_motion;

/** The blade's axis at one time, in the shape's frame. */
typedef struct target_state {
    double x;
    lanes3 ends, rates, bends; /* lanes (base, tip, base, tip): m, and their first and second derivatives by x */
    dvec u;                    /* tip - base */
} target_state;

/** Where a shape's own frame stands in its device's. */
typedef struct target_frame {
    dvec center;
    dquat orientation; /* unit length */
} target_frame;

LANES_INLINE dquat target_middle(const pair_turns *turns, dquat device_from_shape)
{
    dquat stage_from_device = {lanes3_get(&turns->middle, 2), turns->middle_w[2]};

    return dquat_mul(stage_from_device, device_from_shape);
}

/** The same vector in the axes that the shape has in the middle of the motion. */
LANES_INLINE dvec target_inward(const target_motion *m, dvec of_stage)
{
    return dquat_rotate(dquat_conjugate(m->middle), of_stage);
}

LANES_INLINE lanes3 target_end_lanes(dvec base, dvec tip)
{
    return lanes3_of(base, tip, base, tip);
}

/** Bounds on the derivatives, from the parts that the head comment names. `reach`: of the blade from its device's origin. */
LANES_INLINE void target_prepare_bounds(target_motion *m, double reach, double size)
{
    lanes swings = lanes_sqrt(lanes3_dot(m->across, m->across));
    double swing = max_of(swings[0], swings[1]), rate = m->rate[0], turn = m->rate[2];
    double end = dvec_length(dvec_add(m->gap, m->gap_step)), far = max_of(dvec_length(m->gap), end) + reach;
    double speed = dvec_length(m->gap_step) + rate * swing, bend = rate * rate * swing;

    m->bend = bend + turn * (2.0 * speed + turn * far);
    m->jerk = rate * bend + turn * (3.0 * bend + turn * (3.0 * speed + turn * far));
    m->tolerance = TOUCH_TOLERANCE + TOUCH_ROUNDING * (2.0 * reach + size + dvec_sum(m->gap) + dvec_sum(m->gap_step) +
                                                       dvec_sum(m->center));
}

/** Bodies and spans must be valid. `size` is how large the shape is about its own frame's origin, m: what rounding is
 *  relative to. */
LANES_INLINE void target_prepare(target_motion *m, const clash_body *blade, clash_span span_blade,
                                 const clash_motion *motion, clash_span span_target, target_frame frame, double size)
{
    double width_a = span_blade.to - span_blade.from, width_b = span_target.to - span_target.from;
    dvec from_a = dvec_from(blade->motion.from.position), from_b = dvec_from(motion->from.position);
    dvec whole_a = dvec_sub(dvec_from(blade->motion.to.position), from_a);
    dvec whole_b = dvec_sub(dvec_from(motion->to.position), from_b), gap = dvec_sub(from_a, from_b), arms[2], axis;
    dvec base = dvec_from(blade->shape.base), tip = dvec_from(blade->shape.tip);
    pair_turns turns = pair_turns_of(&blade->motion, motion);
    lanes3 arm = pair_turned(&turns, target_end_lanes(base, tip)), turning;

    m->middle = target_middle(&turns, frame.orientation);
    m->axis = target_inward(m, lanes3_get(&turns.axis, 2));
    m->center = dquat_rotate(dquat_conjugate(frame.orientation), frame.center);
    axis = target_inward(m, lanes3_get(&turns.axis, 0));
    /* Lanes 2 and 3 were turned by the target's orientation, and the blade's ends are wanted there again. */
    arms[0] = target_inward(m, lanes3_get(&arm, 0));
    arms[1] = target_inward(m, lanes3_get(&arm, 1));
    arm = target_end_lanes(arms[0], arms[1]);
    turning = lanes3_all(axis);
    m->still = lanes3_scale(turning, lanes3_dot(turning, arm));
    m->across = lanes3_sub(arm, m->still);
    m->ahead = lanes3_cross(turning, arm);
    m->phase = turns.angle *
               (lanes){span_blade.from - 0.5, span_blade.from - 0.5, span_target.from - 0.5, span_target.from - 0.5};
    m->rate = turns.angle * (lanes){width_a, width_a, width_b, width_b};
    m->small = lanes_most(turns.angle) <= 2.0 * TURN_SMALL;
    m->turns = turns.angle[2] > 0.0;
    m->origin = dvec_add_scaled(from_b, whole_b, span_target.from);
    m->step = dvec_scale(whole_b, width_b);
    gap = dvec_add_scaled(dvec_add_scaled(gap, whole_a, span_blade.from), whole_b, -span_target.from);
    m->gap = target_inward(m, gap);
    m->gap_step = target_inward(m, dvec_add_scaled(dvec_scale(whole_a, width_a), whole_b, -width_b));
    target_prepare_bounds(m, max_of(dvec_length(arms[0]), dvec_length(arms[1])), size);
}

/** Turned about the target's axis by the angle whose sine and cosine are given: turn_apply in lanes. */
LANES_INLINE lanes3 target_turned(const target_motion *m, double sine, double cosine, lanes3 v)
{
    lanes3 axis = lanes3_all(m->axis), along = lanes3_scale(axis, lanes3_dot(axis, v)), across = lanes3_sub(v, along);
    lanes3 turned = lanes3_mad(lanes3_scale(across, lanes_all(cosine)), lanes3_cross(axis, v), lanes_all(sine));

    return lanes3_add(along, turned);
}

/** From the axes that the shape has in the middle of its motion to its own at that time. */
LANES_INLINE void target_turn_back(const target_motion *m, double sine, double cosine, target_state *s)
{
    lanes3 w = lanes3_all(dvec_scale(m->axis, m->rate[2])), wg = lanes3_cross(w, s->ends);
    lanes3 bends = lanes3_add(lanes3_mad(s->bends, lanes3_cross(w, s->rates), lanes_all(-2.0)), lanes3_cross(w, wg));

    s->ends = target_turned(m, -sine, cosine, s->ends);
    s->rates = target_turned(m, -sine, cosine, lanes3_sub(s->rates, wg));
    s->bends = target_turned(m, -sine, cosine, bends);
}

LANES_INLINE void target_at(const target_motion *m, double x, target_state *s)
{
    lanes turned = turn_sin_cos(m->phase + m->rate * x, m->small);
    lanes sine = lanes_all(turned[0]), cosine = lanes_all(turned[1]), rate = lanes_all(m->rate[0]);
    lanes3 arm = lanes3_mad(lanes3_scale(m->across, cosine), m->ahead, sine);

    s->x = x;
    s->ends = lanes3_add(lanes3_add(m->still, arm), lanes3_all(dvec_add_scaled(m->gap, m->gap_step, x)));
    s->bends = lanes3_scale(arm, -rate * rate);
    s->rates = lanes3_mad(lanes3_scale(m->ahead, cosine), m->across, -sine);
    s->rates = lanes3_mad(lanes3_all(m->gap_step), s->rates, rate);
    if (m->turns)
        target_turn_back(m, turned[2], turned[3], s);
    s->ends = lanes3_sub(s->ends, lanes3_all(m->center));
    s->u = dvec_sub(lanes3_get(&s->ends, 1), lanes3_get(&s->ends, 0));
}

/** A direction of the shape's frame at x, in stage axes. */
LANES_INLINE dvec target_outward(const target_motion *m, double x, dvec direction)
{
    lanes turned = turn_sin_cos(m->phase + m->rate * x, m->small);

    if (m->turns)
        direction = turn_apply(m->axis, turned[2], turned[3], direction);
    return dquat_rotate(m->middle, direction);
}

/** A point of the shape's frame at x, in stage space. */
LANES_INLINE dvec target_stage_point(const target_motion *m, double x, dvec point)
{
    dvec arm = target_outward(m, x, dvec_add(point, m->center));

    return dvec_add(dvec_add_scaled(m->origin, m->step, x), arm);
}

/** A box, in the shape's frame, that holds the whole axis throughout from..to, widened by `margin`: each end leaves the
 *  straight line between where it is at both times by at most bend (to - from)^2 / 8. */
LANES_INLINE void target_swept_box(const target_motion *m, const target_state *from, double to, double margin,
                                   dvec *out_low, dvec *out_high)
{
    double width = to - from->x, wide = margin + 0.125 * m->bend * width * width + m->tolerance;
    target_state end;
    lanes3 low, high;

    target_at(m, to, &end);
    low = (lanes3){lanes_min(from->ends.x, end.ends.x), lanes_min(from->ends.y, end.ends.y),
                   lanes_min(from->ends.z, end.ends.z)};
    high = (lanes3){lanes_max(from->ends.x, end.ends.x), lanes_max(from->ends.y, end.ends.y),
                    lanes_max(from->ends.z, end.ends.z)};
    *out_low = (dvec){lanes_least(low.x) - wide, lanes_least(low.y) - wide, lanes_least(low.z) - wide};
    *out_high = (dvec){lanes_most(high.x) + wide, lanes_most(high.y) + wide, lanes_most(high.z) + wide};
}

#endif
