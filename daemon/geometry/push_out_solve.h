/* The shortest move into the region that a set of planes allows: the least |x| with normal_i . x >= least_i for all i.
 * Take one plane after the other (R. Seidel, "Small-dimensional linear programming and convex hulls made easy", 1991):
 * if a plane cuts the answer off, the new one lies on that plane, which is the same problem with one dimension less.
 * Pure. */
#ifndef CLASH_GEOMETRY_PUSH_OUT_SOLVE_H
#define CLASH_GEOMETRY_PUSH_OUT_SOLVE_H

#include "vec.h"

/* More contacts than this in one place are not told apart. */
#define PUSH_OUT_PLANES_MAX 48
/* Rounding allowed in a plane's demand, m. */
#define PUSH_OUT_SLACK 1e-9

typedef struct push_out_plane {
    dvec normal; /* unit */
    double least;
} push_out_plane;

static inline bool push_out_allows(const push_out_plane *p, dvec x)
{
    return dvec_dot(p->normal, x) >= p->least - PUSH_OUT_SLACK;
}

/** Find the point closest to the origin on the line through `at` along the unit vector `along`, within the first
 *  planes. */
static inline bool push_out_on_line(const push_out_plane *planes, int count, dvec at, dvec along, dvec *out_x)
{
    double low = -INFINITY, high = INFINITY, best = -dvec_dot(at, along);

    for (int i = 0; i < count; i++) {
        double slope = dvec_dot(planes[i].normal, along), left = planes[i].least - dvec_dot(planes[i].normal, at);

        if (slope > 1e-9)
            low = max_of(low, left / slope);
        else if (slope < -1e-9)
            high = min_of(high, left / slope);
        else if (left > PUSH_OUT_SLACK)
            return false;
    }
    if (low > high + PUSH_OUT_SLACK)
        return false;
    best = best < low ? low : best > high ? high : best;
    *out_x = dvec_add_scaled(at, along, best);
    return true;
}

/** Find the point on the plane itself, within those before it. */
static inline bool push_out_on_plane(const push_out_plane *planes, int index, dvec *out_x)
{
    const push_out_plane *p = &planes[index];
    dvec x = dvec_scale(p->normal, p->least);

    for (int i = 0; i < index; i++) {
        const push_out_plane *q = &planes[i];
        dvec along = dvec_cross(p->normal, q->normal), across, at;
        double square = dvec_dot(along, along), length = sqrt(square);

        if (push_out_allows(q, x))
            continue;
        if (length < 1e-6)
            return false;
        /* the point on both planes that is closest to the origin */
        across = dvec_sub(dvec_scale(dvec_cross(q->normal, along), p->least),
                          dvec_scale(dvec_cross(p->normal, along), q->least));
        at = dvec_scale(across, 1.0 / square);
        if (!push_out_on_line(planes, i, at, dvec_scale(along, 1.0 / length), &x))
            return false;
    }
    *out_x = x;
    return true;
}

/** Solve. Return false if the planes leave no room. */
static inline bool push_out_solve(const push_out_plane *planes, int count, dvec *out_x)
{
    dvec x = {0.0, 0.0, 0.0};

    for (int i = 0; i < count; i++)
        if (!push_out_allows(&planes[i], x) && !push_out_on_plane(planes, i, &x))
            return false;
    *out_x = x;
    return true;
}

#endif
