/* What is inside the closed parts of a mesh (mesh_closed.c) or below a terrain, and the triangles along a segment. Work
 * is counted, in tree nodes and triangles, and stops at the limit granted: then the results mean nothing. Pure. */
#ifndef CLASH_GEOMETRY_SURFACE_INSIDE_H
#define CLASH_GEOMETRY_SURFACE_INSIDE_H

#include "surface_bvh.h"

/* Work for a leaf's triangles, in nodes. */
#define SURFACE_LEAF_WORK 2

/** Return false if the work left is spent. */
static inline bool surface_pay(uint64_t *left, uint64_t price)
{
    *left = *left > price ? *left - price : 0;
    return *left > 0;
}

static inline bool surface_is_closed(const surface *s, const surface_triangle *t)
{
    const size_t place = s->mesh && s->mesh->closed ? (size_t)(t - s->mesh->triangles) : 0;

    return s->mesh && s->mesh->closed && (s->mesh->closed[place / 64] >> place % 64 & 1u);
}

/* ---- along a segment ---- */

/** The triangles whose boxes come within `around` of the segment from + t way, t in 0..last, leaf by leaf, roughly in
 *  order. `last` is 1 and may be lowered at any time. */
typedef struct surface_along {
    const surface *s;
    double from[3], per[3], around, last;
    surface_ref stack[SURFACE_STACK];
    double firsts[SURFACE_STACK]; /* the t at which the segment reaches it */
    int top;
    surface_triangle store[2]; /* of a terrain */
} surface_along;

static inline double along_per(double way)
{
    return fabs(way) > 1e-300 ? 1.0 / way : way < 0.0 ? -1e300 : 1e300;
}

static inline void along_begin(surface_along *a, const surface *s, dvec from, dvec way, double around)
{
    a->s = s;
    a->from[0] = from.x;
    a->from[1] = from.y;
    a->from[2] = from.z;
    a->per[0] = along_per(way.x);
    a->per[1] = along_per(way.y);
    a->per[2] = along_per(way.z);
    a->around = around + 1e-12 * (s->size + dvec_sum(from) + dvec_sum(way));
    a->stack[0] = surface_root(s);
    a->firsts[0] = 0.0;
    a->last = 1.0;
    a->top = 1;
}

/** Return which of four boxes it comes near, as bits, and at what t. */
static inline unsigned along_meets(const surface_along *a, const surface_boxes *boxes, double out_first[SURFACE_WAYS])
{
    unsigned meets = 0;

    for (int k = 0; k < SURFACE_WAYS; k++) {
        double first = 0.0, last = a->last;

        for (int axis = 0; axis < 3; axis++) {
            double low = ((double)boxes->low[axis][k] - a->around - a->from[axis]) * a->per[axis];
            double high = ((double)boxes->high[axis][k] + a->around - a->from[axis]) * a->per[axis];

            first = max_of(first, min_of(low, high));
            last = min_of(last, max_of(low, high));
        }
        meets |= (first <= last ? 1u : 0u) << k;
        out_first[k] = first;
    }
    return meets;
}

/** Push a child on the stack, below those of its siblings that the segment reaches earlier. */
static inline void along_push(surface_along *a, int bottom, surface_ref ref, double first)
{
    int at = a->top++;

    for (; at > bottom && a->firsts[at - 1] < first; at--) {
        a->firsts[at] = a->firsts[at - 1];
        a->stack[at] = a->stack[at - 1];
    }
    a->firsts[at] = first;
    a->stack[at] = ref;
}

/** Return the next leaf's triangles; 0 if there are no more, or the work is spent. */
static inline int along_next(surface_along *a, uint64_t *left, const surface_triangle **out_triangles)
{
    while (a->top > 0 && surface_pay(left, 1)) {
        const int bottom = --a->top;
        const surface_ref ref = a->stack[bottom];
        surface_ref refs[SURFACE_WAYS];
        const surface_boxes *boxes;
        double firsts[SURFACE_WAYS];
        surface_boxes store;
        unsigned there;

        if (a->firsts[bottom] > a->last)
            continue;
        if (surface_is_leaf(a->s, ref)) {
            surface_pay(left, SURFACE_LEAF_WORK);
            return surface_leaf(a->s, ref, a->store, out_triangles);
        }
        there = surface_children(a->s, ref, &store, &boxes, refs);
        there &= along_meets(a, boxes, firsts);
        for (int k = 0; k < SURFACE_WAYS; k++)
            if (there >> k & 1u)
                along_push(a, bottom, refs[k], firsts[k]);
    }
    return 0;
}

