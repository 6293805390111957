/* The truth for libclash: plain double precision with libm, sharing no code with it. Distances by trying every feature;
 * first contacts by exhaustive bisection with a Lipschitz bound, which cannot miss one. */
#ifndef CLASHD_TESTS_REFERENCE_H
#define CLASHD_TESTS_REFERENCE_H

#include <clash/sweep.h>
#include <math.h>

typedef struct ref_vec {
    double x, y, z;
} ref_vec;

static inline ref_vec ref_of(clash_vec3 v)
{
    return (ref_vec){(double)v.x, (double)v.y, (double)v.z};
}

static inline ref_vec ref_mad(ref_vec a, ref_vec b, double s)
{
    return (ref_vec){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}

static inline double ref_dot(ref_vec a, ref_vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline ref_vec ref_cross(ref_vec a, ref_vec b)
{
    return (ref_vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double ref_length(ref_vec a)
{
    return sqrt(ref_dot(a, a));
}

typedef struct ref_quat {
    double w;
    ref_vec v;
} ref_quat;

static inline ref_quat ref_unit(clash_quat q)
{
    double n = sqrt((double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z + (double)q.w * q.w);

    return (ref_quat){q.w / n, {q.x / n, q.y / n, q.z / n}};
}

static inline ref_quat ref_product(ref_quat a, ref_quat b)
{
    ref_vec v = ref_mad(ref_mad(ref_cross(a.v, b.v), b.v, a.w), a.v, b.w);

    return (ref_quat){a.w * b.w - ref_dot(a.v, b.v), v};
}

static inline ref_vec ref_turn(ref_quat q, ref_vec v)
{
    ref_quat p = ref_product(ref_product(q, (ref_quat){0, v}), (ref_quat){q.w, {-q.v.x, -q.v.y, -q.v.z}});

    return p.v;
}

/** Spherical interpolation the short way, and linear position. */
static inline void ref_pose_at(const clash_motion *m, double t, ref_quat *out_q, ref_vec *out_p)
{
    ref_quat a = ref_unit(m->from.orientation), b = ref_unit(m->to.orientation);
    double sign = a.w * b.w + ref_dot(a.v, b.v) < 0 ? -1.0 : 1.0;
    ref_quat apart = ref_product((ref_quat){sign * b.w, {sign * b.v.x, sign * b.v.y, sign * b.v.z}},
                                 (ref_quat){a.w, {-a.v.x, -a.v.y, -a.v.z}});
    double angle = atan2(ref_length(apart.v), apart.w);
    double fa = angle > 1e-12 ? sin((1 - t) * angle) / sin(angle) : 1 - t;
    double fb = sign * (angle > 1e-12 ? sin(t * angle) / sin(angle) : t);

    *out_q = (ref_quat){a.w * fa + b.w * fb, ref_mad((ref_vec){a.v.x * fa, a.v.y * fa, a.v.z * fa}, b.v, fb)};
    *out_p = ref_mad(ref_of(m->from.position), ref_mad(ref_of(m->to.position), ref_of(m->from.position), -1), t);
}

static inline void ref_axis_at(const clash_body *b, double t, ref_vec *out_base, ref_vec *out_tip)
{
    ref_quat q;
    ref_vec p;

    ref_pose_at(&b->motion, t, &q, &p);
    *out_base = ref_mad(p, ref_turn(q, ref_of(b->shape.base)), 1);
    *out_tip = ref_mad(p, ref_turn(q, ref_of(b->shape.tip)), 1);
}

static inline double ref_point_segment(ref_vec p, ref_vec a, ref_vec b)
{
    ref_vec d = ref_mad(b, a, -1);
    double dd = ref_dot(d, d), u = dd > 0 ? ref_dot(ref_mad(p, a, -1), d) / dd : 0;

    return ref_length(ref_mad(ref_mad(a, d, u < 0 ? 0 : u > 1 ? 1 : u), p, -1));
}

static inline double ref_segments(ref_vec a, ref_vec b, ref_vec c, ref_vec d)
{
    double m = fmin(fmin(ref_point_segment(a, c, d), ref_point_segment(b, c, d)),
                    fmin(ref_point_segment(c, a, b), ref_point_segment(d, a, b)));
    ref_vec u = ref_mad(b, a, -1), v = ref_mad(d, c, -1), r = ref_mad(c, a, -1), n = ref_cross(u, v);
    double nn = ref_dot(n, n);

    if (nn > 0) {
        double s = ref_dot(ref_cross(r, v), n) / nn, t = ref_dot(ref_cross(r, u), n) / nn;

        if (s >= 0 && s <= 1 && t >= 0 && t <= 1)
            m = fmin(m, ref_length(ref_mad(ref_mad(ref_mad(c, v, t), a, -1), u, -s)));
    }
    return m;
}

static inline double ref_distance_at(const clash_body *a, const clash_body *b, double t)
{
    ref_vec a0, a1, b0, b1;

    ref_axis_at(a, t, &a0, &a1);
    ref_axis_at(b, t, &b0, &b1);
    return ref_segments(a0, a1, b0, b1);
}

/** Return the distance when a is at span_a and b at span_b, at t of the shared interval. */
static inline double ref_distance_in_spans(const clash_body *a, clash_span span_a, const clash_body *b,
                                           clash_span span_b, double t)
{
    ref_vec a0, a1, b0, b1;

    ref_axis_at(a, span_a.from + t * (span_a.to - span_a.from), &a0, &a1);
    ref_axis_at(b, span_b.from + t * (span_b.to - span_b.from), &b0, &b1);
    return ref_segments(a0, a1, b0, b1);
}

/** Return a bound on how fast any point of the blade moves, per unit of t. */
static inline double ref_speed_bound(const clash_body *b)
{
    ref_quat p = ref_unit(b->motion.from.orientation), q = ref_unit(b->motion.to.orientation);
    ref_quat d = ref_product(q, (ref_quat){p.w, {-p.v.x, -p.v.y, -p.v.z}});
    double reach = fmax(ref_length(ref_of(b->shape.base)), ref_length(ref_of(b->shape.tip)));
    ref_vec step = ref_mad(ref_of(b->motion.to.position), ref_of(b->motion.from.position), -1);

    return ref_length(step) + 2 * atan2(ref_length(d.v), fabs(d.w)) * reach;
}

/** Return the first t in low..high with distance <= limit, to within `slack` of distance; -1 if there is none. Leftmost
 *  first. */
static inline double ref_first_within(const clash_body *a, const clash_body *b, double limit, double slack,
                                      double speed, double low, double high)
{
    double middle = 0.5 * (low + high), half = 0.5 * (high - low);
    double gap = ref_distance_at(a, b, middle) - limit, left;

    if (gap > speed * half)
        return -1;
    if (speed * half < slack)
        return gap <= slack ? low : -1;
    left = ref_first_within(a, b, limit, slack, speed, low, middle);
    return left >= 0 ? left : ref_first_within(a, b, limit, slack, speed, middle, high);
}

/** Return the least distance over 0..1, by halving the range of distances with the search above. */
static inline double ref_min_distance(const clash_body *a, const clash_body *b, double slack)
{
    double speed = ref_speed_bound(a) + ref_speed_bound(b) + 1e-12;
    double low = 0, high = fmin(ref_distance_at(a, b, 0), ref_distance_at(a, b, 1));

    while (high - low > slack) {
        double middle = 0.5 * (low + high), t = ref_first_within(a, b, middle, 0.25 * slack, speed, 0, 1);

        if (t >= 0)
            high = middle + 0.25 * slack;
        else
            low = middle;
    }
    return high;
}

#endif
