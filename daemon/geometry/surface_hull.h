/* A convex hull around an axis that moves through a part of an interval: an axis-aligned box and eight planes, chosen to fit
 * the strip that the axis sweeps. Each end stays within bend width^2 / 8 of the straight line between where it is first and
 * last, so the strip and all that comes near to it lies in the hull of these four points, widened by as much. Pure. */
#ifndef CLASH_GEOMETRY_SURFACE_HULL_H
#define CLASH_GEOMETRY_SURFACE_HULL_H

#include "surface_bvh_f32x4.h"

#define HULL_PLANES F32X8

typedef struct surface_hull {
    float low[3], high[3];
    f32x8 normal[3], most; /* the hull is where normal . p <= most, for each plane */
    clash_vec3 points[4];  /* the hull of these, and everything within `around` of it, rounding included */
    float around;
    clash_vec3 along;          /* the axis' mean direction */
    float heights[4];          /* of the points, in that direction */
    float first, last;         /* all bases lie between these, in that direction */
    float per_long, per_short; /* 1 / the axis' length in that direction, longest and shortest; 0: unknown */
    double wide, slack;        /* how far around the four points; and bound on rounding */
    double moved;              /* no point of the axis moves further than this, m */
    bool huge;                 /* no planes */
} surface_hull;

SIMD_INLINE dvec hull_unit(dvec v, dvec otherwise)
{
    double length = dvec_length(v);

    return length > 1e-30 ? dvec_scale(v, 1.0 / length) : otherwise;
}

/** Return any direction perpendicular to a unit vector. */
SIMD_INLINE dvec hull_across(dvec u)
{
    dvec least = fabs(u.x) < 0.6 ? (dvec){1.0, 0.0, 0.0} : (dvec){0.0, 1.0, 0.0};

    return hull_unit(dvec_cross(u, least), least);
}

/** Set the plane with that outward normal against the four points. */
SIMD_INLINE void hull_plane(surface_hull *h, int k, const dvec points[4], dvec normal)
{
    clash_vec3 n = dvec_round(normal);
    dvec exact = dvec_from(n);
    double most = max_of(max_of(dvec_dot(exact, points[0]), dvec_dot(exact, points[1])),
                         max_of(dvec_dot(exact, points[2]), dvec_dot(exact, points[3])));

    h->normal[0][k] = n.x;
    h->normal[1][k] = n.y;
    h->normal[2][k] = n.z;
    h->most[k] = (float)(most + h->wide + h->slack);
}

/** Return the outward normal of the side between two of the points: perpendicular to the edge and to the strip's face
 *  normal, on the side of `out`. */
SIMD_INLINE dvec hull_side(dvec edge, dvec face, dvec out, dvec otherwise)
{
    dvec n = hull_unit(dvec_cross(edge, face), otherwise);

    return dvec_dot(n, out) < 0.0 ? dvec_scale(n, -1.0) : n;
}

SIMD_INLINE dvec dvec_minus(dvec v)
{
    return (dvec){-v.x, -v.y, -v.z};
}

/** Set what tells which part of the axis can be near a box. */
SIMD_INLINE void hull_lengths(surface_hull *h, const dvec points[4], dvec along)
{
    double first, last, a, b, longest, shortest;

    for (int k = 0; k < 4; k++)
        h->points[k] = dvec_round(points[k]);
    h->around = (float)(h->wide + h->slack);
    h->along = dvec_round(along);
    along = dvec_from(h->along);
    for (int k = 0; k < 4; k++)
        h->heights[k] = (float)dvec_dot(along, points[k]);
    first = dvec_dot(along, points[0]);
    last = dvec_dot(along, points[2]);
    a = dvec_dot(along, points[1]) - first;
    b = dvec_dot(along, points[3]) - last;
    longest = max_of(a, b) * (1.0 + SURFACE_ROUNDING);
    shortest = min_of(a, b) * (1.0 - SURFACE_ROUNDING);
    h->first = (float)(max_of(first, last) + h->slack);
    h->last = (float)(min_of(first, last) - h->slack);
    h->per_long = longest > 1e-15 ? (float)(1.0 / longest) : 0.0f;
    h->per_short = shortest > 1e-15 ? (float)(1.0 / shortest) : 0.0f;
}

