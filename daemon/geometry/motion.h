/* A body's rigid motion over a swept interval, prepared once: what evaluating it at any time needs, in double precision.
 * The parameter is x in 0..1 over the interval (not over the whole motion). Pure. */
#ifndef CLASH_GEOMETRY_MOTION_H
#define CLASH_GEOMETRY_MOTION_H

#include <clash/sweep.h>

#include "vec.h"

/** An arm fixed to the device while it turns: still + cos(angle x) across + sin(angle x) ahead. */
typedef struct turning {
    dvec still, across, ahead;
} turning;

typedef struct motion {
    dvec origin;       /* device's origin at x = 0, stage */
    dvec step;         /* its displacement over the interval */
    double angle;      /* turned over the interval, 0..pi */
    turning base, tip; /* of the axis' ends, about the origin */
    double swing;      /* largest distance of an end from the axis of rotation: m */
    double radius;
} motion;

/** An axis at one time, relative to the device's origin, and how it moves per unit of x. */
typedef struct axis_state {
    dvec base, along;           /* base, tip - base: m */
    dvec base_rate, along_rate; /* m per unit of x, without the origin's own step */
} axis_state;

/** Whether every number of the body is finite, its quaternions are not zero and its radius is not negative. */
bool body_is_valid(const clash_body *body);

/** Whether 0 <= from <= to <= 1. */
bool span_is_valid(clash_span span);

/** `body` and `span` must be valid. */
void motion_prepare(motion *out_motion, const clash_body *body, clash_span span);

/** The axis at x (0..1). */
void motion_axis_at(const motion *m, double x, axis_state *out_state);

#endif
