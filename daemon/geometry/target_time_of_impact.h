/* The sweep of a blade with one convex of a target, and what a surface of many convexes builds on. Everything is in the
 * frame of the target's shape (target_motion.h), in which the convexes stand still; `limit` is always the distance of the
 * blade's axis from the convex itself: the caller adds the blade's radius, the margin, and the radius that a sphere or a
 * capsule has about its point or segment. Pure.
 *
 * A surface of many convexes: the motion is prepared once, and so is the state at the start; take the convexes that
 * target_swept_box reaches; call convex_first_within on each with `to` the earliest touch found so far. Meshes and terrains
 * (surface.h) answer three questions for target.h, all in the shape's frame, which for them is the device's:
 *     bool surface_first_within(const clash_shape *shape, const target_motion *m, double limit, const target_state *from,
 *                               double to, target_toi *out_search);     as convex_first_within; near.triangle set
 *     void surface_nearest(const clash_shape *shape, const target_state *s, target_near *out);     near.triangle set
 *     void surface_bounds(const clash_shape *shape, dvec *out_low, dvec *out_high);     of all of it
 * Of equally close triangles the one with the least index, so that the order of the tree does not tell. */
#ifndef CLASH_GEOMETRY_TARGET_TIME_OF_IMPACT_H
#define CLASH_GEOMETRY_TARGET_TIME_OF_IMPACT_H

#include "target_step.h"

/** Where a search ended: the state there (state.x is the time), and the closest points of axis and convex. */
typedef struct target_toi {
    target_state state;
    target_near near;
} target_toi;

/** Find the first x in from->x .. to at which the axis is within `limit` of the convex, to within the motion's
 *  tolerance; false if there is none, and *out_search is then undefined. Begins at `from`, and finds what already holds
 *  there. At most CLASH_SWEEP_STEPS_MAX evaluations, see there. */
static inline bool convex_first_within(const target_convex *p, const target_motion *m, double limit,
                                       const target_state *from, double to, target_toi *out_search)
{
    double tolerance = m->tolerance, beyond = limit + 0.5 * m->tolerance, x = from->x;
    target_state *s = &out_search->state;
    target_near *near = &out_search->near;

    *s = *from;
    for (int i = 0; i < CLASH_SWEEP_STEPS_MAX; i++) {
        double step;

        if (i > 0)
            target_at(m, x, s);
        convex_nearest(p, f64x4_vec_get(&s->ends, 0), s->u, near);
        if (near->distance <= limit + tolerance)
            break;
        step = target_safe_step(p, m, s, near, beyond, to - x);
        if (step < to - x && is_poor(x, step, i))
            step = target_rotating_step(p, m, s, near, beyond, step, to - x);
        if (step >= to - x)
            return false;
        if (advance(&x, step, i))
            tolerance *= 2.0;
    }
    return true;
}

#endif
