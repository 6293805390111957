/* Push-out: how deep a blade (or a player's body) has sunk into what does not yield, and where it should stand instead so
 * that it has not. Nothing moves here: these are about one moment. Pure: no clock, no allocation; thread-safe.
 *
 * What has an inside: balls, capsules, boxes, and of meshes the parts that are watertight (clash_mesh_closed_count, mesh.h).
 * Terrains and the rest of meshes are surfaces that have but two sides. */
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
        normal; /**< unit, stage: the way out. Moving the capsule by `depth` along it makes both touch; of a ball, capsule
                            or box no shorter way does, and out of the inside of a mesh none that is shorter by much (see
                            clash_resolve_pose). Out of a surface whose triangle the axis goes through: to the triangle's
                            outer side, until all of the axis is there */
    uint32_t triangle; /**< of a mesh or terrain: that they touch then; CLASH_NO_TRIANGLE for other shapes */
} clash_overlap;

/** How deep the capsule, standing at `pose` (stage_from_device), is in the obstacle. Returns false, and writes nothing, where
 *  a number is not finite, a size negative, a quaternion zero, or the result beyond the range of float. */
CLASH_API bool clash_overlap_of(const clash_capsule *capsule, const clash_pose *pose, const clash_obstacle *obstacle,
                                clash_overlap *out_overlap);

typedef enum clash_push_result {
    CLASH_PUSH_FREE,    /**< it is outside everything where it stands: *out_pose is `pose` */
    CLASH_PUSH_MOVED,   /**< *out_pose is outside everything, to within CLASH_PUSH_DEPTH */
    CLASH_PUSH_STUCK,   /**< no place outside was found within `reach`; *out_pose is `pose` */
    CLASH_PUSH_INVALID, /**< see clash_overlap_of, or no capsule or more than CLASH_PARTS_MAX; nothing is written */
    CLASH_PUSH_SPENT /**< of clash_resolve_pose_for: the work was spent before any place was found; *out_pose is `pose` */
} clash_push_result;

/** How deep what is outside may still be, m. */
#define CLASH_PUSH_DEPTH 1e-4f

/** What a search may cost, in units of work: a unit is a node of a tree of triangles that is looked at, and the distance of a
 *  capsule from a triangle or a solid is some units. The same input costs the same everywhere, some 30 to 60 ns a unit. */
#define CLASH_PUSH_WORK 25000u
/** And this for each pair of a capsule and an obstacle. */
#define CLASH_PUSH_WORK_PAIR 400u

/** Where the blade made of `capsules`, which is at `pose`, should stand so as to be outside all obstacles: the same
 *  orientation, moved by at most `reach` (m, >= 0), by little. Where tests tried all directions it was moved by no more than
 *  a tenth more than the least move there is in more than 99 of 100 cases, and never by twice as much: out of closed meshes,
 *  heaps of solids, from between plates and out of slopes. All of it is outside what has an inside, never in a hollow of it
 *  that it does not fit into. A surface that is open keeps it on a side: a capsule that is all on one side of it, by its
 *  radius, is outside, and one that has sunk in less than to its axis goes back to the side it is on. One whose axis goes
 *  through is put on the outer side; behind only where there is no other place in reach. The search is bounded by
 *  CLASH_PUSH_WORK and CLASH_PUSH_WORK_PAIR; where that is spent the best place so far counts, and STUCK where there is
 *  none. */
CLASH_API clash_push_result clash_resolve_pose(const clash_capsule *capsules, size_t capsule_count,
                                               const clash_pose *pose, const clash_obstacle *obstacles,
                                               size_t obstacle_count, float reach, clash_pose *out_pose);

/** The same for a blade, or a body, that came from the pose `from` (stage_from_device), where it was outside: so that no wall
 *  is passed, however thin it is and however far `pose` is beyond it; a closed mesh, too, has but two sides here. From `from`
 *  to *out_pose there is a rigid motion (pose.h) on which nothing comes nearer to an axis than half its capsule's radius, so
 *  that each axis stays on its side of everything. CLASH_PUSH_FREE then says that `pose` is outside and the way there is free
 *  too. Where there is room it slides along what it meets, else it stops there, or stays where it came from; these too only
 *  within `reach` of `pose`. Where a capsule's inner half is within something at `from` already, that has no side: as
 *  clash_resolve_pose. */
CLASH_API clash_push_result clash_resolve_pose_from(const clash_capsule *capsules, size_t capsule_count,
                                                    const clash_pose *from, const clash_pose *pose,
                                                    const clash_obstacle *obstacles, size_t obstacle_count, float reach,
                                                    clash_pose *out_pose);

/** As clash_resolve_pose for at most *work units of work, in all; what is left of them is written back. Where they are spent,
 *  the best place so far counts, and SPENT where there is none or where not even that is known whether it is outside. Of a
 *  result other than INVALID *work is always written. */
CLASH_API clash_push_result clash_resolve_pose_for(const clash_capsule *capsules, size_t capsule_count,
                                                   const clash_pose *pose, const clash_obstacle *obstacles,
                                                   size_t obstacle_count, float reach, uint32_t *work,
                                                   clash_pose *out_pose);

CLASH_END_DECLS

#endif
