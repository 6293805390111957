/* How deep a capsule is in a mesh or terrain. What encloses something (closed parts of meshes; below a terrain) is
 * solid: the deepest point of the axis inside must get out the nearest way. An open surface has only two sides: an axis
 * that crosses it must get to the outer one. Pure. */
#ifndef CLASH_GEOMETRY_PUSH_OUT_SURFACE_H
#define CLASH_GEOMETRY_PUSH_OUT_SURFACE_H

#include "push_out_sight.h"

/* An axis and a triangle nearer than this, m, meet. */
#define PUSH_OUT_SURFACE_MEETING 1e-9
/* If an axis goes in and out more often than this, the rest is ignored. */
#define PUSH_OUT_CROSSINGS 32

/** Where an axis crosses what counts as solid, in order. */
typedef struct push_out_crossings {
    surface_crossing at[PUSH_OUT_CROSSINGS];
    int count, inside; /* inside: in how many solids its base is */
    uint32_t triangle; /* one that it crosses; CLASH_NO_TRIANGLE: none */
} push_out_crossings;

static inline void note_crossing(push_out_crossings *c, surface_crossing crossing)
{
    int k;

    if (c->count == PUSH_OUT_CROSSINGS && crossing.t >= c->at[PUSH_OUT_CROSSINGS - 1].t)
        return;
    k = c->count < PUSH_OUT_CROSSINGS ? c->count++ : PUSH_OUT_CROSSINGS - 1;
    for (; k > 0 && c->at[k - 1].t > crossing.t; k--)
        c->at[k] = c->at[k - 1];
    c->at[k] = crossing;
}

/** Return whether a triangle is part of a solid, or with is_open of an open surface. */
static inline bool counts_as(const push_out_sight *v, const surface_triangle *t, bool is_open)
{
    return v->s.terrain || surface_is_closed(&v->s, t) != is_open;
}

static inline void find_crossings(const push_out_sight *v, bool is_open, push_out_crossings *out)
{
    const surface_triangle *triangles;
    surface_along along;
    int count, inside = 0;

    out->count = out->inside = 0;
    out->triangle = CLASH_NO_TRIANGLE;
    along_begin(&along, &v->s, v->base, v->u, 0.0);
    while ((count = along_next(&along, v->left, &triangles)) > 0) {
        for (int k = 0; k < count; k++) {
            surface_crossing crossing;

            if (!counts_as(v, &triangles[k], is_open) || !surface_crosses(&triangles[k], v->base, v->u, &crossing))
                continue;
            crossing.way *= v->side < 0 ? -1 : 1;
            note_crossing(out, crossing);
            if (triangles[k].index < out->triangle)
                out->triangle = triangles[k].index;
        }
    }
    for (int k = 0; k < out->count; k++) {
        inside -= out->at[k].way;
        out->inside = -inside > out->inside ? -inside : out->inside;
    }
}

/** Take the axis' point at t if it is deeper inside. Return whether it is. */
static inline bool look_deeper(const push_out_sight *v, double t, push_out_overlap *deepest)
{
    const dvec p = dvec_add_scaled(v->base, v->u, t);
    clash_vec3 corners[3];
    target_near near;
    dvec out;

    if (!sight_nearest(v, p, (dvec){0.0, 0.0, 0.0}, INFINITY, &near) || near.distance + v->radius <= deepest->depth)
        return false;
    surface_corners(&v->s, near.triangle, corners);
    out = unit_or(triangle_normal(corners), (dvec){0.0, 1.0, 0.0});
    out = v->side < 0 ? dvec_scale(out, -1.0) : out;
    if (near.distance > PUSH_OUT_SURFACE_MEETING)
        out = dvec_scale(near.w, -1.0 / near.distance);
    *deepest = sight_overlap(v, near.distance + v->radius, out, near.triangle);
    return true;
}

static inline push_out_inner points_inside(const push_out_crossings *c)
{
    double from = 0.0, longest = -1.0;
    push_out_inner inner = {.count = 0};
    int inside = c->inside;

    for (int k = 0; k <= c->count; k++) {
        const double to = k < c->count ? c->at[k].t : 1.0;

        if (inside > 0 && to - from > longest) {
            longest = to - from;
            inner.at[0] = 0.5 * (from + to);
            inner.count = 1;
        }
        if (k < c->count)
            inside -= c->at[k].way;
        from = to;
    }
    if (c->inside > 0)
        inner.at[inner.count++] = 0.0;
    if (inside > 0 && inner.count > 0)
        inner.at[inner.count++] = 1.0;
    return inner;
}

