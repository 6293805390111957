/* Preparing and evaluating a pair, and turning a state into a contact. The searches are in search.c. */
#include "pair.h"

/* Touching: 1 nm, plus what rounding makes uncertain where things are large or far from each other. */
#define TOUCH_TOLERANCE 1e-9
#define TOUCH_ROUNDING 1e-14

static double reach(const motion *m)
{
    double base = dvec_length(m->base.still), tip = dvec_length(m->tip.still);

    return max_of(base, tip) + m->swing;
}

bool pair_spheres_apart(const clash_body *a, const clash_body *b, double limit)
{
    dvec from = dvec_sub(dvec_from(b->motion.from.position), dvec_from(a->motion.from.position));
    dvec to = dvec_sub(dvec_from(b->motion.to.position), dvec_from(a->motion.to.position));
    dvec step = dvec_sub(to, from);
    double ss = dvec_dot(step, step);
    double x = ss > 0.0 ? clamp01(-dvec_dot(from, step) / ss) : 0.0;
    dvec nearest = dvec_add_scaled(from, step, x);
    dvec base_a = dvec_from(a->shape.base), tip_a = dvec_from(a->shape.tip);
    dvec base_b = dvec_from(b->shape.base), tip_b = dvec_from(b->shape.tip);
    double reach_a = sqrt(max_of(dvec_dot(base_a, base_a), dvec_dot(tip_a, tip_a)));
    double reach_b = sqrt(max_of(dvec_dot(base_b, base_b), dvec_dot(tip_b, tip_b)));
    double reach = (reach_a + reach_b + limit) * (1.0 + 1e-12) + 1e-8;

    return dvec_dot(nearest, nearest) > reach * reach;
}

void pair_prepare(pair *out_pair, const clash_body *a, clash_span span_a, const clash_body *b, clash_span span_b)
{
    motion *ma = &out_pair->a, *mb = &out_pair->b;
    double size;

    motion_prepare(ma, a, span_a);
    motion_prepare(mb, b, span_b);
    out_pair->gap_start = dvec_sub(mb->origin, ma->origin);
    out_pair->gap_step = dvec_sub(mb->step, ma->step);
    /* The origins move on straight lines, so only turning accelerates: rate squared times distance from the axis. */
    out_pair->bend = ma->angle * ma->angle * ma->swing + mb->angle * mb->angle * mb->swing;
    size = reach(ma) + reach(mb) + dvec_length(out_pair->gap_start) + dvec_length(out_pair->gap_step);
    out_pair->tolerance = TOUCH_TOLERANCE + TOUCH_ROUNDING * size;
}

void pair_at(const pair *p, double x, pair_state *out_state)
{
    pair_state *s = out_state;

    motion_axis_at(&p->a, x, &s->a);
    motion_axis_at(&p->b, x, &s->b);
    s->base_gap = dvec_add(dvec_add_scaled(p->gap_start, p->gap_step, x), dvec_sub(s->b.base, s->a.base));
    s->base_gap_rate = dvec_add(p->gap_step, dvec_sub(s->b.base_rate, s->a.base_rate));
    s->near = closest_of_segments(s->base_gap, s->a.along, s->b.along);
    s->distance = sqrt(s->near.distance_squared);
}

bool pair_contact(const pair *p, double x, const pair_state *state, clash_contact *out_contact)
{
    dvec origin = dvec_add_scaled(p->a.origin, p->a.step, x);
    dvec on_a = dvec_add_scaled(dvec_add(origin, state->a.base), state->a.along, state->near.s);
    dvec on_b = dvec_add(on_a, state->near.w);
    dvec middle = dvec_add_scaled(on_a, state->near.w, 0.5);
    clash_contact c = {
        .fraction = x,
        .distance = (float)state->distance,
        .midpoint = dvec_round(middle),
        .points = {dvec_round(on_a), dvec_round(on_b)},
        .normal = dvec_round(closest_normal(&state->near, state->a.along, state->b.along)),
        .along = {(float)state->near.s, (float)state->near.t},
    };

    if (!isfinite(c.distance) || !clash_vec3_is_finite(c.midpoint) || !clash_vec3_is_finite(c.points[0]) ||
        !clash_vec3_is_finite(c.points[1]) || !clash_vec3_is_finite(c.normal))
        return false;
    *out_contact = c;
    return true;
}