/** Where a segment crosses a triangle: at t of its length; out of it by its winding (1) or into it (-1). */
typedef struct surface_crossing {
    double t;
    int way;
} surface_crossing;

static inline bool surface_crosses(const surface_triangle *triangle, dvec from, dvec way, surface_crossing *out)
{
    const clash_vec3 *c = triangle->corners;
    dvec at = dvec_from(c[0]), e = dvec_sub(dvec_from(c[1]), at), f = dvec_sub(dvec_from(c[2]), at);
    dvec w = dvec_sub(from, at), n = dvec_cross(way, f), across = dvec_cross(w, e);
    double det = dvec_dot(e, n), sign = det < 0.0 ? -1.0 : 1.0, size = fabs(det);
    double u = sign * dvec_dot(w, n), v = sign * dvec_dot(way, across), t = sign * dvec_dot(f, across);

    if (!(size > 0.0 && u >= 0.0 && v >= 0.0 && u + v <= size && t >= 0.0 && t <= size))
        return false;
    *out = (surface_crossing){t / size, det < 0.0 ? 1 : -1};
    return true;
}

/* ---- inside of closed parts ---- */

/** A ray from a point along a coordinate axis, and the other two axes. */
typedef struct winding_ray {
    double at[3];
    int axis, right, up; /* a right-handed system */
    bool rises;
} winding_ray;

/** Return the shortest way out of the mesh's box. */
static inline winding_ray winding_ray_of(const clash_mesh *mesh, dvec p)
{
    const double low[3] = {(double)mesh->low.x, (double)mesh->low.y, (double)mesh->low.z};
    const double high[3] = {(double)mesh->high.x, (double)mesh->high.y, (double)mesh->high.z};
    winding_ray r = {.at = {p.x, p.y, p.z}};
    double least = INFINITY;

    for (int k = 0; k < 6; k++) {
        double way = k < 3 ? high[k] - r.at[k] : r.at[k - 3] - low[k - 3];

        if (way < least) {
            least = way;
            r.axis = k % 3;
            r.rises = k < 3;
        }
    }
    r.right = (r.axis + 1) % 3;
    r.up = (r.axis + 2) % 3;
    return r;
}

static inline unsigned winding_meets(const winding_ray *r, const surface_boxes *b)
{
    unsigned meets = 0;

    for (int k = 0; k < SURFACE_WAYS; k++) {
        bool ahead =
            r->rises ? (double)b->high[r->axis][k] >= r->at[r->axis] : (double)b->low[r->axis][k] <= r->at[r->axis];
        bool beside = (double)b->low[r->right][k] > r->at[r->right] || (double)b->high[r->right][k] < r->at[r->right] ||
                      (double)b->low[r->up][k] > r->at[r->up] || (double)b->high[r->up][k] < r->at[r->up];

        meets |= (ahead && !beside ? 1u : 0u) << k;
    }
    return meets;
}

/** Return how often a triangle's outline, seen along the axis, winds around the point (1, 0, -1). An edge gives the
 *  same answer for both of its triangles, to the bit, so a ray through it is counted once. */
static inline int winding_around(const winding_ray *r, const double c[3][3])
{
    int count = 0;

    for (int k = 0; k < 3; k++) {
        const double *a = c[k], *b = c[(k + 1) % 3];
        const bool rises = a[r->up] <= r->at[r->up] && b[r->up] > r->at[r->up];
        const bool falls = a[r->up] > r->at[r->up] && b[r->up] <= r->at[r->up];
        const double *low = rises ? a : b, *high = rises ? b : a;
        double left = (high[r->right] - low[r->right]) * (r->at[r->up] - low[r->up]) -
                      (r->at[r->right] - low[r->right]) * (high[r->up] - low[r->up]);

        if ((rises || falls) && left > 0.0)
            count += rises ? 1 : -1;
    }
    return count;
}

