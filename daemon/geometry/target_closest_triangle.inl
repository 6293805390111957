/* Closest points of a segment and a triangle. Part of target_closest.h. Pure.
 *
 * They lie on one of the three edges, or the segment has an end above the inside of the triangle, or it pierces it. Each of
 * these is tried, each with points that are on both for certain, and the closest taken: so a triangle that has next to no
 * area, whose plane is uncertain, is answered as well as any other. */
#ifndef CLASH_GEOMETRY_TARGET_CLOSEST_TRIANGLE_INL
#define CLASH_GEOMETRY_TARGET_CLOSEST_TRIANGLE_INL

/** A triangle as its corner and the edges from there, with what follows from them. */
typedef struct near_plane {
    dvec at, u, v, normal; /* normal: of any length */
    double square;         /* of the normal */
} near_plane;

/** Takes the segment's point at s and the one of the triangle below it, if there is one and it is closer. */
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

/** The same where the segment goes through the plane at s: inside the triangle nothing is left between them. */
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
SIMD_INLINE void near_triangle(dvec base, dvec u, dvec at, dvec e, dvec f, target_near *out)
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

#endif
