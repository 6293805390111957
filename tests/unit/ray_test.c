/* Rays against capsules, boxes, meshes and terrains: cases known by hand, those that begin inside, run along or just touch,
 * and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <clash/mesh.h>
#include <clash/ray.h>

#include "support/near.h"

#define V(x, y, z) ((clash_vec3){(float)(x), (float)(y), (float)(z)})

static const clash_pose origin = {{0, 0, 0, 1}, {0, 0, 0}};
static const clash_capsule rod = {{0, -1, 0}, {0, 1, 0}, 0.5f};

static void assert_vector(clash_vec3 v, double x, double y, double z)
{
    assert_near(v.x, x, 1e-6);
    assert_near(v.y, y, 1e-6);
    assert_near(v.z, z, 1e-6);
}

static void check_line(clash_vec3 o, clash_vec3 d, const clash_capsule *c, double from, double to)
{
    double t[2] = {7, 7};

    assert_int_equal(clash_line_capsule(o, d, c, t), 2);
    assert_near(t[0], from, 1e-7);
    assert_near(t[1], to, 1e-7);
    if (to < 0)
        assert_int_equal(clash_ray_capsule(o, d, c, t), 0);
    else
        assert_int_equal(clash_ray_capsule(o, d, c, t), 2);
    assert_near(t[0], from, 1e-7);
    assert_near(t[1], to, 1e-7);
}

static void lines_cross_capsules(void **state)
{
    (void)state;
    check_line(V(-3, 0, 0), V(1, 0, 0), &rod, 2.5, 3.5);
    check_line(V(-3, 0.5, 0), V(2, 0, 0), &rod, 1.25, 1.75);
    check_line(V(0, -5, 0), V(0, 1, 0), &rod, 3.5, 6.5);    /* along the axis */
    check_line(V(0.3f, -5, 0), V(0, 2, 0), &rod, 1.8, 3.2); /* beside it, within: through both caps */
    check_line(V(0.5f, -5, 0), V(0, 1, 0), &rod, 4, 6);     /* along its side */
    check_line(V(-3, 0, 0.5f), V(1, 0, 0), &rod, 3, 3);     /* touching its side */
    check_line(V(-3, 1.5f, 0), V(1, 0, 0), &rod, 3, 3);     /* touching its end */
    check_line(V(-3, 1.3f, 0), V(1, 0, 0), &rod, 2.6, 3.4); /* a cap alone */
    check_line(V(0, 0, 0), V(1, 0, 0), &rod, -0.5, 0.5);    /* from inside */
    check_line(V(0, 0, 0), V(0, -0.5f, 0), &rod, -3, 3);
    check_line(V(3, 0, 0), V(1, 0, 0), &rod, -3.5, -2.5); /* behind */
    check_line(V(-3, -3, 0), V(1, 1, 0), &rod, 2.5, 3.5);
}

/** A ten-millionth of a metre before what is met, that is known to the last digit. */
static void short_ways_keep_their_digits(void **state)
{
    const double gap = 0x1p-23;
    const clash_capsule ball = {{0, 0, 0}, {0, 0, 0}, 1}, tube = {{0, -4, 0}, {0, 4, 0}, 1};
    double t[2];

    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        assert_int_equal(clash_line_capsule(V(sign * (1 + gap), 0, 0), V(-sign, 0, 0), &ball, t), 2);
        assert_near(t[0], gap, 1e-21);
        assert_int_equal(clash_line_capsule(V(sign * (1 + gap), 0, 0), V(sign, 0, 0), &ball, t), 2);
        assert_near(t[1], -gap, 1e-21);
        assert_int_equal(clash_line_capsule(V(sign * (1 + gap), 1, 0), V(-sign, 0, 0), &tube, t), 2);
        assert_near(t[0], gap, 1e-21);
        assert_int_equal(clash_line_capsule(V(sign * (1 + gap), 1, 0), V(sign, 0, 0), &tube, t), 2);
        assert_near(t[1], -gap, 1e-21);
    }
}

