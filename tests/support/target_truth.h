/* The truth that sweeps with targets are held against: exhaustive bisection in double precision with libm, sharing no code
 * with libclash. Distances come from ternary search along the blade's axis (its distance from a convex shape is a convex
 * function of the place on it). A part of the interval is left out only where a plane that moves with the target provably
 * keeps both apart throughout it, or where the distance is above speed * h. In a part of half width h let the plane's normal
 * n turn with any constant angular velocity W, as the target sees it. For each gap g from a corner of the target to an end of
 * the axis f = n.g is, for all |t| <= h,
 *     f(t) >= f - |f1| h + min(0, f2) h^2 / 2 - |f3| h^3 / 6,
 *     f1 = n.(g1 - W x g),  f2 = n.(g2 - 2 W x g1 + W x (W x g)),  |f3| <= |g3| + 3 W |g2| + 3 W^2 |g1| + W^3 |g|. */
#ifndef CLASHD_TESTS_TARGET_TRUTH_H
#define CLASHD_TESTS_TARGET_TRUTH_H

#include "support/impact.h"
#include "support/reference.h"

typedef struct truth_target {
    const clash_body *blade;
    const impact_target *target;
    clash_span spans[2];
    int corner_count;
    ref_vec corners[8];       /* of the convex core, in the target's frame */
    double radius;            /* around the core */
    ref_vec turning;          /* angular velocity of the target, stage, rad per unit of time */
    ref_vec step;             /* of its origin */
    double speed, bend, jerk; /* bounds on the ends' derivatives, in the target's frame */
    double size;
    long looks; /* beyond TRUTH_LOOKS_MAX a search gives up and may return anything */
} truth_target;

/* Only shapes that stay within the doubt of the limit for long while both swing need so many. */
#define TRUTH_LOOKS_MAX 200000

/** Both at one time. */
typedef struct truth_moment {
    ref_quat q; /* of the target */
    ref_vec p, ends[2];
    ref_vec on_axis, on_core; /* closest points, stage */
    double distance;          /* of the axis from the shape, 0 inside */
    double core_distance;
} truth_moment;

static inline ref_vec truth_from_to(ref_vec from, ref_vec to)
{
    return ref_mad(to, from, -1);
}

static inline ref_vec truth_scaled(ref_vec v, double s)
{
    return (ref_vec){v.x * s, v.y * s, v.z * s};
}

static inline double truth_angle(const clash_motion *m, ref_vec *out_axis)
{
    ref_quat f = ref_unit(m->from.orientation), t = ref_unit(m->to.orientation);
    ref_quat d = ref_product(t, (ref_quat){f.w, {-f.v.x, -f.v.y, -f.v.z}});
    double sine = ref_length(d.v), sign = d.w < 0 ? -1.0 : 1.0;

    *out_axis = sine > 0 ? truth_scaled(d.v, sign / sine) : (ref_vec){0, 0, 0};
    return 2 * atan2(sine, sign * d.w);
}

static inline void truth_corners(truth_target *t)
{
    const clash_shape *s = &t->target->shape;

    if (s->kind == CLASH_SHAPE_SPHERE) {
        t->corners[t->corner_count++] = ref_of(s->as.sphere.center);
        t->radius = (double)s->as.sphere.radius;
    } else if (s->kind == CLASH_SHAPE_CAPSULE) {
        t->corners[t->corner_count++] = ref_of(s->as.capsule.base);
        t->corners[t->corner_count++] = ref_of(s->as.capsule.tip);
        t->radius = (double)s->as.capsule.radius;
    } else {
        const clash_box *b = &s->as.box;
        ref_quat q = ref_unit(b->orientation);

        for (int k = 0; k < 8; k++) {
            ref_vec half = {(double)(k & 1 ? b->half.x : -b->half.x), (double)(k & 2 ? b->half.y : -b->half.y),
                            (double)(k & 4 ? b->half.z : -b->half.z)};

            t->corners[t->corner_count++] = ref_mad(ref_of(b->center), ref_turn(q, half), 1);
        }
    }
}

