/* Convex hulls that are solid in contacts: a box given as a hull against the box shape, at rest, swept and followed over many
 * frames; hulls of random points against an exhaustive search (clipped by every plane, measured to every triangle, at many
 * times); the same under rigid motions; and what clash_hull_create refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include <clash/mesh.h>

#include "support/impact.h"
#include "support/surface_scenes.h"

enum { POINTS = 9, FACES = 2 * POINTS, TIMES = 400, FRAMES = 40 };

static const clash_span whole = {0, 1};
static const clash_pose unit = {{0, 0, 0, 1}, {0, 0, 0}};

/** Corners by the bits x, y, z; counter-clockwise seen from outside. */
static const uint32_t sides[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                      {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};

typedef struct solid {
    clash_vec3 vertices[POINTS];
    uint32_t triangles[FACES][3], count;
    clash_mesh *hull, *faces[FACES];
} solid;

static clash_vec3 random_half(random_state *r)
{
    return (clash_vec3){(float)random_in(r, 0.02, 0.6), (float)random_in(r, 0.02, 0.6), (float)random_in(r, 0.02, 0.6)};
}

static void box_corners(clash_vec3 half, clash_vec3 out[8])
{
    for (int k = 0; k < 8; k++)
        out[k] = (clash_vec3){k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z};
}

static clash_mesh *box_hull(clash_vec3 half)
{
    clash_vec3 corners[8];
    const char *why = "unset";
    clash_mesh *hull;

    box_corners(half, corners);
    hull = clash_hull_create(corners, 8, sides, 12, &why);
    assert_non_null(hull);
    assert_null(why);
    return hull;
}

static double dot(clash_vec3 a, clash_vec3 b)
{
    return (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z;
}

static bool is_near(clash_vec3 a, clash_vec3 b, double within)
{
    clash_vec3 d = {a.x - b.x, a.y - b.y, a.z - b.z};

    return dot(d, d) <= within * within;
}

/** Return a stage vector in the axes of a device at `pose`. */
static clash_vec3 turned_back(const clash_pose *pose, clash_vec3 v)
{
    const clash_pose back = clash_pose_inverse(pose);

    return clash_pose_rotate(&back, v);
}

/** Return the depth of a stage point in a box at `pose`, by the face with that normal (stage). */
static double depth_by(clash_vec3 half, const clash_pose *pose, clash_vec3 point, clash_vec3 normal)
{
    clash_vec3 p = turned_back(pose, surface_scene_minus(point, pose->position)), n = turned_back(pose, normal);

    return dot((clash_vec3){fabsf(n.x), fabsf(n.y), fabsf(n.z)}, half) - dot(n, p);
}

/** Return its depth by the nearest face. */
static double box_depth(clash_vec3 half, const clash_pose *pose, clash_vec3 point)
{
    clash_vec3 p = turned_back(pose, surface_scene_minus(point, pose->position));

    return fmin((double)(half.x - fabsf(p.x)), fmin((double)(half.y - fabsf(p.y)), (double)(half.z - fabsf(p.z))));
}

static void a_box_as_a_hull_is_at_rest_as_the_box(void **state)
{
    random_state r = {random_seed(2000003)};
    long inside = 0, outside = 0, deep = 0;

    (void)state;
    for (int i = 0; i < (int)random_cases(4000); i++) {
        clash_vec3 half = random_half(&r), p0 = random_box(&r, 0.7), p1 = random_box(&r, 0.7);
        clash_mesh *mesh = box_hull(half);
        clash_shape hull = {CLASH_SHAPE_MESH, {.mesh = mesh}};
        clash_shape box = {CLASH_SHAPE_BOX, {.box = {{0, 0, 0}, {0, 0, 0, 1}, half}}};
        clash_pose pose = {random_turn(&r, 6.28), random_box(&r, 0.2)};
        clash_toi_output a;
        float d = clash_shape_distance(p0, p1, &hull, &pose, &a), e = clash_shape_distance(p0, p1, &box, &pose, NULL);

        assert_true(fabsf(d - e) <= 1e-7f && (d == 0) == (e == 0) && d == a.contact.distance);
        inside += d == 0;
        outside += d > 0;
        if (d == 0) {
            /* a point of both: in the box, and on the axis; and the nearest face's normal there */
            double depth = box_depth(half, &pose, a.contact.points[0]);

            assert_true(depth > -1e-6);
            assert_true(is_near(a.contact.points[1], a.contact.points[0], 0));
            assert_true(clash_point_segment_distance(a.contact.points[0], p0, p1, NULL) < 1e-6f);
            assert_true(fabs(depth_by(half, &pose, a.contact.points[0], a.surface_normal) - depth) < 1e-6);
            deep += depth > 0.01;
            assert_true(dot(a.contact.normal, a.surface_normal) < -0.999);
            assert_true(a.triangle < 12);
        }
        clash_mesh_destroy(mesh);
    }
    assert_true(inside > random_enough(500) && outside > random_enough(500) && deep > random_enough(300));
}

static void a_box_as_a_hull_is_swept_as_the_box(void **state)
{
    random_state r = {random_seed(2000005)};
    long counts[4] = {0};

    (void)state;
    for (int i = 0; i < (int)random_cases(6000); i++) {
        clash_vec3 half = random_half(&r);
        clash_mesh *mesh = box_hull(half);
        impact_target hull = {{CLASH_SHAPE_MESH, {.mesh = mesh}}, surface_scene_motion(&r, (clash_vec3){0, 0, 0})};
        impact_target box = {{CLASH_SHAPE_BOX, {.box = {{0, 0, 0}, {0, 0, 0, 1}, half}}}, hull.motion};
        clash_body blade = surface_scene_blade(&r);
        clash_toi_output a, b, at;
        clash_sweep_result found = impact_sweep_target(&blade, whole, &hull, whole, 0, &a);

        assert_int_equal(found, impact_sweep_target(&blade, whole, &box, whole, 0, &b));
        counts[found]++;
        if (found == CLASH_SWEEP_HIT || found == CLASH_SWEEP_OVERLAP) {
            assert_true(fabs(a.contact.fraction - b.contact.fraction) < 1e-3);
            impact_target_at(&blade, whole, &box, whole, 0, a.contact.fraction, &at);
            assert_true(at.contact.distance <= blade.shape.radius + 1e-7f);
            assert_true(fabsf(a.contact.distance - b.contact.distance) <= 1e-7f);
        }
        clash_mesh_destroy(mesh);
    }
    assert_true(counts[CLASH_SWEEP_APART] > random_enough(200) && counts[CLASH_SWEEP_HIT] > random_enough(200) &&
                counts[CLASH_SWEEP_OVERLAP] > random_enough(200));
}

static void expect_same_changes(const clash_contact_change *a, size_t count_a, const clash_contact_change *b,
                                size_t count_b)
{
    assert_int_equal(count_a, count_b);
    for (size_t k = 0; k < count_a; k++) {
        assert_int_equal(a[k].kind, b[k].kind);
        assert_true(fabs(a[k].impact.contact.fraction - b[k].impact.contact.fraction) < 1e-3);
        assert_true(fabsf(a[k].min_distance - b[k].min_distance) <= 3e-5f);
    }
}

/** A blade that wanders through and around, also all inside, in frames that follow each other. */
static void a_box_as_a_hull_is_followed_as_the_box(void **state)
{
    random_state r = {random_seed(2000007)};
    long changes = 0, rests_inside = 0;

    (void)state;
    for (int i = 0; i < (int)random_cases(150); i++) {
        clash_vec3 half = random_half(&r);
        clash_mesh *mesh = box_hull(half);
        clash_pose there = {random_turn(&r, 6.28), random_box(&r, 0.2)};
        impact_target hull = {{CLASH_SHAPE_MESH, {.mesh = mesh}}, {there, there}}, box = hull;
        clash_capsule capsule = {random_box(&r, 0.15), random_box(&r, 0.15), (i & 3) ? 0.02f : 0.0f};
        impact_parts blade = {&capsule, 1, {{random_turn(&r, 6.28), random_box(&r, 0.6)}, unit}};
        impact_settings settings = {(i & 4) ? 0.01f : 0, (i & 8) ? 0 : 0.005f};
        clash_contact_state a = {0}, b = {0};

        box.shape = (clash_shape){CLASH_SHAPE_BOX, {.box = {{0, 0, 0}, {0, 0, 0, 1}, half}}};
        for (int frame = 0; frame < FRAMES; frame++) {
            clash_contact_change at[CLASH_CONTACT_CHANGES_MAX], bt[CLASH_CONTACT_CHANGES_MAX];
            size_t n, m;

            blade.motion.to = (clash_pose){quat_times(random_turn(&r, 0.4), blade.motion.from.orientation),
                                           query_add(blade.motion.from.position, random_box(&r, 0.15))};
            if (fabsf(blade.motion.to.position.x) + fabsf(blade.motion.to.position.y) > 1.2f)
                blade.motion.to.position = random_box(&r, 0.4);
            n = impact_advance_target(&a, settings, &blade, whole, &hull, whole, at);
            m = impact_advance_target(&b, settings, &blade, whole, &box, whole, bt);
            expect_same_changes(at, n, bt, m);
            assert_int_equal(a.touching, b.touching);
            changes += (long)n;
            rests_inside += n == 0 && a.touching && a.min_distance == 0;
            blade.motion.from = blade.motion.to;
        }
        clash_mesh_destroy(mesh);
    }
    assert_true(changes > random_enough(300) && rests_inside > random_enough(100));
}

static double above(const solid *s, const uint32_t t[3], clash_vec3 p)
{
    const clash_vec3 *v = s->vertices;
    double e[3] = {(double)v[t[1]].x - (double)v[t[0]].x, (double)v[t[1]].y - (double)v[t[0]].y,
                   (double)v[t[1]].z - (double)v[t[0]].z};
    double f[3] = {(double)v[t[2]].x - (double)v[t[0]].x, (double)v[t[2]].y - (double)v[t[0]].y,
                   (double)v[t[2]].z - (double)v[t[0]].z};
    double n[3] = {e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]};

    return (n[0] * ((double)p.x - (double)v[t[0]].x) + n[1] * ((double)p.y - (double)v[t[0]].y) +
            n[2] * ((double)p.z - (double)v[t[0]].z)) /
           sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
}

/** Take each triple of points that has all others on one side. */
static void hull_by_triples(solid *s)
{
    s->count = 0;
    for (uint32_t a = 0; a < POINTS; a++)
        for (uint32_t b = 0; b < POINTS; b++)
            for (uint32_t c = 0; c < POINTS; c++) {
                const uint32_t t[3] = {a, b, c};
                bool all = a < b && a < c && b != c;

                for (uint32_t k = 0; k < POINTS && all; k++)
                    all = k == a || k == b || k == c || above(s, t, s->vertices[k]) < 0;
                if (all)
                    memcpy(s->triangles[s->count++], t, sizeof t);
            }
}

static void make_solid(solid *s, random_state *r)
{
    const char *why = NULL;

    for (int k = 0; k < POINTS; k++)
        s->vertices[k] = random_box(r, 0.5);
    hull_by_triples(s);
    s->hull = clash_hull_create(s->vertices, POINTS, (const uint32_t(*)[3])s->triangles, s->count, &why);
    if (!s->hull)
        print_error("%s\n", why);
    assert_non_null(s->hull);
    for (uint32_t k = 0; k < s->count; k++)
        s->faces[k] = clash_mesh_create(s->vertices, POINTS, (const uint32_t(*)[3]) & s->triangles[k], 1);
}

static void destroy_solid(solid *s)
{
    for (uint32_t k = 0; k < s->count; k++)
        clash_mesh_destroy(s->faces[k]);
    clash_mesh_destroy(s->hull);
}

/** Return the distance of a segment in the hull's frame: 0 if anything is left of it behind all planes. */
static double exhaustive(const solid *s, clash_vec3 p0, clash_vec3 p1)
{
    double first = 0, last = 1, least = INFINITY;

    for (uint32_t k = 0; k < s->count; k++) {
        double h0 = above(s, s->triangles[k], p0), h1 = above(s, s->triangles[k], p1);
        clash_shape face = {CLASH_SHAPE_MESH, {.mesh = s->faces[k]}};

        if (h0 > 0 && h1 > 0)
            last = -1;
        else if (h0 > 0)
            first = fmax(first, h0 / (h0 - h1));
        else if (h1 > 0)
            last = fmin(last, h0 / (h0 - h1));
        least = fmin(least, (double)clash_shape_distance(p0, p1, &face, &unit, NULL));
    }
    return first <= last ? 0 : least;
}

static double exhaustive_at(const solid *s, const clash_body *blade, double fraction)
{
    clash_pose pose = clash_motion_at(&blade->motion, fraction);

    return exhaustive(s, clash_pose_apply(&pose, blade->shape.base), clash_pose_apply(&pose, blade->shape.tip));
}

static void no_contact_of_a_hull_is_missed_or_invented(void **state)
{
    random_state r = {random_seed(2000009)};
    long counts[4] = {0};
    solid s;

    (void)state;
    for (int i = 0; i < (int)random_cases(500); i++) {
        clash_body blade;
        clash_toi_output c;
        clash_sweep_result found;
        double until = 1;

        make_solid(&s, &r);
        blade = surface_scene_blade(&r);
        if (i & 3) { /* from anywhere near to anywhere near */
            blade.motion.from.position = random_box(&r, 0.8);
            blade.motion.to.position = random_box(&r, 0.8);
        }
        {
            impact_target target = {{CLASH_SHAPE_MESH, {.mesh = s.hull}}, {unit, unit}};

            found = impact_sweep_target(&blade, whole, &target, whole, 0, &c);
        }
        counts[found]++;
        assert_int_equal(found == CLASH_SWEEP_OVERLAP, exhaustive_at(&s, &blade, 0) <= (double)blade.shape.radius);
        if (found == CLASH_SWEEP_HIT) {
            until = c.contact.fraction;
            assert_true(fabs(exhaustive_at(&s, &blade, until) - (double)blade.shape.radius) < 1e-6);
        }
        for (int k = 0; k < TIMES && found != CLASH_SWEEP_OVERLAP; k++)
            assert_true(exhaustive_at(&s, &blade, until * k / TIMES) > (double)blade.shape.radius - 1e-6);
        destroy_solid(&s);
    }
    print_message("%ld apart, %ld hits, %ld overlaps\n", counts[CLASH_SWEEP_APART], counts[CLASH_SWEEP_HIT],
                  counts[CLASH_SWEEP_OVERLAP]);
    assert_true(counts[CLASH_SWEEP_APART] > random_enough(20) && counts[CLASH_SWEEP_HIT] > random_enough(20) &&
                counts[CLASH_SWEEP_OVERLAP] > random_enough(20));
}

/** A contact holds as long as the exhaustive distance says, with a blade so short that it is often all inside. */
static void a_contact_of_a_hull_ends_where_it_leaves(void **state)
{
    random_state r = {random_seed(2000011)};
    long ends = 0;
    solid s;

    (void)state;
    for (int i = 0; i < (int)random_cases(300); i++) {
        clash_capsule capsule = {random_box(&r, 0.05), random_box(&r, 0.05), (i & 1) ? 0.01f : 0.0f};
        clash_body blade = {capsule, {{random_turn(&r, 6.28), {0, 0, 0}}, {random_turn(&r, 6.28), {0, 0, 0}}}};
        impact_parts parts = {&capsule, 1, {unit, unit}};
        impact_settings settings = {0, 0.004f};
        clash_contact_change changes[CLASH_CONTACT_CHANGES_MAX];
        clash_contact_state contact = {0};
        size_t count;
        double beyond = (double)capsule.radius + 0.004;

        make_solid(&s, &r);
        blade.motion.from.position = random_box(&r, 0.2);
        blade.motion.to.position = random_box(&r, 0.9);
        parts.motion = blade.motion;
        {
            impact_target target = {{CLASH_SHAPE_MESH, {.mesh = s.hull}}, {unit, unit}};

            count = impact_advance_target(&contact, settings, &parts, whole, &target, whole, changes);
        }
        for (size_t k = 0; k < count; k++) {
            const double at = changes[k].impact.contact.fraction,
                         to = k + 1 < count ? changes[k + 1].impact.contact.fraction : 1;
            const bool starts = changes[k].kind == CLASH_CONTACT_START;

            ends += !starts;
            assert_true(!starts || exhaustive_at(&s, &blade, at) < (double)capsule.radius + 1e-6);
            assert_true(starts || fabs(exhaustive_at(&s, &blade, at) - beyond) < 1e-6);
            for (int j = 0; j < TIMES / 4 && starts; j++)
                assert_true(exhaustive_at(&s, &blade, at + (to - at) * j * 4 / TIMES) < beyond + 1e-6);
        }
        destroy_solid(&s);
    }
    assert_true(ends > random_enough(60));
}

static void rigid_motions_change_nothing(void **state)
{
    random_state r = {random_seed(2000013)};
    solid s;

    (void)state;
    for (int i = 0; i < (int)random_cases(300); i++) {
        clash_pose by = {random_turn(&r, 6.28), random_box(&r, 3)};
        clash_body blade, moved;
        clash_toi_output a, b;
        clash_sweep_result found;

        make_solid(&s, &r);
        moved = blade = surface_scene_blade(&r);
        moved.motion.from = clash_pose_mul(&by, &blade.motion.from);
        moved.motion.to = clash_pose_mul(&by, &blade.motion.to);
        {
            impact_target target = {{CLASH_SHAPE_MESH, {.mesh = s.hull}}, {unit, unit}};
            impact_target elsewhere = {target.shape, {by, by}};

            found = impact_sweep_target(&blade, whole, &target, whole, 0, &a);
            assert_int_equal(found, impact_sweep_target(&moved, whole, &elsewhere, whole, 0, &b));
        }
        if (found == CLASH_SWEEP_HIT || found == CLASH_SWEEP_OVERLAP) {
            assert_true(fabs(a.contact.fraction - b.contact.fraction) < 1e-3);
            assert_true(fabsf(a.contact.distance - b.contact.distance) < 3e-6f);
        }
        destroy_solid(&s);
    }
}

static void expect_refused(const clash_vec3 *vertices, uint32_t vertex_count, const uint32_t (*triangles)[3],
                           uint32_t count, const char *words)
{
    const char *why = NULL;

    errno = 0;
    assert_null(clash_hull_create(vertices, vertex_count, triangles, count, &why));
    assert_int_equal(errno, EINVAL);
    assert_non_null(why);
    assert_non_null(strstr(why, words));
    assert_null(clash_hull_create(vertices, vertex_count, triangles, count, NULL));
}

static void what_is_no_convex_solid_is_refused_with_words(void **state)
{
    clash_vec3 corners[16];
    uint32_t t[24][3], inverted[12][3], many[CLASH_HULL_TRIANGLES_MAX + 1][3];
    clash_mesh *far;

    (void)state;
    box_corners((clash_vec3){1, 1, 1}, corners);
    for (int i = 0; i < 12; i++)
        for (int k = 0; k < 3; k++) {
            t[i][k] = sides[i][k];
            t[12 + i][k] = sides[i][k] + 8;
            inverted[i][k] = sides[i][2 - k];
        }
    expect_refused(corners, 8, sides, 11, "enclose");
    expect_refused(corners, 8, (const uint32_t(*)[3])inverted, 12, "counter-clockwise");
    for (int k = 0; k < 8; k++)
        corners[8 + k] = query_add(corners[k], (clash_vec3){5, 0, 0});
    expect_refused(corners, 16, (const uint32_t(*)[3])t, 24, "convex");
    memset(many, 0, sizeof many);
    expect_refused(corners, 8, (const uint32_t(*)[3])many, CLASH_HULL_TRIANGLES_MAX + 1, "2048");
    expect_refused(corners, 7, sides, 12, "index");
    expect_refused(corners, 8, sides, 0, "no triangles");
    corners[0] = (clash_vec3){0.5f, 0.5f, 0.5f}; /* a dent */
    expect_refused(corners, 8, sides, 12, "convex");
    corners[0].x = NAN;
    expect_refused(corners, 8, sides, 12, "finite");
    for (int k = 0; k < 8; k++) { /* turned far from the origin, its sides are flat only but for rounding */
        clash_pose p = {{0.1f, 0.2f, 0.3f, 0.9f}, {10, 20, -30}};

        corners[k] = (clash_vec3){k & 1 ? 0.1f : -0.1f, k & 2 ? 0.2f : -0.2f, k & 4 ? 0.3f : -0.3f};
        corners[k] = clash_pose_apply(&p, corners[k]);
    }
    far = clash_hull_create(corners, 8, sides, 12, NULL);
    assert_non_null(far);
    clash_mesh_destroy(far);
}

static void invalid_blades_are_invalid(void **state)
{
    clash_mesh *mesh = box_hull((clash_vec3){1, 1, 1});
    impact_target target = {{CLASH_SHAPE_MESH, {.mesh = mesh}}, {unit, unit}};
    clash_body blade = {{{0, 0, 0}, {0.1f, 0, NAN}, 0.01f}, {unit, unit}};
    clash_toi_output c;

    (void)state;
    memset(&c, 7, sizeof c);
    assert_int_equal(impact_sweep_target(&blade, whole, &target, whole, 0, &c), CLASH_SWEEP_INVALID);
    assert_int_equal(c.triangle, 0x07070707);
    assert_true(isnan(clash_shape_distance(blade.shape.base, blade.shape.tip, &target.shape, &unit, NULL)));
    blade.shape.tip.z = 0;
    assert_int_equal(impact_sweep_target(&blade, whole, &target, whole, 0, &c), CLASH_SWEEP_OVERLAP);
    clash_mesh_destroy(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_as_a_hull_is_at_rest_as_the_box),
        cmocka_unit_test(a_box_as_a_hull_is_swept_as_the_box),
        cmocka_unit_test(a_box_as_a_hull_is_followed_as_the_box),
        cmocka_unit_test(no_contact_of_a_hull_is_missed_or_invented),
        cmocka_unit_test(a_contact_of_a_hull_ends_where_it_leaves),
        cmocka_unit_test(rigid_motions_change_nothing),
        cmocka_unit_test(what_is_no_convex_solid_is_refused_with_words),
        cmocka_unit_test(invalid_blades_are_invalid),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
