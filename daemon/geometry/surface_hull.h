/* A convex hull around an axis that moves through a part of an interval: an axis-aligned box and eight planes, chosen to fit
 * the strip that the axis sweeps. Each end stays within bend width^2 / 8 of the straight line between where it is first and
 * last, so the strip and all that comes near to it lies in the hull of these four points, widened by as much. Part of
 * core.c. Pure. */
#ifndef CLASH_GEOMETRY_SURFACE_HULL_H
#define CLASH_GEOMETRY_SURFACE_HULL_H

#include "surface_walk.h"

#define HULL_PLANES WIDE

typedef struct surface_hull {
    float low[3], high[3];
    wide normal[3], most; /* the hull lies where normal . p <= most, plane by plane */
    clash_vec3 points[4]; /* it is the hull of these and all within `around` of it, which rounding is in */
    float around;
    clash_vec3 along;          /* the axis' mean direction */
    float heights[4];          /* of the points, that way */
    float first, last;         /* no base is further, and none less far, that way */
    float per_long, per_short; /* 1 / the axis' length that way, when it is longest and shortest; 0: do not ask */
    double wide, slack;        /* how far around the four points; and what may round */
    double moved;              /* no point of the axis further than this, m */
    bool huge;                 /* no planes */
} surface_hull;

LANES_INLINE dvec hull_unit(dvec v, dvec otherwise)
{
    double length = dvec_length(v);

    return length > 1e-30 ? dvec_scale(v, 1.0 / length) : otherwise;
}

/** Any direction across a unit vector. */
LANES_INLINE dvec hull_across(dvec u)
{
    dvec least = fabs(u.x) < 0.6 ? (dvec){1.0, 0.0, 0.0} : (dvec){0.0, 1.0, 0.0};

    return hull_unit(dvec_cross(u, least), least);
}

/** The plane with that outward normal against the four points. */
LANES_INLINE void hull_plane(surface_hull *h, int k, const dvec points[4], dvec normal)
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

/** Outward normal of the side between two of the points: across the edge and the strip's face, on the side of `out`. */
LANES_INLINE dvec hull_side(dvec edge, dvec face, dvec out, dvec otherwise)
{
    dvec n = hull_unit(dvec_cross(edge, face), otherwise);

    return dvec_dot(n, out) < 0.0 ? dvec_scale(n, -1.0) : n;
}

LANES_INLINE dvec dvec_minus(dvec v)
{
    return (dvec){-v.x, -v.y, -v.z};
}

/** What tells which part of the axis can be near to a box. */
LANES_INLINE void hull_lengths(surface_hull *h, const dvec points[4], dvec along)
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
LANES_INLINE void hull_planes(surface_hull *h, const dvec points[4])
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

LANES_INLINE void hull_box(surface_hull *h, int axis, double a, double b, double c, double d)
{
    double around = h->wide + h->slack;

    h->low[axis] = (float)(min_of(min_of(a, b), min_of(c, d)) - around);
    h->high[axis] = (float)(max_of(max_of(a, b), max_of(c, d)) + around);
}

