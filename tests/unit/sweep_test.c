/* The sweep on motions whose first contact is known by hand, on invalid input, and the contact tracker's changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <clash/broad.h>
#include <clash/contact.h>

#include "support/impact.h"
#include "support/near.h"

#define V(x, y, z) ((clash_vec3){(float)(x), (float)(y), (float)(z)})
#define STILL ((clash_quat){0, 0, 0, 1})
static const clash_span whole = {0.0, 1.0};

static clash_body blade(clash_vec3 from, clash_vec3 to, clash_quat q0, clash_quat q1)
{
    return (clash_body){{V(0, 0, 0), V(0, 0, -1), 0.01f}, {{q0, from}, {q1, to}}};
}

static clash_quat about_y(double angle)
{
    return (clash_quat){0, (float)sin(angle / 2), 0, (float)cos(angle / 2)};
}

static clash_quat about_z(double angle)
{
    return (clash_quat){0, 0, (float)sin(angle / 2), (float)cos(angle / 2)};
}

/* Along x a blade that points to -z meets one that stands upright: gap 1 m, radii 0.02. */
static void straight_pass(void **state)
{
    clash_body a = blade(V(-1, 0, 0), V(1, 0, 0), STILL, STILL),
               b = blade(V(0, -0.5, -0.5), V(0, -0.5, -0.5), STILL, STILL);
    clash_contact c;

    (void)state;
    b.shape.tip = V(0, 1, 0);
    assert_int_equal(clash_sweep(&a, &b, &c), CLASH_SWEEP_HIT);
    assert_near(c.fraction, 0.49, 1e-8);
    assert_near(c.distance, 0.02, 1e-7);
    assert_near(c.midpoint.x, -0.01, 1e-6);
    assert_near(c.midpoint.y, 0, 1e-6);
    assert_near(c.midpoint.z, -0.5, 1e-6);
    assert_near(c.normal.x, 1, 1e-6);
    assert_near(c.along[0], 0.5, 1e-6);
    assert_near(c.along[1], 0.5, 1e-6);
    b.motion.from.position.y = b.motion.to.position.y = 0.03f; /* passes just below */
    assert_int_equal(clash_sweep(&a, &b, &c), CLASH_SWEEP_APART);
}

/* A half turn about y swings the tip through +x: a thin post there is met at a quarter of the turn and neither end pose is near. */
static void rotation_is_swept(void **state)
{
    clash_body a = blade(V(0, 0, 0), V(0, 0, 0), about_y(0), about_y(-3.0)),
               post = blade(V(0.8, -1, 0), V(0.8, -1, 0), STILL, STILL);
    clash_contact c;
    /* the axis is 0.02 from the post where sin(angle left) * 0.8 = 0.02 */
    double expected = (1.5707963267948966 - asin(0.02 / 0.8)) / 3.0;

    (void)state;
    post.shape.tip = V(0, 2, 0);
    assert_int_equal(clash_sweep(&a, &post, &c), CLASH_SWEEP_HIT);
    assert_near(c.fraction, expected, 1e-6);
    a.motion.to.orientation =
        (clash_quat){0, -a.motion.to.orientation.y, 0, -a.motion.to.orientation.w}; /* same rotation */
    assert_int_equal(clash_sweep(&a, &post, &c), CLASH_SWEEP_HIT);
    assert_near(c.fraction, expected, 1e-6);
}