/** Aslant, where the other end of the crossing is no round number: the two must not be subtracted. With x = 1 + gap and the
 *  direction (-1, 0, slant):  t^2 (1 + slant^2) - 2 x t + x^2 - 1 = 0. */
static void short_ways_aslant_keep_their_digits(void **state)
{
    const double gap = 0x1p-23, slant = 0.375, x = 1 + gap, squares = 1 + slant * slant;
    const double expected = gap * (2 + gap) / (x + sqrt(squares - x * x * slant * slant));
    const clash_capsule shapes[] = {{{0, 0, 0}, {0, 0, 0}, 1}, {{0, -4, 0}, {0, 4, 0}, 1}};
    double t[2];

    (void)state;
    for (int k = 0; k < 2; k++)
        for (int sign = -1; sign <= 1; sign += 2) {
            assert_int_equal(clash_line_capsule(V(sign * x, 0, 0), V(-sign, 0, slant), &shapes[k], t), 2);
            assert_near(t[0], expected, 1e-14 * expected);
            assert_int_equal(clash_line_capsule(V(sign * x, 0, 0), V(sign, 0, slant), &shapes[k], t), 2);
            assert_near(t[1], -expected, 1e-14 * expected);
        }
}

static void capsules_that_are_less(void **state)
{
    const clash_capsule ball = {{1, 2, 3}, {1, 2, 3}, 0.5f}, stick = {{0, -1, 0}, {0, 1, 0}, 0},
                        point = {{1, 0, 0}, {1, 0, 0}, 0};
    double t[2] = {7, 7};

    (void)state;
    check_line(V(1, 2, 0), V(0, 0, 1), &ball, 2.5, 3.5);
    check_line(V(-3, 0.25f, 0), V(1, 0, 0), &stick, 3, 3); /* lines that meet */
    check_line(V(0, -3, 0), V(0, 1, 0), &stick, 2, 4);     /* the same line */
    check_line(V(-3, 1, 0), V(1, 0, 0), &stick, 3, 3);     /* at its very end */
    check_line(V(-3, 0, 0), V(2, 0, 0), &point, 2, 2);
    t[0] = 7;
    assert_int_equal(clash_line_capsule(V(-3, 0, 1e-6), V(1, 0, 0), &stick, t), 0);
    assert_int_equal(clash_line_capsule(V(-3, 0, 0.50001), V(1, 0, 0), &rod, t), 0);
    assert_int_equal(clash_line_capsule(V(-3, 1.50001, 0), V(1, 0, 0), &rod, t), 0);
    assert_int_equal(clash_line_capsule(V(0.50001, 0, 0), V(0, 1, 0), &rod, t), 0);
    assert_near(t[0], 7, 0);
}

static void lines_and_capsules_that_are_none(void **state)
{
    clash_capsule wrong[] = {rod, rod, rod};
    const clash_vec3 odd[] = {V(NAN, 0, 0), V(0, INFINITY, 0)};
    double t[2] = {7, 7};

    (void)state;
    wrong[0].radius = -1, wrong[1].tip.x = NAN, wrong[2].radius = INFINITY;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(clash_line_capsule(V(0, 0, 0), V(1, 0, 0), &wrong[i], t), -1);
        assert_int_equal(clash_ray_capsule(V(0, 0, 0), V(1, 0, 0), &wrong[i], t), -1);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(clash_line_capsule(odd[i], V(1, 0, 0), &rod, t), -1);
        assert_int_equal(clash_line_capsule(V(0, 0, 0), odd[i], &rod, t), -1);
    }
    assert_int_equal(clash_line_capsule(V(0, 0, 0), V(0, 0, 0), &rod, t), -1);
    assert_near(t[0], 7, 0);
}

static clash_ray_hit hit(clash_vec3 o, clash_vec3 d, const clash_shape *shape, double expected)
{
    clash_ray_hit h = {.parameter = 7};

    assert_int_equal(clash_ray_shape(o, d, INFINITY, shape, &origin, &h), 1);
    assert_near(h.parameter, expected, 1e-7);
    assert_vector(h.point, (double)o.x + expected * (double)d.x, (double)o.y + expected * (double)d.y,
                  (double)o.z + expected * (double)d.z);
    /* at most so far, and no less */
    assert_int_equal(clash_ray_shape(o, d, h.parameter, shape, &origin, NULL), 1);
    if (h.parameter > 0)
        assert_int_equal(clash_ray_shape(o, d, nextafter(h.parameter, 0), shape, &origin, NULL), 0);
    return h;
}

