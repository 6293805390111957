/* A ray through the tree of a mesh or terrain, nearest child first. A triangle is met by the signs of three edge functions in
 * coordinates that the ray runs along (S. Woop, C. Benthin, I. Wald, "Watertight Ray/Triangle Intersection", 2013): those of
 * a common edge are computed from the same two numbers in both triangles and are each other's negative to the bit, so that
 * nothing gets through between them.
 *
 * What the tree leaves out must not show in the answer. So the boxes are widened by more than rounding, and a triangle is met
 * where the ray is within its own box: no node's box can begin later than that of a triangle in it. Pure. */
#include "ray_surface.h"

#include "surface_bvh.h"

/* How much boxes are widened, relative to the coordinates: far more than rounding in double. */
#define RAY_SLACK 1e-12
/* A component of the direction this much smaller than the largest moves the ray by less than RAY_SLACK. */
#define RAY_LEVEL 1e-30

typedef struct ray_entry {
    surface_ref ref;
    double from;
} ray_entry;

typedef struct ray_walk {
    const surface *s;
    double origin[3], direction[3], per[3]; /* per: 1 / direction; 0: no way along this axis */
    double size;                            /* of the origin */
    int x, y, z;                            /* axes: z is the one that the direction is largest along */
    double shear_x, shear_y;
    double best; /* what comes must have a smaller parameter */
    bool found;
    ray_found *out;
    clash_vec3 corners[3]; /* of the triangle found */
    ray_entry stack[SURFACE_STACK];
    int top;
} ray_walk;

static ray_walk walk_of(const surface *s, dvec origin, dvec d, double most, ray_found *out)
{
    double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z), largest = max_of(max_of(x, y), z);
    ray_walk w = {.s = s,
                  .origin = {origin.x, origin.y, origin.z},
                  .direction = {d.x, d.y, d.z},
                  .size = dvec_sum(origin),
                  .z = x >= y && x >= z ? 0
                       : y >= z         ? 1
                                        : 2,
                  .best = most,
                  .out = out,
                  .top = 1};

    w.x = (w.z + 1) % 3;
    w.y = (w.z + 2) % 3;
    w.shear_x = w.direction[w.x] / w.direction[w.z];
    w.shear_y = w.direction[w.y] / w.direction[w.z];
    for (int k = 0; k < 3; k++)
        w.per[k] = fabs(w.direction[k]) > RAY_LEVEL * largest ? 1.0 / w.direction[k] : 0.0;
    w.stack[0] = (ray_entry){surface_root(s), 0.0};
    return w;
}

/** Return where the line is in a box widened by `slack`; false if nowhere. */
static bool meets_box(const ray_walk *w, const float low[3], const float high[3], double slack, double *out_from,
                      double *out_to)
{
    double from = -INFINITY, to = INFINITY;

    for (int k = 0; k < 3; k++) {
        double a = (double)low[k] - slack - w->origin[k], b = (double)high[k] + slack - w->origin[k];

        if (w->per[k] == 0.0) {
            if (a > 0.0 || b < 0.0)
                return false;
            continue;
        }
        from = max_of(from, (w->per[k] > 0.0 ? a : b) * w->per[k]);
        to = min_of(to, (w->per[k] > 0.0 ? b : a) * w->per[k]);
    }
    *out_from = from;
    *out_to = to;
    return from <= to;
}

static double slack_of(const ray_walk *w, double size)
{
    return RAY_SLACK * (w->size + size);
}

