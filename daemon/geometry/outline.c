/* Outlines of the solid shapes: see clash/outline.h. Computed in double, in the device's frame, and rounded once when a
 * line is added. */
#include <clash/mesh.h>
#include <clash/outline.h>
#include <stdlib.h>

#include "outline_lines.h"
#include "validate.h"

#define HALF_CIRCLE (CLASH_OUTLINE_CIRCLE / 2)

/* Add `segments` lines of a circle about `center`, from `x` on by way of `y`, both of the circle's radius. If the
 * circle closes, its last point equals the first to the bit. */
static void arc(outline *o, dvec center, dvec x, dvec y, int segments)
{
    dvec from = dvec_add(center, x);

    for (int i = 1; i <= segments; i++) {
        double sine, cosine;
        dvec to = dvec_add(center, x);

        if (2 * i == CLASH_OUTLINE_CIRCLE) {
            to = dvec_sub(center, x);
        } else if (i < CLASH_OUTLINE_CIRCLE) {
            trig_sincos(2.0 * TRIG_PI * i / CLASH_OUTLINE_CIRCLE, &sine, &cosine);
            to = dvec_add_scaled(dvec_add_scaled(center, x, cosine), y, sine);
        }
        outline_add(o, from, to);
        from = to;
    }
}

static void outline_sphere(outline *o, const clash_sphere *s)
{
    const double r = (double)s->radius;
    const dvec center = dvec_from(s->center), x = {r, 0.0, 0.0}, y = {0.0, r, 0.0}, z = {0.0, 0.0, r};

    arc(o, center, x, y, CLASH_OUTLINE_CIRCLE);
    arc(o, center, y, z, CLASH_OUTLINE_CIRCLE);
    arc(o, center, z, x, CLASH_OUTLINE_CIRCLE);
}

static void outline_capsule(outline *o, const clash_capsule *c)
{
    const dvec base = dvec_from(c->base), tip = dvec_from(c->tip), way = dvec_sub(tip, base);
    const double length = dvec_length(way), r = (double)c->radius;
    /* a ball has no axis; any will do */
    const dvec axis = length > 0.0 ? dvec_scale(way, 1.0 / length) : (dvec){0.0, 1.0, 0.0};
    const dvec up = dvec_scale(axis, r), down = dvec_scale(axis, -r);
    dvec sides[2];

    sides[0] = dvec_across(axis), sides[1] = dvec_cross(axis, sides[0]);
    sides[0] = dvec_scale(sides[0], r), sides[1] = dvec_scale(sides[1], r);
    arc(o, base, sides[0], sides[1], CLASH_OUTLINE_CIRCLE);
    arc(o, tip, sides[0], sides[1], CLASH_OUTLINE_CIRCLE);
    for (int i = 0; i < 2; i++) {
        outline_add(o, dvec_add(base, sides[i]), dvec_add(tip, sides[i]));
        outline_add(o, dvec_sub(base, sides[i]), dvec_sub(tip, sides[i]));
        arc(o, base, sides[i], down, HALF_CIRCLE);
        arc(o, tip, sides[i], up, HALF_CIRCLE);
    }
}

static void outline_box(outline *o, const clash_box *b)
{
    const dquat turn = dquat_from(b->orientation);
    dvec corners[8];

    for (int i = 0; i < 8; i++) {
        const dvec corner = {i & 1 ? (double)b->half.x : -(double)b->half.x,
                             i & 2 ? (double)b->half.y : -(double)b->half.y,
                             i & 4 ? (double)b->half.z : -(double)b->half.z};

        corners[i] = dvec_add(dvec_from(b->center), dquat_rotate(turn, corner));
    }
    for (int i = 0; i < 8; i++)
        for (int axis = 1; axis < 8; axis *= 2)
            if (!(i & axis))
                outline_add(o, corners[i], corners[i | axis]);
}

/* ---- triangles ---- */

/* Each edge once: sort all, the lesser end first, and skip an edge equal to the last. Corners are equal if their
 * numbers are, so that a mesh whose triangles share no indices has no doubled edges. */

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

static bool outline_mesh(outline *o, const clash_mesh *mesh)
{
    return outline_triangles(o, mesh, mesh_corners, clash_mesh_triangle_count(mesh));
}

static bool outline_terrain(outline *o, const clash_terrain *terrain)
{
    return outline_triangles(o, terrain, terrain_corners, clash_terrain_triangle_count(terrain));
}

size_t clash_shape_outline(const clash_shape *shape, const clash_pose *pose, clash_line *out_lines, size_t room)
{
    outline o;

    if (!shape_is_valid(shape) || !pose_is_valid(pose))
        return 0;
    o = outline_begin(pose, out_lines, room);
    switch (shape->kind) {
    case CLASH_SHAPE_SPHERE:
        outline_sphere(&o, &shape->as.sphere);
        break;
    case CLASH_SHAPE_CAPSULE:
        outline_capsule(&o, &shape->as.capsule);
        break;
    case CLASH_SHAPE_BOX:
        outline_box(&o, &shape->as.box);
        break;
    case CLASH_SHAPE_MESH:
        return outline_mesh(&o, shape->as.mesh) ? o.count : 0;
    case CLASH_SHAPE_TERRAIN:
        return outline_terrain(&o, shape->as.terrain) ? o.count : 0;
    }
    return o.count;
}
