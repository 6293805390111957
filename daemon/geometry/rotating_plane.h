/* Steps for the few searches that do not end soon: blades that stay within micrometres of the limit for long while both
 * swing. The step of pair_time_of_impact.h bounds curvature over all that is left of the interval, which is too much for them; here the
 * plane turns as a rigid body would, and the bound looks only as far as the step will reach. Slow, rare, and kept out of
 * the way of the others.
 *
 * Let n turn with a constant angular velocity W. For each gap g between ends, f = n.g has
 *     f1 = n.(g1 - W x g),  f2 = n.(g2 - 2 W x g1 + W x (W x g)),  |f3| <= |g3| + 3 W |g2| + 3 W^2 |g1| + W^3 |g|,
 * and nothing touches while all four stay above the limit. For blades on one swing W is that of the swing. */
#ifndef CLASH_GEOMETRY_ROTATING_PLANE_H
#define CLASH_GEOMETRY_ROTATING_PLANE_H

#include "separating_plane.h"

/* How often a step looks for a longer one, and how much longer each time. */
#define ROTATING_LOOKS 4
#define ROTATING_REACH 8.0
/* Where to begin without a step, as a share of the interval. */
#define ROTATING_LEAST 1e-9

/** The gaps of the four pairs of ends with their derivatives. */
typedef struct rotating_view {
    f64x4_vec gaps, rates, bends;
    dvec n;
    double limit, bend, jerk;
} rotating_view;

static inline double rotating_plane(const rotating_view *v, dvec turn, double horizon)
{
    f64x4_vec n = f64x4_vec_all(v->n), w = f64x4_vec_all(turn), wg = f64x4_vec_cross(w, v->gaps);
    f64x4_vec second =
        f64x4_vec_add(f64x4_vec_mad(v->bends, f64x4_vec_cross(w, v->rates), f64x4_all(-2.0)), f64x4_vec_cross(w, wg));
    double rate = sqrt(f64x4_most(f64x4_vec_dot(v->rates, v->rates))) + horizon * v->bend;
    double gap = sqrt(f64x4_most(f64x4_vec_dot(v->gaps, v->gaps))) + horizon * rate, speed = dvec_length(turn);
    double third = v->jerk + speed * (3.0 * v->bend + speed * (3.0 * rate + speed * gap));
    plane_bound b = {f64x4_vec_dot(n, v->gaps) - v->limit, f64x4_vec_dot(n, f64x4_vec_sub(v->rates, wg)),
                     at_least_zero(-f64x4_vec_dot(n, second)) + horizon * (1.0 / 3.0) * third};

    return plane_step(&b, horizon);
}

/** Return a safe step, the longest found by looking further as long as that helps; begin at `scale`. */
static inline double rotating_longer(const rotating_view *v, dvec turn, double scale, double horizon)
{
    double step = 0.0;

    for (int k = 0; k < ROTATING_LOOKS && scale < horizon; k++) {
        double found = rotating_plane(v, turn, min_of(ROTATING_REACH * scale, horizon));

        step = max_of(step, found);
        if (found < 1.5 * scale)
            break;
        scale = found;
    }
    return step;
}

/** Return the angular velocity of the body whose base is end i: from an end's place, perpendicular to the axis and
 *  ahead. */
static inline dvec rotating_turning(const pair *p, int i)
{
    dvec base = f64x4_vec_get(&p->across, i), tip = f64x4_vec_get(&p->across, i + 1);
    int k = dvec_dot(base, base) >= dvec_dot(tip, tip) ? i : i + 1;
    dvec across = f64x4_vec_get(&p->across, k), ahead = f64x4_vec_get(&p->ahead, k);
    double square = dvec_dot(across, across);

    return square > 0.0 ? dvec_scale(dvec_cross(across, ahead), p->rate[i] / square) : (dvec){0.0, 0.0, 0.0};
}

