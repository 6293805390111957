/* C. B. Barber, D. P. Dobkin, H. Huhdanpaa, "The Quickhull algorithm for convex hulls", 1996, by its authors' library.
 * It triangulates faces of more than three corners, which in bad cases leaves a triangle without its neighbour: then
 * ask it for a hull of points moved by about the last bit of a double, whose faces are all triangles. See hull.h. */
#include "mesh/helper/hull.h"

#include <float.h>
#include <libqhull_r/qhull_ra.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Coordinates are floats: anything no thicker than their rounding is flat. */
#define ROUNDING (4.0 * (double)FLT_EPSILON)

/* ---- whether there is an inside ---- */

typedef struct point {
    double x, y, z;
} point;

static point minus(const clash_vec3 *a, const clash_vec3 *b)
{
    return (point){(double)a->x - (double)b->x, (double)a->y - (double)b->y, (double)a->z - (double)b->z};
}

static point cross(point a, point b)
{
    return (point){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double dot(point a, point b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/** Return the distance of the vertex that is farthest from the first one, from the line through those two, or from the
 *  plane through those three. */
static double reach(const surface *s, int dimensions, point along[2])
{
    const double length = sqrt(dot(along[0], along[0]));
    const point normal = cross(along[0], along[1]);
    const double area = sqrt(dot(normal, normal));
    double farthest = 0;
    point found = {0, 0, 0};

    for (uint32_t i = 1; i < s->vertex_count; i++) {
        const point to = minus(&s->vertices[i], &s->vertices[0]), off = cross(along[0], to);
        const double far = dimensions == 0   ? sqrt(dot(to, to))
                           : dimensions == 1 ? sqrt(dot(off, off)) / length
                                             : fabs(dot(to, normal)) / area;

        if (far > farthest) {
            farthest = far;
            found = to;
        }
    }
    if (dimensions < 2)
        along[dimensions] = found;
    return farthest;
}

static bool check_thickness(const surface *s, failure *why)
{
    static const char *const flat[] = {"at one place", "on one line", "in one plane"};
    point along[2] = {{0, 0, 0}, {0, 0, 0}};
    float largest = 0.0f;

    for (uint32_t i = 0; i < s->vertex_count; i++) {
        const clash_vec3 *v = &s->vertices[i];

        largest = fmaxf(largest, fmaxf(fabsf(v->x), fmaxf(fabsf(v->y), fabsf(v->z))));
    }
    for (int dimensions = 0; dimensions < 3; dimensions++)
        if (!(reach(s, dimensions, along) > ROUNDING * (double)largest))
            return fail_with(why, "convex: its vertices are all %s: a hull has an inside", flat[dimensions]);
    return true;
}

/* ---- qhull ---- */

typedef struct faces {
    uint32_t (*triangles)[3]; /* indices of the surface's vertices */
    uint32_t count;
} faces;

/** Copy qhull's facets. Their corners' order is qhull's own and the same for all. Return -1 also if there are more
 *  facets than qhull counted, or a corner is none of `count` points. */
static int take_facets(qhT *qh, uint32_t count, faces *out)
{
    const uint32_t room = (uint32_t)qh->num_facets;
    bool is_right = true;
    facetT *facet;
    vertexT *vertex, **vertexp;

    out->triangles = malloc((size_t)room * sizeof *out->triangles);
    if (!out->triangles)
        return -1;
    FORALLfacets
    {
        setT *corners = qh_facet3vertex(qh, facet);
        int k = 0;

        FOREACHvertex_(corners)
        {
            const int number = qh_pointid(qh, vertex->point);

            is_right = is_right && out->count < room && number >= 0 && (uint32_t)number < count;
            if (k < 3 && is_right)
                out->triangles[out->count][k] = (uint32_t)number;
            k++;
        }
        qh_settempfree(qh, &corners);
        out->count += k == 3 && is_right;
    }
    return is_right ? 0 : -1;
}

static void release(qhT *qh)
{
    int memory, blocks;

    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &memory, &blocks);
}

/** Return 0, or -1 if qhull finds no hull. */
static int ask_qhull(double *points, uint32_t count, const char *how, faces *out)
{
    FILE *nowhere = fopen("/dev/null", "w");
    char command[32];
    int result = -1;
    qhT qhull;

    *out = (faces){.count = 0};
    if (!nowhere)
        return -1;
    snprintf(command, sizeof command, "qhull %s", how);
    qh_zero(&qhull, nowhere);
    if (qh_new_qhull(&qhull, 3, (int)count, points, 0, command, NULL, nowhere) == 0)
        result = take_facets(&qhull, count, out);
    release(&qhull);
    fclose(nowhere);
    return result;
}

/* ---- what is made of it ---- */

static int compare_triangles(const void *a, const void *b)
{
    const uint32_t *left = a, *right = b;

    for (int k = 0; k < 3; k++)
        if (left[k] != right[k])
            return left[k] < right[k] ? -1 : 1;
    return 0;
}

/** Order the triangles outward, each from its lowest corner on, and sorted, whatever the order in which they were
 *  found. */
static void put_in_order(faces *f, const clash_vec3 *vertices)
{
    double volume = 0;

    for (uint32_t i = 0; i < f->count; i++) {
        const uint32_t *t = f->triangles[i];

        volume += dot(minus(&vertices[t[0]], vertices),
                      cross(minus(&vertices[t[1]], vertices), minus(&vertices[t[2]], vertices)));
    }
    for (uint32_t i = 0; i < f->count; i++) {
        uint32_t *t = f->triangles[i];
        const uint32_t low = t[0] < t[1] ? (t[0] < t[2] ? 0 : 2) : (t[1] < t[2] ? 1 : 2);
        const uint32_t turned[3] = {t[low], t[(low + 1) % 3], t[(low + 2) % 3]};

        t[0] = turned[0];
        t[1] = turned[volume > 0 ? 1 : 2];
        t[2] = turned[volume > 0 ? 2 : 1];
    }
    if (f->count > 0)
        qsort(f->triangles, f->count, sizeof *f->triangles, compare_triangles);
}

static int compare_edges(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

    return left < right ? -1 : left > right;
}

static bool has_edge(const uint64_t *edges, size_t count, uint64_t edge)
{
    return bsearch(&edge, edges, count, sizeof *edges, compare_edges) != NULL;
}

/** Return whether each edge of each triangle is once another's, the other way round. */
static bool is_closed(const faces *f)
{
    const size_t count = (size_t)f->count * 3;
    uint64_t *edges = malloc((count + 1) * sizeof *edges);
    bool closed = edges && f->count >= 4;

    for (size_t i = 0; closed && i < count; i++) {
        const uint32_t *t = f->triangles[i / 3];

        edges[i] = (uint64_t)t[i % 3] << 32 | t[(i + 1) % 3];
    }
    if (closed)
        qsort(edges, count, sizeof *edges, compare_edges);
    for (size_t i = 0; closed && i < count; i++)
        closed = (i == 0 || edges[i] != edges[i - 1]) && has_edge(edges, count, edges[i] << 32 | edges[i] >> 32);
    free(edges);
    return closed;
}

/** Leave out the vertices that are not corners. */
static int renumber(surface *s, const faces *f)
{
    uint32_t *numbers = calloc(s->vertex_count, sizeof *numbers), kept = 0;

    if (!numbers)
        return -1;
    for (size_t i = 0; i < (size_t)f->count * 3; i++)
        numbers[f->triangles[i / 3][i % 3]] = 1;
    for (uint32_t i = 0; i < s->vertex_count; i++)
        if (numbers[i]) {
            s->vertices[kept] = s->vertices[i];
            numbers[i] = kept++;
        }
    for (size_t i = 0; i < (size_t)f->count * 3; i++)
        f->triangles[i / 3][i % 3] = numbers[f->triangles[i / 3][i % 3]];
    s->vertex_count = kept;
    free(numbers);
    return 0;
}

static int find_faces(const surface *s, faces *out)
{
    static const char *const ways[] = {"Qt Pp", "QJ Pp"};
    double *points = malloc((size_t)s->vertex_count * 3 * sizeof *points);
    int result = -1;

    *out = (faces){.count = 0};
    for (size_t way = 0; points && way < 2 && result != 0; way++) {
        for (size_t i = 0; i < s->vertex_count; i++) { /* qhull may have moved these points */
            points[3 * i] = (double)s->vertices[i].x;
            points[3 * i + 1] = (double)s->vertices[i].y;
            points[3 * i + 2] = (double)s->vertices[i].z;
        }
        free(out->triangles);
        result = ask_qhull(points, s->vertex_count, ways[way], out);
        if (result == 0 && !is_closed(out))
            result = -1;
    }
    free(points);
    return result;
}

bool hull_make(surface *s, failure *why)
{
    faces found;

    if (s->vertex_count < 4)
        return fail_with(why, "convex: there are %u vertices: a hull has four at least", (unsigned)s->vertex_count);
    if (s->vertex_count > INT32_MAX / 4)
        return fail_with(why, "convex: there are too many vertices for a hull");
    if (!check_thickness(s, why))
        return false;
    if (find_faces(s, &found) != 0 || renumber(s, &found) != 0) {
        free(found.triangles);
        return fail_with(why, "convex: no hull of its vertices can be found");
    }
    put_in_order(&found, s->vertices);
    free(s->triangles);
    s->triangles = found.triangles;
    s->triangle_count = found.count;
    return true;
}
