/* Targets as written in a configuration, on a socket, in a recording. Plain data, with room for a small mesh or
 * terrain; a sweep takes the clash_shape (shape.h) that is made from it. */
#ifndef CLASH_TARGET_H
#define CLASH_TARGET_H

#include <clash/shape.h>

CLASH_BEGIN_DECLS

/** Size of names, with the terminating zero; blades and devices have the same. */
#define CLASH_TARGET_NAME_MAX 64
#define CLASH_TARGET_DEVICE_MAX 128
#define CLASH_TARGET_FILE_MAX 1024
/** A target for a world (world.h): blades hit it, targets do not hit each other. */
typedef struct clash_target {
    const char *name;
    const char *device; /**< that carries it; NULL or "": it is static */
    clash_pose
        pose; /**< stage_from_target if static, else device_from_target. A zeroed orientation is none: identity */
    clash_layers layers; /**< which blades can touch it */
    clash_shape
        shape; /**< in the target's frame, m. A carried mesh must have its vertices in the device's frame already (pose
                            identity); a terrain cannot be carried */
} clash_target;

/** What may be written inline; larger surfaces come from files. So much always fits into a line of the protocol. */
#define CLASH_TARGET_VERTICES_MAX 512
#define CLASH_TARGET_TRIANGLES_MAX 1024
#define CLASH_TARGET_HEIGHTS_MAX 3600

typedef struct clash_target_mesh {
    float scale; /**< of a file: metres in one of its units */
    uint32_t vertex_count, triangle_count;
    clash_vec3 vertices[CLASH_TARGET_VERTICES_MAX]; /**< target's frame, m */
    uint32_t triangles[CLASH_TARGET_TRIANGLES_MAX][3];
    bool convex; /**< use the vertices' convex hull; once computed, it replaces what is written here */
} clash_target_mesh;

/** As in clash_terrain_create. */
typedef struct clash_target_terrain {
    uint32_t columns, rows;
    float spacing_x, spacing_z;              /**< m */
    float height;                            /**< of a file: the height of the value 65535, m */
    float heights[CLASH_TARGET_HEIGHTS_MAX]; /**< row by row, m; unused with a file */
} clash_target_terrain;

typedef struct clash_target_definition {
    char name[CLASH_TARGET_NAME_MAX];
    char device[CLASH_TARGET_DEVICE_MAX]; /**< "": it is static */
    clash_pose pose;                      /**< stage_from_target if static, else device_from_target */
    clash_layers layers;                  /**< which blades can touch it */
    clash_shape_kind kind;
    char file[CLASH_TARGET_FILE_MAX]; /**< with a mesh's triangles or a terrain's heights; "": they are here */
    char digest[65];                  /**< SHA-256 of the file, in hex; "": unknown */
    union {
        clash_sphere sphere; /**< these three in the target's frame, m */
        clash_capsule capsule;
        clash_box box;
        clash_target_mesh mesh;
        clash_target_terrain terrain;
    } as;
    bool unity_negative; /**< made from a Unity collider with a negative size, of which the absolute value counts */
} clash_target_definition;

CLASH_END_DECLS

#endif
