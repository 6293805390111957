/* The file is read once, and all that is said of it is said of these bytes. See reader.h. */
#include "mesh/helper/reader.h"

#include "mesh/file.h"
#include "mesh/helper/hull.h"
#include "mesh/helper/scene.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAIL(...) (snprintf(out_why, size, __VA_ARGS__), -1)

static int read_file(const surface_request *request, char **out_bytes, size_t *out_length, char *out_why, size_t size)
{
    switch (file_read(request->file, MESH_FILE_BYTES_MAX, out_bytes, out_length)) {
    case FILE_READ:
        return 0;
    case FILE_TOO_LARGE:
        return FAIL("is larger than %llu bytes", (unsigned long long)MESH_FILE_BYTES_MAX);
    case FILE_CANNOT:
        break;
    }
    return errno == EINVAL ? FAIL("is no regular file") : FAIL("%s", strerror(errno));
}

static int check_digest(const char *wanted, const char *bytes, size_t length, surface *out, char *out_why, size_t size)
{
    static_assert(sizeof out->digest == SHA256_DIGEST_STRING_LENGTH, "what SHA256Data writes");
    SHA256Data((const uint8_t *)bytes, length, out->digest);
    if (wanted[0] && strcmp(wanted, out->digest) != 0)
        return FAIL("is not the file that is meant: its SHA-256 is %.12s.., not %.12s..", out->digest, wanted);
    return 0;
}

/* As Unity and others export heights: 16 bits, the low byte first, 65535 the highest. */
static int take_heights(const surface_request *request, const char *bytes, size_t length, surface *out, char *out_why,
                        size_t size)
{
    const unsigned char *from = (const unsigned char *)bytes;
    const uint64_t count = (uint64_t)request->columns * request->rows;

    if (length != 2 * count)
        return FAIL("expected %llu bytes, two for each of %u columns by %u rows", (unsigned long long)(2 * count),
                    (unsigned)request->columns, (unsigned)request->rows);
    out->heights = malloc(count * sizeof *out->heights);
    if (!out->heights)
        return FAIL("takes more memory than there is");
    for (uint64_t i = 0; i < count; i++, from += 2)
        out->heights[i] = (float)((double)(from[0] | from[1] << 8) / 65535.0 * (double)request->height);
    out->height_count = (uint32_t)count;
    return 0;
}

static int take_mesh(const surface_request *request, char *bytes, size_t length, surface *out, char *out_why,
                     size_t size)
{
    if (scene_load(request->file, bytes, length, out, out_why, size) != 0)
        return -1;
    for (uint32_t i = 0; i < out->vertex_count; i++) {
        clash_vec3 *v = &out->vertices[i];

        *v = (clash_vec3){v->x * request->scale, v->y * request->scale, v->z * request->scale};
        if (!isfinite(v->x) || !isfinite(v->y) || !isfinite(v->z))
            return FAIL("has a vertex that is not finite");
        if (!surface_point_is_within(*v))
            return FAIL("has a vertex further than %d m from its origin", CLASH_COORDINATE_MAX);
    }
    return 0;
}

static int take_points(const surface_request *request, surface *out, char *out_why, size_t size)
{
    out->vertices = malloc((request->point_count + 1) * sizeof *out->vertices);
    if (!out->vertices)
        return FAIL("takes more memory than there is");
    memcpy(out->vertices, request->points, request->point_count * sizeof *out->vertices);
    out->vertex_count = request->point_count;
    return hull_make(out, out_why, size);
}

static int take_file(const surface_request *request, surface *out, char *out_why, size_t size)
{
    char *bytes;
    size_t length;
    int result;

    if (request->kind == SURFACE_MESH && !scene_is_known(request->file))
        return FAIL("is neither OBJ (.obj) nor glTF (.gltf, .glb)");
    if (read_file(request, &bytes, &length, out_why, size) != 0)
        return -1;
    result = check_digest(request->digest, bytes, length, out, out_why, size);
    if (result == 0)
        result = request->kind == SURFACE_HEIGHTS ? take_heights(request, bytes, length, out, out_why, size)
                                                  : take_mesh(request, bytes, length, out, out_why, size);
    free(bytes);
    if (result == 0 && request->kind == SURFACE_MESH && request->convex)
        result = hull_make(out, out_why, size);
    return result;
}

int reader_read(const surface_request *request, surface *out, char *out_why, size_t size)
{
    *out = (surface){.vertices = NULL};
    return request->kind == SURFACE_POINTS ? take_points(request, out, out_why, size)
                                           : take_file(request, out, out_why, size);
}
