/* From how a blade's axis lies to a shape, in the shape's frame, to a contact in stage space. Part of core.c. Pure. */
#ifndef CLASH_GEOMETRY_TARGET_CONTACT_H
#define CLASH_GEOMETRY_TARGET_CONTACT_H

#include "target_shape.h"

/** The box's face that is nearest to a point of it: its normal. */
static inline dvec target_box_way_out(dvec at, dvec half)
{
    double x = half.x - fabs(at.x), y = half.y - fabs(at.y), z = half.z - fabs(at.z);

    if (x <= y && x <= z)
        return (dvec){at.x < 0.0 ? -1.0 : 1.0, 0.0, 0.0};
    if (y <= z)
        return (dvec){0.0, at.y < 0.0 ? -1.0 : 1.0, 0.0};
    return (dvec){0.0, 0.0, at.z < 0.0 ? -1.0 : 1.0};
}

/** Unit vector from the closest point of the piece to that of the axis; where they meet, one that leads out. */
static inline dvec target_way_out(const target_shape *t, const target_search *s)
{
    const target_near *near = &s->near;
    closest c = {.w = near->w, .distance_squared = dvec_dot(near->w, near->w)};
    dvec along = near->feature == NEAR_EDGE ? near->along : (dvec){0.0, 0.0, 0.0};

    if (near->distance > 0.0)
        return dvec_scale(near->w, 1.0 / near->distance);
    if (t->piece.kind == PIECE_BOX)
        return target_box_way_out(near->point, t->piece.u);
    return closest_normal(&c, s->state.u, along);
}

/** False, and nothing written, where a number does not fit into a float. */
static inline bool target_contact_of(const target_shape *t, const target_motion *m, const target_look *look,
                                     clash_surface_contact *out_contact)
{
    const target_near *near = &look->search.near;
    double x = look->search.state.x;
    dvec out = target_way_out(t, &look->search), on_axis = dvec_add(near->point, near->w), on_shape = on_axis, n;
    clash_surface_contact c;

    if (near->distance > t->radius)
        on_shape = dvec_add_scaled(near->point, out, t->radius);
    n = target_outward(m, x, out);
    on_axis = target_stage_point(m, x, on_axis);
    on_shape = target_stage_point(m, x, on_shape);
    c = (clash_surface_contact){
        .contact = {.fraction = x,
                    .distance = (float)look->distance,
                    .midpoint = dvec_round(dvec_scale(dvec_add(on_axis, on_shape), 0.5)),
                    .points = {dvec_round(on_axis), dvec_round(on_shape)},
                    .normal = dvec_round(dvec_scale(n, -1.0)),
                    .along = {(float)near->s, 0.0f}},
        .surface_normal = dvec_round(n),
        .triangle = near->triangle,
    };
    if (!is_finite_sum(c.contact.distance, c.contact.midpoint, c.contact.points[0], c.contact.points[1],
                       c.surface_normal))
        return false;
    if (out_contact)
        *out_contact = c;
    return true;
}

#endif
