/* The pipeline and memory: none is taken in a step that does no more than one before it, and where there is none what is
 * lost is said, what is not lost goes on, and nothing breaks. */
#include "support/allocations.h"
#include "support/random.h"
#include "support/touching.h"

#define FIGHTERS 300

static size_t events;

static int64_t last_ns;
static bool is_in_order;

static void count_in_order(void *context, const clash_event *event)
{
    (void)context;
    is_in_order = is_in_order && event->time_ns >= last_ns;
    last_ns = event->time_ns;
    events++;
}

static void count_event(void *context, const clash_event *event)
{
    (void)context;
    (void)event;
    events++;
}

/* Fighters on a grid a metre apart that swing round and round: they meet their neighbours again and again. */
static pipeline *make_army(void)
{
    pipeline_settings settings = scene_settings();
    pipeline *p = pipeline_create(&settings, count_event, NULL);

    assert_non_null(p);
    for (uint32_t i = 0; i < FIGHTERS; i++)
        assert_null(scene_add_npc(p, i, (clash_capsule){{0, 0, 0}, {0, 0, -0.9f}, 0.02f}));
    return p;
}

/* A whole turn takes 40 steps. */
static clash_pose fighter_at(uint32_t i, int step)
{
    double half = 3.14159265 * (step % 40) / 40 * (i % 3 ? 1 : -1);

    uint32_t row = i / 20;

    return (clash_pose){{0, (float)sin(half), 0, (float)cos(half)}, {(float)(i % 20), 0, (float)row}};
}

static void play(pipeline *p, int first, int last)
{
    for (int step = first; step < last; step++)
        for (uint32_t i = 0; i < FIGHTERS;) {
            pose_frame frame = scene_frame(10 * SCENE_MS * step);

            for (; frame.count < POSE_FRAME_SAMPLES_MAX && i < FIGHTERS; i++)
                scene_frame_add(&frame, i, SCENE_GOOD, fighter_at(i, step));
            frame.more = i < FIGHTERS;
            pipeline_frame(p, &frame);
        }
}

static void steps_allocate_nothing(void **state)
{
    pipeline *p = make_army();
    unsigned long before;

    (void)state;
    play(p, 0, 120);
    before = allocations;
    events = 0;
    play(p, 120, 240);
    assert_int_equal(allocations, before);
    assert_in_range(events, 1000, SIZE_MAX);
    /* Blades that come where others went neither. */
    for (int step = 240; step < 280; step++) {
        pipeline_blade blade = *pipeline_blade_at(p, (size_t)(step - 240));

        assert_int_equal(pipeline_remove_blade(p, blade.name), 0);
        assert_null(pipeline_add_blade(p, &blade));
        play(p, step, step + 1);
    }
    assert_int_equal(allocations, before);
    assert_int_equal(pipeline_get_counters(p)->starved, 0);
    pipeline_destroy(p);
}

/* Whatever allocation fails, creation and adding say so and undo what they did. */
static void failures_are_told(void **state)
{
    pipeline_settings settings = scene_settings();
    unsigned long refused = 0;

    (void)state;
    for (unsigned long left = 0; refused == left; left++) {
        pipeline *p;

        allocations_left = left;
        p = pipeline_create(&settings, count_event, NULL);
        for (uint32_t i = 0; p && i < 40; i++) {
            if (scene_add_npc(p, i, along_x)) {
                pipeline_destroy(p);
                p = NULL;
            }
        }
        allocations_left = -1ul;
        refused += p == NULL;
        if (p)
            assert_int_equal(pipeline_blade_count(p), 40);
        pipeline_destroy(p);
    }
    assert_in_range(refused, 20, 1000);
}

