/* Prepares and evaluates a body's motion: position linear, orientation at a constant rate about the device's origin. */
#include "motion.h"

#include "quat.h"

bool body_is_valid(const clash_body *body)
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

bool span_is_valid(clash_span span)
{
    return span.from >= 0.0 && span.from <= span.to && span.to <= 1.0;
}

/* Splits an arm (already turned as at fraction 0) into what the rotation keeps and what it turns, and turns it on to the
 * span's start. Returns the squared length of the turning part. */
static double turning_prepare(turning *out, dvec axis, double sine, double cosine, dvec arm)
{
    dvec across, ahead;

    out->still = dvec_scale(axis, dvec_dot(axis, arm));
    across = dvec_sub(arm, out->still);
    ahead = dvec_cross(axis, arm);
    out->across = dvec_add_scaled(dvec_scale(across, cosine), ahead, sine);
    out->ahead = dvec_add_scaled(dvec_scale(ahead, cosine), across, -sine);
    return dvec_dot(across, across);
}

void motion_prepare(motion *out_motion, const clash_body *body, clash_span span)
{
    dquat from = dquat_from(body->motion.from.orientation);
    turn way = turn_between(from, dquat_from(body->motion.to.orientation));
    dvec start = dvec_from(body->motion.from.position);
    dvec whole = dvec_sub(dvec_from(body->motion.to.position), start);
    double width = span.to - span.from;
    double sine = 0.0, cosine = 1.0, base, tip;

    if (span.from > 0.0)
        trig_sincos(way.angle * span.from, &sine, &cosine);
    base = turning_prepare(&out_motion->base, way.axis, sine, cosine, dquat_rotate(from, dvec_from(body->shape.base)));
    tip = turning_prepare(&out_motion->tip, way.axis, sine, cosine, dquat_rotate(from, dvec_from(body->shape.tip)));
    out_motion->origin = dvec_add_scaled(start, whole, span.from);
    out_motion->step = dvec_scale(whole, width);
    out_motion->angle = way.angle * width;
    out_motion->swing = sqrt(max_of(base, tip));
    out_motion->radius = (double)body->shape.radius;
}

static dvec turning_at(const turning *arm, double sine, double cosine)
{
    return dvec_add_scaled(dvec_add_scaled(arm->still, arm->across, cosine), arm->ahead, sine);
}

static dvec turning_rate(const turning *arm, double angle, double sine, double cosine)
{
    return dvec_scale(dvec_add_scaled(dvec_scale(arm->ahead, cosine), arm->across, -sine), angle);
}

void motion_axis_at(const motion *m, double x, axis_state *out_state)
{
    double sine, cosine;
    dvec base, base_rate;

    trig_sincos(m->angle * x, &sine, &cosine);
    base = turning_at(&m->base, sine, cosine);
    base_rate = turning_rate(&m->base, m->angle, sine, cosine);
    out_state->base = base;
    out_state->along = dvec_sub(turning_at(&m->tip, sine, cosine), base);
    out_state->base_rate = base_rate;
    out_state->along_rate = dvec_sub(turning_rate(&m->tip, m->angle, sine, cosine), base_rate);
}
