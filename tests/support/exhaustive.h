/* Exhaustive search over a whole interval, sharp enough for tolerances of nanometres: bisection that leaves out a part only
 * where a plane provably keeps the blades apart throughout it. Double precision with libm; of the same nature as the
 * search in reference.h, with a third-order bound in place of the speed alone, and no code in common with libclash.
 *
 * In a part of half width h let n be the direction between the closest points in its middle, and let it turn with a constant
 * angular velocity W, which may be any. For each gap g between an end of one axis and an end of the other, f = n.g and
 *     f(t) >= f - |f1| h + min(0, f2) h^2 / 2 - |f3| h^3 / 6     for all |t| <= h, where f1, f2 are f's derivatives,
 *     f1 = n.(g1 - W x g),  f2 = n.(g2 - 2 W x g1 + W x (W x g)),  |f3| <= |g3| + 3 W |g2| + 3 W^2 |g1| + W^3 |g|,
 * and the distance is at least the least of the four. Tried are W = 0, the blades' own, and the one that keeps n across the
 * axes; and the distance in the middle less speed * h. */
#ifndef CLASHD_TESTS_EXHAUSTIVE_H
#define CLASHD_TESTS_EXHAUSTIVE_H

#include "support/reference.h"

/** One body's motion: an end is at from + t step + still + across cos(angle t) + ahead sin(angle t). */
typedef struct exhaustive_motion {
    ref_vec from, step, axis, still[2], across[2], ahead[2];
    double angle, reach;
} exhaustive_motion;

typedef struct exhaustive_pair {
    exhaustive_motion of[2];
    clash_span spans[2];
    double most[4]; /* bounds on |g|, |g1|, |g2| and |g3| of the head comment; most[1] is the speed */
    double size;    /* of everything involved, m: what rounding is relative to */
    long looks;
} exhaustive_pair;

static inline ref_vec exhaustive_scaled(ref_vec v, double s)
{
    return (ref_vec){v.x * s, v.y * s, v.z * s};
}

static inline ref_vec exhaustive_from_to(ref_vec from, ref_vec to)
{
    return ref_mad(to, from, -1);
}

static inline exhaustive_motion exhaustive_motion_of(const clash_body *b)
{
    ref_quat f = ref_unit(b->motion.from.orientation), t = ref_unit(b->motion.to.orientation);
    ref_quat d = ref_product(t, (ref_quat){f.w, {-f.v.x, -f.v.y, -f.v.z}});
    double sine = ref_length(d.v), sign = d.w < 0 ? -1.0 : 1.0;
    ref_vec arms[2] = {ref_turn(f, ref_of(b->shape.base)), ref_turn(f, ref_of(b->shape.tip))};
    exhaustive_motion m = {.from = ref_of(b->motion.from.position), .angle = 2 * atan2(sine, sign * d.w)};

    m.axis = sine > 0 ? exhaustive_scaled(d.v, sign / sine) : (ref_vec){0, 0, 0};
    m.step = exhaustive_from_to(m.from, ref_of(b->motion.to.position));
    for (int i = 0; i < 2; i++) {
        m.still[i] = exhaustive_scaled(m.axis, ref_dot(m.axis, arms[i]));
        m.across[i] = exhaustive_from_to(m.still[i], arms[i]);
        m.ahead[i] = ref_cross(m.axis, arms[i]);
        m.reach = fmax(m.reach, ref_length(arms[i]));
    }
    return m;
}

static inline exhaustive_pair exhaustive_pair_of(const clash_body *a, clash_span span_a, const clash_body *b,
                                                 clash_span span_b)
{
    exhaustive_pair p = {.of = {exhaustive_motion_of(a), exhaustive_motion_of(b)}, .spans = {span_a, span_b}};

    p.most[1] = 1e-300;
    for (int i = 0; i < 2; i++) {
        const exhaustive_motion *m = &p.of[i];
        double width = p.spans[i].to - p.spans[i].from, rate = m->angle * width;

        p.most[1] += ref_length(m->step) * width + rate * m->reach;
        p.most[2] += rate * rate * m->reach;
        p.most[3] += rate * rate * rate * m->reach;
        p.size += m->reach + ref_length(m->step);
    }
    p.size += ref_length(exhaustive_from_to(p.of[0].from, p.of[1].from));
    p.most[0] = p.size;
    return p;
}

