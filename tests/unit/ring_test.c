/* The pose ring: order, and what is dropped and what is not. */
#include "sources/openxr/ring.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define CAPACITY INT64_C(64)

static bool push_frame(ring *r, int64_t time_ns)
{
    ring_entry *entry = ring_add(r, RING_FRAME, time_ns);

    if (!entry)
        return false;
    assert_int_equal(entry->as.frame.count, 0);
    entry->as.frame.count = 1;
    entry->as.frame.samples[0] = (pose_sample){.device = (uint32_t)time_ns, .pose.position.x = (float)time_ns};
    return true;
}

static bool push_lost(ring *r, int64_t time_ns)
{
    return ring_add(r, RING_LOST, time_ns) != NULL;
}

static bool pop(ring *r, ring_entry *out_entry)
{
    const ring_entry *first = ring_first(r);

    if (!first)
        return false;
    *out_entry = *first;
    ring_remove_first(r);
    return true;
}

static void comes_out_as_it_went_in(void **state)
{
    ring *r = ring_create((size_t)CAPACITY);
    ring_entry entry = {.kind = RING_FRAME};

    (void)state;
    assert_non_null(r);
    assert_false(pop(r, &entry));
    for (int64_t round = 0; round < 10 * CAPACITY; round++) {
        assert_true(push_frame(r, round));
        assert_true(push_lost(r, round));
        assert_true(pop(r, &entry));
        assert_int_equal(entry.kind, RING_FRAME);
        assert_int_equal(entry.time_ns, round);
        assert_int_equal(entry.as.frame.samples[0].device, round);
        assert_false(entry.gap);
        assert_true(pop(r, &entry));
        assert_int_equal(entry.kind, RING_LOST);
        assert_false(pop(r, &entry));
    }
    assert_int_equal(ring_dropped(r), 0);
    ring_destroy(r);
}

static void full_drops_the_newest_frame_and_says_so(void **state)
{
    ring *r = ring_create((size_t)CAPACITY);
    ring_entry entry = {.kind = RING_FRAME};
    int64_t time_ns = 0;

    (void)state;
    while (push_frame(r, time_ns))
        time_ns++;
    assert_int_equal(time_ns, CAPACITY - RING_RESERVED);
    assert_false(push_frame(r, 1000));
    assert_int_equal(ring_dropped(r), 2);
    assert_true(pop(r, &entry));
    assert_int_equal(entry.time_ns, 0);
    assert_true(push_frame(r, 1001));
    for (int64_t expected = 1; expected < time_ns; expected++) {
        assert_true(pop(r, &entry));
        assert_int_equal(entry.time_ns, expected);
        assert_false(entry.gap);
    }
    assert_true(pop(r, &entry));
    assert_int_equal(entry.time_ns, 1001);
    assert_true(entry.gap);
    assert_true(push_frame(r, 1002));
    assert_true(pop(r, &entry));
    assert_false(entry.gap);
    ring_destroy(r);
}

static void other_news_use_the_last_places(void **state)
{
    ring *r = ring_create((size_t)CAPACITY);
    ring_entry entry = {.kind = RING_FRAME};
    int64_t frames = 0, others = 0;

    (void)state;
    while (push_frame(r, frames))
        frames++;
    while (push_lost(r, frames + others))
        others++;
    assert_int_equal(others, RING_RESERVED);
    assert_int_equal(ring_dropped(r), 1);
    for (int64_t expected = 0; expected < frames + others; expected++) {
        assert_true(pop(r, &entry));
        assert_int_equal(entry.time_ns, expected);
        assert_int_equal(entry.kind, expected < frames ? RING_FRAME : RING_LOST);
    }
    assert_false(pop(r, &entry));
    ring_destroy(r);
}

static void withheld_frames_count_as_dropped(void **state)
{
    ring *r = ring_create((size_t)CAPACITY);
    ring_entry entry = {.kind = RING_FRAME};

    (void)state;
    ring_drop(r);
    assert_true(push_lost(r, 1));
    assert_true(push_frame(r, 2));
    assert_int_equal(ring_dropped(r), 1);
    assert_true(pop(r, &entry));
    assert_false(entry.gap);
    assert_true(pop(r, &entry));
    assert_true(entry.gap);
    ring_destroy(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_out_as_it_went_in),
        cmocka_unit_test(full_drops_the_newest_frame_and_says_so),
        cmocka_unit_test(other_news_use_the_last_places),
        cmocka_unit_test(withheld_frames_count_as_dropped),
    };

    return cmocka_run_group_tests_name("ring", tests, NULL, NULL);
}
