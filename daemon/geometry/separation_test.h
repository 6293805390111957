/* A certified proof of "apart" in single precision, from the end poses alone: it decides most pairs of a scene, and never
 * wrongly. What it cannot prove goes to the search. Pure.
 *
 * Each end of an axis stays within bend / 8 of the straight line between its end positions, where bend = angle^2 reach
 * bounds its acceleration. So if a plane keeps the straight lines of a and b apart by more than the limit plus both
 * deviations, the blades never touch; and straight lines that are apart at both ends of the interval are so between. */
#ifndef CLASH_GEOMETRY_SEPARATION_TEST_H
#define CLASH_GEOMETRY_SEPARATION_TEST_H

#include <clash/sweep.h>

#include "f64x4.h"

typedef float f32x4 __attribute__((vector_size(16)));

typedef struct f32x4_vec {
    f32x4 x, y, z;
} f32x4_vec;

/* Relative bound on all rounding below: a few dozen operations of 6e-8 each. */
#define SEPARATION_ROUNDING 1e-5f

/* m. The search calls a gap of its tolerance (1 nm, or a few if it takes long) a touch. What is proven apart must be
 * further apart than that, or blades of micrometres would touch by one way of asking and not by the other. */
#define SEPARATION_TOLERANCE 4e-9f

/* Between these the products of lengths stay in the range of float: what a proof needs, and the square of the
 * direction's length, m^2. Numbers that became infinite or 0 prove nothing. */
#define SEPARATION_NEEDED_MAX 1e30f
#define SEPARATION_SQUARE_MIN 1e-30f

SIMD_INLINE f32x4 f32x4_sqrt(f32x4 a)
{
#if defined(__SSE2__)
    return (f32x4)_mm_sqrt_ps((__m128)a);
#else
    return (f32x4){sqrtf(a[0]), sqrtf(a[1]), sqrtf(a[2]), sqrtf(a[3])};
#endif
}

