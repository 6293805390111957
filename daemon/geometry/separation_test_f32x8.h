/* The proof of separation_test.h for eight pairs at once, with a closer look at how the ends leave their straight lines. Pure.
 *
 * With g(t) = t (1 - t) / 2, an end's deviation from the straight line is g(t) times its mean acceleration, which differs from
 * the one in the middle of the motion by at most half of angle^3 reach. Along the plane's normal only the difference of the
 * two bodies' accelerations counts, and only if it draws them together: blades that swing side by side are told apart
 * though each leaves its line by more than the gap. g is at most 1/8. */
#ifndef CLASH_GEOMETRY_SEPARATION_TEST_F32X8_H
#define CLASH_GEOMETRY_SEPARATION_TEST_F32X8_H

#include "f32x8.h"
#include "separation_test.h"

SIMD_INLINE f32x8 f32x8_reach(const f32x8_bodies *b)
{
    return f32x8_sqrt(f32x8_max(f32x8_vec_dot(b->base, b->base), f32x8_vec_dot(b->tip, b->tip)));
}

SIMD_INLINE f32x8 f32x8_sum(f32x8_vec a)
{
    return f32x8_abs(a.x) + f32x8_abs(a.y) + f32x8_abs(a.z);
}

/** Return v turned by q, which need not be of unit length: scale is 2 / |q|^2. */
SIMD_INLINE f32x8_vec f32x8_turn(const f32x8_quat *q, f32x8 scale, f32x8_vec v)
{
    f32x8_vec c = f32x8_vec_cross(q->v, v);

    c = (f32x8_vec){c.x * scale, c.y * scale, c.z * scale};
    return f32x8_vec_add(f32x8_vec_mad(v, c, q->w), f32x8_vec_cross(q->v, c));
}

/** A body's axis at both ends of the interval, and how it turns in between. */
typedef struct f32x8_axis {
    f32x8_vec origin[2]; /* of the device, from a's first one */
    f32x8_vec base[2], along[2];
    f32x8_vec axis;        /* of rotation; its length is the sine of half the angle (times both quaternions' lengths) */
    f32x8 per_axis_square; /* at most 1 / its length squared */
    f32x8 angle_square;    /* at least the angle squared */
    f32x8 per_cosine;      /* of half the angle */
    f32x8 square, squares; /* the first quaternion's squared length; that times the second's */
} f32x8_axis;

SIMD_INLINE f32x8_axis f32x8_axis_of(const f32x8_bodies *b, f32x8_vec origin)
{
    const f32x8_quat *f = &b->from_turn, *t = &b->to_turn;
    f32x8_vec arm = f32x8_vec_sub(b->tip, b->base), cross = f32x8_vec_cross(f->v, t->v);
    f32x8 ff = f32x8_vec_dot(f->v, f->v) + f->w * f->w, tt = f32x8_vec_dot(t->v, t->v) + t->w * t->w, squares = ff * tt;
    f32x8 dot = f32x8_vec_dot(f->v, t->v) + f->w * t->w, axis_square = 1.000001f * squares - dot * dot;
    /* one division for both: 1 / squares, and 1 / axis_square */
    f32x8 per_both = 1.0f / (squares * axis_square), per_squares = axis_square * per_both;
    f32x8 per_ff = tt * per_squares, per_tt = ff * per_squares, y = axis_square * per_squares;
    f32x8_axis axis;

    axis.origin[0] = f32x8_vec_sub(b->from, origin);
    axis.origin[1] = f32x8_vec_sub(b->to, origin);
    axis.base[0] = f32x8_turn(f, 2.0f * per_ff, b->base);
    axis.base[1] = f32x8_turn(t, 2.0f * per_tt, b->base);
    axis.along[0] = f32x8_turn(f, 2.0f * per_ff, arm);
    axis.along[1] = f32x8_turn(t, 2.0f * per_tt, arm);
    axis.axis = (f32x8_vec){f->w * t->v.x - t->w * f->v.x + cross.x, f->w * t->v.y - t->w * f->v.y + cross.y,
                            f->w * t->v.z - t->w * f->v.z + cross.z};
    axis.per_axis_square = squares * per_both;
    axis.angle_square = 4.0f * (y + y * y * (0.33333334f + 0.2682f * y));
    axis.per_cosine = 1.0f + y * (0.5f + y * (0.375f + 0.6f * y));
    axis.square = ff;
    axis.squares = squares;
    return axis;
}

