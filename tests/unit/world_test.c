/* The public world against the pipeline inside it: the same events, field for field, in one order of time however samples are added; and
 * what it refuses. */
#include "support/scene.h"

#include <clash/clash.h>
#include <float.h>
#include <math.h>

#include "support/random.h"

#define BLADES 12
#define FRAMES 300
#define STEP_NS (11 * SCENE_MS)
#define GOOD (CLASH_SAMPLE_VALID | CLASH_SAMPLE_TRACKED)

static const clash_capsule saber = {{0, 0, 0}, {0, 0, -0.9f}, 0.02f};

typedef struct played {
    clash_pose poses[FRAMES][BLADES];
    uint32_t flags[FRAMES][BLADES];
} played;

static played *make_play(uint64_t seed)
{
    random_state random = {.s = seed};
    played *p = calloc(1, sizeof *p);

    assert_non_null(p);
    for (int k = 0; k < FRAMES; k++)
        for (int i = 0; i < BLADES; i++) {
            const double at = 0.05 * k * (1 + i % 3) + i;

            p->poses[k][i] = scene_at(0.4 * cos(at), 1 + 0.3 * sin(1.7 * at), 0.4 * sin(at));
            p->poses[k][i].orientation = random_turn(&random, 0.3 * (k % 7));
            p->flags[k][i] = random_below(&random, 60) == 0   ? 0u
                             : random_below(&random, 60) == 0 ? GOOD | CLASH_SAMPLE_TELEPORT
                                                              : GOOD;
        }
    return p;
}

static void name_of(int i, char out_blade[16], char out_device[16])
{
    snprintf(out_blade, 16, "blade %d", i);
    snprintf(out_device, 16, "npc/%d", i);
}

static clash_world *make_world(void)
{
    clash_world_def def = clash_world_def_default();
    clash_world *world;

    def.gap_by_rate = false;
    world = clash_world_create(&def);
    assert_non_null(world);
    for (int i = 0; i < BLADES; i++) {
        char name[16], device[16];

        name_of(i, name, device);
        assert_int_equal(clash_world_device(world, device), i);
        assert_null(clash_world_set_blade(
            world, &(clash_blade){.name = name, .device = device, .properties = {.shape = saber}}));
    }
    return world;
}

static bool is_same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Field for field, but for `seq` and, if asked for, ids. */
static void assert_same(const clash_event *a, const clash_event *b, bool with_id)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->time_ns, b->time_ns);
    assert_int_equal(a->duration_ns, b->duration_ns);
    assert_true(!with_id || a->id == b->id);
    if (a->kind == CLASH_EVENT_TRACKING) {
        assert_string_equal(a->as.tracking.device, b->as.tracking.device);
        assert_int_equal(a->as.tracking.tracked, b->as.tracking.tracked);
        return;
    }
    for (int side = 0; side < 2; side++)
        assert_true(is_same_text(a->blades[side], b->blades[side]));
    if (a->kind == CLASH_EVENT_RELEASE) {
        assert_memory_equal(&a->as.release, &b->as.release, sizeof a->as.release);
        return;
    }
    assert_true(scene_contact_same(&a->as.clash.contact, &b->as.clash.contact));
    assert_memory_equal(a->as.clash.velocities, b->as.clash.velocities, sizeof a->as.clash.velocities);
    assert_true(SCENE_SAME(&a->as.clash, &b->as.clash, closing_speed));
    assert_true(SCENE_SAME(&a->as.clash, &b->as.clash, intensity));
    assert_int_equal(a->as.clash.resumed, b->as.clash.resumed);
}

/* What the pipeline finds, a frame for each step. */
static scene *find_by_pipeline(const played *p)
{
    const pipeline_settings settings = {.release_margin = 0.005f,
                                        .hold_rate_hz = 30.0f,
                                        .full_intensity_speed = 200.0f,
                                        .max_gap_ns = 100 * SCENE_MS,
                                        .require_tracked = true,
                                        .intensity_curve = PIPELINE_INTENSITY_LOGARITHMIC};
    scene *s = calloc(1, sizeof *s);

    assert_non_null(s);
    s->pipeline = pipeline_create(&settings, scene_on_event, s);
    for (uint32_t i = 0; i < BLADES; i++)
        assert_null(scene_add_npc(s->pipeline, i, saber));
    for (int k = 0; k < FRAMES; k++) {
        pose_frame frame = scene_frame(k * STEP_NS);

        for (uint32_t i = 0; i < BLADES; i++)
            scene_frame_add(&frame, i, p->flags[k][i], p->poses[k][i]);
        pipeline_frame(s->pipeline, &frame);
    }
    return s;
}