static inline exhaustive_pair exhaustive_whole(const clash_body *a, const clash_body *b)
{
    return exhaustive_pair_of(a, (clash_span){0, 1}, b, (clash_span){0, 1});
}

/** Return the shortest vector from the segment e[0] e[1] to the segment e[2] e[3]. */
static inline ref_vec exhaustive_gap(const ref_vec e[4])
{
    ref_vec best = {HUGE_VAL, 0, 0}, u = exhaustive_from_to(e[0], e[1]), v = exhaustive_from_to(e[2], e[3]);
    ref_vec r = exhaustive_from_to(e[0], e[2]), n = ref_cross(u, v), from[5] = {e[0], e[1], e[2], e[3], e[0]};
    double nn = ref_dot(n, n), s = nn > 0 ? ref_dot(ref_cross(r, v), n) / nn : 0;

    /* The last is a point on the first segment near the lines' closest: exact only in the direction that matters. */
    from[4] = ref_mad(e[0], u, fmin(fmax(s, 0), 1));
    for (int i = 0; i < 5; i++) {
        bool of_first = i != 2 && i != 3;
        ref_vec base = of_first ? e[2] : e[0], along = of_first ? v : u, w;
        double square = ref_dot(along, along);
        double at = square > 0 ? ref_dot(exhaustive_from_to(base, from[i]), along) / square : 0;

        w = exhaustive_from_to(from[i], ref_mad(base, along, fmin(fmax(at, 0), 1)));
        if (!(ref_length(best) <= ref_length(w)))
            best = of_first ? w : exhaustive_scaled(w, -1);
    }
    return best;
}

/** Everything at one time: the four ends, relative to a's origin, with two derivatives, and the shortest gap. */
typedef struct exhaustive_state {
    ref_vec ends[4], rates[4], bends[4], gap;
    double distance;
} exhaustive_state;

static inline exhaustive_state exhaustive_at(const exhaustive_pair *p, double t)
{
    exhaustive_state s;

    for (int i = 0; i < 2; i++) {
        const exhaustive_motion *m = &p->of[i];
        double width = p->spans[i].to - p->spans[i].from, at = p->spans[i].from + t * width, rate = m->angle * width;
        double sine = sin(m->angle * at), cosine = cos(m->angle * at);
        ref_vec origin = ref_mad(exhaustive_from_to(p->of[0].from, m->from), m->step, at);

        for (int k = 0; k < 2; k++) {
            ref_vec arm = ref_mad(exhaustive_scaled(m->across[k], cosine), m->ahead[k], sine);
            ref_vec turned = ref_mad(exhaustive_scaled(m->ahead[k], cosine), m->across[k], -sine);

            s.ends[2 * i + k] = ref_mad(ref_mad(origin, m->still[k], 1), arm, 1);
            s.rates[2 * i + k] = ref_mad(exhaustive_scaled(m->step, width), turned, rate);
            s.bends[2 * i + k] = exhaustive_scaled(arm, -rate * rate);
        }
    }
    s.gap = exhaustive_gap(s.ends);
    s.distance = ref_length(s.gap);
    return s;
}

static inline double exhaustive_distance(const exhaustive_pair *p, double t)
{
    return exhaustive_at(p, t).distance;
}

/** Return the head comment's bound for one angular velocity. */
static inline double exhaustive_bound(const exhaustive_pair *p, const exhaustive_state *s, ref_vec n, ref_vec w,
                                      double half)
{
    double turn = ref_length(w), least = HUGE_VAL;
    double third = p->most[3] + turn * (3 * p->most[2] + turn * (3 * p->most[1] + turn * p->most[0]));

    for (int i = 0; i < 2; i++) {
        for (int k = 2; k < 4; k++) {
            ref_vec g = exhaustive_from_to(s->ends[i], s->ends[k]), g1 = exhaustive_from_to(s->rates[i], s->rates[k]);
            ref_vec g2 = exhaustive_from_to(s->bends[i], s->bends[k]), wg = ref_cross(w, g);
            double f1 = ref_dot(n, ref_mad(g1, wg, -1));
            double f2 = ref_dot(n, ref_mad(ref_mad(g2, ref_cross(w, g1), -2), ref_cross(w, wg), 1));

            least = fmin(least, ref_dot(n, g) - fabs(f1) * half + fmin(0, f2) * half * half / 2);
        }
    }
    return least - third * half * half * half / 6;
}

/** Return the angular velocity that keeps n perpendicular to both axes, or to the longer one if they are nearly
 *  parallel. */
