/* How deep a capsule is in a ball, a capsule or a box, and the way out, in closed form: both are convex, so there is no
 * shorter way. Pure. */
#ifndef CLASH_GEOMETRY_PUSH_OUT_SOLID_H
#define CLASH_GEOMETRY_PUSH_OUT_SOLID_H

#include "push_out_task.h"

/* If two axes, or an axis and a side, are nearer than this, they meet: the direction between them is rounding. Relative
 * to their sizes. */
#define PUSH_OUT_MEETING 1e-12

static inline push_out_overlap out_of_rod(const push_out_axis *a, dvec base, dvec u, double radius)
{
    closest c = closest_of_segments(dvec_sub(a->base, base), u, a->u);
    double distance = sqrt(c.distance_squared);

    if (distance <= PUSH_OUT_MEETING * (dvec_sum(a->base) + dvec_sum(a->u) + dvec_sum(u)))
        c.distance_squared = distance = 0.0;
    return (push_out_overlap){.depth = a->radius + radius - distance,
                              .normal = closest_normal(&c, u, a->u),
                              .triangle = CLASH_NO_TRIANGLE,
                              .touched = CLASH_NO_TRIANGLE,
                              .is_least = true,
                              .core = dvec_scale(c.w, -1.0),
                              .core_radius = a->radius + radius};
}

/** Take the direction `along`, of any length, if the way out along it is shorter, for a segment about `middle`, half as
 *  long as `u`, and a box. */
static inline void shorter_way(dvec along, dvec middle, dvec u, dvec half, push_out_overlap *shortest)
{
    double square = dvec_dot(along, along), least = 1e-16 * dvec_dot(u, u), reach, depth;
    dvec n;

    if (!(square > least))
        return;
    n = dvec_scale(along, (dvec_dot(along, middle) < 0.0 ? -1.0 : 1.0) / sqrt(square));
    reach = half.x * fabs(n.x) + half.y * fabs(n.y) + half.z * fabs(n.z) + 0.5 * fabs(dvec_dot(u, n));
    depth = reach - dvec_dot(n, middle);
    if (depth < shortest->depth)
        *shortest = (push_out_overlap){
            .depth = depth, .normal = n, .triangle = CLASH_NO_TRIANGLE, .touched = CLASH_NO_TRIANGLE};
}

/** Find the way out of the box for a segment inside, as one convex body about the origin: its faces are perpendicular
 *  to the box's sides, or parallel to the segment and one of its edges. */
static inline push_out_overlap out_of_inside_box(dvec base, dvec u, dvec half)
{
    dvec middle = dvec_add_scaled(base, u, 0.5), sides[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    push_out_overlap shortest = {
        .depth = INFINITY, .normal = {0.0, 1.0, 0.0}, .triangle = CLASH_NO_TRIANGLE, .touched = CLASH_NO_TRIANGLE};

    for (int k = 0; k < 3; k++)
        shorter_way(sides[k], middle, u, half, &shortest);
    for (int k = 0; k < 3; k++)
        shorter_way(dvec_cross(u, sides[k]), middle, u, half, &shortest);
    return shortest;
}

static inline push_out_overlap out_of_box(const push_out_axis *a, dvec origin, dquat stage_from_device,
                                          const clash_box *box)
{
    dquat stage_from_box = dquat_mul(stage_from_device, dquat_from(box->orientation));
    dquat back = dquat_conjugate(stage_from_box);
    dvec center = dvec_add(origin, dquat_rotate(stage_from_device, dvec_from(box->center)));
    dvec base = dquat_rotate(back, dvec_sub(a->base, center)), u = dquat_rotate(back, a->u),
         half = dvec_from(box->half);
    push_out_overlap o = {.normal = {0.0, 1.0, 0.0}, .triangle = CLASH_NO_TRIANGLE, .touched = CLASH_NO_TRIANGLE};
    target_near near;
    double along;

    near_box(base, u, half, &near);
    if (near.distance > PUSH_OUT_MEETING * (dvec_sum(base) + dvec_sum(u) + dvec_sum(half))) {
        o.depth = -near.distance;
        o.normal = dvec_scale(near.w, 1.0 / near.distance);
    } else {
        o = out_of_inside_box(base, u, half);
    }
    along = dvec_dot(u, u) > 0.0 ? clamp01(-dvec_dot(base, u) / dvec_dot(u, u)) : 0.0;
    o.core = dquat_rotate(stage_from_box, dvec_scale(dvec_add_scaled(base, u, along), -1.0));
    o.core_radius = a->radius + min_of(half.x, min_of(half.y, half.z));
    o.is_least = true;
    o.depth += a->radius;
    o.normal = dquat_rotate(stage_from_box, o.normal);
    return o;
}

/** Return the overlap of the capsule moved by x. */
static inline push_out_overlap out_of_solid(push_out_task *b, size_t capsule, const clash_obstacle *o, dvec x)
{
    const push_out_axis a = b->axes[capsule];
    const clash_shape *shape = &o->shape;
    dquat turned = dquat_from(o->pose.orientation);
    dvec origin = origin_of(b, o, x), base, tip;

    surface_pay(&b->left, PUSH_OUT_SOLID_WORK);
    if (shape->kind == CLASH_SHAPE_BOX)
        return out_of_box(&a, origin, turned, &shape->as.box);
    if (shape->kind == CLASH_SHAPE_SPHERE) {
        base = dvec_add(origin, dquat_rotate(turned, dvec_from(shape->as.sphere.center)));
        return out_of_rod(&a, base, (dvec){0.0, 0.0, 0.0}, (double)shape->as.sphere.radius);
    }
    base = dvec_add(origin, dquat_rotate(turned, dvec_from(shape->as.capsule.base)));
    tip = dvec_add(origin, dquat_rotate(turned, dvec_from(shape->as.capsule.tip)));
    return out_of_rod(&a, base, dvec_sub(tip, base), (double)shape->as.capsule.radius);
}

#endif