static void a_step_for_each_frame_is_clashds(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        played *p = make_play(seed);
        scene *s = find_by_pipeline(p);
        clash_world *world = make_world();
        size_t count = 0;

        for (int k = 0; k < FRAMES; k++) {
            clash_events found;

            for (uint32_t i = 0; i < BLADES; i++)
                clash_world_add_sample(world, i, k * STEP_NS, &p->poses[k][i], p->flags[k][i]);
            found = clash_world_step(world);
            for (size_t i = 0; i < found.count; i++, count++) {
                clash_event expected = s->events[count].event;

                assert_int_equal(found.events[i].seq, count + 1);
                if (expected.kind == CLASH_EVENT_TRACKING)
                    expected.as.tracking.device = s->events[count].device;
                for (int side = 0; side < 2 && expected.kind != CLASH_EVENT_TRACKING; side++)
                    expected.blades[side] = s->events[count].blades[side];
                assert_same(&found.events[i], &expected, true);
            }
        }
        assert_int_equal(count, s->count);
        assert_true(count > 300);
        clash_world_destroy(world);
        scene_destroy(s);
        free(p);
    }
}

/* All in one step, device after device and from the last time to the first: the same events, in one order. */
static void samples_in_any_order(void **state)
{
    played *p = make_play(7);
    clash_world *frames = make_world(), *whole = make_world();
    static clash_event expected[SCENE_EVENTS_MAX];
    clash_events found;
    size_t count = 0;

    (void)state;
    for (int k = 0; k < FRAMES; k++) {
        for (uint32_t i = 0; i < BLADES; i++)
            clash_world_add_sample(frames, i, k * STEP_NS, &p->poses[k][i], p->flags[k][i]);
        found = clash_world_step(frames);
        for (size_t i = 0; i < found.count; i++) {
            expected[count] = found.events[i];
            for (int side = 0; side < 2 && found.events[i].kind != CLASH_EVENT_TRACKING; side++)
                expected[count].blades[side] = strdup(found.events[i].blades[side]);
            if (found.events[i].kind == CLASH_EVENT_TRACKING)
                expected[count].as.tracking.device = strdup(found.events[i].as.tracking.device);
            count++;
        }
    }
    for (uint32_t i = BLADES; i-- > 0;)
        for (int k = FRAMES; k-- > 0;)
            clash_world_add_sample(whole, i, k * STEP_NS, &p->poses[k][i], p->flags[k][i]);
    found = clash_world_step(whole);
    assert_int_equal(found.count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(found.events[i].seq, i + 1);
        assert_true(i == 0 || found.events[i].time_ns >= found.events[i - 1].time_ns);
        assert_same(&found.events[i], &expected[i], true);
        if (expected[i].kind == CLASH_EVENT_TRACKING)
            free((void *)expected[i].as.tracking.device);
        for (int side = 0; side < 2 && expected[i].kind != CLASH_EVENT_TRACKING; side++)
            free((void *)expected[i].blades[side]);
    }
    assert_int_equal(clash_world_step(whole).count, 0);
    clash_world_destroy(frames);
    clash_world_destroy(whole);
    free(p);
}

/* ---- definitions ---- */

static const clash_pose hand = {{0, 0, 0, 1}, {0, 1, 0}};

static clash_world *make_touching(void)
{
    const clash_target post = {
        .name = "post", .pose.position = {0, 1, -0.5f}, .shape = {CLASH_SHAPE_SPHERE, {{{0, 0, 0}, 0.1f}}}};
    clash_world *world = clash_world_create(NULL);
    clash_events found;

    assert_null(
        clash_world_set_blade(world, &(clash_blade){.name = "a", .device = "hand", .properties = {.shape = saber}}));
    assert_null(clash_world_set_target(world, &post));
    clash_world_add_sample(world, clash_world_device(world, "hand"), 0, &hand, GOOD);
    assert_int_equal(clash_world_step(world).count, 1); /* tracked */
    clash_world_add_sample(world, 0, STEP_NS, &hand, GOOD);
    found = clash_world_step(world);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.events[0].kind, CLASH_EVENT_CLASH);
    assert_true(found.events[0].has_target);
    assert_string_equal(found.events[0].blades[1], "post");
    return world;
}

