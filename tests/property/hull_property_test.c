/* Hulls of points of every kind, balls, lattices, prisms, cones, thin and far ones: their corners are points that were given, in their
 * order; all points lie behind all faces; each edge is two faces', once either way, and there are as many of them as Euler says;
 * outside is outside. Few points are held against all triples that have the others on one side. Flat ones are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/helper/hull.h"
#include "support/random.h"

enum { POINTS_MAX = 512, KINDS = 10, FEW = 12 };

static failure why;

typedef struct cloud {
    clash_vec3 points[POINTS_MAX];
    uint32_t count;
} cloud;

/* ---- points ---- */

static clash_vec3 point_of(int kind, random_state *r, int i, int count)
{
    const int side = 2 * i / count, row = i / 8, layer = i / 64, ring = i / 16;
    const double turn = 6.283185307179586 * i / count;

    switch (kind) {
    case 0:
        return random_box(r, 1.0);
    case 1:
        return random_direction(r);
    case 2: /* a lattice, of which eight are corners */
        return (clash_vec3){(float)(i % 8), (float)(row % 8), (float)layer};
    case 3: /* a ball as modellers make them */
        return (clash_vec3){(float)(sin(0.1963495 * ring) * cos(0.3926990 * (i % 16))),
                            (float)(sin(0.1963495 * ring) * sin(0.3926990 * (i % 16))), (float)cos(0.1963495 * ring)};
    case 4: /* a prism */
        return (clash_vec3){(float)cos(2 * turn), (float)sin(2 * turn), (float)side};
    case 5: /* a cone */
        return i == 0 ? (clash_vec3){0, 0, 2} : (clash_vec3){(float)cos(turn), (float)sin(turn), 0};
    case 6: /* a cube's corners, each often, and some not quite there */
        return (clash_vec3){(float)(i & 1) + (i > 40 ? (float)random_in(r, -1e-6, 1e-6) : 0), (float)(i >> 1 & 1),
                            (float)(i >> 2 & 1)};
    case 7: /* a thin one */
        return (clash_vec3){(float)random_in(r, -10, 10), (float)random_in(r, -10, 10), (float)random_in(r, 0, 1e-3)};
    case 8: /* far away: on the lattice that floats have there */
        return (clash_vec3){(float)(5000 + random_in(r, 0, 1)), (float)(-7000 + random_in(r, 0, 1)),
                            (float)random_in(r, 0, 1)};
    default: /* on a curve all of whose points are corners */
        return (clash_vec3){(float)i / (float)count, (float)(i * i) / (float)(count * count),
                            (float)i * (float)i * (float)i / (float)(count * count) / (float)count};
    }
}

static cloud make_cloud(int kind, random_state *r, int count)
{
    cloud c = {.count = (uint32_t)count};

    for (int i = 0; i < count; i++)
        c.points[i] = point_of(kind, r, i, count);
    return c;
}

static int make_hull(const cloud *c, surface *out)
{
    *out = (surface){.vertex_count = c->count};
    out->vertices = malloc(sizeof c->points);
    assert_non_null(out->vertices);
    memcpy(out->vertices, c->points, sizeof c->points);
    why = (failure){0};
    return hull_make(out, &why) ? 0 : -1;
}

/* ---- what holds of all ---- */

static void assert_from(const surface *hull, const cloud *c)
{
    uint32_t at = 0;

    for (uint32_t i = 0; i < hull->vertex_count; i++, at++) {
        /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): the same bits are asked for */
        while (at < c->count && memcmp(&c->points[at], &hull->vertices[i], sizeof c->points[at]) != 0)
            at++;
        assert_true(at < c->count);
    }
}

typedef struct corner {
    double x, y, z;
} corner;

static corner minus(clash_vec3 a, clash_vec3 b)
{
    return (corner){(double)a.x - (double)b.x, (double)a.y - (double)b.y, (double)a.z - (double)b.z};
}

