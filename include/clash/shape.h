/* Shapes, and distances between shapes that do not move. */
#ifndef CLASH_SHAPE_H
#define CLASH_SHAPE_H

#include <clash/pose.h>

CLASH_BEGIN_DECLS

#define CLASH_LAYERS_DEFAULT 1u
#define CLASH_MASK_DEFAULT UINT32_MAX

/** Which others a blade or target can touch, a bit for each of 32 layers. Two are tested only if each is in a layer of
 *  the other's mask. Zeroed, it has the defaults. */
typedef struct clash_layers {
    bool is_set; /**< false: the two below do not count, but the defaults */
    uint32_t layers, mask;
} clash_layers;

static inline clash_layers clash_layers_of(uint32_t layers, uint32_t mask)
{
    const clash_layers made = {layers != CLASH_LAYERS_DEFAULT || mask != CLASH_MASK_DEFAULT, layers, mask};

    return made;
}

static inline uint32_t clash_layers_own(const clash_layers *l)
{
    return l->is_set ? l->layers : CLASH_LAYERS_DEFAULT;
}

static inline uint32_t clash_layers_mask(const clash_layers *l)
{
    return l->is_set ? l->mask : CLASH_MASK_DEFAULT;
}

static inline bool clash_layers_are_same(const clash_layers *a, const clash_layers *b)
{
    return clash_layers_own(a) == clash_layers_own(b) && clash_layers_mask(a) == clash_layers_mask(b);
}

/** A segment with a radius, in its device's frame, metres. `base` may equal `tip` (a ball) and `radius` may be 0 (a
 *  line, a point). The radius must not be negative. */
typedef struct clash_capsule {
    clash_vec3 base, tip;
    float radius;
} clash_capsule;

/** A solid ball, in its device's frame, metres. The radius must not be negative. */
typedef struct clash_sphere {
    clash_vec3 center;
    float radius;
} clash_sphere;

/** A solid box, in its device's frame. */
typedef struct clash_box {
    clash_vec3 center;      /**< m */
    clash_quat orientation; /**< device_from_box */
    clash_vec3 half; /**< half of its size along its own axes, m, none negative; 0 makes a plate, a stick, a point */
} clash_box;

typedef struct clash_mesh clash_mesh;       /**< mesh.h */
typedef struct clash_terrain clash_terrain; /**< mesh.h */

typedef enum clash_shape_kind {
    CLASH_SHAPE_SPHERE,
    CLASH_SHAPE_CAPSULE,
    CLASH_SHAPE_BOX,
    CLASH_SHAPE_MESH,   /**< a surface of triangles, of which only push-out knows the inside (push_out.h); or a solid
                             convex hull (clash_hull_create) */
    CLASH_SHAPE_TERRAIN /**< a surface: a height field */
} clash_shape_kind;

/** What a blade can hit that is no blade. Plain data; a mesh or terrain is the caller's and must outlive it. */
typedef struct clash_shape {
    clash_shape_kind kind;
    union {
        clash_sphere sphere;
        clash_capsule capsule;
        clash_box box;
        const clash_mesh *mesh;
        const clash_terrain *terrain;
    } as;
} clash_shape;

/** The most capsules in one blade. */
#define CLASH_PARTS_MAX 16
/** Name of a sword's part, with the terminating zero. */
#define CLASH_PART_NAME_MAX 32

/** A named part of a sword: one capsule, or several, each beginning where the last one ends. */
typedef struct clash_sword_part {
    char name[CLASH_PART_NAME_MAX]; /**< not empty, and different from those of the sword's other parts */
    uint32_t first, count;          /**< of the sword's capsules; count > 0 */
    bool has_edge;
    clash_vec3 edge; /**< direction of the cutting edge in the device's frame, any length above 0 */
} clash_sword_part;

/** A blade that is more than one capsule: a guard, a curved blade as a polyline. Plain data. */
typedef struct clash_sword {
    uint32_t part_count;    /**< 1 .. CLASH_PARTS_MAX; 0: no sword, but a blade of one unnamed capsule */
    uint32_t capsule_count; /**< part_count .. CLASH_PARTS_MAX; each belongs to one part, in their order */
    clash_sword_part parts[CLASH_PARTS_MAX];
    clash_capsule capsules[CLASH_PARTS_MAX]; /**< in the device's frame, m */
} clash_sword;

/** How two axes lie to each other at one time. Stage space. Body 0 is the first argument, body 1 the second.
 *  If they meet (distance 0), the normal is across both: along axis 0 x axis 1; if these are parallel, along the
 *  longer one x the coordinate axis that it runs least along (of equal ones the first); of two points +y. */
typedef struct clash_contact {
    double fraction;     /**< of the interval, 0..1, first contact; 0 if nothing moves */
    float distance;      /**< between the axes at that time, m, never negative */
    clash_vec3 midpoint; /**< of the two closest axis points, m */
    clash_vec3
        points[2]; /**< closest point on each axis, m. If several pairs are equally close (parallel axes) one of them */
    clash_vec3 normal; /**< unit, from body 0 to body 1; if the axes meet as said above */
    float along[2];    /**< position on each axis: 0 at the base, 1 at the tip; 0 for an axis of no length */
} clash_contact;