/** Return the parameter at which the line meets the triangle's plane, if that is within the triangle. */
static bool meets_plane(const ray_walk *w, const clash_vec3 corners[3], double *out_parameter)
{
    double x[3], y[3], z[3], u, v, t, sum;

    for (int k = 0; k < 3; k++) {
        const double at[3] = {(double)corners[k].x - w->origin[0], (double)corners[k].y - w->origin[1],
                              (double)corners[k].z - w->origin[2]};

        z[k] = at[w->z];
        x[k] = at[w->x] - w->shear_x * z[k];
        y[k] = at[w->y] - w->shear_y * z[k];
    }
    u = x[2] * y[1] - y[2] * x[1];
    v = x[0] * y[2] - y[0] * x[2];
    t = x[1] * y[0] - y[1] * x[0];
    if ((u < 0.0 || v < 0.0 || t < 0.0) && (u > 0.0 || v > 0.0 || t > 0.0))
        return false;
    sum = u + v + t;
    if (sum == 0.0)
        return false;
    *out_parameter = (u / sum * z[0] + v / sum * z[1] + t / sum * z[2]) / w->direction[w->z];
    return true;
}

static void try_triangle(ray_walk *w, const surface_triangle *t)
{
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double at, from, to, size = 0.0;

    if (!meets_plane(w, t->corners, &at))
        return;
    for (int k = 0; k < 3; k++) {
        const float corner[3] = {t->corners[k].x, t->corners[k].y, t->corners[k].z};

        for (int axis = 0; axis < 3; axis++) {
            low[axis] = corner[axis] < low[axis] ? corner[axis] : low[axis];
            high[axis] = corner[axis] > high[axis] ? corner[axis] : high[axis];
            size = max_of(size, fabs((double)corner[axis]));
        }
    }
    if (!meets_box(w, low, high, slack_of(w, size), &from, &to))
        return;
    at = at < from ? from : at > to ? to : at;
    if (at < 0.0 || at > w->best || (w->found && at == w->best && t->index > w->out->triangle))
        return;
    w->best = at;
    w->found = true;
    *w->out = (ray_found){.parameter = at, .triangle = t->index};
    memcpy(w->corners, t->corners, sizeof w->corners);
}

static void look_at_leaf(ray_walk *w, surface_ref ref)
{
    surface_triangle store[2];
    const surface_triangle *triangles;
    int count = surface_leaf(w->s, ref, store, &triangles);

    for (int k = 0; k < count; k++)
        try_triangle(w, &triangles[k]);
}

/** Push a node's children on the stack, the nearest on top. */
static void look_at_node(ray_walk *w, surface_ref ref)
{
    const surface_boxes *boxes;
    surface_boxes store;
    surface_ref refs[SURFACE_WAYS];
    unsigned there = surface_children(w->s, ref, &store, &boxes, refs);
    double slack = slack_of(w, w->s->size);
    int first = w->top;

    for (int k = 0; k < SURFACE_WAYS; k++) {
        const float low[3] = {boxes->low[0][k], boxes->low[1][k], boxes->low[2][k]};
        const float high[3] = {boxes->high[0][k], boxes->high[1][k], boxes->high[2][k]};
        double from, to;
        int at = w->top;

        if (!(there >> k & 1u) || !meets_box(w, low, high, slack, &from, &to) || to < 0.0 || from > w->best)
            continue;
        for (; at > first && w->stack[at - 1].from < from; at--)
            w->stack[at] = w->stack[at - 1];
        w->stack[at] = (ray_entry){refs[k], from};
        w->top++;
    }
}

bool ray_meets_surface(const clash_mesh *mesh, const clash_terrain *terrain, dvec origin, dvec direction, double most,
                       ray_found *out)
{
    const surface s = surface_of(mesh, terrain);
    ray_walk w = walk_of(&s, origin, direction, most, out);
    dvec at;

    while (w.top > 0) {
        ray_entry entry = w.stack[--w.top];

        if (entry.from > w.best)
            continue;
        if (surface_is_leaf(&s, entry.ref))
            look_at_leaf(&w, entry.ref);
        else
            look_at_node(&w, entry.ref);
    }
    if (!w.found)
        return false;
    at = dvec_from(w.corners[0]);
    out->normal = dvec_cross(dvec_sub(dvec_from(w.corners[1]), at), dvec_sub(dvec_from(w.corners[2]), at));
    return true;
}