static void misses(clash_vec3 o, clash_vec3 d, const clash_shape *shape)
{
    clash_ray_hit h = {.parameter = 7};

    assert_int_equal(clash_ray_shape(o, d, INFINITY, shape, &origin, &h), 0);
    assert_near(h.parameter, 7, 0);
}

static void solids(void **state)
{
    const clash_shape ball = {CLASH_SHAPE_SPHERE, {.sphere = {{1, 0, 0}, 0.5f}}},
                      stick = {CLASH_SHAPE_CAPSULE, {.capsule = rod}};
    const clash_shape box = {CLASH_SHAPE_BOX, {.box = {{1, 0, 0}, {0, 0, 0, 1}, {0.5f, 1, 2}}}};
    clash_ray_hit h = hit(V(-3, 0, 0), V(2, 0, 0), &ball, 1.75);

    (void)state;
    assert_vector(h.normal, -1, 0, 0);
    assert_int_equal(h.triangle, CLASH_NO_TRIANGLE);
    assert_false(h.inside);
    h = hit(V(-3, 1.3f, 0), V(1, 0, 0), &stick, 2.6);
    assert_vector(h.normal, -0.8, 0.6, 0);
    h = hit(V(-3, -1.3f, 0), V(1, 0, 0), &stick, 2.6);
    assert_vector(h.normal, -0.8, -0.6, 0);
    h = hit(V(-3, 0.3f, 0), V(1, 0, 0), &ball, 3.6); /* beside its middle */
    assert_vector(h.normal, -0.8, 0.6, 0);
    h = hit(V(-3, 0.3f, 0), V(1, 0, 0), &stick, 2.5);
    assert_vector(h.normal, -1, 0, 0);
    h = hit(V(1, 5, 1), V(0, -1, 0), &box, 4);
    assert_vector(h.normal, 0, 1, 0);
    h = hit(V(1, 5, 1), V(0.0625f, -1, 0.0625f), &box, 4); /* aslant, into each face */
    assert_vector(h.normal, 0, 1, 0);
    h = hit(V(1, 0.5f, -5), V(0.0625f, 0.0625f, 1), &box, 3);
    assert_vector(h.normal, 0, 0, -1);
    h = hit(V(4.5f, 0.5f, 1), V(-1, 0.0625f, 0.0625f), &box, 3);
    assert_vector(h.normal, 1, 0, 0);
    h = hit(V(1.5f, 5, 2), V(0, -1, 0), &box, 4); /* down an edge */
    assert_vector(h.normal, 0, 1, 0);
    h = hit(V(-3, -4, 0), V(1, 1, 0), &box, 3.5); /* across an edge */
    assert_vector(h.normal, -1, 0, 0);
    misses(V(-3, -6, 0), V(1, 1, 0.01f), &box);
    misses(V(3, 0, 0), V(1, 0, 0), &ball);
    misses(V(3, 0, 0), V(1, 0, 0), &box);
    misses(V(-3, 0, 2.0001f), V(1, 0, 0), &box);
}

static void from_inside(void **state)
{
    const clash_shape shapes[] = {{CLASH_SHAPE_SPHERE, {.sphere = {{0, 0, 0}, 0.5f}}},
                                  {CLASH_SHAPE_CAPSULE, {.capsule = rod}},
                                  {CLASH_SHAPE_BOX, {.box = {{0, 0, 0}, {0, 0, 0, 1}, {0.5f, 1, 2}}}}};

    (void)state;
    for (int k = 0; k < 3; k++) {
        clash_ray_hit h = hit(V(0.1f, 0.1f, 0), V(0, 4, 3), &shapes[k], 0);

        assert_true(h.inside);
        assert_vector(h.normal, 0, -0.8, -0.6);
    }
}