static inline truth_target truth_target_of(const clash_body *blade, clash_span span_blade, const impact_target *target,
                                           clash_span span_target)
{
    truth_target t = {.blade = blade, .target = target, .spans = {span_blade, span_target}};
    double width = span_blade.to - span_blade.from, other = span_target.to - span_target.from;
    double reach = fmax(ref_length(ref_of(blade->shape.base)), ref_length(ref_of(blade->shape.tip)));
    ref_vec axis, gap0 = truth_from_to(ref_of(target->motion.from.position), ref_of(blade->motion.from.position));
    ref_vec step = truth_from_to(ref_of(blade->motion.from.position), ref_of(blade->motion.to.position));
    double rate = truth_angle(&blade->motion, &axis) * width, turn, moves = ref_length(step) * width, far;

    truth_corners(&t);
    t.step = truth_from_to(ref_of(target->motion.from.position), ref_of(target->motion.to.position));
    moves += ref_length(t.step) * other;
    far = ref_length(gap0) + ref_length(step) + ref_length(t.step) + reach;
    turn = truth_angle(&target->motion, &axis) * other;
    t.turning = truth_scaled(axis, turn);
    t.step = truth_scaled(t.step, other);
    t.speed = 1e-300 + moves + rate * reach + turn * far;
    t.bend = rate * rate * reach + turn * (2 * (moves + rate * reach) + turn * far);
    t.jerk = rate * rate * reach * (rate + 3 * turn) + turn * turn * (3 * (moves + rate * reach) + turn * far);
    t.size = far + t.radius;
    for (int i = 0; i < t.corner_count; i++)
        t.size = fmax(t.size, far + ref_length(t.corners[i]));
    return t;
}

/** Convert from the target's frame to the core's own: a box's. */
static inline ref_vec truth_into_core(const truth_target *t, ref_vec p)
{
    const clash_box *b = &t->target->shape.as.box;
    ref_quat q = ref_unit(b->orientation);

    if (t->corner_count < 8)
        return p;
    return ref_turn((ref_quat){q.w, {-q.v.x, -q.v.y, -q.v.z}}, truth_from_to(ref_of(b->center), p));
}

static inline ref_vec truth_out_of_core(const truth_target *t, ref_vec p)
{
    const clash_box *b = &t->target->shape.as.box;

    return t->corner_count < 8 ? p : ref_mad(ref_of(b->center), ref_turn(ref_unit(b->orientation), p), 1);
}

/** Return the core's closest point to p, both in the core's frame. */
static inline ref_vec truth_core_point(const truth_target *t, ref_vec p)
{
    clash_vec3 h = t->target->shape.as.box.half;
    ref_vec d = truth_from_to(t->corners[0], t->corners[1]);
    double dd = ref_dot(d, d), at = dd > 0 ? ref_dot(truth_from_to(t->corners[0], p), d) / dd : 0;

    if (t->corner_count == 1)
        return t->corners[0];
    if (t->corner_count == 2)
        return ref_mad(t->corners[0], d, fmin(fmax(at, 0), 1));
    return (ref_vec){fmin(fmax(p.x, (double)-h.x), (double)h.x), fmin(fmax(p.y, (double)-h.y), (double)h.y),
                     fmin(fmax(p.z, (double)-h.z), (double)h.z)};
}

static inline double truth_core_distance(const truth_target *t, ref_vec p)
{
    return ref_length(truth_from_to(truth_core_point(t, p), p));
}

/** Return the closest point of the segment e0 e1, in the core's frame, by ternary search. */
static inline ref_vec truth_axis_point(const truth_target *t, ref_vec e0, ref_vec e1)
{
    ref_vec u = truth_from_to(e0, e1), middle;
    double low = 0, high = 1, first = truth_core_distance(t, e0), last = truth_core_distance(t, e1), least;

    for (int i = 0; i < 62; i++) {
        double third = (high - low) / 3, a = low + third, b = high - third;

        if (truth_core_distance(t, ref_mad(e0, u, a)) <= truth_core_distance(t, ref_mad(e0, u, b)))
            high = b;
        else
            low = a;
    }
    middle = ref_mad(e0, u, 0.5 * (low + high));
    least = truth_core_distance(t, middle);
    return first <= least && first <= last ? e0 : last <= least ? e1 : middle;
}

