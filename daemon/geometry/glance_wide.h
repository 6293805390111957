/* The proof of glance.h for eight pairs at once, with a closer look at how the ends leave their straight lines. Pure.
 *
 * With g(t) = t (1 - t) / 2, an end's deviation from the straight line is g(t) times its mean acceleration, which differs from
 * the one in the middle of the motion by at most half of angle^3 reach. Along the plane's normal only the difference of the
 * two bodies' accelerations counts, and only where it draws them together: blades that swing side by side are told apart
 * though each leaves its line by more than the gap. g is at most 1/8. */
#ifndef CLASH_GEOMETRY_GLANCE_WIDE_H
#define CLASH_GEOMETRY_GLANCE_WIDE_H

#include "glance.h"
#include "wide.h"

LANES_INLINE wide wide_reach(const wide_bodies *b)
{
    return wide_sqrt(wide_max(wide3_dot(b->base, b->base), wide3_dot(b->tip, b->tip)));
}

LANES_INLINE wide wide_sum(wide3 a)
{
    return wide_abs(a.x) + wide_abs(a.y) + wide_abs(a.z);
}

/** v turned by q, which need not be of unit length: scale is 2 / |q|^2. */
LANES_INLINE wide3 wide_turn(const wide_quat *q, wide scale, wide3 v)
{
    wide3 c = wide3_cross(q->v, v);

    c = (wide3){c.x * scale, c.y * scale, c.z * scale};
    return wide3_add(wide3_mad(v, c, q->w), wide3_cross(q->v, c));
}

/** A body's axis at both ends of the interval, and how it turns in between. */
typedef struct wide_axis {
    wide3 origin[2]; /* of the device, from a's first one */
    wide3 base[2], along[2];
    wide3 axis;           /* of rotation, as long as the sine of half the angle (times both quaternions' lengths) */
    wide per_axis_square; /* 1 / its length squared, at most */
    wide angle_square;    /* at least that of the angle */
    wide per_cosine;      /* of half the angle */
    wide squares;         /* both quaternions' squared lengths, multiplied */
} wide_axis;

LANES_INLINE wide_axis wide_axis_of(const wide_bodies *b, wide3 origin)
{
    const wide_quat *f = &b->from_turn, *t = &b->to_turn;
    wide3 arm = wide3_sub(b->tip, b->base), cross = wide3_cross(f->v, t->v);
    wide ff = wide3_dot(f->v, f->v) + f->w * f->w, tt = wide3_dot(t->v, t->v) + t->w * t->w, squares = ff * tt;
    wide dot = wide3_dot(f->v, t->v) + f->w * t->w, axis_square = 1.000001f * squares - dot * dot;
    /* One division for all: 1 / squares, and 1 / axis_square. */
    wide per_both = 1.0f / (squares * axis_square), per_squares = axis_square * per_both;
    wide per_ff = tt * per_squares, per_tt = ff * per_squares, y = axis_square * per_squares;
    wide_axis axis;

    axis.origin[0] = wide3_sub(b->from, origin);
    axis.origin[1] = wide3_sub(b->to, origin);
    axis.base[0] = wide_turn(f, 2.0f * per_ff, b->base);
    axis.base[1] = wide_turn(t, 2.0f * per_tt, b->base);
    axis.along[0] = wide_turn(f, 2.0f * per_ff, arm);
    axis.along[1] = wide_turn(t, 2.0f * per_tt, arm);
    axis.axis = (wide3){f->w * t->v.x - t->w * f->v.x + cross.x, f->w * t->v.y - t->w * f->v.y + cross.y,
                        f->w * t->v.z - t->w * f->v.z + cross.z};
    axis.per_axis_square = squares * per_both;
    axis.angle_square = 4.0f * (y + y * y * (0.33333334f + 0.2682f * y));
    axis.per_cosine = 1.0f + y * (0.5f + y * (0.375f + 0.6f * y));
    axis.squares = squares;
    return axis;
}

/** As glance_direction. A zero length divides 0 by 0; the clamp turns that NaN into a number, and any direction is sound. */
LANES_INLINE wide3 wide_direction(const wide_axis *a, const wide_axis *b)
{
    wide3 u = wide3_add(a->along[0], a->along[1]), v = wide3_add(b->along[0], b->along[1]);
    wide3 at_a = wide3_add(wide3_add(a->origin[0], a->origin[1]), wide3_add(a->base[0], a->base[1]));
    wide3 at_b = wide3_add(wide3_add(b->origin[0], b->origin[1]), wide3_add(b->base[0], b->base[1]));
    wide3 w = wide3_sub(at_b, at_a);
    wide uu = wide3_dot(u, u), vv = wide3_dot(v, v), uv = wide3_dot(u, v);
    wide uw = wide3_dot(u, w), vw = wide3_dot(v, w), det = uu * vv - uv * uv;
    wide s = wide_choose(det > 1e-6f * uu * vv, wide_clamp01((uw * vv - uv * vw) / det), wide_all(0.5f));
    wide t = wide_clamp01((uv * s - vw) / vv);

    s = wide_clamp01((uv * t + uw) / uu);
    return wide3_mad(wide3_mad(w, v, t), u, -s);
}

