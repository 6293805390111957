/* The pose ring: order, what is dropped and what is not, and two threads at full speed. */
#include "sources/openxr/ring.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define CAPACITY INT64_C(64)

static ring_record frame_at(int64_t time_ns)
{
    ring_record record = {.kind = RING_FRAME, .time_ns = time_ns};

    record.as.frame.count = 1;
    record.as.frame.samples[0] = (pose_sample){.device = (uint32_t)time_ns, .pose.position.x = (float)time_ns};
    return record;
}

static bool push_frame(ring *r, int64_t time_ns)
{
    const ring_record record = frame_at(time_ns);

    return ring_push(r, &record);
}

static bool push_lost(ring *r, int64_t time_ns)
{
    return ring_push(r, &(ring_record){.kind = RING_LOST, .time_ns = time_ns});
}

static void comes_out_as_it_went_in(void **state)
{
    ring *r = ring_create((size_t)CAPACITY);
    ring_record record;

    (void)state;
    assert_non_null(r);
    assert_false(ring_pop(r, &record));
    for (int64_t round = 0; round < 10 * CAPACITY; round++) {
        assert_true(push_frame(r, round));
        assert_true(push_lost(r, round));
        assert_true(ring_pop(r, &record));
        assert_int_equal(record.kind, RING_FRAME);
        assert_int_equal(record.time_ns, round);
        assert_int_equal(record.as.frame.samples[0].device, round);
        assert_false(record.gap);
        assert_true(ring_pop(r, &record));
        assert_int_equal(record.kind, RING_LOST);
        assert_false(ring_pop(r, &record));
    }
    assert_int_equal(ring_dropped(r), 0);
    ring_destroy(r);
}

static void full_drops_the_newest_frame_and_says_so(void **state)
{
    ring *r = ring_create((size_t)CAPACITY);
    ring_record record;
    int64_t time_ns = 0;

    (void)state;
    while (push_frame(r, time_ns))
        time_ns++;
    assert_int_equal(time_ns, CAPACITY - RING_RESERVED);
    assert_false(push_frame(r, 1000));
    assert_int_equal(ring_dropped(r), 2);
    assert_true(ring_pop(r, &record));
    assert_int_equal(record.time_ns, 0);
    assert_true(push_frame(r, 1001));
    for (int64_t expected = 1; expected < time_ns; expected++) {
        assert_true(ring_pop(r, &record));
        assert_int_equal(record.time_ns, expected);
        assert_false(record.gap);
    }
    assert_true(ring_pop(r, &record));
    assert_int_equal(record.time_ns, 1001);
    assert_true(record.gap);
    assert_true(push_frame(r, 1002));
    assert_true(ring_pop(r, &record));
    assert_false(record.gap);
    ring_destroy(r);
}

static void other_news_use_the_last_places(void **state)
{
    ring *r = ring_create((size_t)CAPACITY);
    ring_record record;
    int64_t frames = 0, others = 0;

    (void)state;
    while (push_frame(r, frames))
        frames++;
    while (push_lost(r, frames + others))
        others++;
    assert_int_equal(others, RING_RESERVED);
    assert_int_equal(ring_dropped(r), 1);
    for (int64_t expected = 0; expected < frames + others; expected++) {
        assert_true(ring_pop(r, &record));
        assert_int_equal(record.time_ns, expected);
        assert_int_equal(record.kind, expected < frames ? RING_FRAME : RING_LOST);
    }
    assert_false(ring_pop(r, &record));
    ring_destroy(r);
}

static void withheld_frames_count_as_dropped(void **state)
{
    ring *r = ring_create((size_t)CAPACITY);
    ring_record record;

    (void)state;
    ring_drop(r);
    assert_true(push_lost(r, 1));
    assert_true(push_frame(r, 2));
    assert_int_equal(ring_dropped(r), 1);
    assert_true(ring_pop(r, &record));
    assert_false(record.gap);
    assert_true(ring_pop(r, &record));
    assert_true(record.gap);
    ring_destroy(r);
}

/* ---- two threads ---- */

#define FRAMES 200000
#define LOST_EVERY 1000

/* Frames may be dropped; the others are tried until there is room. */
static void *produce(void *argument)
{
    ring *r = argument;

    for (int64_t i = 1; i <= FRAMES; i++) {
        push_frame(r, i);
        while (i % LOST_EVERY == 0 && !push_lost(r, i))
            sched_yield();
    }
    while (!ring_push(r, &(ring_record){.kind = RING_SPACE_CHANGED, .time_ns = FRAMES + 1}))
        sched_yield();
    return NULL;
}

static void two_threads_lose_nothing_unsaid(void **state)
{
    ring *r = ring_create((size_t)CAPACITY);
    ring_record record = {.kind = RING_FRAME};
    int64_t last_ns = 0;
    uint64_t frames = 0, lost = 0;
    pthread_t producer;

    (void)state;
    assert_int_equal(pthread_create(&producer, NULL, produce, r), 0);
    while (record.kind != RING_SPACE_CHANGED) {
        if (!ring_pop(r, &record)) {
            sched_yield();
            continue;
        }
        if (record.kind == RING_LOST) {
            lost++;
            assert_int_equal(record.time_ns, (int64_t)lost * LOST_EVERY);
            assert_true(record.time_ns >= last_ns);
        } else if (record.kind == RING_FRAME) {
            frames++;
            assert_true(record.time_ns > last_ns);
            assert_int_equal(record.gap, record.time_ns != last_ns + 1);
            assert_int_equal(record.as.frame.samples[0].device, record.time_ns);
            assert_true(record.as.frame.samples[0].pose.position.x == (float)record.time_ns);
            last_ns = record.time_ns;
        }
    }
    pthread_join(producer, NULL);
    assert_int_equal(lost, FRAMES / LOST_EVERY);
    assert_int_equal(frames + ring_dropped(r), FRAMES);
    ring_destroy(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_out_as_it_went_in),         cmocka_unit_test(full_drops_the_newest_frame_and_says_so),
        cmocka_unit_test(other_news_use_the_last_places),  cmocka_unit_test(withheld_frames_count_as_dropped),
        cmocka_unit_test(two_threads_lose_nothing_unsaid),
    };

    return cmocka_run_group_tests_name("ring", tests, NULL, NULL);
}
