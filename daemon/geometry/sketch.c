/* Outlines of at most so many lines: see clash_shape_sketch in clash/outline.h. */
#include <clash/outline.h>
#include <stdlib.h>
#include <string.h>

#include "outline_lines.h"
#include "surface.h"
#include "validate.h"

/** The finest grid: cubes along the longest side of a mesh. */
#define CELLS_MAX 64
/** So many triangles for each line are sorted, in case many of their edges are the same. */
#define SORTED_SHARE 2
/** Fewer lines than this share of the room, and triangles are shown besides. */
#define FEW_SHARE 8

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ---- terrains ---- */

/* Points that are kept of so many, the last one included. */
static uint32_t kept_points(uint32_t count, uint32_t step)
{
    return (count - 2) / step + 2;
}

static uint32_t kept_point(uint32_t count, uint32_t step, uint32_t index)
{
    return index < kept_points(count, step) - 1 ? index * step : count - 1;
}

static uint64_t terrain_lines(const clash_terrain *t, uint32_t step)
{
    const uint64_t columns = kept_points(t->columns, step), rows = kept_points(t->rows, step);

    return rows * (columns - 1) + columns * (rows - 1) + (columns - 1) * (rows - 1);
}

static dvec kept(const clash_terrain *t, uint32_t step, uint32_t i, uint32_t j)
{
    return dvec_from(terrain_point(t, kept_point(t->columns, step, i), kept_point(t->rows, step, j)));
}

static bool sketch_terrain(outline *o, const clash_terrain *t)
{
    uint32_t step = 1, columns, rows;

    while (terrain_lines(t, step) > o->room && (step < t->columns || step < t->rows))
        step++;
    columns = kept_points(t->columns, step);
    rows = kept_points(t->rows, step);
    for (uint32_t j = 0; j < rows; j++)
        for (uint32_t i = 0; i < columns; i++) {
            const bool has_right = i + 1 < columns, has_next = j + 1 < rows;

            if (has_right)
                outline_add(o, kept(t, step, i, j), kept(t, step, i + 1, j));
            if (has_next)
                outline_add(o, kept(t, step, i, j), kept(t, step, i, j + 1));
            if (has_right && has_next)
                outline_add(o, kept(t, step, i + 1, j), kept(t, step, i, j + 1));
        }
    return step == 1 && o->count <= o->room;
}

/* ---- meshes ---- */

/** A cube of the grid in which the mesh has corners. */
typedef struct cluster {
    dvec corner;   /* the one that stands for all */
    double square; /* of its distance from the middle of the mesh */
} cluster;

typedef struct grid {
    const clash_mesh *mesh;
    dvec low, middle;
    double longest;
    uint32_t cells;    /* along the longest side */
    uint32_t *at;      /* by cube: 1 + index of its cluster, 0: none */
    cluster *clusters; /* at most `room` */
    uint32_t count;
    uint64_t *edges; /* a hash table of pairs of clusters, the lesser + 1 above, the other + 1 below; 0: free */
    size_t slots;    /* a power of two, of which less than half is taken */
    size_t edge_count, room;
} grid;

static uint32_t cell_along(const grid *g, double from_low)
{
    const uint32_t cell = (uint32_t)(from_low / g->longest * g->cells);

    return cell < g->cells ? cell : g->cells - 1;
}

static uint32_t cube_of(const grid *g, dvec p)
{
    const dvec d = dvec_sub(p, g->low);

    return (cell_along(g, d.z) * g->cells + cell_along(g, d.y)) * g->cells + cell_along(g, d.x);
}

static bool put_corner(grid *g, dvec p)
{
    const dvec d = dvec_sub(p, g->middle);
    const double square = dvec_dot(d, d);
    uint32_t *at = &g->at[cube_of(g, p)];

    if (*at == 0) {
        if (g->count == g->room)
            return false;
        g->clusters[g->count] = (cluster){p, square};
        *at = ++g->count;
    } else if (square > g->clusters[*at - 1].square) {
        g->clusters[*at - 1] = (cluster){p, square};
    }
    return true;
}

static bool put_edge(grid *g, uint32_t a, uint32_t b)
{
    const uint64_t key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    size_t slot = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (g->slots - 1);

    if (a == b)
        return true;
    while (g->edges[slot] != 0 && g->edges[slot] != key)
        slot = (slot + 1) & (g->slots - 1);
    if (g->edges[slot] == 0) {
        if (g->edge_count == g->room)
            return false;
        g->edges[slot] = key;
        g->edge_count++;
    }
    return true;
}

