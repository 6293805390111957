/* A step that is taken in parts against one that is not: two pipelines get the same calls, one of them pauses wherever chance has
 * it, and is left unfinished or not; events, late clashes and counters are the same, bit for bit. A failure prints its seed;
 * CLASHD_SEED runs that one alone. */
#include <inttypes.h>

#include "support/crowd.h"
#include "support/swings.h"
#include "support/swords.h"

#define DEVICES 24
#define NAMES 200
#define CALLS 200

/** One of the two. */
typedef struct side {
    pipeline *pipeline;
    crowd_log log;
} side;

typedef struct game {
    random_state random, pauses;
    int pause_odds; /* one of so many questions is answered with yes; 1: all */
    int64_t now_ns;
    side whole, parted;
    swing_wave waves[DEVICES][6];
    clash_sword swords[NAMES];
    size_t paused, left; /* how often; how often another call found it unfinished */
} game;

static uint64_t current_seed;

static bool chance(game *g, int of)
{
    return random_below(&g->random, of) == 0;
}

static bool on_pause(void *context)
{
    game *g = context;

    return random_below(&g->pauses, g->pause_odds) == 0;
}

static void begin_side(side *s, const pipeline_settings *settings, bool has_peak)
{
    *s = (side){0};
    s->pipeline = pipeline_create(settings, crowd_on_event, &s->log);
    assert_non_null(s->pipeline);
    if (has_peak)
        pipeline_set_peak_function(s->pipeline, crowd_on_event, &s->log);
}

static void end_side(side *s)
{
    pipeline_destroy(s->pipeline);
    free(s->log.events);
}

static pipeline_settings random_settings(random_state *r)
{
    return (pipeline_settings){.release_margin = 0.004f,
                               .full_intensity_speed = 10.0f,
                               .max_gap_ns = 100 * SCENE_MS,
                               .margin = random_below(r, 2) ? 0.0f : 0.05f,
                               .hold_rate_hz = random_below(r, 2) ? 90.0f : 0.0f,
                               .min_closing_speed = random_below(r, 3) ? 0.0f : 1.0f,
                               .require_tracked = random_below(r, 2),
                               .every_pair = random_below(r, 4) == 0};
}

/* ---- one call to both ---- */

/* What a step has left is gone on with, or left to the next call. */
static void go_on(game *g)
{
    pipeline *p = g->parted.pipeline;

    while (pipeline_is_unfinished(p)) {
        g->paused++;
        if (random_below(&g->pauses, 8) == 0) {
            g->left++;
            return;
        }
        pipeline_continue(p);
    }
}

static void play_frame(game *g, uint32_t first, uint32_t count)
{
    pose_frame frame = scene_frame(g->now_ns);

    for (uint32_t i = first; i < first + count; i++) {
        const uint32_t device = i % DEVICES;
        const uint32_t flags = chance(g, 100) ? SCENE_GOOD | POSE_TELEPORT : chance(g, 100) ? 0 : SCENE_GOOD;

        if (!chance(g, 30))
            scene_frame_add(&frame, device, flags, swing_pose(g->waves[device], (double)g->now_ns * 1e-9));
        if (frame.count < 7 && i + 1 < first + count)
            continue;
        frame.more = i + 1 < first + count || chance(g, 30);
        pipeline_frame(g->whole.pipeline, &frame);
        pipeline_frame(g->parted.pipeline, &frame);
        frame.count = 0;
    }
}

static void define_blade(game *g, const char *name, int number)
{
    pipeline_blade blade = {.device = (uint32_t)random_below(&g->random, DEVICES)};
    const char *answers[2];

    snprintf(blade.name, sizeof blade.name, "%s", name);
    blade.properties.shape = (clash_capsule){random_box(&g->random, 0.1), random_box(&g->random, 0.8), 0.02f};
    if (chance(g, 8)) {
        g->swords[number] = random_sword(&g->random, 0.8, 0.04);
        blade.sword = &g->swords[number];
    }
    answers[0] = pipeline_add_blade(g->whole.pipeline, &blade);
    answers[1] = pipeline_add_blade(g->parted.pipeline, &blade);
    assert_true(!answers[0] == !answers[1]);
}

static void define_target(game *g, const char *name)
{
    pipeline_target target = {.is_static = chance(g, 2),
                              .device = (uint32_t)random_below(&g->random, DEVICES),
                              .pose = scene_at(random_in(&g->random, -1, 1), random_in(&g->random, -1, 1), 0)};
    const char *answers[2];

    snprintf(target.name, sizeof target.name, "%s", name);
    target.shape = (clash_shape){.kind = CLASH_SHAPE_SPHERE, .as.sphere = {.radius = 0.3f}};
    if (chance(g, 2))
        target.shape = (clash_shape){.kind = CLASH_SHAPE_CAPSULE,
                                     .as.capsule = {random_box(&g->random, 0.5), random_box(&g->random, 0.5), 0.1f}};
    answers[0] = pipeline_add_target(g->whole.pipeline, &target);
    answers[1] = pipeline_add_target(g->parted.pipeline, &target);
    assert_true(!answers[0] == !answers[1]);
}

