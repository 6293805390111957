/* Unity's colliders under scale, mirror and skew, held against matrices of the test's own and against what has to be so
 * whatever the rules are. The cases worked by hand are in unity_cases_test.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "protocol/messages/codec.h"
#include "support/random.h"
#include "support/unity_near.h"

typedef struct matrix {
    double at[4][4];
} matrix;

static matrix times(const matrix *a, const matrix *b)
{
    matrix out = {{{0}}};

    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 4; k++)
                out.at[i][j] += a->at[i][k] * b->at[k][j];
    return out;
}

static matrix diagonal(double x, double y, double z)
{
    return (matrix){{{x, 0, 0, 0}, {0, y, 0, 0}, {0, 0, z, 0}, {0, 0, 0, 1}}};
}

static matrix of_turn(clash_quat quat)
{
    const double n = sqrt((double)quat.x * (double)quat.x + (double)quat.y * (double)quat.y +
                          (double)quat.z * (double)quat.z + (double)quat.w * (double)quat.w);
    const double x = (double)quat.x / n, y = (double)quat.y / n, z = (double)quat.z / n, w = (double)quat.w / n;

    return (matrix){{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 0},
                     {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x), 0},
                     {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y), 0},
                     {0, 0, 0, 1}}};
}

/* What a chain does, and the rotation in it: each parent's mirror undone below what it mirrors. */
static void by_matrices(const clash_unity_transform *chain, size_t count, matrix *out_full, matrix *out_turn)
{
    *out_full = *out_turn = diagonal(1, 1, 1);
    for (size_t i = count; i-- > 0;) {
        const clash_vec3 s = chain[i].scale, p = chain[i].position;
        const matrix scale = diagonal((double)s.x, (double)s.y, (double)s.z);
        const matrix mirror = diagonal(s.x < 0 ? -1 : 1, s.y < 0 ? -1 : 1, s.z < 0 ? -1 : 1);
        matrix move = diagonal(1, 1, 1), turn = of_turn(chain[i].rotation);

        move.at[0][3] = (double)p.x, move.at[1][3] = (double)p.y, move.at[2][3] = (double)p.z;
        *out_full = times(&scale, out_full);
        *out_full = times(&turn, out_full);
        *out_full = times(&move, out_full);
        *out_turn = times(&mirror, out_turn);
        *out_turn = times(out_turn, &mirror);
        *out_turn = times(&turn, out_turn);
    }
}

static clash_vec3 through(const matrix *m, clash_vec3 v)
{
    const double from[4] = {(double)v.x, (double)v.y, (double)v.z, 1}, *at;
    double to[3] = {0};

    for (int i = 0; i < 3; i++) {
        at = m->at[i];
        to[i] = at[0] * from[0] + at[1] * from[1] + at[2] * from[2] + at[3] * from[3];
    }
    return (clash_vec3){(float)to[0], (float)to[1], (float)to[2]};
}

static clash_quat random_rotation(random_state *r)
{
    clash_quat q = {(float)random_in(r, -1, 1), (float)random_in(r, -1, 1), (float)random_in(r, -1, 1),
                    (float)random_in(r, 0.1, 1)};

    return q;
}

static float random_factor(random_state *r)
{
    const float factor = (float)random_in(r, 0.2, 3.0);

    return random_below(r, 12) == 0 ? 0.0f : random_below(r, 4) == 0 ? -factor : factor;
}

static size_t random_chain(random_state *r, clash_unity_transform *out, size_t most)
{
    const size_t count = (size_t)random_below(r, (int)most + 1);

    for (size_t i = 0; i < count; i++)
        out[i] = (clash_unity_transform){
            random_box(r, 3.0), random_rotation(r), {random_factor(r), random_factor(r), random_factor(r)}};
    return count;
}

static void assert_turn(const char *name, clash_quat is, const matrix *turn)
{
    const matrix m = of_turn(is);

    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            assert_near(name, "turn", m.at[i][j], turn->at[i][j]);
}

static double longest_column(const matrix *m)
{
    double longest = 0;

    for (int a = 0; a < 3; a++)
        longest =
            fmax(longest, sqrt(m->at[0][a] * m->at[0][a] + m->at[1][a] * m->at[1][a] + m->at[2][a] * m->at[2][a]));
    return longest;
}

