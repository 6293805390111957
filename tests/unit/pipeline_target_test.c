/* Targets in the pipeline: what a blade strikes that is no blade, standing still or carried. Held against blades of the
 * same shape, which have tests of their own, and against places and times that follow from the motion. */
#include <math.h>

#include "support/scene.h"

#define STEP_NS (8 * SCENE_MS)
#define STEP 0.015625 /* m, 1/64: 1.953125 m/s */
#define RADIUS 0.0078125f

static const clash_capsule along_z = {{0, 0, 0}, {0, 0, -1}, RADIUS};
static const clash_capsule post = {{0, -1, -0.5f}, {0, 1, -0.5f}, 0.125f};

#define assert_near(actual, expected, tolerance) assert_true(fabs((double)(actual) - (double)(expected)) < (tolerance))

static void add_blade(scene *s, const char *name, uint32_t device, clash_capsule shape)
{
    pipeline_blade blade = scene_blade(name, device, shape);

    assert_null(pipeline_add_blade(s->pipeline, &blade));
}

static pipeline_target static_target(const char *name, clash_shape shape, clash_pose pose)
{
    pipeline_target target = {.is_static = true, .pose = pose, .shape = shape};

    snprintf(target.name, sizeof target.name, "%s", name);
    return target;
}

static pipeline_target carried_target(const char *name, clash_shape shape, uint32_t device)
{
    pipeline_target target = {.device = device, .shape = shape};

    snprintf(target.name, sizeof target.name, "%s", name);
    return target;
}

static void add_target(scene *s, pipeline_target target)
{
    assert_null(pipeline_add_target(s->pipeline, &target));
}

static clash_shape sphere_of(double radius)
{
    return (clash_shape){.kind = CLASH_SHAPE_SPHERE, .as.sphere = {.radius = (float)radius}};
}

static clash_shape capsule_shape(clash_capsule capsule)
{
    return (clash_shape){.kind = CLASH_SHAPE_CAPSULE, .as.capsule = capsule};
}

/* Device 0 goes along x from `from` by so many steps. */
static void walk(scene *s, double from, int steps)
{
    for (int i = 0; i <= steps; i++)
        scene_push(s, i * STEP_NS, 0, SCENE_GOOD, scene_at(from + i * STEP, 0, 0));
}

/* A ball of 25 cm on the way of the blade's middle: touched 25 cm and a blade's radius before, left as much behind. */
static void a_still_ball_is_struck_where_it_stands(void **state)
{
    pipeline_settings settings = scene_settings();
    scene *s = scene_create(&settings);
    double reach = 0.25 + (double)RADIUS, speed = STEP / ((double)STEP_NS * 1e-9);
    const clash_event *clash, *release;

    (void)state;
    add_blade(s, "blade", 0, along_z);
    add_target(s, static_target("ball", sphere_of(0.25), scene_at(0, 0, -0.5)));
    walk(s, -1.0, 128);
    assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 1);
    assert_int_equal(scene_count(s, CLASH_EVENT_RELEASE), 1);
    clash = scene_find(s, CLASH_EVENT_CLASH, 0);
    release = scene_find(s, CLASH_EVENT_RELEASE, 0);
    assert_true(clash->has_target && release->has_target);
    assert_near(clash->time_ns, (1.0 - reach) / speed * 1e9, 2.0);
    assert_near(release->time_ns, (1.0 + reach + (double)settings.release_margin) / speed * 1e9, 2.0);
    assert_near(clash->as.clash.contact.points[1].x, -0.25, 1e-6);
    assert_near(clash->as.clash.contact.points[1].z, -0.5, 1e-6);
    assert_near(clash->as.clash.contact.along[0], 0.5, 1e-6);
    assert_near(clash->as.clash.contact.distance, RADIUS, 1e-6);
    assert_near(clash->as.clash.contact.normal.x, 1, 1e-6);
    assert_near(clash->as.clash.surface_normal.x, -1, 1e-6);
    assert_near(clash->as.clash.closing_speed, speed, 1e-4);
    assert_near(clash->as.clash.velocities[1].x, 0, 1e-9);
    assert_near(clash->as.clash.crossing_angle, 0, 1e-4); /* the blade lies in the surface */
    assert_int_equal(clash->as.clash.triangle, CLASH_NO_TRIANGLE);
    assert_near(release->as.release.min_distance, 0, 1e-5);
    scene_destroy(s);
}

