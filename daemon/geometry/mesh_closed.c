/* Which triangles of a mesh enclose something. Corners at the same place are one, whatever their indices, and triangles
 * that share corners are one part. A part is closed if every edge is used as often one way as the other; it is solid if
 * its volume, by its winding, is not negative. A closed part of negative volume is the wall of a hollow if it lies
 * inside a solid part; otherwise it is a room seen from within, which has no inside to stay out of. Pure except for
 * memory. */
#include <math.h>
#include <stdlib.h>

#include "surface.h"
#include "surface_inside.h"

#define NO_CORNER UINT32_MAX
/* The most work in looking for hollows, per triangle. */
#define HOLLOW_WORK 64
/* A sheet with two sides encloses only rounding, relative to the sum's terms. */
#define FLAT 1e-9

typedef enum part_kind { PART_OPEN, PART_SOLID, PART_INVERTED } part_kind;

typedef struct part {
    uint64_t edges;      /* sum of a number for each directed edge; opposite edges have opposite numbers */
    double volume, size; /* six times the volume, and the sum of absolute values */
    part_kind kind;
} part;

typedef struct welder {
    const clash_vec3 *vertices;
    const uint32_t (*triangles)[3];
    uint32_t *same;    /* by vertex: the first one at that place; NO_CORNER: not seen yet */
    uint32_t *parents; /* by vertex: another one of its part, or itself */
    uint32_t *table;   /* while welding: vertices by place, plus one; later: numbers of parts by root */
    uint64_t mask;     /* of the table's size, a power of two */
    part *parts;
    uint32_t part_count;
} welder;

