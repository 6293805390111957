/* Push-out: how deep a capsule is (push_overlap.h), and the resolver, which gathers the planes that keep a blade out until the
 * least move that they all allow leaves no overlap. Where there is no such move it tries from other places around, and from
 * behind the surfaces that it met. Pure. */
#include <clash/push_out.h>

#include "push_overlap.h"
#include "push_solve.h"
#include "validate.h"

/* Looks before a place is given up: a corner takes a few, what is round some more. */
#define PUSH_LOOKS 48
/* A way back to where the blade came from is halved so often. */
#define PUSH_HALVINGS 12
/* So many walls are remembered, to get behind any of them. */
#define PUSH_SIDES 5
/* Normals with such a cosine are those of one wall. */
#define PUSH_SAME 0.99

/** Walls that kept a blade in, and what it takes from the origin to be on either side of them. */
typedef struct push_sides {
    push_plane front[PUSH_SIDES], behind[PUSH_SIDES];
    int count;
} push_sides;

static void note_side(push_sides *s, const push_overlap *o, dvec x)
{
    double at = dvec_dot(o->normal, x);

    if (o->behind <= 0.0 || s->count == PUSH_SIDES)
        return;
    for (int i = 0; i < s->count; i++)
        if (dvec_dot(s->front[i].normal, o->normal) > PUSH_SAME)
            return;
    s->front[s->count] = (push_plane){o->normal, at + o->depth};
    s->behind[s->count++] = (push_plane){dvec_scale(o->normal, -1.0), o->behind - at};
}

/** The least move from `start` that is found to lead outside. */
static bool push_from(const push_blade *b, dvec start, push_sides *sides, dvec *out_x)
{
    push_plane planes[PUSH_PLANES_MAX];
    dvec x = start;
    int count = 0;

    for (int i = 0; i < PUSH_LOOKS; i++) {
        push_overlap o = deepest_at(b, x);
        dvec step;

        *out_x = x;
        if (is_outside(&o))
            return true;
        if (count == PUSH_PLANES_MAX)
            return false;
        note_side(sides, &o, x);
        planes[count++] = (push_plane){o.normal, dvec_dot(o.normal, dvec_sub(x, start)) + o.depth};
        if (!push_solve(planes, count, &step))
            return false;
        x = dvec_add(start, step);
    }
    return false;
}

/** Brings a place outside nearer to where the blade came from. */
static dvec shortened(const push_blade *b, dvec x)
{
    double share = 1.0, low = 0.0;

    for (int i = 0; i < PUSH_HALVINGS; i++) {
        double middle = 0.5 * (low + share);
        push_overlap o = deepest_at(b, dvec_scale(x, middle));

        if (is_outside(&o))
            share = middle;
        else
            low = middle;
    }
    return dvec_scale(x, share);
}

/** The least way out that was found so far, of those within reach. */
typedef struct push_best {
    double reach, length; /* INFINITY: none */
    dvec x;
} push_best;

static void try_from(const push_blade *b, dvec start, push_sides *sides, push_best *best)
{
    double length;
    dvec x;

    if (!push_from(b, start, sides, &x))
        return;
    x = shortened(b, x);
    length = dvec_length(x);
    if (length <= best->reach && length < best->length) {
        best->length = length;
        best->x = x;
    }
}

/** From places all around, half and all of `reach` away. */
static void try_around(const push_blade *b, push_sides *sides, push_best *best)
{
    for (int k = 0; k < 27 * 2; k++) {
        dvec way = {(double)(k % 3 - 1), (double)(k / 3 % 3 - 1), (double)(k / 9 % 3 - 1)};
        double length = dvec_length(way);

        if (length > 0.0)
            try_from(b, dvec_scale(way, (k < 27 ? 0.5 : 1.0) * best->reach / length), sides, best);
    }
}

/** From behind one wall or several, and before the others: where it is too narrow between walls there is no other way. More
 *  walls may be met on it. */
static void try_behind(const push_blade *b, push_sides *sides, push_best *best)
{
    for (unsigned which = 1; which < 1U << sides->count; which++) {
        push_sides chosen = *sides;
        dvec x;

        for (int k = 0; k < chosen.count; k++)
            if (which >> k & 1U)
                chosen.front[k] = chosen.behind[k];
        if (push_solve(chosen.front, chosen.count, &x) && dvec_length(x) <= 2.0 * best->reach)
            try_from(b, x, sides, best);
    }
}

static bool capsules_are_valid(const clash_capsule *capsules, size_t count, const clash_pose *pose)
{
    clash_parts parts = {capsules, count, {*pose, *pose}};

    return parts_are_valid(&parts, (clash_span){0.0, 1.0});
}

static bool obstacle_is_valid(const clash_obstacle *o)
{
    const clash_motion still = {o->pose, o->pose};

    return target_is_valid(&o->shape, &still);
}

bool clash_overlap_of(const clash_capsule *capsule, const clash_pose *pose, const clash_obstacle *obstacle,
                      clash_overlap *out_overlap)
{
    push_blade b = {capsule, 1, dquat_from(pose->orientation), dvec_from(pose->position), obstacle, 1};
    push_overlap o;
    float depth;

    if (!capsules_are_valid(capsule, 1, pose) || !obstacle_is_valid(obstacle))
        return false;
    o = overlap_at(&b, 0, obstacle, (dvec){0.0, 0.0, 0.0});
    depth = (float)o.depth;
    if (!isfinite(depth))
        return false;
    *out_overlap = (clash_overlap){depth, dvec_round(o.normal), o.triangle};
    return true;
}

clash_push_result clash_resolve_pose(const clash_capsule *capsules, size_t capsule_count, const clash_pose *pose,
                                     const clash_obstacle *obstacles, size_t obstacle_count, float reach,
                                     clash_pose *out_pose)
{
    push_blade b = {capsules,  capsule_count, dquat_from(pose->orientation), dvec_from(pose->position),
                    obstacles, obstacle_count};
    push_best best = {(double)reach, INFINITY, {0.0, 0.0, 0.0}};
    push_sides sides = {.count = 0};
    dvec x = {0.0, 0.0, 0.0};
    push_overlap o;

    if (!capsules_are_valid(capsules, capsule_count, pose) || !margin_is_valid(reach))
        return CLASH_PUSH_INVALID;
    for (size_t k = 0; k < obstacle_count; k++)
        if (!obstacle_is_valid(&obstacles[k]))
            return CLASH_PUSH_INVALID;
    *out_pose = *pose;
    o = deepest_at(&b, x);
    if (o.depth <= (double)CLASH_PUSH_DEPTH)
        return CLASH_PUSH_FREE;
    if (!push_from(&b, x, &sides, &x) || dvec_length(x) > (double)reach) {
        try_around(&b, &sides, &best);
        try_behind(&b, &sides, &best);
        if (!(best.length < INFINITY))
            return CLASH_PUSH_STUCK;
        x = best.x;
    }
    out_pose->position = dvec_round(dvec_add(b.position, x));
    if (!clash_vec3_is_finite(out_pose->position)) {
        *out_pose = *pose;
        return CLASH_PUSH_STUCK;
    }
    return CLASH_PUSH_MOVED;
}
