/* The searches over a pair's interval: conservative advancement of second order.
 *
 * Contact. At time x let n be the unit vector between the closest points. A plane with normal m(h) = n + h q separates the
 * axes at x + h as long as, for each of the four pairs of ends, with gap vector g(h),  m(h).g(h) > limit |m(h)|.  Each g is
 * smooth and its second derivative at most `bend`, so
 *     m(h).g(h) - limit |m(h)|  >=  c + r h - k h^2 / 2,    c = n.g - limit,   r = n.g' + q.g,
 *     k = bend (1 + H^2 |q|^2 / 2) + limit |q|^2 + 2 max(0, -q.g')        for all h in 0..H.
 * Nothing touches before the first root. q = 0 is a plane that keeps its direction; with q chosen so that n stays
 * perpendicular, to first order, to every axis on which the closest point is inside, all ends of that axis have the same c
 * and r, and the root misses the true contact only by a term of second order: convergence is quadratic where plain
 * advancement (B. Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems", 1996) is linear. The better one of
 * the two roots is taken. */
#include "pair.h"

/* From this many evaluations on the tolerance doubles with each: 64 doublings of 1 nm end any search. */
#define PATIENCE (CLASH_SWEEP_STEPS_MAX / 2)

/* Steps end this much (relatively) before the root, so that rounding never carries them past it. */
#define STEP_SAFETY (1.0 - 1e-12)

/** The plane's view of the four pairs of ends: clearance and rate of each, and the bound on the curvature. */
typedef struct plane_bound {
    double clearance[4], rate[4];
    double curvature;
} plane_bound;

/** Unit normal, from a to b. Within rounding of contact w has lost its direction: put it back across the axes. */
static dvec separating_normal(const pair_state *s)
{
    dvec w = s->near.w;
    double d = s->distance;

    if (d < 1e-5) {
        dvec u = s->a.along, v = s->b.along;
        bool a_inside = s->near.s > 0.0 && s->near.s<1.0, b_inside = s->near.t> 0.0 && s->near.t < 1.0;
        dvec c = dvec_cross(u, v);
        double cc = dvec_dot(c, c);

        if (a_inside && b_inside && cc > 1e-12 * dvec_dot(u, u) * dvec_dot(v, v))
            return dvec_scale(c, (dvec_dot(c, w) < 0.0 ? -1.0 : 1.0) / sqrt(cc));
        if (a_inside && !b_inside)
            w = dvec_add_scaled(w, u, -dvec_dot(w, u) / dvec_dot(u, u));
        if (b_inside && !a_inside)
            w = dvec_add_scaled(w, v, -dvec_dot(w, v) / dvec_dot(v, v));
        d = dvec_length(w);
    }
    return d > 0.0 ? dvec_scale(w, 1.0 / d) : (dvec){0.0, 0.0, 0.0};
}

/** q of the head comment: how the plane should turn so as to stay along the axes that carry a closest point inside. */
static dvec plane_turn(const pair_state *s, dvec n)
{
    dvec u = s->a.along, v = s->b.along;
    double nu = -dvec_dot(n, s->a.along_rate), nv = -dvec_dot(n, s->b.along_rate);
    double uu = dvec_dot(u, u), vv = dvec_dot(v, v);
    bool a_inside = s->near.s > 0.0 && s->near.s<1.0, b_inside = s->near.t> 0.0 && s->near.t < 1.0;

    if (a_inside && b_inside) {
        double uv = dvec_dot(u, v), det = uu * vv - uv * uv;

        if (det > 1e-8 * uu * vv) {
            dvec q = dvec_scale(u, (nu * vv - nv * uv) / det);

            return dvec_add_scaled(q, v, (nv * uu - nu * uv) / det);
        }
    }
    if (a_inside)
        return dvec_scale(u, nu / uu);
    if (b_inside)
        return dvec_scale(v, nv / vv);
    return (dvec){0.0, 0.0, 0.0};
}

static void plane_view(const pair *p, const pair_state *s, dvec n, dvec q, double limit, double horizon,
                       plane_bound *out)
{
    double turn = dvec_dot(q, q);
    double against = 0.0;

    for (int i = 0; i < 4; i++) {
        double on_a = (double)(i & 1), on_b = (double)(i >> 1);
        dvec gap = dvec_add_scaled(dvec_add_scaled(s->base_gap, s->b.along, on_b), s->a.along, -on_a);
        dvec rate = dvec_add_scaled(dvec_add_scaled(s->base_gap_rate, s->b.along_rate, on_b), s->a.along_rate, -on_a);

        out->clearance[i] = dvec_dot(n, gap) - limit;
        out->rate[i] = dvec_dot(n, rate) + dvec_dot(q, gap);
        against = min_of(against, dvec_dot(q, rate));
    }
    out->curvature = p->bend * (1.0 + 0.5 * horizon * horizon * turn) + limit * turn - 2.0 * against;
}