/** Like separation_direction. A zero length divides 0 by 0; the clamp turns that NaN into a number, and any direction
 *  is sound. */
SIMD_INLINE f32x8_vec f32x8_direction(const f32x8_axis *a, const f32x8_axis *b)
{
    f32x8_vec u = f32x8_vec_add(a->along[0], a->along[1]), v = f32x8_vec_add(b->along[0], b->along[1]);
    f32x8_vec at_a = f32x8_vec_add(f32x8_vec_add(a->origin[0], a->origin[1]), f32x8_vec_add(a->base[0], a->base[1]));
    f32x8_vec at_b = f32x8_vec_add(f32x8_vec_add(b->origin[0], b->origin[1]), f32x8_vec_add(b->base[0], b->base[1]));
    f32x8_vec w = f32x8_vec_sub(at_b, at_a);
    f32x8 uu = f32x8_vec_dot(u, u), vv = f32x8_vec_dot(v, v), uv = f32x8_vec_dot(u, v);
    f32x8 uw = f32x8_vec_dot(u, w), vw = f32x8_vec_dot(v, w), det = uu * vv - uv * uv;
    f32x8 s = f32x8_choose(f32x8_less(1e-6f * uu * vv, det), f32x8_clamp01((uw * vv - uv * vw) / det), f32x8_all(0.5f));
    f32x8 t = f32x8_clamp01((uv * s - vw) / vv);

    s = f32x8_clamp01((uv * t + uw) / uu);
    return f32x8_vec_mad(f32x8_vec_mad(w, v, t), u, -s);
}

/** An axis as seen along n: extent of its two ends at both ends of the interval, and each end's acceleration along -n
 *  in the middle. */
typedef struct f32x8_view {
    f32x8 low[2], high[2];
    f32x8 low_pull, high_pull;
} f32x8_view;

/** The centripetal acceleration of an end with arm r is w (w.r) - r w^2 for angular rate w. What r has along the axis
 *  of rotation cancels, so the mean of its two end positions, shortened by the cosine of half the angle, can stand for
 *  r. */
SIMD_INLINE f32x8_view f32x8_view_of(const f32x8_axis *a, f32x8_vec n)
{
    f32x8 base[2], tip[2], base_pull, tip_pull;
    f32x8 along_axis = f32x8_vec_dot(n, a->axis) * a->per_axis_square,
          half_square = 0.5f * a->angle_square * a->per_cosine;
    f32x8 base_axis = f32x8_vec_dot(a->axis, a->base[0]), tip_axis = base_axis + f32x8_vec_dot(a->axis, a->along[0]);
    f32x8_view v;

    for (int end = 0; end < 2; end++) {
        f32x8 at = f32x8_vec_dot(n, a->origin[end]);

        base[end] = f32x8_vec_dot(n, a->base[end]);
        tip[end] = base[end] + f32x8_vec_dot(n, a->along[end]);
        v.low[end] = at + f32x8_min(base[end], tip[end]);
        v.high[end] = at + f32x8_max(base[end], tip[end]);
    }
    base_pull = (base[0] + base[1] - 2.0f * along_axis * base_axis) * half_square;
    tip_pull = (tip[0] + tip[1] - 2.0f * along_axis * tip_axis) * half_square;
    v.low_pull = f32x8_min(base_pull, tip_pull);
    v.high_pull = f32x8_max(base_pull, tip_pull);
    return v;
}

