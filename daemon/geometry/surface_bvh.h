/* Surfaces (surface.h) as one kind of tree, for meshes and terrains alike: the children of a node, the triangles of a
 * leaf. Pure. */
#ifndef CLASH_GEOMETRY_SURFACE_BVH_H
#define CLASH_GEOMETRY_SURFACE_BVH_H

#include <string.h>

#include "f64x4.h"
#include "surface.h"

/** Exactly one of the two is not NULL. */
typedef struct surface {
    const clash_mesh *mesh;
    const clash_terrain *terrain;
    double size; /* no coordinate is larger, m */
} surface;

/* validate.h makes sure that one of the two is not NULL; clang's analyzer does not see that. */
static inline surface surface_of(const clash_mesh *mesh, const clash_terrain *terrain)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
    clash_vec3 low = mesh ? mesh->low : terrain->low, high = mesh ? mesh->high : terrain->high;
    const float far[6] = {low.x, low.y, low.z, high.x, high.y, high.z};
    surface s = {mesh, terrain, 0.0};

    for (int k = 0; k < 6; k++)
        s.size = max_of(s.size, fabs((double)far[k]));
    return s;
}

/* Return a terrain's reference: level, row and column of a square. */
SIMD_INLINE surface_ref terrain_ref(int level, uint64_t row, uint64_t column)
{
    return (surface_ref)level << 56 | row << 28 | column;
}

SIMD_INLINE int terrain_level(surface_ref ref)
{
    return (int)(ref >> 56);
}

SIMD_INLINE uint32_t terrain_row(surface_ref ref)
{
    return (uint32_t)(ref >> 28) & 0xfffffffu;
}

SIMD_INLINE uint32_t terrain_column(surface_ref ref)
{
    return (uint32_t)ref & 0xfffffffu;
}

SIMD_INLINE surface_ref surface_root(const surface *s)
{
    return s->mesh ? 0 : terrain_ref(s->terrain->top, 0, 0);
}

SIMD_INLINE bool surface_is_leaf(const surface *s, surface_ref ref)
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

/** Return the boxes (in the surface itself or in *store) and references of a node's children; the result's bits say
 *  which of the four exist. */
SIMD_INLINE unsigned surface_children(const surface *s, surface_ref ref, surface_boxes *store,
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

/** Return the triangles of a leaf, in the surface itself or in *store; the result is how many. */
SIMD_INLINE int surface_leaf(const surface *s, surface_ref ref, surface_triangle store[2],
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

/** Return the corners of a triangle by its index. */
static inline void surface_corners(const surface *s, uint32_t triangle, clash_vec3 out_corners[3])
{
    uint32_t cell = triangle / 2;

    if (s->mesh) {
        memcpy(out_corners, s->mesh->triangles[s->mesh->places[triangle]].corners, 3 * sizeof *out_corners);
        return;
    }
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): see surface_of */
    terrain_corners(s->terrain, cell % (s->terrain->columns - 1), cell / (s->terrain->columns - 1), triangle % 2,
                    out_corners);
}

#endif