static inline ref_vec exhaustive_follow(const exhaustive_state *s, ref_vec n)
{
    ref_vec u = exhaustive_from_to(s->ends[0], s->ends[1]), v = exhaustive_from_to(s->ends[2], s->ends[3]);
    double uu = ref_dot(u, u), vv = ref_dot(v, v), uv = ref_dot(u, v), det = uu * vv - uv * uv;
    double nu = ref_dot(n, exhaustive_from_to(s->rates[1], s->rates[0]));
    double nv = ref_dot(n, exhaustive_from_to(s->rates[3], s->rates[2]));
    ref_vec q = {0, 0, 0};

    if (det > 1e-9 * uu * vv)
        q = ref_mad(exhaustive_scaled(u, (nu * vv - nv * uv) / det), v, (nv * uu - nu * uv) / det);
    else if (uu > 0 || vv > 0)
        q = uu >= vv ? exhaustive_scaled(u, nu / uu) : exhaustive_scaled(v, nv / vv);
    return ref_cross(n, q);
}

static inline ref_vec exhaustive_turning(const exhaustive_pair *p, int i)
{
    return exhaustive_scaled(p->of[i].axis, p->of[i].angle * (p->spans[i].to - p->spans[i].from));
}

/** Return the distance at `middle`; *out_least is a lower bound of it over middle - half .. middle + half. Stops trying
 *  bounds once one is above `enough`. */
static inline double exhaustive_look(exhaustive_pair *p, double middle, double half, double enough, double *out_least)
{
    exhaustive_state s = exhaustive_at(p, middle);
    ref_vec n = exhaustive_scaled(s.gap, 1 / s.distance);

    p->looks++;
    *out_least = s.distance - p->most[1] * half;
    if (!(s.distance > 0) || s.distance <= enough)
        return s.distance;
    for (int i = 0; i < 4 && !(*out_least > enough); i++) {
        ref_vec w = i == 0 ? (ref_vec){0, 0, 0} : i == 1 ? exhaustive_follow(&s, n) : exhaustive_turning(p, i - 2);

        *out_least = fmax(*out_least, exhaustive_bound(p, &s, n, w, half));
    }
    return s.distance;
}

/** Where a search found something: within low..high. `found` is false if it proved that there is nothing. */
typedef struct exhaustive_first {
    bool found;
    double low, high;
} exhaustive_first;

/** Find the first time within low..high with distance <= limit, to within `slack` of distance. */
static inline exhaustive_first exhaustive_first_within(exhaustive_pair *p, double limit, double slack, double low,
                                                       double high)
{
    double middle = 0.5 * (low + high), half = 0.5 * (high - low), least;
    double distance = exhaustive_look(p, middle, half, limit, &least);
    exhaustive_first first;

    if (least > limit)
        return (exhaustive_first){false, 0, 0};
    if (p->most[1] * half < slack || !(low < middle && middle < high))
        return (exhaustive_first){distance <= limit + slack, low, high};
    first = exhaustive_first_within(p, limit, slack, low, middle);
    return first.found ? first : exhaustive_first_within(p, limit, slack, middle, high);
}

/** Find the first time within low..high with distance >= limit, to within `slack`. */
static inline exhaustive_first exhaustive_first_beyond(exhaustive_pair *p, double limit, double slack, double low,
                                                       double high)
{
    double middle = 0.5 * (low + high), half = 0.5 * (high - low), distance = exhaustive_distance(p, middle);
    exhaustive_first first;

    p->looks++;
    if (distance + p->most[1] * half < limit)
        return (exhaustive_first){false, 0, 0};
    if (p->most[1] * half < slack || !(low < middle && middle < high))
        return (exhaustive_first){distance >= limit - slack, low, high};
    first = exhaustive_first_beyond(p, limit, slack, low, middle);
    return first.found ? first : exhaustive_first_beyond(p, limit, slack, middle, high);
}

/** Lower *least to the least distance over low..high, to within `slack`. */
static inline void exhaustive_least(exhaustive_pair *p, double slack, double low, double high, double *least)
{
    double middle = 0.5 * (low + high), bound;
    double distance = exhaustive_look(p, middle, 0.5 * (high - low), *least - slack, &bound);

    *least = fmin(*least, distance);
    if (bound >= *least - slack || !(low < middle && middle < high))
        return;
    exhaustive_least(p, slack, low, middle, least);
    exhaustive_least(p, slack, middle, high, least);
}

#endif