/** Around the axis from one state to a later one, and all within `limit` of it. */
static inline void hull_of(surface_hull *h, const surface *s, const target_motion *m, const target_state *from,
                           const target_state *to, double limit)
{
    double width = to->x - from->x, size;
    dvec p[4] = {lanes3_get(&from->ends, 0), lanes3_get(&from->ends, 1), lanes3_get(&to->ends, 0),
                 lanes3_get(&to->ends, 1)};

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

/** Of which slabs the four points p, and all within `around` of their hull, stay on one side. */
LANES_INLINE quad_bits hull_misses_slabs(const surface_hull *h, const surface_boxes *boxes, const quad p[4][3])
{
    quad least, most;

    for (int k = 0; k < 4; k++) {
        quad height = *(const quad_in_memory *)boxes->normal[0] * p[k][0] +
                      *(const quad_in_memory *)boxes->normal[1] * p[k][1] +
                      *(const quad_in_memory *)boxes->normal[2] * p[k][2];

        least = k ? quad_min(least, height) : height;
        most = k ? quad_max(most, height) : height;
    }
    return (least - h->around > *(const quad_in_memory *)boxes->most) |
           (most + h->around < *(const quad_in_memory *)boxes->least);
}

/** The same for what of the slabs is in the boxes, which lie between `from` and `to` along the axis; measured across it, as in
 *  surface_near.h. */
LANES_INLINE quad_bits hull_misses_across(const surface_hull *h, const surface_boxes *boxes, quad from, quad to)
{
    quad x = *(const quad_in_memory *)boxes->normal[0], y = *(const quad_in_memory *)boxes->normal[1];
    quad z = *(const quad_in_memory *)boxes->normal[2], tilt = x * h->along.x + y * h->along.y + z * h->along.z;
    quad around = quad_sqrt(1.000001f - tilt * tilt) * h->around, least, most;

    from = (from - h->first) * tilt;
    to = (to - h->first) * tilt;
    for (int k = 0; k < 4; k++) {
        const clash_vec3 *p = &h->points[k];
        quad height = x * p->x + y * p->y + z * p->z - tilt * (h->heights[k] - h->first);

        least = k ? quad_min(least, height) : height;
        most = k ? quad_max(most, height) : height;
    }
    return (least - around > *(const quad_in_memory *)boxes->most - quad_min(from, to)) |
           (most + around < *(const quad_in_memory *)boxes->least - quad_max(from, to));
}

/** Which boxes are not reached by that part of the axis which is near enough to them in its own direction. */
LANES_INLINE quad_bits hull_misses_boxes(const surface_hull *h, const surface_boxes *boxes, quad sides[2][3])
{
    const float along[3] = {h->along.x, h->along.y, h->along.z};
    quad from = {0, 0, 0, 0}, to = from, first, last, p[4][3];
    quad_bits out;

    for (int axis = 0; axis < 3; axis++) {
        from += sides[along[axis] < 0.0f][axis] * along[axis];
        to += sides[along[axis] >= 0.0f][axis] * along[axis];
    }
    first = quad_max((from - h->around - h->first) * h->per_long, quad_all(0.0f));
    last = quad_all(1.0f);
    if (h->per_short > 0.0f)
        last = quad_min((to + h->around - h->last) * h->per_short, last);
    out = first > last;
    for (int k = 0; k < 4; k++) {
        const clash_vec3 *base = &h->points[k & 2], *tip = base + 1;
        quad s = k & 1 ? last : first;

        p[k][0] = base->x + s * (tip->x - base->x);
        p[k][1] = base->y + s * (tip->y - base->y);
        p[k][2] = base->z + s * (tip->z - base->z);
    }
    for (int axis = 0; axis < 3; axis++) {
        quad low = quad_min(quad_min(p[0][axis], p[1][axis]), quad_min(p[2][axis], p[3][axis]));
        quad high = quad_max(quad_max(p[0][axis], p[1][axis]), quad_max(p[2][axis], p[3][axis]));

        out |= (low - h->around > sides[1][axis]) | (high + h->around < sides[0][axis]);
    }
    return out | hull_misses_slabs(h, boxes, (const quad(*)[3])p) | hull_misses_across(h, boxes, from, to);
}

/** Which of four boxes the hull may reach, as bits. */
LANES_INLINE unsigned hull_reaches_boxes(const surface_hull *h, const surface_boxes *boxes)
{
    quad sides[2][3];
    quad_bits out = {0, 0, 0, 0};

    surface_load(boxes, sides[0], sides[1]);
    for (int axis = 0; axis < 3; axis++)
        out |= (sides[0][axis] > h->high[axis]) | (sides[1][axis] < h->low[axis]);
    if (h->huge || quad_mask(out) == 0xfu)
        return ~quad_mask(out) & 0xfu;
    for (int k = 0; k < HULL_PLANES; k++) {
        float x = h->normal[0][k], y = h->normal[1][k], z = h->normal[2][k];

        out |= sides[x < 0.0f][0] * x + sides[y < 0.0f][1] * y + sides[z < 0.0f][2] * z > h->most[k];
    }
    if (quad_mask(out) != 0xfu)
        out |= hull_misses_boxes(h, boxes, sides);
    return ~quad_mask(out) & 0xfu;
}

LANES_INLINE wide hull_heights(const surface_hull *h, clash_vec3 p)
{
    return h->normal[0] * p.x + h->normal[1] * p.y + h->normal[2] * p.z;
}

/** Whether the hull may reach a triangle. */
LANES_INLINE bool hull_reaches_triangle(const surface_hull *h, const surface_triangle *t)
{
    const clash_vec3 *c = t->corners;
    wide least;

    if (h->huge)
        return true;
    least = wide_min(wide_min(hull_heights(h, c[0]), hull_heights(h, c[1])), hull_heights(h, c[2]));
    return wide_mask(least > h->most) == 0;
}

#endif