/* A release of what was removed comes with the next step, and has its names, whatever has come in its place. */
static void what_is_removed_is_released(void **state)
{
    (void)state;
    for (int way = 0; way < 5; way++) {
        clash_world *world = make_touching();
        const clash_target moved = {
            .name = "post", .pose.position = {0, 5, 0}, .shape = {CLASH_SHAPE_SPHERE, {{{0, 0, 0}, 0.1f}}}};
        clash_events found;

        if (way == 0)
            assert_true(clash_world_remove(world, "post"));
        else if (way == 1)
            assert_true(clash_world_remove(world, "a"));
        else if (way == 2)
            assert_true(clash_world_remove_device(world, 0));
        else if (way == 3)
            assert_null(clash_world_set_target(world, &moved));
        else
            assert_null(clash_world_set_blade(
                world, &(clash_blade){.name = "a", .device = "other", .properties = {.shape = saber}}));
        for (int i = 0; i < 100; i++) {
            char name[16];

            snprintf(name, sizeof name, "new %d", i);
            assert_null(clash_world_set_blade(
                world, &(clash_blade){.name = name, .device = "new", .properties = {.shape = saber}}));
        }
        found = clash_world_step(world);
        assert_int_equal(found.count, 1);
        assert_int_equal(found.events[0].kind, CLASH_EVENT_RELEASE);
        assert_int_equal(found.events[0].as.release.reason, CLASH_RELEASE_REMOVED);
        assert_int_equal(found.events[0].seq, 3);
        assert_string_equal(found.events[0].blades[0], "a");
        assert_string_equal(found.events[0].blades[1], "post");
        assert_false(clash_world_remove(world, "nothing"));
        clash_world_destroy(world);
    }
}

static void the_same_again_changes_nothing(void **state)
{
    clash_world *world = make_touching();
    const clash_target post = {
        .name = "post", .pose.position = {0, 1, -0.5f}, .shape = {CLASH_SHAPE_SPHERE, {{{0, 0, 0}, 0.1f}}}};
    clash_capsule longer = saber;

    (void)state;
    assert_null(clash_world_set_target(world, &post));
    longer.tip.z = -2.0f; /* a blade that changes keeps its contact */
    assert_null(
        clash_world_set_blade(world, &(clash_blade){.name = "a", .device = "hand", .properties = {.shape = longer}}));
    assert_int_equal(clash_world_step(world).count, 0);
    clash_world_add_sample(world, 0, 2 * STEP_NS, &hand, GOOD);
    assert_int_equal(clash_world_step(world).count, 0);
    clash_world_destroy(world);
}

static void cuts_and_losses(void **state)
{
    clash_world *world = make_touching();
    clash_events found;

    (void)state;
    clash_world_cut(world, 0, STEP_NS);
    found = clash_world_step(world);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.events[0].as.release.reason, CLASH_RELEASE_TRACK_CUT);
    clash_world_add_sample(world, 0, 2 * STEP_NS, &hand, GOOD);
    clash_world_add_sample(world, 0, 3 * STEP_NS, &hand, GOOD);
    found = clash_world_step(world);
    assert_int_equal(found.count, 1);
    assert_true(found.events[0].as.clash.resumed);
    clash_world_add_sample(world, 0, 4 * STEP_NS, NULL, GOOD);
    found = clash_world_step(world);
    assert_int_equal(found.count, 2);
    assert_int_equal(found.events[1].kind, CLASH_EVENT_TRACKING);
    assert_string_equal(found.events[1].as.tracking.device, "hand");
    clash_world_destroy(world);
}

