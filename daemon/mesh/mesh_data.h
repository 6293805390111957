/* What is wanted of a file, or of points, and the result: flat, checked arrays. Shared by clashd and the helper program
 * that reads the files. */
#ifndef CLASHD_MESH_MESH_DATA_H
#define CLASHD_MESH_MESH_DATA_H

#include <clash/mesh.h>
#include <clash/target.h>
#include <stdbool.h>
#include <stddef.h>

/** The most bytes read for one surface, including a glTF's other files. */
#define MESH_FILE_BYTES_MAX (UINT64_C(1) << 30)
/** The limits for reading one: seconds, of processor and clock alike, and bytes of memory. */
#define MESH_SECONDS_MAX 60
#define MESH_MEMORY_MAX (UINT64_C(4) << 30)
/** Vertices of one mesh: each corner may have its own. */
#define MESH_VERTICES_MAX (UINT32_C(3) * CLASH_TRIANGLES_MAX)

/** 64 hexadecimal digits and the terminating zero. */
#define SURFACE_DIGEST_MAX 65
#define SURFACE_MESSAGE_MAX 512

typedef enum surface_kind {
    SURFACE_MESH,    /* an OBJ or glTF file */
    SURFACE_HEIGHTS, /* a file of 16-bit numbers, low byte first */
    SURFACE_POINTS,  /* the convex hull of points, without a file */
} surface_kind;

typedef struct surface_request {
    surface_kind kind;
    char file[CLASH_TARGET_FILE_MAX];
    char digest[SURFACE_DIGEST_MAX]; /* SHA-256 in hexadecimal that the file must have; "": any */
    float scale;                     /* of a mesh: metres in one of its units */
    bool convex;                     /* its convex hull instead */
    uint32_t columns, rows;          /* of heights, */
    float height;                    /* of which 65535 is this high, m */
    uint32_t point_count;
    clash_vec3 points[CLASH_TARGET_VERTICES_MAX]; /* m */
} surface_request;

/** A mesh or hull has vertices and triangles, a height field has heights; the rest is NULL and 0. */
typedef struct surface {
    char digest[SURFACE_DIGEST_MAX]; /* of the file, "" without one; excludes a glTF's other files */
    clash_vec3 *vertices;            /* m; within CLASH_COORDINATE_MAX */
    uint32_t vertex_count;
    uint32_t (*triangles)[3]; /* of existing vertices */
    uint32_t triangle_count;
    float *heights; /* row by row, m; within CLASH_COORDINATE_MAX */
    uint32_t height_count;
} surface;

/** Return whether each coordinate is at most CLASH_COORDINATE_MAX from the origin and none is NaN. */
static inline bool surface_point_is_within(clash_vec3 p)
{
    const float bound = CLASH_COORDINATE_MAX;

    return p.x >= -bound && p.x <= bound && p.y >= -bound && p.y <= bound && p.z >= -bound && p.z <= bound;
}

/** Free its arrays. */
void surface_finish(surface *s);

#endif