/** An axis as seen along n: reach of its two ends at both ends of the interval, and how hard each end is drawn along -n in
 *  the middle of it. */
typedef struct wide_view {
    wide low[2], high[2];
    wide low_pull, high_pull;
} wide_view;

/** The centripetal acceleration of an end with arm r is w (w.r) - r w^2 for angular rate w: what r has along the axis of
 *  rotation cancels, so the mean of its two end positions, shortened by the cosine of half the angle, will do for r. */
LANES_INLINE wide_view wide_view_of(const wide_axis *a, wide3 n)
{
    wide base[2], tip[2], base_pull, tip_pull;
    wide along_axis = wide3_dot(n, a->axis) * a->per_axis_square, half_square = 0.5f * a->angle_square * a->per_cosine;
    wide base_axis = wide3_dot(a->axis, a->base[0]), tip_axis = base_axis + wide3_dot(a->axis, a->along[0]);
    wide_view v;

    for (int end = 0; end < 2; end++) {
        wide at = wide3_dot(n, a->origin[end]);

        base[end] = wide3_dot(n, a->base[end]);
        tip[end] = base[end] + wide3_dot(n, a->along[end]);
        v.low[end] = at + wide_min(base[end], tip[end]);
        v.high[end] = at + wide_max(base[end], tip[end]);
    }
    base_pull = (base[0] + base[1] - 2.0f * along_axis * base_axis) * half_square;
    tip_pull = (tip[0] + tip[1] - 2.0f * along_axis * tip_axis) * half_square;
    v.low_pull = wide_min(base_pull, tip_pull);
    v.high_pull = wide_max(base_pull, tip_pull);
    return v;
}

/** Eight pairs on the way to the proof, in three stages, so that two eights can take turns: the second stage is a long chain
 *  in which each result waits for the one before. */
typedef struct wide_proof {
    wide limit, reach_a, reach_b;
    wide_axis a, b;
    wide3 n;
} wide_proof;

LANES_INLINE void wide_begin(wide_proof *p, const wide_bodies *a, const wide_bodies *b, float margin)
{
    p->limit = (a->radius + b->radius + margin) * 1.000001f;
    p->reach_a = wide_reach(a);
    p->reach_b = wide_reach(b);
    p->a = wide_axis_of(a, a->from);
    p->b = wide_axis_of(b, a->from);
}

LANES_INLINE void wide_aim(wide_proof *p)
{
    p->n = wide_direction(&p->a, &p->b);
}

/** Bit i of the result: pair i, going through its whole motions, stays further apart than the sum of its radii and the
 *  margin. */
LANES_INLINE unsigned wide_end(const wide_proof *p)
{
    wide_view from_a = wide_view_of(&p->a, p->n), from_b = wide_view_of(&p->b, p->n);
    wide size = p->reach_a + p->reach_b + wide_sum(p->a.origin[1]) + wide_sum(p->b.origin[0]) +
                wide_sum(p->b.origin[1]) + p->limit;
    wide pull = wide_max(from_a.high_pull - from_b.low_pull, wide_all(0.0f));
    wide turn = p->a.angle_square * wide_sqrt(p->a.angle_square) * p->reach_a +
                p->b.angle_square * wide_sqrt(p->b.angle_square) * p->reach_b;
    wide needed = wide_sqrt(wide3_dot(p->n, p->n)) * (p->limit + 0.0625f * turn + GLANCE_ROUNDING * size);
    wide gap = wide_min(from_b.low[0] - from_a.high[0], from_b.low[1] - from_a.high[1]);
    /* Quaternions whose products leave the range of float prove nothing. */
    wide_bits sound = (p->a.angle_square < 2.46f) & (p->b.angle_square < 2.46f) & (p->a.squares > 1e-12f) &
                      (p->b.squares > 1e-12f) & (p->a.squares < 1e12f) & (p->b.squares < 1e12f);

    return wide_mask(sound & (gap > needed + 0.125f * pull));
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