/* The blade is first in events whichever of the two was added first. */
static void a_blade_comes_before_its_target(void **state)
{
    pipeline_settings settings = scene_settings();

    (void)state;
    for (int target_first = 0; target_first < 2; target_first++) {
        scene *s = scene_create(&settings);

        if (target_first)
            add_target(s, static_target("ball", sphere_of(0.25), scene_at(0, 0, -0.5)));
        add_blade(s, "blade", 0, along_z);
        if (!target_first)
            add_target(s, static_target("ball", sphere_of(0.25), scene_at(0, 0, -0.5)));
        walk(s, -1.0, 128);
        assert_int_equal(s->count, 3);
        for (int i = 1; i < 3; i++) {
            assert_string_equal(s->events[i].blades[0], "blade");
            assert_string_equal(s->events[i].blades[1], "ball");
        }
        scene_destroy(s);
    }
}

/* Two scenes, one with a capsule as a target, one with the same capsule as a blade: the same times and places. */
static void assert_same_contacts(const scene *targets, const scene *blades)
{
    size_t contacts = scene_count(blades, CLASH_EVENT_CLASH);

    assert_true(contacts > 0);
    assert_int_equal(scene_count(targets, CLASH_EVENT_CLASH), contacts);
    assert_int_equal(scene_count(targets, CLASH_EVENT_HOLD), scene_count(blades, CLASH_EVENT_HOLD));
    for (size_t i = 0; i < contacts; i++) {
        const clash_event *a = scene_find(targets, CLASH_EVENT_CLASH, i), *b = scene_find(blades, CLASH_EVENT_CLASH, i);
        const clash_event *c = scene_find(targets, CLASH_EVENT_RELEASE, i);
        const clash_event *d = scene_find(blades, CLASH_EVENT_RELEASE, i);

        assert_near(a->time_ns, b->time_ns, 100.0);
        assert_near(c->time_ns, d->time_ns, 2000.0);
        assert_near(a->as.clash.contact.points[0].x, b->as.clash.contact.points[0].x, 1e-5);
        assert_near(a->as.clash.contact.points[0].y, b->as.clash.contact.points[0].y, 1e-5);
        assert_near(a->as.clash.closing_speed, b->as.clash.closing_speed, 1e-3);
        assert_int_equal(c->as.release.reason, d->as.release.reason);
    }
}

static clash_pose turning(int i, double away)
{
    double half = 0.03 * i;
    clash_pose pose = scene_at(away * cos(0.11 * i), 0.2 * sin(0.07 * i), 0.3 * sin(0.05 * i));

    pose.orientation = (clash_quat){0.0f, (float)sin(half), 0.0f, (float)cos(half)};
    return pose;
}

/* Device 1 has its own rate, and is not there all the time. */
static void a_carried_capsule_is_struck_as_a_blade_would_be(void **state)
{
    pipeline_settings settings = scene_settings();
    scene *scenes[2];

    (void)state;
    settings.hold_rate_hz = 50.0f;
    for (int as_blade = 0; as_blade < 2; as_blade++) {
        scene *s = scenes[as_blade] = scene_create(&settings);

        add_blade(s, "blade", 0, along_z);
        if (as_blade)
            add_blade(s, "post", 1, post);
        else
            add_target(s, carried_target("post", capsule_shape(post), 1));
        for (int i = 0; i < 2000; i++) {
            scene_push(s, i * STEP_NS, 0, SCENE_GOOD, turning(i, 0.8));
            if (i % 3 == 0 && i % 400 < 300)
                scene_push(s, i * STEP_NS + SCENE_MS, 1, SCENE_GOOD, turning(i / 2, -0.3));
        }
    }
    assert_same_contacts(scenes[0], scenes[1]);
    assert_true(scene_count(scenes[0], CLASH_EVENT_HOLD) > 10);
    scene_destroy(scenes[0]);
    scene_destroy(scenes[1]);
}

