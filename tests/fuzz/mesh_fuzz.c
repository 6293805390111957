/* What a helper that has read a stranger's file says to clashd: any bytes are refused in one line, or are a surface that was asked
 * for, with vertices that are there and numbers in bounds; the same however the bytes arrive. An input is a header
 * (fuzz_header below) and what is said. */
#include <math.h>

#include <clash/mesh.h>

#include "fuzz/fuzz.h"
#include "mesh/answer.h"

/** What is announced may take gigabytes: a fuzzer has not so many. */
#define BYTES_MAX (4u << 20)

static const char digest[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

typedef struct fuzz_header {
    uint8_t kind, piece, has_digest, unused; /* piece: bytes at a time */
    uint16_t columns, rows, points, unused2;
} fuzz_header;

typedef struct verdict {
    bool is_refused, is_whole;
    uint64_t received;
    failure problem;
} verdict;

static void check_line(const char *text)
{
    FUZZ_CHECK(text[0] && strlen(text) < SURFACE_MESSAGE_MAX);
    for (; *text; text++)
        FUZZ_CHECK((unsigned char)*text >= ' ' && *text != '\x7f');
}

static uint64_t arrays_bytes(const frame_answer *a)
{
    return (uint64_t)a->vertex_count * sizeof(clash_vec3) + (uint64_t)a->triangle_count * sizeof(uint32_t[3]) +
           (uint64_t)a->height_count * sizeof(float);
}

static bool is_too_much(const uint8_t *said, size_t size)
{
    frame_answer a;

    if (size < sizeof a)
        return false;
    memcpy(&a, said, sizeof a);
    return arrays_bytes(&a) > BYTES_MAX;
}

static verdict hear(answer *a, const surface_request *request, const uint8_t *said, size_t size, size_t piece)
{
    verdict v = {.is_refused = false};

    *a = (answer){.received = 0};
    while (size > 0 && !v.is_refused) {
        char *place;
        size_t room = answer_room(a, &place), count = size < piece ? size : piece;

        FUZZ_CHECK(room > 0);
        count = count < room ? count : room;
        memcpy(place, said, count);
        said += count;
        size -= count;
        v.is_refused = !answer_take(a, request, count, &v.problem);
    }
    v.is_whole = answer_is_whole(a);
    v.received = a->received;
    if (v.is_refused)
        check_line(v.problem.text);
    return v;
}

static void check_counts(const surface *s, const surface_request *request)
{
    if (request->kind == SURFACE_HEIGHTS) {
        FUZZ_CHECK(s->height_count == (uint32_t)request->columns * request->rows && s->heights);
        FUZZ_CHECK(!s->vertices && !s->triangles && s->vertex_count == 0 && s->triangle_count == 0);
    } else {
        FUZZ_CHECK(s->vertices && s->vertex_count > 0 && s->vertex_count <= MESH_VERTICES_MAX);
        FUZZ_CHECK(s->triangles && s->triangle_count > 0 && s->triangle_count <= CLASH_TRIANGLES_MAX);
        FUZZ_CHECK(!s->heights && s->height_count == 0);
    }
    if (request->kind == SURFACE_POINTS)
        FUZZ_CHECK(s->vertex_count <= request->point_count && s->digest[0] == '\0');
    else
        FUZZ_CHECK(strlen(s->digest) == SURFACE_DIGEST_MAX - 1 &&
                   (!request->digest[0] || strcmp(s->digest, request->digest) == 0));
}

static bool is_within(float x)
{
    return isfinite(x) && x >= -(float)CLASH_COORDINATE_MAX && x <= (float)CLASH_COORDINATE_MAX;
}

/** And what clashd makes of it is made, or is not for want of a triangle that has an area. */
static void check_numbers(const surface *s)
{
    clash_mesh *mesh;

    for (uint32_t i = 0; i < s->height_count; i++)
        FUZZ_CHECK(is_within(s->heights[i]));
    for (uint32_t i = 0; i < s->vertex_count; i++)
        FUZZ_CHECK(is_within(s->vertices[i].x) && is_within(s->vertices[i].y) && is_within(s->vertices[i].z));
    for (uint32_t i = 0; i < s->triangle_count; i++)
        for (int k = 0; k < 3; k++)
            FUZZ_CHECK(s->triangles[i][k] < s->vertex_count);
    if (s->triangle_count == 0)
        return;
    mesh = clash_mesh_create(s->vertices, s->vertex_count, (const uint32_t(*)[3])s->triangles, s->triangle_count);
    clash_mesh_destroy(mesh);
}

static void check_surface(const surface *s, const surface_request *request)
{
    frame_answer again;
    failure why = {0};

    check_counts(s, request);
    frame_answer_fill(&again, s, NULL);
    FUZZ_CHECK(frame_answer_check(&again, request, &why));
    if (frame_surface_check(s, &why))
        check_numbers(s);
    else
        check_line(why.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static surface_request request;
    fuzz_input in = {data, size};
    answer whole, pieces;
    verdict v, w;
    fuzz_header h;

    fuzz_take(&in, &h, sizeof h);
    request = (surface_request){.kind = (surface_kind)(h.kind % 3), .columns = h.columns, .rows = h.rows};
    request.point_count = h.points % (CLASH_TARGET_VERTICES_MAX + 1);
    if (h.has_digest & 1 && request.kind != SURFACE_POINTS)
        memcpy(request.digest, digest, sizeof digest);
    if (is_too_much(in.data, in.size))
        return 0;
    v = hear(&whole, &request, in.data, in.size, SIZE_MAX);
    w = hear(&pieces, &request, in.data, in.size, (size_t)h.piece + 1);
    FUZZ_CHECK(v.is_refused == w.is_refused && v.is_whole == w.is_whole && v.received == w.received &&
               strcmp(v.problem.text, w.problem.text) == 0);
    if (v.is_whole && !v.is_refused) {
        FUZZ_CHECK(v.received == in.size && v.received == sizeof whole.header + arrays_bytes(&whole.header));
        check_surface(&whole.surface, &request);
    }
    surface_finish(&whole.surface);
    surface_finish(&pieces.surface);
    return 0;
}
