/* What shape Unity's colliders have in the world: from the numbers of a SphereCollider, BoxCollider or CapsuleCollider
 * and the transforms above it, even if these scale unevenly, mirror or skew it.
 *
 * Everything stays in the axes of the input: numbers from Unity, whose axes are left-handed, give a left-handed pose
 * and shape, to be mirrored afterwards. Pure; any thread. */
#ifndef CLASH_UNITY_H
#define CLASH_UNITY_H

#include <clash/shape.h>

CLASH_BEGIN_DECLS

/** The most transforms of one chain. */
#define CLASH_UNITY_TRANSFORMS_MAX 64

/** Local position, rotation and scale, as Transform has them (localPosition, localRotation, localScale). The rotation is
 *  normalised first; a scale may be 0 and negative. */
typedef struct clash_unity_transform {
    clash_vec3 position; /**< m */
    clash_quat rotation;
    clash_vec3 scale;
} clash_unity_transform;

typedef enum clash_unity_kind { CLASH_UNITY_SPHERE, CLASH_UNITY_BOX, CLASH_UNITY_CAPSULE } clash_unity_kind;

/** How a sphere's radius is scaled if a skew makes the two differ. Otherwise they are the same. */
typedef enum clash_unity_sphere_rule {
    CLASH_UNITY_SPHERE_LOSSY_SCALE, /**< by the largest number of Transform.lossyScale, as Unity's editor draws it */
    CLASH_UNITY_SPHERE_COLUMN /**< by the longest column of Transform.localToWorldMatrix, as was measured of Unity 2020.3 */
} clash_unity_sphere_rule;

/** A collider's numbers as Unity's inspector shows them, before its transform. For radius, height and size the absolute
 *  values count, as in Unity. */
typedef struct clash_unity_collider {
    clash_unity_kind kind;
    clash_vec3 center;
    float radius;                        /**< of spheres and capsules */
    float height;                        /**< of capsules, with both caps */
    uint32_t direction;                  /**< of capsules: 0 along x, 1 along y, 2 along z */
    clash_vec3 size;                     /**< of boxes, from face to face */
    clash_unity_sphere_rule sphere_rule; /**< of spheres */
} clash_unity_collider;

/** Where a chain of transforms takes a point: world = p.x x + p.y y + p.z z + origin. */
typedef struct clash_unity_matrix {
    clash_vec3 x, y, z, origin; /**< m */
} clash_unity_matrix;

/** The shape that the collider is in the world (or, if the chain ends below a device, in the device's frame). `chain`
 *  begins with the root, its last transform is the collider's own; `count` may be 0. `out_shape` is a sphere, box or
 *  capsule about the origin of its frame, `out_pose` is where that is. False, and nothing is written, if a number is not
 *  finite or becomes too large for a float, a rotation is zero, `direction` is above 2, `sphere_rule` no rule or `count`
 *  above CLASH_UNITY_TRANSFORMS_MAX. */
CLASH_API bool clash_unity_shape(const clash_unity_collider *collider, const clash_unity_transform *chain, size_t count,
                                 clash_shape *out_shape, clash_pose *out_pose);

/** Return whether a number used by the collider's kind is negative: Unity takes its absolute value and warns, and so
 *  should a caller. */
CLASH_API bool clash_unity_has_negative_size(const clash_unity_collider *collider);

/** The full transform of a chain, which is what a MeshCollider's vertices go through. (A TerrainCollider goes to its origin
 *  and is neither turned nor scaled.) False as above. */
CLASH_API bool clash_unity_matrix_of(const clash_unity_transform *chain, size_t count, clash_unity_matrix *out_matrix);

/** Vertices of a MeshCollider in the world; `out` may be `vertices`. If the result of clash_unity_is_mirrored is true
 *  triangles that were wound one way are then wound the other. */
CLASH_API void clash_unity_transform_points(const clash_unity_matrix *matrix, const clash_vec3 *vertices, size_t count,
                                            clash_vec3 *out);
CLASH_API bool clash_unity_is_mirrored(const clash_unity_matrix *matrix);

CLASH_END_DECLS

#endif