static void shapes_without_a_size(void **state)
{
    const clash_shape plate = {CLASH_SHAPE_BOX, {.box = {{0, 0, 0}, {0, 0, 0, 1}, {1, 0, 1}}}};
    const clash_shape point = {CLASH_SHAPE_SPHERE, {.sphere = {{0, 0, 0}, 0}}};
    clash_ray_hit h = hit(V(0.5f, 3, 0), V(0, -1, 0), &plate, 3);

    (void)state;
    assert_vector(h.normal, 0, 1, 0);
    h = hit(V(-3, 0, 0), V(1, 0, 0), &plate, 2); /* along it */
    assert_vector(h.normal, -1, 0, 0);
    h = hit(V(-3, 0, 0), V(1, 0, 0), &point, 3);
    assert_vector(h.normal, -1, 0, 0);
    misses(V(-3, 1e-6, 0), V(1, 0, 0), &point);
}

/** Two squares of two triangles, at y 0 and 1, both facing up; the lower one after the upper one. */
static clash_mesh *floors(void)
{
    const clash_vec3 v[] = {V(-1, 1, -1), V(-1, 1, 1), V(1, 1, 1), V(1, 1, -1),
                            V(-1, 0, -1), V(-1, 0, 1), V(1, 0, 1), V(1, 0, -1)};
    const uint32_t t[][3] = {{0, 1, 2}, {0, 2, 3}, {4, 5, 6}, {4, 6, 7}};

    return clash_mesh_create(v, 8, t, 4);
}

static void meshes(void **state)
{
    clash_mesh *mesh = floors();
    const clash_shape shape = {CLASH_SHAPE_MESH, {.mesh = mesh}};
    clash_ray_hit h;

    (void)state;
    assert_non_null(mesh);
    h = hit(V(-0.5f, 3, 0), V(0, -2, 0), &shape, 1);
    assert_vector(h.normal, 0, 1, 0);
    assert_int_equal(h.triangle, 0);
    assert_false(h.inside);
    h = hit(V(0.5f, 3, 0), V(0, -2, 0), &shape, 1);
    assert_int_equal(h.triangle, 1);
    h = hit(V(0.5f, 0.5f, 0), V(0, -2, 0), &shape, 0.25); /* from between them: the lower one */
    assert_int_equal(h.triangle, 3);
    h = hit(V(0.5f, 0.5f, 0), V(0, 1, 0), &shape, 0.5); /* from behind: its normal is its own */
    assert_vector(h.normal, 0, 1, 0);
    h = hit(V(0.5f, 1, 0), V(0, -1, 0), &shape, 0); /* it begins on it */
    assert_int_equal(h.triangle, 1);
    h = hit(V(0, 3, 0), V(0, -1, 0), &shape, 2); /* on the edge of both */
    assert_int_equal(h.triangle, 0);
    h = hit(V(1, 3, 1), V(0, -1, 0), &shape, 2); /* on a corner */
    assert_int_equal(h.triangle, 0);
    misses(V(1.00001f, 3, 0), V(0, -1, 0), &shape);
    misses(V(0, -1, 0), V(0, -1, 0), &shape);
    misses(V(-3, 1, 0), V(1, 0, 0), &shape); /* along it */
    clash_mesh_destroy(mesh);
}

static void triangles_without_an_area(void **state)
{
    const clash_vec3 v[] = {V(0, 0, 0), V(1, 0, 0), V(2, 0, 0), V(0, -1, 1), V(1, -1, -1), V(-1, -1, -1)};
    const uint32_t t[][3] = {{0, 0, 0}, {0, 1, 0}, {0, 1, 2}, {3, 4, 5}};
    clash_mesh *mesh = clash_mesh_create(v, 6, t, 4);
    const clash_shape shape = {CLASH_SHAPE_MESH, {.mesh = mesh}};
    clash_ray_hit h;

    (void)state;
    assert_non_null(mesh);
    h = hit(V(0, 3, 0), V(0, -1, 0), &shape, 4);
    assert_int_equal(h.triangle, 3);
    misses(V(0.5f, 3, 2), V(0, -1, -1), &shape);
    clash_mesh_destroy(mesh);
}

