/* The order of a step's events: by time; of one time by pair; and by pair alone under the rules of earlier recordings. The
 * events are the same ones, field for field. */
#include "support/scene.h"

#include "protocol/messages/encode.h"
#include "support/random.h"

#define BLADES 24
#define EVENTS_MAX 20000

/* An event as the line that a client receives, without its number in the session. */
typedef struct heard_event {
    int64_t time_ns;
    clash_event_kind kind;
    bool is_peak;
    char line[1100];
} heard_event;

typedef struct heard {
    size_t count;
    uint64_t last_seq;
    heard_event events[EVENTS_MAX];
    size_t step_begins[2000]; /* index of the first event of each step */
    size_t steps;
} heard;

static void keep(heard *h, const clash_event *event, bool is_peak)
{
    clash_event copy = *event;
    heard_event *e = &h->events[h->count];

    assert_true(h->count < EVENTS_MAX);
    copy.seq = 1;
    *e = (heard_event){.time_ns = event->time_ns, .kind = event->kind, .is_peak = is_peak};
    assert_true(protocol_encode_event(e->line, sizeof e->line, &copy, 0) > 0);
    h->count++;
}

static void on_event(void *context, const clash_event *event)
{
    heard *h = context;

    assert_int_equal(event->seq, ++h->last_seq);
    keep(h, event, false);
}

static void on_peak(void *context, const clash_event *event)
{
    keep(context, event, true);
}

static void add_blades(pipeline *p, uint32_t count, clash_capsule shape)
{
    for (uint32_t i = 0; i < count; i++) {
        char name[16];
        pipeline_blade blade;

        snprintf(name, sizeof name, "b%u", i);
        assert_int_equal(pipeline_device(p, name), i);
        blade = scene_blade(name, i, shape);
        assert_null(pipeline_add_blade(p, &blade));
    }
}

static bool always(void *context)
{
    (void)context;
    return true;
}

static clash_pose somewhere(random_state *random)
{
    clash_pose pose =
        scene_at(random_in(random, 0, 1) - 0.5, 1.0 + random_in(random, 0, 1) - 0.5, random_in(random, 0, 1) - 0.5);

    pose.orientation = random_turn(random, 6.28);
    return pose;
}

/* Blades of several rates that fly about, come, go and are lost. With `pauses` every step is taken in the smallest parts. */
static heard *play(uint64_t seed, bool old_rules, bool pauses)
{
    random_state random = {.s = seed};
    pipeline_settings settings = scene_settings();
    heard *h = calloc(1, sizeof *h);
    pipeline *p;

    assert_non_null(h);
    settings.old_rules = old_rules;
    p = pipeline_create(&settings, on_event, h);
    if (pauses)
        pipeline_set_pause_function(p, always, NULL);
    add_blades(p, BLADES, (clash_capsule){{0, 0, 0}, {0, 0, -0.6f}, 0.02f});
    for (int k = 0; k < 300; k++) {
        pose_frame frame = scene_frame((int64_t)k * 11 * SCENE_MS + (int64_t)random_below(&random, 3) * SCENE_MS);

        for (uint32_t i = 0; i < BLADES && frame.count < POSE_FRAME_SAMPLES_MAX; i++)
            if (random_below(&random, 3) > 0)
                scene_frame_add(&frame, i, random_below(&random, 40) == 0 ? 0 : SCENE_GOOD, somewhere(&random));
        h->step_begins[h->steps++] = h->count;
        pipeline_frame(p, &frame);
        while (pipeline_continue(p))
            continue;
    }
    h->step_begins[h->steps] = h->count;
    pipeline_destroy(p);
    return h;
}

static int by_line(const void *a, const void *b)
{
    return strcmp(((const heard_event *)a)->line, ((const heard_event *)b)->line);
}

static void assert_same_events(heard *now, heard *before, size_t from, size_t end)
{
    qsort(now->events + from, end - from, sizeof now->events[0], by_line);
    qsort(before->events + from, end - from, sizeof now->events[0], by_line);
    for (size_t i = from; i < end; i++)
        assert_string_equal(now->events[i].line, before->events[i].line);
}

