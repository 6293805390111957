/* A target's shape prepared for searching, and searches over it that know nothing of blades' radii: distances here are
 * from a blade's axis to the shape, 0 inside a solid one. A solid is one convex with a radius around it. Pure. */
#ifndef CLASH_GEOMETRY_TARGET_SHAPE_H
#define CLASH_GEOMETRY_TARGET_SHAPE_H

#include "core_unit.h"
#include "surface_bvh.h"
#include "target_time_of_impact.h"

/* As in surface_closest.h and surface_time_of_impact.h, which core_surface.c compiles; but a solid has an inside, at
 * distance 0. */
bool CORE(surface_nearest)(const surface *s, dvec base, dvec u, double within, target_near *out_near);
bool CORE(surface_first_within)(const surface *s, const target_motion *m, double limit, const target_state *from,
                                double to, target_toi *out_search);
/** Return how far a point inside a solid is from its surface; 0 outside. */
double CORE(surface_depth)(const surface *s, dvec point);

static inline bool surface_is_solid(const surface *s)
{
    return s->mesh && s->mesh->is_solid;
}

typedef struct target_shape {
    const clash_shape *is;
    target_frame frame;
    target_convex convex; /* of a solid; unused for a surface */
    surface surface;      /* of a mesh or terrain */
    bool is_surface;
    double radius; /* around the convex */
    double size;   /* see target_prepare */
} target_shape;

/** False for a surface, which has no convex. */
static inline bool target_is_box(const target_shape *t)
{
    return !t->is_surface && t->convex.kind == CONVEX_BOX;
}

/** The axis at one time, and its closest points with the shape. */
typedef struct target_look {
    target_toi search;
    double distance;
} target_look;

static inline void target_shape_of_box(target_shape *t, const clash_box *box)
{
    dvec half = dvec_from(box->half);

    t->frame = (target_frame){dvec_from(box->center), dquat_from(box->orientation)};
    t->size = dvec_sum(half) + dvec_sum(t->frame.center);
    convex_box(&t->convex, half);
}

static inline void target_shape_of_surface(target_shape *t, const clash_mesh *mesh, const clash_terrain *terrain)
{
    t->is_surface = true;
    t->surface = surface_of(mesh, terrain);
    t->size = 3.0 * t->surface.size;
}

/** The shape must be valid. */
static inline void target_shape_of(target_shape *t, const clash_shape *shape)
{
    const clash_capsule *capsule = &shape->as.capsule;

    t->is = shape;
    t->frame = (target_frame){{0.0, 0.0, 0.0}, {{0.0, 0.0, 0.0}, 1.0}};
    t->radius = 0.0;
    t->is_surface = false;
    switch (shape->kind) {
    case CLASH_SHAPE_SPHERE:
        t->radius = (double)shape->as.sphere.radius;
        t->size = t->radius + dvec_sum(dvec_from(shape->as.sphere.center));
        convex_point(&t->convex, dvec_from(shape->as.sphere.center));
        break;
    case CLASH_SHAPE_CAPSULE:
        t->radius = (double)capsule->radius;
        t->size = t->radius + dvec_sum(dvec_from(capsule->base)) + dvec_sum(dvec_from(capsule->tip));
        convex_segment(&t->convex, dvec_from(capsule->base), dvec_from(capsule->tip));
        break;
    case CLASH_SHAPE_BOX:
        target_shape_of_box(t, &shape->as.box);
        break;
    case CLASH_SHAPE_MESH:
        target_shape_of_surface(t, shape->as.mesh, NULL);
        break;
    case CLASH_SHAPE_TERRAIN:
        target_shape_of_surface(t, NULL, shape->as.terrain);
        break;
    }
}

