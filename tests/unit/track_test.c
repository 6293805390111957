/* What enters a track, what is refused, what cuts it: every rule and its counter. */
#include "pipeline/track.h"

#include <math.h>

#include "support/scene.h"

typedef struct fixture {
    track track;
    pipeline_settings settings;
    pipeline_counters counters;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);

    assert_non_null(f);
    f->settings = scene_settings();
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;

    track_finish(&f->track);
    free(f);
    return 0;
}

static track_result push(fixture *f, int64_t time_ns, uint32_t flags, clash_pose pose)
{
    pose_sample sample = {0, flags, pose};

    return track_push(&f->track, &f->settings, time_ns, &sample, &f->counters);
}

static track_result push_good(fixture *f, int64_t time_ns, double x)
{
    return push(f, time_ns, SCENE_GOOD, scene_at(x, 0, 0));
}

static void keeps_samples_in_one_segment(void **state)
{
    fixture *f = *state;

    assert_true(track_is_empty(&f->track));
    for (int i = 0; i < 5; i++)
        assert_int_equal(push_good(f, i * SCENE_MS, i), TRACK_ENTERED);
    assert_false(track_is_empty(&f->track));
    assert_int_equal(track_first(&f->track), 0);
    assert_int_equal(f->track.end, 5);
    for (uint64_t i = 0; i < 5; i++) {
        assert_int_equal(track_at(&f->track, i)->time_ns, (int64_t)i * SCENE_MS);
        assert_true(track_at(&f->track, i)->pose.position.x == (float)i);
        assert_int_equal(track_at(&f->track, i)->segment, track_at(&f->track, 0)->segment);
        assert_true(track_at(&f->track, i)->tracked);
    }
    assert_int_equal(f->counters.samples, 5);
    assert_int_equal(f->counters.cuts, 0);
}

static void holds_the_newest_samples(void **state)
{
    fixture *f = *state;

    for (int i = 0; i < PIPELINE_TRACK_SAMPLES + 10; i++)
        push_good(f, i, i);
    assert_int_equal(track_first(&f->track), 10);
    assert_int_equal(f->track.end, PIPELINE_TRACK_SAMPLES + 10);
    assert_int_equal(track_at(&f->track, 10)->time_ns, 10);
    assert_int_equal(track_last(&f->track)->time_ns, PIPELINE_TRACK_SAMPLES + 9);
}

static void refuses_what_is_too_far_away(void **state)
{
    const float bound = CLASH_COORDINATE_MAX, beyond = nextafterf(bound, INFINITY);
    fixture *f = *state;

    push_good(f, 0, 0);
    for (int axis = 0; axis < 3; axis++)
        for (int sign = -1; sign <= 1; sign += 2) {
            clash_pose pose = scene_at(0, 0, 0);
            float *const numbers[3] = {&pose.position.x, &pose.position.y, &pose.position.z};

            *numbers[axis] = (float)sign * beyond;
            assert_int_equal(push(f, SCENE_MS, SCENE_GOOD, pose), TRACK_REFUSED);
            *numbers[axis] = (float)sign * bound;
            assert_int_equal(push(f, SCENE_MS, SCENE_GOOD, pose), TRACK_ENTERED);
        }
    assert_int_equal(f->counters.refused_too_far, 6);
    assert_int_equal(f->counters.samples, 7);
    assert_int_equal(f->counters.cuts, 0);
}

static void refuses_not_finite(void **state)
{
    fixture *f = *state;
    float bad[] = {NAN, INFINITY, -INFINITY};

    push_good(f, 0, 0);
    for (int field = 0; field < 7; field++)
        for (size_t i = 0; i < 3; i++) {
            clash_pose pose = scene_at(0, 0, 0);
            float numbers[7];

            memcpy(numbers, &pose, sizeof numbers);
            numbers[field] = bad[i];
            memcpy(&pose, numbers, sizeof pose);
            assert_int_equal(push(f, SCENE_MS, SCENE_GOOD, pose), TRACK_REFUSED);
        }
    assert_int_equal(f->counters.refused_not_finite, 21);
    assert_int_equal(f->counters.refused_not_unit, 0);
    assert_int_equal(f->counters.samples, 1);
    assert_int_equal(f->track.end, 1);
    assert_int_equal(f->counters.cuts, 0);
    assert_int_equal(push_good(f, SCENE_MS, 0), TRACK_ENTERED);
    assert_int_equal(track_at(&f->track, 1)->segment, track_at(&f->track, 0)->segment);
}