/* A step without memory misses what began in it, says so, and the next one is whole again. */
static void a_step_without_memory(void **state)
{
    pipeline *p = make_army();

    (void)state;
    play(p, 0, 1);
    for (int step = 1; step < 60; step++) {
        allocations_left = 0;
        play(p, step, step + 1);
        allocations_left = -1ul;
    }
    assert_in_range(pipeline_get_counters(p)->starved, 1, UINT64_MAX);
    assert_int_equal(pipeline_get_counters(p)->overruns, 0);
    events = 0;
    play(p, 60, 180);
    assert_in_range(events, 1000, SIZE_MAX);
    pipeline_destroy(p);
}

/* Wherever in its first steps memory ends, contacts that were missed are said to be, and those that come later are
 * found. */
static void memory_that_ends_within_a_step(void **state)
{
    bool is_hungry = true;

    (void)state;
    for (unsigned long left = 0; is_hungry; left += 1 + left / 8) {
        pipeline *p = make_army();
        unsigned long before = allocations;

        assert_in_range(left, 0, 200);
        allocations_left = left;
        play(p, 0, 6);
        is_hungry = allocations_left == 0 && allocations - before > left;
        allocations_left = -1ul;
        assert_int_equal(pipeline_get_counters(p)->starved > 0, is_hungry);
        events = 0;
        play(p, 6, 20);
        assert_in_range(events, 30, SIZE_MAX);
        pipeline_destroy(p);
    }
}

/* Eight blades across eight others for 9.99 s, with 1000 holds a second: 639,000 events in one step, delivered in order of
 * time without room for all of them. With `left` allocations memory ends within the step. */
static void hold_for_seconds(unsigned long left)
{
    pipeline_settings settings = scene_settings();
    pipeline *p;

    settings.hold_rate_hz = 1000.0f;
    settings.max_gap_ns = INT64_C(10000000000);
    p = pipeline_create(&settings, count_in_order, NULL);
    for (uint32_t i = 0; i < 16; i++)
        assert_null(scene_add_npc(p, i, (clash_capsule){{0, 0, 0.5f}, {0, 0, -0.5f}, 0.005f}));
    events = 0;
    last_ns = INT64_MIN;
    is_in_order = true;
    for (int step = 0; step < 2; step++) {
        pose_frame frame = scene_frame(9990 * SCENE_MS * step);

        for (uint32_t i = 0; i < 16; i++) {
            const bool across = i >= 8;
            const float at = 0.05f * (float)(i % 8) - 0.2f;

            scene_frame_add(&frame, i, SCENE_GOOD,
                            (clash_pose){{0, across ? 0.70710678f : 0, 0, across ? 0.70710678f : 1},
                                         {across ? 0 : at, 0.001f * (float)step, across ? at : 0}});
        }
        if (step == 1) {
            allocations_largest = 0;
            allocations_left = left;
        }
        pipeline_frame(p, &frame);
        allocations_left = -1ul;
    }
    if (left == -1ul) {
        assert_true(is_in_order);
        assert_int_equal(pipeline_get_counters(p)->starved, 0);
        assert_in_range(events, 639000, 640000);
        assert_in_range(allocations_largest, 1, 2000000);
    } else if (!is_in_order || events < 639000) {
        assert_in_range(pipeline_get_counters(p)->starved, 1, UINT64_MAX); /* and nothing is silent about it */
    }
    pipeline_destroy(p);
}

static void a_step_of_many_holds_needs_little(void **state)
{
    (void)state;
    hold_for_seconds(-1ul);
}

static void a_step_of_many_holds_without_memory(void **state)
{
    (void)state;
    for (unsigned long left = 0; left < 40; left += 1 + left / 4)
        hold_for_seconds(left);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_that_ends_within_a_step),
        cmocka_unit_test(steps_allocate_nothing),
        cmocka_unit_test(failures_are_told),
        cmocka_unit_test(a_step_without_memory),
        cmocka_unit_test(a_step_of_many_holds_needs_little),
        cmocka_unit_test(a_step_of_many_holds_without_memory),
    };

    return SCENE_RUN(tests);
}
