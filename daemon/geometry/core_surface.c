/* The searches over surfaces, for core_target.c: a unit of their own, as they take long to compile. Pure. */
#include "surface_time_of_impact.h"
#include "target_shape.h"

bool CORE(surface_nearest)(const surface *s, dvec base, dvec u, double within, target_near *out_near)
{
    return surface_nearest(s, base, u, within, out_near);
}

bool CORE(surface_first_within)(const surface *s, const target_motion *m, double limit, const target_state *from,
                                double to, target_toi *out_search)
{
    return surface_first_within(s, m, limit, from, to, out_search);
}
