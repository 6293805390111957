/* How far a blade may be followed without touching a convex that stands still: the bounds of pair_time_of_impact.h and rotating_plane.h, in the
 * convex's frame. There a plane with normal m(h) = n + h q, from the convex to the blade, separates the two as long as every
 * end of the axis is more than `limit` |m(h)| above every corner of the convex, and since corners do not move, the bound for
 * each end differs between them only in c and r. Pure. */
#ifndef CLASH_GEOMETRY_TARGET_STEP_H
#define CLASH_GEOMETRY_TARGET_STEP_H

#include "pair_time_of_impact.h"
#include "target_closest.h"

/** Return whether two directions are so nearly parallel that their perpendicular is uncertain. */
SIMD_INLINE bool target_is_parallel(double uu, double vv, double uv)
{
    return !(uu * vv - uv * uv > 1e-12 * uu * vv);
}

/** Return w without its part along u. */
SIMD_INLINE dvec target_across(dvec w, dvec u)
{
    double square = dvec_dot(u, u);

    return square > 0.0 ? dvec_add_scaled(w, u, -dvec_dot(w, u) / square) : w;
}

/** Return `direction`, turned to the side that w is on. */
SIMD_INLINE dvec target_on_side(dvec direction, dvec w)
{
    return dvec_dot(direction, w) < 0.0 ? dvec_scale(direction, -1.0) : direction;
}

/** Like plane_normal_of: w or, if its rounding matters, the direction that the closest features demand. */
SIMD_INLINE plane_normal target_normal(const target_state *s, const target_near *c)
{
    dvec u = s->u, v = c->along, n = c->w;
    double uu = dvec_dot(u, u), vv = dvec_dot(v, v), uv = dvec_dot(u, v);
    bool on_axis = inside(c->s), both = on_axis && c->feature == NEAR_EDGE;
    double all = both ? uu * vv : 1.0, across = both ? all - uv * uv : 1.0;

    if (c->distance * across >= 1e-5 * (1.0 + uu + vv) * all)
        return (plane_normal){c->w, c->distance};
    if (c->feature == NEAR_FACE)
        n = target_on_side(v, c->w);
    else if (both && !target_is_parallel(uu, vv, uv))
        n = target_on_side(dvec_cross(u, v), c->w);
    else if (on_axis && !(both && vv > uu))
        n = target_across(n, u);
    else if (c->feature == NEAR_EDGE)
        n = target_across(n, v);
    return (plane_normal){n, dvec_length(n)};
}

/** Return q: how the plane should turn to stay parallel to the axis, if its closest point is inside, and to the
 *  convex. */
SIMD_INLINE dvec target_turn(const target_state *s, const target_near *c, f64x4 along)
{
    dvec u = s->u, v = c->along;
    double uu = dvec_dot(u, u), vv = dvec_dot(v, v), uv = dvec_dot(u, v), det = uu * vv - uv * uv;
    double nu = along[0] - along[1];

    if (!inside(c->s) || c->feature == NEAR_FACE)
        return (dvec){0.0, 0.0, 0.0};
    if (c->feature == NEAR_EDGE && det > 1e-8 * uu * vv)
        return dvec_add_scaled(dvec_scale(u, nu * vv / det), v, -nu * uv / det);
    return dvec_scale(u, nu / uu);
}

/** safe_step of pair_time_of_impact.h: return how far from s on nothing can touch; `horizon` if it is all of it. */
SIMD_INLINE double target_safe_step(const target_convex *p, const target_motion *m, const target_state *s,
                                    const target_near *c, double limit, double horizon)
{
    plane_normal plane = target_normal(s, c);
    f64x4_vec n = f64x4_vec_all(plane.n);
    f64x4 along = f64x4_vec_dot(n, s->rates);
    dvec turn = target_turn(s, c, along);
    f64x4_vec q = f64x4_vec_all(turn);
    double drift = m->jerk * horizon * (1.0 / 3.0) * plane.length, tilt = dvec_dot(turn, turn) / plane.length;
    double more = limit * tilt + drift + m->jerk * horizon * horizon * horizon * (1.0 / 6.0) * tilt, step = horizon;
    f64x4 height = f64x4_vec_dot(s->ends, n) - limit * plane.length, rate = along + f64x4_vec_dot(s->ends, q);
    f64x4 bend = f64x4_vec_dot(s->bends, n), falling = at_least_zero(-f64x4_vec_dot(s->bends, q));
    plane_bound bound;

    if (!(plane.length > 0.0))
        return 0.0;
    bound.curvature = at_least_zero(more - bend - 2.0 * f64x4_vec_dot(s->rates, q) + horizon * falling);
    for (int i = 0; i < p->groups; i++) {
        bound.clearance = height - f64x4_vec_dot(p->corners[i], n);
        bound.rate = rate - f64x4_vec_dot(p->corners[i], q);
        step = min_of(step, plane_step(&bound, horizon));
    }
    return step;
}