/* A static target needs no samples; the blade that stands in for it gets them with the other one's. */
static void a_still_capsule_is_struck_as_a_resting_blade_would_be(void **state)
{
    pipeline_settings settings = scene_settings();
    scene *scenes[2];

    (void)state;
    for (int as_blade = 0; as_blade < 2; as_blade++) {
        scene *s = scenes[as_blade] = scene_create(&settings);

        add_blade(s, "blade", 0, along_z);
        if (as_blade)
            add_blade(s, "post", 1, post);
        else
            add_target(s, static_target("post", capsule_shape(post), scene_at(0.1, 0, 0)));
        for (int i = 0; i < 2000; i++)
            scene_push_both(s, i * STEP_NS, turning(i, 0.8), scene_at(0.1, 0, 0));
    }
    assert_same_contacts(scenes[0], scenes[1]);
    scene_destroy(scenes[0]);
    scene_destroy(scenes[1]);
}

static void a_contact_ends_with_its_target(void **state)
{
    pipeline_settings settings = scene_settings();

    (void)state;
    for (int carried = 0; carried < 2; carried++) {
        scene *s = scene_create(&settings);

        add_blade(s, "blade", 0, along_z);
        scene_push_both(s, 0, scene_at(0, 0, 0), scene_at(0, 0, -0.5));
        add_target(s, carried ? carried_target("ball", sphere_of(0.25), 1)
                              : static_target("ball", sphere_of(0.25), scene_at(0, 0, -0.5)));
        assert_int_equal(pipeline_target_count(s->pipeline), 1);
        assert_int_equal(pipeline_blade_count(s->pipeline), 1);
        assert_string_equal(pipeline_target_at(s->pipeline, 0)->name, "ball");
        assert_null(pipeline_target_at(s->pipeline, 1));
        scene_push_both(s, STEP_NS, scene_at(0, 0, 0), scene_at(0, 0, -0.5));
        assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 1);
        assert_int_equal(pipeline_remove_blade(s->pipeline, "ball"), -1);
        assert_int_equal(pipeline_remove_target(s->pipeline, "blade"), -1);
        assert_int_equal(pipeline_remove_target(s->pipeline, "ball"), 0);
        assert_int_equal(scene_find(s, CLASH_EVENT_RELEASE, 0)->as.release.reason, CLASH_RELEASE_REMOVED);
        assert_int_equal(pipeline_remove_target(s->pipeline, "ball"), -1);
        assert_int_equal(pipeline_target_count(s->pipeline), 0);
        scene_push_both(s, 2 * STEP_NS, scene_at(0, 0, 0), scene_at(0, 0, -0.5));
        assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 1);
        scene_destroy(s);
    }
}

static void a_contact_with_a_static_target_ends_with_the_track(void **state)
{
    pipeline_settings settings = scene_settings();
    scene *s = scene_create(&settings);

    (void)state;
    add_blade(s, "blade", 0, along_z);
    add_target(s, static_target("ball", sphere_of(0.25), scene_at(0, 0, -0.5)));
    scene_push(s, 0, 0, SCENE_GOOD, scene_at(0, 0, 0));
    scene_push(s, STEP_NS, 0, SCENE_GOOD, scene_at(0, 0, 0));
    pipeline_lost(s->pipeline, 0, 2 * STEP_NS, CLASH_TRACKING_LOST);
    assert_int_equal(scene_find(s, CLASH_EVENT_RELEASE, 0)->as.release.reason, CLASH_RELEASE_TRACK_CUT);
    /* It is still there when tracking comes back. */
    scene_push(s, 3 * STEP_NS, 0, SCENE_GOOD, scene_at(0, 0, 0));
    scene_push(s, 4 * STEP_NS, 0, SCENE_GOOD, scene_at(0, 0, 0));
    assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 2);
    pipeline_space_changed(s->pipeline, 5 * STEP_NS);
    assert_int_equal(scene_count(s, CLASH_EVENT_RELEASE), 2);
    scene_destroy(s);
}

/* A shield and a sword in one hand, two balls in one place, a body and a blade: none of these strike each other. */
static void only_blades_strike_targets(void **state)
{
    pipeline_settings settings = scene_settings();
    scene *s = scene_create(&settings);
    pipeline_blade body = scene_blade("body", 1, along_z);

    (void)state;
    body.properties.is_body = true;
    add_blade(s, "blade", 0, along_z);
    assert_null(pipeline_add_blade(s->pipeline, &body));
    add_target(s, carried_target("shield", sphere_of(0.25), 0));
    add_target(s, static_target("far ball", sphere_of(0.25), scene_at(9, 0, 0)));
    add_target(s, static_target("far wall", sphere_of(0.5), scene_at(9, 0, 0)));
    for (int i = 0; i < 3; i++)
        scene_push_both(s, i * STEP_NS, scene_at(0, 0, 0), scene_at(5, 0, 0));
    assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 0);
    for (int i = 3; i < 6; i++)
        scene_push_both(s, i * STEP_NS, scene_at(0.1, 0, 0), scene_at(0, 0.1, 0));
    assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), 1);
    assert_string_equal(s->events[2].blades[0], "body");
    assert_string_equal(s->events[2].blades[1], "shield");
    scene_destroy(s);
}

