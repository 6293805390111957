/* The room's clock: what is said of its error is true, over links that delay, lose and swap, with clocks that are wrong and drift; and two
 * players place each other's samples alike to the nanosecond. CLASHD_CASES: more of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "sources/peer/room_estimate.h"
#include "sources/peer/room_map.h"

#include "support/random.h"

#define SEED 0x17c10c
#define MS INT64_C(1000000)
#define SECOND (1000 * MS)

/** A link both ways: what each message takes, and how many are lost. */
typedef struct link {
    double there_ms, back_ms, jitter_ms, lost;
} link_kind;

/** A clock that is `offset_ns` wrong and runs `drift_ppm` too slow: true minus own grows. */
typedef struct wrong_clock {
    int64_t offset_ns;
    double drift_ppm;
} wrong_clock;

static int64_t own_of(const wrong_clock *c, int64_t true_ns)
{
    return true_ns - c->offset_ns - (int64_t)((double)true_ns * c->drift_ppm * 1e-6);
}

typedef struct tally {
    uint64_t looked, within_error, within_bound, under_2ms;
} tally;

static int64_t delay(random_state *r, const link_kind *l, double ms)
{
    return (int64_t)((ms + random_in(r, -l->jitter_ms, l->jitter_ms)) * 1e6);
}

static void look(const room_estimate *e, const wrong_clock *c, int64_t true_ns, tally *t)
{
    const int64_t own_ns = own_of(c, true_ns);
    room_offset found;
    int64_t wrong;

    if (!room_estimate_at(e, own_ns, &found))
        return;
    wrong = llabs(found.offset_ns - (true_ns - own_ns));
    t->looked++;
    t->within_error += wrong <= found.error_ns;
    t->within_bound += wrong <= found.bound_ns;
    t->under_2ms += found.error_ns < 2 * MS;
}

/** Ask for two minutes, as clashd does. */
static void run(random_state *r, const link_kind *l, tally *t)
{
    const wrong_clock c = {(int64_t)(random_in(r, -50.0, 50.0) * 1e9), random_in(r, -50.0, 50.0)};
    room_estimate e = {0};
    int64_t true_ns = 0;

    for (int asked = 0; asked < 480; asked++) {
        const int64_t received = true_ns + delay(r, l, l->there_ms), answered = received + random_below(r, 3) * MS;
        const int64_t come = answered + delay(r, l, l->back_ms);

        if (random_in(r, 0.0, 1.0) >= l->lost)
            assert_true(room_estimate_add(&e, own_of(&c, true_ns), received, answered, own_of(&c, come)));
        look(&e, &c, come, t);
        true_ns += asked < 20 ? 50 * MS : 250 * MS;
    }
}

static tally run_many(const link_kind *l)
{
    const long count = random_cases(100);
    random_state r = {random_seed(SEED)};
    tally t = {0};

    for (long i = 0; i < count; i++)
        run(&r, l, &t);
    print_message("%.0f ms there, %.0f back, +-%.0f: %llu looks, within error %.4f, error under 2 ms %.4f\n",
                  l->there_ms, l->back_ms, l->jitter_ms, (unsigned long long)t.looked,
                  (double)t.within_error / (double)t.looked, (double)t.under_2ms / (double)t.looked);
    assert_true(t.looked > (uint64_t)random_enough(40000));
    return t;
}

static void the_stated_error_is_true(void **state)
{
    static const link_kind links[] = {
        {20.0, 20.0, 5.0, 0.02}, {0.3, 0.3, 0.2, 0.0}, {80.0, 80.0, 20.0, 0.1}, {20.0, 20.0, 0.0, 0.0}};
    /* 96 in 100 of many runs; a run counts as one, whose looks are alike, so few of them scatter. */
    const double often = random_cases(100) >= 100 ? 0.95 : 0.9;

    (void)state;
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        const tally t = run_many(&links[i]);

        assert_int_equal(t.within_bound, t.looked);
        assert_true((double)t.within_error >= 0.99 * (double)t.looked);
        if (links[i].jitter_ms <= 5.0)
            assert_true((double)t.under_2ms >= often * (double)t.looked);
    }
}

/** Nobody can see that the way back takes longer: the bound has to hold. */
static void the_bound_is_true_however_the_delays_are(void **state)
{
    static const link_kind links[] = {{10.0, 30.0, 5.0, 0.02}, {60.0, 6.0, 5.0, 0.0}, {0.0, 40.0, 0.0, 0.0}};

    (void)state;
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        const tally t = run_many(&links[i]);

        assert_int_equal(t.within_bound, t.looked);
        assert_true(t.within_error < t.looked); /* else the case is none */
    }
}

static void impossible_answers_are_refused(void **state)
{
    room_estimate e = {0};
    room_offset found;

    (void)state;
    assert_false(room_estimate_add(&e, 10, 0, 0, 9));                     /* came before it went */
    assert_false(room_estimate_add(&e, 0, 5, 4, 10));                     /* answered before it came */
    assert_false(room_estimate_add(&e, 0, 100, 200, 50));                 /* took longer there than it was away */
    assert_false(room_estimate_add(&e, 0, 1, 2, ROOM_ANSWER_MAX_NS + 1)); /* too late */
    for (int i = 0; i < ROOM_QUESTIONS_MIN; i++) {
        assert_false(room_estimate_at(&e, i * SECOND, &found));
        assert_true(room_estimate_add(&e, i * SECOND, i * SECOND + 7, i * SECOND + 7, i * SECOND + 4));
    }
    assert_true(room_estimate_at(&e, 8 * SECOND, &found));
    assert_int_equal(found.offset_ns, 5);
}

