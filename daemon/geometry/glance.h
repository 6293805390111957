/* A certified proof of "apart" in single precision, from the end poses alone: it decides most pairs of a scene, and never
 * wrongly. What it cannot prove goes to the search. Pure.
 *
 * Each end of an axis stays within bend / 8 of the straight line between its end positions, where bend = angle^2 reach
 * bounds its acceleration. So if a plane keeps the straight lines of a and b apart by more than the limit plus both
 * deviations, the blades never touch; and straight lines that are apart at both ends of the interval are so between. */
#ifndef CLASH_GEOMETRY_GLANCE_H
#define CLASH_GEOMETRY_GLANCE_H

#include <clash/sweep.h>

#include "lanes.h"

typedef float quad __attribute__((vector_size(16)));

typedef struct quad3 {
    quad x, y, z;
} quad3;

/* Bound on everything that rounds below, relative to the sizes involved: a few
 * dozen operations of 6e-8 each. */
#define GLANCE_ROUNDING 1e-5f

LANES_INLINE quad quad_sqrt(quad a)
{
#if defined(__SSE2__)
    return (quad)_mm_sqrt_ps((__m128)a);
#else
    return (quad){sqrtf(a[0]), sqrtf(a[1]), sqrtf(a[2]), sqrtf(a[3])};
#endif
}