static void a_carried_target_is_where_its_pose_has_it(void **state)
{
    clash_world *world = clash_world_create(NULL);
    const clash_pose turned = {{0, 0, 0.70710678f, 0.70710678f}, {0, 1, 0}}; /* a quarter turn to the left about z */
    const clash_target shield = {.name = "shield",
                                 .device = "arm",
                                 .pose = {{0, 0, 0, 1}, {0.5f, 0, -0.5f}},
                                 .shape = {CLASH_SHAPE_BOX, {.box = {{0, 0, 0}, {0, 0, 0, 1}, {0.01f, 0.3f, 0.3f}}}}};
    clash_pose pose = hand;
    clash_events found = {NULL, 0};

    (void)state;
    assert_null(
        clash_world_set_blade(world, &(clash_blade){.name = "a", .device = "hand", .properties = {.shape = saber}}));
    assert_null(clash_world_set_target(world, &shield));
    for (int k = 0; k < 3; k++) {
        pose.position.y = 2.0f - 0.25f * (float)k;
        clash_world_add_sample(world, clash_world_device(world, "hand"), k * STEP_NS, &pose, GOOD);
        clash_world_add_sample(world, clash_world_device(world, "arm"), k * STEP_NS, &turned, GOOD);
        found = clash_world_step(world);
    }
    assert_int_equal(found.count, 1); /* its upper side is at 1 + 0.5 + 0.01 */
    assert_float_equal(found.events[0].as.clash.contact.points[1].y, 1.51f, 1e-5);
    assert_float_equal(found.events[0].as.clash.contact.midpoint.y, 1.51f + 0.01f, 1.1e-2);
    clash_world_destroy(world);
}

/* ---- bad input ---- */

static void refuse_blade(clash_world *world, const char *name, const char *device, clash_capsule shape,
                         const char *word)
{
    const clash_blade blade = {.name = name, .device = device, .properties = {.shape = shape}};
    const char *reason = clash_world_set_blade(world, &blade);

    assert_non_null(reason);
    assert_non_null(strstr(reason, word));
}

static void blades_that_are_none(void **state)
{
    clash_world *world = make_touching();
    const float bad[] = {NAN, INFINITY, -INFINITY, FLT_MAX, -10001.0f};
    char long_name[300];
    clash_sword sword = {.part_count = 1, .capsule_count = 2, .parts[0] = {.name = "x", .count = 1}};
    const clash_blade two = {.name = "s", .device = "hand", .sword = &sword};

    (void)state;
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    refuse_blade(world, NULL, "hand", saber, "name");
    refuse_blade(world, "", "hand", saber, "name");
    refuse_blade(world, long_name, "hand", saber, "name");
    refuse_blade(world, "b", NULL, saber, "device");
    refuse_blade(world, "b", "", saber, "device");
    refuse_blade(world, "b", long_name, saber, "device");
    refuse_blade(world, "post", "hand", saber, "target");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        for (int field = 0; field < 7; field++) {
            clash_capsule shape = saber;

            ((float *)&shape)[field] = bad[i];
            refuse_blade(world, "b", "hand", shape, "shape");
        }
    assert_non_null(clash_world_set_blade(world, &two));
    sword.parts[0].count = 2;
    assert_null(clash_world_set_blade(world, &two));
    sword.capsules[1].radius = NAN;
    assert_non_null(clash_world_set_blade(world, &two));
    sword.part_count = 0; /* no sword: a blade of one capsule */
    assert_null(clash_world_set_blade(world, &two));
    sword.part_count = 17;
    assert_non_null(clash_world_set_blade(world, &two));
    assert_int_equal(clash_world_device(world, NULL), UINT32_MAX);
    assert_int_equal(clash_world_device(world, long_name), UINT32_MAX);
    clash_world_destroy(world);
}

static void refuse_target(clash_world *world, clash_target target, const char *word)
{
    const char *reason = clash_world_set_target(world, &target);

    assert_non_null(reason);
    assert_non_null(strstr(reason, word));
}