static pipeline_blade layered_blade(const char *name, uint32_t device, clash_layers layers)
{
    pipeline_blade blade = scene_blade(name, device, along_z);

    blade.properties.layers = layers;
    return blade;
}

/* Return how many clashes there are while two blades cross, or a blade and a target. */
static size_t crossings(clash_layers a, clash_layers b, bool b_is_disabled, bool b_is_target, uint64_t *out_sweeps)
{
    pipeline_settings settings = scene_settings();
    scene *s = scene_create(&settings);
    pipeline_blade first = layered_blade("first", 0, a), second = layered_blade("second", 1, b);
    pipeline_target ball = carried_target("ball", sphere_of(0.25), 1);
    size_t count;

    ball.layers = b;
    second.properties.is_disabled = b_is_disabled;
    assert_null(pipeline_add_blade(s->pipeline, &first));
    if (b_is_target)
        add_target(s, ball);
    else
        assert_null(pipeline_add_blade(s->pipeline, &second));
    for (int i = 0; i < 9; i++)
        scene_push_both(s, i * STEP_NS, scene_at(-0.25 + i * 0.0625, 0, 0), scene_at(0.25 - i * 0.0625, 0, 0));
    count = scene_count(s, CLASH_EVENT_CLASH);
    *out_sweeps = pipeline_get_counters(s->pipeline)->sweeps;
    scene_destroy(s);
    return count;
}

/* Both must be in a layer of the other's mask, whichever of the two is a blade; pairs that are not are never swept. */
static void masks_say_who_is_tested_with_whom(void **state)
{
    static const struct {
        uint32_t layers[2], masks[2];
        bool is_disabled;
        size_t clashes;
    } cases[] = {{{1, 1}, {UINT32_MAX, UINT32_MAX}, false, 1},
                 {{1, 1}, {UINT32_MAX, UINT32_MAX}, true, 0},
                 {{2, 2}, {1, 1}, false, 0}, /* of one side */
                 {{2, 4}, {4, 2}, false, 1}, /* of two */
                 {{2, 4}, {4, 1}, false, 0}, /* only one has the other in its mask */
                 {{4, 2}, {1, 4}, false, 0},
                 {{0, 1}, {UINT32_MAX, UINT32_MAX}, false, 0}, /* in no layer */
                 {{1, 1}, {UINT32_MAX, 0}, false, 0},
                 {{0x80000000u, 0x80000001u}, {1, 0x80000000u}, false, 1}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int is_target = 0; is_target < (cases[i].is_disabled ? 1 : 2); is_target++) {
            uint64_t sweeps;
            const size_t count = crossings(clash_layers_of(cases[i].layers[0], cases[i].masks[0]),
                                           clash_layers_of(cases[i].layers[1], cases[i].masks[1]), cases[i].is_disabled,
                                           is_target, &sweeps);

            assert_int_equal(count, cases[i].clashes);
            assert_int_equal(sweeps > 0, cases[i].clashes > 0);
        }
    }
}

/* Sheathed in mid-contact: released as if it were removed. Drawn again: what follows is swept. */
static void what_is_switched_off_lets_go(void **state)
{
    pipeline_settings settings = scene_settings();
    scene *s = scene_create(&settings);
    pipeline_blade sword = scene_blade("sword", 1, along_z);

    (void)state;
    add_blade(s, "blade", 0, along_z);
    for (int drawn = 0; drawn < 4; drawn++) {
        sword.properties.is_disabled = drawn % 2 == 1;
        pipeline_remove_blade(s->pipeline, "sword");
        assert_null(pipeline_add_blade(s->pipeline, &sword));
        for (int i = 0; i < 3; i++)
            scene_push_both(s, (3 * drawn + i) * STEP_NS, scene_at(0, 0, 0), scene_at(0.001, 0, 0));
        assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), drawn / 2 + 1);
        assert_int_equal(scene_count(s, CLASH_EVENT_RELEASE), (drawn + 1) / 2);
    }
    assert_int_equal(scene_find(s, CLASH_EVENT_RELEASE, 0)->as.release.reason, CLASH_RELEASE_REMOVED);
    scene_destroy(s);
}

