/* Distances to solid shapes, and the crossings of lines with balls: cases known by hand, degenerate ones, and random ones
 * against a search of their own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/near.h"
#include "support/target_queries.h"

#define V(x, y, z) ((clash_vec3){(float)(x), (float)(y), (float)(z)})

static const clash_pose origin = {{0, 0, 0, 1}, {0, 0, 0}};

static clash_shape ball(clash_vec3 center, double radius)
{
    return (clash_shape){CLASH_SHAPE_SPHERE, {.sphere = {center, (float)radius}}};
}

static clash_shape rod(clash_vec3 base, clash_vec3 tip, double radius)
{
    return (clash_shape){CLASH_SHAPE_CAPSULE, {.capsule = {base, tip, (float)radius}}};
}

static clash_shape block(clash_vec3 center, clash_vec3 half)
{
    return (clash_shape){CLASH_SHAPE_BOX, {.box = {center, {0, 0, 0, 1}, half}}};
}

/** Distance and, where the axis stays outside, the normal that leads from the shape to it. */
static clash_toi_output check(clash_vec3 p0, clash_vec3 p1, clash_shape shape, double expected)
{
    clash_toi_output c;
    float d = clash_shape_distance(p0, p1, &shape, &origin, &c);
    ref_vec way = truth_from_to(ref_of(c.contact.points[0]), ref_of(c.contact.points[1]));

    assert_near(d, expected, 1e-6);
    assert_near(c.contact.distance, d, 0);
    assert_near(ref_length(way), expected, 1e-6);
    assert_near(ref_length(ref_of(c.contact.normal)), 1, 1e-6);
    assert_near(ref_length(ref_mad(ref_of(c.contact.normal), ref_of(c.surface_normal), 1)), 0, 0);
    assert_near(ref_point_segment(ref_of(c.contact.points[0]), ref_of(p0), ref_of(p1)), 0, 1e-6);
    assert_near(ref_dot(way, ref_of(c.contact.normal)), expected, 1e-6);
    assert_int_equal(c.triangle, CLASH_NO_TRIANGLE);
    assert_near(clash_shape_distance(p1, p0, &shape, &origin, NULL), d, 1e-7);
    return c;
}

static void check_normal(clash_toi_output c, clash_vec3 n)
{
    assert_near(c.surface_normal.x, n.x, 1e-6);
    assert_near(c.surface_normal.y, n.y, 1e-6);
    assert_near(c.surface_normal.z, n.z, 1e-6);
}

static void balls(void **state)
{
    (void)state;
    check_normal(check(V(-1, 2, 0), V(1, 2, 0), ball(V(0, 0, 0), 0.5), 1.5), V(0, 1, 0));
    check(V(3, 4, 0), V(3, 4, 0), ball(V(0, 0, 0), 1), 4);    /* two points */
    check(V(-1, 0, 0), V(1, 0, 0), ball(V(0, 0, 0), 0.5), 0); /* through the middle */
    check_normal(check(V(-1, 0.25, 0), V(1, 0.25, 0), ball(V(0, 0, 0), 0.5), 0), V(0, 1, 0));
    check(V(0, 0, 0), V(0, 0, 0), ball(V(0, 0, 0), 0), 0);  /* one point */
    check(V(-1, 1, 0), V(1, 1, 0), ball(V(0, 0, 0), 1), 0); /* touching */
    check(V(2, 0, 0), V(3, 0, 0), ball(V(0.5, 0, 0), 0), 1.5);
}

static void rods(void **state)
{
    (void)state;
    check(V(-1, 0, 1), V(1, 0, 1), rod(V(0, -1, 0), V(0, 1, 0), 0.25), 0.75); /* crossing */
    check(V(0, 2, 0), V(0, 3, 0), rod(V(0, -1, 0), V(0, 1, 0), 0.25), 0.75);  /* collinear */
    check(V(1, -5, 0), V(1, 5, 0), rod(V(0, -1, 0), V(0, 1, 0), 0.25), 0.75); /* parallel */
    check(V(-1, 0, 0), V(1, 0, 0), rod(V(0, -1, 0), V(0, 1, 0), 0), 0);       /* lines that meet */
    check_normal(check(V(1, 0, 0), V(2, 0, 0), rod(V(0, 0, 0), V(0, 0, 0), 0.5), 0.5), V(1, 0, 0));
    /* axes that meet: out is across both */
    check_normal(check(V(-1, 0, 0), V(1, 0, 0), rod(V(0, 0, -1), V(0, 0, 1), 0.25), 0), V(0, -1, 0));
    check_normal(check(V(0, 0, -1), V(0, 0, 1), rod(V(0, -1, 0), V(0, 1, 0), 0.25), 0), V(-1, 0, 0));
}

