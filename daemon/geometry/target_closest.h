/* The convexes that shapes consist of, and the closest points of a blade's axis with each. A convex is a point, a
 * segment, a triangle or a box; spheres and capsules are a point or a segment with a radius that callers add. Pure. */
#ifndef CLASH_GEOMETRY_TARGET_CLOSEST_H
#define CLASH_GEOMETRY_TARGET_CLOSEST_H

#include "separating_plane.h"
#include "target_motion.h"

typedef enum target_convex_kind { CONVEX_POINT, CONVEX_SEGMENT, CONVEX_TRIANGLE, CONVEX_BOX } target_convex_kind;

/** In the shape's frame. */
typedef struct target_convex {
    target_convex_kind kind;
    dvec at, u, v; /* a corner, and the edges from it: u for a segment, u and v for a triangle; for a box u is half its
                   size */
    int groups;    /* of `corners` */
    f64x4_vec
        corners[4]; /* all corners, two to a group, lanes (first, first, second, second); one may be there twice */
} target_convex;

/** Which feature of the convex is closest: it says how a separating plane may lie and turn. */
typedef enum target_feature { NEAR_CORNER, NEAR_EDGE, NEAR_FACE } target_feature;

typedef struct target_near {
    double s;               /* on the blade's axis: 0 at its base, 1 at its tip */
    dvec point;             /* on the convex, in the shape's frame */
    dvec w;                 /* from there to the axis */
    double distance;        /* |w|; 0 if the axis enters the convex */
    target_feature feature; /* of the convex */
    dvec along;             /* the edge's direction or the face's normal, of any length */
    uint32_t triangle;      /* of a mesh or terrain, whose code fills it in */
} target_near;

SIMD_INLINE f64x4_vec convex_two_corners(dvec a, dvec b)
{
    return f64x4_vec_of(a, a, b, b);
}

SIMD_INLINE void convex_point(target_convex *p, dvec at)
{
    p->kind = CONVEX_POINT;
    p->at = at;
    p->groups = 1;
    p->corners[0] = f64x4_vec_all(at);
}

SIMD_INLINE void convex_segment(target_convex *p, dvec base, dvec tip)
{
    p->kind = CONVEX_SEGMENT;
    p->at = base;
    p->u = dvec_sub(tip, base);
    p->groups = 1;
    p->corners[0] = convex_two_corners(base, tip);
}

/** A degenerate triangle is the segment or point that it looks like. */
SIMD_INLINE void convex_triangle(target_convex *p, dvec a, dvec b, dvec c)
{
    p->kind = CONVEX_TRIANGLE;
    p->at = a;
    p->u = dvec_sub(b, a);
    p->v = dvec_sub(c, a);
    p->groups = 2;
    p->corners[0] = convex_two_corners(a, b);
    p->corners[1] = convex_two_corners(c, c);
}

/** About the frame's origin, along its axes. */
SIMD_INLINE void convex_box(target_convex *p, dvec half)
{
    p->kind = CONVEX_BOX;
    p->at = (dvec){-half.x, -half.y, -half.z};
    p->u = half;
    p->groups = 4;
    for (int k = 0; k < 4; k++) {
        double y = k & 1 ? half.y : -half.y, z = k & 2 ? half.z : -half.z;

        p->corners[k] = convex_two_corners((dvec){-half.x, y, z}, (dvec){half.x, y, z});
    }
}

/** Find the closest points of a segment and the blade's axis (base, u). */
SIMD_INLINE void near_segment(dvec base, dvec u, dvec at, dvec v, target_near *out)
{
    closest c = closest_of_segments(dvec_sub(at, base), u, v);

    out->s = c.s;
    out->w = dvec_scale(c.w, -1.0);
    out->point = dvec_add_scaled(at, v, c.t);
    out->distance = sqrt(c.distance_squared);
    out->feature = inside(c.t) ? NEAR_EDGE : NEAR_CORNER;
    out->along = v;
}

/* Closest points of a segment and a solid box.
 *
 * The squared distance of the point base + s u from the box is the sum over the axes of max(0, |x_k| - half_k)^2: convex,
 * with a derivative by s that is continuous and linear between the at most six s at which the segment's line crosses a
 * plane of a face. So its zero lies between the neighbouring crossings where its sign changes. */