static void parallel_and_collinear(void **state)
{
    clash_body a = blade(V(0, 0, 0), V(0, 0, 0), STILL, STILL), b = blade(V(1, 0, 0), V(0, 0, 0), STILL, STILL);
    clash_contact c;

    (void)state;
    assert_int_equal(clash_sweep(&a, &b, &c), CLASH_SWEEP_HIT);
    assert_near(c.fraction, 0.98, 1e-7);
    b.motion.from.position = V(0, 0, 2);
    b.motion.to.position = V(0, 0, 0); /* slides up from behind, tip first */
    assert_int_equal(clash_sweep(&a, &b, &c), CLASH_SWEEP_HIT);
    assert_near(c.fraction, 0.49, 1e-7);
    assert_near(c.along[0], 0, 1e-6);
    assert_near(c.along[1], 1, 1e-6);
    a.shape.tip = a.shape.base;
    b.shape.tip = b.shape.base; /* two balls: gap 2 - 0.02 */
    assert_int_equal(clash_sweep(&a, &b, &c), CLASH_SWEEP_HIT);
    assert_near(c.fraction, 0.99, 1e-7);
    a.shape.radius = b.shape.radius = 0; /* two points that meet at the very end */
    assert_int_equal(clash_sweep(&a, &b, &c), CLASH_SWEEP_HIT);
    assert_near(c.fraction, 1.0, 1e-7);
}

static void static_pairs(void **state)
{
    clash_body a = blade(V(0, 0, 0), V(0, 0, 0), STILL, STILL), b = blade(V(0.5, 0, 0), V(0.5, 0, 0), STILL, STILL);
    clash_contact c;

    (void)state;
    assert_int_equal(clash_sweep(&a, &b, &c), CLASH_SWEEP_APART);
    b.motion.from.position.x = b.motion.to.position.x = 0.015f;
    assert_int_equal(clash_sweep(&a, &b, &c), CLASH_SWEEP_OVERLAP);
    assert_near(c.fraction, 0, 0);
    assert_int_equal(clash_sweep(&a, &a, &c), CLASH_SWEEP_OVERLAP);
    assert_near(c.distance, 0, 0);
    assert_near(clash_vec3_length(c.normal), 1, 1e-6);
}

/* Zero radius: two lines that cross at one instant. A roll about its own axis moves nothing. */
static void zero_radius_crossing(void **state)
{
    clash_body a = blade(V(-1, 0, 0), V(2, 0, 0), STILL, about_z(1)),
               b = blade(V(0, -0.5, -0.3), V(0, -0.5, -0.3), STILL, STILL);
    clash_contact c;

    (void)state;
    b.shape.tip = V(0, 1, 0);
    a.shape.radius = b.shape.radius = 0;
    assert_int_equal(clash_sweep(&a, &b, &c), CLASH_SWEEP_HIT);
    assert_near(c.fraction, 1.0 / 3.0, 1e-7);
    assert_true(c.distance < 1e-8f);
    assert_near(clash_vec3_length(c.normal), 1, 1e-6);
}

static void margin_and_spans(void **state)
{
    clash_body a = blade(V(-1, 0, 0), V(1, 0, 0), STILL, STILL),
               b = blade(V(0, -0.5, -0.5), V(0, -0.5, -0.5), STILL, STILL);
    clash_contact c;

    (void)state;
    b.shape.tip = V(0, 1, 0);
    assert_int_equal(impact_sweep(&a, whole, &b, whole, 0.08f, &c), CLASH_SWEEP_HIT);
    assert_near(c.fraction, 0.45, 1e-7);
    /* a's second quarter against all of b: contact at 0.49 of a is 0.96 of that */
    assert_int_equal(impact_sweep(&a, (clash_span){0.25, 0.5}, &b, whole, 0, &c), CLASH_SWEEP_HIT);
    assert_near(c.fraction, 0.96, 1e-7);
    assert_int_equal(impact_sweep(&a, (clash_span){0.0, 0.48}, &b, whole, 0, &c), CLASH_SWEEP_APART);
    assert_int_equal(impact_sweep(&a, (clash_span){0.5, 0.5}, &b, whole, 0, &c), CLASH_SWEEP_OVERLAP);
    assert_int_equal(impact_at(&a, whole, &b, whole, 0, 0.25, &c), CLASH_SWEEP_APART);
    assert_near(c.distance, 0.5, 1e-6);
    assert_int_equal(impact_at(&a, whole, &b, whole, 0, 0.5, &c), CLASH_SWEEP_OVERLAP);
}

