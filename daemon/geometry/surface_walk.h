/* Walks over surfaces (surface_tree.h) with boxes and planes in single precision, four at once, that are a little too wide, so
 * that what they leave out is out for certain. Part of core.c. Pure. */
#ifndef CLASH_GEOMETRY_SURFACE_WALK_H
#define CLASH_GEOMETRY_SURFACE_WALK_H

#include "glance.h"
#include "surface_tree.h"
#include "target_near.h"
#include "wide.h"

/* Bound on what rounds in a few operations in single precision, relative to the coordinates. */
#define SURFACE_ROUNDING 2e-6
/* Beyond this (m) squares leave the range of float: nothing is left out but by plain comparisons. */
#define SURFACE_HUGE 1e17

typedef float quad_in_memory __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t quad_bits __attribute__((vector_size(16)));

LANES_INLINE unsigned quad_mask(quad_bits where)
{
#if defined(__SSE2__)
    return (unsigned)_mm_movemask_ps((__m128)where);
#else
    return (where[0] ? 1u : 0u) | (where[1] ? 2u : 0u) | (where[2] ? 4u : 0u) | (where[3] ? 8u : 0u);
#endif
}

LANES_INLINE quad quad_all(float s)
{
    return (quad){s, s, s, s};
}

LANES_INLINE quad quad_choose(quad_bits where, quad yes, quad no)
{
    return (quad)((where & (quad_bits)yes) | (~where & (quad_bits)no));
}

LANES_INLINE quad quad_min(quad a, quad b)
{
#if defined(__SSE2__)
    return (quad)_mm_min_ps((__m128)a, (__m128)b);
#else
    return quad_choose(a < b, a, b);
#endif
}

LANES_INLINE quad quad_max(quad a, quad b)
{
#if defined(__SSE2__)
    return (quad)_mm_max_ps((__m128)a, (__m128)b);
#else
    return quad_choose(a > b, a, b);
#endif
}

LANES_INLINE void surface_load(const surface_boxes *boxes, quad out_low[3], quad out_high[3])
{
    for (int axis = 0; axis < 3; axis++) {
        out_low[axis] = *(const quad_in_memory *)boxes->low[axis];
        out_high[axis] = *(const quad_in_memory *)boxes->high[axis];
    }
}

/** A leaf's triangles side by side: [corner][axis]. */
LANES_INLINE void surface_corners_of(const surface_triangle *t, int count, quad out[3][3])
{
    const clash_vec3 *a = t[0].corners, *b = t[count > 1 ? 1 : 0].corners;
    const clash_vec3 *c = t[count > 2 ? 2 : 0].corners, *d = t[count > 3 ? 3 : 0].corners;

    for (int k = 0; k < 3; k++) {
        out[k][0] = (quad){a[k].x, b[k].x, c[k].x, d[k].x};
        out[k][1] = (quad){a[k].y, b[k].y, c[k].y, d[k].y};
        out[k][2] = (quad){a[k].z, b[k].z, c[k].z, d[k].z};
    }
}

/** The boxes around a leaf's triangles, and their planes as slabs. */
LANES_INLINE void surface_boxes_of(const surface_triangle *t, int count, surface_boxes *out)
{
    quad c[3][3], e[3], f[3], n[3], length, heights[3] = {{0}, {0}, {0}};

    surface_corners_of(t, count, c);
    for (int axis = 0; axis < 3; axis++) {
        *(quad_in_memory *)out->low[axis] = quad_min(quad_min(c[0][axis], c[1][axis]), c[2][axis]);
        *(quad_in_memory *)out->high[axis] = quad_max(quad_max(c[0][axis], c[1][axis]), c[2][axis]);
        e[axis] = c[1][axis] - c[0][axis];
        f[axis] = c[2][axis] - c[0][axis];
    }
    for (int axis = 0; axis < 3; axis++)
        n[axis] = e[(axis + 1) % 3] * f[(axis + 2) % 3] - e[(axis + 2) % 3] * f[(axis + 1) % 3];
    length = quad_sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int axis = 0; axis < 3; axis++) {
        n[axis] = quad_choose(length > 1e-15f, n[axis] / length, quad_all(0.0f));
        *(quad_in_memory *)out->normal[axis] = n[axis];
        for (int corner = 0; corner < 3; corner++)
            heights[corner] += n[axis] * c[corner][axis];
    }
    *(quad_in_memory *)out->least = quad_min(quad_min(heights[0], heights[1]), heights[2]);
    *(quad_in_memory *)out->most = quad_max(quad_max(heights[0], heights[1]), heights[2]);
}

LANES_INLINE void surface_piece(target_piece *out, const surface_triangle *t)
{
    piece_triangle(out, dvec_from(t->corners[0]), dvec_from(t->corners[1]), dvec_from(t->corners[2]));
}

#endif