static void what_is_no_target_is_refused(void **state)
{
    pipeline_settings settings = scene_settings();
    scene *s = scene_create(&settings);
    pipeline_target bad[] = {
        static_target("blade", sphere_of(0.25), scene_at(0, 0, 0)), /* the name is taken */
        static_target("", sphere_of(0.25), scene_at(0, 0, 0)),
        static_target("a", sphere_of(-1), scene_at(0, 0, 0)),
        static_target("a", sphere_of((double)NAN), scene_at(0, 0, 0)),
        static_target("a", sphere_of(1), (clash_pose){{0, 0, 0, 0}, {0, 0, 0}}),
        static_target("a", sphere_of(1), scene_at((double)INFINITY, 0, 0)),
        carried_target("a", sphere_of(1), 7), /* no such device */
    };

    static const char *const reasons[] = {"name is taken", "name is empty", "shape is none", "shape is none",
                                          "shape is none", "shape is none", "no such device"};

    (void)state;
    add_blade(s, "blade", 0, along_z);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_non_null(strstr(pipeline_add_target(s->pipeline, &bad[i]), reasons[i]));
    assert_int_equal(pipeline_target_count(s->pipeline), 0);
    add_target(s, static_target("ball", sphere_of(0.25), scene_at(0, 0, -0.5)));
    bad[0] = static_target("ball", sphere_of(0.25), scene_at(0, 0, 0));
    assert_string_equal(pipeline_add_target(s->pipeline, &bad[0]), "its name is taken");
    scene_destroy(s);
}

/* So many blades that their boxes go into the grid; every second one strikes a ball of its own. */
static void a_crowd_strikes_its_targets(void **state)
{
    pipeline_settings settings = scene_settings();
    scene *s = scene_create(&settings);
    enum { CROWD = 300 };

    (void)state;
    for (uint32_t i = 0; i < CROWD; i++) {
        char name[32];

        snprintf(name, sizeof name, "device %u", i);
        uint32_t device = pipeline_device(s->pipeline, name);

        snprintf(name, sizeof name, "blade %u", i);
        add_blade(s, name, device, along_z);
        snprintf(name, sizeof name, "ball %u", i);
        if (i % 2)
            add_target(s, static_target(name, sphere_of(0.25), scene_at(3.0 * i, 0.3, -0.5)));
    }
    for (int k = 0; k <= 20; k++)
        for (uint32_t i = 0; i < CROWD; i += POSE_FRAME_SAMPLES_MAX) {
            pose_frame frame = scene_frame(k * STEP_NS);

            for (uint32_t n = i; n < CROWD && n < i + POSE_FRAME_SAMPLES_MAX; n++)
                scene_frame_add(&frame, n + 2, SCENE_GOOD, scene_at(3.0 * n, k * STEP, 0));
            frame.more = i + POSE_FRAME_SAMPLES_MAX < CROWD;
            pipeline_frame(s->pipeline, &frame);
        }
    assert_int_equal(scene_count(s, CLASH_EVENT_CLASH), CROWD / 2);
    for (size_t i = 0; i < CROWD / 2; i++)
        assert_near(scene_find(s, CLASH_EVENT_CLASH, i)->as.clash.contact.midpoint.x, 3.0 * (double)(2 * i + 1), 1e-3);
    scene_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_still_ball_is_struck_where_it_stands),
        cmocka_unit_test(a_blade_comes_before_its_target),
        cmocka_unit_test(a_carried_capsule_is_struck_as_a_blade_would_be),
        cmocka_unit_test(a_still_capsule_is_struck_as_a_resting_blade_would_be),
        cmocka_unit_test(a_contact_ends_with_its_target),
        cmocka_unit_test(a_contact_with_a_static_target_ends_with_the_track),
        cmocka_unit_test(only_blades_strike_targets),
        cmocka_unit_test(masks_say_who_is_tested_with_whom),
        cmocka_unit_test(what_is_switched_off_lets_go),
        cmocka_unit_test(what_is_no_target_is_refused),
        cmocka_unit_test(a_crowd_strikes_its_targets),
    };

    return SCENE_RUN(tests);
}