/* Sizes from the diagonal of the inverse turn times the full matrix; R is a rotation, so that its inverse is turned over. */
static void random_chains_agree_with_matrices(void **state)
{
    random_state random = {random_seed(23)};

    (void)state;
    for (long i = 0; i < random_cases(20000); i++) {
        clash_unity_collider c = {.center = random_box(&random, 1.0), .radius = 0.3f, .height = 2, .size = {1, 2, 3}};
        clash_unity_transform chain[5];
        const size_t count = random_chain(&random, chain, 5);
        matrix full, turn;
        double s[3] = {0};
        clash_shape shape;
        clash_pose pose;

        by_matrices(chain, count, &full, &turn);
        for (int a = 0; a < 3; a++)
            for (int k = 0; k < 3; k++)
                s[a] += turn.at[k][a] * full.at[k][a];
        for (int a = 0; a < 3; a++)
            s[a] = fabs(s[a]);
        c.kind = CLASH_UNITY_BOX;
        assert_true(clash_unity_shape(&c, chain, count, &shape, &pose));
        assert_vec3("box", "half", shape.as.box.half, (clash_vec3){(float)s[0] / 2, (float)s[1], (float)s[2] * 1.5f});
        assert_vec3("box", "position", pose.position, through(&full, c.center));
        assert_turn("box", pose.orientation, &turn);
        c.kind = CLASH_UNITY_SPHERE;
        assert_true(clash_unity_shape(&c, chain, count, &shape, &pose));
        assert_near("sphere", "radius", (double)shape.as.sphere.radius, 0.3 * fmax(s[0], fmax(s[1], s[2])));
        c.sphere_rule = CLASH_UNITY_SPHERE_COLUMN;
        assert_true(clash_unity_shape(&c, chain, count, &shape, &pose));
        assert_near("sphere", "radius by its columns", (double)shape.as.sphere.radius, 0.3 * longest_column(&full));
        c.kind = CLASH_UNITY_CAPSULE;
        c.direction = (uint32_t)random_below(&random, 3);
        assert_true(clash_unity_shape(&c, chain, count, &shape, &pose));
        const double r = 0.3 * fmax(s[(c.direction + 1) % 3], s[(c.direction + 2) % 3]);
        assert_near("capsule", "radius", (double)shape.as.capsule.radius, r);
        assert_near("capsule", "axis", (double)clash_vec3_length(shape.as.capsule.tip), fmax(0, s[c.direction] - r));
        assert_turn("capsule", pose.orientation, &turn);
    }
}

/* Where nothing skews (only the collider's own transform scales unevenly) nothing is lost: each corner of the box is where
 * the full matrix takes a corner, whatever is mirrored. */
static void without_skew_a_box_is_what_the_matrix_makes_of_it(void **state)
{
    random_state random = {random_seed(24)};

    (void)state;
    for (long i = 0; i < random_cases(5000); i++) {
        const clash_unity_collider c = {
            .kind = CLASH_UNITY_BOX, .center = random_box(&random, 1.0), .size = {0.5f, 1, 1.5f}};
        clash_unity_transform chain[4];
        const size_t count = random_chain(&random, chain, 4);
        clash_unity_matrix full;
        clash_shape shape;
        clash_pose pose;

        for (size_t k = 0; k + 1 < count; k++) {
            const float even = fabsf(chain[k].scale.x);

            chain[k].scale = (clash_vec3){chain[k].scale.x, chain[k].scale.y < 0 ? -even : even,
                                          chain[k].scale.z < 0 ? -even : even};
        }
        assert_true(clash_unity_shape(&c, chain, count, &shape, &pose));
        assert_true(clash_unity_matrix_of(chain, count, &full));
        for (int corner = 0; corner < 8; corner++) {
            const float x = corner & 1 ? 0.5f : -0.5f, y = corner & 2 ? 0.5f : -0.5f, z = corner & 4 ? 0.5f : -0.5f;
            clash_vec3 expected = {c.center.x + x * c.size.x, c.center.y + y * c.size.y, c.center.z + z * c.size.z};
            double nearest = INFINITY;

            clash_unity_transform_points(&full, &expected, 1, &expected);
            for (int other = 0; other < 8; other++) {
                const clash_vec3 h = shape.as.box.half;
                const clash_vec3 at = clash_pose_apply(
                    &pose, (clash_vec3){other & 1 ? h.x : -h.x, other & 2 ? h.y : -h.y, other & 4 ? h.z : -h.z});

                nearest = fmin(nearest, (double)clash_vec3_length(
                                            (clash_vec3){at.x - expected.x, at.y - expected.y, at.z - expected.z}));
            }
            assert_near("corner", "distance", nearest / (1.0 + (double)clash_vec3_length(expected)), 0);
        }
    }
}

