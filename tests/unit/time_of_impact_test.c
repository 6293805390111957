/* The time of impact as a game asks for it, the way the header shows it: saber and saber, sword and shield, a contact followed
 * from frame to frame; what the defaults are; and input that is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <clash/contact.h>

#include "support/near.h"

#define UPRIGHT ((clash_quat){0, 0, 0, 1})

static const clash_capsule saber = {{0, 0, 0}, {0, 0, -1}, 0.01f};
static const clash_capsule post = {{0, -1, 0}, {0, 1, 0}, 0.01f};

static const clash_motion still = {{{0, 0, 0, 1}, {0, 0, 0}}, {{0, 0, 0, 1}, {0, 0, 0}}};
static const clash_motion swing = {{{0, 0, 0, 1}, {-1, 0, 0}}, {{0, 0, 0, 1}, {1, 0, 0}}};

static clash_motion along_x(float from, float to)
{
    return (clash_motion){{UPRIGHT, {from, 0, 0}}, {UPRIGHT, {to, 0, 0}}};
}

/** A saber that goes from x = -1 to 1, and a post at x = 0. */
static clash_toi_input saber_and_post(void)
{
    clash_toi_input in = clash_toi_input_default();

    in.colliders[0] = clash_collider_of_capsules(&saber, 1, &swing);
    in.colliders[1] = clash_collider_of_capsules(&post, 1, &still);
    return in;
}

static void two_sabers(void **state)
{
    clash_toi_input in = saber_and_post();
    clash_body a = {saber, swing}, b = {post, still};
    clash_contact contact;
    clash_toi_output hit;

    (void)state;
    assert_int_equal(clash_time_of_impact(&in, &hit), CLASH_SWEEP_HIT);
    assert_near(hit.contact.fraction, 0.49, 1e-8);
    assert_int_equal(hit.triangle, CLASH_NO_TRIANGLE);
    assert_true(hit.surface_normal.x == 0 && hit.surface_normal.y == 0 && hit.surface_normal.z == 0);
    assert_int_equal(hit.parts[0] + hit.parts[1], 0);
    assert_int_equal(clash_sweep(&a, &b, &contact), CLASH_SWEEP_HIT);
    assert_true(contact.fraction == hit.contact.fraction && contact.midpoint.x == hit.contact.midpoint.x);
    in.margin = 0.08f;
    assert_int_equal(clash_time_of_impact(&in, &hit), CLASH_SWEEP_HIT);
    assert_near(hit.contact.fraction, 0.45, 1e-7);
    in.colliders[0].span = (clash_span){0, 0.4};
    assert_int_equal(clash_time_of_impact(&in, NULL), CLASH_SWEEP_APART);
    assert_int_equal(clash_contact_at(&in, 1, &hit), CLASH_SWEEP_APART);
    assert_near(hit.contact.distance, 0.2, 1e-7);
}

/** The guard, which is the second part, comes first to a shield. */
static void a_sword_and_a_shield(void **state)
{
    const clash_capsule sword[2] = {saber, {{0, 0, 0}, {0.1f, 0, 0}, 0.02f}};
    const clash_shape shield = {CLASH_SHAPE_BOX, {.box = {{0, 0, 0}, UPRIGHT, {0.05f, 0.5f, 0.5f}}}};
    const clash_motion thrust = along_x(-1, 0);
    clash_toi_input in = clash_toi_input_default();
    clash_toi_output hit;

    (void)state;
    in.colliders[0] = clash_collider_of_capsules(sword, 2, &thrust);
    in.colliders[1] = clash_collider_of_shape(&shield, &still);
    assert_int_equal(clash_time_of_impact(&in, &hit), CLASH_SWEEP_HIT);
    assert_near(hit.contact.fraction, 1 - 0.05 - 0.1 - 0.02, 1e-7);
    assert_int_equal(hit.parts[0], 1);
    assert_near(hit.surface_normal.x, -1, 1e-6);
    assert_near(hit.contact.points[1].x, -0.05, 1e-6);
}

