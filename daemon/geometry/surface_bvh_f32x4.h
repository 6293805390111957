/* Walks over surfaces (surface_bvh.h) with boxes and planes in single precision, four at once, widened a little, so
 * that what they leave out is certainly out. Pure. */
#ifndef CLASH_GEOMETRY_SURFACE_BVH_F32X4_H
#define CLASH_GEOMETRY_SURFACE_BVH_F32X4_H

#include "f32x8.h"
#include "separation_test.h"
#include "surface_bvh.h"
#include "target_closest.h"

/* Bound on the rounding of a few operations in single precision, relative to the coordinates. */
#define SURFACE_ROUNDING 2e-6
/* Beyond this (m) squares leave the range of float: leave things out only by plain comparisons. */
#define SURFACE_HUGE 1e17

typedef float f32x4_in_memory __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t i32x4 __attribute__((vector_size(16)));

SIMD_INLINE unsigned f32x4_mask(i32x4 where)
{
#if defined(__SSE2__)
    return (unsigned)_mm_movemask_ps((__m128)where);
#else
    return (where[0] ? 1u : 0u) | (where[1] ? 2u : 0u) | (where[2] ? 4u : 0u) | (where[3] ? 8u : 0u);
#endif
}

SIMD_INLINE f32x4 f32x4_all(float s)
{
    return (f32x4){s, s, s, s};
}

SIMD_INLINE f32x4 f32x4_choose(i32x4 where, f32x4 yes, f32x4 no)
{
    return (f32x4)((where & (i32x4)yes) | (~where & (i32x4)no));
}

SIMD_INLINE f32x4 f32x4_min(f32x4 a, f32x4 b)
{
#if defined(__SSE2__)
    return (f32x4)_mm_min_ps((__m128)a, (__m128)b);
#else
    return f32x4_choose(a < b, a, b);
#endif
}

SIMD_INLINE f32x4 f32x4_max(f32x4 a, f32x4 b)
{
#if defined(__SSE2__)
    return (f32x4)_mm_max_ps((__m128)a, (__m128)b);
#else
    return f32x4_choose(a > b, a, b);
#endif
}

SIMD_INLINE void surface_load(const surface_boxes *boxes, f32x4 out_low[3], f32x4 out_high[3])
{
    for (int axis = 0; axis < 3; axis++) {
        out_low[axis] = *(const f32x4_in_memory *)boxes->low[axis];
        out_high[axis] = *(const f32x4_in_memory *)boxes->high[axis];
    }
}

/** A leaf's triangles side by side: [corner][axis]. */
SIMD_INLINE void surface_corners_of(const surface_triangle *t, int count, f32x4 out[3][3])
{
    const clash_vec3 *a = t[0].corners, *b = t[count > 1 ? 1 : 0].corners;
    const clash_vec3 *c = t[count > 2 ? 2 : 0].corners, *d = t[count > 3 ? 3 : 0].corners;

    for (int k = 0; k < 3; k++) {
        out[k][0] = (f32x4){a[k].x, b[k].x, c[k].x, d[k].x};
        out[k][1] = (f32x4){a[k].y, b[k].y, c[k].y, d[k].y};
        out[k][2] = (f32x4){a[k].z, b[k].z, c[k].z, d[k].z};
    }
}

/** The boxes around a leaf's triangles, and their planes as slabs. */
SIMD_INLINE void surface_boxes_of(const surface_triangle *t, int count, surface_boxes *out)
{
    f32x4 c[3][3], e[3], f[3], n[3], length, heights[3] = {{0}, {0}, {0}};

    surface_corners_of(t, count, c);
    for (int axis = 0; axis < 3; axis++) {
        *(f32x4_in_memory *)out->low[axis] = f32x4_min(f32x4_min(c[0][axis], c[1][axis]), c[2][axis]);
        *(f32x4_in_memory *)out->high[axis] = f32x4_max(f32x4_max(c[0][axis], c[1][axis]), c[2][axis]);
        e[axis] = c[1][axis] - c[0][axis];
        f[axis] = c[2][axis] - c[0][axis];
    }
    for (int axis = 0; axis < 3; axis++)
        n[axis] = e[(axis + 1) % 3] * f[(axis + 2) % 3] - e[(axis + 2) % 3] * f[(axis + 1) % 3];
    length = f32x4_sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int axis = 0; axis < 3; axis++) {
        n[axis] = f32x4_choose(length > 1e-15f, n[axis] / length, f32x4_all(0.0f));
        *(f32x4_in_memory *)out->normal[axis] = n[axis];
        for (int corner = 0; corner < 3; corner++)
            heights[corner] += n[axis] * c[corner][axis];
    }
    *(f32x4_in_memory *)out->least = f32x4_min(f32x4_min(heights[0], heights[1]), heights[2]);
    *(f32x4_in_memory *)out->most = f32x4_max(f32x4_max(heights[0], heights[1]), heights[2]);
}

SIMD_INLINE void convex_of_triangle(target_convex *out, const surface_triangle *t)
{
    convex_triangle(out, dvec_from(t->corners[0]), dvec_from(t->corners[1]), dvec_from(t->corners[2]));
}

#endif