/** Return whether a triangle around the ray's line is ahead of its point. `around`: as above. */
static inline bool winding_is_ahead(const winding_ray *r, const double c[3][3], int around)
{
    const int axis = r->axis;
    double least = min_of(c[0][axis], min_of(c[1][axis], c[2][axis]));
    double most = max_of(c[0][axis], max_of(c[1][axis], c[2][axis])), height;
    dvec at = {c[0][0], c[0][1], c[0][2]}, e = dvec_sub((dvec){c[1][0], c[1][1], c[1][2]}, at);
    dvec f = dvec_sub((dvec){c[2][0], c[2][1], c[2][2]}, at), p = {r->at[0], r->at[1], r->at[2]};

    if (least > r->at[axis] || most < r->at[axis])
        return (least > r->at[axis]) == r->rises;
    height = dvec_dot(dvec_cross(e, f), dvec_sub(p, at)) * around;
    return (height < 0.0) == r->rises;
}

static inline int winding_of(const winding_ray *r, const surface_triangle *t)
{
    double c[3][3];
    int around;

    for (int k = 0; k < 3; k++) {
        c[k][0] = (double)t->corners[k].x;
        c[k][1] = (double)t->corners[k].y;
        c[k][2] = (double)t->corners[k].z;
    }
    around = winding_around(r, (const double(*)[3])c);
    if (around == 0 || !winding_is_ahead(r, (const double(*)[3])c, around))
        return 0;
    return r->rises ? around : -around;
}

/** Return how many of a mesh's closed parts are around the point (in the mesh's frame), minus the hollows that it is
 *  in. */
static inline int surface_winding(const surface *s, dvec p, uint64_t *left)
{
    const winding_ray r = winding_ray_of(s->mesh, p);
    surface_ref stack[SURFACE_STACK] = {surface_root(s)};
    int top = 1, sum = 0;

    while (top > 0 && surface_pay(left, 1)) {
        const surface_ref ref = stack[--top];
        const surface_triangle *triangles;
        surface_triangle halves[2]; /* never used: it is a mesh */
        surface_ref refs[SURFACE_WAYS];
        const surface_boxes *boxes;
        surface_boxes store;
        unsigned there;

        if (surface_is_leaf(s, ref)) {
            for (int k = surface_leaf(s, ref, halves, &triangles) - 1; k >= 0; k--)
                sum += surface_is_closed(s, &triangles[k]) ? winding_of(&r, &triangles[k]) : 0;
            continue;
        }
        there = surface_children(s, ref, &store, &boxes, refs);
        there &= winding_meets(&r, boxes);
        for (int k = 0; k < SURFACE_WAYS; k++)
            if (there >> k & 1u)
                stack[top++] = refs[k];
    }
    return sum;
}

/* ---- below terrains ---- */

static inline uint32_t terrain_cell(double x, float spacing, uint32_t points)
{
    const double at = x / (double)spacing;

    return at <= 0.0 ? 0 : at >= (double)(points - 2) ? points - 2 : (uint32_t)at;
}

/** Return how far the terrain is above the point, straight up, m; NAN beside it. */
static inline double terrain_above(const clash_terrain *t, dvec p)
{
    const uint32_t i = terrain_cell(p.x, t->spacing_x, t->columns), j = terrain_cell(p.z, t->spacing_z, t->rows);
    double x = p.x / (double)t->spacing_x - (double)i, z = p.z / (double)t->spacing_z - (double)j;
    clash_vec3 c[3];

    if (!(x >= 0.0 && x <= 1.0 && z >= 0.0 && z <= 1.0))
        return NAN;
    terrain_corners(t, i, j, x + z > 1.0, c);
    if (x + z > 1.0) /* measure back from the far corner */
        return (double)c[2].y + (1.0 - x) * ((double)c[1].y - (double)c[2].y) +
               (1.0 - z) * ((double)c[0].y - (double)c[2].y) - p.y;
    return (double)c[0].y + x * ((double)c[2].y - (double)c[0].y) + z * ((double)c[1].y - (double)c[0].y) - p.y;
}

#endif
