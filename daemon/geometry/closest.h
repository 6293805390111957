/* Closest points of two segments, in double precision: the innermost step of every search. */
#ifndef CLASH_GEOMETRY_CLOSEST_H
#define CLASH_GEOMETRY_CLOSEST_H

#include "f64x4.h"

/** Points a + s u and a + w0 + t v; w = w0 + t v - s u points from the first to the second. */
typedef struct closest {
    double s, t; /* 0..1 */
    dvec w;
    double distance_squared;
    double uu, vv, uv; /* of the axes */
    double per_det;    /* 1 / (uu vv - uv uv) if the closest points were found with it; else 0 */
} closest;

SIMD_INLINE closest closest_at(dvec w0, dvec u, dvec v, double s, double t)
{
    dvec w = dvec_add_scaled(dvec_add_scaled(w0, v, t), u, -s);

    return (closest){.s = s, .t = t, .w = w, .distance_squared = dvec_dot(w, w)};
}

/** Return the minimum over the border of the parameter square: four distances of an endpoint to the other segment, at
 *  once. */
SIMD_INLINE closest closest_on_border(dvec w0, dvec u, dvec v, double uu, double vv, double uv, double uw, double vw)
{
    double per_uu = uu > 0.0 ? 1.0 / uu : 0.0;
    double per_vv = vv > 0.0 ? 1.0 / vv : 0.0;
    f64x4 foot = f64x4_clamp01((f64x4){-vw, uv - vw, uw, uw + uv} * (f64x4){per_vv, per_vv, per_uu, per_uu});
    f64x4 s = {0.0, 1.0, foot[2], foot[3]}, t = {foot[0], foot[1], 0.0, 1.0};
    f64x4_vec w = f64x4_vec_mad(f64x4_vec_mad(f64x4_vec_all(w0), f64x4_vec_all(v), t), f64x4_vec_all(u), -s);
    f64x4 dd = f64x4_vec_dot(w, w);
    int a = dd[1] < dd[0] ? 1 : 0, b = dd[3] < dd[2] ? 3 : 2;
    int k = dd[b] < dd[a] ? b : a;

    return (closest){.s = s[k], .t = t[k], .w = f64x4_vec_get(&w, k), .distance_squared = dd[k]};
}

/** Nearly parallel axes: det would be mostly rounding, so compute u's part perpendicular to v as a vector, which keeps
 *  its digits. Return false if the minimum is not inside. */
SIMD_INLINE bool closest_nearly_parallel(dvec w0, dvec u, dvec v, double vv, double uv, double vw, closest *out)
{
    double per_vv = 1.0 / vv;
    dvec across = dvec_add_scaled(u, v, -uv * per_vv), from = dvec_add_scaled(w0, v, -vw * per_vv);
    double square = dvec_dot(across, across), reach = dvec_dot(from, across);
    double s = reach / square, t = (s * uv - vw) * per_vv;

    if (!(square > 0.0 && reach >= 0.0 && reach <= square && t >= 0.0 && t <= 1.0))
        return false;
    *out = closest_at(w0, u, v, s, t);
    return true;
}

/** Return the closest points. w0 runs from the first segment's base to the second's; u and v are their axes (tip -
 *  base), possibly zero. The minimum of a convex quadratic over the unit square is inside, where both derivatives
 *  vanish, or on the border. */
SIMD_INLINE closest closest_of_segments(dvec w0, dvec u, dvec v)
{
    double uu = dvec_dot(u, u), vv = dvec_dot(v, v), uv = dvec_dot(u, v);
    double uw = dvec_dot(u, w0), vw = dvec_dot(v, w0);
    double det = uu * vv - uv * uv;
    double ns = uw * vv - uv * vw;
    double nt = uw * uv - uu * vw;
    closest c;

    if (!(det > 1e-4 * uu * vv)) {
        if (!(vv > 0.0 && closest_nearly_parallel(w0, u, v, vv, uv, vw, &c)))
            c = closest_on_border(w0, u, v, uu, vv, uv, uw, vw);
        else if (det > 0.0)
            c.per_det = 1.0 / det;
    } else if (ns >= 0.0 && ns <= det && nt >= 0.0 && nt <= det) {
        double per_det = 1.0 / det;

        c = closest_at(w0, u, v, min_of(ns * per_det, 1.0), min_of(nt * per_det, 1.0));
        c.per_det = per_det;
    } else {
        c = closest_on_border(w0, u, v, uu, vv, uv, uw, vw);
    }
    c.uu = uu;
    c.vv = vv;
    c.uv = uv;
    return c;
}

/** Return the unit vector from the first axis to the second; if they meet (w is 0), one perpendicular to both, or to
 *  the longer one if they are parallel or one has no length. */
dvec closest_normal(const closest *c, dvec u, dvec v);

#endif
