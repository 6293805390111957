/* The searches over surfaces, for core_target.c: a unit of their own, as they take long to compile. And what is inside a
 * convex hull that is solid: an axis that meets no triangle is inside with all of it or with nothing, so one point decides,
 * exactly (surface_inside.h). The planes of the triangles, which rounding tilts, only choose a point deep inside. Pure. */
#include "surface_inside.h"
#include "surface_time_of_impact.h"
#include "target_shape.h"

static bool solid_holds(const surface *s, dvec point)
{
    uint64_t left = UINT64_MAX;

    return surface_winding(s, point, &left) > 0;
}

/** Return the middle of the part of base + s u (s in 0..1) that is behind all planes, as its s; NAN if nothing is. Allow for
 *  `share` of what rounding may tilt them. */
static double solid_middle(const surface *s, dvec base, dvec u, double share)
{
    double first = 0.0, last = 1.0;

    for (uint32_t i = 0; i < s->mesh->count; i++) {
        const surface_triangle *t = &s->mesh->triangles[i];
        dvec n;
        double slack = mesh_plane_slack(s->mesh, t, &n), slope = dvec_dot(n, u);
        double height = dvec_dot(n, dvec_sub(base, dvec_from(t->corners[0]))) - share * slack;

        if (slope > 0.0)
            last = min_of(last, -height / slope);
        else if (slope < 0.0)
            first = max_of(first, -height / slope);
        else if (height > 0.0)
            return NAN;
    }
    return first <= last ? 0.5 * (first + last) : NAN;
}

/** If the axis enters a solid, let the closest point be one inside of it and the triangle the nearest to that one. */
static void solid_enter(const surface *s, dvec base, dvec u, target_near *near)
{
    const dvec zero = {0.0, 0.0, 0.0};
    double middle = NAN;
    dvec point = base;

    if (near->distance > 0.0 && !solid_holds(s, base))
        return;
    for (int share = 0; share < 2 && !(middle >= 0.0); share++) {
        middle = solid_middle(s, base, u, (double)share);
        point = dvec_add_scaled(base, u, middle);
        if (middle >= 0.0 && !solid_holds(s, point))
            middle = NAN;
    }
    if (!(middle >= 0.0)) {
        if (!(near->distance > 0.0))
            return; /* it grazes the surface */
        middle = 0.0;
        point = base;
    }
    surface_nearest(s, point, zero, INFINITY, near);
    near->s = middle;
    near->point = point;
    near->w = near->along = zero;
    near->distance = 0.0;
    near->feature = NEAR_FACE;
}

bool CORE(surface_nearest)(const surface *s, dvec base, dvec u, double within, target_near *out_near)
{
    const bool found = surface_nearest(s, base, u, within, out_near);

    if (found && surface_is_solid(s))
        solid_enter(s, base, u, out_near);
    return found;
}

bool CORE(surface_first_within)(const surface *s, const target_motion *m, double limit, const target_state *from,
                                double to, target_toi *out_search)
{
    const target_state *at = &out_search->state;

    if (surface_is_solid(s) && solid_holds(s, f64x4_vec_get(&from->ends, 0))) {
        out_search->state = *from;
        return CORE(surface_nearest)(s, f64x4_vec_get(&from->ends, 0), from->u, INFINITY, &out_search->near);
    }
    if (!surface_first_within(s, m, limit, from, to, out_search))
        return false;
    if (surface_is_solid(s))
        solid_enter(s, f64x4_vec_get(&at->ends, 0), at->u, &out_search->near);
    return true;
}

double CORE(surface_depth)(const surface *s, dvec point)
{
    target_near near;

    if (!solid_holds(s, point) || !surface_nearest(s, point, (dvec){0.0, 0.0, 0.0}, INFINITY, &near))
        return 0.0;
    return near.distance;
}