static void terrains(void **state)
{
    const float heights[9] = {0, 0, 0, 0, 1, 0, 0, 0, 0}; /* a hill */
    clash_terrain *terrain = clash_terrain_create(heights, 3, 3, 2, 1);
    const clash_shape shape = {CLASH_SHAPE_TERRAIN, {.terrain = terrain}};
    const clash_pose turned = {{0, 1, 0, 0}, {4, 10, 2}}; /* half a turn about y: it lies where it lay */
    clash_ray_hit h;

    (void)state;
    assert_non_null(terrain);
    h = hit(V(2, 5, 1), V(0, -1, 0), &shape, 4);
    h = hit(V(1, 5, 1), V(0, -1, 0), &shape, 4.5);
    h = hit(V(0.25f, 5, 0.25f), V(0, -1, 0), &shape, 5);
    assert_int_equal(h.triangle, 0);
    assert_vector(h.normal, 0, 1, 0);
    h = hit(V(-1, 0.5f, 1), V(1, 0, 0), &shape, 2); /* on the edge from (0, 0, 1) to the top */
    assert_int_equal(h.triangle, 1);
    assert_vector(h.normal, -1.0 / 3, 2.0 / 3, -2.0 / 3);
    misses(V(-1, 1.0001f, 1), V(1, 0, 0), &shape);
    misses(V(4.001f, 5, 1), V(0, -1, 0), &shape);
    assert_int_equal(clash_ray_shape(V(1, 20, 1), V(0, -1, 0), INFINITY, &shape, &turned, &h), 1);
    assert_vector(h.point, 1, 10.5, 1);
    clash_terrain_destroy(terrain);
}

static void rays_that_are_none(void **state)
{
    const clash_shape good = {CLASH_SHAPE_SPHERE, {.sphere = {{0, 0, 0}, 1}}},
                      bad = {CLASH_SHAPE_SPHERE, {.sphere = {{0, 0, 0}, -1}}};
    const clash_shape none = {CLASH_SHAPE_MESH, {.mesh = NULL}};
    const clash_pose zero = {{0, 0, 0, 0}, {0, 0, 0}}, odd = {{0, 0, 0, 1}, {NAN, 0, 0}};
    const clash_vec3 o = V(-3, 0, 0), d = V(1, 0, 0);
    clash_ray_hit h = {.parameter = 7};

    (void)state;
    assert_int_equal(clash_ray_shape(V(NAN, 0, 0), d, 9, &good, &origin, &h), -1);
    assert_int_equal(clash_ray_shape(o, V(INFINITY, 0, 0), 9, &good, &origin, &h), -1);
    assert_int_equal(clash_ray_shape(o, V(0, 0, 0), 9, &good, &origin, &h), -1);
    assert_int_equal(clash_ray_shape(o, d, -1, &good, &origin, &h), -1);
    assert_int_equal(clash_ray_shape(o, d, (double)NAN, &good, &origin, &h), -1);
    assert_int_equal(clash_ray_shape(o, d, 9, &bad, &origin, &h), -1);
    assert_int_equal(clash_ray_shape(o, d, 9, &none, &origin, &h), -1);
    assert_int_equal(clash_ray_shape(o, d, 9, &good, &zero, &h), -1);
    assert_int_equal(clash_ray_shape(o, d, 9, &good, &odd, &h), -1);
    assert_near(h.parameter, 7, 0);
    assert_int_equal(clash_ray_shape(o, d, 9, &good, &origin, &h), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_cross_capsules),
        cmocka_unit_test(short_ways_keep_their_digits),
        cmocka_unit_test(short_ways_aslant_keep_their_digits),
        cmocka_unit_test(capsules_that_are_less),
        cmocka_unit_test(lines_and_capsules_that_are_none),
        cmocka_unit_test(solids),
        cmocka_unit_test(from_inside),
        cmocka_unit_test(shapes_without_a_size),
        cmocka_unit_test(meshes),
        cmocka_unit_test(triangles_without_an_area),
        cmocka_unit_test(terrains),
        cmocka_unit_test(rays_that_are_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
