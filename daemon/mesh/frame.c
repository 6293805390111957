/* See frame.h. */
#include "mesh/frame.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOREIGN "what it said is no answer: it is of another version, or another program"

void frame_request_fill(frame_request *out, const surface_request *from, uint32_t seconds, uint64_t memory_bytes)
{
    memset(out, 0, sizeof *out);
    out->magic = FRAME_REQUEST;
    out->size = sizeof *out;
    out->seconds = seconds;
    out->memory_bytes = memory_bytes;
    out->surface = *from;
}

static bool ends(const char *text, size_t size)
{
    return memchr(text, '\0', size) != NULL;
}

bool frame_request_check(const frame_request *request)
{
    const surface_request *s = &request->surface;

    return request->magic == FRAME_REQUEST && request->size == sizeof *request && ends(s->file, sizeof s->file) &&
           ends(s->digest, sizeof s->digest) && s->point_count <= CLASH_TARGET_VERTICES_MAX;
}

void frame_answer_fill(frame_answer *out, const surface *from, const char *message)
{
    memset(out, 0, sizeof *out);
    out->magic = FRAME_ANSWER;
    out->size = sizeof *out;
    snprintf(out->message, sizeof out->message, "%s", message ? message : "");
    if (message)
        return;
    out->vertex_count = from->vertex_count;
    out->triangle_count = from->triangle_count;
    out->height_count = from->height_count;
    memcpy(out->digest, from->digest, sizeof out->digest);
}

static bool is_digest(const char *text)
{
    return strlen(text) == SURFACE_DIGEST_MAX - 1 && strspn(text, "0123456789abcdef") == SURFACE_DIGEST_MAX - 1;
}

static void mask(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == '\x7f')
            *text = '?';
}

static bool are_counts_of(const frame_answer *a, const surface_request *request)
{
    if (request->kind == SURFACE_HEIGHTS)
        return a->vertex_count == 0 && a->triangle_count == 0 && a->height_count > 0 &&
               a->height_count == (uint64_t)request->columns * request->rows;
    if (request->kind == SURFACE_POINTS && /* a hull with so many corners has at most these faces */
        (a->vertex_count > request->point_count || a->triangle_count > 2 * (uint64_t)request->point_count))
        return false;
    return a->height_count == 0 && a->vertex_count > 0 && a->vertex_count <= MESH_VERTICES_MAX &&
           a->triangle_count > 0 && a->triangle_count <= CLASH_TRIANGLES_MAX;
}

bool frame_answer_check(frame_answer *answer, const surface_request *request, failure *out_problem)
{
    if (answer->magic != FRAME_ANSWER || answer->size != sizeof *answer ||
        !ends(answer->message, sizeof answer->message) || !ends(answer->digest, sizeof answer->digest))
        return fail_with(out_problem, FOREIGN);
    mask(answer->message);
    if (answer->message[0])
        return true;
    if (!are_counts_of(answer, request))
        return fail_with(out_problem, "it announced %u vertices, %u triangles and %u heights",
                         (unsigned)answer->vertex_count, (unsigned)answer->triangle_count,
                         (unsigned)answer->height_count);
    if (request->kind == SURFACE_POINTS ? answer->digest[0] != '\0' : !is_digest(answer->digest))
        return fail_with(out_problem, "it announced a digest that is none");
    if (request->digest[0] && strcmp(answer->digest, request->digest) != 0)
        return fail_with(out_problem, "it announced another digest");
    return true;
}

bool frame_answer_reserve(const frame_answer *answer, surface *out)
{
    *out = (surface){.vertex_count = answer->vertex_count,
                     .triangle_count = answer->triangle_count,
                     .height_count = answer->height_count};
    memcpy(out->digest, answer->digest, sizeof out->digest);
    if (out->vertex_count > 0)
        out->vertices = malloc(out->vertex_count * sizeof *out->vertices);
    if (out->triangle_count > 0)
        out->triangles = malloc(out->triangle_count * sizeof *out->triangles);
    if (out->height_count > 0)
        out->heights = malloc(out->height_count * sizeof *out->heights);
    if ((!out->vertex_count || out->vertices) && (!out->triangle_count || out->triangles) &&
        (!out->height_count || out->heights))
        return true;
    surface_finish(out);
    return false;
}

size_t frame_answer_place(const surface *s, uint64_t at, char **out_place)
{
    const struct {
        void *bytes;
        uint64_t size;
    } arrays[] = {
        {s->vertices, (uint64_t)s->vertex_count * sizeof *s->vertices},
        {s->triangles, (uint64_t)s->triangle_count * sizeof *s->triangles},
        {s->heights, (uint64_t)s->height_count * sizeof *s->heights},
    };

    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        if (at < arrays[i].size) {
            *out_place = (char *)arrays[i].bytes + at;
            return (size_t)(arrays[i].size - at);
        }
        at -= arrays[i].size;
    }
    return 0;
}

bool frame_surface_check(const surface *s, failure *out_problem)
{
    for (uint32_t i = 0; i < s->vertex_count; i++)
        if (!surface_point_is_within(s->vertices[i]))
            return fail_with(out_problem, "vertex %u is not within %d m", (unsigned)i, CLASH_COORDINATE_MAX);
    for (uint32_t i = 0; i < s->triangle_count; i++)
        for (int k = 0; k < 3; k++)
            if (s->triangles[i][k] >= s->vertex_count)
                return fail_with(out_problem, "triangle %u has a vertex that is not there", (unsigned)i);
    for (uint32_t i = 0; i < s->height_count; i++)
        if (!(fabsf(s->heights[i]) <= CLASH_COORDINATE_MAX))
            return fail_with(out_problem, "height %u is not within %d m", (unsigned)i, CLASH_COORDINATE_MAX);
    return true;
}

void surface_finish(surface *s)
{
    free(s->vertices);
    free(s->triangles);
    free(s->heights);
    *s = (surface){.vertices = NULL};
}
