/* Push-out: how deep a blade (or a player's body) has sunk into what does not yield, and where it should stand instead so
 * that it has not. Nothing moves here: these are about one moment. Pure: no clock, no allocation; thread-safe.
 *
 * What has an inside: balls, capsules, boxes, and of meshes the parts that are watertight (clash_mesh_closed_count, mesh.h).
 * Terrains and the rest of meshes are surfaces that have but two sides. */
#ifndef CLASH_PUSH_OUT_H
#define CLASH_PUSH_OUT_H

#include <clash/shape.h>

CLASH_BEGIN_DECLS

/** A shape in its place at one moment. */
typedef struct clash_obstacle {
    clash_shape shape;
    clash_pose pose; /**< stage_from_device */
} clash_obstacle;

typedef struct clash_overlap {
    float depth; /**< m; negative: how far they are apart */
    clash_vec3
        normal; /**< unit, stage: the way out. Moving the capsule by `depth` along it makes both touch; of a ball, capsule
                            or box no shorter way does, and out of the inside of a mesh none that is shorter by much (see
                            clash_push_out). Out of a surface whose triangle the axis goes through: to the triangle's
                            outer side, until all of the axis is there */
    uint32_t triangle; /**< of a mesh or terrain: that they touch then; CLASH_NO_TRIANGLE for other shapes */
} clash_overlap;

/** Find how deep the capsule, placed at `pose` (stage_from_device), is in the obstacle. Returns false, and writes
 *  nothing, if a number is not finite, a size negative, a quaternion zero, or the result beyond the range of float. */
CLASH_API bool clash_overlap_of(const clash_capsule *capsule, const clash_pose *pose, const clash_obstacle *obstacle,
                                clash_overlap *out_overlap);

typedef enum clash_push_result {
    CLASH_PUSH_FREE,    /**< it is outside everything already: the pose is unchanged */
    CLASH_PUSH_MOVED,   /**< the pose is outside everything, to within CLASH_PUSH_DEPTH */
    CLASH_PUSH_STUCK,   /**< no place outside was found within `reach`; the pose is unchanged */
    CLASH_PUSH_INVALID, /**< see clash_overlap_of, or no capsule or more than CLASH_PARTS_MAX; nothing is written */
    CLASH_PUSH_SPENT /**< the work was spent before any place was found, or before it was known whether it is outside;
                        the pose is unchanged */
} clash_push_result;

/** How deep something "outside" may still be, m. */
#define CLASH_PUSH_DEPTH 1e-4f

/** The limit of a search, in units of work: visiting a node of a tree of triangles is one unit, and the distance of a
 *  capsule from a triangle or a solid is a few. The same input costs the same everywhere, some 30 to 60 ns a unit. */
#define CLASH_PUSH_WORK 25000u
/** More work for each pair of a capsule and an obstacle that may be met. */
#define CLASH_PUSH_WORK_PAIR 400u
/** As much work as these two say, not counting the examination of where the blade is. */
#define CLASH_PUSH_WORK_USUAL UINT32_MAX

/** A blade, or a body, and what to keep it out of. What it points to is the caller's. */
typedef struct clash_push_input {
    const clash_capsule *capsules; /**< 1 .. CLASH_PARTS_MAX, in the device's frame */
    size_t capsule_count;
    clash_pose pose;        /**< stage_from_device */
    const clash_pose *from; /**< the place it came from, if it was outside there; NULL: unknown */
    /** May be NULL without any. One that is too far away to be met costs a few nanoseconds and no work. */
    const clash_obstacle *obstacles;
    size_t obstacle_count;
    float reach;   /**< how far it may be moved, m, >= 0 */
    uint32_t work; /**< the most units of work, or CLASH_PUSH_WORK_USUAL; ignored if `from` is used */
} clash_push_input;

/** Return the usual work, a reach of 0.5 m, and no obstacles; set the capsules and the pose. */
CLASH_API clash_push_input clash_push_input_default(void);

typedef struct clash_push_output {
    clash_pose pose; /**< the same orientation, moved */
    uint32_t work;   /**< units of work used; 0 if `from` was used */
} clash_push_output;

/** Find where the blade should stand so as to be outside all obstacles: the same orientation, moved by at most `reach`, by little.
 *
 *  In tests that tried all directions it was moved by no more than a tenth more than the least move there is in more than 99 of
 *  100 cases, and never by twice as much: out of closed meshes, heaps of solids, from between plates and out of slopes. All of
 *  it is outside what has an inside, never in a hollow of it that it does not fit into. A surface that is open keeps it on a
 *  side: a capsule that is all on one side of it, by its radius, is outside, and one that has sunk in less than to its axis
 *  goes back to the side it is on. One whose axis goes through is put on the outer side; behind only if there is no other
 *  place in reach. When the work is spent the best place so far counts.
 *
 *  With `from` no wall is passed, however thin it is and however far `pose` is beyond it; a closed mesh, too, has but two
 *  sides then. From `from` to the pose that comes out there is a rigid motion (pose.h) on which nothing comes nearer to an
 *  axis than half its capsule's radius, so that each axis stays on its side of everything. CLASH_PUSH_FREE then says that
 *  `pose` is outside and the way there is free too. If there is room it slides along what it meets, else it stops there, or
 *  stays where it came from; these too only within `reach` of `pose`. If a capsule's inner half is within something at `from`
 *  already, that has no side, and `from` does not count. */
CLASH_API clash_push_result clash_push_out(const clash_push_input *input, clash_push_output *out);

CLASH_END_DECLS

#endif