LANES_INLINE quad quad_dot(quad3 a, quad3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

LANES_INLINE quad3 quad_cross(quad3 a, quad3 b)
{
    return (quad3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

LANES_INLINE float glance_most(float a, float b)
{
    return a > b ? a : b;
}

LANES_INLINE float glance_clamp(float x)
{
    return x < 0.0f ? 0.0f : x > 1.0f ? 1.0f : x;
}

/** What positions and shapes alone say: reach of each body, and the proof by
 * spheres. */
typedef struct glance_spheres {
    float reach_a, reach_b, size; /* m; size bounds every length involved */
    bool apart;
} glance_spheres;

LANES_INLINE float glance_square(clash_vec3 v)
{
    return v.x * v.x + v.y * v.y + v.z * v.z;
}

/** The origins' gap runs along a straight line: it is at least its length in
 * the middle less half of its displacement. */
LANES_INLINE glance_spheres glance_at_spheres(const clash_body *a, const clash_body *b, float limit)
{
    clash_vec3 a0 = a->motion.from.position, a1 = a->motion.to.position;
    clash_vec3 b0 = b->motion.from.position, b1 = b->motion.to.position;
    clash_vec3 f = {b0.x - a0.x, b0.y - a0.y, b0.z - a0.z}, t = {b1.x - a1.x, b1.y - a1.y, b1.z - a1.z};
    clash_vec3 sum = {f.x + t.x, f.y + t.y, f.z + t.z}, step = {t.x - f.x, t.y - f.y, t.z - f.z};
    clash_vec3 moved = {a1.x - a0.x, a1.y - a0.y, a1.z - a0.z};
    quad square = {glance_most(glance_square(a->shape.base), glance_square(a->shape.tip)),
                   glance_most(glance_square(b->shape.base), glance_square(b->shape.tip)), glance_square(sum),
                   glance_square(step)};
    quad length = quad_sqrt(square);
    glance_spheres g;

    g.reach_a = length[0];
    g.reach_b = length[1];
    /* |moved| by its sum norm: only the size matters */
    g.size = length[0] + length[1] + length[2] + length[3] + fabsf(moved.x) + fabsf(moved.y) + fabsf(moved.z) + limit;
    g.apart = 0.5f * (length[2] - length[3]) > length[0] + length[1] + limit + GLANCE_ROUNDING * g.size;
    return g;
}

/** Orientations in quads (a from, b from, a to, b to), not normalised. */
typedef struct quad_turns {
    quad3 v;
    quad w, square;
} quad_turns;

LANES_INLINE quad_turns glance_turns(const clash_body *a, const clash_body *b)
{
    clash_quat p = a->motion.from.orientation, q = b->motion.from.orientation;
    clash_quat r = a->motion.to.orientation, s = b->motion.to.orientation;
    quad_turns t = {{{p.x, q.x, r.x, s.x}, {p.y, q.y, r.y, s.y}, {p.z, q.z, r.z, s.z}}, {p.w, q.w, r.w, s.w}, {0}};

    t.square = quad_dot(t.v, t.v) + t.w * t.w;
    return t;
}

/** v + 2 (w (q x v) + q x (q x v)) / |q|^2 */
LANES_INLINE quad3 glance_turn(const quad_turns *t, quad scale, quad3 v)
{
    quad3 c = quad_cross(t->v, v);
    quad3 d;

    c = (quad3){c.x * scale, c.y * scale, c.z * scale};
    d = quad_cross(t->v, c);
    return (quad3){v.x + c.x * t->w + d.x, v.y + c.y * t->w + d.y, v.z + c.z * t->w + d.z};
}

/** Bounds on the squares of both angles, in lanes 0 and 1; NaN or more than
 * (pi/2)^2 * 4 where they are too large for this series: asin(s)^2 <= y + y^2/3
 * + 0.2682 y^3 for y = s^2 <= 1/2 (all its coefficients are positive). */
LANES_INLINE quad glance_angle_squares(const quad_turns *t)
{
    quad3 to = {
        {t->v.x[2], t->v.x[3], 1.0f, 1.0f}, {t->v.y[2], t->v.y[3], 1.0f, 1.0f}, {t->v.z[2], t->v.z[3], 1.0f, 1.0f}};
    quad w = {t->w[2], t->w[3], 1.0f, 1.0f}, square = {t->square[2], t->square[3], 1.0f, 1.0f};
    quad dot = quad_dot(t->v, to) + t->w * w;
    quad y = 1.000001f - (dot / t->square) * (dot / square);

    return 4.0f * (y + y * y * (0.33333334f + 0.2682f * y));
}

LANES_INLINE quad3 glance_positions(const clash_body *a, const clash_body *b)
{
    clash_vec3 o = a->motion.from.position, p = b->motion.from.position;
    clash_vec3 q = a->motion.to.position, r = b->motion.to.position;

    return (quad3){{0.0f, p.x - o.x, q.x - o.x, r.x - o.x},
                   {0.0f, p.y - o.y, q.y - o.y, r.y - o.y},
                   {0.0f, p.z - o.z, q.z - o.z, r.z - o.z}};
}

/** A direction to try, from a to b: between the closest points (about) of the
 * axes' means. Any direction is sound. */
LANES_INLINE clash_vec3 glance_direction(quad3 base, quad3 along)
{
    clash_vec3 u = {along.x[0] + along.x[2], along.y[0] + along.y[2], along.z[0] + along.z[2]};
    clash_vec3 v = {along.x[1] + along.x[3], along.y[1] + along.y[3], along.z[1] + along.z[3]};
    clash_vec3 w = {base.x[1] + base.x[3] - base.x[0] - base.x[2], base.y[1] + base.y[3] - base.y[0] - base.y[2],
                    base.z[1] + base.z[3] - base.z[0] - base.z[2]};
    float uu = glance_square(u), vv = glance_square(v), uv = u.x * v.x + u.y * v.y + u.z * v.z;
    float uw = u.x * w.x + u.y * w.y + u.z * w.z, vw = v.x * w.x + v.y * w.y + v.z * w.z;
    float det = uu * vv - uv * uv;
    float s = det > 1e-6f * uu * vv ? glance_clamp((uw * vv - uv * vw) / det) : 0.5f;
    float t = vv > 0.0f ? glance_clamp((uv * s - vw) / vv) : 0.0f;

    s = uu > 0.0f ? glance_clamp((uv * t + uw) / uu) : 0.0f;
    return (clash_vec3){w.x + v.x * t - u.x * s, w.y + v.y * t - u.y * s, w.z + v.z * t - u.z * s};
}

/** True only where the two bodies, going through their whole motions, stay more
 * than `limit` apart. */
LANES_INLINE bool glance_proves_apart(const clash_body *a, const clash_body *b, double limit)
{
    float reach = (float)limit * 1.000001f;
    glance_spheres g = glance_at_spheres(a, b, reach);
    clash_vec3 p = a->shape.base, q = b->shape.base, r = a->shape.tip, s = b->shape.tip, n;
    quad_turns t;
    quad3 base, along, at;
    quad scale, angles, first, last, least, most;
    float apart, bend;

    if (g.apart)
        return true;
    t = glance_turns(a, b);
    scale = 2.0f / t.square;
    base = glance_turn(&t, scale, (quad3){{p.x, q.x, p.x, q.x}, {p.y, q.y, p.y, q.y}, {p.z, q.z, p.z, q.z}});
    r = (clash_vec3){r.x - p.x, r.y - p.y, r.z - p.z};
    s = (clash_vec3){s.x - q.x, s.y - q.y, s.z - q.z};
    along = glance_turn(&t, scale, (quad3){{r.x, s.x, r.x, s.x}, {r.y, s.y, r.y, s.y}, {r.z, s.z, r.z, s.z}});
    at = glance_positions(a, b);
    base = (quad3){base.x + at.x, base.y + at.y, base.z + at.z};
    n = glance_direction(base, along);
    angles = glance_angle_squares(&t);
    first = n.x * base.x + n.y * base.y + n.z * base.z;
    last = first + (n.x * along.x + n.y * along.y + n.z * along.z);
    least = (quad)(((first < last) & (int __attribute__((vector_size(16))))first) |
                   (~(first < last) & (int __attribute__((vector_size(16))))last));
    most = first + last - least;
    apart = least[1] - most[0] < least[3] - most[2] ? least[1] - most[0] : least[3] - most[2];
    bend = angles[0] * g.reach_a + angles[1] * g.reach_b;
    /* Half a turn's cosine squared below 1/2 is beyond the series; tiny
   * quaternions lose their digits. NaN fails all. */
    return angles[0] < 2.46f && angles[1] < 2.46f && t.square[0] > 1e-30f && t.square[1] > 1e-30f &&
           t.square[2] > 1e-30f && t.square[3] > 1e-30f &&
           apart > sqrtf(glance_square(n)) * (reach + 0.125f * bend + GLANCE_ROUNDING * g.size);
}

#endif
