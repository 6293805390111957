/* How deep a blade's capsules are in what does not yield, and the way out: in closed form for solids, by the closest triangle
 * for surfaces. Everything is relative to the blade's own origin, so that being far from the stage's costs no precision. */
#ifndef CLASH_GEOMETRY_PUSH_OVERLAP_H
#define CLASH_GEOMETRY_PUSH_OVERLAP_H

#include <clash/push_out.h>

#include "target_near.h"

/* Nearer than this two axes, or an axis and a side, meet: the direction between them is rounding. Relative to their sizes. */
#define PUSH_MEETING 1e-12
/* The same of surfaces, whose distances come as floats, m. */
#define PUSH_SURFACE_MEETING 1e-6f

/** A capsule's axis, and how it lies to an obstacle: in stage axes from the blade's origin. */
typedef struct push_axis {
    dvec base, u;
    double radius;
} push_axis;

typedef struct push_overlap {
    double depth;
    dvec normal;
    uint32_t triangle;
    double behind; /* the way out against the normal, of a surface; 0: there is no other side */
} push_overlap;

/** What is to be moved. */
typedef struct push_blade {
    const clash_capsule *capsules;
    size_t count;
    dquat orientation;
    dvec position;
    const clash_obstacle *obstacles;
    size_t obstacle_count;
} push_blade;

static inline push_axis axis_of(const push_blade *b, size_t i)
{
    dvec base = dquat_rotate(b->orientation, dvec_from(b->capsules[i].base));
    dvec tip = dquat_rotate(b->orientation, dvec_from(b->capsules[i].tip));

    return (push_axis){base, dvec_sub(tip, base), (double)b->capsules[i].radius};
}

static inline push_overlap out_of_rod(const push_axis *a, dvec base, dvec u, double radius)
{
    closest c = closest_of_segments(dvec_sub(a->base, base), u, a->u);
    double distance = sqrt(c.distance_squared);

    if (distance <= PUSH_MEETING * (dvec_sum(a->base) + dvec_sum(a->u) + dvec_sum(u)))
        c.distance_squared = distance = 0.0;
    return (push_overlap){a->radius + radius - distance, closest_normal(&c, u, a->u), CLASH_NO_TRIANGLE, 0.0};
}

/** Takes the direction `along`, of any length, where the way out along it is shorter: of a segment about `middle`, half as
 *  long as `u`, and a box. */
static inline void shorter_way(dvec along, dvec middle, dvec u, dvec half, push_overlap *shortest)
{
    double square = dvec_dot(along, along), least = 1e-16 * dvec_dot(u, u), reach, depth;
    dvec n;

    if (!(square > least))
        return;
    n = dvec_scale(along, (dvec_dot(along, middle) < 0.0 ? -1.0 : 1.0) / sqrt(square));
    reach = half.x * fabs(n.x) + half.y * fabs(n.y) + half.z * fabs(n.z) + 0.5 * fabs(dvec_dot(u, n));
    depth = reach - dvec_dot(n, middle);
    if (depth < shortest->depth)
        *shortest = (push_overlap){depth, n, CLASH_NO_TRIANGLE, 0.0};
}

/** The box and the segment as one convex body about the origin: its faces are across the box's sides, or along the segment and
 *  one of its edges. */
