/* The depenetrator over random scenes: whatever sinks into whatever, once all are drawn where it says nothing sinks into
 * anything by more than 0.1 mm, or it has said that there is no place. Judged by clash_overlap_of, which has tests of its
 * own. */
#include <math.h>

#include <clash/push_out.h>

#include "support/ground.h"
#include "support/random.h"
#include "support/scene.h"

#include "pipeline/depenetrator.h"

#define DEVICES_MAX 5
#define TARGETS_MAX 4
/* What rounding of poses to float may add. */
#define DEPTH_MAX (1e-4f + 4e-6f)

typedef struct brawl {
    pipeline *pipeline;
    depenetrator *depenetrator;
    uint32_t device_count;
    pose_sample samples[DEVICES_MAX];
    pose_resolved resolved[DEVICES_MAX];
} brawl;

typedef struct tally {
    long moved, stuck, judged;
    float deepest;
} tally;

static clash_shape any_shape(random_state *random, bool is_static)
{
    clash_quat turn = random_turn(random, 3.0);
    clash_vec3 a = random_box(random, 0.3), b = random_box(random, 0.3);
    float size = (float)random_in(random, 0.02, 0.2);

    switch (random_below(random, is_static ? 4 : 3)) {
    case 0:
        return (clash_shape){.kind = CLASH_SHAPE_SPHERE, .as.sphere = {a, size}};
    case 1:
        return (clash_shape){.kind = CLASH_SHAPE_CAPSULE, .as.capsule = {a, b, size}};
    case 2:
        return (clash_shape){.kind = CLASH_SHAPE_BOX, .as.box = {a, turn, {size, 0.5f * size, 2.0f * size}}};
    default:
        return (clash_shape){.kind = CLASH_SHAPE_TERRAIN, .as.terrain = ground};
    }
}

static void add_target(brawl *b, random_state *random, uint32_t i)
{
    pipeline_target target = {.is_static = random_below(random, 3) > 0,
                              .device = (uint32_t)random_below(random, (int)b->device_count),
                              .pose = {random_turn(random, 3.0), random_box(random, 0.4)}};

    snprintf(target.name, sizeof target.name, "target %u", i);
    target.shape = any_shape(random, target.is_static);
    if (target.shape.kind == CLASH_SHAPE_TERRAIN)
        target.pose = scene_at(-1, -0.5, -1);
    assert_null(pipeline_add_target(b->pipeline, &target));
}

static clash_capsule any_capsule(random_state *random)
{
    return (clash_capsule){random_box(random, 0.1), random_box(random, 0.6), (float)random_in(random, 0.001, 0.03)};
}

static void add_blade(brawl *b, random_state *random, uint32_t device, int i)
{
    pipeline_blade blade = scene_blade("", device, any_capsule(random));
    clash_sword sword = {.part_count = 1, .capsule_count = 3, .parts = {{.name = "all", .count = 3}}};

    snprintf(blade.name, sizeof blade.name, "blade %u.%d", device, i);
    sword.capsules[0] = blade.properties.shape;
    for (int k = 1; k < 3; k++)
        sword.capsules[k] =
            (clash_capsule){sword.capsules[k - 1].tip, any_capsule(random).tip, blade.properties.shape.radius};
    if (random_below(random, 3) == 0)
        blade.sword = &sword;
    blade.properties.is_body = random_below(random, 8) == 0;
    assert_null(pipeline_add_blade(b->pipeline, &blade));
}

static brawl make_brawl(random_state *random)
{
    pipeline_settings settings = scene_settings();
    brawl b = {.pipeline = pipeline_create(&settings, scene_ignore_event, NULL),
               .device_count = 1 + (uint32_t)random_below(random, DEVICES_MAX)};
    const uint32_t targets = (uint32_t)random_below(random, TARGETS_MAX + 1);

    b.depenetrator = depenetrator_create(b.pipeline, UINT32_MAX);
    assert_true(b.pipeline && b.depenetrator);
    for (uint32_t i = 0; i < b.device_count; i++) {
        char name[32];

        snprintf(name, sizeof name, "device %u", i);
        assert_int_equal(pipeline_device(b.pipeline, name), i);
        for (int k = random_below(random, 3); k >= 0; k--)
            add_blade(&b, random, i, k);
        b.samples[i] = (pose_sample){i, SCENE_GOOD, {random_turn(random, 3.0), random_box(random, 0.4)}};
    }
    for (uint32_t i = 0; i < targets; i++)
        add_target(&b, random, i);
    return b;
}

static void end_brawl(brawl *b)
{
    depenetrator_destroy(b->depenetrator);
    pipeline_destroy(b->pipeline);
}