static void blocks(void **state)
{
    clash_shape cube = block(V(0, 0, 0), V(1, 1, 1));

    (void)state;
    check_normal(check(V(0.5, 3, 0), V(0.5, 5, 0), cube, 2), V(0, 1, 0));      /* end over a face */
    check_normal(check(V(-5, 3, 0.5), V(5, 3, 0.5), cube, 2), V(0, 1, 0));     /* parallel to a face */
    check(V(2, 2, -5), V(2, 2, 5), cube, sqrt(2));                             /* parallel to an edge */
    check(V(4, 2, 0), V(2, 4, 0), cube, 2 * sqrt(2));                          /* across an edge */
    check(V(2, 2, 2), V(3, 3, 3), cube, sqrt(3));                              /* end at a corner */
    check(V(-5, 1, 1), V(5, 1, 1), cube, 0);                                   /* along an edge */
    check(V(-5, 1, 0), V(5, 1, 0), cube, 0);                                   /* along a face */
    check(V(-5, 0, 0), V(5, 0, 0), cube, 0);                                   /* through it */
    check_normal(check(V(0, 0.75, 0), V(0.1, 0.75, 0), cube, 0), V(0, 1, 0));  /* inside, near the top */
    check_normal(check(V(0, 0, -0.75), V(0, 0, -0.75), cube, 0), V(0, 0, -1)); /* a point inside */
    check(V(0, 5, 0), V(0, 5, 0), cube, 4);                                    /* a point outside */
    check(V(1, 1, 1), V(2, 3, 4), cube, 0);                                    /* from a corner */
    check(V(-5, 2, 0), V(5, 2, 0), block(V(0, 0, 0), V(1, 0, 1)), 2);          /* a plate */
    check(V(0, -1, 0), V(0, 1, 0), block(V(0, 0, 0), V(1, 0, 1)), 0);          /* pierced */
    check(V(0, -1, 2), V(0, 1, 2), block(V(0, 0, 0), V(1, 0, 0)), 2);          /* a stick */
    check(V(3, 4, 0), V(3, 4, 9), block(V(0, 0, 0), V(0, 0, 0)), 5);           /* a point */
    check(V(0, 0, 0), V(0, 0, 0), block(V(0, 0, 0), V(0, 0, 0)), 0);
}

static void shapes_stand_where_their_device_does(void **state)
{
    clash_quat turned = {0, 0, (float)sqrt(0.5), (float)sqrt(0.5)}; /* a quarter turn about z */
    clash_pose pose = {turned, V(10, 0, 0)};
    clash_shape box = {CLASH_SHAPE_BOX, {.box = {V(2, 0, 0), turned, V(1, 0.5, 0.25)}}};
    clash_toi_output c;

    (void)state;
    /* The device's x is the stage's y: centre at (10, 2, 0). Both quarter turns make half a turn: x is 1 wide again. */
    assert_near(clash_shape_distance(V(15, 2, 0), V(13, 2, 0), &box, &pose, &c), 2, 1e-6);
    assert_near(c.contact.points[1].x, 11, 1e-5);
    check_normal(c, V(1, 0, 0));
    assert_near(clash_shape_distance(V(10, 5, 0), V(10, 4, 0), &box, &pose, NULL), 1.5, 1e-6);
}

static void a_kilometre_away_costs_no_precision(void **state)
{
    clash_pose far = {{0, 0, 0, 1}, V(1024, -1024, 1024)};
    clash_shape cube = block(V(0, 0, 0), V(1, 1, 1));

    (void)state;
    assert_near(clash_shape_distance(V(1024, -1022, 1024), V(1024, -1020, 1024), &cube, &far, NULL), 1, 1e-9);
}

static void bad_input_gives_nan(void **state)
{
    clash_toi_output c = {.contact = {.distance = 7}};
    clash_shape wrong[] = {ball(V(0, NAN, 0), 1), ball(V(0, 0, 0), -1), rod(V(0, 0, 0), V(0, 0, 0), INFINITY),
                           block(V(0, 0, 0), V(1, -1, 1)), block(V(0, 0, NAN), V(1, 1, 1))};
    clash_shape good = ball(V(0, 0, 0), 1), unturned = block(V(0, 0, 0), V(1, 1, 1));
    clash_pose bad = {{0, 0, 0, 0}, {0, 0, 0}};

    (void)state;
    unturned.as.box.orientation = (clash_quat){0, 0, 0, 0};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_true(isnan(clash_shape_distance(V(5, 0, 0), V(6, 0, 0), &wrong[i], &origin, &c)));
    assert_true(isnan(clash_shape_distance(V(5, 0, 0), V(6, 0, 0), &unturned, &origin, &c)));
    assert_true(isnan(clash_shape_distance(V(5, 0, 0), V(NAN, 0, 0), &good, &origin, &c)));
    assert_true(isnan(clash_shape_distance(V(5, 0, 0), V(6, 0, 0), &good, &bad, &c)));
    assert_near(c.contact.distance, 7, 0);
}