/* ---- maps ---- */

/** A player's clock and the map that it made of what it knew at each second, with an estimate that jumps about by `noise_ns`. */
static room_map any_map(random_state *r, const wrong_clock *c, int64_t noise_ns)
{
    room_map m = {0};

    for (int64_t s = 0; s < 10; s++) {
        const int64_t own_ns = own_of(c, s * SECOND);
        const int64_t offset = s * SECOND - own_ns + (int64_t)(random_in(r, -1.0, 1.0) * (double)noise_ns);
        const int64_t drift = (int64_t)(c->drift_ppm * 1000.0);

        if (s == 0)
            room_map_begin(&m, own_ns, offset, drift);
        room_map_extend(&m, own_ns, offset, drift);
    }
    return m;
}

static void maps_are_good_and_come_back(void **state)
{
    random_state r = {random_seed(SEED)};

    (void)state;
    for (int i = 0; i < 2000; i++) {
        const wrong_clock c = {(int64_t)(random_in(&r, -1e5, 1e5) * 1e9), random_in(&r, -100.0, 100.0)};
        const room_map m = any_map(&r, &c, (int64_t)random_in(&r, 0.0, 30e6));
        int64_t before = INT64_MIN;
        room_map part;

        assert_null(room_map_check(m.knots, m.count));
        for (int64_t k = -3000; k < 12000; k += 37) {
            const int64_t own_ns = own_of(&c, k * MS), room_ns = room_map_forward(&m, own_ns);

            assert_true(room_ns > before);
            before = room_ns;
            assert_in_range(room_map_back(&m, room_ns) + 2 - own_ns, 0, 3);
        }
        room_map_cut(&m, own_of(&c, 3210 * MS), own_of(&c, 3250 * MS), &part);
        assert_in_range(part.count, 2, 3);
        assert_true(room_map_agrees(&m, &part));
        assert_int_equal(room_map_forward(&part, own_of(&c, 3220 * MS)), room_map_forward(&m, own_of(&c, 3220 * MS)));
    }
}

/** A sees B's sample at A^-1(B(t)), B sees A's at B^-1(A(t)): whatever both believe of the room's time, they see the same
 * distances on the room's clock, but for the nanosecond that is rounded away. */
static void both_see_the_same_distances(void **state)
{
    random_state r = {random_seed(SEED + 1)};

    (void)state;
    for (int i = 0; i < 2000; i++) {
        const wrong_clock a = {(int64_t)(random_in(&r, -50.0, 50.0) * 1e9), random_in(&r, -50.0, 50.0)};
        const wrong_clock b = {(int64_t)(random_in(&r, -50.0, 50.0) * 1e9), random_in(&r, -50.0, 50.0)};
        const room_map of_a = any_map(&r, &a, 5 * MS), of_b = any_map(&r, &b, 5 * MS);

        for (int64_t k = 0; k < 9000; k += 111) {
            const int64_t at_a = own_of(&a, k * MS), at_b = own_of(&b, k * MS + random_below(&r, 11) * MS);
            const int64_t room_a = room_map_forward(&of_a, at_a), room_b = room_map_forward(&of_b, at_b);
            const int64_t b_at_a = room_map_back(&of_a, room_b), a_at_b = room_map_back(&of_b, room_a);
            const int64_t seen_by_a = room_map_forward(&of_a, b_at_a) - room_a;
            const int64_t seen_by_b = room_b - room_map_forward(&of_b, a_at_b);

            assert_in_range(seen_by_a + 2 - (room_b - room_a), 0, 2);
            assert_in_range(seen_by_b + 2 - (room_b - room_a), 2, 4);
        }
    }
}

static void wrong_knots_are_refused(void **state)
{
    static const struct {
        room_knot knots[3];
        size_t count;
    } wrong[] = {
        {{{0, 0}}, 1},
        {{{0, 0}, {0, 1}}, 2},
        {{{0, 0}, {SECOND, SECOND + 2 * MS}}, 2},
        {{{0, 0}, {SECOND, -SECOND}}, 2},
        {{{0, 0}, {SECOND, SECOND}, {500 * MS, 500 * MS}}, 3},
        {{{0, 0}, {61 * SECOND, 61 * SECOND}}, 2},
        {{{INT64_MIN, 0}, {0, SECOND}}, 2},
        {{{INT64_MIN, INT64_MIN}, {INT64_MAX, INT64_MAX}}, 2},
    };
    const room_knot good[] = {{-SECOND, 5}, {0, SECOND + 5}, {60 * SECOND, 61 * SECOND + 60 * MS}};

    (void)state;
    assert_null(room_map_check(good, 3));
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_non_null(room_map_check(wrong[i].knots, wrong[i].count));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_stated_error_is_true),       cmocka_unit_test(the_bound_is_true_however_the_delays_are),
        cmocka_unit_test(impossible_answers_are_refused), cmocka_unit_test(maps_are_good_and_come_back),
        cmocka_unit_test(both_see_the_same_distances),    cmocka_unit_test(wrong_knots_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