/** Whether all four bounds stay positive up to `horizon`: a concave parabola above 0 at both ends is above 0 between. */
static bool plane_clears(const plane_bound *b, double horizon)
{
    double fall = 0.5 * b->curvature * horizon * horizon;
    bool clear = true;

    for (int i = 0; i < 4; i++)
        clear = clear && b->clearance[i] > 0.0 && b->clearance[i] + b->rate[i] * horizon - fall > 0.0;
    return clear;
}

/** The first root of the four bounds: how far may be stepped. 0 where one of them is not positive now. */
static double plane_step(const plane_bound *b, double horizon)
{
    double step = horizon;

    for (int i = 0; i < 4; i++) {
        double c = b->clearance[i], r = b->rate[i];
        double below = sqrt(r * r + 2.0 * b->curvature * max_of(c, 0.0)) - r;

        if (c <= 0.0)
            return 0.0;
        if (2.0 * c < step * below)
            step = 2.0 * c / below;
    }
    return step;
}

/** How far nothing can touch from s on; `horizon` where it is all of it. */
static double safe_step(const pair *p, const pair_state *s, double limit, double horizon)
{
    plane_bound fixed, turned;
    dvec n = separating_normal(s), q;
    double step;

    plane_view(p, s, n, (dvec){0.0, 0.0, 0.0}, limit, horizon, &fixed);
    if (plane_clears(&fixed, horizon))
        return horizon;
    step = plane_step(&fixed, horizon);
    q = plane_turn(s, n);
    if (q.x == 0.0 && q.y == 0.0 && q.z == 0.0)
        return step;
    plane_view(p, s, n, q, limit, horizon, &turned);
    if (plane_clears(&turned, horizon))
        return horizon;
    return max_of(step, plane_step(&turned, horizon));
}

/* Steps are certified for half the tolerance, so that a search ends at the tolerance instead of creeping up to it, and a
 * touch at the very end of the interval is one. */
void pair_first_within(const pair *p, double limit, double from, double to, pair_search *out_search)
{
    double tolerance = p->tolerance;
    double x = from;

    out_search->found = true;
    for (int i = 0; i < CLASH_SWEEP_STEPS_MAX; i++) {
        double step;

        pair_at(p, x, &out_search->state);
        if (out_search->state.distance <= limit + tolerance)
            break;
        step = safe_step(p, &out_search->state, limit + 0.5 * p->tolerance, to - x);
        if (step >= to - x) {
            out_search->found = false;
            break;
        }
        x += step * STEP_SAFETY;
        if (i >= PATIENCE)
            tolerance *= 2.0;
    }
    out_search->x = x;
}

/* Release. The distance at x + h is at most that of the two points which are closest now:
 *     |w + w' h| + bend h^2 / 2 <= limit   where   |w + w' h|^2 <= limit^2 - limit bend h^2,
 * a quadratic in h with one positive root. Quadratic convergence, since the distance's first derivative is that of the
 * closest points. */
static double safe_step_inside(const pair *p, const pair_state *s, double limit)
{
    dvec rate =
        dvec_add_scaled(dvec_add_scaled(s->base_gap_rate, s->b.along_rate, s->near.t), s->a.along_rate, -s->near.s);
    double square = dvec_dot(rate, rate) + limit * p->bend;
    double slope = dvec_dot(s->near.w, rate);
    double room = limit * limit - s->near.distance_squared;
    double root = slope + sqrt(slope * slope + square * max_of(room, 0.0));

    return root > 0.0 ? max_of(room, 0.0) / root : INFINITY;
}

void pair_first_beyond(const pair *p, double limit, double from, double to, pair_search *out_search)
{
    double tolerance = p->tolerance;
    double x = from;

    out_search->found = true;
    for (int i = 0; i < CLASH_SWEEP_STEPS_MAX; i++) {
        double step;

        pair_at(p, x, &out_search->state);
        if (out_search->state.distance >= limit - tolerance)
            break;
        step = safe_step_inside(p, &out_search->state, limit - 0.5 * p->tolerance);
        if (step >= to - x) {
            out_search->found = false;
            break;
        }
        x += step * STEP_SAFETY;
        if (i >= PATIENCE)
            tolerance *= 2.0;
    }
    out_search->x = x;
}

double pair_min_distance(const pair *p, double from, double to, double resolution)
{
    pair_state ends;
    double low = 0.0, high;

    pair_at(p, from, &ends);
    high = ends.distance;
    pair_at(p, to, &ends);
    high = min_of(high, ends.distance);
    /* Halve the range of distances: each search either finds a smaller one or proves that there is none. */
    while (high - low > resolution) {
        pair_search search;
        double middle = 0.5 * (low + high);

        pair_first_within(p, middle, from, to, &search);
        if (search.found)
            high = min_of(middle, search.state.distance);
        else
            low = middle;
    }
    return high;
}
