/* The depenetrator's work: bounded for each frame whatever the blades are in, growing as they do where there is no bound, and
 * given in turns where it is not enough. Asserted on what is counted, not on the clock. */
#include <clash/push_out.h>

#include "support/ground.h"
#include "support/push.h"
#include "support/scene.h"

#include "pipeline/depenetrator.h"
#include "pipeline/depenetrator_work.h"

enum { BLADES = 64, FRAMES = 120 };

typedef struct crowd {
    pipeline *pipeline;
    depenetrator *depenetrator;
    pose_resolver port;
    uint32_t count;
    pose_sample samples[BLADES];
    pose_resolved resolved[BLADES];
} crowd;

/* Across each other, in a grid of eight by eight. */
static crowd make_crowd(uint32_t count, const clash_shape *in, double apart, uint32_t work)
{
    const pipeline_settings settings = scene_settings();
    pipeline_target target = {.name = "in", .is_static = true, .pose = scene_at(0, 0, 0), .shape = *in};
    crowd c = {.pipeline = pipeline_create(&settings, scene_ignore_event, NULL), .count = count};

    assert_non_null(c.pipeline);
    assert_null(pipeline_add_target(c.pipeline, &target));
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t row = i / 8;

        assert_null(scene_add_npc(c.pipeline, i, (clash_capsule){{0, 0, 0}, {0, 0.2f, -0.9f}, 0.02f}));
        assert_int_equal(pipeline_blade_at(c.pipeline, i)->device, i);
        c.samples[i] = (pose_sample){i, SCENE_GOOD, scene_at(apart * (i % 8) + 1, 0.05 * (i % 3), apart * row + 1)};
    }
    c.depenetrator = depenetrator_create(c.pipeline, work);
    assert_non_null(c.depenetrator);
    c.port = depenetrator_port(c.depenetrator);
    return c;
}

static void end_crowd(crowd *c)
{
    depenetrator_destroy(c->depenetrator);
    pipeline_destroy(c->pipeline);
}

static uint64_t work_of_frame(crowd *c, int64_t time_ns)
{
    const uint64_t before = depenetrator_get_counters(c->depenetrator).work;

    c->port.frame(c->port.context, time_ns);
    c->port.poses(c->port.context, time_ns, c->samples, c->count, c->resolved);
    return depenetrator_get_counters(c->depenetrator).work - before;
}

static const clash_shape big_ball = {CLASH_SHAPE_SPHERE, {.sphere = {{0, 0, 0}, 10}}};

static void blades_deep_in_a_ball_cost_little(void **state)
{
    uint64_t few, many;
    crowd c = make_crowd(16, &big_ball, 0.1, UINT32_MAX);

    (void)state;
    few = work_of_frame(&c, 0);
    end_crowd(&c);
    c = make_crowd(BLADES, &big_ball, 0.1, UINT32_MAX);
    many = work_of_frame(&c, 0);
    for (uint32_t i = 0; i < c.count; i++)
        assert_int_equal(c.resolved[i].result, POSE_RESOLUTION_STUCK);
    end_crowd(&c);
    assert_in_range(many, few, 5 * few);
}

static clash_shape in_ground(void)
{
    return (clash_shape){CLASH_SHAPE_TERRAIN, {.terrain = ground}};
}

/* On rough ground, each in others' way: more than a frame's work. */
static void no_frame_costs_more_than_its_work(void **state)
{
    const clash_shape in = in_ground();
    crowd c = make_crowd(BLADES, &in, 0.12, DEPENETRATOR_WORK);
    long served[BLADES] = {0};

    (void)state;
    for (int f = 0; f < FRAMES; f++) {
        assert_in_range(work_of_frame(&c, 11 * SCENE_MS * f), 1, DEPENETRATOR_WORK);
        for (uint32_t i = 0; i < c.count; i++) {
            assert_int_not_equal(c.resolved[i].result, POSE_RESOLUTION_NONE);
            served[i] += c.resolved[i].result != POSE_RESOLUTION_SPENT;
        }
    }
    for (uint32_t i = 0; i < c.count; i++)
        assert_in_range(served[i], 2, FRAMES);
    assert_in_range(depenetrator_get_counters(c.depenetrator).spent, FRAMES, FRAMES * BLADES);
    assert_int_equal(depenetrator_get_counters(c.depenetrator).asked, FRAMES * BLADES);
    end_crowd(&c);
}