static void refuses_what_is_no_rotation(void **state)
{
    fixture *f = *state;
    float refused[] = {0.0f, 0.5f, 0.9899f, 1.0101f, 2.0f, -0.0f}, taken[] = {0.9901f, 1.0099f, -1.0f};

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_int_equal(push(f, 0, SCENE_GOOD, (clash_pose){{0, 0, 0, refused[i]}, {0, 0, 0}}), TRACK_REFUSED);
    assert_int_equal(f->counters.refused_not_unit, 6);
    assert_true(track_is_empty(&f->track));
    for (int i = 0; i < 3; i++)
        assert_int_equal(push(f, i, SCENE_GOOD, (clash_pose){{0, 0, 0, taken[i]}, {0, 0, 0}}), TRACK_ENTERED);
    assert_int_equal(f->counters.refused_not_unit, 6);
    assert_int_equal(f->counters.samples, 3);
}

static void refuses_late(void **state)
{
    fixture *f = *state;

    push_good(f, 10, 1);
    assert_int_equal(push_good(f, 9, 2), TRACK_REFUSED);
    assert_int_equal(push_good(f, INT64_MIN, 2), TRACK_REFUSED);
    /* Late is late, whatever else is wrong: an old loss does not end what is newer. */
    assert_int_equal(push(f, 9, 0, scene_at(0, 0, 0)), TRACK_REFUSED);
    assert_int_equal(f->counters.refused_late, 3);
    assert_int_equal(f->counters.invalid, 0);
    assert_int_equal(f->counters.cuts, 0);
    assert_int_equal(f->track.end, 1);
    assert_true(track_last(&f->track)->pose.position.x == 1.0f);
    track_cut(&f->track, &f->counters);
    assert_int_equal(push_good(f, 9, 2), TRACK_REFUSED);
    assert_int_equal(f->counters.refused_late, 4);
}

static void later_sample_of_the_same_time_replaces(void **state)
{
    fixture *f = *state;

    push_good(f, 5, 1);
    push_good(f, 10, 2);
    assert_int_equal(push_good(f, 10, 3), TRACK_ENTERED);
    assert_int_equal(f->counters.replaced, 1);
    assert_int_equal(f->counters.replaced_elsewhere, 1);
    assert_int_equal(f->counters.samples, 3);
    assert_int_equal(f->track.end, 2);
    assert_true(track_last(&f->track)->pose.position.x == 3.0f);
    assert_int_equal(track_last(&f->track)->segment, track_at(&f->track, 0)->segment);
    assert_int_equal(f->counters.cuts, 0);
    push_good(f, 10, 3);
    assert_int_equal(f->counters.replaced, 2);
    assert_int_equal(f->counters.replaced_elsewhere, 1);
    push(f, 10, SCENE_GOOD | POSE_TELEPORT, scene_at(4, 0, 0));
    assert_int_equal(f->counters.replaced, 3);
    assert_int_equal(f->counters.replaced_elsewhere, 2);
    assert_int_equal(f->counters.cuts, 1);
    assert_true(track_last(&f->track)->segment != track_at(&f->track, 0)->segment);
}

static void invalid_cuts(void **state)
{
    fixture *f = *state;
    clash_pose meaningless = {{NAN, 0, 0, 0}, {INFINITY, 0, 0}};

    assert_int_equal(push(f, 0, 0, meaningless), TRACK_INVALID); /* nothing to cut yet */
    assert_int_equal(f->counters.cuts, 0);
    push_good(f, 1, 0);
    assert_int_equal(push(f, 2, 0, meaningless), TRACK_INVALID);
    assert_int_equal(push(f, 3, 0, meaningless), TRACK_INVALID);
    assert_int_equal(f->counters.invalid, 3);
    assert_int_equal(f->counters.refused_not_finite, 0);
    assert_int_equal(f->counters.cuts, 1); /* once cut it is cut */
    assert_true(f->track.ended);
    push_good(f, 4, 0);
    assert_false(f->track.ended);
    assert_true(track_at(&f->track, 1)->segment != track_at(&f->track, 0)->segment);
    push_good(f, 5, 0);
    assert_int_equal(track_at(&f->track, 2)->segment, track_at(&f->track, 1)->segment);
}

