/* The order of a step's events: by time; of one time by pair; and by pair alone under the rules of earlier recordings. The events are the
 * same ones. */
#include "support/scene.h"

#include "support/random.h"

#define BLADES 24
#define EVENTS_MAX 20000

typedef struct heard {
    size_t count;
    clash_event events[EVENTS_MAX];
    char names[EVENTS_MAX][2][16];
    size_t step_begins[2000]; /* index of the first event of each step */
    size_t steps;
} heard;

static void on_event(void *context, const clash_event *event)
{
    heard *h = context;

    assert_true(h->count < EVENTS_MAX);
    assert_int_equal(event->seq, h->count + 1);
    for (int i = 0; i < 2; i++)
        snprintf(h->names[h->count][i], sizeof h->names[0][0], "%s",
                 event->kind <= CLASH_EVENT_RELEASE ? event->blades[i] : "");
    h->events[h->count++] = *event;
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
    for (uint32_t i = 0; i < BLADES; i++) {
        char name[16];
        pipeline_blade blade;

        snprintf(name, sizeof name, "b%u", i);
        assert_int_equal(pipeline_device(p, name), i);
        blade = scene_blade(name, i, (clash_capsule){{0, 0, 0}, {0, 0, -0.6f}, 0.02f});
        assert_null(pipeline_add_blade(p, &blade));
    }
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

static int by_content(const void *a, const void *b)
{
    const clash_event *x = a, *y = b;

    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    if (x->kind != y->kind)
        return (int)x->kind - (int)y->kind;
    return x->id < y->id ? -1 : x->id > y->id;
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
            qsort(now->events + from, end - from, sizeof now->events[0], by_content);
            qsort(before->events + from, end - from, sizeof now->events[0], by_content);
            for (size_t i = from; i < end; i++) { /* the same ones */
                assert_int_equal(now->events[i].kind, before->events[i].kind);
                assert_int_equal(now->events[i].time_ns, before->events[i].time_ns);
                assert_int_equal(now->events[i].id, before->events[i].id);
            }
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
    for (size_t i = 0; i < whole->count; i++) {
        assert_int_equal(whole->events[i].kind, parts->events[i].kind);
        assert_int_equal(whole->events[i].time_ns, parts->events[i].time_ns);
        assert_string_equal(whole->names[i][0], parts->names[i][0]);
        assert_string_equal(whole->names[i][1], parts->names[i][1]);
    }
    free(whole);
    free(parts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_steps_events_come_by_time),
        cmocka_unit_test(pauses_change_no_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
