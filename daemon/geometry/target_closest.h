/* The convex pieces that shapes consist of, and the closest points of a blade's axis with each. A piece is a point, a
 * segment, a triangle or a box; spheres and capsules are a point or a segment with a radius that callers add. Pure. */
#ifndef CLASH_GEOMETRY_TARGET_CLOSEST_H
#define CLASH_GEOMETRY_TARGET_CLOSEST_H

#include "separating_plane.h"
#include "target_motion.h"

typedef enum target_piece_kind { PIECE_POINT, PIECE_SEGMENT, PIECE_TRIANGLE, PIECE_BOX } target_piece_kind;

/** In the shape's frame. */
typedef struct target_convex {
    target_piece_kind kind;
    dvec at, u,
        v;      /* a corner, and the edges from there: u of a segment, u and v of a triangle; of a box u is its half */
    int groups; /* of `corners` */
    f64x4_vec
        corners[4]; /* all corners, two a group, lanes (first, first, second, second); one corner may be there twice */
} target_convex;

/** What of the piece is closest: it says how a separating plane may lie and turn. */
typedef enum target_feature { NEAR_CORNER, NEAR_EDGE, NEAR_FACE } target_feature;

typedef struct target_near {
    double s;               /* where on the blade's axis: 0 at its base, 1 at its tip */
    dvec point;             /* on the piece, in the shape's frame */
    dvec w;                 /* from there to the axis */
    double distance;        /* |w|; 0 where the axis enters the piece */
    target_feature feature; /* of the piece */
    dvec along;             /* the edge's direction or the face's normal, of any length */
    uint32_t triangle;      /* of a mesh or terrain: for those to fill in */
} target_near;

SIMD_INLINE f64x4_vec piece_two_corners(dvec a, dvec b)
{
    return f64x4_vec_of(a, a, b, b);
}

SIMD_INLINE void piece_point(target_convex *p, dvec at)
{
    p->kind = PIECE_POINT;
    p->at = at;
    p->groups = 1;
    p->corners[0] = f64x4_vec_all(at);
}

SIMD_INLINE void piece_segment(target_convex *p, dvec base, dvec tip)
{
    p->kind = PIECE_SEGMENT;
    p->at = base;
    p->u = dvec_sub(tip, base);
    p->groups = 1;
    p->corners[0] = piece_two_corners(base, tip);
}

/** Degenerate ones are the segments and points that they are. */
SIMD_INLINE void piece_triangle(target_convex *p, dvec a, dvec b, dvec c)
{
    p->kind = PIECE_TRIANGLE;
    p->at = a;
    p->u = dvec_sub(b, a);
    p->v = dvec_sub(c, a);
    p->groups = 2;
    p->corners[0] = piece_two_corners(a, b);
    p->corners[1] = piece_two_corners(c, c);
}

/** About the frame's origin, along its axes. */
SIMD_INLINE void piece_box(target_convex *p, dvec half)
{
    p->kind = PIECE_BOX;
    p->at = (dvec){-half.x, -half.y, -half.z};
    p->u = half;
    p->groups = 4;
    for (int k = 0; k < 4; k++) {
        double y = k & 1 ? half.y : -half.y, z = k & 2 ? half.z : -half.z;

        p->corners[k] = piece_two_corners((dvec){-half.x, y, z}, (dvec){half.x, y, z});
    }
}

/** With a segment; base and axis u of the blade's. */
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

#include "target_closest_box.inl"
#include "target_closest_triangle.inl"

/** Closest points of the blade's axis (base, u) and the piece. out->triangle is left alone. */
SIMD_INLINE void convex_nearest(const target_convex *p, dvec base, dvec u, target_near *out)
{
    switch (p->kind) {
    case PIECE_POINT:
        near_segment(base, u, p->at, (dvec){0.0, 0.0, 0.0}, out);
        break;
    case PIECE_SEGMENT:
        near_segment(base, u, p->at, p->u, out);
        break;
    case PIECE_TRIANGLE:
        near_triangle(base, u, p->at, p->u, p->v, out);
        break;
    case PIECE_BOX:
        near_box(base, u, p->u, out);
        break;
    }
}

#endif
