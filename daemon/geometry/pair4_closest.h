/* closest.h for four pairs in lanes: the same formulas, each lane taking the branch that its pair takes there. Pure. */
#ifndef CLASH_GEOMETRY_PAIR4_CLOSEST_H
#define CLASH_GEOMETRY_PAIR4_CLOSEST_H

#include "pair4.h"

/** As closest. */
typedef struct pair4_closest {
    f64x4 s, t;
    f64x4_vec w;
    f64x4 distance_squared;
    f64x4 uu, vv, uv;
    f64x4 per_det;
} pair4_closest;

/** What closest_of_segments starts from. */
typedef struct pair4_segments {
    f64x4_vec w0, u, v;
    f64x4 uw, vw;
} pair4_segments;

/** Take the parameters s and t in the lanes where `where` is set. */
SIMD_INLINE void pair4_take(pair4_closest *c, const pair4_segments *g, f64x4_mask where, f64x4 s, f64x4 t,
                            f64x4 per_det)
{
    f64x4_vec w = f64x4_vec_mad(f64x4_vec_mad(g->w0, g->v, t), g->u, -s);

    c->s = f64x4_choose(where, s, c->s);
    c->t = f64x4_choose(where, t, c->t);
    c->w = pair4_choose(where, w, c->w);
    c->distance_squared = f64x4_choose(where, f64x4_vec_dot(w, w), c->distance_squared);
    c->per_det = f64x4_choose(where, per_det, c->per_det);
}

/** As closest_on_border. */
SIMD_INLINE void pair4_on_border(pair4_closest *c, const pair4_segments *g, f64x4_mask where)
{
    f64x4 zero = f64x4_all(0.0), one = f64x4_all(1.0);
    f64x4 per_uu = f64x4_choose(f64x4_less(zero, c->uu), 1.0 / c->uu, zero),
          per_vv = f64x4_choose(f64x4_less(zero, c->vv), 1.0 / c->vv, zero);
    f64x4 s[4] = {zero, one, f64x4_clamp01(g->uw * per_uu), f64x4_clamp01((g->uw + c->uv) * per_uu)};
    f64x4 t[4] = {f64x4_clamp01(-g->vw * per_vv), f64x4_clamp01((c->uv - g->vw) * per_vv), zero, one};
    f64x4 dd[4];
    f64x4_mask second, fourth, last;

    for (int i = 0; i < 4; i++) {
        f64x4_vec w = f64x4_vec_mad(f64x4_vec_mad(g->w0, g->v, t[i]), g->u, -s[i]);

        dd[i] = f64x4_vec_dot(w, w);
    }
    second = f64x4_less(dd[1], dd[0]);
    fourth = f64x4_less(dd[3], dd[2]);
    last = f64x4_less(f64x4_choose(fourth, dd[3], dd[2]), f64x4_choose(second, dd[1], dd[0]));
    pair4_take(c, g, where, f64x4_choose(last, f64x4_choose(fourth, s[3], s[2]), f64x4_choose(second, s[1], s[0])),
               f64x4_choose(last, f64x4_choose(fourth, t[3], t[2]), f64x4_choose(second, t[1], t[0])), zero);
}

/** Like closest_nearly_parallel; return the lanes in which it succeeds. */
SIMD_INLINE f64x4_mask pair4_nearly_parallel(pair4_closest *c, const pair4_segments *g, f64x4_mask where, f64x4 det)
{
    f64x4 zero = f64x4_all(0.0), one = f64x4_all(1.0), per_vv = 1.0 / c->vv;
    f64x4_vec across = f64x4_vec_mad(g->u, g->v, -c->uv * per_vv), from = f64x4_vec_mad(g->w0, g->v, -g->vw * per_vv);
    f64x4 square = f64x4_vec_dot(across, across), reach = f64x4_vec_dot(from, across);
    f64x4 s = reach / square, t = (s * c->uv - g->vw) * per_vv;
    f64x4_mask found = where & f64x4_less(zero, c->vv) & f64x4_less(zero, square) & f64x4_at_most(zero, reach) &
                       f64x4_at_most(reach, square) & f64x4_at_most(zero, t) & f64x4_at_most(t, one);

    pair4_take(c, g, found, s, t, f64x4_choose(f64x4_less(zero, det), 1.0 / det, zero));
    return found;
}

/** As closest_of_segments. */
SIMD_INLINE pair4_closest pair4_closest_of(f64x4_vec w0, f64x4_vec u, f64x4_vec v)
{
    pair4_segments g = {w0, u, v, f64x4_vec_dot(u, w0), f64x4_vec_dot(v, w0)};
    pair4_closest c = {.uu = f64x4_vec_dot(u, u), .vv = f64x4_vec_dot(v, v), .uv = f64x4_vec_dot(u, v)};
    f64x4 det = c.uu * c.vv - c.uv * c.uv, per_det = 1.0 / det;
    f64x4 ns = g.uw * c.vv - g.vw * c.uv, nt = g.uw * c.uv - c.uu * g.vw, zero = f64x4_all(0.0), one = f64x4_all(1.0);
    f64x4_mask regular = f64x4_less(1e-4 * c.uu * c.vv, det);
    f64x4_mask done =
        regular & f64x4_at_most(zero, ns) & f64x4_at_most(ns, det) & f64x4_at_most(zero, nt) & f64x4_at_most(nt, det);

    pair4_take(&c, &g, done, f64x4_min(ns * per_det, one), f64x4_min(nt * per_det, one), per_det);
    if (pair4_any(~regular))
        done |= pair4_nearly_parallel(&c, &g, ~regular, det);
    if (pair4_any(~done))
        pair4_on_border(&c, &g, ~done);
    return c;
}

#endif
