/* Edges of triangles, each once: all edges are sorted, the lesser end first, and what is like its neighbour is left out.
 * Corners are the same where their numbers are, so that a mesh whose triangles share no indices has none doubled. */
#include <clash/mesh.h>
#include <stdlib.h>

#include "outline.h"

typedef int (*corners_of)(const void *surface, uint32_t triangle, clash_vec3 out_corners[3]);

static int compare_points(const clash_vec3 *a, const clash_vec3 *b)
{
    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    if (a->y != b->y)
        return a->y < b->y ? -1 : 1;
    if (a->z != b->z)
        return a->z < b->z ? -1 : 1;
    return 0;
}

static int compare_lines(const void *a, const void *b)
{
    const clash_line *one = a, *other = b;
    const int order = compare_points(&one->from, &other->from);

    return order ? order : compare_points(&one->to, &other->to);
}

static clash_line edge(const clash_vec3 *a, const clash_vec3 *b)
{
    return compare_points(a, b) <= 0 ? (clash_line){*a, *b} : (clash_line){*b, *a};
}

static bool outline_triangles(outline *o, const void *surface, corners_of corners, uint32_t triangles)
{
    clash_line *edges = malloc((size_t)triangles * 3 * sizeof *edges);
    size_t count = 0;

    if (!edges)
        return false;
    for (uint32_t i = 0; i < triangles; i++) {
        clash_vec3 c[3];

        if (corners(surface, i, c) != 0)
            continue;
        for (int k = 0; k < 3; k++)
            edges[count++] = edge(&c[k], &c[(k + 1) % 3]);
    }
    qsort(edges, count, sizeof *edges, compare_lines);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || compare_lines(&edges[i - 1], &edges[i]) != 0)
            outline_add(o, dvec_from(edges[i].from), dvec_from(edges[i].to));
    free(edges);
    return true;
}

static int mesh_corners(const void *surface, uint32_t triangle, clash_vec3 out_corners[3])
{
    return clash_mesh_triangle(surface, triangle, out_corners);
}

static int terrain_corners(const void *surface, uint32_t triangle, clash_vec3 out_corners[3])
{
    return clash_terrain_triangle(surface, triangle, out_corners);
}

bool outline_mesh(outline *o, const clash_mesh *mesh)
{
    return outline_triangles(o, mesh, mesh_corners, clash_mesh_triangle_count(mesh));
}

bool outline_terrain(outline *o, const clash_terrain *terrain)
{
    return outline_triangles(o, terrain, terrain_corners, clash_terrain_triangle_count(terrain));
}
