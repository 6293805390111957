/* Surfaces of many triangles, as libclash stores them: a mesh with a tree of bounding boxes over its triangles, a
 * terrain with a pyramid of least and greatest heights over its cells. Both are walked in the same way: a node has up
 * to four children, each with a box, and a leaf is a few triangles. Built in mesh.c, bvh.c and terrain.c, never changed
 * afterwards. */
#ifndef CLASH_GEOMETRY_SURFACE_H
#define CLASH_GEOMETRY_SURFACE_H

#include <clash/mesh.h>

#include "vec.h"

/** Children of a node. */
#define SURFACE_WAYS 4
/** The most triangles in a leaf. */
#define SURFACE_LEAF 4
/** The most entries on a walk's stack. The depth of a mesh's tree is bounded (bvh.c), and so is a terrain's by its
 *  number of cells; a walk takes one child and leaves the others for later. */
#define SURFACE_STACK 128

/** A node, a leaf's triangles or a terrain's cell; see surface_bvh_f32x4.h. */
typedef uint64_t surface_ref;

/** Four boxes side by side: those of a node's children. What is in one also satisfies least <= normal . p <= most: for
 *  part of a smooth surface that is a thin slab, which tells much more than the box. The normal is of unit length, or
 *  0. */
typedef struct surface_boxes {
    float low[3][SURFACE_WAYS], high[3][SURFACE_WAYS];
    float normal[3][SURFACE_WAYS], least[SURFACE_WAYS], most[SURFACE_WAYS];
} surface_boxes;

/** In a mesh: a child is MESH_NONE, or a node, or a leaf: MESH_LEAF | first << 2 | (count - 1). */
typedef struct mesh_node {
    surface_boxes boxes;
    uint32_t children[SURFACE_WAYS];
} mesh_node;

#define MESH_NONE UINT32_MAX
#define MESH_LEAF UINT32_C(0x80000000)

/** A triangle as stored in the mesh, next to those near it. */
typedef struct surface_triangle {
    clash_vec3 corners[3];
    uint32_t index; /* as given to clash_mesh_create */
} surface_triangle;

struct clash_mesh {
    uint32_t count;
    clash_vec3 low, high; /* of all triangles */
    surface_triangle *triangles;
    uint32_t *places; /* where in `triangles` each one is, by its index */
    uint64_t *closed; /* a bit for each of `triangles`: its part encloses something, see mesh_closed.c */
    uint32_t closed_count;
    bool is_solid;    /* a convex hull, whose inside is part of it */
    mesh_node *nodes; /* the first is the root */
    uint32_t node_count;
};

/** Least and greatest height of a square of cells. */
typedef struct terrain_range {
    float low, high;
} terrain_range;

/** Levels above the cells: at level l a square has 2^l cells a side. A row never has more than 2^26 cells. */
#define TERRAIN_LEVELS 27

struct clash_terrain {
    uint32_t columns, rows; /* of points */
    float spacing_x, spacing_z;
    clash_vec3 low, high;
    float *heights;
    int top;                                /* the level at which one square holds all */
    terrain_range *squares[TERRAIN_LEVELS]; /* by level, from 1 on; row by row */
    uint32_t widths[TERRAIN_LEVELS];        /* squares in a row */
    uint32_t lengths[TERRAIN_LEVELS];       /* rows of squares */
    terrain_range *store;                   /* all of them */
};

/** Return a point of the grid. Triangles, boxes and bounds all use this, so that they agree to the bit. */
static inline clash_vec3 terrain_point(const clash_terrain *t, uint32_t column, uint32_t row)
{
    return (clash_vec3){(float)((double)column * (double)t->spacing_x), t->heights[(size_t)row * t->columns + column],
                        (float)((double)row * (double)t->spacing_z)};
}

/** Return the corners of a cell's first (half 0) or second triangle. */
static inline void terrain_corners(const clash_terrain *t, uint32_t column, uint32_t row, uint32_t half,
                                   clash_vec3 out_corners[3])
{
    out_corners[0] = half ? terrain_point(t, column + 1, row) : terrain_point(t, column, row);
    out_corners[1] = terrain_point(t, column, row + 1);
    out_corners[2] = half ? terrain_point(t, column + 1, row + 1) : terrain_point(t, column + 1, row);
}

static inline uint32_t terrain_index(const clash_terrain *t, uint32_t column, uint32_t row, uint32_t half)
{
    return 2 * (row * (t->columns - 1) + column) + half;
}

/** Return the range of a square of cells at a level, or of a cell at level 0. */
static inline terrain_range terrain_range_of(const clash_terrain *t, int level, uint32_t column, uint32_t row)
{
    const float *a = &t->heights[(size_t)row * t->columns + column], *b = a + t->columns;
    terrain_range r;

    if (level > 0)
        return t->squares[level][(size_t)row * t->widths[level] + column];
    r.low = a[0] < a[1] ? a[0] : a[1];
    r.high = a[0] < a[1] ? a[1] : a[0];
    for (int k = 0; k < 2; k++) {
        r.low = b[k] < r.low ? b[k] : r.low;
        r.high = b[k] > r.high ? b[k] : r.high;
    }
    return r;
}

/** Return how far a corner of a hull may be outside of the plane of this triangle, times the length of its normal: as far as
 *  rounding all corners to float explains. The smaller the triangle, the less is known of its plane. */
static inline double mesh_plane_slack(const clash_mesh *mesh, const surface_triangle *t, dvec *out_normal)
{
    const dvec a = dvec_from(t->corners[0]), e = dvec_sub(dvec_from(t->corners[1]), a);
    const dvec f = dvec_sub(dvec_from(t->corners[2]), a), low = dvec_from(mesh->low), high = dvec_from(mesh->high);
    const double longest = dvec_length(e) + dvec_length(f), wide = dvec_length(dvec_sub(high, low));

    *out_normal = dvec_cross(e, f);
    return 1e-7 * (dvec_sum(low) + dvec_sum(high)) * (dvec_length(*out_normal) + 2.0 * longest * wide);
}

/** Build the tree over mesh->triangles, which sets their order. Return -1 with errno when out of memory. */
int bvh_build(clash_mesh *mesh);
/** Find which triangles enclose something; the tree has to stand. Return -1 when out of memory. */
int mesh_close(clash_mesh *mesh, const clash_vec3 *vertices, uint32_t vertex_count, const uint32_t (*triangles)[3]);

#endif