/** Plain advancement: no two points of the axes approach faster than the fastest two ends, and none accelerates by more
 *  than `bend`. Short, but independent of the plane's normal, which is uncertain for nearly parallel axes. */
static inline double rotating_plain(const pair *p, const pair_state *s, double limit)
{
    f64x4_vec rates = end_gaps(&s->rates);
    double square = f64x4_most(f64x4_vec_dot(rates, rates)), gap = s->distance - limit;

    return gap > 0.0 ? 2.0 * gap / (sqrt(square) + sqrt(square + 2.0 * p->bend * gap)) : 0.0;
}

/** Improve the step `step` of safe_step. */
SIMD_APART double rotating_step(const pair *p, const pair_state *s, double limit, double step, double horizon)
{
    plane_normal plane = plane_normal_of(s);
    rotating_view v = {.gaps = end_gaps(&s->ends),
                       .rates = end_gaps(&s->rates),
                       .bends = end_gaps(&s->bends),
                       .limit = limit,
                       .bend = p->bend,
                       .jerk = p->jerk};
    dvec along;
    double scale;

    step = max_of(step, min_of(rotating_plain(p, s, limit), horizon));
    scale = max_of(step, ROTATING_LEAST * horizon);

    if (!(plane.length > 0.0))
        return step;
    v.n = dvec_scale(plane.n, 1.0 / plane.length);
    along = dvec_cross(v.n, plane_turn(s, f64x4_vec_dot(f64x4_vec_all(v.n), s->rates)));
    step = max_of(step, rotating_longer(&v, (dvec){0.0, 0.0, 0.0}, scale, horizon));
    step = max_of(step, rotating_longer(&v, along, scale, horizon));
    step = max_of(step, rotating_longer(&v, rotating_turning(p, 0), scale, horizon));
    return max_of(step, rotating_longer(&v, rotating_turning(p, 2), scale, horizon));
}

/** What lies between two closest points, and how it moves: w, its first and second derivative, and a bound on its third. */
typedef struct rotating_between {
    dvec w, w1, w2;
    double distance_squared, limit, jerk;
} rotating_between;

/** As safe_step_inside, which gave `step`, with the closest points' second derivative:
 *      |w + w1 h + w2 h^2 / 2| + jerk h^3 / 6 <= limit,  which holds for h up to H where
 *      w.w + 2 w.w1 h + (w1.w1 + w.w2 + H max(0, w1.w2) + H^2 w2.w2 / 4 + H limit jerk / 3) h^2 <= limit^2. */
static inline double rotating_inside(const rotating_between *b, double step, double horizon)
{
    double room = max_of(b->limit * b->limit - b->distance_squared, 0.0), slope = dvec_dot(b->w, b->w1);
    double scale = max_of(step, ROTATING_LEAST * horizon);

    for (int k = 0; k < ROTATING_LOOKS && scale < horizon; k++) {
        double reach = min_of(ROTATING_REACH * scale, horizon);
        double square = dvec_dot(b->w1, b->w1) + dvec_dot(b->w, b->w2) + reach * max_of(0.0, dvec_dot(b->w1, b->w2)) +
                        reach * reach * 0.25 * dvec_dot(b->w2, b->w2) + reach * b->limit * b->jerk * (1.0 / 3.0);
        double root = slope + sqrt(slope * slope + max_of(square, 0.0) * room);
        double found = room < reach * root ? room / root : reach;

        step = max_of(step, found);
        if (found < 1.5 * scale)
            break;
        scale = found;
    }
    return step;
}

SIMD_APART double rotating_step_inside(const pair *p, const pair_state *s, double limit, double step, double horizon)
{
    const rotating_between b = {.w = s->near.w,
                                .w1 = closest_points_difference(&s->rates, &s->near),
                                .w2 = closest_points_difference(&s->bends, &s->near),
                                .distance_squared = s->near.distance_squared,
                                .limit = limit,
                                .jerk = p->jerk};

    return rotating_inside(&b, step, horizon);
}

#endif