/** Eight pairs in the proof's three stages, so that two eights can take turns: the second stage is a long chain in
 *  which each result waits for the one before. */
typedef struct f32x8_proof {
    f32x8 limit, reach_a, reach_b;
    f32x8_axis a, b;
    f32x8_vec n;
} f32x8_proof;

SIMD_INLINE void f32x8_begin(f32x8_proof *p, const f32x8_bodies *a, const f32x8_bodies *b, float margin)
{
    p->limit = (a->radius + b->radius + margin) * 1.000001f + SEPARATION_TOLERANCE;
    p->reach_a = f32x8_reach(a);
    p->reach_b = f32x8_reach(b);
    p->a = f32x8_axis_of(a, a->from);
    p->b = f32x8_axis_of(b, a->from);
}

SIMD_INLINE void f32x8_aim(f32x8_proof *p)
{
    p->n = f32x8_direction(&p->a, &p->b);
}

SIMD_INLINE i32x8 f32x8_is_in_range(f32x8 square)
{
    return f32x8_less(f32x8_all(1e-12f), square) & f32x8_less(square, f32x8_all(1e12f));
}

/** Return bits: bit i is set if pair i, going through its whole motions, stays further apart than the sum of its radii
 *  and the margin. */
SIMD_APART unsigned f32x8_end(const f32x8_proof *p)
{
    f32x8_view from_a = f32x8_view_of(&p->a, p->n), from_b = f32x8_view_of(&p->b, p->n);
    f32x8 size = p->reach_a + p->reach_b + f32x8_sum(p->a.origin[1]) + f32x8_sum(p->b.origin[0]) +
                 f32x8_sum(p->b.origin[1]) + p->limit;
    f32x8 pull = f32x8_max(from_a.high_pull - from_b.low_pull, f32x8_all(0.0f));
    f32x8 turn = p->a.angle_square * f32x8_sqrt(p->a.angle_square) * p->reach_a +
                 p->b.angle_square * f32x8_sqrt(p->b.angle_square) * p->reach_b;
    f32x8 square = f32x8_vec_dot(p->n, p->n);
    f32x8 needed = f32x8_sqrt(square) * (p->limit + 0.0625f * turn + SEPARATION_ROUNDING * size);
    f32x8 gap = f32x8_min(from_b.low[0] - from_a.high[0], from_b.low[1] - from_a.high[1]);
    /* numbers whose products leave the range of float prove nothing */
    i32x8 sound = f32x8_less(p->a.angle_square, f32x8_all(2.46f)) & f32x8_less(p->b.angle_square, f32x8_all(2.46f)) &
                  f32x8_is_in_range(p->a.squares) & f32x8_is_in_range(p->b.squares) & f32x8_is_in_range(p->a.square) &
                  f32x8_is_in_range(p->b.square) & f32x8_less(f32x8_all(SEPARATION_SQUARE_MIN), square) &
                  f32x8_less(needed, f32x8_all(SEPARATION_NEEDED_MAX));

    return f32x8_mask(sound & f32x8_less(needed + 0.125f * pull, gap));
}

/** Return whether all eight radii are non-negative and no quaternion is zero, for finite numbers. */
SIMD_INLINE bool f32x8_is_valid(const f32x8_bodies *b)
{
    i32x8 from = (i32x8)b->from_turn.w | (i32x8)b->from_turn.v.x | (i32x8)b->from_turn.v.y | (i32x8)b->from_turn.v.z;
    i32x8 to = (i32x8)b->to_turn.w | (i32x8)b->to_turn.v.x | (i32x8)b->to_turn.v.y | (i32x8)b->to_turn.v.z;
    i32x8 zero = ((from & 0x7fffffff) == 0) | ((to & 0x7fffffff) == 0);

    return b->finite && f32x8_mask(zero | f32x8_less(b->radius, f32x8_all(0.0f))) == 0;
}

#endif
