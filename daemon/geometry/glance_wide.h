/* The proof of glance.h for eight pairs at once: the same argument, the same bounds, another arrangement. Pure. */
#ifndef CLASH_GEOMETRY_GLANCE_WIDE_H
#define CLASH_GEOMETRY_GLANCE_WIDE_H

#include "glance.h"
#include "wide.h"

typedef struct wide_spheres {
    wide reach_a, reach_b, size;
    unsigned apart; /* bit i: pair i is */
} wide_spheres;

LANES_INLINE wide wide_reach(const wide_bodies *b)
{
    return wide_sqrt(wide_max(wide3_dot(b->base, b->base), wide3_dot(b->tip, b->tip)));
}

LANES_INLINE wide_spheres wide_at_spheres(const wide_bodies *a, const wide_bodies *b, wide limit)
{
    wide3 from = wide3_sub(b->from, a->from), to = wide3_sub(b->to, a->to);
    wide3 sum = wide3_add(from, to), step = wide3_sub(to, from), moved = wide3_sub(a->to, a->from);
    wide around = wide_sqrt(wide3_dot(sum, sum)), along = wide_sqrt(wide3_dot(step, step));
    wide_spheres s = {wide_reach(a), wide_reach(b), wide_all(0.0f), 0};

    s.size = s.reach_a + s.reach_b + around + along + wide_abs(moved.x) + wide_abs(moved.y) + wide_abs(moved.z) + limit;
    s.apart = wide_mask(0.5f * (around - along) > s.reach_a + s.reach_b + limit + GLANCE_ROUNDING * s.size);
    return s;
}

/** v turned by q, which need not be of unit length: scale is 2 / |q|^2. */
LANES_INLINE wide3 wide_turn(const wide_quat *q, wide scale, wide3 v)
{
    wide3 c = wide3_cross(q->v, v);

    c = (wide3){c.x * scale, c.y * scale, c.z * scale};
    return wide3_add(wide3_mad(v, c, q->w), wide3_cross(q->v, c));
}

/** A body's axis at both ends of the interval, and what bounds its turning. */
typedef struct wide_axis {
    wide3 base[2], along[2];
    wide angle_square;
    wide least_square; /* of the quaternions' squared lengths */
} wide_axis;

LANES_INLINE wide_axis wide_axis_of(const wide_bodies *b, wide3 origin)
{
    const wide_quat *f = &b->from_turn, *t = &b->to_turn;
    wide3 arm = wide3_sub(b->tip, b->base);
    wide ff = wide3_dot(f->v, f->v) + f->w * f->w, tt = wide3_dot(t->v, t->v) + t->w * t->w;
    wide dot = wide3_dot(f->v, t->v) + f->w * t->w;
    wide per_ff = 1.0f / ff, per_tt = 1.0f / tt;
    wide y = 1.000001f - (dot * per_ff) * (dot * per_tt);
    wide_axis axis;

    axis.base[0] = wide3_add(wide_turn(f, 2.0f * per_ff, b->base), wide3_sub(b->from, origin));
    axis.base[1] = wide3_add(wide_turn(t, 2.0f * per_tt, b->base), wide3_sub(b->to, origin));
    axis.along[0] = wide_turn(f, 2.0f * per_ff, arm);
    axis.along[1] = wide_turn(t, 2.0f * per_tt, arm);
    axis.angle_square = 4.0f * (y + y * y * (0.33333334f + 0.2682f * y));
    axis.least_square = wide_min(ff, tt);
    return axis;
}

/** As glance_direction. A zero length divides 0 by 0; the clamp turns that NaN into a number, and any direction is sound. */
LANES_INLINE wide3 wide_direction(const wide_axis *a, const wide_axis *b)
{
    wide3 u = wide3_add(a->along[0], a->along[1]), v = wide3_add(b->along[0], b->along[1]);
    wide3 w = wide3_sub(wide3_add(b->base[0], b->base[1]), wide3_add(a->base[0], a->base[1]));
    wide uu = wide3_dot(u, u), vv = wide3_dot(v, v), uv = wide3_dot(u, v);
    wide uw = wide3_dot(u, w), vw = wide3_dot(v, w), det = uu * vv - uv * uv;
    wide s = wide_choose(det > 1e-6f * uu * vv, wide_clamp01((uw * vv - uv * vw) / det), wide_all(0.5f));
    wide t = wide_clamp01((uv * s - vw) / vv);

    s = wide_clamp01((uv * t + uw) / uu);
    return wide3_mad(wide3_mad(w, v, t), u, -s);
}

/** How far along n the axis b stays beyond the axis a, at one end of the interval. */
LANES_INLINE wide wide_separation(const wide_axis *a, const wide_axis *b, int end, wide3 n)
{
    wide base_a = wide3_dot(n, a->base[end]), base_b = wide3_dot(n, b->base[end]);
    wide tip_a = base_a + wide3_dot(n, a->along[end]), tip_b = base_b + wide3_dot(n, b->along[end]);

    return wide_min(base_b, tip_b) - wide_max(base_a, tip_a);
}

/** Bit i of the result: pair i, going through its whole motions, stays further apart than the sum of its radii. */
LANES_INLINE unsigned wide_proves_apart(const wide_bodies *a, const wide_bodies *b)
{
    wide limit = (a->radius + b->radius) * 1.000001f;
    wide_spheres s = wide_at_spheres(a, b, limit);
    wide_axis p, q;
    wide3 n;
    wide bend, needed, gap;
    wide_bits sound;

    if (s.apart == (1u << WIDE) - 1)
        return s.apart;
    p = wide_axis_of(a, a->from);
    q = wide_axis_of(b, a->from);
    n = wide_direction(&p, &q);
    bend = p.angle_square * s.reach_a + q.angle_square * s.reach_b;
    needed = wide_sqrt(wide3_dot(n, n)) * (limit + 0.125f * bend + GLANCE_ROUNDING * s.size);
    gap = wide_min(wide_separation(&p, &q, 0, n), wide_separation(&p, &q, 1, n));
    sound = (p.angle_square < 2.46f) & (q.angle_square < 2.46f) & (p.least_square > 1e-30f) & (q.least_square > 1e-30f);
    return s.apart | wide_mask(sound & (gap > needed));
}

/** Whether all eight radii are non-negative and no quaternion is zero; finite ones only. */
LANES_INLINE bool wide_is_valid(const wide_bodies *b)
{
    wide_bits from = (wide_bits)b->from_turn.w | (wide_bits)b->from_turn.v.x | (wide_bits)b->from_turn.v.y |
                     (wide_bits)b->from_turn.v.z;
    wide_bits to =
        (wide_bits)b->to_turn.w | (wide_bits)b->to_turn.v.x | (wide_bits)b->to_turn.v.y | (wide_bits)b->to_turn.v.z;
    wide_bits zero = ((from & 0x7fffffff) == 0) | ((to & 0x7fffffff) == 0);

    return b->finite && wide_mask(zero | (b->radius < 0.0f)) == 0;
}

#endif