static void random_distances_agree(void **state)
{
    uint64_t seed = random_seed(17);
    random_state r = {seed};

    (void)state;
    for (long i = 0; i < random_cases(30000); i++) {
        target_query q = target_query_any(&r, random_below(&r, TARGET_QUERY_KINDS), random_below(&r, TARGET_SHAPES));
        clash_pose still = {{0, 0, 0, 1}, q.blade.motion.from.position};
        clash_body axis = {q.blade.shape, {still, still}};
        impact_target there = {q.target.shape, {q.target.motion.from, q.target.motion.from}};
        clash_vec3 p0 = clash_pose_apply(&still, axis.shape.base), p1 = clash_pose_apply(&still, axis.shape.tip);
        truth_target t;
        double expected, d;

        axis = (clash_body){{p0, p1, 0}, {origin, origin}};
        t = truth_target_of(&axis, (clash_span){0, 1}, &there, (clash_span){0, 1});
        expected = truth_at(&t, 0).distance;
        d = (double)clash_shape_distance(p0, p1, &there.shape, &there.motion.from, NULL);
        if (fabs(d - expected) > 1e-7 * expected + 1e-10 * t.size)
            fail_msg("seed %llu case %ld: %.9g, expected %.9g", (unsigned long long)seed, i, d, expected);
    }
}

/** What is inside a box is led out by the nearest face. */
static void out_of_each_face_of_a_box(void **state)
{
    const clash_shape box = block(V(1, 2, 3), V(0.5, 0.25, 1));
    const clash_vec3 faces[] = {V(0.5, 0, 0), V(-0.5, 0, 0), V(0, 0.25, 0), V(0, -0.25, 0), V(0, 0, 1), V(0, 0, -1)};

    (void)state;
    for (int i = 0; i < 6; i++) {
        const clash_vec3 f = faces[i], at = V(1 + 0.9f * f.x, 2 + 0.9f * f.y, 3 + 0.9f * f.z);
        const float length = fabsf(f.x + f.y + f.z);

        check_normal(check(at, at, box, 0), V(f.x / length, f.y / length, f.z / length));
    }
}

static void lines_cross_balls(void **state)
{
    clash_sphere s = {V(0, 0, 0), 1};
    double t[2] = {7, 7};

    (void)state;
    assert_int_equal(clash_line_sphere(V(-3, 0, 0), V(1, 0, 0), &s, t), 2);
    assert_near(t[0], 2, 1e-15);
    assert_near(t[1], 4, 1e-15);
    assert_int_equal(clash_line_sphere(V(-3, 0, 0), V(-2, 0, 0), &s, t), 2); /* behind, twice as fast */
    assert_near(t[0], -2, 1e-15);
    assert_near(t[1], -1, 1e-15);
    assert_int_equal(clash_ray_sphere(V(-3, 0, 0), V(-2, 0, 0), &s, t), 0);
    assert_int_equal(clash_ray_sphere(V(-3, 0, 0), V(2, 0, 0), &s, t), 2);
    assert_near(t[0], 1, 1e-15);
    assert_int_equal(clash_ray_sphere(V(0, 0, 0), V(0, 0.5, 0), &s, t), 2); /* from inside */
    assert_near(t[0], -2, 1e-15);
    assert_near(t[1], 2, 1e-15);
    assert_int_equal(clash_line_sphere(V(-3, 1, 0), V(1, 0, 0), &s, t), 2); /* touching */
    assert_near(t[0], 3, 1e-15);
    assert_near(t[1], 3, 1e-15);
    t[0] = 7;
    assert_int_equal(clash_line_sphere(V(-3, 1.0001, 0), V(1, 0, 0), &s, t), 0);
    assert_int_equal(clash_line_sphere(V(-3, 0, 0), V(0, 0, 0), &s, t), -1);
    assert_int_equal(clash_ray_sphere(V(-3, 0, NAN), V(1, 0, 0), &s, t), -1);
    assert_int_equal(clash_line_sphere(V(-3, 0, 0), V(1, 0, 0), &(clash_sphere){V(0, 0, 0), -1}, t), -1);
    assert_near(t[0], 7, 0);
    /* a point for a ball */
    assert_int_equal(clash_line_sphere(V(-3, 0, 0), V(1, 0, 0), &(clash_sphere){V(0, 0, 0), 0}, t), 2);
    assert_near(t[0], 3, 1e-15);
    assert_near(t[1], 3, 1e-15);
}