/** Return how deep the deepest one is or, if rough, that there is one. Return false if there is none. */
static inline bool deepest_inside(const push_out_sight *v, const push_out_crossings *c, push_out_overlap *out)
{
    push_out_inner inner = points_inside(c);

    *out = sight_overlap(v, v->is_rough ? INFINITY : -INFINITY, (dvec){0.0, 1.0, 0.0}, CLASH_NO_TRIANGLE);
    for (int i = 0; i < inner.count && !v->is_rough; i++) {
        const double t = inner.at[i];

        if (!look_deeper(v, t, out))
            continue;
        inner.at[i] = inner.at[0];
        inner.at[0] = t;
    }
    out->inner = inner;
    out->is_least = true;
    return inner.count > 0;
}

/** Return the way out along n, from the surface's nearest point. `depth` is what it takes that way; the other way all
 *  of the axis must get across. */
static inline push_out_overlap out_along(const push_out_sight *v, const target_near *near, dvec n, double depth)
{
    double low = dvec_dot(n, dvec_sub(v->base, near->point)), high = max_of(low, low + dvec_dot(n, v->u));
    push_out_overlap o = sight_overlap(v, depth, n, near->triangle);

    o.behind = v->radius + max_of(0.0, high);
    o.touched = near->triangle;
    o.core = dquat_rotate(v->stage_from_shape, dvec_scale(near->w, -1.0));
    o.core_radius = v->radius;
    o.is_least = near->distance > PUSH_OUT_SURFACE_MEETING;
    return o;
}

/** Return the way out of an open surface that the axis crosses: to the triangle's outer side. */
static inline push_out_overlap out_of_pierced(const push_out_sight *v, const target_near *near)
{
    push_out_crossings crossings;
    clash_vec3 corners[3];
    push_out_overlap o;
    double low;
    dvec n;

    surface_corners(&v->s, near->triangle, corners);
    n = unit_or(triangle_normal(corners), dvec_across(v->u));
    low = dvec_dot(n, dvec_sub(v->base, near->point));
    o = out_along(v, near, n, v->radius + max_of(0.0, -min_of(low, low + dvec_dot(n, v->u))));
    if (v->side != 0) {
        find_crossings(v, true, &crossings);
        o.inner = points_inside(&crossings);
        o.inner.is_open = true;
    }
    return o;
}

/** Return the way out of what encloses some of the axis; false if nothing does. */
static inline bool out_of_closed(const push_out_sight *v, push_out_overlap *out)
{
    push_out_crossings crossings;

    if (v->s.terrain ? v->side == 0 : !has_closed(v))
        return false;
    find_crossings(v, false, &crossings);
    if (crossings.count == 0)
        crossings.inside = is_enclosed(v);
    if (!deepest_inside(v, &crossings, out))
        return false;
    out->touched = crossings.triangle;
    return true;
}

/** Find what touches the capsule, or comes within `within` (m) of its axis. */
static inline bool find_touched(const push_out_sight *v, double within, target_near *out)
{
    const double deep = v->radius - 0.5 * (double)CLASH_PUSH_DEPTH;

    if (v->side != 0 && v->s.mesh) /* it touched at the start: what is near there tells which side it is on */
        within = max_of(within, v->radius + v->moved);
    else if (v->is_rough && deep > 0.0)
        return surface_nearest_for(&v->s, v->base, v->u, deep, true, v->left, out);
    return sight_nearest(v, v->base, v->u, max_of(v->radius, within), out);
}

/** What is further from the axis than its radius and `within` counts as that far away. */
static inline push_out_overlap out_of_surface(const push_out_sight *v, double within)
{
    target_near near;
    push_out_overlap o;
    dvec across;

    if (out_of_closed(v, &o))
        return o;
    if (!find_touched(v, within, &near))
        return sight_overlap(v, min_of(0.0, v->radius - within), (dvec){0.0, 1.0, 0.0}, CLASH_NO_TRIANGLE);
    if (!(near.distance > PUSH_OUT_SURFACE_MEETING))
        return out_of_pierced(v, &near);
    across = dvec_scale(near.w, 1.0 / near.distance);
    if (is_behind(v, &near))
        return sight_overlap(v, v->radius + near.distance, dvec_scale(across, -1.0), near.triangle);
    if (near.distance > v->radius)
        return sight_overlap(v, v->radius - near.distance, across, near.triangle);
    return out_along(v, &near, across, v->radius - near.distance);
}

#endif