static corner cross(corner a, corner b)
{
    return (corner){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double dot(corner a, corner b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static corner normal_of(const surface *s, uint32_t i)
{
    const clash_vec3 *v = s->vertices;
    const uint32_t *t = s->triangles[i];

    return cross(minus(v[t[1]], v[t[0]]), minus(v[t[2]], v[t[0]]));
}

static void assert_all_behind(const surface *hull, const cloud *c)
{
    double extent = 0, volume = 0;

    for (uint32_t i = 0; i < c->count; i++) {
        const corner to = minus(c->points[i], c->points[0]);

        extent = fmax(extent, sqrt(dot(to, to)));
    }
    for (uint32_t i = 0; i < hull->triangle_count; i++) {
        const corner normal = normal_of(hull, i);
        const double area = sqrt(dot(normal, normal));
        const clash_vec3 from = hull->vertices[hull->triangles[i][0]];

        volume += dot(normal, minus(from, hull->vertices[0]));
        for (uint32_t k = 0; k < c->count && area > 1e-9 * extent * extent; k++)
            if (dot(normal, minus(c->points[k], from)) / area > 1e-6 * extent)
                fail_msg("point %u is %g in front of face %u", (unsigned)k,
                         dot(normal, minus(c->points[k], from)) / area, (unsigned)i);
    }
    assert_true(volume > 0);
}

static int compare(const void *a, const void *b)
{
    return memcmp(a, b, 2 * sizeof(uint32_t));
}

static void assert_closed(const surface *hull)
{
    static uint32_t edges[3 * 2 * POINTS_MAX][2];
    const size_t count = (size_t)hull->triangle_count * 3;

    assert_int_equal(hull->triangle_count, 2 * hull->vertex_count - 4); /* Euler, of triangles */
    for (size_t i = 0; i < count; i++) {
        edges[i][0] = hull->triangles[i / 3][i % 3];
        edges[i][1] = hull->triangles[i / 3][(i + 1) % 3];
        assert_true(edges[i][0] < hull->vertex_count && edges[i][0] != edges[i][1]);
    }
    qsort(edges, count, sizeof edges[0], compare);
    for (size_t i = 0; i < count; i++) {
        const uint32_t other[2] = {edges[i][1], edges[i][0]};

        assert_true(i == 0 || compare(edges[i], edges[i - 1]) != 0);
        assert_non_null(bsearch(other, edges, count, sizeof edges[0], compare));
    }
}

static void hulls_are_hulls(void **state)
{
    random_state r = {random_seed(90210)};
    long made = 0;

    (void)state;
    for (long i = 0; i < random_cases(400); i++) {
        const int kind = (int)(i % KINDS);
        const cloud c =
            make_cloud(kind, &r, kind == 2 || kind == 3 ? POINTS_MAX : 16 + random_below(&r, POINTS_MAX - 16));
        surface hull;

        if (make_hull(&c, &hull) != 0)
            fail_msg("kind %d, %u points: %s", kind, (unsigned)c.count, why.text);
        assert_from(&hull, &c);
        assert_closed(&hull);
        assert_all_behind(&hull, &c);
        if (kind == 2)
            assert_int_equal(hull.vertex_count, 8);
        surface_finish(&hull);
        made++;
    }
    assert_true(made > 0);
}

/* ---- every triple of few ---- */

static bool has_triangle(const surface *hull, clash_vec3 a, clash_vec3 b, clash_vec3 c)
{
    const clash_vec3 wanted[3] = {a, b, c};

    for (uint32_t i = 0; i < hull->triangle_count; i++)
        for (int turn = 0; turn < 3; turn++) {
            int same = 0;

            for (int k = 0; k < 3; k++)
                /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): the same bits are asked for */
                same += memcmp(&hull->vertices[hull->triangles[i][(k + turn) % 3]], &wanted[k], sizeof wanted[k]) == 0;
            if (same == 3)
                return true;
        }
    return false;
}

static bool is_face(const cloud *c, int i, int j, int k)
{
    const corner normal = cross(minus(c->points[j], c->points[i]), minus(c->points[k], c->points[i]));

    for (int other = 0; other < FEW; other++)
        if (other != i && other != j && other != k && dot(normal, minus(c->points[other], c->points[i])) > 0)
            return false;
    return true;
}

static void few_points_have_the_faces_that_all_triples_say(void **state)
{
    random_state r = {random_seed(4711)};

    (void)state;
    for (long n = 0; n < random_cases(300); n++) {
        const cloud c = make_cloud(n % 2 ? 0 : 1, &r, FEW);
        uint32_t faces = 0;
        surface hull;

        assert_int_equal(make_hull(&c, &hull), 0);
        for (int i = 0; i < FEW; i++)
            for (int j = 0; j < FEW; j++)
                for (int k = 0; k < FEW; k++)
                    if (i < j && i < k && j != k && is_face(&c, i, j, k)) {
                        faces++;
                        assert_true(has_triangle(&hull, c.points[i], c.points[j], c.points[k]));
                    }
        assert_int_equal(hull.triangle_count, faces);
        surface_finish(&hull);
    }
}

/* ---- what has none ---- */

static void assert_none(const cloud *c, const char *cause)
{
    surface hull;

    assert_int_equal(make_hull(c, &hull), -1);
    if (!strstr(why.text, cause))
        fail_msg("\"%s\" does not say \"%s\"", why.text, cause);
    surface_finish(&hull);
}

/* Turned any way, and far from the origin: what floats make of a flat thing is flat. */
static void what_is_flat_has_none(void **state)
{
    static const char *const causes[] = {"in one plane", "on one line", "at one place"};
    random_state r = {random_seed(5)};

    (void)state;
    for (int n = 0; n < 300; n++) {
        const clash_pose pose = {random_turn(&r, 3.1), random_box(&r, n % 4 * 100.0)};
        cloud c = make_cloud(0, &r, 4 + random_below(&r, 60));

        for (uint32_t i = 0; i < c.count; i++) {
            c.points[i].z = 0;
            c.points[i].y = n % 3 > 0 ? 0 : c.points[i].y;
            c.points[i].x = n % 3 > 1 ? 0 : c.points[i].x;
            c.points[i] = clash_pose_apply(&pose, c.points[i]);
        }
        assert_none(&c, causes[n % 3]);
    }
}

static void fewer_than_four_have_none(void **state)
{
    const cloud three = {.count = 3, .points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}}, none = {.count = 0};

    (void)state;
    assert_none(&three, "there are 3 vertices: a hull has four at least");
    assert_none(&none, "there are 0 vertices");
}

/* The order in which points come is not that in which faces are found: sorted, they are the same. */
static void the_order_of_points_changes_nothing(void **state)
{
    random_state r = {random_seed(8)};

    (void)state;
    for (int n = 0; n < 50; n++) {
        const cloud c = make_cloud(1, &r, 60);
        cloud mixed = c;
        surface one, other;

        for (int i = 59; i > 0; i--) {
            const int k = random_below(&r, i + 1);
            const clash_vec3 kept = mixed.points[i];

            mixed.points[i] = mixed.points[k];
            mixed.points[k] = kept;
        }
        assert_int_equal(make_hull(&c, &one), 0);
        assert_int_equal(make_hull(&mixed, &other), 0);
        assert_int_equal(one.triangle_count, other.triangle_count);
        for (uint32_t i = 0; i < one.triangle_count; i++) {
            const uint32_t *t = one.triangles[i];

            assert_true(i == 0 || memcmp(t, one.triangles[i - 1], sizeof one.triangles[0]) != 0);
            assert_true(t[0] < t[1] && t[0] < t[2]);
            assert_true(has_triangle(&other, one.vertices[t[0]], one.vertices[t[1]], one.vertices[t[2]]));
        }
        surface_finish(&one);
        surface_finish(&other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hulls_are_hulls),
        cmocka_unit_test(few_points_have_the_faces_that_all_triples_say),
        cmocka_unit_test(what_is_flat_has_none),
        cmocka_unit_test(fewer_than_four_have_none),
        cmocka_unit_test(the_order_of_points_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