SIMD_INLINE f32x4 f32x4_dot(f32x4_vec a, f32x4_vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

SIMD_INLINE f32x4_vec f32x4_cross(f32x4_vec a, f32x4_vec b)
{
    return (f32x4_vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

SIMD_INLINE float separation_most(float a, float b)
{
    return a > b ? a : b;
}

SIMD_INLINE float separation_clamp(float x)
{
    return x < 0.0f ? 0.0f : x > 1.0f ? 1.0f : x;
}

/** What follows from positions and shapes alone: reach of each body, and the proof by spheres. */
typedef struct separation_spheres {
    float reach_a, reach_b, size; /* m; size bounds every length involved */
    bool apart;
} separation_spheres;

SIMD_INLINE float separation_square(clash_vec3 v)
{
    return v.x * v.x + v.y * v.y + v.z * v.z;
}

/** The origins' gap runs along a straight line: it is at least its length in the middle minus half of its
 *  displacement. */
SIMD_INLINE separation_spheres separation_at_spheres(const clash_body *a, const clash_body *b, float limit)
{
    clash_vec3 a0 = a->motion.from.position, a1 = a->motion.to.position;
    clash_vec3 b0 = b->motion.from.position, b1 = b->motion.to.position;
    clash_vec3 f = {b0.x - a0.x, b0.y - a0.y, b0.z - a0.z}, t = {b1.x - a1.x, b1.y - a1.y, b1.z - a1.z};
    clash_vec3 sum = {f.x + t.x, f.y + t.y, f.z + t.z}, step = {t.x - f.x, t.y - f.y, t.z - f.z};
    clash_vec3 moved = {a1.x - a0.x, a1.y - a0.y, a1.z - a0.z};
    f32x4 square = {separation_most(separation_square(a->shape.base), separation_square(a->shape.tip)),
                    separation_most(separation_square(b->shape.base), separation_square(b->shape.tip)),
                    separation_square(sum), separation_square(step)};
    f32x4 length = f32x4_sqrt(square);
    separation_spheres g;

    g.reach_a = length[0];
    g.reach_b = length[1];
    /* |moved| by its sum norm: only the size matters */
    g.size = length[0] + length[1] + length[2] + length[3] + fabsf(moved.x) + fabsf(moved.y) + fabsf(moved.z) + limit;
    g.apart = 0.5f * (length[2] - length[3]) > length[0] + length[1] + limit + SEPARATION_ROUNDING * g.size;
    return g;
}

/** Orientations in quads (a from, b from, a to, b to), not normalised. */
typedef struct f32x4_turns {
    f32x4_vec v;
    f32x4 w, square;
} f32x4_turns;

SIMD_INLINE f32x4_turns separation_turns(const clash_body *a, const clash_body *b)
{
    clash_quat p = a->motion.from.orientation, q = b->motion.from.orientation;
    clash_quat r = a->motion.to.orientation, s = b->motion.to.orientation;
    f32x4_turns t;

#if defined(__SSE2__)
    /* gcc collects the lanes of vectors one by one */
    __m128 x = _mm_loadu_ps(&p.x), y = _mm_loadu_ps(&q.x), z = _mm_loadu_ps(&r.x), w = _mm_loadu_ps(&s.x);

    _MM_TRANSPOSE4_PS(x, y, z, w);
    t.v = (f32x4_vec){(f32x4)x, (f32x4)y, (f32x4)z};
    t.w = (f32x4)w;
#else
    t.v = (f32x4_vec){{p.x, q.x, r.x, s.x}, {p.y, q.y, r.y, s.y}, {p.z, q.z, r.z, s.z}};
    t.w = (f32x4){p.w, q.w, r.w, s.w};
#endif
    t.square = f32x4_dot(t.v, t.v) + t.w * t.w;
    return t;
}

/** v + 2 (w (q x v) + q x (q x v)) / |q|^2 */
SIMD_INLINE f32x4_vec separation_turn(const f32x4_turns *t, f32x4 scale, f32x4_vec v)
{
    f32x4_vec c = f32x4_cross(t->v, v);
    f32x4_vec d;

    c = (f32x4_vec){c.x * scale, c.y * scale, c.z * scale};
    d = f32x4_cross(t->v, c);
    return (f32x4_vec){v.x + c.x * t->w + d.x, v.y + c.y * t->w + d.y, v.z + c.z * t->w + d.z};
}

/** Return bounds on the squares of both angles, in lanes 0 and 1; NaN or more than (pi/2)^2 * 4 if they are too large
 *  for this series: asin(s)^2 <= y + y^2/3 + 0.2682 y^3 for y = s^2 <= 1/2 (all its coefficients are positive). */
SIMD_INLINE f32x4 separation_angle_squares(const f32x4_turns *t)
{
    f32x4_vec to = {
        {t->v.x[2], t->v.x[3], 1.0f, 1.0f}, {t->v.y[2], t->v.y[3], 1.0f, 1.0f}, {t->v.z[2], t->v.z[3], 1.0f, 1.0f}};
    f32x4 w = {t->w[2], t->w[3], 1.0f, 1.0f}, square = {t->square[2], t->square[3], 1.0f, 1.0f};
    f32x4 dot = f32x4_dot(t->v, to) + t->w * w;
    f32x4 y = 1.000001f - (dot / t->square) * (dot / square);

    return 4.0f * (y + y * y * (0.33333334f + 0.2682f * y));
}

SIMD_INLINE f32x4_vec separation_positions(const clash_body *a, const clash_body *b)
{
    clash_vec3 o = a->motion.from.position, p = b->motion.from.position;
    clash_vec3 q = a->motion.to.position, r = b->motion.to.position;

    return (f32x4_vec){{0.0f, p.x - o.x, q.x - o.x, r.x - o.x},
                       {0.0f, p.y - o.y, q.y - o.y, r.y - o.y},
                       {0.0f, p.z - o.z, q.z - o.z, r.z - o.z}};
}

/** Return a direction to try, from a to b: roughly between the closest points of the axes' means. Any direction is
 *  sound. */
SIMD_INLINE clash_vec3 separation_direction(f32x4_vec base, f32x4_vec along)
{
    clash_vec3 u = {along.x[0] + along.x[2], along.y[0] + along.y[2], along.z[0] + along.z[2]};
    clash_vec3 v = {along.x[1] + along.x[3], along.y[1] + along.y[3], along.z[1] + along.z[3]};
    clash_vec3 w = {base.x[1] + base.x[3] - base.x[0] - base.x[2], base.y[1] + base.y[3] - base.y[0] - base.y[2],
                    base.z[1] + base.z[3] - base.z[0] - base.z[2]};
    float uu = separation_square(u), vv = separation_square(v), uv = u.x * v.x + u.y * v.y + u.z * v.z;
    float uw = u.x * w.x + u.y * w.y + u.z * w.z, vw = v.x * w.x + v.y * w.y + v.z * w.z;
    float det = uu * vv - uv * uv;
    float s = det > 1e-6f * uu * vv ? separation_clamp((uw * vv - uv * vw) / det) : 0.5f;
    float t = vv > 0.0f ? separation_clamp((uv * s - vw) / vv) : 0.0f;

    s = uu > 0.0f ? separation_clamp((uv * t + uw) / uu) : 0.0f;
    return (clash_vec3){w.x + v.x * t - u.x * s, w.y + v.y * t - u.y * s, w.z + v.z * t - u.z * s};
}

/** Return true only if the two bodies, going through their whole motions, stay more than `limit` apart. */
SIMD_INLINE bool separation_proves_apart(const clash_body *a, const clash_body *b, double limit)
{
    float reach = (float)limit * 1.000001f + SEPARATION_TOLERANCE;
    separation_spheres g = separation_at_spheres(a, b, reach);
    clash_vec3 p = a->shape.base, q = b->shape.base, r = a->shape.tip, s = b->shape.tip, n;
    f32x4_turns t;
    f32x4_vec base, along, at;
    f32x4 scale, angles, first, last, least, most;
    float apart, bend, square, needed;

    if (g.apart)
        return true;
    t = separation_turns(a, b);
    scale = 2.0f / t.square;
    base = separation_turn(&t, scale, (f32x4_vec){{p.x, q.x, p.x, q.x}, {p.y, q.y, p.y, q.y}, {p.z, q.z, p.z, q.z}});
    r = (clash_vec3){r.x - p.x, r.y - p.y, r.z - p.z};
    s = (clash_vec3){s.x - q.x, s.y - q.y, s.z - q.z};
    along = separation_turn(&t, scale, (f32x4_vec){{r.x, s.x, r.x, s.x}, {r.y, s.y, r.y, s.y}, {r.z, s.z, r.z, s.z}});
    at = separation_positions(a, b);
    base = (f32x4_vec){base.x + at.x, base.y + at.y, base.z + at.z};
    n = separation_direction(base, along);
    angles = separation_angle_squares(&t);
    first = n.x * base.x + n.y * base.y + n.z * base.z;
    last = first + (n.x * along.x + n.y * along.y + n.z * along.z);
    least = (f32x4)(((first < last) & (int __attribute__((vector_size(16))))first) |
                    (~(first < last) & (int __attribute__((vector_size(16))))last));
    most = first + last - least;
    apart = least[1] - most[0] < least[3] - most[2] ? least[1] - most[0] : least[3] - most[2];
    bend = angles[0] * g.reach_a + angles[1] * g.reach_b;
    square = separation_square(n);
    needed = sqrtf(square) * (reach + 0.125f * bend + SEPARATION_ROUNDING * g.size);
    /* if the squared cosine of half the angle is below 1/2 it is beyond the series; tiny quaternions lose their digits;
     * NaN fails all */
    return angles[0] < 2.46f && angles[1] < 2.46f && t.square[0] > 1e-30f && t.square[1] > 1e-30f &&
           t.square[2] > 1e-30f && t.square[3] > 1e-30f && square > SEPARATION_SQUARE_MIN && apart > needed &&
           needed < SEPARATION_NEEDED_MAX;
}

#endif
