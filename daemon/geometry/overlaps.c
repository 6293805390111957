/* All triangles of a mesh or terrain that a capsule touches: see clash/mesh.h. The tree skips what is out of reach of a
 * box around the capsule that is wider than all rounding, so the answer is that of trying all triangles. Those with the
 * lowest indices are kept in a heap in the caller's room and sorted at the end, so the order of the walk does not
 * matter. Pure. */
#include <clash/mesh.h>

#include "surface_bvh.h"
#include "target_closest.h"
#include "validate.h"

/* How much boxes are widened, relative to the coordinates: far more than rounding in double. */
#define OVERLAPS_SLACK 1e-12

typedef struct overlaps {
    const surface *s;
    dvec base, u; /* the axis, in the surface's frame */
    double radius, slack;
    dquat stage_from_surface;
    dvec position;
    clash_triangle_touch *touches; /* a heap with the highest index on top */
    size_t room, count;            /* count: of all, with or without room */
} overlaps;

/** Move the entry at `at` down until neither below it has a higher index. */
static void sink(clash_triangle_touch *heap, size_t size, size_t at)
{
    clash_triangle_touch moved = heap[at];

    for (;;) {
        size_t child = 2 * at + 1;

        if (child >= size)
            break;
        if (child + 1 < size && heap[child + 1].triangle > heap[child].triangle)
            child++;
        if (heap[child].triangle <= moved.triangle)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

static void rise(clash_triangle_touch *heap, size_t at)
{
    clash_triangle_touch moved = heap[at];

    for (; at > 0 && heap[(at - 1) / 2].triangle < moved.triangle; at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = moved;
}

static void sort(clash_triangle_touch *heap, size_t size)
{
    while (size > 1) {
        clash_triangle_touch last = heap[--size];

        heap[size] = heap[0];
        heap[0] = last;
        sink(heap, size, 0);
    }
}

static void keep(overlaps *o, const clash_triangle_touch *touch)
{
    size_t size = o->count++;

    if (size < o->room) {
        o->touches[size] = *touch;
        rise(o->touches, size);
    } else if (o->room > 0 && touch->triangle < o->touches[0].triangle) {
        o->touches[0] = *touch;
        sink(o->touches, o->room, 0);
    }
}

static void try_triangle(overlaps *o, const surface_triangle *t)
{
    clash_triangle_touch touch = {.triangle = t->index};
    dvec at = dvec_from(t->corners[0]), n;
    target_near near = {.s = 0.0};
    target_convex convex;
    double length;

    convex_triangle(&convex, at, dvec_from(t->corners[1]), dvec_from(t->corners[2]));
    convex_nearest(&convex, o->base, o->u, &near);
    if (!(near.distance <= o->radius))
        return;
    n = dvec_cross(convex.u, convex.v);
    length = dvec_length(n);
    touch.distance = (float)near.distance;
    touch.along = (float)near.s;
    touch.point = dvec_round(dvec_add(o->position, dquat_rotate(o->stage_from_surface, near.point)));
    if (length > 0.0)
        touch.normal = dvec_round(dquat_rotate(o->stage_from_surface, dvec_scale(n, 1.0 / length)));
    keep(o, &touch);
}

/** Return whether something in the box may be within the radius of the axis. */
static bool reaches(const overlaps *o, const surface_boxes *boxes, int k)
{
    dvec low = {(double)boxes->low[0][k], (double)boxes->low[1][k], (double)boxes->low[2][k]};
    dvec high = {(double)boxes->high[0][k], (double)boxes->high[1][k], (double)boxes->high[2][k]};
    dvec middle = dvec_scale(dvec_add(low, high), 0.5), half = dvec_scale(dvec_sub(high, low), 0.5);
    target_near near;

    near_box(dvec_sub(o->base, middle), o->u, half, &near);
    return near.distance <= o->radius + o->slack;
}

static void look_at_leaf(overlaps *o, surface_ref ref)
{
    surface_triangle store[2];
    const surface_triangle *triangles;
    int count = surface_leaf(o->s, ref, store, &triangles);

    for (int k = 0; k < count; k++)
        try_triangle(o, &triangles[k]);
}

static void walk(overlaps *o)
{
    surface_ref stack[SURFACE_STACK];
    int top = 1;

    stack[0] = surface_root(o->s);
    while (top > 0) {
        surface_ref ref = stack[--top], refs[SURFACE_WAYS];
        const surface_boxes *boxes;
        surface_boxes store;
        unsigned there;

        if (surface_is_leaf(o->s, ref)) {
            look_at_leaf(o, ref);
            continue;
        }
        there = surface_children(o->s, ref, &store, &boxes, refs);
        for (int k = 0; k < SURFACE_WAYS; k++)
            if ((there >> k & 1u) && reaches(o, boxes, k))
                stack[top++] = refs[k];
    }
}

static bool surface_overlaps(const surface *s, const clash_pose *pose, const clash_capsule *capsule,
                             const clash_pose *capsule_pose, clash_triangle_touch *out_touches, size_t room,
                             size_t *out_count)
{
    const clash_capsule nothing = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}, 0.0f};
    const clash_body there = {nothing, {*pose, *pose}}, body = {*capsule, {*capsule_pose, *capsule_pose}};
    overlaps o = {.s = s, .radius = (double)capsule->radius, .touches = out_touches, .room = room};
    dquat turned, back;
    dvec from, base, tip;

    if (!body_is_valid(&there) || !body_is_valid(&body))
        return false;
    o.stage_from_surface = dquat_from(pose->orientation);
    o.position = dvec_from(pose->position);
    turned = dquat_from(capsule_pose->orientation);
    back = dquat_conjugate(o.stage_from_surface);
    from = dvec_sub(dvec_from(capsule_pose->position), o.position);
    base = dquat_rotate(back, dvec_add(from, dquat_rotate(turned, dvec_from(capsule->base))));
    tip = dquat_rotate(back, dvec_add(from, dquat_rotate(turned, dvec_from(capsule->tip))));
    o.base = base;
    o.u = dvec_sub(tip, base);
    o.slack = OVERLAPS_SLACK * (s->size + dvec_sum(base) + dvec_sum(tip));
    walk(&o);
    sort(o.touches, o.count < room ? o.count : room);
    *out_count = o.count;
    return true;
}

bool clash_mesh_overlaps(const clash_mesh *mesh, const clash_pose *pose, const clash_capsule *capsule,
                         const clash_pose *capsule_pose, clash_triangle_touch *out_touches, size_t room,
                         size_t *out_count)
{
    const surface s = surface_of(mesh, NULL);

    return surface_overlaps(&s, pose, capsule, capsule_pose, out_touches, room, out_count);
}

bool clash_terrain_overlaps(const clash_terrain *terrain, const clash_pose *pose, const clash_capsule *capsule,
                            const clash_pose *capsule_pose, clash_triangle_touch *out_touches, size_t room,
                            size_t *out_count)
{
    const surface s = surface_of(NULL, terrain);

    return surface_overlaps(&s, pose, capsule, capsule_pose, out_touches, room, out_count);
}