static inline push_overlap out_of_inside_box(dvec base, dvec u, dvec half)
{
    dvec middle = dvec_add_scaled(base, u, 0.5), sides[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    push_overlap shortest = {INFINITY, {0.0, 1.0, 0.0}, CLASH_NO_TRIANGLE, 0.0};

    for (int k = 0; k < 3; k++)
        shorter_way(sides[k], middle, u, half, &shortest);
    for (int k = 0; k < 3; k++)
        shorter_way(dvec_cross(u, sides[k]), middle, u, half, &shortest);
    return shortest;
}

static inline push_overlap out_of_box(const push_axis *a, dvec origin, dquat stage_from_device, const clash_box *box)
{
    dquat stage_from_box = dquat_mul(stage_from_device, dquat_from(box->orientation));
    dquat back = dquat_conjugate(stage_from_box);
    dvec center = dvec_add(origin, dquat_rotate(stage_from_device, dvec_from(box->center)));
    dvec base = dquat_rotate(back, dvec_sub(a->base, center)), u = dquat_rotate(back, a->u),
         half = dvec_from(box->half);
    push_overlap o = {0.0, {0.0, 1.0, 0.0}, CLASH_NO_TRIANGLE, 0.0};
    target_near near;

    near_box(base, u, half, &near);
    if (near.distance > PUSH_MEETING * (dvec_sum(base) + dvec_sum(u) + dvec_sum(half))) {
        o.depth = -near.distance;
        o.normal = dvec_scale(near.w, 1.0 / near.distance);
    } else {
        o = out_of_inside_box(base, u, half);
    }
    o.depth += a->radius;
    o.normal = dquat_rotate(stage_from_box, o.normal);
    return o;
}

/** Where a triangle is pierced, out to its outer side. */
static inline push_overlap out_of_surface(const push_axis *a, dvec origin, const clash_obstacle *obstacle)
{
    const clash_pose still = {{0.0f, 0.0f, 0.0f, 1.0f}, {0.0f, 0.0f, 0.0f}};
    clash_pose pose = {obstacle->pose.orientation, dvec_round(origin)};
    clash_vec3 base = dvec_round(a->base), tip = dvec_round(dvec_add(a->base, a->u));
    clash_body axis = {{base, tip, 0.0f}, {still, still}};
    clash_target target = {obstacle->shape, {pose, pose}};
    const clash_span whole = {0.0, 1.0};
    clash_surface_contact c;
    double low, high;
    bool pierced;
    dvec n, from;

    if (clash_target_at(&axis, whole, &target, whole, 0.0f, 0.0, &c) == CLASH_SWEEP_INVALID)
        return (push_overlap){NAN, {0.0, 1.0, 0.0}, CLASH_NO_TRIANGLE, 0.0};
    pierced = !(c.contact.distance > PUSH_SURFACE_MEETING);
    n = pierced ? dvec_from(c.surface_normal) : dvec_scale(dvec_from(c.contact.normal), -1.0);
    from = dvec_sub(a->base, dvec_from(c.contact.points[1]));
    low = dvec_dot(n, from);
    high = max_of(low, low + dvec_dot(n, a->u));
    low = min_of(low, low + dvec_dot(n, a->u));
    return (push_overlap){a->radius + (pierced ? max_of(0.0, -low) : -(double)c.contact.distance), n, c.triangle,
                          a->radius + max_of(0.0, high)};
}

/** The blade moved by x. */
static inline push_overlap overlap_at(const push_blade *b, size_t capsule, const clash_obstacle *o, dvec x)
{
    push_axis a = axis_of(b, capsule);
    dquat turned = dquat_from(o->pose.orientation);
    dvec origin = dvec_sub(dvec_sub(dvec_from(o->pose.position), b->position), x), base, tip;

    switch (o->shape.kind) {
    case CLASH_SHAPE_SPHERE:
        base = dvec_add(origin, dquat_rotate(turned, dvec_from(o->shape.as.sphere.center)));
        return out_of_rod(&a, base, (dvec){0.0, 0.0, 0.0}, (double)o->shape.as.sphere.radius);
    case CLASH_SHAPE_CAPSULE:
        base = dvec_add(origin, dquat_rotate(turned, dvec_from(o->shape.as.capsule.base)));
        tip = dvec_add(origin, dquat_rotate(turned, dvec_from(o->shape.as.capsule.tip)));
        return out_of_rod(&a, base, dvec_sub(tip, base), (double)o->shape.as.capsule.radius);
    case CLASH_SHAPE_BOX:
        return out_of_box(&a, origin, turned, &o->shape.as.box);
    case CLASH_SHAPE_MESH:
    case CLASH_SHAPE_TERRAIN:
        break;
    }
    return out_of_surface(&a, origin, o);
}

/** The deepest of all overlaps when moved by x. */
static inline push_overlap deepest_at(const push_blade *b, dvec x)
{
    push_overlap deepest = {-INFINITY, {0.0, 1.0, 0.0}, CLASH_NO_TRIANGLE, 0.0};

    for (size_t i = 0; i < b->count; i++) {
        for (size_t k = 0; k < b->obstacle_count; k++) {
            push_overlap o = overlap_at(b, i, &b->obstacles[k], x);

            if (o.depth > deepest.depth)
                deepest = o;
        }
    }
    return deepest;
}

static inline bool is_outside(const push_overlap *o)
{
    return o->depth <= 0.5 * (double)CLASH_PUSH_DEPTH;
}

#endif
