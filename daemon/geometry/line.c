/* Points and lines without ends: see clash/math.h. Squares and cross products of floats neither overflow nor underflow
 * in double, and the products themselves are exact, so whether two directions are parallel is certain. Pure. */
#include "vec.h"

double clash_segment_ratio(clash_vec3 point, clash_vec3 a, clash_vec3 b)
{
    dvec from = dvec_from(a), way = dvec_sub(dvec_from(b), from);
    double square = dvec_dot(way, way), along = dvec_dot(dvec_sub(dvec_from(point), from), way);

    if (!isfinite(square) || !isfinite(along))
        return (double)NAN;
    return square > 0.0 ? along / square : 0.0;
}

/** Return the foot of the perpendicular from m, in lengths of d; 0 if d has no length. */
static double foot_of(dvec m, dvec d)
{
    double square = dvec_dot(d, d);

    return square > 0.0 ? dvec_dot(m, d) / square : 0.0;
}

/** Return the distance of m from the line along d. */
static double distance_from(dvec m, dvec d)
{
    double square = dvec_dot(d, d);

    return square > 0.0 ? dvec_length(dvec_cross(m, d)) / sqrt(square) : dvec_length(m);
}

float clash_point_line_distance(clash_vec3 point, clash_vec3 origin, clash_vec3 direction, double *out_parameter)
{
    dvec d = dvec_from(direction), m = dvec_sub(dvec_from(point), dvec_from(origin));
    double distance = distance_from(m, d), parameter = foot_of(m, d);

    if (!isfinite(distance) || !isfinite(parameter))
        return (float)NAN;
    if (out_parameter)
        *out_parameter = parameter;
    return (float)distance;
}

static double meet_parallel(dvec w, dvec u, dvec v, double out_parameters[2])
{
    bool is_point = !(dvec_dot(v, v) > 0.0);

    /* With a point and a line the foot is on the line, whichever of the two that is. */
    out_parameters[0] = is_point ? foot_of(w, u) : 0.0;
    out_parameters[1] = is_point ? 0.0 : -foot_of(w, v);
    return distance_from(w, is_point ? u : v);
}

/** With w = origin_b - origin_a = s u - t v + k n and n = u x v: (w x v).n = s n.n and (w x u).n = t n.n. Returns the
 *  distance, |k| |n|. */
static double meet_skew(dvec w, dvec u, dvec v, dvec n, double out_parameters[2])
{
    double square = dvec_dot(n, n);

    out_parameters[0] = dvec_dot(dvec_cross(w, v), n) / square;
    out_parameters[1] = dvec_dot(dvec_cross(w, u), n) / square;
    return fabs(dvec_dot(w, n)) / sqrt(square);
}

/** Set both points; return whether they are within the range of float. */
static bool set_points(dvec a, dvec u, dvec b, dvec v, clash_line_closest *c)
{
    c->points[0] = dvec_round(dvec_add_scaled(a, u, c->parameters[0]));
    c->points[1] = dvec_round(dvec_add_scaled(b, v, c->parameters[1]));
    return clash_vec3_is_finite(c->points[0]) && clash_vec3_is_finite(c->points[1]);
}

float clash_line_distance(clash_vec3 origin_a, clash_vec3 direction_a, clash_vec3 origin_b, clash_vec3 direction_b,
                          clash_line_closest *out_closest)
{
    dvec a = dvec_from(origin_a), u = dvec_from(direction_a), b = dvec_from(origin_b), v = dvec_from(direction_b);
    dvec w = dvec_sub(b, a), n = dvec_cross(u, v);
    clash_line_closest c = {.parallel = false};
    double distance = meet_skew(w, u, v, n, c.parameters);

    if (!(dvec_dot(n, n) > 0.0) || !set_points(a, u, b, v, &c)) {
        c.parallel = true;
        distance = meet_parallel(w, u, v, c.parameters);
        if (!isfinite(distance) || !set_points(a, u, b, v, &c))
            return (float)NAN;
    }
    if (out_closest)
        *out_closest = c;
    return (float)distance;
}
