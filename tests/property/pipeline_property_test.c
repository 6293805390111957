/* The pipeline on random swings against a dense search of its own, and against itself: whatever the rates and the order
 * of arrival, the contacts are those of the motion. A failure prints its seed; CLASHD_SEED runs that one alone. */
#include "support/swings_seeds.h"

#define CASES 60
#define CONTACTS_MAX 512
#define CLOSE_NS 1e5 /* 0.1 ms */

/** One contact as its events tell it. */
typedef struct told {
    const clash_event *clash, *release; /* release NULL: still open at the end */
} told;

struct bench {
    swings swings, resampled;
    dense_contact truth[CONTACTS_MAX];
    told told[2][CONTACTS_MAX];
};

static pipeline_settings settings_of(uint64_t seed)
{
    random_state r = {seed ^ 0x5eed};
    pipeline_settings settings = {.margin = random_below(&r, 2) ? 0.0f : 0.01f,
                                  .release_margin = random_below(&r, 2) ? 0.005f : 0.001f,
                                  .hold_rate_hz = random_below(&r, 4) ? 90.0f : 0.0f,
                                  .full_intensity_speed = 10.0f,
                                  .max_gap_ns = 100 * SCENE_MS,
                                  .require_tracked = true,
                                  .every_pair = scene_every_pair};

    return settings;
}

/** The swings through a new pipeline; `swapped` adds device b's blade first. */
static scene *run(const swings *s, swings_order order, bool swapped)
{
    pipeline_settings settings = settings_of(current_seed);
    scene *result = scene_create(&settings);

    for (uint32_t i = 0; i < 2; i++) {
        uint32_t device = swapped ? !i : i;
        pipeline_blade blade = scene_blade(device ? "B" : "A", device, s->shapes[device]);

        blade.properties.has_edge = true;
        blade.properties.edge = (clash_vec3){0, -1, 0};
        assert_null(pipeline_add_blade(result->pipeline, &blade));
    }
    swings_feed(s, result, order, current_seed);
    return result;
}

static size_t contacts_of(const scene *s, told out_contacts[CONTACTS_MAX])
{
    size_t count = 0;

    for (size_t i = 0; i < s->count; i++) {
        const clash_event *event = &s->events[i].event;

        if (event->kind == CLASH_EVENT_CLASH) {
            assert_true(count < CONTACTS_MAX);
            CHECK(event->id == count + 1);
            out_contacts[count++] = (told){event, NULL};
        } else if (event->kind == CLASH_EVENT_RELEASE) {
            CHECK(event->id == count && !out_contacts[count - 1].release);
            out_contacts[count - 1].release = event;
        } else if (event->kind == CLASH_EVENT_HOLD) {
            CHECK(event->id == count && !out_contacts[count - 1].release);
        }
        CHECK(event->seq == i + 1);
        CHECK(i == 0 || event->kind == CLASH_EVENT_TRACKING || s->events[i - 1].event.kind == CLASH_EVENT_TRACKING ||
              event->time_ns >= s->events[i - 1].event.time_ns);
    }
    return count;
}

static void check_against_truth(const dense_contact *truth, const told *contact)
{
    const clash_event_release *release;

    CHECK(fabs((double)contact->clash->time_ns - truth->start_ns) <= CLOSE_NS);
    CHECK((truth->end_ns == HUGE_VAL) == !contact->release);
    if (!contact->release)
        return;
    release = &contact->release->as.release;
    CHECK(truth->cut == (release->reason == CLASH_RELEASE_TRACK_CUT));
    CHECK(fabs((double)contact->release->time_ns - truth->end_ns) <= (truth->cut ? 0.0 : CLOSE_NS));
    CHECK(fabs((double)release->min_distance - truth->min_distance) <= 1.2e-5);
}

static size_t dense_search_agrees(bench *b)
{
    pipeline_settings settings = settings_of(current_seed);
    size_t pieces, expected = swings_truth(&b->swings, &settings, b->truth, CONTACTS_MAX, &pieces);
    scene *s = run(&b->swings, SWINGS_BY_TIME, false);

    CHECK(expected < CONTACTS_MAX);
    /* All that both cover, once. */
    CHECK(scene_every_pair ? scene_counters(s)->sweeps == pieces : scene_counters(s)->sweeps <= pieces);
    CHECK(scene_counters(s)->overruns == 0);
    CHECK(contacts_of(s, b->told[0]) == expected);
    for (size_t i = 0; i < expected; i++)
        check_against_truth(&b->truth[i], &b->told[0][i]);
    scene_destroy(s);
    return expected;
}

static const scene_event *next_contact_event(const scene *s, size_t *at)
{
    while (*at < s->count && s->events[*at].event.kind == CLASH_EVENT_TRACKING)
        ++*at;
    return *at < s->count ? &s->events[(*at)++] : NULL;
}

static void check_same_contact_events(const scene *x, const scene *y)
{
    size_t at[2] = {0, 0};
    const scene_event *a, *b;

    do {
        a = next_contact_event(x, &at[0]);
        b = next_contact_event(y, &at[1]);
        CHECK(!a == !b);
        CHECK(!a || scene_event_same(a, b));
    } while (a);
}