static void a_steps_events_come_by_time(void **state)
{
    size_t moved = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        heard *now = play(seed, false, false), *before = play(seed, true, false);

        assert_true(now->count > 200);
        assert_int_equal(now->count, before->count);
        for (size_t s = 0; s < now->steps; s++) {
            const size_t from = now->step_begins[s], end = now->step_begins[s + 1];

            assert_int_equal(from, before->step_begins[s]);
            for (size_t i = from + 1; i < end; i++)
                assert_true(now->events[i].time_ns >= now->events[i - 1].time_ns);
            for (size_t i = from; i < end; i++)
                moved += now->events[i].time_ns != before->events[i].time_ns;
            assert_same_events(now, before, from, end);
        }
        free(now);
        free(before);
    }
    assert_true(moved > 50); /* else the order of pairs is that of time already */
}

static void pauses_change_no_order(void **state)
{
    heard *whole = play(3, false, false), *parts = play(3, false, true);

    (void)state;
    assert_int_equal(whole->count, parts->count);
    for (size_t i = 0; i < whole->count; i++)
        assert_string_equal(whole->events[i].line, parts->events[i].line);
    free(whole);
    free(parts);
}

/* Four blades that stay in each other's way from one sample to the next, `gap_ns` later, with 1000 holds a second. */
static heard *hold_long(bool old_rules, bool pauses, int64_t gap_ns)
{
    pipeline_settings settings = scene_settings();
    heard *h = calloc(1, sizeof *h);
    pipeline *p;

    assert_non_null(h);
    settings.old_rules = old_rules;
    settings.hold_rate_hz = 1000.0f;
    settings.max_gap_ns = INT64_C(10000000000);
    p = pipeline_create(&settings, on_event, h);
    pipeline_set_peak_function(p, on_peak, h);
    if (pauses)
        pipeline_set_pause_function(p, always, NULL);
    add_blades(p, 4, (clash_capsule){{0, 0, 0.3f}, {0, 0, -0.6f}, 0.02f});
    for (int k = 0; k < 3; k++) {
        pose_frame frame = scene_frame(1 + (k ? gap_ns + 11 * SCENE_MS * (k - 1) : 0));

        for (uint32_t i = 0; i < 4; i++) {
            clash_pose pose = scene_at(k == 2 ? (double)i : 0.01 * i * (1 - 2 * (k % 2)), 1.0, 0.0);

            pose.orientation = (clash_quat){0, 0.38f * (float)(i % 2), 0, i % 2 ? 0.925f : 1.0f};
            scene_frame_add(&frame, i, SCENE_GOOD, pose);
        }
        pipeline_frame(p, &frame);
        while (pipeline_continue(p))
            continue;
    }
    assert_int_equal(pipeline_get_counters(p)->starved, 0);
    pipeline_destroy(p);
    return h;
}

/* The holds of an interval of seconds, computed as they are delivered, are those that were all kept before. */
static void long_intervals_have_the_same_holds(void **state)
{
    (void)state;
    for (int64_t gap_ns = 64 * SCENE_MS; gap_ns < 2500 * SCENE_MS; gap_ns = gap_ns * 3 + 1) {
        heard *now = hold_long(false, false, gap_ns), *before = hold_long(true, false, gap_ns);
        heard *parts = hold_long(false, true, gap_ns);
        size_t peaks = 0, releases = 0;

        assert_true(now->count > (size_t)(6 * gap_ns / SCENE_MS));
        assert_int_equal(now->count, before->count);
        assert_int_equal(now->count, parts->count);
        for (size_t i = 0; i < now->count; i++) {
            assert_true(i == 0 || now->events[i].time_ns >= now->events[i - 1].time_ns);
            assert_string_equal(now->events[i].line, parts->events[i].line);
            peaks += now->events[i].is_peak;
            releases += now->events[i].kind == CLASH_EVENT_RELEASE;
        }
        assert_true(peaks > 0);
        assert_int_equal(releases, 6);
        assert_same_events(now, before, 0, now->count);
        free(now);
        free(before);
        free(parts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_steps_events_come_by_time),
        cmocka_unit_test(pauses_change_no_order),
        cmocka_unit_test(long_intervals_have_the_same_holds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