/* Two that never come near each other at the same fraction do when their spans run at different parts of their motions. */
static void spans_apart_at_equal_fractions(void **state)
{
    clash_body a = blade(V(0, 0, 0), V(10, 0, 0), STILL, STILL), b = blade(V(3.5, 0, 0), V(13.5, 0, 0), STILL, STILL);
    clash_contact_state track = {0};
    clash_contact_change changes[CLASH_CONTACT_CHANGES_MAX];
    clash_span late = {0.3, 0.9}, early = {0, 0.3};
    clash_contact c;

    (void)state;
    assert_int_equal(clash_sweep(&a, &b, &c), CLASH_SWEEP_APART);
    assert_int_equal(impact_sweep(&a, late, &b, early, 0, &c), CLASH_SWEEP_HIT); /* 3 + 6 x against 3.5 + 3 x */
    assert_near(c.fraction, 0.16, 1e-7);
    assert_int_equal(impact_advance(&track, (impact_settings){0, 0.005f}, &a, late, &b, early, changes), 2);
}

static void invalid_input(void **state)
{
    const clash_body good = blade(V(0, 0, 0), V(1, 0, 0), STILL, STILL);
    clash_contact c = {.distance = 7};
    clash_bounds nothing;
    clash_body bad = good;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof(float); i++) {
        const float values[] = {NAN, INFINITY, -INFINITY};

        for (int k = 0; k < 3; k++) {
            bad = good;
            ((float *)&bad)[i] = values[k];
            assert_int_equal(clash_sweep(&bad, &good, &c), CLASH_SWEEP_INVALID);
            assert_int_equal(clash_sweep(&good, &bad, &c), CLASH_SWEEP_INVALID);
            nothing = impact_body_bounds(&bad, 0.01f);
            assert_true(nothing.low.x > nothing.high.x && nothing.low.y > nothing.high.y);
            assert_true(nothing.low.z > nothing.high.z);
        }
    }
    bad = good;
    bad.shape.radius = -0.001f;
    assert_int_equal(clash_sweep(&good, &bad, &c), CLASH_SWEEP_INVALID);
    bad = good;
    bad.motion.to.orientation.w = 0;
    assert_int_equal(clash_sweep(&good, &bad, &c), CLASH_SWEEP_INVALID);
    assert_int_equal(impact_sweep(&good, whole, &good, whole, -1, &c), CLASH_SWEEP_INVALID);
    assert_int_equal(impact_sweep(&good, (clash_span){0.5, 0.4}, &good, whole, 0, &c), CLASH_SWEEP_INVALID);
    assert_int_equal(impact_sweep(&good, (clash_span){0, 1.1}, &good, whole, 0, &c), CLASH_SWEEP_INVALID);
    assert_int_equal(impact_sweep(&good, (clash_span){(double)NAN, 1}, &good, whole, 0, &c), CLASH_SWEEP_INVALID);
    assert_int_equal(impact_at(&good, whole, &good, whole, 0, 1.5, &c), CLASH_SWEEP_INVALID);
    assert_near(c.distance, 7, 0);
}