/** Return how far x is outside -half..half, with its sign; 0 inside. */
SIMD_INLINE double box_excess(double x, double half)
{
    return x > half ? x - half : x < -half ? x + half : 0.0;
}

SIMD_INLINE dvec box_excesses(dvec at, dvec half)
{
    return (dvec){box_excess(at.x, half.x), box_excess(at.y, half.y), box_excess(at.z, half.z)};
}

/** The minimum's place: low is the last s examined at which the distance falls, high the first at which it grows, and
 *  flat_low..flat_high those at which it does neither. */
typedef struct box_search {
    double low, high, flat_low, flat_high;
} box_search;

SIMD_INLINE void box_look(box_search *b, dvec base, dvec u, dvec half, double s)
{
    double slope = dvec_dot(box_excesses(dvec_add_scaled(base, u, s), half), u);

    if (slope < 0.0) {
        b->low = max_of(b->low, s);
    } else if (slope > 0.0) {
        b->high = min_of(b->high, s);
    } else {
        b->flat_low = min_of(b->flat_low, s);
        b->flat_high = max_of(b->flat_high, s);
    }
}

/** Examine both crossings of one axis, if they are within the segment. */
SIMD_INLINE void box_look_across(box_search *b, dvec base, dvec u, dvec half, double x, double along, double size)
{
    double first = (-size - x) / along, second = (size - x) / along;

    if (first > 0.0 && first < 1.0)
        box_look(b, base, u, half, first);
    if (second > 0.0 && second < 1.0)
        box_look(b, base, u, half, second);
}

/** Return the minimum between two neighbouring crossings, where the same faces count throughout. */
SIMD_INLINE double box_linear_minimum(dvec base, dvec u, dvec half, double low, double high)
{
    double middle = 0.5 * (low + high), square, s;
    dvec at = dvec_add_scaled(base, u, middle), excess = box_excesses(at, half);
    dvec moves = {excess.x != 0.0 ? u.x : 0.0, excess.y != 0.0 ? u.y : 0.0, excess.z != 0.0 ? u.z : 0.0};

    square = dvec_dot(moves, moves);
    s = square > 0.0 ? middle - dvec_dot(excess, moves) / square : middle;
    return s < low ? low : s > high ? high : s;
}

SIMD_INLINE double box_nearest_parameter(dvec base, dvec u, dvec half)
{
    box_search b = {0.0, 1.0, 2.0, -1.0};

    box_look(&b, base, u, half, 0.0);
    box_look(&b, base, u, half, 1.0);
    if (b.high <= 0.0)
        return 0.0;
    if (b.low >= 1.0)
        return 1.0;
    box_look_across(&b, base, u, half, base.x, u.x, half.x);
    box_look_across(&b, base, u, half, base.y, u.y, half.y);
    box_look_across(&b, base, u, half, base.z, u.z, half.z);
    if (!(dvec_dot(u, u) > 0.0))
        return 0.0;
    /* parallel to a face, or through the box: take the middle of what is equally close */
    if (b.flat_low <= b.flat_high)
        return 0.5 * (b.flat_low + b.flat_high);
    return box_linear_minimum(base, u, half, b.low, b.high);
}

/** Return the box's feature to which the excess belongs, and its direction: a face's normal, or the edge. */
SIMD_INLINE target_feature box_feature(dvec excess, dvec *out_along)
{
    bool x = excess.x != 0.0, y = excess.y != 0.0, z = excess.z != 0.0;
    int count = x + y + z;

    *out_along = (dvec){x ? 1.0 : 0.0, y ? 1.0 : 0.0, z ? 1.0 : 0.0};
    if (count == 2)
        *out_along = (dvec){x ? 0.0 : 1.0, y ? 0.0 : 1.0, z ? 0.0 : 1.0};
    return count == 3 ? NEAR_CORNER : count == 2 ? NEAR_EDGE : NEAR_FACE;
}

SIMD_INLINE void near_box(dvec base, dvec u, dvec half, target_near *out)
{
    dvec at;

    out->s = box_nearest_parameter(base, u, half);
    at = dvec_add_scaled(base, u, out->s);
    out->w = box_excesses(at, half);
    out->point = dvec_sub(at, out->w);
    out->distance = dvec_length(out->w);
    out->feature = box_feature(out->w, &out->along);
}

