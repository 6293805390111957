/* The depenetrator and memory: none is taken to answer what is no more than before, and where there is none it answers that
 * there is nothing to say. */
#include "support/allocations.h"
#include "support/touching.h"

#include "pipeline/depenetrator.h"

#define PAIRS 20

static depenetrator *asked;
static unsigned answers[POSE_RESOLUTION_STUCK + 1];

static void ask(void *context, const clash_event *event)
{
    pose_resolved resolved[2];
    pose_resolver port;

    (void)context;
    if (!asked || (event->kind != CLASH_EVENT_CLASH && event->kind != CLASH_EVENT_HOLD))
        return;
    port = depenetrator_port(asked);
    port.event(port.context, event, resolved);
    for (int i = 0; i < 2; i++)
        answers[resolved[i].result]++;
}

/* Pairs of blades two metres apart that come to each other and part again. */
static pipeline *make_pairs(void)
{
    pipeline_settings settings = scene_settings();
    pipeline *p;

    settings.hold_rate_hz = 100.0f;
    p = pipeline_create(&settings, ask, NULL);
    assert_non_null(p);
    for (uint32_t i = 0; i < 2 * PAIRS; i++)
        assert_null(scene_add_npc(p, i, i % 2 ? along_x : along_z));
    return p;
}

static pose_frame frame_at(int step, uint32_t first)
{
    pose_frame frame = scene_frame(10 * SCENE_MS * step);

    for (uint32_t i = first; i < 2 * PAIRS && frame.count < POSE_FRAME_SAMPLES_MAX; i++)
        scene_frame_add(&frame, i, SCENE_GOOD, scene_at(i & ~1u, i % 2 ? 0.004 * abs(step % 20 - 10) : 0, 0));
    frame.more = first + frame.count < 2 * PAIRS;
    return frame;
}

static void play(pipeline *p, int from, int to)
{
    for (int step = from; step < to; step++) {
        for (uint32_t first = 0; first < 2 * PAIRS; first += POSE_FRAME_SAMPLES_MAX) {
            const pose_frame frame = frame_at(step, first);
            pose_resolved resolved[POSE_FRAME_SAMPLES_MAX];
            pose_resolver port = depenetrator_port(asked);

            port.poses(port.context, frame.time_ns, frame.samples, frame.count, resolved);
            for (uint32_t i = 0; i < frame.count; i++)
                answers[resolved[i].result]++;
            pipeline_frame(p, &frame);
        }
    }
}

static void answers_take_no_memory(void **state)
{
    pipeline *p = make_pairs();
    unsigned long before;

    (void)state;
    asked = depenetrator_create(p, UINT32_MAX);
    assert_non_null(asked);
    play(p, 0, 40);
    before = allocations;
    memset(answers, 0, sizeof answers);
    play(p, 40, 200);
    assert_int_equal(allocations, before);
    assert_in_range(answers[POSE_RESOLUTION_MOVED], 1000, UINT32_MAX);
    assert_in_range(answers[POSE_RESOLUTION_FREE], 1000, UINT32_MAX);
    assert_int_equal(answers[POSE_RESOLUTION_NONE] + answers[POSE_RESOLUTION_STUCK], 0);
    depenetrator_destroy(asked);
    pipeline_destroy(p);
}

static void without_memory_there_is_nothing_to_say(void **state)
{
    pipeline *p = make_pairs();
    const pose_frame frame = frame_at(10, 0);
    pose_resolved resolved[POSE_FRAME_SAMPLES_MAX];
    pose_resolver port;

    (void)state;
    allocations_left = 0;
    assert_null(depenetrator_create(p, UINT32_MAX));
    allocations_left = -1ul;
    asked = depenetrator_create(p, UINT32_MAX);
    port = depenetrator_port(asked);
    for (unsigned long left = 0; left < 4; left++) {
        allocations_left = left;
        port.poses(port.context, 0, frame.samples, frame.count, resolved);
        allocations_left = -1ul;
        for (uint32_t i = 0; i < frame.count; i++)
            assert_int_equal(resolved[i].result, POSE_RESOLUTION_NONE);
        depenetrator_destroy(asked);
        asked = depenetrator_create(p, UINT32_MAX);
        port = depenetrator_port(asked);
    }
    port.poses(port.context, 0, frame.samples, frame.count, resolved);
    for (uint32_t i = 0; i < frame.count; i++)
        assert_int_not_equal(resolved[i].result, POSE_RESOLUTION_NONE);
    depenetrator_destroy(asked);
    asked = NULL;
    depenetrator_destroy(NULL);
    pipeline_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_take_no_memory),
        cmocka_unit_test(without_memory_there_is_nothing_to_say),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