/* A pass through and out: start at 0.49, end where the distance is 0.02 + 0.005 again, least distance 0 between. */
static void tracker_start_and_end(void **state)
{
    clash_body a = blade(V(-1, 0, 0), V(1, 0, 0), STILL, STILL),
               b = blade(V(0, -0.5, -0.5), V(0, -0.5, -0.5), STILL, STILL);
    impact_settings settings = {0, 0.005f};
    clash_contact_state track = {0};
    clash_contact_change changes[CLASH_CONTACT_CHANGES_MAX];

    (void)state;
    b.shape.tip = V(0, 1, 0);
    assert_int_equal(impact_advance(&track, settings, &a, whole, &b, whole, changes), 2);
    assert_int_equal(changes[0].kind, CLASH_CONTACT_START);
    assert_near(changes[0].impact.contact.fraction, 0.49, 1e-7);
    assert_int_equal(changes[1].kind, CLASH_CONTACT_END);
    assert_near(changes[1].impact.contact.fraction, 0.5125, 1e-7);
    assert_true(changes[1].min_distance < 2e-5f);
    assert_false(track.touching);
    /* the same in two intervals, cut in the middle of the contact */
    assert_int_equal(impact_advance(&track, settings, &a, (clash_span){0, 0.495}, &b, whole, changes), 1);
    assert_true(track.touching);
    assert_near(track.min_distance, 0.01, 2e-5);
    assert_int_equal(impact_advance(&track, settings, &a, (clash_span){0.495, 1}, &b, whole, changes), 1);
    assert_int_equal(changes[0].kind, CLASH_CONTACT_END);
    assert_near(0.495 + 0.505 * changes[0].impact.contact.fraction, 0.5125, 1e-7);
    assert_true(changes[0].min_distance < 2e-5f);
}

/* Resting between start and release limit keeps a contact, and does not start one. */
static void tracker_hysteresis(void **state)
{
    clash_body a = blade(V(0, 0, 0), V(0, 0, 0), STILL, STILL), b = blade(V(0.5, 0, 0), V(0.018, 0, 0), STILL, STILL);
    impact_settings settings = {0, 0.005f};
    clash_contact_state track = {0};
    clash_contact_change changes[CLASH_CONTACT_CHANGES_MAX];

    (void)state;
    assert_int_equal(impact_advance(&track, settings, &a, whole, &b, whole, changes), 1);
    b.motion.from.position = V(0.018, 0, 0);
    b.motion.to.position = V(0.0235, 0, 0);
    assert_int_equal(impact_advance(&track, settings, &a, whole, &b, whole, changes), 0);
    assert_true(track.touching);
    assert_near(track.min_distance, 0.018, 2e-5);
    b.motion.from.position = V(0.0235, 0, 0);
    b.motion.to.position = V(0.1, 0, 0);
    assert_int_equal(impact_advance(&track, settings, &a, whole, &b, whole, changes), 1);
    b.motion.from.position = V(0.1, 0, 0);
    b.motion.to.position = V(0.0235, 0, 0);
    assert_int_equal(impact_advance(&track, settings, &a, whole, &b, whole, changes), 0);
    assert_false(track.touching);
}

/* No release margin at all and a pair that rests exactly at the limit: no storm of changes. */
static void tracker_without_margin_settles(void **state)
{
    clash_body a = blade(V(0, 0, 0), V(0, 0, 0), STILL, STILL), b = blade(V(0.02, 0, 0), V(0.02, 0, 0), STILL, STILL);
    clash_contact_state track = {0};
    clash_contact_change changes[CLASH_CONTACT_CHANGES_MAX];
    size_t total = 0;

    (void)state;
    for (int i = 0; i < 100; i++)
        total += impact_advance(&track, (impact_settings){0, 0}, &a, whole, &b, whole, changes);
    assert_true(total <= 1);
    b.motion.from.position.x = NAN;
    assert_int_equal(impact_advance(&track, (impact_settings){0, 0}, &a, whole, &b, whole, changes), 0);
    assert_int_equal(track.touching, total == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_pass),
        cmocka_unit_test(rotation_is_swept),
        cmocka_unit_test(parallel_and_collinear),
        cmocka_unit_test(static_pairs),
        cmocka_unit_test(zero_radius_crossing),
        cmocka_unit_test(margin_and_spans),
        cmocka_unit_test(spans_apart_at_equal_fractions),
        cmocka_unit_test(invalid_input),
        cmocka_unit_test(tracker_start_and_end),
        cmocka_unit_test(tracker_hysteresis),
        cmocka_unit_test(tracker_without_margin_settles),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