/** Both parameters lead to the surface, from near and far. */
static void random_lines_end_on_the_ball(void **state)
{
    uint64_t seed = random_seed(19);
    random_state r = {seed};
    long crossings = 0;

    (void)state;
    for (long i = 0; i < random_cases(100000); i++) {
        double size = hard_decades(&r, -3, 4), radius = hard_decades(&r, -3, 2), t[2];
        clash_sphere s = {random_box(&r, size), (float)radius};
        clash_vec3 o = random_box(&r, size), d = hard_scaled(random_direction(&r), hard_decades(&r, -2, 2));
        clash_vec3 toward = {s.center.x - o.x, s.center.y - o.y, s.center.z - o.z};
        int found;

        if (random_below(&r, 2))
            d = query_add(hard_scaled(toward, random_in(&r, 0.1, 2)), random_box(&r, radius));
        found = clash_line_sphere(o, d, &s, t);
        crossings += found == 2;
        for (int k = 0; k < found; k++) {
            ref_vec at = ref_mad(ref_of(o), ref_of(d), t[k]);
            double off = ref_length(truth_from_to(ref_of(s.center), at)) - (double)s.radius;

            if (!(fabs(off) <= 1e-7 * (double)s.radius + 1e-12 * size) || t[0] > t[1])
                fail_msg("seed %llu case %ld: %g off the surface", (unsigned long long)seed, i, off);
        }
        if (found == 0) {
            double least = ref_length(ref_cross(truth_from_to(ref_of(s.center), ref_of(o)), ref_of(d)));

            assert_true(least > (double)s.radius * ref_length(ref_of(d)) * (1 - 1e-12));
        }
    }
    assert_true(crossings > 1000);
}

static void points_balls_and_capsules(void **state)
{
    clash_capsule flat = {V(-1, 0, 0), V(1, 0, 0), 0.25f}, other = {V(0, -1, 0), V(0, 1, 0), 0.5f};
    clash_contact c = {.distance = 7};
    float along = 7;

    (void)state;
    assert_near(clash_point_segment_distance(V(0, 2, 0), V(-1, 0, 0), V(3, 0, 0), &along), 2, 0);
    assert_near(along, 0.25, 0);
    assert_near(clash_point_segment_distance(V(-4, 4, 0), V(-1, 0, 0), V(3, 0, 0), &along), 5, 0);
    assert_near(along, 0, 0);
    assert_near(clash_point_segment_distance(V(3, 4, 0), V(0, 0, 0), V(0, 0, 0), NULL), 5, 0);
    along = 7;
    assert_true(isnan(clash_point_segment_distance(V(NAN, 4, 0), V(0, 0, 0), V(0, 0, 0), &along)));
    assert_near(along, 7, 0);
    assert_near(clash_sphere_capsule_distance(&(clash_sphere){V(0, 2, 0), 0.5f}, &flat, &c), 1.25, 0);
    assert_near(c.distance, 2, 0);
    assert_near(clash_sphere_capsule_distance(&(clash_sphere){V(0, 0.25f, 0), 0.5f}, &flat, NULL), -0.5, 0);
    assert_near(clash_capsule_distance(&flat, &other, &c), -0.75, 0); /* in one plane, crossing */
    assert_near(c.distance, 0, 0);
    other.base = V(0, 3, 0), other.tip = V(0, 2, 0);
    assert_near(clash_capsule_distance(&flat, &other, &c), 1.25, 0);
    assert_near(c.points[1].y, 2, 0);
    other.radius = -1;
    c.distance = 7;
    assert_true(isnan(clash_capsule_distance(&flat, &other, &c)));
    assert_true(isnan(clash_sphere_capsule_distance(&(clash_sphere){V(0, 2, 0), INFINITY}, &flat, &c)));
    assert_near(c.distance, 7, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls),
        cmocka_unit_test(rods),
        cmocka_unit_test(blocks),
        cmocka_unit_test(shapes_stand_where_their_device_does),
        cmocka_unit_test(a_kilometre_away_costs_no_precision),
        cmocka_unit_test(bad_input_gives_nan),
        cmocka_unit_test(random_distances_agree),
        cmocka_unit_test(out_of_each_face_of_a_box),
        cmocka_unit_test(lines_cross_balls),
        cmocka_unit_test(random_lines_end_on_the_ball),
        cmocka_unit_test(points_balls_and_capsules),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
