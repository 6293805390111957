/* The closest feature of a surface to an axis at rest: branch and bound, nearest child first. Of equally close
 * triangles the one with the lowest index counts, so the answer depends only on the triangles, not on how they are
 * stored. Pure. */
#ifndef CLASH_GEOMETRY_SURFACE_CLOSEST_H
#define CLASH_GEOMETRY_SURFACE_CLOSEST_H

#include "surface_bvh_f32x4.h"

/** The axis, rounded: base + s u, s in 0..1. */
typedef struct near_axis {
    clash_vec3 base, u;
    float per_square; /* 0 for an axis of no length */
    float unit[3];    /* along it */
    float along;      /* of the base, in that direction */
    double slack;     /* bound on all rounding, m */
    bool huge;        /* no bounds */
} near_axis;

SIMD_INLINE near_axis near_axis_of(const surface *s, dvec base, dvec u)
{
    double square = dvec_dot(u, u), size = s->size + dvec_sum(base) + dvec_sum(u);
    near_axis a = {
        .base = dvec_round(base), .u = dvec_round(u), .slack = SURFACE_ROUNDING * size, .huge = !(size < SURFACE_HUGE)};

    if (square > 1e-30) {
        clash_vec3 unit = dvec_round(dvec_scale(u, 1.0 / sqrt(square)));

        a.per_square = (float)(1.0 / square);
        a.unit[0] = unit.x;
        a.unit[1] = unit.y;
        a.unit[2] = unit.z;
        a.along = (float)dvec_dot(base, dvec_from(unit));
    }
    return a;
}

/** Return the axis' point nearest to p, as its s. */
SIMD_INLINE f32x4 near_foot(const near_axis *a, const f32x4 p[3])
{
    f32x4 dot = (p[0] - a->base.x) * a->u.x + (p[1] - a->base.y) * a->u.y + (p[2] - a->base.z) * a->u.z;

    return f32x4_min(f32x4_max(dot * a->per_square, f32x4_all(0.0f)), f32x4_all(1.0f));
}

/** Return lower bounds on the distance between the line of the axis and what is in four boxes and their slabs; negative
 *  if they may meet. Measured along the slab's normal without its part along the line: then all of the line is at one
 *  height, and what the slab rises in that direction it does within the box. */
SIMD_INLINE f32x4 near_slab_bounds(const near_axis *a, const surface_boxes *boxes, const f32x4 low[3],
                                   const f32x4 high[3])
{
    f32x4 x = *(const f32x4_in_memory *)boxes->normal[0], y = *(const f32x4_in_memory *)boxes->normal[1];
    f32x4 z = *(const f32x4_in_memory *)boxes->normal[2], along = x * a->unit[0] + y * a->unit[1] + z * a->unit[2];
    f32x4 base = x * a->base.x + y * a->base.y + z * a->base.z, across = f32x4_sqrt(1.0f - along * along);
    f32x4 from = {0, 0, 0, 0}, to = from, least, most;

    for (int axis = 0; axis < 3; axis++) {
        from += (a->unit[axis] < 0.0f ? high[axis] : low[axis]) * a->unit[axis];
        to += (a->unit[axis] < 0.0f ? low[axis] : high[axis]) * a->unit[axis];
    }
    from = (from - a->along) * along;
    to = (to - a->along) * along;
    least = *(const f32x4_in_memory *)boxes->least - f32x4_max(from, to);
    most = *(const f32x4_in_memory *)boxes->most - f32x4_min(from, to);
    return f32x4_choose(across > 0.01f, f32x4_max(base - most, least - base) / across, f32x4_all(0.0f));
}

/** Return lower bounds on the distance between the axis and what is in four boxes. With p on the axis and q its nearest
 *  point of the box, the plane through q perpendicular to p - q has the whole box behind it: no end of the axis is
 *  nearer to the box than to the plane. */
SIMD_INLINE f32x4 near_bounds(const near_axis *a, const surface_boxes *boxes)
{
    const float base[3] = {a->base.x, a->base.y, a->base.z}, u[3] = {a->u.x, a->u.y, a->u.z};
    f32x4 low[3], high[3], q[3], first, slope, last, square, n[3], bound;

    surface_load(boxes, low, high);
    for (int axis = 0; axis < 3; axis++)
        q[axis] = 0.5f * (low[axis] + high[axis]);
    for (int look = 0; look < 2; look++) {
        f32x4 s = near_foot(a, q);

        for (int axis = 0; axis < 3; axis++) {
            f32x4 p = base[axis] + s * u[axis];

            q[axis] = f32x4_min(f32x4_max(p, low[axis]), high[axis]);
            n[axis] = p - q[axis];
        }
    }
    square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    first = n[0] * (base[0] - q[0]) + n[1] * (base[1] - q[1]) + n[2] * (base[2] - q[2]);
    slope = n[0] * u[0] + n[1] * u[1] + n[2] * u[2];
    last = first + f32x4_min(slope, f32x4_all(0.0f));
    bound = f32x4_choose(last > 0.0f, last / f32x4_sqrt(square), f32x4_all(0.0f));
    return a->per_square > 0.0f ? f32x4_max(bound, near_slab_bounds(a, boxes, low, high)) : bound;
}

/** A node that is still to be visited, and a lower bound on its distance. */
typedef struct near_entry {
    surface_ref ref;
    float bound;
} near_entry;

