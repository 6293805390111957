/* From the closest points of a blade's axis and a shape, in the shape's frame, to a contact in stage space. Pure. */
#ifndef CLASH_GEOMETRY_TARGET_CONTACT_H
#define CLASH_GEOMETRY_TARGET_CONTACT_H

#include "target_shape.h"

/** Return a triangle's normal by its winding; `otherwise` if it has no area. */
static inline dvec surface_normal_of(const surface *s, uint32_t triangle, dvec otherwise)
{
    clash_vec3 c[3];
    dvec at, n;
    double length;

    surface_corners(s, triangle, c);
    at = dvec_from(c[0]);
    n = dvec_cross(dvec_sub(dvec_from(c[1]), at), dvec_sub(dvec_from(c[2]), at));
    length = dvec_length(n);
    return length > 0.0 ? dvec_scale(n, 1.0 / length) : otherwise;
}

/** Return the normal of the box's face nearest to a point inside. */
static inline dvec target_box_way_out(dvec at, dvec half)
{
    double x = half.x - fabs(at.x), y = half.y - fabs(at.y), z = half.z - fabs(at.z);

    if (x <= y && x <= z)
        return (dvec){at.x < 0.0 ? -1.0 : 1.0, 0.0, 0.0};
    if (y <= z)
        return (dvec){0.0, at.y < 0.0 ? -1.0 : 1.0, 0.0};
    return (dvec){0.0, 0.0, at.z < 0.0 ? -1.0 : 1.0};
}

/** Return the unit vector from the convex's closest point to the axis'; if they meet, one that leads out. */
static inline dvec target_way_out(const target_shape *t, const target_toi *s)
{
    const target_near *near = &s->near;
    closest c = {.w = near->w, .distance_squared = dvec_dot(near->w, near->w)};
    dvec along = near->feature == NEAR_EDGE ? near->along : (dvec){0.0, 0.0, 0.0};

    if (near->distance > 0.0)
        return dvec_scale(near->w, 1.0 / near->distance);
    if (t->is_surface)
        return surface_normal_of(&t->surface, near->triangle, closest_normal(&c, s->state.u, along));
    if (target_is_box(t))
        return target_box_way_out(near->point, t->convex.u);
    return closest_normal(&c, s->state.u, along);
}

/** Fill the contact. Return false, and write nothing, if a number does not fit into a float. */
static inline bool target_contact_of(const target_shape *t, const target_motion *m, const target_look *look,
                                     uint32_t part, clash_toi_output *out)
{
    const target_near *near = &look->search.near;
    double x = look->search.state.x;
    dvec away = target_way_out(t, &look->search), on_axis = dvec_add(near->point, near->w), on_shape = on_axis, n;
    dvec upright = t->is_surface ? surface_normal_of(&t->surface, near->triangle, away) : away;
    clash_toi_output c;

    if (near->distance > t->radius)
        on_shape = dvec_add_scaled(near->point, away, t->radius);
    n = target_outward(m, x, away);
    on_axis = target_stage_point(m, x, on_axis);
    on_shape = target_stage_point(m, x, on_shape);
    c = (clash_toi_output){
        .contact = {.fraction = x,
                    .distance = (float)look->distance,
                    .midpoint = dvec_round(dvec_scale(dvec_add(on_axis, on_shape), 0.5)),
                    .points = {dvec_round(on_axis), dvec_round(on_shape)},
                    .normal = dvec_round(dvec_scale(n, -1.0)),
                    .along = {(float)near->s, 0.0f}},
        .surface_normal = dvec_round(target_outward(m, x, upright)),
        .triangle = near->triangle,
        .parts = {part, 0},
    };
    if (!is_finite_sum(c.contact.distance, c.contact.midpoint, c.contact.points[0], c.contact.points[1],
                       c.surface_normal))
        return false;
    *out = c;
    return true;
}

#endif