/** Complete *out_look from its `search`. */
static inline void target_look_from(const target_shape *t, target_look *out_look)
{
    target_state *s = &out_look->search.state;
    target_near *near = &out_look->search.near;

    if (t->is_surface) {
        CORE(surface_nearest)(&t->surface, f64x4_vec_get(&s->ends, 0), s->u, INFINITY, near);
    } else {
        convex_nearest(&t->convex, f64x4_vec_get(&s->ends, 0), s->u, near);
        near->triangle = CLASH_NO_TRIANGLE;
    }
    out_look->distance = max_of(near->distance - t->radius, 0.0);
}

static inline void target_look_at(const target_shape *t, const target_motion *m, double x, target_look *out_look)
{
    target_at(m, x, &out_look->search.state);
    target_look_from(t, out_look);
}

/** Find the first x in from..to at which the axis is within `limit` of the shape, to within the tolerance. */
static inline bool target_first_within(const target_shape *t, const target_motion *m, double limit, double from,
                                       double to, target_look *out_look)
{
    target_state start;

    target_at(m, from, &start);
    if (t->is_surface) {
        if (!CORE(surface_first_within)(&t->surface, m, limit, &start, to, &out_look->search))
            return false;
    } else {
        if (!convex_first_within(&t->convex, m, limit + t->radius, &start, to, &out_look->search))
            return false;
        out_look->search.near.triangle = CLASH_NO_TRIANGLE;
    }
    out_look->distance = max_of(out_look->search.near.distance - t->radius, 0.0);
    return true;
}

/** Return how long the axis certainly stays within `limit` of the shape; `held` is a little less than that. Deep in a
 *  box or a hull the way out decides, not the way from the axis to it. */
static inline double target_step_held(const target_shape *t, const target_motion *m, const target_look *look,
                                      double held)
{
    const target_toi *l = &look->search;
    double step = target_step_inside(m, &l->state, &l->near, held), depth;
    bool is_hull = t->is_surface && surface_is_solid(&t->surface);

    if (!(is_hull || target_is_box(t)) || l->near.distance > 0.0)
        return step;
    depth = is_hull ? CORE(surface_depth)(&t->surface, l->near.point) : box_depth(l->near.point, t->convex.u);
    return max_of(step, target_step_around(m, &l->state, &l->near, max_of(depth, 0.0) + held));
}

/** Find the first x in from..to at which the axis is at least `limit` (above 0) from the shape, to within the
 *  tolerance; like pair_first_beyond. */
static inline bool target_first_beyond(const target_shape *t, const target_motion *m, double limit, double from,
                                       double to, target_look *out_look)
{
    double tolerance = m->tolerance, held = limit + t->radius - 0.5 * m->tolerance, x = from;
    const target_state *s = &out_look->search.state;
    const target_near *near = &out_look->search.near;

    for (int i = 0; i < CLASH_SWEEP_STEPS_MAX; i++) {
        double step;

        target_look_at(t, m, x, out_look);
        if (out_look->distance >= limit - tolerance)
            break;
        step = target_step_held(t, m, out_look, held);
        if (step < to - x && is_poor(x, step, i))
            step = target_rotating_step_inside(m, s, near, held, step, to - x);
        if (step >= to - x)
            return false;
        if (advance(&x, step, i))
            tolerance *= 2.0;
    }
    return true;
}

/** Lower `least` to the least distance over from..to, by halving its range like min_distance in core.c. */
static inline double target_least(const target_shape *t, const target_motion *m, double from, double to, double least)
{
    double low = 0.0, high = least;
    target_look look;

    target_look_at(t, m, from, &look);
    high = min_of(high, look.distance);
    target_look_at(t, m, to, &look);
    high = min_of(high, look.distance);
    /* usually one search shows that this part is not the nearest */
    for (double middle = high - MIN_DISTANCE_RESOLUTION; is_range(low, high); middle = 0.5 * (low + high)) {
        if (middle <= low || middle >= high)
            break;
        if (target_first_within(t, m, middle, from, to, &look))
            high = min_of(middle, look.distance);
        else
            low = middle;
    }
    return high;
}

#endif