static uint64_t mixed(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t bits_of(float x)
{
    uint32_t bits;

    x += 0.0f; /* make both zeros the same */
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static bool is_same(clash_vec3 a, clash_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static void weld(welder *w, uint32_t vertex)
{
    const clash_vec3 at = w->vertices[vertex];
    uint64_t slot = mixed(bits_of(at.x) | bits_of(at.y) << 32) ^ mixed(bits_of(at.z) + 1);

    if (w->same[vertex] != NO_CORNER)
        return;
    for (slot &= w->mask; w->table[slot] != 0; slot = (slot + 1) & w->mask) {
        const uint32_t first = w->table[slot] - 1;

        if (is_same(w->vertices[first], at)) {
            w->same[vertex] = first;
            return;
        }
    }
    w->table[slot] = vertex + 1;
    w->same[vertex] = w->parents[vertex] = vertex;
}

static uint32_t root_of(welder *w, uint32_t vertex)
{
    while (w->parents[vertex] != vertex)
        vertex = w->parents[vertex] = w->parents[w->parents[vertex]];
    return vertex;
}

static void corners_of(const welder *w, uint32_t triangle, uint32_t out_corners[3])
{
    for (int k = 0; k < 3; k++)
        out_corners[k] = w->same[w->triangles[triangle][k]];
}

static void join(welder *w, uint32_t triangle)
{
    uint32_t corners[3], roots[3];

    for (int k = 0; k < 3; k++)
        weld(w, w->triangles[triangle][k]);
    corners_of(w, triangle, corners);
    for (int k = 0; k < 3; k++)
        roots[k] = root_of(w, corners[k]);
    w->parents[roots[1]] = roots[0];
    w->parents[root_of(w, roots[2])] = roots[0];
}

static part *part_of(const welder *w, uint32_t vertex)
{
    while (w->parents[vertex] != vertex)
        vertex = w->parents[vertex];
    return &w->parts[w->table[vertex]];
}

/** Give each root a number, and set up the parts. */
static int number_parts(welder *w, uint32_t vertex_count)
{
    for (uint32_t i = 0; i < vertex_count; i++)
        if (w->same[i] == i && root_of(w, i) == i)
            w->table[i] = w->part_count++;
    w->parts = calloc((size_t)w->part_count + 1, sizeof *w->parts);
    return w->parts ? 0 : -1;
}

static uint64_t edge_number(uint32_t from, uint32_t to)
{
    const uint64_t low = from < to ? from : to, high = from < to ? to : from, number = mixed(low << 32 | high);

    return from == to ? 0 : from < to ? number : 0 - number;
}

static void add_triangle(const welder *w, uint32_t triangle, dvec about)
{
    uint32_t corners[3];
    double volume;
    dvec at[3];
    part *p;

    corners_of(w, triangle, corners);
    p = part_of(w, corners[0]);
    for (int k = 0; k < 3; k++) {
        p->edges += edge_number(corners[k], corners[(k + 1) % 3]);
        at[k] = dvec_sub(dvec_from(w->vertices[corners[k]]), about);
    }
    volume = dvec_dot(at[0], dvec_cross(at[1], at[2]));
    p->volume += volume;
    p->size += fabs(volume);
}

static void close_triangle(clash_mesh *mesh, uint32_t triangle)
{
    const uint32_t place = mesh->places[triangle];

    mesh->closed[place / 64] |= UINT64_C(1) << place % 64;
}

/** Mark the triangles of the parts of one kind as closed; return how many. */
static uint32_t close_parts(clash_mesh *mesh, const welder *w, part_kind kind)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < mesh->count; i++) {
        if (part_of(w, w->same[w->triangles[i][0]])->kind != kind)
            continue;
        close_triangle(mesh, i);
        count++;
    }
    return count;
}

/** Inverted parts inside solid ones are hollows; the other inverted parts are open. */
static void find_hollows(clash_mesh *mesh, welder *w, uint32_t vertex_count)
{
    const surface s = surface_of(mesh, NULL);
    uint64_t left = (uint64_t)mesh->count * HOLLOW_WORK + HOLLOW_WORK;

    for (uint32_t i = 0; i < vertex_count; i++) {
        part *p;

        if (w->same[i] != i || w->parents[i] != i)
            continue;
        p = part_of(w, i);
        if (p->kind != PART_INVERTED)
            continue;
        if (surface_winding(&s, dvec_from(w->vertices[i]), &left) < 1 || left == 0)
            p->kind = PART_OPEN;
    }
}

static void classify(welder *w)
{
    for (uint32_t i = 0; i < w->part_count; i++) {
        part *p = &w->parts[i];

        if (p->edges == 0)
            p->kind = p->volume >= -FLAT * p->size ? PART_SOLID : PART_INVERTED;
    }
}

static int welder_open(welder *w, uint32_t vertex_count, uint32_t triangle_count)
{
    const uint64_t corners = 3 * (uint64_t)triangle_count;
    uint64_t slots = 4;

    while (slots < vertex_count || slots < 2 * (vertex_count < corners ? vertex_count : corners))
        slots *= 2;
    if (slots > SIZE_MAX / sizeof *w->table) /* on 32-bit machines */
        return -1;
    w->mask = slots - 1;
    w->same = malloc(vertex_count * sizeof *w->same);
    w->parents = calloc(vertex_count, sizeof *w->parents);
    w->table = calloc((size_t)slots, sizeof *w->table);
    if (!w->same || !w->parents || !w->table)
        return -1;
    memset(w->same, 0xff, vertex_count * sizeof *w->same);
    return 0;
}

static void welder_close(welder *w)
{
    free(w->same);
    free(w->parents);
    free(w->table);
    free(w->parts);
}

int mesh_close(clash_mesh *mesh, const clash_vec3 *vertices, uint32_t vertex_count, const uint32_t (*triangles)[3])
{
    welder w = {.vertices = vertices, .triangles = triangles};
    int result = -1;

    mesh->closed = calloc(mesh->count / 64 + 1, sizeof *mesh->closed);
    if (!mesh->closed || welder_open(&w, vertex_count, mesh->count) < 0)
        goto done;
    for (uint32_t i = 0; i < mesh->count; i++)
        join(&w, i);
    if (number_parts(&w, vertex_count) < 0)
        goto done;
    for (uint32_t i = 0; i < mesh->count; i++)
        add_triangle(&w, i, dvec_from(mesh->low));
    classify(&w);
    mesh->closed_count = close_parts(mesh, &w, PART_SOLID);
    if (mesh->closed_count > 0 && mesh->closed_count < mesh->count) {
        find_hollows(mesh, &w, vertex_count);
        mesh->closed_count += close_parts(mesh, &w, PART_INVERTED);
    }
    result = 0;
done:
    welder_close(&w);
    return result;
}