/* Bodies of a device that has blades too are asked for with events only. */
static bool is_asked_for(const brawl *b, const pipeline_blade *blade)
{
    for (size_t i = 0; i < pipeline_blade_count(b->pipeline); i++) {
        const pipeline_blade *other = pipeline_blade_at(b->pipeline, i);

        if (blade->properties.is_body && other->device == blade->device && !other->properties.is_body)
            return false;
    }
    return b->resolved[blade->device].result == POSE_RESOLUTION_MOVED ||
           b->resolved[blade->device].result == POSE_RESOLUTION_FREE;
}

static float depth_in(const brawl *b, const pipeline_blade *blade, const clash_obstacle *obstacle)
{
    const clash_capsule *capsules = blade->sword ? blade->sword->capsules : &blade->properties.shape;
    const uint32_t count = blade->sword ? blade->sword->capsule_count : 1;
    float deepest = -INFINITY;

    for (uint32_t i = 0; i < count; i++) {
        clash_overlap overlap;

        assert_true(clash_overlap_of(&capsules[i], &b->resolved[blade->device].pose, obstacle, &overlap));
        deepest = fmaxf(deepest, overlap.depth);
    }
    return deepest;
}

static void judge(tally *t, float depth)
{
    t->judged++;
    t->deepest = fmaxf(t->deepest, depth);
    if (depth > DEPTH_MAX)
        fail_msg("%g m deep after all have been moved", (double)depth);
}

static void judge_targets(const brawl *b, const pipeline_blade *blade, tally *t)
{
    for (size_t i = 0; i < pipeline_target_count(b->pipeline); i++) {
        const pipeline_target *target = pipeline_target_at(b->pipeline, i);
        const clash_obstacle obstacle = {target->shape,
                                         target->is_static ? target->pose : b->samples[target->device].pose};

        if (target->is_static || target->device != blade->device)
            judge(t, depth_in(b, blade, &obstacle));
    }
}

static void judge_blades(const brawl *b, const pipeline_blade *blade, tally *t)
{
    const pipeline_blade *other;

    for (size_t i = 0; (other = pipeline_blade_at(b->pipeline, i)); i++) {
        const uint32_t count = other->sword ? other->sword->capsule_count : 1;

        if (other->device == blade->device || other->properties.is_body || blade->properties.is_body ||
            !is_asked_for(b, other))
            continue;
        for (uint32_t k = 0; k < count; k++) {
            const clash_obstacle obstacle = {
                {.kind = CLASH_SHAPE_CAPSULE,
                 .as.capsule = other->sword ? other->sword->capsules[k] : other->properties.shape},
                b->resolved[other->device].pose};

            judge(t, depth_in(b, blade, &obstacle));
        }
    }
}

static void judge_device(const brawl *b, uint32_t i, tally *t)
{
    const pose_resolved *r = &b->resolved[i];
    const clash_vec3 from = b->samples[i].pose.position, to = r->pose.position;

    t->moved += r->result == POSE_RESOLUTION_MOVED;
    t->stuck += r->result == POSE_RESOLUTION_STUCK;
    assert_int_not_equal(r->result, POSE_RESOLUTION_NONE);
    if (r->result == POSE_RESOLUTION_STUCK)
        return;
    assert_memory_equal(&r->pose.orientation, &b->samples[i].pose.orientation, sizeof r->pose.orientation);
    assert_true(sqrt(pow((double)(to.x - from.x), 2) + pow((double)(to.y - from.y), 2) +
                     pow((double)(to.z - from.z), 2)) <= (double)DEPENETRATOR_REACH + 1e-5);
    if (r->result == POSE_RESOLUTION_FREE)
        assert_memory_equal(&to, &from, sizeof to);
}

static void nothing_sinks_into_anything(void **state)
{
    random_state random = {random_seed(20261121)};
    const long scenes = random_cases(2500);
    tally t = {.deepest = -INFINITY};

    (void)state;
    for (long n = 0; n < scenes; n++) {
        brawl b = make_brawl(&random);
        pose_resolver port = depenetrator_port(b.depenetrator);
        const pipeline_blade *blade;

        port.poses(port.context, 0, b.samples, b.device_count, b.resolved);
        for (uint32_t i = 0; i < b.device_count; i++)
            judge_device(&b, i, &t);
        for (size_t i = 0; (blade = pipeline_blade_at(b.pipeline, i)); i++) {
            if (!is_asked_for(&b, blade))
                continue;
            judge_targets(&b, blade, &t);
            judge_blades(&b, blade, &t);
        }
        end_brawl(&b);
    }
    print_message("%ld scenes: %ld moved, %ld without a place, %ld depths, %.1f um at most\n", scenes, t.moved, t.stuck,
                  t.judged, (double)t.deepest * 1e6);
    assert_true(t.moved > scenes / 2);
    assert_true(t.stuck < t.moved / 20);
}

static int make_ground(void **state)
{
    (void)state;
    return ground_make(9, 0.25f, 11, 0.01f, 37);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_sinks_into_anything),
    };

    return cmocka_run_group_tests(tests, make_ground, ground_remove);
}