static void untracked_cuts_where_tracking_is_required(void **state)
{
    fixture *f = *state;

    push_good(f, 0, 0);
    assert_int_equal(push(f, 1, POSE_VALID, scene_at(0, 0, 0)), TRACK_UNTRACKED);
    assert_int_equal(f->counters.untracked, 1);
    assert_int_equal(f->counters.samples, 1);
    assert_int_equal(f->counters.cuts, 1);
    assert_int_equal(f->track.end, 1);
    push_good(f, 2, 0);
    assert_true(track_last(&f->track)->segment != track_at(&f->track, 0)->segment);
}

static void untracked_enters_where_it_is_not(void **state)
{
    fixture *f = *state;

    f->settings.require_tracked = false;
    push_good(f, 0, 0);
    assert_int_equal(push(f, 1, POSE_VALID, scene_at(0, 0, 0)), TRACK_ENTERED);
    assert_int_equal(f->counters.untracked, 1);
    assert_int_equal(f->counters.samples, 2);
    assert_int_equal(f->counters.cuts, 0);
    assert_false(track_last(&f->track)->tracked);
    assert_int_equal(track_last(&f->track)->segment, track_at(&f->track, 0)->segment);
}

static void a_gap_cuts(void **state)
{
    fixture *f = *state;
    int64_t gap = f->settings.max_gap_ns;

    push_good(f, 0, 0);
    push_good(f, gap, 0);
    assert_int_equal(f->counters.cuts, 0);
    push_good(f, 2 * gap + 1, 0);
    assert_int_equal(f->counters.cuts, 1);
    assert_int_equal(track_at(&f->track, 1)->segment, track_at(&f->track, 0)->segment);
    assert_true(track_at(&f->track, 2)->segment != track_at(&f->track, 1)->segment);
}

static void the_longest_gap_of_all_cuts(void **state)
{
    fixture *f = *state;

    push_good(f, INT64_MIN, 0);
    push_good(f, INT64_MAX, 0);
    assert_int_equal(f->counters.cuts, 1);
    assert_int_equal(f->track.end, 2);
}

/** So many samples, a period apart, from there on; the time of the last. */
static int64_t sample_evenly(fixture *f, int64_t from_ns, double period_ms, int count)
{
    int64_t last_ns = from_ns;

    for (int i = 0; i < count; i++) {
        last_ns = from_ns + (int64_t)(period_ms * 1e6 * i);
        push_good(f, last_ns, 0);
    }
    return last_ns;
}

/** Whether a sample so much after the last one is joined to it. */
static bool joins(fixture *f, double period_ms, double gap_ms)
{
    int64_t last_ns;
    uint64_t cuts;

    track_finish(&f->track);
    last_ns = sample_evenly(f, 0, period_ms, 20);
    cuts = f->counters.cuts;
    push_good(f, last_ns + (int64_t)(gap_ms * 1e6), 0);
    return f->counters.cuts == cuts;
}

/* Two samples in a row may be missing, and 40 ms of a fast device's. */
static void the_rate_says_what_is_a_gap(void **state)
{
    static const double cases[][2] = {
        /* period, longest gap that is joined, ms */
        {0.5, 40},          {2, 40},   {11.111, 40}, {11.5, 40.25}, {14, 49}, {1000.0 / 60, 58.333}, {25, 87.5},
        {1000.0 / 30, 100}, {50, 100}, {99, 100},
    };
    fixture *f = *state;

    f->settings.gap_by_rate = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(joins(f, cases[i][0], cases[i][1] - 0.01));
        assert_false(joins(f, cases[i][0], cases[i][1] + 0.01));
    }
    f->settings.max_gap_ns = 60 * SCENE_MS; /* the most, whatever the rate */
    assert_true(joins(f, 30, 60) && !joins(f, 30, 60.01));
    f->settings.gap_by_rate = false; /* what is given is what counts */
    assert_true(joins(f, 2, 60) && !joins(f, 2, 60.01));
    f->settings.max_gap_ns = 5 * SCENE_MS;
    assert_false(joins(f, 2, 6));
}