/** Return how far a point inside is from the faces; negative outside. */
SIMD_INLINE double box_depth(dvec at, dvec half)
{
    return min_of(half.x - fabs(at.x), min_of(half.y - fabs(at.y), half.z - fabs(at.z)));
}

/* Closest points of a segment and a triangle.
 *
 * They lie on one of the three edges, or the segment has an end above the inside of the triangle, or it pierces it. Each of
 * these is tried, each with points that are on both for certain, and the closest taken: so a triangle that has next to no
 * area, whose plane is uncertain, is answered as well as any other. */

/** A triangle as its corner and the edges from it, with derived values. */
typedef struct near_plane {
    dvec at, u, v, normal; /* normal: of any length */
    double square;         /* of the normal */
} near_plane;

/** Take the segment's point at s and the triangle's point below it, if there is one and they are closer. */
SIMD_INLINE void near_above(const near_plane *t, dvec base, dvec u, double s, target_near *out)
{
    dvec at = dvec_add_scaled(base, u, s), from = dvec_sub(at, t->at);
    double b = dvec_dot(dvec_cross(from, t->v), t->normal), c = dvec_dot(dvec_cross(t->u, from), t->normal);
    dvec point, w;
    double distance;

    if (!(b >= 0.0 && c >= 0.0 && b + c <= t->square))
        return;
    point = dvec_add_scaled(dvec_add_scaled(t->at, t->u, b / t->square), t->v, c / t->square);
    w = dvec_sub(at, point);
    distance = dvec_length(w);
    if (distance >= out->distance)
        return;
    out->s = s;
    out->point = point;
    out->w = w;
    out->distance = distance;
    out->feature = NEAR_FACE;
    out->along = t->normal;
}

/** The same if the segment crosses the plane at s: inside the triangle the distance is 0. */
SIMD_INLINE void near_pierced(const near_plane *t, dvec base, dvec u, double s, target_near *out)
{
    double before = out->distance;

    near_above(t, base, u, s, out);
    if (!(out->distance < before))
        return;
    out->point = dvec_add_scaled(base, u, s);
    out->w = (dvec){0.0, 0.0, 0.0};
    out->distance = 0.0;
}

SIMD_INLINE void near_edge(dvec base, dvec u, dvec at, dvec along, target_near *out)
{
    target_near other;

    near_segment(base, u, at, along, &other);
    if (!(other.distance < out->distance))
        return;
    out->s = other.s;
    out->point = other.point;
    out->w = other.w;
    out->distance = other.distance;
    out->feature = other.feature;
    out->along = other.along;
}

/** base and u: the segment; at, edges e and f: the triangle. */
SIMD_LONG void near_triangle(dvec base, dvec u, dvec at, dvec e, dvec f, target_near *out)
{
    near_plane t = {at, e, f, dvec_cross(e, f), 0.0};
    double first, last;

    out->distance = INFINITY;
    near_edge(base, u, at, e, out);
    near_edge(base, u, at, f, out);
    near_edge(base, u, dvec_add(at, e), dvec_sub(f, e), out);
    t.square = dvec_dot(t.normal, t.normal);
    if (!(t.square > 0.0))
        return;
    first = dvec_dot(dvec_sub(base, at), t.normal);
    last = first + dvec_dot(u, t.normal);
    near_above(&t, base, u, 0.0, out);
    near_above(&t, base, u, 1.0, out);
    if ((first < 0.0) != (last < 0.0))
        near_pierced(&t, base, u, clamp01(first / (first - last)), out);
}

/** Find the closest points of the blade's axis (base, u) and the convex. Leaves out->triangle alone. */
SIMD_INLINE void convex_nearest(const target_convex *p, dvec base, dvec u, target_near *out)
{
    switch (p->kind) {
    case CONVEX_POINT:
        near_segment(base, u, p->at, (dvec){0.0, 0.0, 0.0}, out);
        break;
    case CONVEX_SEGMENT:
        near_segment(base, u, p->at, p->u, out);
        break;
    case CONVEX_TRIANGLE:
        near_triangle(base, u, p->at, p->u, p->v, out);
        break;
    case CONVEX_BOX:
        near_box(base, u, p->u, out);
        break;
    }
}

#endif