/** points: base and tip first, base and tip last. */
SIMD_INLINE void hull_planes(surface_hull *h, const dvec points[4])
{
    dvec first = dvec_sub(points[1], points[0]), last = dvec_sub(points[3], points[2]), motion, across, face;
    dvec bases = dvec_sub(points[2], points[0]), tips = dvec_sub(points[3], points[1]);
    dvec along = hull_unit(dvec_add(first, last), (dvec){1.0, 0.0, 0.0});

    motion = dvec_add(bases, tips);
    motion = dvec_add_scaled(motion, along, -dvec_dot(motion, along));
    across = hull_unit(motion, hull_across(along));
    face = dvec_cross(along, across);
    hull_lengths(h, points, along);
    hull_plane(h, 0, points, face);
    hull_plane(h, 1, points, dvec_minus(face));
    hull_plane(h, 2, points, along);
    hull_plane(h, 3, points, dvec_minus(along));
    hull_plane(h, 4, points, hull_side(first, face, dvec_minus(across), across));
    hull_plane(h, 5, points, hull_side(last, face, across, across));
    hull_plane(h, 6, points, hull_side(tips, face, along, across));
    hull_plane(h, 7, points, hull_side(bases, face, dvec_minus(along), dvec_minus(across)));
}

SIMD_INLINE void hull_box(surface_hull *h, int axis, double a, double b, double c, double d)
{
    double around = h->wide + h->slack;

    h->low[axis] = (float)(min_of(min_of(a, b), min_of(c, d)) - around);
    h->high[axis] = (float)(max_of(max_of(a, b), max_of(c, d)) + around);
}

/** Build the hull around the axis from one state to a later one, and everything within `limit` of it. */
static inline void hull_of(surface_hull *h, const surface *s, const target_motion *m, const target_state *from,
                           const target_state *to, double limit)
{
    double width = to->x - from->x, size;
    dvec p[4] = {f64x4_vec_get(&from->ends, 0), f64x4_vec_get(&from->ends, 1), f64x4_vec_get(&to->ends, 0),
                 f64x4_vec_get(&to->ends, 1)};

    h->moved =
        max_of(dvec_length(dvec_sub(p[2], p[0])), dvec_length(dvec_sub(p[3], p[1]))) + 0.125 * m->bend * width * width;
    h->wide = (limit + 0.125 * m->bend * width * width) * (1.0 + SURFACE_ROUNDING);
    size = s->size + h->wide + max_of(max_of(dvec_sum(p[0]), dvec_sum(p[1])), max_of(dvec_sum(p[2]), dvec_sum(p[3])));
    h->slack = SURFACE_ROUNDING * size;
    h->huge = !(size < SURFACE_HUGE);
    hull_box(h, 0, p[0].x, p[1].x, p[2].x, p[3].x);
    hull_box(h, 1, p[0].y, p[1].y, p[2].y, p[3].y);
    hull_box(h, 2, p[0].z, p[1].z, p[2].z, p[3].z);
    if (!h->huge)
        hull_planes(h, p);
}

/** Return for which slabs the four points p, and everything within `around` of their hull, stay on one side. */
SIMD_INLINE i32x4 hull_misses_slabs(const surface_hull *h, const surface_boxes *boxes, const f32x4 p[4][3])
{
    f32x4 least, most;

    for (int k = 0; k < 4; k++) {
        f32x4 height = *(const f32x4_in_memory *)boxes->normal[0] * p[k][0] +
                       *(const f32x4_in_memory *)boxes->normal[1] * p[k][1] +
                       *(const f32x4_in_memory *)boxes->normal[2] * p[k][2];

        least = k ? f32x4_min(least, height) : height;
        most = k ? f32x4_max(most, height) : height;
    }
    return (least - h->around > *(const f32x4_in_memory *)boxes->most) |
           (most + h->around < *(const f32x4_in_memory *)boxes->least);
}

/** The same for what of the slabs is in the boxes, which lie between `from` and `to` along the axis; measured
 *  perpendicular to it, as in surface_closest.h. */
