/* Meshes and convex hulls: check what a caller gives, copy its triangles and build a tree over them (bvh.c). A triangle is
 * stored beside those near to it, and `places` finds it. Pure except for memory. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "surface.h"

static bool is_finite(clash_vec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static bool input_is_valid(const clash_vec3 *vertices, uint32_t vertex_count, const uint32_t (*triangles)[3],
                           uint32_t triangle_count)
{
    if (triangle_count < 1 || triangle_count > CLASH_TRIANGLES_MAX)
        return false;
    for (uint32_t i = 0; i < vertex_count; i++) {
        if (!is_finite(vertices[i]))
            return false;
    }
    for (uint32_t i = 0; i < triangle_count; i++) {
        if (triangles[i][0] >= vertex_count || triangles[i][1] >= vertex_count || triangles[i][2] >= vertex_count)
            return false;
    }
    return true;
}

static void fill(clash_mesh *mesh, const clash_vec3 *vertices, const uint32_t (*triangles)[3])
{
    mesh->low = (clash_vec3){INFINITY, INFINITY, INFINITY};
    mesh->high = (clash_vec3){-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < mesh->count; i++) {
        surface_triangle *t = &mesh->triangles[i];

        t->index = i;
        for (int k = 0; k < 3; k++) {
            clash_vec3 v = vertices[triangles[i][k]];

            t->corners[k] = v;
            mesh->low = (clash_vec3){fminf(mesh->low.x, v.x), fminf(mesh->low.y, v.y), fminf(mesh->low.z, v.z)};
            mesh->high = (clash_vec3){fmaxf(mesh->high.x, v.x), fmaxf(mesh->high.y, v.y), fmaxf(mesh->high.z, v.z)};
        }
    }
}

clash_mesh *clash_mesh_create(const clash_vec3 *vertices, uint32_t vertex_count, const uint32_t (*triangles)[3],
                              uint32_t triangle_count)
{
    clash_mesh *mesh;

    if (!input_is_valid(vertices, vertex_count, triangles, triangle_count)) {
        errno = EINVAL;
        return NULL;
    }
    mesh = calloc(1, sizeof *mesh);
    if (!mesh) {
        errno = ENOMEM;
        return NULL;
    }
    mesh->count = triangle_count;
    mesh->triangles = malloc(triangle_count * sizeof *mesh->triangles);
    mesh->places = malloc(triangle_count * sizeof *mesh->places);
    if (!mesh->triangles || !mesh->places) {
        clash_mesh_destroy(mesh);
        errno = ENOMEM;
        return NULL;
    }
    fill(mesh, vertices, triangles);
    if (bvh_build(mesh) < 0) {
        clash_mesh_destroy(mesh);
        errno = ENOMEM;
        return NULL;
    }
    for (uint32_t i = 0; i < mesh->count; i++)
        mesh->places[mesh->triangles[i].index] = i;
    if (mesh_close(mesh, vertices, vertex_count, triangles) < 0) {
        clash_mesh_destroy(mesh);
        errno = ENOMEM;
        return NULL;
    }
    return mesh;
}

/** Return whether all corners are behind the planes of all triangles, as far as rounding to float allows. */
static bool is_convex(const clash_mesh *mesh)
{
    for (uint32_t i = 0; i < mesh->count; i++) {
        const dvec at = dvec_from(mesh->triangles[i].corners[0]);
        dvec n;
        const double slack = mesh_plane_slack(mesh, &mesh->triangles[i], &n);

        for (uint32_t k = 0; k < 3 * mesh->count; k++)
            if (dvec_dot(n, dvec_sub(dvec_from(mesh->triangles[k / 3].corners[k % 3]), at)) > slack)
                return false;
    }
    return true;
}

static const char *why_no_hull(const clash_mesh *mesh)
{
    if (mesh->closed_count < mesh->count)
        return "the triangles do not enclose a solid: give a closed surface, without holes, whose triangles are "
               "counter-clockwise seen from outside";
    if (!is_convex(mesh))
        return "the triangles are not convex: a corner is in front of a triangle's plane; give the convex hull of the "
               "vertices";
    return NULL;
}

clash_mesh *clash_hull_create(const clash_vec3 *vertices, uint32_t vertex_count, const uint32_t (*triangles)[3],
                              uint32_t triangle_count, const char **out_why)
{
    const char *why = NULL;
    clash_mesh *mesh = NULL;

    if (triangle_count > CLASH_HULL_TRIANGLES_MAX) {
        errno = EINVAL;
        why = "a convex hull may have at most 2048 triangles";
    } else {
        mesh = clash_mesh_create(vertices, vertex_count, triangles, triangle_count);
        if (!mesh)
            why = errno == ENOMEM
                      ? "out of memory"
                      : "there are no triangles, an index is not one of a vertex, or a vertex is not finite";
    }
    if (mesh && (why = why_no_hull(mesh)) != NULL) {
        clash_mesh_destroy(mesh);
        errno = EINVAL;
        mesh = NULL;
    }
    if (mesh)
        mesh->is_solid = true;
    if (out_why)
        *out_why = why;
    return mesh;
}

void clash_mesh_destroy(clash_mesh *mesh)
{
    if (!mesh)
        return;
    free(mesh->triangles);
    free(mesh->places);
    free(mesh->nodes);
    free(mesh->closed);
    free(mesh);
}

uint32_t clash_mesh_triangle_count(const clash_mesh *mesh)
{
    return mesh->count;
}

uint32_t clash_mesh_closed_count(const clash_mesh *mesh)
{
    return mesh->closed_count;
}

int clash_mesh_triangle(const clash_mesh *mesh, uint32_t triangle, clash_vec3 out_corners[3])
{
    const surface_triangle *t;

    if (triangle >= mesh->count)
        return -1;
    t = &mesh->triangles[mesh->places[triangle]];
    for (int k = 0; k < 3; k++)
        out_corners[k] = t->corners[k];
    return 0;
}