static size_t arrival_does_not_matter(bench *b)
{
    scene *reference = run(&b->swings, SWINGS_BY_TIME, false);
    size_t count = contacts_of(reference, b->told[0]);

    for (swings_order order = SWINGS_A_FIRST; order < SWINGS_ORDERS; order++) {
        scene *s = run(&b->swings, order, false);

        CHECK(scene_counters(s)->overruns == 0);
        CHECK(!scene_every_pair || scene_counters(s)->sweeps == scene_counters(reference)->sweeps);
        check_same_contact_events(reference, s);
        scene_destroy(s);
    }
    scene_destroy(reference);
    return count;
}

static size_t replaying_is_identical(bench *b)
{
    scene *x = run(&b->swings, SWINGS_BURSTS, false), *y = run(&b->swings, SWINGS_BURSTS, false);
    size_t count = contacts_of(x, b->told[0]);

    CHECK(x->count == y->count);
    for (size_t i = 0; i < x->count; i++)
        CHECK(scene_event_same(&x->events[i], &y->events[i]) && x->events[i].event.seq == y->events[i].event.seq);
    CHECK(memcmp(scene_counters(x), scene_counters(y), sizeof(pipeline_counters)) == 0);
    scene_destroy(x);
    scene_destroy(y);
    return count;
}

/* A touch moves in time by what rounding moves the blades, over how fast they close in: `nm` over the closing speed. */
static double time_slack_ns(const clash_event *clash, double nm)
{
    double speed = fabs((double)clash->as.clash.closing_speed);

    return fmax(1000.0, nm / fmax(speed, 1e-6));
}

/* Inserted poses are rounded to float: 0.1 um at a metre or two from the origin and at the tip. */
static size_t resampling_changes_nothing(bench *b)
{
    scene *x = run(&b->swings, SWINGS_BY_TIME, false), *y;
    size_t count = contacts_of(x, b->told[0]);

    swings_resample(&b->swings, &b->resampled, current_seed, settings_of(current_seed).max_gap_ns);
    CHECK(b->resampled.counts[0] > b->swings.counts[0]);
    y = run(&b->resampled, SWINGS_BY_TIME, false);
    CHECK(contacts_of(y, b->told[1]) == count);
    CHECK(scene_count(x, CLASH_EVENT_HOLD) == scene_count(y, CLASH_EVENT_HOLD));
    for (size_t i = 0; i < count; i++) {
        const clash_event *before = b->told[0][i].clash, *after = b->told[1][i].clash;

        CHECK(fabs((double)(after->time_ns - before->time_ns)) <= time_slack_ns(before, 500.0));
        CHECK(!b->told[0][i].release == !b->told[1][i].release);
    }
    scene_destroy(x);
    scene_destroy(y);
    return count;
}

static bool near(clash_vec3 a, clash_vec3 b, double sign, double slack)
{
    return fabs(a.x - sign * b.x) <= slack && fabs(a.y - sign * b.y) <= slack && fabs(a.z - sign * b.z) <= slack;
}

static void check_mirrored(const clash_event *x, const clash_event *y)
{
    const clash_event_clash *a = &x->as.clash, *b = &y->as.clash;

    CHECK(fabs((double)(x->time_ns - y->time_ns)) <= time_slack_ns(x, 5.0));
    CHECK(near(a->contact.normal, b->contact.normal, -1, 1e-3));
    CHECK(fabs((double)(a->closing_speed - b->closing_speed)) <= 1e-2);
    for (int i = 0; i < 2; i++) {
        CHECK(near(a->contact.points[i], b->contact.points[!i], 1, 1e-3));
        CHECK(near(a->velocities[i], b->velocities[!i], 1, 2e-2));
        CHECK(fabs((double)(a->edge_alignment[i] - b->edge_alignment[!i])) <= 1e-2);
    }
}

/* The blade that was added first is body 0: turned round, everything is mirrored and nothing else changes. */
static size_t roles_can_be_swapped(bench *b)
{
    scene *x = run(&b->swings, SWINGS_BY_TIME, false), *y = run(&b->swings, SWINGS_BY_TIME, true);
    size_t count = contacts_of(x, b->told[0]);

    CHECK(contacts_of(y, b->told[1]) == count);
    for (size_t i = 0; i < count; i++)
        check_mirrored(b->told[0][i].clash, b->told[1][i].clash);
    scene_destroy(x);
    scene_destroy(y);
    return count;
}

static bench tried;

static void test_dense_search_agrees(void **state)
{
    (void)state;
    for_all_seeds(CASES, &tried, &tried.swings, dense_search_agrees);
}

static void test_arrival_does_not_matter(void **state)
{
    (void)state;
    for_all_seeds(CASES, &tried, &tried.swings, arrival_does_not_matter);
}

static void test_replaying_is_identical(void **state)
{
    (void)state;
    for_all_seeds(CASES, &tried, &tried.swings, replaying_is_identical);
}

static void test_resampling_changes_nothing(void **state)
{
    (void)state;
    for_all_seeds(CASES, &tried, &tried.swings, resampling_changes_nothing);
}

static void test_roles_can_be_swapped(void **state)
{
    (void)state;
    for_all_seeds(CASES, &tried, &tried.swings, roles_can_be_swapped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense_search_agrees),    cmocka_unit_test(test_arrival_does_not_matter),
        cmocka_unit_test(test_replaying_is_identical), cmocka_unit_test(test_resampling_changes_nothing),
        cmocka_unit_test(test_roles_can_be_swapped),
    };

    return SCENE_RUN(tests);
}
