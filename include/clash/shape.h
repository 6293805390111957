/* Shapes, and distances between shapes that do not move. */
#ifndef CLASH_SHAPE_H
#define CLASH_SHAPE_H

#include <clash/math.h>

CLASH_BEGIN_DECLS

/** A segment with a radius, in its device's frame, metres. `base` may equal `tip` (a ball) and `radius` may be 0 (a
 *  line, a point). The radius must not be negative. */
typedef struct clash_capsule {
    clash_vec3 base, tip;
    float radius;
} clash_capsule;

/** How two axes lie to each other at one time. Stage space. Body 0 is the first argument, body 1 the second. */
typedef struct clash_contact {
    double fraction;     /**< of the interval, 0..1, first contact; 0 where nothing moves */
    float distance;      /**< between the axes at that time, m, never negative */
    clash_vec3 midpoint; /**< of the two closest axis points, m */
    clash_vec3 points
        [2]; /**< closest point on each axis, m. Where several pairs are equally close (parallel axes) one of them */
    clash_vec3
        normal; /**< unit, from body 0 to body 1. Where the axes meet (distance 0): across both axes, else any unit vector across the longer one */
    float along[2]; /**< where on each axis: 0 at the base, 1 at the tip; 0 for an axis of no length */
} clash_contact;

/** Distance (m) between the segments p0 p1 and q0 q1, exact to rounding for parallel, collinear, crossing and
 *  zero-length segments. `out_closest`, if not NULL, is filled whole (fraction 0; body 0 is p0 p1, `along` 0 at p0, q0).
 *  Non-finite input gives NaN and leaves `out_closest` untouched. */
CLASH_API float clash_segment_distance(clash_vec3 p0, clash_vec3 p1, clash_vec3 q0, clash_vec3 q1,
                                       clash_contact *out_closest);

CLASH_END_DECLS

#endif