SIMD_INLINE i32x4 hull_misses_across(const surface_hull *h, const surface_boxes *boxes, f32x4 from, f32x4 to)
{
    f32x4 x = *(const f32x4_in_memory *)boxes->normal[0], y = *(const f32x4_in_memory *)boxes->normal[1];
    f32x4 z = *(const f32x4_in_memory *)boxes->normal[2], tilt = x * h->along.x + y * h->along.y + z * h->along.z;
    f32x4 around = f32x4_sqrt(1.000001f - tilt * tilt) * h->around, least, most;

    from = (from - h->first) * tilt;
    to = (to - h->first) * tilt;
    for (int k = 0; k < 4; k++) {
        const clash_vec3 *p = &h->points[k];
        f32x4 height = x * p->x + y * p->y + z * p->z - tilt * (h->heights[k] - h->first);

        least = k ? f32x4_min(least, height) : height;
        most = k ? f32x4_max(most, height) : height;
    }
    return (least - around > *(const f32x4_in_memory *)boxes->most - f32x4_min(from, to)) |
           (most + around < *(const f32x4_in_memory *)boxes->least - f32x4_max(from, to));
}

/** Return which boxes are not reached by the part of the axis that is near enough to them in its own direction. */
SIMD_INLINE i32x4 hull_misses_boxes(const surface_hull *h, const surface_boxes *boxes, f32x4 sides[2][3])
{
    const float along[3] = {h->along.x, h->along.y, h->along.z};
    f32x4 from = {0, 0, 0, 0}, to = from, first, last, p[4][3];
    i32x4 out;

    for (int axis = 0; axis < 3; axis++) {
        from += sides[along[axis] < 0.0f][axis] * along[axis];
        to += sides[along[axis] >= 0.0f][axis] * along[axis];
    }
    first = f32x4_max((from - h->around - h->first) * h->per_long, f32x4_all(0.0f));
    last = f32x4_all(1.0f);
    if (h->per_short > 0.0f)
        last = f32x4_min((to + h->around - h->last) * h->per_short, last);
    out = first > last;
    for (int k = 0; k < 4; k++) {
        const clash_vec3 *base = &h->points[k & 2], *tip = base + 1;
        f32x4 s = k & 1 ? last : first;

        p[k][0] = base->x + s * (tip->x - base->x);
        p[k][1] = base->y + s * (tip->y - base->y);
        p[k][2] = base->z + s * (tip->z - base->z);
    }
    for (int axis = 0; axis < 3; axis++) {
        f32x4 low = f32x4_min(f32x4_min(p[0][axis], p[1][axis]), f32x4_min(p[2][axis], p[3][axis]));
        f32x4 high = f32x4_max(f32x4_max(p[0][axis], p[1][axis]), f32x4_max(p[2][axis], p[3][axis]));

        out |= (low - h->around > sides[1][axis]) | (high + h->around < sides[0][axis]);
    }
    return out | hull_misses_slabs(h, boxes, (const f32x4(*)[3])p) | hull_misses_across(h, boxes, from, to);
}

/** Return which of four boxes the hull may reach, as bits. */
SIMD_INLINE unsigned hull_reaches_boxes(const surface_hull *h, const surface_boxes *boxes)
{
    f32x4 sides[2][3];
    i32x4 out = {0, 0, 0, 0};

    surface_load(boxes, sides[0], sides[1]);
    for (int axis = 0; axis < 3; axis++)
        out |= (sides[0][axis] > h->high[axis]) | (sides[1][axis] < h->low[axis]);
    if (h->huge || f32x4_mask(out) == 0xfu)
        return ~f32x4_mask(out) & 0xfu;
    for (int k = 0; k < HULL_PLANES; k++) {
        float x = h->normal[0][k], y = h->normal[1][k], z = h->normal[2][k];

        out |= sides[x < 0.0f][0] * x + sides[y < 0.0f][1] * y + sides[z < 0.0f][2] * z > h->most[k];
    }
    if (f32x4_mask(out) != 0xfu)
        out |= hull_misses_boxes(h, boxes, sides);
    return ~f32x4_mask(out) & 0xfu;
}

SIMD_INLINE f32x8 hull_heights(const surface_hull *h, clash_vec3 p)
{
    return h->normal[0] * p.x + h->normal[1] * p.y + h->normal[2] * p.z;
}

/** Return whether the hull may reach a triangle. */
SIMD_INLINE bool hull_reaches_triangle(const surface_hull *h, const surface_triangle *t)
{
    const clash_vec3 *c = t->corners;
    f32x8 least;

    if (h->huge)
        return true;
    least = f32x8_min(f32x8_min(hull_heights(h, c[0]), hull_heights(h, c[1])), hull_heights(h, c[2]));
    return f32x8_mask(least > h->most) == 0;
}

#endif
