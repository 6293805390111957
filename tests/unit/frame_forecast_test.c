/* Is the layer's thread awake when the game's frame comes, and does it sleep else? Played on an invented clock, as the thread
 * does it: it waits as the forecast says, and takes a frame that came meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "layer/frame_forecast.h"
#include "support/random.h"

#define PERIOD ((int64_t)11111111)
#define START 5000000000000
/** From a frame to its display. */
#define LEAD (2 * PERIOD)
#define BEFORE (START - 3 * PERIOD)
#define MS ((int64_t)1000000)

typedef struct thread {
    frame_forecast forecast;
    int64_t now;
    long looks; /* how often it woke without being told, in all */
} thread;

/** The frame comes at that time: whether the thread was looking for it, and took it within 0.2 ms. */
static bool take(thread *t, int64_t came, int64_t display)
{
    bool is_told = false;

    while (t->now < came && !is_told) {
        frame_outlook outlook = frame_forecast_next(&t->forecast, t->now);

        assert_true(outlook.until_ns > t->now);
        is_told = !outlook.is_close && outlook.until_ns >= came;
        t->now = is_told ? came : outlook.until_ns;
        t->looks += !is_told;
    }
    frame_forecast_note(&t->forecast, came, display);
    return !is_told && t->now - came < MS / 5;
}

static int64_t jitter(random_state *random, int64_t most)
{
    return (int64_t)(random_in(random, (double)-most, (double)most));
}

/** So many frames at that period and stray: how many the thread was awake for. */
static int play(thread *t, int frames, int64_t period, int64_t stray, int64_t *display, random_state *random)
{
    int seen = 0;

    for (int frame = 0; frame < frames; frame++) {
        *display += period;
        seen += take(t, *display - LEAD + jitter(random, stray), *display);
    }
    return seen;
}

static void a_steady_game_wakes_nobody(void **state)
{
    const int64_t strays[] = {0, 20000, 100000, 200000};

    (void)state;
    for (size_t i = 0; i < sizeof strays / sizeof strays[0]; i++) {
        random_state random = {i + 1};
        int64_t display = START;
        thread t = {.now = BEFORE};
        long before;

        play(&t, 40, PERIOD, strays[i], &display, &random);
        before = t.looks;
        assert_in_range(play(&t, 2000, PERIOD, strays[i], &display, &random), 1980, 2000);
        assert_in_range(t.looks - before, 2000, 2000 * 12); /* a frame */
    }
}

/* Its display times stray too, by what a runtime that predicts anew in each frame may have. */
static void display_times_that_stray(void **state)
{
    random_state random = {7};
    int64_t at = START;
    thread t = {.now = BEFORE};
    int seen = 0;

    (void)state;
    for (int frame = 0; frame < 2000; frame++) {
        at += PERIOD;
        seen += take(&t, at - LEAD, at + jitter(&random, 50000));
    }
    assert_in_range(seen, 1950, 2000);
}

static void a_frame_left_out_is_one_wake_up(void **state)
{
    random_state random = {3};
    int64_t display = START;
    thread t = {.now = BEFORE};
    int seen = 0;

    (void)state;
    play(&t, 40, PERIOD, 20000, &display, &random);
    for (int drop = 0; drop < 50; drop++) {
        display += PERIOD; /* not drawn */
        seen += play(&t, 10, PERIOD, 20000, &display, &random);
    }
    assert_in_range(seen, 50 * 9 - 5, 50 * 9 + 5);
}

static void another_rate_is_learned(void **state)
{
    const int64_t periods[] = {2 * PERIOD, PERIOD, 50 * MS, 8 * MS + 333333};
    random_state random = {4};
    int64_t display = START;
    thread t = {.now = BEFORE};

    (void)state;
    play(&t, 40, PERIOD, 20000, &display, &random);
    for (size_t i = 0; i < sizeof periods / sizeof periods[0]; i++) {
        play(&t, 20, periods[i], 20000, &display, &random);
        assert_in_range(play(&t, 100, periods[i], 20000, &display, &random), 98, 100);
    }
}

/* Looking for frames of a game that has no rate would cost more than being woken by it. */
static void an_irregular_game_is_not_looked_for(void **state)
{
    random_state random = {5};
    int64_t display = START;
    thread t = {.now = BEFORE};

    (void)state;
    for (int frame = 0; frame < 2000; frame++) {
        display += 3 * MS + jitter(&random, 2 * MS) + 8 * MS;
        take(&t, display - LEAD + jitter(&random, 4 * MS), display);
    }
    assert_in_range(t.looks, 0, 1000);
}

static void a_game_that_stands_still_lets_it_sleep(void **state)
{
    random_state random = {6};
    int64_t display = START;
    thread t = {.now = BEFORE};
    int looks = 0;

    (void)state;
    play(&t, 40, PERIOD, 100000, &display, &random);
    for (frame_outlook outlook; (outlook = frame_forecast_next(&t.forecast, t.now)).until_ns != INT64_MAX; looks++) {
        assert_in_range(looks, 0, 40);
        t.now = outlook.until_ns;
    }
    assert_false(frame_forecast_next(&t.forecast, t.now + 3600000 * MS).is_close);
}

/* The runtime's times are data from outside. */
static void times_of_every_kind(void **state)
{
    const int64_t odd[] = {0, 1, -1, INT64_MIN, INT64_MAX, INT64_MIN + 1, START, START, START - 1, START + PERIOD};
    const size_t count = sizeof odd / sizeof odd[0];
    random_state random = {8};
    frame_forecast forecast = {0};

    (void)state;
    for (int round = 0; round < 100000; round++) {
        int64_t now = START + round;

        frame_forecast_note(&forecast, now, odd[(size_t)(random_in(&random, 0, (double)count))]);
        assert_true(frame_forecast_next(&forecast, now).until_ns > now);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_steady_game_wakes_nobody),
        cmocka_unit_test(display_times_that_stray),
        cmocka_unit_test(a_frame_left_out_is_one_wake_up),
        cmocka_unit_test(another_rate_is_learned),
        cmocka_unit_test(an_irregular_game_is_not_looked_for),
        cmocka_unit_test(a_game_that_stands_still_lets_it_sleep),
        cmocka_unit_test(times_of_every_kind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
