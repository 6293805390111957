/* What push-out is asked, and what it knows of it: who is to be moved out of what, the work that is left, and how each capsule
 * lay to each obstacle where it began. Everything is relative to the blade's own origin, so that being far from the stage's
 * costs no precision. */
#ifndef CLASH_GEOMETRY_PUSH_OUT_TASK_H
#define CLASH_GEOMETRY_PUSH_OUT_TASK_H

#include <clash/push_out.h>

#include "surface_closest.h"
#include "surface_inside.h"

/* So many pairs of a capsule and an obstacle are remembered. */
#define PUSH_OUT_PAIRS 256
/* What the distance of a capsule from a box or rod costs beside a tree node. */
#define PUSH_OUT_SOLID_WORK 4

/** A capsule's axis, in stage axes from the blade's origin. */
typedef struct push_out_axis {
    dvec base, u;
    double radius;
} push_out_axis;

/** Of an axis some points that are inside of something, at t of its length: the middle of the longest part that is, and the
 *  ends. The deepest is the first, if that was asked. */
typedef struct push_out_inner {
    double at[3];
    int count;
    bool is_open; /* no more than behind an open surface */
} push_out_inner;

typedef struct push_out_overlap {
    double depth;
    dvec normal;              /* unit: the way out */
    uint32_t triangle;        /* that the normal is from */
    uint32_t touched;         /* one of a surface's that the capsule touches; CLASH_NO_TRIANGLE: none */
    double behind;            /* the way out against the normal, of an open surface; 0: there is no other side */
    size_t capsule, obstacle; /* which */
    push_out_inner inner;     /* of a surface that encloses some of the axis */
    bool is_least;            /* no way out is shorter than `depth` */
    dvec core;                /* moved to anywhere in this ball the capsule overlaps: its middle and radius */
    double core_radius;
} push_out_overlap;

/** How a pair lay at the start. */
typedef struct push_out_pair {
    double gap; /* m, at least; negative if they overlapped */
    int side; /* of a surface: 1: its outer side, by its triangles' winding, is where the blade should be; -1: the other;
                   0: either */
} push_out_pair;

typedef struct push_out_task {
    size_t count; /* of capsules */
    dvec position;
    const clash_obstacle *obstacles;
    size_t obstacle_count;
    bool is_sided;   /* open surfaces count as having sides */
    bool has_sides;  /* there are any that do */
    bool is_hollow;  /* no mesh has an inside */
    bool is_rough;   /* whether something overlaps is asked, and not how deep */
    uint64_t left;   /* work */
    size_t measured; /* of the pairs; in the order of capsules and then obstacles */
    push_out_pair pairs[PUSH_OUT_PAIRS];
    push_out_axis axes[CLASH_PARTS_MAX];
} push_out_task;

static inline push_out_axis axis_of(const clash_capsule *c, dquat orientation)
{
    dvec base = dquat_rotate(orientation, dvec_from(c->base)), tip = dquat_rotate(orientation, dvec_from(c->tip));

    return (push_out_axis){base, dvec_sub(tip, base), (double)c->radius};
}

/** The obstacle's origin as the blade, moved by x, sees it. */
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