/* What these two scenes are made for; clashd itself allows a frame less. */
#define WORK 20000u

/* Each has some place before any has the best: in ground where the search for one takes half of a frame's work, if it may. */
static void all_of_a_few_have_a_place(void **state)
{
    static const struct {
        uint32_t count, work;
    } frames[] = {{8, DEPENETRATOR_WORK}, {16, WORK}};
    const clash_shape in = in_ground();

    (void)state;
    for (int k = 0; k < 2; k++) {
        crowd c = make_crowd(frames[k].count, &in, 0.12, frames[k].work);

        for (uint32_t i = 8; i < c.count; i++)
            c.samples[i].pose.position.z = 2.0f;
        for (int f = 0; f < 40; f++) {
            for (uint32_t i = 0; i < c.count; i++)
                c.samples[i].pose.position.x += 0.003f;
            assert_in_range(work_of_frame(&c, 11 * SCENE_MS * f), 1, frames[k].work);
            for (uint32_t i = 0; i < c.count; i++)
                assert_int_equal(c.resolved[i].result, POSE_RESOLUTION_MOVED);
        }
        end_crowd(&c);
    }
}

static float length_of(const pose_sample *from, const clash_pose *to)
{
    return clash_vec3_length(clash_vec3_sub(to->position, from->pose.position));
}

/* One in the ground, first of many who are free: it does not make do with an equal share of the work. */
static void what_is_left_goes_to_who_can_use_it(void **state)
{
    const clash_shape in = in_ground();
    const clash_obstacle obstacle = {in, scene_at(0, 0, 0)};
    const clash_capsule blade = {{0, 0, 0}, {0, 0.2f, -0.9f}, 0.02f};
    crowd c = make_crowd(40, &in, 0.12, WORK);
    float all_shorter = 0.0f;

    (void)state;
    for (uint32_t i = 1; i < c.count; i++)
        c.samples[i].pose.position.y += 10.0f;
    for (int f = 0; f < 20; f++) {
        uint32_t few = WORK / 16, enough = WORK / 4;
        clash_pose quick = {0}, good = {0};

        c.samples[0].pose.position.x += 0.013f;
        work_of_frame(&c, 11 * SCENE_MS * f);
        push_pose_for(&blade, 1, &c.samples[0].pose, &obstacle, 1, DEPENETRATOR_REACH, &few, &quick);
        push_pose_for(&blade, 1, &c.samples[0].pose, &obstacle, 1, DEPENETRATOR_REACH, &enough, &good);
        assert_int_equal(c.resolved[0].result, POSE_RESOLUTION_MOVED);
        assert_true(length_of(&c.samples[0], &c.resolved[0].pose) == length_of(&c.samples[0], &good));
        all_shorter += length_of(&c.samples[0], &quick) - length_of(&c.samples[0], &good);
    }
    assert_true(all_shorter > 0.1f);
    end_crowd(&c);
}

static void frames_that_come_often_share(void **state)
{
    const clash_shape in = in_ground();
    crowd c = make_crowd(BLADES, &in, 0.12, DEPENETRATOR_WORK);
    uint64_t sum = 0;

    (void)state;
    for (int f = 0; f < 200; f++) /* 2,000 a second */
        sum += work_of_frame(&c, SCENE_MS / 2 * f);
    assert_in_range(sum, 10 * DEPENETRATOR_WORK, 21 * DEPENETRATOR_WORK);
    end_crowd(&c);
}

