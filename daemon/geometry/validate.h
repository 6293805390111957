/* What makes input to the sweep valid. Pure. */
#ifndef CLASH_GEOMETRY_VALIDATE_H
#define CLASH_GEOMETRY_VALIDATE_H

#include <clash/sweep.h>

/** Whether every number of the body is finite, its quaternions are not zero and its radius is not negative. */
static inline bool body_is_valid(const clash_body *body)
{
    const clash_capsule *s = &body->shape;
    const clash_pose *f = &body->motion.from, *t = &body->motion.to;
    const clash_quat *p = &f->orientation, *q = &t->orientation;
    /* A number times 0 is 0 unless it is infinite or NaN, and a sum keeps a NaN: one test for all. */
    float zero = 0.0f * s->base.x + 0.0f * s->base.y + 0.0f * s->base.z + 0.0f * s->tip.x + 0.0f * s->tip.y +
                 0.0f * s->tip.z + 0.0f * s->radius + 0.0f * f->position.x + 0.0f * f->position.y +
                 0.0f * f->position.z + 0.0f * t->position.x + 0.0f * t->position.y + 0.0f * t->position.z +
                 0.0f * p->x + 0.0f * p->y + 0.0f * p->z + 0.0f * p->w + 0.0f * q->x + 0.0f * q->y + 0.0f * q->z +
                 0.0f * q->w;
    bool from_is_zero = p->x == 0.0f && p->y == 0.0f && p->z == 0.0f && p->w == 0.0f;
    bool to_is_zero = q->x == 0.0f && q->y == 0.0f && q->z == 0.0f && q->w == 0.0f;

    return zero == 0.0f && s->radius >= 0.0f && !from_is_zero && !to_is_zero;
}

/** Whether 0 <= from <= to <= 1. */
static inline bool span_is_valid(clash_span span)
{
    return span.from >= 0.0 && span.from <= span.to && span.to <= 1.0;
}

#endif
