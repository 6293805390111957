/* Double-precision vectors for the inside of libclash: samples are float, everything computed from them is double. */
#ifndef CLASH_GEOMETRY_VEC_H
#define CLASH_GEOMETRY_VEC_H

#include <clash/math.h>
#include <math.h>

typedef struct dvec {
    double x, y, z;
} dvec;

static inline dvec dvec_from(clash_vec3 v)
{
    return (dvec){(double)v.x, (double)v.y, (double)v.z};
}

static inline clash_vec3 dvec_round(dvec v)
{
    return (clash_vec3){(float)v.x, (float)v.y, (float)v.z};
}

static inline dvec dvec_add(dvec a, dvec b)
{
    return (dvec){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline dvec dvec_sub(dvec a, dvec b)
{
    return (dvec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline dvec dvec_scale(dvec a, double s)
{
    return (dvec){a.x * s, a.y * s, a.z * s};
}

/** a + b s */
static inline dvec dvec_add_scaled(dvec a, dvec b, double s)
{
    return (dvec){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}

static inline double dvec_dot(dvec a, dvec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline dvec dvec_cross(dvec a, dvec b)
{
    return (dvec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double dvec_length(dvec a)
{
    return sqrt(dvec_dot(a, a));
}

/** Return a unit vector perpendicular to `a`: along a x the coordinate axis to which it is most nearly perpendicular.
 *  Without a length: +y. */
static inline dvec dvec_across(dvec a)
{
    double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
    dvec least = x <= y && x <= z ? (dvec){1.0, 0.0, 0.0} : y <= z ? (dvec){0.0, 1.0, 0.0} : (dvec){0.0, 0.0, 1.0};
    dvec n = dvec_cross(a, least);
    double length = dvec_length(n);

    return length > 0.0 ? dvec_scale(n, 1.0 / length) : (dvec){0.0, 1.0, 0.0};
}

/** The sum norm: at least the length, and cheaper. */
static inline double dvec_sum(dvec a)
{
    return fabs(a.x) + fabs(a.y) + fabs(a.z);
}

/* Plain comparisons rather than fmin/fmax: one instruction each, and the same answer everywhere for numbers. */
static inline double min_of(double a, double b)
{
    return a < b ? a : b;
}

static inline double max_of(double a, double b)
{
    return a > b ? a : b;
}

static inline double clamp01(double x)
{
    return x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x;
}

#endif