typedef struct near_search {
    const surface *s;
    near_axis axis;
    dvec base, u;
    double within; /* only what is within this counts */
    bool found;
    clash_vec3 toward; /* from the nearest point so far to the axis */
    float lowest;      /* the axis' least height that way; what is lower by more than `within` does not count */
    target_near *out;
    near_entry stack[SURFACE_STACK];
    int top;
    uint64_t left; /* work left: a node costs 1, a triangle NEAR_TRIANGLE_WORK */
    bool any;      /* the first one found will do */
} near_search;

/* Work for a triangle, in nodes. */
#define NEAR_TRIANGLE_WORK 4

static inline void near_pay(near_search *q, uint64_t price)
{
    q->left = q->left > price ? q->left - price : 0;
}

SIMD_INLINE bool near_counts(const near_search *q, float bound)
{
    return q->axis.huge || !((double)bound - q->axis.slack > q->within);
}

/** Set the direction in which other triangles are compared with the nearest so far: most triangles beside it are
 *  further away in just that direction. */
SIMD_INLINE void near_turn(near_search *q, const target_near *near)
{
    clash_vec3 n = dvec_round(dvec_scale(near->w, 1.0 / near->distance)), b = q->axis.base, u = q->axis.u;
    float along = n.x * u.x + n.y * u.y + n.z * u.z;

    q->toward = n;
    q->lowest = near->distance > 1e-30 ? n.x * b.x + n.y * b.y + n.z * b.z + (along < 0.0f ? along : 0.0f) : (float)NAN;
}

/** Return whether a triangle is too low in that direction. False for NaN, i.e. without a direction. */
SIMD_INLINE bool near_is_beyond(const near_search *q, const surface_triangle *t)
{
    const clash_vec3 *c = t->corners, n = q->toward;
    float a = n.x * c[0].x + n.y * c[0].y + n.z * c[0].z, b = n.x * c[1].x + n.y * c[1].y + n.z * c[1].z;
    float highest = n.x * c[2].x + n.y * c[2].y + n.z * c[2].z;

    highest = a > highest ? a : highest;
    highest = b > highest ? b : highest;
    return !near_counts(q, q->lowest - highest);
}

static inline void near_try(near_search *q, const surface_triangle *t)
{
    target_convex convex;
    target_near near;

    near_pay(q, NEAR_TRIANGLE_WORK);
    convex_of_triangle(&convex, t);
    convex_nearest(&convex, q->base, q->u, &near);
    if (near.distance > q->within || (q->found && near.distance == q->within && t->index > q->out->triangle))
        return;
    near.triangle = t->index;
    *q->out = near;
    q->within = near.distance;
    q->found = true;
    near_turn(q, &near);
}

static inline void near_look_at_leaf(near_search *q, surface_ref ref)
{
    surface_triangle store[2];
    const surface_triangle *triangles;
    surface_boxes boxes;
    int count = surface_leaf(q->s, ref, store, &triangles);
    f32x4 bounds;

    surface_boxes_of(triangles, count, &boxes);
    bounds = near_bounds(&q->axis, &boxes);
    for (int k = 0; k < count; k++) {
        if (near_counts(q, bounds[k]) && !near_is_beyond(q, &triangles[k]))
            near_try(q, &triangles[k]);
    }
}

/** Push a node's children on the stack, the nearest on top. */
static inline void near_look_at_node(near_search *q, surface_ref ref)
{
    const surface_boxes *boxes;
    surface_boxes store;
    surface_ref refs[SURFACE_WAYS];
    unsigned there = surface_children(q->s, ref, &store, &boxes, refs);
    f32x4 bounds = near_bounds(&q->axis, boxes);
    int first = q->top;

    for (int k = 0; k < SURFACE_WAYS; k++) {
        near_entry entry = {refs[k], bounds[k]};
        int at = q->top;

        if (!(there >> k & 1u) || !near_counts(q, bounds[k]))
            continue;
        for (; at > first && q->stack[at - 1].bound < entry.bound; at--)
            q->stack[at] = q->stack[at - 1];
        q->stack[at] = entry;
        q->top++;
    }
}

/** Find the closest point of the surface to the axis base + s u within `within` or, with `any`, just some point; false
 *  if there is none. Takes its work from *left; if that is spent the answer means nothing. */
static inline bool surface_nearest_for(const surface *s, dvec base, dvec u, double within, bool any, uint64_t *left,
                                       target_near *out_near)
{
    near_search q = {.s = s,
                     .axis = near_axis_of(s, base, u),
                     .base = base,
                     .u = u,
                     .within = within,
                     .out = out_near,
                     .top = 1,
                     .left = *left,
                     .any = any};

    q.stack[0] = (near_entry){surface_root(s), 0.0f};
    while (q.top > 0 && q.left > 0 && !(q.any && q.found)) {
        near_entry entry = q.stack[--q.top];

        near_pay(&q, 1);
        if (!near_counts(&q, entry.bound))
            continue;
        if (surface_is_leaf(s, entry.ref))
            near_look_at_leaf(&q, entry.ref);
        else
            near_look_at_node(&q, entry.ref);
    }
    *left = q.left;
    return q.found;
}

/** The same without a limit on work. */
static inline bool surface_nearest(const surface *s, dvec base, dvec u, double within, target_near *out_near)
{
    uint64_t left = UINT64_MAX;

    return surface_nearest_for(s, base, u, within, false, &left, out_near);
}

#endif