/** Positions count from the target's origin, so that distance from the stage's costs nothing. */
static inline truth_moment truth_at(const truth_target *t, double time)
{
    double at[2];
    truth_moment m;
    clash_motion blade = t->blade->motion, target = t->target->motion;
    ref_quat q, back;
    ref_vec p, own[2], core, axis;

    for (int i = 0; i < 2; i++)
        at[i] = t->spans[i].from + time * (t->spans[i].to - t->spans[i].from);
    ref_pose_at(&blade, at[0], &q, &p);
    ref_pose_at(&target, at[1], &m.q, &m.p);
    m.ends[0] = ref_mad(p, ref_turn(q, ref_of(t->blade->shape.base)), 1);
    m.ends[1] = ref_mad(p, ref_turn(q, ref_of(t->blade->shape.tip)), 1);
    back = (ref_quat){m.q.w, {-m.q.v.x, -m.q.v.y, -m.q.v.z}};
    for (int i = 0; i < 2; i++)
        own[i] = truth_into_core(t, ref_turn(back, truth_from_to(m.p, m.ends[i])));
    axis = truth_axis_point(t, own[0], own[1]);
    core = truth_core_point(t, axis);
    m.core_distance = ref_length(truth_from_to(core, axis));
    m.distance = fmax(0, m.core_distance - t->radius);
    m.on_axis = ref_mad(m.p, ref_turn(m.q, truth_out_of_core(t, axis)), 1);
    m.on_core = ref_mad(m.p, ref_turn(m.q, truth_out_of_core(t, core)), 1);
    return m;
}

/** The ends as the target sees them, in stage axes: from its origin, with two derivatives. */
typedef struct truth_motion {
    ref_vec at[2], rate[2], bend[2], u, blade_turning;
} truth_motion;

static inline truth_motion truth_motion_at(const truth_target *t, const truth_moment *m, double time)
{
    double width = t->spans[0].to - t->spans[0].from, at = t->spans[0].from + time * width;
    const clash_motion *blade = &t->blade->motion;
    ref_vec axis, step = truth_from_to(ref_of(blade->from.position), ref_of(blade->to.position)), w = t->turning;
    double angle = truth_angle(blade, &axis) * width;
    ref_vec turning = truth_scaled(axis, angle), origin = ref_mad(ref_of(blade->from.position), step, at);
    truth_motion d = {.u = truth_from_to(m->ends[0], m->ends[1]), .blade_turning = turning};

    for (int i = 0; i < 2; i++) {
        ref_vec own = truth_from_to(origin, m->ends[i]), arm = truth_from_to(m->p, m->ends[i]);
        ref_vec rate = ref_mad(ref_mad(truth_scaled(step, width), ref_cross(turning, own), 1), t->step, -1);
        ref_vec bend = ref_cross(turning, ref_cross(turning, own)), wa = ref_cross(w, arm);

        d.at[i] = arm;
        d.rate[i] = ref_mad(rate, wa, -1);
        d.bend[i] = ref_mad(ref_mad(bend, ref_cross(w, rate), -2), ref_cross(w, wa), 1);
    }
    return d;
}

/** Return the head comment's bound on the distance over half a width either way, with n turning at the angular velocity
 *  w. */
static inline double truth_bound(const truth_target *t, const truth_moment *m, const truth_motion *d, ref_vec n,
                                 ref_vec w, double half)
{
    double turn = ref_length(w), least = HUGE_VAL;
    double third = t->jerk + turn * (3 * t->bend + turn * (3 * t->speed + 2 * turn * t->size));

    for (int k = 0; k < t->corner_count; k++) {
        ref_vec corner = ref_turn(m->q, t->corners[k]);

        for (int i = 0; i < 2; i++) {
            ref_vec g = truth_from_to(corner, d->at[i]), wg = ref_cross(w, g);
            double f1 = ref_dot(n, ref_mad(d->rate[i], wg, -1));
            double f2 = ref_dot(n, ref_mad(ref_mad(d->bend[i], ref_cross(w, d->rate[i]), -2), ref_cross(w, wg), 1));

            least = fmin(least, ref_dot(n, g) - fabs(f1) * half + fmin(0, f2) * half * half / 2);
        }
    }
    return least - t->radius - third * half * half * half / 6;
}

