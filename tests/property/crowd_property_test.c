/* The broad phase against none: what a pipeline says of a crowd, with all that befalls devices, is what a table of all pairs
 * says. A failure prints its seed; CLASHD_SEED runs that one alone. */
#include <inttypes.h>

#include "support/crowd.h"
#include "support/swings.h"
#include "support/swords.h"

#define HELD_MAX 50
#define DEVICES_MAX 96

/** Of the devices the first `clocked` are sampled together, in steps of several frames, the others each on its own. */
typedef struct gathering {
    uint32_t devices, clocked;
    double seconds, room; /* room: half its width, m */
    long cases;
} gathering;

/* The last one has more blades than are looked through one by one. */
static const gathering close_by = {20, 9, 2.0, 0.9, 8}, loose = {40, 32, 1.5, 1.6, 20}, large = {96, 92, 0.4, 3.0, 8};

/** A device's movement, and its samples that were made and not yet delivered. */
typedef struct dancer {
    swing_wave waves[6];
    int64_t next_ns, step_ns;
    size_t held, hold; /* delivered once `hold` are held */
    pose_frame queue[HELD_MAX];
} dancer;

typedef struct stage {
    random_state random;
    const gathering *is;
    crowd *crowd;
    unsigned made; /* names ever given */
    dancer dancers[DEVICES_MAX];
    int64_t clock_ns; /* when the clocked ones are sampled next */
} stage;

static uint64_t current_seed;
/* Of the blades that there are, some: more names are never in use at a time. */
static clash_sword swords[1024];

static bool chance(stage *s, int of)
{
    return random_below(&s->random, of) == 0;
}

/* Blades, and small things with small boxes. */
static clash_capsule random_shape(random_state *r)
{
    bool is_blade = random_below(r, 2);
    clash_vec3 tip = {(float)random_in(r, -0.1, 0.1), 0, (float)-(is_blade ? random_in(r, 0.2, 1.1) : 0.1)};

    return (clash_capsule){random_box(r, 0.05), tip, (float)random_in(r, 0.002, is_blade ? 0.03 : 0.08)};
}

static void add_device(stage *s, uint32_t id)
{
    char name[POSE_DEVICE_NAME_MAX];

    snprintf(name, sizeof name, "device %u", ++s->made);
    assert_int_equal(crowd_add_device(s->crowd, name), id);
}

/* Nothing where there are enough. */
static void add_blade(stage *s, uint32_t device)
{
    pipeline_blade blade = {.device = device,
                            .properties = {.shape = random_shape(&s->random), .has_edge = true, .edge = {0, -1, 0}}};

    snprintf(blade.name, sizeof blade.name, "blade %u", ++s->made);
    if (chance(s, 10)) {
        swords[s->made % 1024] = random_sword(&s->random, 0.8, 0.04);
        blade.sword = &swords[s->made % 1024];
    }
    if (s->crowd->table.blade_count < CROWD_BLADES)
        crowd_add_blade(s->crowd, &blade);
}

static void stage_begin(stage *s, const gathering *is, uint64_t seed)
{
    random_state *r = &s->random;
    pipeline_settings settings = {
        .release_margin = 0.004f, .full_intensity_speed = 10.0f, .max_gap_ns = 100 * SCENE_MS};

    *s = (stage){.random = {seed}, .is = is};
    settings.margin = random_below(r, 2) ? 0.0f : 0.05f;
    settings.hold_rate_hz = random_below(r, 2) ? 60.0f : 0.0f;
    settings.min_closing_speed = random_below(r, 3) ? 0.0f : 1.0f;
    settings.require_tracked = random_below(r, 2);
    s->crowd = crowd_create(settings);
    for (uint32_t i = 0; i < s->is->devices; i++) {
        dancer *d = &s->dancers[i];

        add_device(s, i);
        for (int k = 0; k < 6; k++)
            d->waves[k] =
                swing_wave_make(r, k < 3 ? random_in(r, -is->room, is->room) : random_in(r, -3, 3), k < 3 ? 0.15 : 0.7);
        d->step_ns = (int64_t)(1e9 / random_in(r, 20.0, 300.0));
        d->next_ns = (int64_t)random_in(r, 0.0, 5e7);
        for (int k = random_below(r, 3); k >= 0; k--)
            add_blade(s, i);
    }
}

/* Now and then something other than a good sample. */
static uint32_t random_flags(stage *s)
{
    if (chance(s, 120))
        return SCENE_GOOD | POSE_TELEPORT;
    return chance(s, 150) ? 0 : chance(s, 150) ? POSE_VALID : SCENE_GOOD;
}

static void deliver(stage *s, dancer *d)
{
    for (size_t i = 0; i < d->held; i++)
        crowd_frame(s->crowd, &d->queue[i]);
    d->held = 0;
    d->hold = chance(s, 12) ? (size_t)random_below(&s->random, HELD_MAX) : 1;
}

