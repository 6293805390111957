/* A capsule's axis as a mesh or terrain sees it, and on which side of the surface it is. Pure. */
#ifndef CLASH_GEOMETRY_PUSH_OUT_SIGHT_H
#define CLASH_GEOMETRY_PUSH_OUT_SIGHT_H

#include "push_out_task.h"

/** An axis in the surface's frame. */
typedef struct push_out_sight {
    surface s;
    dquat stage_from_shape;
    dvec base, u;
    double radius;
    double moved;  /* from where it began, m */
    int side;      /* see push_out_pair */
    bool is_rough; /* only whether it is inside matters, not how deep */
    bool is_hollow;
    uint64_t *left;
} push_out_sight;

static inline push_out_sight sight_of(push_out_task *b, size_t capsule, const clash_obstacle *o, int side, dvec x)
{
    const bool is_mesh = o->shape.kind == CLASH_SHAPE_MESH;
    const push_out_axis a = b->axes[capsule];
    const dquat stage_from_shape = dquat_from(o->pose.orientation), back = dquat_conjugate(stage_from_shape);

    return (push_out_sight){surface_of(is_mesh ? o->shape.as.mesh : NULL, is_mesh ? NULL : o->shape.as.terrain),
                            stage_from_shape,
                            dquat_rotate(back, dvec_sub(a.base, origin_of(b, o, x))),
                            dquat_rotate(back, a.u),
                            a.radius,
                            dvec_length(x),
                            side,
                            b->is_rough,
                            b->is_hollow,
                            &b->left};
}

static inline bool has_closed(const push_out_sight *v)
{
    return v->s.mesh && !v->is_hollow && v->s.mesh->closed_count > 0;
}

static inline bool has_open(const push_out_sight *v)
{
    return v->s.terrain || v->is_hollow || v->s.mesh->closed_count < v->s.mesh->count;
}

static inline bool sight_nearest(const push_out_sight *v, dvec base, dvec u, double within, target_near *out)
{
    return surface_nearest_for(&v->s, base, u, within, false, v->left, out);
}

static inline bool triangle_is_closed(const push_out_sight *v, uint32_t triangle)
{
    return has_closed(v) && surface_is_closed(&v->s, &v->s.mesh->triangles[v->s.mesh->places[triangle]]);
}

/** Return the triangle's normal, of any length, by its winding. */
static inline dvec triangle_normal(const clash_vec3 c[3])
{
    dvec at = dvec_from(c[0]);

    return dvec_cross(dvec_sub(dvec_from(c[1]), at), dvec_sub(dvec_from(c[2]), at));
}

/** Return the unit vector; `otherwise` if n has no length. */
static inline dvec unit_or(dvec n, dvec otherwise)
{
    double length = dvec_length(n);

    return length > 0.0 ? dvec_scale(n, 1.0 / length) : otherwise;
}

static inline push_out_overlap sight_overlap(const push_out_sight *v, double depth, dvec normal, uint32_t triangle)
{
    return (push_out_overlap){.depth = depth,
                              .normal = dquat_rotate(v->stage_from_shape, normal),
                              .triangle = triangle,
                              .touched = CLASH_NO_TRIANGLE};
}

/** Return 1 if an axis, by its nearest point, is on the outer side of the nearest triangles, -1 if on the inner. If
 *  several are equally near, at an edge or corner, the one decides that is most perpendicular to the way to the axis; 0
 *  if these disagree, as for a sheet with two sides. */
static inline int side_of(const push_out_sight *v, const target_near *near)
{
    double front = 0.0, behind = 0.0;
    const surface_triangle *triangles;
    surface_along along;
    int count;

    along_begin(&along, &v->s, near->point, (dvec){0.0, 0.0, 0.0}, 1e-6 * v->s.size);
    while ((count = along_next(&along, v->left, &triangles)) > 0) {
        for (int k = 0; k < count; k++) {
            dvec n = unit_or(triangle_normal(triangles[k].corners), (dvec){0.0, 0.0, 0.0});
            double across = dvec_dot(n, near->w);
            target_convex convex;
            target_near here;

            surface_pay(v->left, NEAR_TRIANGLE_WORK);
            convex_of_triangle(&convex, &triangles[k]);
            convex_nearest(&convex, near->point, (dvec){0.0, 0.0, 0.0}, &here);
            if (here.distance > 1e-9 * v->s.size)
                continue;
            front = max_of(front, across);
            behind = max_of(behind, -across);
        }
    }
    return fabs(front - behind) <= 1e-6 * near->distance ? 0 : front > behind ? 1 : -1;
}

/** Return whether an axis that crosses nothing closed is inside it, or on the wrong side of a terrain. */
static inline bool is_enclosed(const push_out_sight *v)
{
    double above;

    if (!v->s.terrain)
        return has_closed(v) && surface_winding(&v->s, v->base, v->left) > 0;
    above = terrain_above(v->s.terrain, v->base);
    above = isnan(above) ? terrain_above(v->s.terrain, dvec_add(v->base, v->u)) : above;
    return above * v->side > 0.0;
}

/** Return whether the axis is on the wrong side of an open surface with this nearest point. */
static inline bool is_behind(const push_out_sight *v, const target_near *near)
{
    clash_vec3 corners[3];

    if (v->side == 0 || v->s.terrain || triangle_is_closed(v, near->triangle))
        return false;
    surface_corners(&v->s, near->triangle, corners);
    if (near->feature == NEAR_FACE && dvec_dot(triangle_normal(corners), near->w) * v->side > 0.0)
        return false;
    return side_of(v, near) == -v->side;
}

#endif