static void targets_that_are_none(void **state)
{
    clash_world *world = make_touching();
    const float heights[4] = {0};
    clash_terrain *terrain = clash_terrain_create(heights, 2, 2, 1, 1);
    const clash_shape ball = {CLASH_SHAPE_SPHERE, {{{0, 0, 0}, 0.1f}}};

    (void)state;
    refuse_target(world, (clash_target){.shape = ball}, "name");
    refuse_target(world, (clash_target){.name = "a", .shape = ball}, "blade");
    refuse_target(world, (clash_target){.name = "t", .pose.position.x = NAN, .shape = ball}, "position");
    refuse_target(world, (clash_target){.name = "t", .pose.orientation.x = 2, .shape = ball}, "orientation");
    refuse_target(world, (clash_target){.name = "t", .shape = {CLASH_SHAPE_SPHERE, {{{0, 0, 0}, -1}}}}, "radius");
    refuse_target(world, (clash_target){.name = "t", .shape = {CLASH_SHAPE_MESH, {.mesh = NULL}}}, "mesh");
    refuse_target(world, (clash_target){.name = "t", .shape = {(clash_shape_kind)77, {.mesh = NULL}}}, "kind");
    refuse_target(world,
                  (clash_target){.name = "t", .device = "arm", .shape = {CLASH_SHAPE_TERRAIN, {.terrain = terrain}}},
                  "terrain");
    assert_null(clash_world_set_target(
        world, &(clash_target){.name = "t", .shape = {CLASH_SHAPE_TERRAIN, {.terrain = terrain}}}));
    clash_world_destroy(world);
    clash_terrain_destroy(terrain);
}

static void samples_that_are_none(void **state)
{
    clash_world *world = make_touching();
    const int64_t extremes[] = {INT64_MIN,         INT64_MIN + 1, -CLASH_TIME_MAX_NS, -1, 0, CLASH_TIME_MAX_NS - 1,
                                CLASH_TIME_MAX_NS, INT64_MAX - 1, INT64_MAX};
    clash_pose bad = hand;
    clash_world_counters counters;

    (void)state;
    bad.position.x = NAN;
    clash_world_add_sample(world, 0, 2 * STEP_NS, &bad, GOOD);
    bad.position.x = 20000;
    clash_world_add_sample(world, 0, 2 * STEP_NS, &bad, GOOD);
    bad.position.x = 0;
    bad.orientation.w = 3;
    clash_world_add_sample(world, 0, 2 * STEP_NS, &bad, GOOD);
    clash_world_add_sample(world, 0, 0, &hand, GOOD);
    clash_world_add_sample(world, 55, 0, &hand, GOOD);
    clash_world_add_sample(world, UINT32_MAX, 0, &hand, UINT32_MAX);
    clash_world_cut(world, 55, 0);
    assert_int_equal(clash_world_step(world).count, 0); /* the contact goes on */
    counters = clash_world_get_counters(world);
    assert_int_equal(counters.refused_not_finite, 1);
    assert_int_equal(counters.refused_too_far, 1);
    assert_int_equal(counters.refused_not_unit, 1);
    assert_int_equal(counters.refused_late, 1);
    assert_int_equal(counters.refused_unknown, 2);
    for (size_t i = 0; i < sizeof extremes / sizeof extremes[0]; i++)
        clash_world_add_sample(world, 0, extremes[i], &hand, GOOD | CLASH_SAMPLE_HOLDS);
    clash_world_step(world);
    assert_false(clash_world_pose_at(world, 55, 0, &bad));
    assert_true(clash_world_pose_at(world, 0, CLASH_TIME_MAX_NS, &bad));
    clash_world_destroy(world);
    clash_world_destroy(NULL);
}

static void definitions_that_are_none(void **state)
{
    const float bad[] = {NAN, INFINITY, -1.0f};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        for (int field = 0; field < 5; field++) {
            clash_world_def def = clash_world_def_default();
            float *fields[] = {&def.margin, &def.release_margin, &def.min_closing_speed, &def.hold_rate_hz,
                               &def.full_intensity_speed};

            *fields[field] = bad[i];
            assert_null(clash_world_create(&def));
        }
    assert_string_equal(clash_version(), CLASH_VERSION_STRING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_for_each_frame_is_clashds),
        cmocka_unit_test(samples_in_any_order),
        cmocka_unit_test(what_is_removed_is_released),
        cmocka_unit_test(the_same_again_changes_nothing),
        cmocka_unit_test(cuts_and_losses),
        cmocka_unit_test(a_carried_target_is_where_its_pose_has_it),
        cmocka_unit_test(blades_that_are_none),
        cmocka_unit_test(targets_that_are_none),
        cmocka_unit_test(samples_that_are_none),
        cmocka_unit_test(definitions_that_are_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