static void a_contact_from_frame_to_frame(void **state)
{
    clash_contact_change changes[CLASH_CONTACT_CHANGES_MAX];
    clash_contact_state contact = {0};
    clash_toi_input in = saber_and_post();
    size_t starts = 0, ends = 0;
    clash_motion motion;

    (void)state;
    in.colliders[0].motion = &motion;
    for (int frame = 0; frame < 20; frame++) {
        const float from = -1 + 0.1f * (float)frame;
        size_t count;

        motion = along_x(from, from + 0.1f);
        count = clash_contact_advance(&contact, &in, changes);
        for (size_t i = 0; i < count; i++) {
            starts += changes[i].kind == CLASH_CONTACT_START;
            ends += changes[i].kind == CLASH_CONTACT_END;
            assert_int_equal(changes[i].impact.triangle, CLASH_NO_TRIANGLE);
        }
    }
    assert_true(starts == 1 && ends == 1 && !contact.touching);
}

static void a_default_is_all_but_the_colliders(void **state)
{
    clash_toi_input in = clash_toi_input_default();

    (void)state;
    assert_true(in.margin == 0 && in.release_margin == 0.005f);
    assert_true(in.colliders[0].span.from == 0 && in.colliders[1].span.to == 1);
    assert_int_equal(clash_time_of_impact(&in, NULL), CLASH_SWEEP_INVALID);
}

/** What is wrong with one of the colliders, or with the input, by number; false: there are no more. */
static bool spoil(clash_toi_input *in, int how)
{
    static const clash_shape ball = {CLASH_SHAPE_SPHERE, {.sphere = {{0, 0, 0}, 0.1f}}};
    static const clash_shape no_mesh = {CLASH_SHAPE_MESH, {.mesh = NULL}};
    static const clash_shape no_kind = {(clash_shape_kind)99, {.mesh = NULL}};
    static const clash_motion unturned = {{{0, 0, 0, 1}, {0, 0, 0}}, {{0, 0, 0, 0}, {0, 0, 0}}};
    const clash_shape *const shapes[3] = {&no_mesh, &no_kind, &ball};

    switch (how) {
    case 0:
    case 1:
        in->colliders[how].capsule_count = 0;
        return true;
    case 2:
    case 3:
        in->colliders[how - 2].capsule_count = CLASH_PARTS_MAX + 1;
        return true;
    case 4:
    case 5:
        in->colliders[1] = clash_collider_of_shape(shapes[how - 4], &still);
        return true;
    case 6: /* a shape that comes first */
        in->colliders[0] = clash_collider_of_shape(&ball, &still);
        return true;
    case 7: /* both capsules and a shape */
        in->colliders[1].shape = &ball;
        return true;
    case 8:
        in->colliders[1].capsules = NULL;
        return true;
    case 9:
        in->colliders[1].span = (clash_span){0.6, 0.4};
        return true;
    case 10:
        in->margin = -1;
        return true;
    case 11:
        in->colliders[0].motion = &unturned;
        return true;
    case 12:
        in->colliders[1].motion = NULL;
        return true;
    default:
        return false;
    }
}

static void what_is_no_input_writes_nothing(void **state)
{
    clash_toi_input in = saber_and_post();
    clash_contact_change changes[CLASH_CONTACT_CHANGES_MAX];
    clash_contact_state contact = {.touching = true, .min_distance = 7};
    clash_toi_output out, before;

    (void)state;
    memset(&out, 0x5a, sizeof out);
    before = out;
    for (int how = 0; spoil(&in, how); how++, in = saber_and_post()) {
        assert_int_equal(clash_time_of_impact(&in, &out), CLASH_SWEEP_INVALID);
        assert_int_equal(clash_contact_at(&in, 0.5, &out), CLASH_SWEEP_INVALID);
        assert_int_equal(clash_contact_advance(&contact, &in, changes), 0);
    }
    assert_int_equal(clash_contact_at(&in, 1.5, &out), CLASH_SWEEP_INVALID);
    in.colliders[0].span = (clash_span){0, 0.1};
    assert_int_equal(clash_time_of_impact(&in, &out), CLASH_SWEEP_APART);
    in.release_margin = -1;
    assert_int_equal(clash_contact_advance(&contact, &in, changes), 0);
    assert_true(contact.touching && contact.min_distance == 7);
    assert_memory_equal(&out, &before, sizeof out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_sabers),
        cmocka_unit_test(a_sword_and_a_shield),
        cmocka_unit_test(a_contact_from_frame_to_frame),
        cmocka_unit_test(a_default_is_all_but_the_colliders),
        cmocka_unit_test(what_is_no_input_writes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