/* Of three samples nobody knows a rate. Frames that come late by turns do not spoil it. */
static void of_few_samples_no_rate_is_known(void **state)
{
    fixture *f = *state;

    f->settings.gap_by_rate = true;
    push_good(f, sample_evenly(f, 0, 2, 3) + 100 * SCENE_MS, 0);
    assert_int_equal(f->counters.cuts, 0);
    track_finish(&f->track);
    push_good(f, sample_evenly(f, 0, 2, 4) + 50 * SCENE_MS, 0);
    assert_int_equal(f->counters.cuts, 1);
    track_finish(&f->track);
    for (int i = 0; i < 40; i++) /* 5 and 17 by turns, and now and then 38 */
        push_good(f, (i / 2 * 22 + i % 2 * (i % 10 == 9 ? 21 : 5)) * SCENE_MS, 0);
    assert_int_equal(f->counters.cuts, 1);
}

/* A game that drops from 90 frames a second to 20 is cut at first, and followed again once its rate is known to be that. */
static void a_device_may_become_slower(void **state)
{
    fixture *f = *state;
    int64_t last_ns;

    f->settings.gap_by_rate = true;
    last_ns = sample_evenly(f, 0, 1000.0 / 90, 90);
    assert_int_equal(f->counters.cuts, 0);
    last_ns = sample_evenly(f, last_ns + 50 * SCENE_MS, 50, 20);
    assert_in_range(f->counters.cuts, 1, TRACK_SMALL);
    assert_int_equal(track_last(&f->track)->segment, track_at(&f->track, f->track.end - 8)->segment);
    f->counters.cuts = 0;
    sample_evenly(f, last_ns + 11 * SCENE_MS, 1000.0 / 90, 90); /* and the other way round at once */
    assert_int_equal(f->counters.cuts, 0);
}

/* What a rate is does not depend on how many samples wait for another device. */
static void the_rings_size_says_nothing(void **state)
{
    fixture *f = *state;
    uint64_t cuts[2];

    f->settings.gap_by_rate = true;
    for (int i = 0; i < 2; i++) {
        f->track.wanted_ns = i == 0 ? INT64_MAX : INT64_MIN;
        f->counters.cuts = 0;
        sample_evenly(f, 0, 30, 50);
        push_good(f, sample_evenly(f, (int64_t)50 * 30 * SCENE_MS, 5, 5) + 45 * SCENE_MS, 0);
        cuts[i] = f->counters.cuts;
        assert_true(i == 0 || track_capacity(&f->track) > TRACK_SMALL);
        track_finish(&f->track);
    }
    assert_int_equal(cuts[0], cuts[1]);
}

static void a_teleport_cuts(void **state)
{
    fixture *f = *state;

    push(f, 0, SCENE_GOOD | POSE_TELEPORT, scene_at(0, 0, 0));
    assert_int_equal(f->counters.cuts, 0);
    push(f, 1, SCENE_GOOD | POSE_TELEPORT, scene_at(9, 0, 0));
    assert_int_equal(f->counters.cuts, 1);
    assert_int_equal(f->counters.samples, 2);
    assert_true(track_at(&f->track, 1)->segment != track_at(&f->track, 0)->segment);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(keeps_samples_in_one_segment, setup, teardown),
        cmocka_unit_test_setup_teardown(holds_the_newest_samples, setup, teardown),
        cmocka_unit_test_setup_teardown(refuses_not_finite, setup, teardown),
        cmocka_unit_test_setup_teardown(refuses_what_is_too_far_away, setup, teardown),
        cmocka_unit_test_setup_teardown(refuses_what_is_no_rotation, setup, teardown),
        cmocka_unit_test_setup_teardown(refuses_late, setup, teardown),
        cmocka_unit_test_setup_teardown(later_sample_of_the_same_time_replaces, setup, teardown),
        cmocka_unit_test_setup_teardown(invalid_cuts, setup, teardown),
        cmocka_unit_test_setup_teardown(untracked_cuts_where_tracking_is_required, setup, teardown),
        cmocka_unit_test_setup_teardown(untracked_enters_where_it_is_not, setup, teardown),
        cmocka_unit_test_setup_teardown(a_gap_cuts, setup, teardown),
        cmocka_unit_test_setup_teardown(the_longest_gap_of_all_cuts, setup, teardown),
        cmocka_unit_test_setup_teardown(the_rate_says_what_is_a_gap, setup, teardown),
        cmocka_unit_test_setup_teardown(of_few_samples_no_rate_is_known, setup, teardown),
        cmocka_unit_test_setup_teardown(a_device_may_become_slower, setup, teardown),
        cmocka_unit_test_setup_teardown(the_rings_size_says_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(a_teleport_cuts, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