/* One device's own frame; repeated, late, or held back for a while. */
static void sample_alone(stage *s, uint32_t device)
{
    dancer *d = &s->dancers[device];
    pose_frame *frame = &d->queue[d->held++];

    *frame = scene_frame(d->next_ns);
    scene_frame_add(frame, device, random_flags(s), swing_pose(d->waves, (double)d->next_ns * 1e-9));
    if (chance(s, 60))
        scene_frame_add(frame, device, random_flags(s), swing_pose(d->waves, (double)d->next_ns * 1e-9 + 0.01));
    if (chance(s, 80))
        frame->time_ns -= 15 * SCENE_MS;
    if (!chance(s, 60)) /* else the same time again */
        d->next_ns +=
            (int64_t)((double)d->step_ns * random_in(&s->random, 0.6, 1.4)) + (chance(s, 150) ? 250 * SCENE_MS : 0);
    if (d->held >= d->hold || d->held == HELD_MAX)
        deliver(s, d);
}

/* The clocked ones together, in one step of one frame or several; the last may be missing. */
static void sample_clocked(stage *s)
{
    pose_frame frame = scene_frame(s->clock_ns);

    for (uint32_t device = 0; device < s->is->clocked; device++) {
        /* Some rarely. */
        if (device % 4 == 1 ? chance(s, 5) : !chance(s, 40))
            scene_frame_add(&frame, device, random_flags(s),
                            swing_pose(s->dancers[device].waves, (double)s->clock_ns * 1e-9));
        if (frame.count < 5 && device + 1 < s->is->clocked)
            continue;
        frame.more = device + 1 < s->is->clocked || chance(s, 30);
        crowd_frame(s->crowd, &frame);
        frame.count = 0;
    }
    s->clock_ns += chance(s, 20) ? 33 * SCENE_MS : 11 * SCENE_MS;
}

/* Another device takes its place and its id. */
static void replace_device(stage *s, uint32_t device)
{
    table *t = &s->crowd->table;

    for (uint32_t i = t->blade_count; i-- > 0;)
        if (t->blades[i].device == device)
            crowd_remove_blade(s->crowd, i);
    crowd_remove_device(s->crowd, device);
    add_device(s, device);
}

static void something_else(stage *s, int64_t time_ns)
{
    crowd *c = s->crowd;
    uint32_t device = (uint32_t)random_below(&s->random, (int)s->is->devices);

    if (chance(s, 300))
        crowd_lose(c, device, time_ns);
    if (chance(s, 1500))
        crowd_change_space(c, time_ns);
    if (chance(s, 60))
        add_blade(s, device);
    if (chance(s, 100) && c->table.blade_count > 10)
        crowd_remove_blade(c, (uint32_t)random_below(&s->random, (int)c->table.blade_count));
    if (chance(s, 600))
        replace_device(s, device);
}

static void stage_play(stage *s)
{
    for (;;) {
        uint32_t first = s->is->clocked;

        for (uint32_t i = first; i < s->is->devices; i++)
            if (s->dancers[i].next_ns < s->dancers[first].next_ns)
                first = i;
        if (s->clock_ns > (int64_t)(s->is->seconds * 1e9))
            break;
        something_else(s, s->clock_ns);
        if (s->clock_ns < s->dancers[first].next_ns)
            sample_clocked(s);
        else
            sample_alone(s, first);
    }
}

/** How many clashes there were, the same ones in both. */
static size_t check_same(const crowd *c)
{
    size_t clashes = 0;

    for (size_t i = 0; i < c->expected.count && i < c->said.count; i++) {
        const scene_event *x = &c->expected.events[i], *y = &c->said.events[i];

        if (!scene_event_same(x, y) || x->event.seq != y->event.seq)
            fail_msg("CLASHD_SEED=%" PRIu64 ": event %zu: kind %d, %s %s at %" PRId64
                     ", expected kind %d, %s %s at %" PRId64,
                     current_seed, i, (int)y->event.kind, y->blades[0], y->blades[1], y->event.time_ns,
                     (int)x->event.kind, x->blades[0], x->blades[1], x->event.time_ns);
        clashes += x->event.kind == CLASH_EVENT_CLASH;
    }
    if (c->said.count != c->expected.count)
        fail_msg("CLASHD_SEED=%" PRIu64 ": %zu events, expected %zu", current_seed, c->said.count, c->expected.count);
    return clashes;
}

static void play_all(const gathering *is)
{
    stage *s = malloc(sizeof *s);
    long cases = getenv("CLASHD_SEED") ? 1 : random_cases(is->cases);
    uint64_t clashes = 0, sweeps = 0, proved = 0;

    assert_non_null(s);
    for (long i = 0; i < cases; i++) {
        const pipeline_counters *counters;

        current_seed = random_seed((uint64_t)i + 1);
        stage_begin(s, is, current_seed);
        stage_play(s);
        counters = pipeline_get_counters(s->crowd->pipeline);
        sweeps += counters->sweeps;
        proved += counters->proved;
        assert_int_equal(counters->starved, 0);
        clashes += check_same(s->crowd);
        crowd_destroy(s->crowd);
    }
    print_message("%ld cases, %" PRIu64 " clashes, %" PRIu64 " sweeps, %" PRIu64 " proved in the batch\n", cases,
                  clashes, sweeps, proved);
    assert_true((long)clashes > random_enough(0) && (long)proved > random_enough(0));
    free(s);
}

static void a_pipeline_is_its_table_of_pairs(void **state)
{
    (void)state;
    play_all(&close_by);
}

static void where_few_come_near_too(void **state)
{
    (void)state;
    play_all(&loose);
}

static void a_large_one_too(void **state)
{
    (void)state;
    play_all(&large);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pipeline_is_its_table_of_pairs),
        cmocka_unit_test(where_few_come_near_too),
        cmocka_unit_test(a_large_one_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
