/* The task of a push-out and what is known of it: who is to be moved out of what, the work left, and how each capsule
 * was placed to each obstacle at the start. Everything is relative to the blade's own origin, so that distance from the
 * stage's costs no precision. */
#ifndef CLASH_GEOMETRY_PUSH_OUT_TASK_H
#define CLASH_GEOMETRY_PUSH_OUT_TASK_H

#include <clash/push_out.h>

#include "surface_closest.h"
#include "surface_inside.h"

/* Remember at most so many pairs of a capsule and an obstacle. */
#define PUSH_OUT_PAIRS 256
/* Work for the distance of a capsule from a box or capsule, in tree nodes. */
#define PUSH_OUT_SOLID_WORK 4

/** A capsule's axis, in stage axes from the blade's origin. */
typedef struct push_out_axis {
    dvec base, u;
    double radius;
} push_out_axis;

/** Points of an axis that are inside something, at t of its length: the middle of the longest part inside, and the
 *  ends. If depth was asked, the deepest is the first. */
typedef struct push_out_inner {
    double at[3];
    int count;
    bool is_open; /* only behind an open surface */
} push_out_inner;

typedef struct push_out_overlap {
    double depth;
    dvec normal;              /* unit: the way out */
    uint32_t triangle;        /* that the normal is from */
    uint32_t touched;         /* one of a surface's that touches the capsule; CLASH_NO_TRIANGLE: none */
    double behind;            /* the way out against the normal, of an open surface; 0: it has no other side */
    size_t capsule, obstacle; /* which */
    push_out_inner inner;     /* in a surface that encloses some of the axis */
    bool is_least;            /* no way out is shorter than `depth` */
    dvec core;                /* centre and radius of a ball: moved anywhere into it, the capsule overlaps */
    double core_radius;
} push_out_overlap;

/** How a pair was placed at the start. */
typedef struct push_out_pair {
    double gap; /* m, at least; negative if they overlapped */
    int side; /* of a surface: the blade should be on its outer side, by its triangles' winding (1), on the other (-1),
                 on either (0) */
} push_out_pair;

typedef struct push_out_task {
    size_t count; /* of capsules */
    dvec position;
    const clash_obstacle *obstacles;
    size_t obstacle_count;
    bool is_sided;   /* open surfaces count as having sides */
    bool has_sides;  /* some have */
    bool is_hollow;  /* meshes have no inside */
    bool is_rough;   /* only whether something overlaps matters, not how deep */
    uint64_t left;   /* work */
    size_t measured; /* pairs, in the order of capsules and then obstacles */
    push_out_pair pairs[PUSH_OUT_PAIRS];
    push_out_axis axes[CLASH_PARTS_MAX];
} push_out_task;

static inline push_out_axis axis_of(const clash_capsule *c, dquat orientation)
{
    dvec base = dquat_rotate(orientation, dvec_from(c->base)), tip = dquat_rotate(orientation, dvec_from(c->tip));

    return (push_out_axis){base, dvec_sub(tip, base), (double)c->radius};
}

/** Return the obstacle's origin as the blade, moved by x, sees it. */
static inline dvec origin_of(const push_out_task *b, const clash_obstacle *o, dvec x)
{
    return dvec_sub(dvec_sub(dvec_from(o->pose.position), b->position), x);
}

static inline bool is_surface(const clash_obstacle *o)
{
    return o->shape.kind == CLASH_SHAPE_MESH || o->shape.kind == CLASH_SHAPE_TERRAIN;
}

static inline bool is_outside(const push_out_overlap *o)
{
    return o->depth <= 0.5 * (double)CLASH_PUSH_DEPTH;
}

#endif