/** No triangle: the shape has none. */
#define CLASH_NO_TRIANGLE UINT32_MAX

/** How two colliders lie to each other at one time (time_of_impact.h): of the two parts with the least clearance, which is the
 *  distance of their axes, or of the axis and the shape, less their radii. Of equal ones the first of the first collider, then
 *  of the second. Stage space.
 *
 *  With a shape body 0 of `contact` is the blade, body 1 the shape: its point is on the shape's surface, or, if the axis enters
 *  a solid shape (distance 0), any point that both have in common; along[1] is 0. contact.normal points from the blade to the
 *  shape and, if the distance is 0, against the surface normal. */
typedef struct clash_toi_output {
    clash_contact contact;     /**< with a shape its distance is from the blade's axis to the shape, m */
    clash_vec3 surface_normal; /**< unit, out of the shape at contact.points[1]; of a mesh's triangle by its winding
                                    (counter-clockwise seen from outside), if it has an area. Without a shape {0, 0, 0} */
    uint32_t triangle;         /**< of a mesh or terrain; CLASH_NO_TRIANGLE for others */
    uint32_t parts[2];         /**< the index of each one's capsule; 0 for a shape */
} clash_toi_output;

/** Distance (m) between the segment p0 p1 and the solid or surface `shape` which stands at `pose` (stage_from_device), 0
 *  if they meet; exact to rounding, whatever is degenerate. `out_closest`, if not NULL, is filled whole (fraction 0).
 *  Non-finite input, a negative size or a zero quaternion gives NaN and leaves `out_closest` untouched. */
CLASH_API float clash_shape_distance(clash_vec3 p0, clash_vec3 p1, const clash_shape *shape, const clash_pose *pose,
                                     clash_toi_output *out_closest);

/** Distance (m) between the segments p0 p1 and q0 q1, exact to rounding for parallel, collinear, crossing and
 *  zero-length segments. `out_closest`, if not NULL, is filled whole (fraction 0; body 0 is p0 p1, `along` 0 at p0, q0).
 *  Non-finite input gives NaN and leaves `out_closest` untouched. */
CLASH_API float clash_segment_distance(clash_vec3 p0, clash_vec3 p1, clash_vec3 q0, clash_vec3 q1,
                                       clash_contact *out_closest);

/** Distance (m) of a point from the segment a b, exact to rounding, also if a is b. *out_along, if not NULL: where the
 *  closest point is, 0 at a, 1 at b. Non-finite input gives NaN and leaves it untouched. */
CLASH_API float clash_point_segment_distance(clash_vec3 point, clash_vec3 a, clash_vec3 b, float *out_along);

/** Gap (m) between a ball and a capsule, or two capsules, that stand in the same frame: distance of their axes (or centre)
 *  less the radii, so 0 if they touch and negative if they overlap. Those that lie in one plane, and so all 2D
 *  crossings, are cases like any other. `out_closest`, if not NULL, is filled as clash_segment_distance does for the axes.
 *  Non-finite input or a negative radius gives NaN and leaves it untouched. */
CLASH_API float clash_sphere_capsule_distance(const clash_sphere *sphere, const clash_capsule *capsule,
                                              clash_contact *out_closest);
CLASH_API float clash_capsule_distance(const clash_capsule *a, const clash_capsule *b, clash_contact *out_closest);

/** Find where the line through `origin` along `direction` (any length above 0) meets the ball's surface: the points
 *  origin + parameter direction, in rising order into out_parameters, the same twice if it touches. Returns 2; 0 if
 *  it passes by; -1 if a number is not finite, the radius negative or the direction zero. Of 0 and -1 nothing is
 *  written. */
CLASH_API int clash_line_sphere(clash_vec3 origin, clash_vec3 direction, const clash_sphere *sphere,
                                double out_parameters[2]);

/** The same for the ray that begins at `origin`: 0 also if the ball lies behind it. Where it begins inside, the first
 *  parameter is negative and the second says where it leaves. */
CLASH_API int clash_ray_sphere(clash_vec3 origin, clash_vec3 direction, const clash_sphere *sphere,
                               double out_parameters[2]);

/** The same two for a capsule, which a line enters and leaves once as well: the least and the greatest parameter of the
 *  balls at its ends and of the cylinder between them. Exact to rounding along the axis, beside it, and where the capsule is
 *  a ball, a line or a point. -1 also if the capsule is not valid. */
CLASH_API int clash_line_capsule(clash_vec3 origin, clash_vec3 direction, const clash_capsule *capsule,
                                 double out_parameters[2]);
CLASH_API int clash_ray_capsule(clash_vec3 origin, clash_vec3 direction, const clash_capsule *capsule,
                                double out_parameters[2]);

CLASH_END_DECLS

#endif
