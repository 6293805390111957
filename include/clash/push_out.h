/* Push-out: how deep a blade (or a player's body) has sunk into what does not yield, and where it should stand instead so
 * that it has not. Nothing moves here: these are about one moment. Pure: no clock, no allocation; thread-safe. */
#ifndef CLASH_PUSH_OUT_H
#define CLASH_PUSH_OUT_H

#include <clash/sweep.h>

CLASH_BEGIN_DECLS

/** A shape where it stands at one moment. */
typedef struct clash_obstacle {
    clash_shape shape;
    clash_pose pose; /**< stage_from_device */
} clash_obstacle;

typedef struct clash_overlap {
    float depth; /**< m; negative: how far they are apart */
    clash_vec3
        normal; /**< unit, stage: the way out. Moving the capsule by `depth` along it makes both touch; of a solid
                            shape no shorter way does. Out of a mesh or terrain whose triangle the axis goes through: to
                            the triangle's outer side, until all of the axis is there */
    uint32_t triangle; /**< of a mesh or terrain; CLASH_NO_TRIANGLE for other shapes */
} clash_overlap;

/** How deep the capsule, standing at `pose` (stage_from_device), is in the obstacle. Returns false, and writes nothing, where
 *  a number is not finite, a size negative, a quaternion zero, or the result beyond the range of float. */
CLASH_API bool clash_overlap_of(const clash_capsule *capsule, const clash_pose *pose, const clash_obstacle *obstacle,
                                clash_overlap *out_overlap);

typedef enum clash_push_result {
    CLASH_PUSH_FREE,   /**< it is outside everything where it stands: *out_pose is `pose` */
    CLASH_PUSH_MOVED,  /**< *out_pose is outside everything, to within CLASH_PUSH_DEPTH */
    CLASH_PUSH_STUCK,  /**< no place outside was found within `reach`; *out_pose is `pose` */
    CLASH_PUSH_INVALID /**< see clash_overlap_of, or no capsule or more than CLASH_PARTS_MAX; nothing is written */
} clash_push_result;

/** How deep what is outside may still be, m. */
#define CLASH_PUSH_DEPTH 1e-4f

/** Where the blade made of `capsules`, which is at `pose`, should stand so as to be outside all obstacles: the same
 *  orientation, moved by at most `reach` (m, >= 0), by little. A mesh or terrain is a surface and has no inside: a capsule that
 *  is all on one side of it, by its radius, is outside, and one that has sunk in less than to its axis goes back to the side
 *  it is on. One whose axis goes through is put on the outer side; behind only where there is no other place in reach. */
CLASH_API clash_push_result clash_resolve_pose(const clash_capsule *capsules, size_t capsule_count,
                                               const clash_pose *pose, const clash_obstacle *obstacles,
                                               size_t obstacle_count, float reach, clash_pose *out_pose);

/** The same for a blade, or a body, that came from the pose `from` (stage_from_device), where it was outside: so that no wall
 *  is passed, however thin it is and however far `pose` is beyond it. From `from` to *out_pose there is a rigid motion (pose.h)
 *  on which nothing comes nearer to an axis than half its capsule's radius, so that each axis stays on its side of everything.
 *  CLASH_PUSH_FREE then says that `pose` is outside and the way there is free too. Where there is room it slides along what it
 *  meets, else it stops there, or stays where it came from; these too only within `reach` of `pose`. Where a capsule's inner
 *  half is within something at `from` already, that has no side: as clash_resolve_pose. */
CLASH_API clash_push_result clash_resolve_pose_from(const clash_capsule *capsules, size_t capsule_count,
                                                    const clash_pose *from, const clash_pose *pose,
                                                    const clash_obstacle *obstacles, size_t obstacle_count, float reach,
                                                    clash_pose *out_pose);

CLASH_END_DECLS

#endif
