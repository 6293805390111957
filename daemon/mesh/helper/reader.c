/* Read the file once; everything reported is about these bytes. See reader.h. */
#include "mesh/helper/reader.h"

#include "mesh/file.h"
#include "mesh/helper/hull.h"
#include "mesh/helper/imported.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_file(const surface_request *request, char **out_bytes, size_t *out_length, failure *why)
{
    switch (file_read(request->file, MESH_FILE_BYTES_MAX, out_bytes, out_length)) {
    case FILE_READ:
        return true;
    case FILE_TOO_LARGE:
        return fail_with(why, "is larger than %llu bytes", (unsigned long long)MESH_FILE_BYTES_MAX);
    case FILE_CANNOT:
        break;
    }
    return errno == EINVAL ? fail_with(why, "is no regular file") : fail_with(why, "%s", strerror(errno));
}

static bool check_digest(const char *wanted, const char *bytes, size_t length, surface *out, failure *why)
{
    static_assert(sizeof out->digest == SHA256_DIGEST_STRING_LENGTH, "what SHA256Data writes");
    SHA256Data((const uint8_t *)bytes, length, out->digest);
    if (wanted[0] && strcmp(wanted, out->digest) != 0)
        return fail_with(why, "is not the file that is meant: its SHA-256 is %.12s.., not %.12s..", out->digest,
                         wanted);
    return true;
}

/* Heights as Unity and others export them: 16 bits, low byte first, 65535 the highest. */
static bool take_heights(const surface_request *request, const char *bytes, size_t length, surface *out, failure *why)
{
    const unsigned char *from = (const unsigned char *)bytes;
    const uint64_t count = (uint64_t)request->columns * request->rows;

    if (length != 2 * count)
        return fail_with(why, "expected %" PRIu64 " bytes, two for each of %u columns by %u rows", 2 * count,
                         (unsigned)request->columns, (unsigned)request->rows);
    out->heights = malloc(count * sizeof *out->heights);
    if (!out->heights)
        return fail_with(why, "takes more memory than there is");
    for (uint64_t i = 0; i < count; i++, from += 2)
        out->heights[i] = (float)((double)(from[0] | from[1] << 8) / 65535.0 * (double)request->height);
    out->height_count = (uint32_t)count;
    return true;
}

static bool take_mesh(const surface_request *request, char *bytes, size_t length, surface *out, failure *why)
{
    if (!scene_load(request->file, bytes, length, out, why))
        return false;
    for (uint32_t i = 0; i < out->vertex_count; i++) {
        clash_vec3 *v = &out->vertices[i];

        *v = (clash_vec3){v->x * request->scale, v->y * request->scale, v->z * request->scale};
        if (!isfinite(v->x) || !isfinite(v->y) || !isfinite(v->z))
            return fail_with(why, "has a vertex that is not finite");
        if (!surface_point_is_within(*v))
            return fail_with(why, "has a vertex further than %d m from its origin", CLASH_COORDINATE_MAX);
    }
    return true;
}

static bool take_points(const surface_request *request, surface *out, failure *why)
{
    out->vertices = malloc((request->point_count + 1) * sizeof *out->vertices);
    if (!out->vertices)
        return fail_with(why, "takes more memory than there is");
    memcpy(out->vertices, request->points, request->point_count * sizeof *out->vertices);
    out->vertex_count = request->point_count;
    return hull_make(out, why);
}

static bool take_file(const surface_request *request, surface *out, failure *why)
{
    char *bytes;
    size_t length;
    bool result;

    if (request->kind == SURFACE_MESH && !scene_is_known(request->file))
        return fail_with(why, "is neither OBJ (.obj) nor glTF (.gltf, .glb)");
    if (!read_file(request, &bytes, &length, why))
        return false;
    result = check_digest(request->digest, bytes, length, out, why) &&
             (request->kind == SURFACE_HEIGHTS ? take_heights(request, bytes, length, out, why)
                                               : take_mesh(request, bytes, length, out, why));
    free(bytes);
    return result && (request->kind != SURFACE_MESH || !request->convex || hull_make(out, why));
}

bool reader_read(const surface_request *request, surface *out, failure *why)
{
    *out = (surface){.vertices = NULL};
    return request->kind == SURFACE_POINTS ? take_points(request, out, why) : take_file(request, out, why);
}
