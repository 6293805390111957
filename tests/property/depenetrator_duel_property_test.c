/* The depenetrator while swings go on: asked at each clash and hold it says where both stop at that very time, and who asks
 * changes nothing of what the pipeline finds, to the bit. */
#include <math.h>

#include <clash/push_out.h>

#include "support/random.h"
#include "support/scene.h"

#include "pipeline/depenetrator.h"

/* What rounding of poses to float may add. */
#define DEPTH_MAX (1e-4f + 4e-6f)

typedef struct bystander {
    scene log;
    const pipeline *pipeline;
    pose_resolver resolver; /* zeroed: nobody asks */
    long moved, judged;
} bystander;

static clash_obstacle obstacle_at(const bystander *b, const char *name, const pose_resolved *resolved, int64_t time_ns)
{
    for (size_t i = 0; i < pipeline_blade_count(b->pipeline); i++) {
        const pipeline_blade *blade = pipeline_blade_at(b->pipeline, i);

        if (strcmp(blade->name, name) == 0)
            return (clash_obstacle){{.kind = CLASH_SHAPE_CAPSULE, .as.capsule = blade->properties.shape},
                                    resolved->pose};
    }
    for (size_t i = 0; i < pipeline_target_count(b->pipeline); i++) {
        const pipeline_target *target = pipeline_target_at(b->pipeline, i);
        clash_pose pose = target->pose;

        if (strcmp(target->name, name) != 0)
            continue;
        assert_true(target->is_static || pipeline_pose_at(b->pipeline, target->device, time_ns, &pose));
        return (clash_obstacle){target->shape, pose};
    }
    fail_msg("nothing is called %s", name);
    return (clash_obstacle){0};
}

/* The pose is that of the blade at the event's time but for where it is moved to. */
static void judge_time(const bystander *b, const clash_event *event, const clash_capsule *blade, uint32_t device)
{
    const clash_obstacle point = {{.kind = CLASH_SHAPE_SPHERE, .as.sphere = {event->as.clash.contact.points[0], 0}},
                                  scene_at(0, 0, 0)};
    clash_overlap overlap;
    clash_pose pose;

    assert_true(pipeline_pose_at(b->pipeline, device, event->time_ns, &pose));
    assert_true(clash_overlap_of(blade, &pose, &point, &overlap));
    assert_true(fabsf(overlap.depth - blade->radius) < 2e-5f);
}

static void judge_event(bystander *b, const clash_event *event)
{
    pose_resolved resolved[2];
    clash_obstacle first, second;
    clash_overlap overlap;

    b->resolver.event(b->resolver.context, event, resolved);
    first = obstacle_at(b, event->blades[0], &resolved[0], event->time_ns);
    second = obstacle_at(b, event->blades[1], &resolved[1], event->time_ns);
    assert_int_equal(resolved[1].result == POSE_RESOLUTION_NONE, event->has_target);
    assert_int_not_equal(resolved[0].result, POSE_RESOLUTION_NONE);
    for (int i = 0; i < 2; i++)
        b->moved += resolved[i].result == POSE_RESOLUTION_MOVED;
    for (uint32_t i = 0; i < 2; i++)
        if (strncmp(event->blades[0], "blade", 5) == 0 && event->blades[0][6] == (char)('0' + i))
            judge_time(b, event, &first.shape.as.capsule, i);
    if (resolved[0].result == POSE_RESOLUTION_STUCK || resolved[1].result == POSE_RESOLUTION_STUCK)
        return;
    assert_true(clash_overlap_of(&first.shape.as.capsule, &first.pose, &second, &overlap));
    b->judged++;
    if (overlap.depth > DEPTH_MAX)
        fail_msg("%g m deep after both have been moved", (double)overlap.depth);
}

static void log_and_ask(void *context, const clash_event *event)
{
    bystander *b = context;

    scene_on_event(&b->log, event);
    if (b->resolver.event && (event->kind == CLASH_EVENT_CLASH || event->kind == CLASH_EVENT_HOLD))
        judge_event(b, event);
}

/* Two hands that swing through each other, a shield in one of them, and a pillar. */
static pipeline *make_duel(bystander *b)
{
    pipeline_settings settings = scene_settings();
    pipeline_target pillar = {.name = "pillar",
                              .is_static = true,
                              .pose = scene_at(0.4, 0, 0),
                              .shape = {.kind = CLASH_SHAPE_CAPSULE, .as.capsule = {{0, -1, 0}, {0, 1, 0}, 0.1f}}},
                    shield = {
                        .name = "shield",
                        .device = 1,
                        .shape = {.kind = CLASH_SHAPE_BOX, .as.box = {{0, 0, 0}, {0, 0, 0, 1}, {0.2f, 0.2f, 0.02f}}}};
    pipeline *p;

    settings.hold_rate_hz = 200.0f;
    p = pipeline_create(&settings, log_and_ask, b);
    assert_non_null(p);
    b->pipeline = p;
    for (uint32_t i = 0; i < 2; i++) {
        pipeline_blade blade = scene_blade("", i, (clash_capsule){{0, 0, 0}, {0, 0, -0.9f}, 0.02f});

        snprintf(blade.name, sizeof blade.name, "blade %u", i);
        assert_int_equal(pipeline_device(p, i ? "b" : "a"), i);
        assert_null(pipeline_add_blade(p, &blade));
    }
    assert_null(pipeline_add_target(p, &pillar));
    assert_null(pipeline_add_target(p, &shield));
    return p;
}

/* The second hand is sampled half as often, between the first one's times. */
static void swing(pipeline *p, random_state *random, bystander *b)
{
    for (int i = 0; i < 400; i++) {
        pose_frame frame = scene_frame(5 * SCENE_MS * i + (i % 2 ? SCENE_MS : 0));
        pose_resolved resolved[1];
        clash_pose pose = {random_turn(random, 1.0), random_box(random, 0.3)};

        if (i % 3 == 2)
            pose.position.z += 0.5f;
        scene_frame_add(&frame, i % 3 == 2, SCENE_GOOD, pose);
        if (b->resolver.poses)
            b->resolver.poses(b->resolver.context, frame.time_ns, frame.samples, 1, resolved);
        pipeline_frame(p, &frame);
    }
}

static void who_asks_changes_nothing(void **state)
{
    random_state seeds = {random_seed(42)};
    static bystander quiet, asking;
    long contacts = 0;

    (void)state;
    for (int n = 0; n < 20; n++) {
        random_state random = {random_bits(&seeds)}, same = random;
        depenetrator *r;
        pipeline *p;

        quiet = asking = (bystander){0};
        p = make_duel(&quiet);
        swing(p, &random, &quiet);
        pipeline_destroy(p);
        p = make_duel(&asking);
        r = depenetrator_create(p, UINT32_MAX);
        assert_non_null(r);
        asking.resolver = depenetrator_port(r);
        swing(p, &same, &asking);
        depenetrator_destroy(r);
        pipeline_destroy(p);
        assert_int_equal(quiet.log.count, asking.log.count);
        for (size_t i = 0; i < quiet.log.count; i++)
            assert_true(scene_event_same(&quiet.log.events[i], &asking.log.events[i]));
        contacts += asking.judged;
        assert_true(asking.moved > 0);
    }
    assert_true(contacts > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_asks_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