static void define_or_remove(game *g)
{
    const int number = random_below(&g->random, NAMES);
    char name[16];

    snprintf(name, sizeof name, "%d", number);
    if (pipeline_find_blade(g->whole.pipeline, name)) {
        assert_int_equal(pipeline_remove_blade(g->whole.pipeline, name), 0);
        assert_int_equal(pipeline_remove_blade(g->parted.pipeline, name), 0);
    } else if (pipeline_find_target(g->whole.pipeline, name)) {
        assert_int_equal(pipeline_remove_target(g->whole.pipeline, name), 0);
        assert_int_equal(pipeline_remove_target(g->parted.pipeline, name), 0);
    } else if (chance(g, 4)) {
        define_target(g, name);
    } else {
        define_blade(g, name, number);
    }
}

static void replace_device(game *g)
{
    const uint32_t id = (uint32_t)random_below(&g->random, DEVICES);
    char name[32];

    pipeline_remove_device(g->whole.pipeline, id);
    pipeline_remove_device(g->parted.pipeline, id);
    snprintf(name, sizeof name, "device at %" PRId64, g->now_ns);
    assert_int_equal(pipeline_device(g->whole.pipeline, name), id);
    assert_int_equal(pipeline_device(g->parted.pipeline, name), id);
}

static void something_else(game *g)
{
    const uint32_t id = (uint32_t)random_below(&g->random, DEVICES);

    if (chance(g, 4))
        define_or_remove(g);
    if (chance(g, 30)) {
        pipeline_lost(g->whole.pipeline, id, g->now_ns, CLASH_TRACKING_LOST);
        pipeline_lost(g->parted.pipeline, id, g->now_ns, CLASH_TRACKING_LOST);
    } else if (chance(g, 60)) {
        pipeline_space_changed(g->whole.pipeline, g->now_ns);
        pipeline_space_changed(g->parted.pipeline, g->now_ns);
    } else if (chance(g, 60)) {
        replace_device(g);
    } else if (chance(g, 80)) {
        const pipeline_settings next = random_settings(&g->random);

        pipeline_change_settings(g->whole.pipeline, &next);
        pipeline_change_settings(g->parted.pipeline, &next);
    }
    go_on(g);
}

/* ---- a game ---- */

static void begin(game *g, uint64_t seed)
{
    random_state *r = &g->random;
    pipeline_settings settings;
    bool has_peak;

    *g = (game){.random = {seed}, .pauses = {~seed}};
    g->pause_odds = random_below(r, 2) ? 1 : 1 + random_below(r, 50);
    settings = random_settings(r);
    has_peak = random_below(r, 2);
    begin_side(&g->whole, &settings, has_peak);
    begin_side(&g->parted, &settings, has_peak);
    pipeline_set_pause_function(g->parted.pipeline, on_pause, g);
    for (uint32_t i = 0; i < DEVICES; i++) {
        char name[16];

        snprintf(name, sizeof name, "%u", i);
        assert_int_equal(pipeline_device(g->whole.pipeline, name), i);
        assert_int_equal(pipeline_device(g->parted.pipeline, name), i);
        for (int k = 0; k < 6; k++)
            g->waves[i][k] =
                swing_wave_make(r, k < 3 ? random_in(r, -0.8, 0.8) : random_in(r, -3, 3), k < 3 ? 0.15 : 0.7);
    }
    for (int i = 0; i < NAMES; i++)
        define_or_remove(g);
}

static void check_same(const game *g)
{
    const crowd_log *expected = &g->whole.log, *said = &g->parted.log;

    for (size_t i = 0; i < expected->count && i < said->count; i++)
        if (!scene_event_same(&expected->events[i], &said->events[i]) ||
            expected->events[i].event.seq != said->events[i].event.seq)
            fail_msg("CLASHD_SEED=%" PRIu64 ": event %zu is another one", current_seed, i);
    if (said->count != expected->count)
        fail_msg("CLASHD_SEED=%" PRIu64 ": %zu events, expected %zu", current_seed, said->count, expected->count);
    assert_memory_equal(pipeline_get_counters(g->whole.pipeline), pipeline_get_counters(g->parted.pipeline),
                        sizeof(pipeline_counters));
}

static void parts_change_nothing(void **state)
{
    const long cases = getenv("CLASHD_SEED") ? 1 : random_cases(16);
    size_t events = 0, paused = 0, left = 0;
    game *g = malloc(sizeof *g);

    (void)state;
    assert_non_null(g);
    for (long i = 0; i < cases; i++) {
        current_seed = random_seed((uint64_t)i + 1);
        begin(g, current_seed);
        for (int call = 0; call < CALLS; call++) {
            const uint32_t first = (uint32_t)random_below(&g->random, DEVICES);

            play_frame(g, first, chance(g, 2) ? DEVICES : 1 + (uint32_t)random_below(&g->random, 9));
            go_on(g);
            something_else(g);
            g->now_ns += random_below(&g->random, 12) * SCENE_MS; /* or the same time again */
        }
        pipeline_finish(g->parted.pipeline);
        check_same(g);
        events += g->whole.log.count;
        paused += g->paused;
        left += g->left;
        end_side(&g->whole);
        end_side(&g->parted);
    }
    free(g);
    print_message("%ld cases, %zu events, %zu pauses, %zu steps left to the next call\n", cases, events, paused, left);
    assert_true(events > 0 && paused > 0 && left > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_change_nothing)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
