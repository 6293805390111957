/* A set of obstacles with a tree over them, for scenes of many: what a push-out, a ray or a capsule may meet is found without a
 * look at the others. A query gives the bits that it would give over all obstacles of the set, one after the other. Queries do not
 * allocate, and any number of threads may make them at once as long as no thread changes the set. */
#ifndef CLASH_OBSTACLES_H
#define CLASH_OBSTACLES_H

#include <clash/push_out.h>
#include <clash/ray.h>

CLASH_BEGIN_DECLS

typedef struct clash_obstacle_set clash_obstacle_set;

/** Not a handle of any set. */
#define CLASH_NO_OBSTACLE UINT32_MAX

/** Return an empty set; NULL when out of memory. */
CLASH_API clash_obstacle_set *clash_obstacle_set_create(void);
CLASH_API void clash_obstacle_set_destroy(clash_obstacle_set *set);

/** Add a copy of an obstacle; a mesh or terrain that it refers to stays the caller's and must outlive it. Returns its handle,
 *  which is valid until it is removed; then another one may get it. CLASH_NO_OBSTACLE if a number of it is not finite, a size
 *  negative or a quaternion zero, or when out of memory: then the set is as before. From time to time an addition or a change sorts the tree. */
CLASH_API uint32_t clash_obstacle_set_add(clash_obstacle_set *set, const clash_obstacle *obstacle, clash_layers layers);

/** Put an obstacle elsewhere, or give it another shape. Never allocates. False, and nothing is changed, if there is none of this
 *  handle or `obstacle` is not valid. */
CLASH_API bool clash_obstacle_set_change(clash_obstacle_set *set, uint32_t handle, const clash_obstacle *obstacle);

/** False if there is none of this handle. */
CLASH_API bool clash_obstacle_set_remove(clash_obstacle_set *set, uint32_t handle);

/** Return an obstacle of the set; NULL if there is none of this handle. Valid until the next addition or removal. */
CLASH_API const clash_obstacle *clash_obstacle_set_get(const clash_obstacle_set *set, uint32_t handle);

/** Find the obstacles that clash_push_out needs for `input`, whose own obstacles do not count: those that the blade may meet,
 *  of those whose layers agree with `layers` (each in a layer of the other's mask). The first `room` of them, in the order of
 *  their handles, are written to `out_obstacles` and their handles to `out_handles` (each may be NULL if `room` is 0). Returns
 *  how many there are. clash_push_out with them gives what it would give with all obstacles of the set whose layers agree;
 *  with more than 64 of them it has less work (CLASH_PUSH_WORK_PAIR) than with all. If `input` is not valid these are all. */
CLASH_API size_t clash_obstacle_set_near(const clash_obstacle_set *set, const clash_push_input *input,
                                         clash_layers layers, clash_obstacle *out_obstacles, uint32_t *out_handles,
                                         size_t room);

/** clash_ray_shape for all obstacles whose layers agree with `layers`: the hit with the least parameter, of equal ones that with
 *  the lowest handle. `out_hit` and `out_handle` may be NULL. */
CLASH_API int clash_obstacle_set_ray(const clash_obstacle_set *set, clash_vec3 origin, clash_vec3 direction,
                                     double most, clash_layers layers, clash_ray_hit *out_hit, uint32_t *out_handle);

/** An obstacle that a capsule touches. */
typedef struct clash_obstacle_touch {
    uint32_t handle;
    clash_overlap overlap; /**< with a depth of at least 0 */
} clash_obstacle_touch;

/** clash_overlap_of for all obstacles whose layers agree with `layers`. *out_count is how many of them the capsule at `pose`
 *  (stage_from_device) touches; the first `room`, in the order of their handles, are written to `out_touches` (NULL if `room`
 *  is 0). False, and nothing is written, if a number of the capsule or pose is not finite, the radius negative, or the
 *  quaternion zero. */
CLASH_API bool clash_obstacle_set_overlaps(const clash_obstacle_set *set, const clash_capsule *capsule,
                                           const clash_pose *pose, clash_layers layers,
                                           clash_obstacle_touch *out_touches, size_t room, size_t *out_count);

CLASH_END_DECLS

#endif
