/* closest.h for four pairs in lanes: the same formulas, each lane taking the branch that its pair takes there. Pure. */
#ifndef CLASH_GEOMETRY_FOUR_CLOSEST_H
#define CLASH_GEOMETRY_FOUR_CLOSEST_H

#include "four.h"

/** As closest. */
typedef struct four_closest {
    lanes s, t;
    lanes3 w;
    lanes distance_squared;
    lanes uu, vv, uv;
    lanes per_det;
} four_closest;

/** What closest_of_segments starts from. */
typedef struct four_segments {
    lanes3 w0, u, v;
    lanes uw, vw;
} four_segments;

/** Where `where` is set, takes the parameters s and t. */
LANES_INLINE void four_take(four_closest *c, const four_segments *g, lanes_mask where, lanes s, lanes t, lanes per_det)
{
    lanes3 w = lanes3_mad(lanes3_mad(g->w0, g->v, t), g->u, -s);

    c->s = lanes_choose(where, s, c->s);
    c->t = lanes_choose(where, t, c->t);
    c->w = four_choose(where, w, c->w);
    c->distance_squared = lanes_choose(where, lanes3_dot(w, w), c->distance_squared);
    c->per_det = lanes_choose(where, per_det, c->per_det);
}

/** As closest_on_border. */
LANES_INLINE void four_on_border(four_closest *c, const four_segments *g, lanes_mask where)
{
    lanes zero = lanes_all(0.0), one = lanes_all(1.0);
    lanes per_uu = lanes_choose(c->uu > 0.0, 1.0 / c->uu, zero), per_vv = lanes_choose(c->vv > 0.0, 1.0 / c->vv, zero);
    lanes s[4] = {zero, one, lanes_clamp01(g->uw * per_uu), lanes_clamp01((g->uw + c->uv) * per_uu)};
    lanes t[4] = {lanes_clamp01(-g->vw * per_vv), lanes_clamp01((c->uv - g->vw) * per_vv), zero, one};
    lanes dd[4];
    lanes_mask second, fourth, last;

    for (int i = 0; i < 4; i++) {
        lanes3 w = lanes3_mad(lanes3_mad(g->w0, g->v, t[i]), g->u, -s[i]);

        dd[i] = lanes3_dot(w, w);
    }
    second = dd[1] < dd[0];
    fourth = dd[3] < dd[2];
    last = lanes_choose(fourth, dd[3], dd[2]) < lanes_choose(second, dd[1], dd[0]);
    four_take(c, g, where, lanes_choose(last, lanes_choose(fourth, s[3], s[2]), lanes_choose(second, s[1], s[0])),
              lanes_choose(last, lanes_choose(fourth, t[3], t[2]), lanes_choose(second, t[1], t[0])), zero);
}

/** As closest_nearly_parallel; returns where that succeeds. */
LANES_INLINE lanes_mask four_nearly_parallel(four_closest *c, const four_segments *g, lanes_mask where, lanes det)
{
    lanes per_vv = 1.0 / c->vv;
    lanes3 across = lanes3_mad(g->u, g->v, -c->uv * per_vv), from = lanes3_mad(g->w0, g->v, -g->vw * per_vv);
    lanes square = lanes3_dot(across, across), reach = lanes3_dot(from, across);
    lanes s = reach / square, t = (s * c->uv - g->vw) * per_vv;
    lanes_mask found =
        where & (c->vv > 0.0) & (square > 0.0) & (reach >= 0.0) & (reach <= square) & (t >= 0.0) & (t <= 1.0);

    four_take(c, g, found, s, t, lanes_choose(det > 0.0, 1.0 / det, lanes_all(0.0)));
    return found;
}

/** As closest_of_segments. */
LANES_INLINE four_closest four_closest_of(lanes3 w0, lanes3 u, lanes3 v)
{
    four_segments g = {w0, u, v, lanes3_dot(u, w0), lanes3_dot(v, w0)};
    four_closest c = {.uu = lanes3_dot(u, u), .vv = lanes3_dot(v, v), .uv = lanes3_dot(u, v)};
    lanes det = c.uu * c.vv - c.uv * c.uv, per_det = 1.0 / det;
    lanes ns = g.uw * c.vv - g.vw * c.uv, nt = g.uw * c.uv - c.uu * g.vw, one = lanes_all(1.0);
    lanes_mask regular = det > 1e-4 * c.uu * c.vv;
    lanes_mask done = regular & (ns >= 0.0) & (ns <= det) & (nt >= 0.0) & (nt <= det);

    four_take(&c, &g, done, lanes_min(ns * per_det, one), lanes_min(nt * per_det, one), per_det);
    if (four_any(~regular))
        done |= four_nearly_parallel(&c, &g, ~regular, det);
    if (four_any(~done))
        four_on_border(&c, &g, ~done);
    return c;
}

#endif