/* To make the shape and then mirror it into our axes, or to mirror all that it is made of: it is the same. */
static void mirrored_axes_may_come_before_or_after(void **state)
{
    random_state random = {random_seed(25)};

    (void)state;
    for (long i = 0; i < random_cases(2000); i++) {
        clash_unity_collider c = {.kind = CLASH_UNITY_BOX, .center = random_box(&random, 1.0), .size = {1, 2, 3}};
        clash_unity_transform chain[4];
        const size_t count = random_chain(&random, chain, 4);
        clash_shape shape, other_shape;
        clash_pose pose, other_pose;

        assert_true(clash_unity_shape(&c, chain, count, &shape, &pose));
        c.center = protocol_axes_vec3(PROTOCOL_AXES_UNITY, c.center);
        for (size_t k = 0; k < count; k++) {
            chain[k].position = protocol_axes_vec3(PROTOCOL_AXES_UNITY, chain[k].position);
            chain[k].rotation = protocol_axes_quat(PROTOCOL_AXES_UNITY, chain[k].rotation);
        }
        assert_true(clash_unity_shape(&c, chain, count, &other_shape, &other_pose));
        assert_vec3("mirrored", "position", protocol_axes_vec3(PROTOCOL_AXES_UNITY, pose.position),
                    other_pose.position);
        assert_vec3("mirrored", "half", shape.as.box.half, other_shape.as.box.half);
        const matrix turn = of_turn(other_pose.orientation);
        assert_turn("mirrored", protocol_axes_quat(PROTOCOL_AXES_UNITY, pose.orientation), &turn);
    }
}

static void a_mesh_goes_through_the_full_matrix(void **state)
{
    /* (1, 2, 0) turned by 90 degrees is (-2, 1, 0), then scaled (-2, 1, 1) and moved by (0, 0, 5). */
    const clash_unity_transform chain[2] = {{{0, 0, 5}, NO_TURN, {-2, 1, 1}},
                                            {{0, 0, 0}, {0, 0, 0.70710678f, 0.70710678f}, {1, 1, 1}}};
    clash_vec3 vertices[2] = {{1, 2, 0}, {0, 0, 3}};
    clash_unity_matrix full;

    (void)state;
    assert_true(clash_unity_matrix_of(chain, 2, &full));
    clash_unity_transform_points(&full, vertices, 2, vertices);
    assert_vec3("mesh", "vertex", vertices[0], (clash_vec3){4, 1, 5});
    assert_vec3("mesh", "vertex", vertices[1], (clash_vec3){0, 0, 8});
    assert_true(clash_unity_is_mirrored(&full));
    assert_true(clash_unity_matrix_of(&chain[1], 1, &full));
    assert_false(clash_unity_is_mirrored(&full));
    assert_true(clash_unity_matrix_of(NULL, 0, &full));
    assert_vec3("mesh", "axis", full.y, (clash_vec3){0, 1, 0});
}

