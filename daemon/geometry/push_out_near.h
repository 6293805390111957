/* Which obstacles a push-out can do without: those so far away that no place which it tries touches them. A quick test by balls,
 * a few nanoseconds each, decides before anything is measured. Pure. */
#ifndef CLASH_GEOMETRY_PUSH_OUT_NEAR_H
#define CLASH_GEOMETRY_PUSH_OUT_NEAR_H

#include <clash/push_out.h>

#include "f64x4.h"
#include "quat.h"
#include "surface.h"

/* As many near ones are put together; with more, all are measured. */
#define PUSH_OUT_NEAR 64
/* No search tries a place further away than so many times the reach: push_out_search.h. */
#define PUSH_OUT_NEAR_REACHES 2.0
/* More than all rounding, relative to the sizes. */
#define PUSH_OUT_NEAR_MORE (1.0 + 1e-9)

/** A ball around all places that are tried, stage space, m. */
typedef struct push_out_ball {
    dvec center;
    double radius;
} push_out_ball;

/** At least the distance of any point of the capsule from its device's origin; NaN if a number is not finite or the radius
 *  negative. */
static inline double reach_of_capsule(const clash_capsule *c)
{
    double base = dvec_sum(dvec_from(c->base)), tip = dvec_sum(dvec_from(c->tip));

    /* the second term makes NaN of what is not a number: max_of() may drop it */
    return c->radius >= 0.0f ? max_of(base, tip) + 0.0 * (base + tip) + (double)c->radius : (double)NAN;
}

/** True if q can turn something without a closer look: finite, not zero, its square in the range of float. */
SIMD_INLINE bool is_plainly_valid(clash_quat q)
{
    const float square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;

    return square > 0.0f && square < INFINITY;
}

/** Around the box between two corners, in the device's frame. */
SIMD_INLINE push_out_ball ball_of_corners(clash_vec3 low, clash_vec3 high)
{
    const dvec a = dvec_from(low), b = dvec_from(high);

    return (push_out_ball){dvec_scale(dvec_add(a, b), 0.5), 0.5 * dvec_sum(dvec_sub(b, a))};
}

/** Around a shape, in its device's frame. The radius is NaN if the shape needs a closer look to be called valid. */
SIMD_INLINE push_out_ball ball_of_shape(const clash_shape *s)
{
    const push_out_ball unknown = {{0.0, 0.0, 0.0}, (double)NAN};
    const clash_box *box = &s->as.box;
    push_out_ball ball;

    switch (s->kind) {
    case CLASH_SHAPE_SPHERE:
        ball = (push_out_ball){dvec_from(s->as.sphere.center), (double)s->as.sphere.radius};
        return ball.radius >= 0.0 ? ball : unknown;
    case CLASH_SHAPE_CAPSULE:
        ball = ball_of_corners(s->as.capsule.base, s->as.capsule.tip);
        ball.radius += (double)s->as.capsule.radius;
        return s->as.capsule.radius >= 0.0f ? ball : unknown;
    case CLASH_SHAPE_BOX:
        ball = (push_out_ball){dvec_from(box->center), dvec_sum(dvec_from(box->half))};
        return is_plainly_valid(box->orientation) && box->half.x >= 0.0f && box->half.y >= 0.0f && box->half.z >= 0.0f
                   ? ball
                   : unknown;
    case CLASH_SHAPE_MESH:
        return s->as.mesh ? ball_of_corners(s->as.mesh->low, s->as.mesh->high) : unknown;
    case CLASH_SHAPE_TERRAIN:
        return s->as.terrain ? ball_of_corners(s->as.terrain->low, s->as.terrain->high) : unknown;
    }
    return unknown;
}

/** The same where it stands, stage space. */
SIMD_INLINE push_out_ball ball_of_obstacle(const clash_obstacle *o)
{
    push_out_ball ball = ball_of_shape(&o->shape);
    const dvec center = ball.center;

    if (!is_plainly_valid(o->pose.orientation))
        ball.radius = (double)NAN;
    if (center.x != 0.0 || center.y != 0.0 || center.z != 0.0)
        ball.center = dquat_rotate(dquat_from(o->pose.orientation), center);
    ball.center = dvec_add(ball.center, dvec_from(o->pose.position));
    /* what rounding may have moved of it */
    ball.radius += 1e-12 * (dvec_sum(center) + dvec_sum(ball.center));
    return ball;
}

/** True is proven: nothing of the two touches, and no number of either is NaN. */
SIMD_INLINE bool balls_are_apart(const push_out_ball *a, const push_out_ball *b)
{
    const dvec between = dvec_sub(b->center, a->center);
    const double apart = (a->radius + b->radius) * PUSH_OUT_NEAR_MORE, square = dvec_dot(between, between);

    return square > apart * apart && square < INFINITY;
}

/** True is proven: the obstacle is valid, and apart from all that is in the ball. */
SIMD_INLINE bool is_far(const push_out_ball *ball, const clash_obstacle *o)
{
    const push_out_ball own = ball_of_obstacle(o);

    return balls_are_apart(ball, &own);
}

/** NaN or infinite if something of the blade is. */
SIMD_INLINE push_out_ball ball_of_places(const clash_push_input *in)
{
    push_out_ball ball = {dvec_from(in->pose.position), 0.0};

    for (size_t i = 0; i < in->capsule_count; i++)
        ball.radius = max_of(ball.radius, reach_of_capsule(&in->capsules[i]));
    ball.radius += PUSH_OUT_NEAR_REACHES * (double)in->reach;
    if (in->from)
        ball.radius += dvec_sum(dvec_sub(dvec_from(in->from->position), ball.center));
    return ball;
}

/** The input without the obstacles that are far, the others copied to `near`; as it is if there are too many of those. */
static inline clash_push_input near_input(const clash_push_input *all, clash_obstacle near[PUSH_OUT_NEAR])
{
    clash_push_input in = *all;
    push_out_ball ball;
    size_t count = 0;

    if (!all->capsules || all->capsule_count < 1 || all->capsule_count > CLASH_PARTS_MAX)
        return in;
    ball = ball_of_places(all);
    for (size_t k = 0; k < all->obstacle_count; k++) {
        if (is_far(&ball, &all->obstacles[k]))
            continue;
        if (count == PUSH_OUT_NEAR)
            return in;
        near[count++] = all->obstacles[k];
    }
    in.obstacles = near;
    in.obstacle_count = count;
    return in;
}

#endif