/** Plain advancement: no point of the axis is faster than its faster end, and none accelerates by more than `bend`. */
SIMD_INLINE double target_plain_step(const target_motion *m, const target_state *s, double distance, double limit)
{
    double square = f64x4_most(f64x4_vec_dot(s->rates, s->rates)), gap = distance - limit;

    return gap > 0.0 ? 2.0 * gap / (sqrt(square) + sqrt(square + 2.0 * m->bend * gap)) : 0.0;
}

/** rotating_plane over all of the convex's corners. */
static inline double target_rotating_plane(const target_convex *p, const target_motion *m, const target_state *s,
                                           dvec n, double limit, dvec turn, double horizon)
{
    rotating_view v = {.rates = s->rates, .bends = s->bends, .n = n, .limit = limit, .bend = m->bend, .jerk = m->jerk};
    double step = horizon;

    for (int i = 0; i < p->groups; i++) {
        v.gaps = f64x4_vec_sub(s->ends, p->corners[i]);
        step = min_of(step, rotating_plane(&v, turn, horizon));
    }
    return step;
}

/** rotating_longer: return the longest step found by looking further as long as that helps. */
static inline double target_longer(const target_convex *p, const target_motion *m, const target_state *s, dvec n,
                                   double limit, dvec turn, double scale, double horizon)
{
    double step = 0.0;

    for (int k = 0; k < ROTATING_LOOKS && scale < horizon; k++) {
        double found = target_rotating_plane(p, m, s, n, limit, turn, min_of(ROTATING_REACH * scale, horizon));

        step = max_of(step, found);
        if (found < 1.5 * scale)
            break;
        scale = found;
    }
    return step;
}

/** Return the blade's angular velocity as the shape sees it, in the shape's frame at that time; only the part
 *  perpendicular to the axis matters: that of the ends' relative velocity. */
static inline dvec target_turning(const target_state *s)
{
    double uu = dvec_dot(s->u, s->u);
    dvec rate = dvec_sub(f64x4_vec_get(&s->rates, 1), f64x4_vec_get(&s->rates, 0));

    return uu > 0.0 ? dvec_scale(dvec_cross(s->u, rate), 1.0 / uu) : (dvec){0.0, 0.0, 0.0};
}

/** rotating_step of rotating_plane.h: improve the step `step` of target_safe_step. */
SIMD_APART double target_rotating_step(const target_convex *p, const target_motion *m, const target_state *s,
                                       const target_near *c, double limit, double step, double horizon)
{
    plane_normal plane = target_normal(s, c);
    dvec n, along;
    double scale;

    step = max_of(step, min_of(target_plain_step(m, s, c->distance, limit), horizon));
    scale = max_of(step, ROTATING_LEAST * horizon);
    if (!(plane.length > 0.0))
        return step;
    n = dvec_scale(plane.n, 1.0 / plane.length);
    along = dvec_cross(n, target_turn(s, c, f64x4_vec_dot(f64x4_vec_all(n), s->rates)));
    step = max_of(step, target_longer(p, m, s, n, limit, (dvec){0.0, 0.0, 0.0}, scale, horizon));
    step = max_of(step, target_longer(p, m, s, n, limit, along, scale, horizon));
    return max_of(step, target_longer(p, m, s, n, limit, target_turning(s), scale, horizon));
}

/** Return the first (or second) derivative of the blade's point that is closest now. */
SIMD_INLINE dvec target_point_rate(const f64x4_vec *of_ends, double s)
{
    dvec base = f64x4_vec_get(of_ends, 0);

    return dvec_add_scaled(base, dvec_sub(f64x4_vec_get(of_ends, 1), base), s);
}

/** safe_step_inside of pair_time_of_impact.h: return how long the two points that are closest now, and so the shapes,
 *  stay within `limit`. */
SIMD_INLINE double target_step_inside(const target_motion *m, const target_state *s, const target_near *c, double limit)
{
    dvec rate = target_point_rate(&s->rates, c->s);
    double square = dvec_dot(rate, rate) + limit * m->bend, slope = dvec_dot(c->w, rate);
    double room = max_of(limit * limit - c->distance * c->distance, 0.0);
    double root = slope + sqrt(slope * slope + square * room);

    return root > 0.0 ? room / root : INFINITY;
}

/** Return how long the blade's point that is closest now stays within `room` of its place. */
SIMD_INLINE double target_step_around(const target_motion *m, const target_state *s, const target_near *c, double room)
{
    dvec rate = target_point_rate(&s->rates, c->s);
    double square = dvec_dot(rate, rate), root = sqrt(square) + sqrt(square + 2.0 * m->bend * room);

    return root > 0.0 ? 2.0 * room / root : INFINITY;
}

/** Improve the step `step` of target_step_inside. */
SIMD_APART double target_rotating_step_inside(const target_motion *m, const target_state *s, const target_near *c,
                                              double limit, double step, double horizon)
{
    const rotating_between b = {.w = c->w,
                                .w1 = target_point_rate(&s->rates, c->s),
                                .w2 = target_point_rate(&s->bends, c->s),
                                .distance_squared = c->distance * c->distance,
                                .limit = limit,
                                .jerk = m->jerk};

    return rotating_inside(&b, step, horizon);
}

#endif