static void of_one_frame_all_lines_share(void **state)
{
    const clash_shape in = in_ground();
    crowd c = make_crowd(BLADES, &in, 0.12, DEPENETRATOR_WORK);
    uint64_t sum = 0;

    (void)state;
    for (int k = 0; k < 10; k++)
        sum += work_of_frame(&c, 5 * SCENE_MS);
    assert_in_range(sum, 1, DEPENETRATOR_WORK);
    for (uint32_t i = 0; i < c.count; i++)
        assert_int_equal(c.resolved[i].result, POSE_RESOLUTION_SPENT);
    end_crowd(&c);
}

static void events_share_it_too(void **state)
{
    const clash_shape in = in_ground();
    crowd c = make_crowd(BLADES, &in, 0.12, DEPENETRATOR_WORK);
    uint64_t before;
    clash_event event = {.kind = CLASH_EVENT_HOLD, .blades = {"blade 0", "blade 1"}};
    pose_resolved found[2];
    pose_frame frame = scene_frame(0);

    (void)state;
    for (uint32_t i = 0; i < c.count && frame.count < POSE_FRAME_SAMPLES_MAX; i++)
        frame.samples[frame.count++] = c.samples[i];
    pipeline_frame(c.pipeline, &frame);
    c.port.frame(c.port.context, 0);
    before = depenetrator_get_counters(c.depenetrator).work;
    for (int k = 0; k < 500; k++)
        c.port.event(c.port.context, &event, found);
    assert_in_range(depenetrator_get_counters(c.depenetrator).work - before, 1, DEPENETRATOR_WORK);
    assert_int_equal(found[0].result, POSE_RESOLUTION_SPENT);
    assert_int_equal(found[1].result, POSE_RESOLUTION_SPENT);
    event.has_target = true;
    c.port.event(c.port.context, &event, found);
    assert_int_equal(found[1].result, POSE_RESOLUTION_NONE);
    end_crowd(&c);
}

static void a_time_that_jumps_begins_anew(void **state)
{
    depenetrator_work w = {.frame = 100, .left = 100, .refused_ns = DEPENETRATOR_NEVER};

    (void)state;
    depenetrator_work_grant(&w, 1000, 10);
    assert_false(depenetrator_work_pay(&w, 200));
    depenetrator_work_grant(&w, 1005, 10);
    assert_int_equal(w.left, 50);
    depenetrator_work_grant(&w, 1000, 10); /* another device, a little behind */
    assert_int_equal(w.left, 50);
    depenetrator_work_grant(&w, -5000, 10); /* a replay was set back */
    assert_int_equal(w.left, 100);
    assert_true(depenetrator_work_pay(&w, 60));
    assert_true(depenetrator_work_has_turn(&w, 0)); /* nobody waits */
    assert_int_equal(depenetrator_work_reserve(&w, 2), 0);
    depenetrator_work_note(&w, 1, false);
    assert_false(depenetrator_work_has_turn(&w, 0));
    assert_true(depenetrator_work_has_turn(&w, 1));
    depenetrator_work_note(&w, 1, true);
    assert_false(depenetrator_work_has_turn(&w, 1));
    depenetrator_work_finish(&w);
}

static int make_hills(void **state)
{
    (void)state;
    return ground_make(65, 0.05f, 101, 0.003f, 7919);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blades_deep_in_a_ball_cost_little),
        cmocka_unit_test(no_frame_costs_more_than_its_work),
        cmocka_unit_test(all_of_a_few_have_a_place),
        cmocka_unit_test(what_is_left_goes_to_who_can_use_it),
        cmocka_unit_test(frames_that_come_often_share),
        cmocka_unit_test(of_one_frame_all_lines_share),
        cmocka_unit_test(events_share_it_too),
        cmocka_unit_test(a_time_that_jumps_begins_anew),
    };

    return cmocka_run_group_tests(tests, make_hills, ground_remove);
}