/* Return false if there is no room for all that this grid leaves. */
static bool fits(grid *g)
{
    memset(g->at, 0, (size_t)g->cells * g->cells * g->cells * sizeof *g->at);
    memset(g->edges, 0, g->slots * sizeof *g->edges);
    g->count = 0;
    g->edge_count = 0;
    for (uint32_t i = 0; i < g->mesh->count; i++)
        for (int k = 0; k < 3; k++)
            if (!put_corner(g, dvec_from(g->mesh->triangles[i].corners[k])))
                return false;
    for (uint32_t i = 0; i < g->mesh->count; i++) {
        uint32_t c[3];

        for (int k = 0; k < 3; k++)
            c[k] = g->at[cube_of(g, dvec_from(g->mesh->triangles[i].corners[k]))];
        if (!put_edge(g, c[0], c[1]) || !put_edge(g, c[1], c[2]) || !put_edge(g, c[2], c[0]))
            return false;
    }
    return true;
}

static void add_edges(const grid *g, outline *o)
{
    for (size_t i = 0; i < g->slots; i++)
        if (g->edges[i] != 0)
            outline_add(o, g->clusters[(g->edges[i] >> 32) - 1].corner,
                        g->clusters[(g->edges[i] & UINT32_MAX) - 1].corner);
}

/* Add whole triangles, evenly out of all, which the tree has sorted by their places. */
static void add_triangles(const grid *g, outline *o)
{
    const uint64_t triangles = least((o->room - o->count) / 3, g->mesh->count);

    for (uint64_t i = 0; i < triangles; i++) {
        const clash_vec3 *corners = g->mesh->triangles[i * g->mesh->count / triangles].corners;

        for (int k = 0; k < 3; k++)
            outline_add(o, dvec_from(corners[k]), dvec_from(corners[(k + 1) % 3]));
    }
}

static void sketch_grid(grid *g, outline *o)
{
    const dvec low = dvec_from(g->mesh->low), high = dvec_from(g->mesh->high), sides = dvec_sub(high, low);
    bool is_fit = false;

    g->low = low;
    g->middle = dvec_scale(dvec_add(low, high), 0.5);
    g->longest = sides.x > sides.y ? sides.x : sides.y;
    g->longest = sides.z > g->longest ? sides.z : g->longest;
    for (g->cells = CELLS_MAX; g->longest > 0.0 && !is_fit && g->cells > 1;) {
        is_fit = fits(g);
        if (!is_fit)
            g->cells = g->cells * 4 / 5;
    }
    if (is_fit)
        add_edges(g, o);
    if (o->count < o->room / FEW_SHARE)
        add_triangles(g, o);
}

static bool sketch_large_mesh(outline *o, const clash_mesh *mesh)
{
    grid g = {.mesh = mesh, .room = least(o->room, UINT32_MAX / 2), .slots = 2};
    bool is_made;

    while (g.slots < 2 * g.room + 1)
        g.slots *= 2;
    g.at = malloc((size_t)CELLS_MAX * CELLS_MAX * CELLS_MAX * sizeof *g.at);
    g.clusters = calloc(g.room + 1, sizeof *g.clusters);
    g.edges = calloc(g.slots, sizeof *g.edges);
    is_made = g.at && g.clusters && g.edges;
    if (is_made)
        sketch_grid(&g, o);
    free(g.at);
    free(g.clusters);
    free(g.edges);
    return is_made;
}

/* ---- all ---- */

size_t clash_shape_sketch(const clash_shape *shape, const clash_pose *pose, clash_line *out_lines, size_t room,
                          bool *out_is_whole)
{
    outline o;
    size_t count;

    *out_is_whole = false;
    if (!shape_is_valid(shape) || !pose_is_valid(pose))
        return 0;
    o = outline_begin(pose, out_lines, room);
    if (shape->kind == CLASH_SHAPE_TERRAIN) {
        *out_is_whole = sketch_terrain(&o, shape->as.terrain);
        return least(o.count, room);
    }
    if (shape->kind != CLASH_SHAPE_MESH || shape->as.mesh->count / SORTED_SHARE <= room) {
        count = clash_shape_outline(shape, pose, out_lines, room);
        *out_is_whole = count > 0 && count <= room;
        if (*out_is_whole || count == 0 || shape->kind != CLASH_SHAPE_MESH)
            return least(count, room);
    }
    return sketch_large_mesh(&o, shape->as.mesh) ? least(o.count, room) : 0;
}