static void what_cannot_be_is_refused(void **state)
{
    const clash_unity_collider ball = {.kind = CLASH_UNITY_SPHERE, .radius = 1};
    const clash_unity_transform still = {.rotation = NO_TURN, .scale = {1, 1, 1}};
    clash_unity_transform chain[CLASH_UNITY_TRANSFORMS_MAX + 1], t;
    clash_unity_collider c;
    clash_shape shape = {.kind = CLASH_SHAPE_MESH};
    clash_pose pose = {.position = {9, 9, 9}};

    (void)state;
    for (size_t i = 0; i < sizeof chain / sizeof chain[0]; i++)
        chain[i] = still;
    t = still, t.position.y = NAN;
    assert_false(clash_unity_shape(&ball, &t, 1, &shape, &pose));
    t = still, t.scale.z = INFINITY;
    assert_false(clash_unity_shape(&ball, &t, 1, &shape, &pose));
    t = still, t.rotation.w = 0;
    assert_false(clash_unity_shape(&ball, &t, 1, &shape, &pose));
    t = still, t.scale.x = 3e38f;
    assert_false(
        clash_unity_shape(&(clash_unity_collider){.kind = CLASH_UNITY_SPHERE, .radius = 10}, &t, 1, &shape, &pose));
    c = ball, c.radius = NAN;
    assert_false(clash_unity_shape(&c, chain, 1, &shape, &pose));
    c = ball, c.radius = -INFINITY;
    assert_false(clash_unity_shape(&c, chain, 1, &shape, &pose));
    c = ball, c.sphere_rule = (clash_unity_sphere_rule)2;
    assert_false(clash_unity_shape(&c, chain, 1, &shape, &pose));
    c = ball, c.center.x = NAN;
    assert_false(clash_unity_shape(&c, chain, 1, &shape, &pose));
    c = (clash_unity_collider){.kind = CLASH_UNITY_CAPSULE, .radius = 1, .height = 2, .direction = 3};
    assert_false(clash_unity_shape(&c, chain, 1, &shape, &pose));
    c = (clash_unity_collider){.kind = CLASH_UNITY_CAPSULE, .radius = 1, .height = -INFINITY};
    assert_false(clash_unity_shape(&c, chain, 1, &shape, &pose));
    c = (clash_unity_collider){.kind = CLASH_UNITY_BOX, .size = {1, NAN, 1}};
    assert_false(clash_unity_shape(&c, chain, 1, &shape, &pose));
    assert_false(clash_unity_shape(&ball, chain, CLASH_UNITY_TRANSFORMS_MAX + 1, &shape, &pose));
    assert_int_equal(shape.kind, CLASH_SHAPE_MESH);
    assert_true(pose.position.x == 9);
    assert_true(clash_unity_shape(&ball, chain, CLASH_UNITY_TRANSFORMS_MAX, &shape, &pose));
}

/* Of what its kind has; what belongs to another does not count. */
static void a_negative_size_can_be_told(void **state)
{
    const clash_unity_collider negative[] = {{.kind = CLASH_UNITY_SPHERE, .radius = -1},
                                             {.kind = CLASH_UNITY_BOX, .size = {-1, 1, 1}},
                                             {.kind = CLASH_UNITY_BOX, .size = {1, -1, 1}},
                                             {.kind = CLASH_UNITY_BOX, .size = {1, 1, -1}},
                                             {.kind = CLASH_UNITY_CAPSULE, .radius = -1, .height = 1},
                                             {.kind = CLASH_UNITY_CAPSULE, .radius = 1, .height = -1}};
    const clash_unity_collider not_negative[] = {
        {.kind = CLASH_UNITY_SPHERE, .radius = 0, .height = -1, .size = {-1, 0, 0}},
        {.kind = CLASH_UNITY_BOX, .radius = -1, .height = -1},
        {.kind = CLASH_UNITY_CAPSULE, .size = {-1, -1, -1}}};

    (void)state;
    for (size_t i = 0; i < sizeof negative / sizeof negative[0]; i++)
        assert_true(clash_unity_has_negative_size(&negative[i]));
    for (size_t i = 0; i < sizeof not_negative / sizeof not_negative[0]; i++)
        assert_false(clash_unity_has_negative_size(&not_negative[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_chains_agree_with_matrices),
        cmocka_unit_test(without_skew_a_box_is_what_the_matrix_makes_of_it),
        cmocka_unit_test(mirrored_axes_may_come_before_or_after),
        cmocka_unit_test(a_mesh_goes_through_the_full_matrix),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(a_negative_size_can_be_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
