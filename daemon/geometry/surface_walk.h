/* Walks over surfaces (surface.h): the children of a node, the triangles of a leaf, and which of them a convex hull around a
 * moving axis can reach at all. Boxes and planes are in single precision and a little too wide, so that what they leave out
 * is out for certain. Part of core.c. Pure. */
#ifndef CLASH_GEOMETRY_SURFACE_WALK_H
#define CLASH_GEOMETRY_SURFACE_WALK_H

#include <string.h>

#include "glance.h"
#include "surface.h"
#include "target_core.h"
#include "wide.h"

/* Bound on what rounds in a few operations in single precision, relative to the coordinates. */
#define SURFACE_ROUNDING 2e-6
/* Beyond this (m) squares leave the range of float: nothing is left out but by plain comparisons. */
#define SURFACE_HUGE 1e17

typedef float quad_in_memory __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t quad_bits __attribute__((vector_size(16)));

/** One of the two. */
typedef struct surface {
    const clash_mesh *mesh;
    const clash_terrain *terrain;
    double size; /* no coordinate is larger, m */
} surface;

static inline surface surface_of(const clash_mesh *mesh, const clash_terrain *terrain)
{
    clash_vec3 low = mesh ? mesh->low : terrain->low, high = mesh ? mesh->high : terrain->high;
    const float far[6] = {low.x, low.y, low.z, high.x, high.y, high.z};
    surface s = {mesh, terrain, 0.0};

    for (int k = 0; k < 6; k++)
        s.size = max_of(s.size, fabs((double)far[k]));
    return s;
}

/* A terrain's reference: level, row and column of a square. */
LANES_INLINE surface_ref terrain_ref(int level, uint64_t row, uint64_t column)
{
    return (surface_ref)level << 56 | row << 28 | column;
}

LANES_INLINE int terrain_level(surface_ref ref)
{
    return (int)(ref >> 56);
}

LANES_INLINE uint32_t terrain_row(surface_ref ref)
{
    return (uint32_t)(ref >> 28) & 0xfffffffu;
}

LANES_INLINE uint32_t terrain_column(surface_ref ref)
{
    return (uint32_t)ref & 0xfffffffu;
}

LANES_INLINE surface_ref surface_root(const surface *s)
{
    return s->mesh ? 0 : terrain_ref(s->terrain->top, 0, 0);
}

LANES_INLINE bool surface_is_leaf(const surface *s, surface_ref ref)
{
    return s->mesh ? (ref & MESH_LEAF) != 0 : terrain_level(ref) == 0;
}

static inline void terrain_box(const clash_terrain *t, int level, uint32_t column, uint32_t row, int k,
                               surface_boxes *out)
{
    uint64_t columns = t->columns - 1, rows = t->rows - 1, right = ((uint64_t)column + 1) << level;
    uint64_t far = ((uint64_t)row + 1) << level;
    clash_vec3 from = terrain_point(t, column << level, row << level);
    clash_vec3 to =
        terrain_point(t, (uint32_t)(right < columns ? right : columns), (uint32_t)(far < rows ? far : rows));
    terrain_range y = terrain_range_of(t, level, column, row);

    out->low[0][k] = from.x;
    out->low[1][k] = y.low;
    out->low[2][k] = from.z;
    out->high[0][k] = to.x;
    out->high[1][k] = y.high;
    out->high[2][k] = to.z;
}

static inline unsigned terrain_children(const clash_terrain *t, surface_ref ref, surface_boxes *out,
                                        surface_ref refs[SURFACE_WAYS])
{
    int level = terrain_level(ref) - 1;
    unsigned there = 0;

    *out = (surface_boxes){.least = {0.0f}};
    for (uint32_t k = 0; k < SURFACE_WAYS; k++) {
        uint32_t column = 2 * terrain_column(ref) + (k & 1), row = 2 * terrain_row(ref) + (k >> 1);

        refs[k] = terrain_ref(level, row, column);
        if (column >= t->widths[level] || row >= t->lengths[level])
            continue;
        there |= 1u << k;
        terrain_box(t, level, column, row, (int)k, out);
    }
    return there;
}

/** Boxes (in the surface itself or in *store) and references of a node's children; the result's bits say which of the four
 *  there are. */
LANES_INLINE unsigned surface_children(const surface *s, surface_ref ref, surface_boxes *store,
                                       const surface_boxes **out_boxes, surface_ref refs[SURFACE_WAYS])
{
    const mesh_node *node;
    unsigned there = 0;

    if (!s->mesh) {
        *out_boxes = store;
        return terrain_children(s->terrain, ref, store, refs);
    }
    node = &s->mesh->nodes[ref];
    for (int k = 0; k < SURFACE_WAYS; k++) {
        refs[k] = node->children[k];
        there |= (node->children[k] != MESH_NONE ? 1u : 0u) << k;
    }
    *out_boxes = &node->boxes;
    return there;
}

/** The triangles of a leaf, in the surface itself or in *store; returns how many. */
LANES_INLINE int surface_leaf(const surface *s, surface_ref ref, surface_triangle store[2],
                              const surface_triangle **out_triangles)
{
    if (s->mesh) {
        *out_triangles = &s->mesh->triangles[(ref & ~(surface_ref)MESH_LEAF) >> 2];
        return (int)(ref & 3) + 1;
    }
    for (uint32_t half = 0; half < 2; half++) {
        terrain_corners(s->terrain, terrain_column(ref), terrain_row(ref), half, store[half].corners);
        store[half].index = terrain_index(s->terrain, terrain_column(ref), terrain_row(ref), half);
    }
    *out_triangles = store;
    return 2;
}

/** The corners of a triangle by its index. */
static inline void surface_corners(const surface *s, uint32_t triangle, clash_vec3 out_corners[3])
{
    uint32_t cell = triangle / 2;

    if (s->mesh) {
        memcpy(out_corners, s->mesh->triangles[s->mesh->places[triangle]].corners, 3 * sizeof *out_corners);
        return;
    }
    terrain_corners(s->terrain, cell % (s->terrain->columns - 1), cell / (s->terrain->columns - 1), triangle % 2,
                    out_corners);
}

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
