/* Targets as they are written down: in a configuration, on a socket, in a recording. Plain data, with room for a small mesh
 * or terrain in it; what a sweep takes is made of it (clash_shape, shape.h). */
#ifndef CLASH_TARGET_H
#define CLASH_TARGET_H

#include <clash/shape.h>

CLASH_BEGIN_DECLS

/** Names, with the terminating zero: as those of blades and devices. */
#define CLASH_TARGET_NAME_MAX 64
#define CLASH_TARGET_DEVICE_MAX 128
#define CLASH_TARGET_FILE_MAX 1024
/** What may be written out; larger surfaces come from files. So much always fits into a line of the protocol. */
#define CLASH_TARGET_VERTICES_MAX 512
#define CLASH_TARGET_TRIANGLES_MAX 1024
#define CLASH_TARGET_HEIGHTS_MAX 3600

typedef struct clash_target_mesh {
    float scale; /**< of a file: metres in one of its units */
    uint32_t vertex_count, triangle_count;
    clash_vec3 vertices[CLASH_TARGET_VERTICES_MAX]; /**< target's frame, m */
    uint32_t triangles[CLASH_TARGET_TRIANGLES_MAX][3];
    bool convex; /**< the hull of its vertices in its place; once that is made, of what is written here it is it */
} clash_target_mesh;

/** As clash_terrain_create has it. */
typedef struct clash_target_terrain {
    uint32_t columns, rows;
    float spacing_x, spacing_z;              /**< m */
    float height;                            /**< of a file: that of 65535, the highest, m */
    float heights[CLASH_TARGET_HEIGHTS_MAX]; /**< row by row, m; not of a file */
} clash_target_terrain;

typedef struct clash_target_definition {
    char name[CLASH_TARGET_NAME_MAX];
    char device[CLASH_TARGET_DEVICE_MAX]; /**< "": it stands still */
    clash_pose pose;                      /**< stage_from_target where it stands still, else device_from_target */
    clash_shape_kind kind;
    char file[CLASH_TARGET_FILE_MAX]; /**< that has a mesh's triangles or a terrain's heights; "": they stand here */
    char digest[65];                  /**< SHA-256 of the file, in hex; "": not known */
    union {
        clash_sphere sphere; /**< these three in the target's frame, m */
        clash_capsule capsule;
        clash_box box;
        clash_target_mesh mesh;
        clash_target_terrain terrain;
    } as;
    bool unity_negative; /**< made of a collider of Unity's with a negative size, of which the absolute value counts */
} clash_target_definition;

CLASH_END_DECLS

#endif