/** Return the angular velocity that keeps n perpendicular to the axis and to v (0: only the axis). */
static inline ref_vec truth_follow(const truth_motion *d, ref_vec n, ref_vec v)
{
    double uu = ref_dot(d->u, d->u), vv = ref_dot(v, v), uv = ref_dot(d->u, v), det = uu * vv - uv * uv;
    double nu = ref_dot(n, truth_from_to(d->rate[1], d->rate[0]));

    if (det > 1e-9 * uu * vv)
        return ref_cross(n, ref_mad(truth_scaled(d->u, nu * vv / det), v, -nu * uv / det));
    return uu > 0 ? ref_cross(n, truth_scaled(d->u, nu / uu)) : (ref_vec){0, 0, 0};
}

/** Return the best of the bounds with n turning like the blade, along the axis, along it and one of the shape's
 *  directions, or not at all. Stops once one is above `enough`. */
static inline double truth_best_bound(const truth_target *t, const truth_moment *m, const truth_motion *d, double half,
                                      double enough)
{
    ref_vec n = truth_scaled(truth_from_to(m->on_core, m->on_axis), 1 / m->core_distance);
    double best = truth_bound(t, m, d, n, (ref_vec){0, 0, 0}, half);

    if (!(best > enough))
        best = fmax(best, truth_bound(t, m, d, n, truth_follow(d, n, (ref_vec){0, 0, 0}), half));
    if (!(best > enough))
        best = fmax(best, truth_bound(t, m, d, n, truth_from_to(t->turning, d->blade_turning), half));
    for (int k = 1; k < t->corner_count && k < 5 && !(best > enough); k += k) {
        ref_vec v = ref_turn(m->q, truth_from_to(t->corners[0], t->corners[k]));

        best = fmax(best, truth_bound(t, m, d, n, truth_follow(d, n, v), half));
    }
    return best;
}

/** Return the moment at `middle`; *out_least is a lower bound of the distance over middle - half .. middle + half. */
static inline truth_moment truth_look(truth_target *t, double middle, double half, double enough, double *out_least)
{
    truth_moment m = truth_at(t, middle);

    t->looks++;
    *out_least = fmax(0, m.distance - t->speed * half);
    if (m.distance > enough && !(*out_least > enough)) {
        truth_motion d = truth_motion_at(t, &m, middle);

        *out_least = fmax(*out_least, truth_best_bound(t, &m, &d, half, enough));
    }
    return m;
}

/** Where a search found something: within low..high. `found` is false if it proved that there is nothing. */
typedef struct truth_first {
    bool found;
    double low, high;
} truth_first;

/** Find the first time within low..high with distance <= limit, to within `slack` of distance. */
static inline truth_first truth_first_within(truth_target *t, double limit, double slack, double low, double high)
{
    double middle = 0.5 * (low + high), half = 0.5 * (high - low), least;
    truth_moment m = truth_look(t, middle, half, limit, &least);
    truth_first first;

    if (least > limit)
        return (truth_first){false, 0, 0};
    if (t->speed * half < slack || !(low < middle && middle < high) || t->looks > TRUTH_LOOKS_MAX)
        return (truth_first){m.distance <= limit + slack, low, high};
    first = truth_first_within(t, limit, slack, low, middle);
    return first.found ? first : truth_first_within(t, limit, slack, middle, high);
}

/** Lower *least to the least distance over low..high, to within `slack`. */
static inline void truth_least(truth_target *t, double slack, double low, double high, double *least)
{
    double middle = 0.5 * (low + high), bound;
    truth_moment m = truth_look(t, middle, 0.5 * (high - low), *least - slack, &bound);

    *least = fmin(*least, m.distance);
    if (bound >= *least - slack || !(low < middle && middle < high) || t->looks > TRUTH_LOOKS_MAX)
        return;
    truth_least(t, slack, low, middle, least);
    truth_least(t, slack, middle, high, least);
}

#endif
