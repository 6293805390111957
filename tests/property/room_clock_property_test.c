/* The room's time where it is asked for: what is said of its error is true, soon, and small, over links whose delays scatter in several ways,
 * with clocks that are wrong and drift. CLASHD_CASES: more of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "support/room_network.h"

#define SEED 0x17c10d
/** From then on what is said counts. */
#define SETTLED_NS (3 * SECOND)
#define SMALL_NS (2 * MS)

typedef struct tally {
    uint64_t looked, known, within_error, within_bound, small, asked;
} tally;

static void look(const clock_pair *p, tally *t)
{
    int64_t wrong_ns;

    t->looked++;
    if (!room_clock_is_known(&p->ben))
        return;
    wrong_ns = llabs(room_map_forward(&p->ben.map, own_of(&p->wrong, p->true_ns)) - p->true_ns);
    t->known++;
    t->within_error += wrong_ns <= p->ben.error_ns;
    t->within_bound += wrong_ns <= p->ben.bound_ns;
    t->small += p->ben.error_ns < SMALL_NS;
}

static double share(uint64_t count, uint64_t of)
{
    return (double)count / (double)of;
}

/** Return what was seen of many runs, every 50 ms, once they had settled. */
static tally run_many(const link_kind *link, int64_t run_ns)
{
    static clock_pair p;
    const long count = random_cases(100);
    random_state seeds = {random_seed(SEED)};
    tally t = {0};

    for (long i = 0; i < count; i++) {
        pair_open(&p, random_bits(&seeds), link);
        for (int64_t ns = 0, step_ns; ns < run_ns; ns += step_ns) {
            step_ns = ns < SETTLED_NS ? 10 * MS : 50 * MS;
            pair_step(&p, step_ns);
            if (ns >= SETTLED_NS)
                look(&p, &t);
        }
        t.asked += p.ben.number;
    }
    print_message("%-30s %llu looks, known %.4f, within error %.4f, error under 2 ms %.4f, %.1f questions a second\n",
                  link->name, (unsigned long long)t.looked, share(t.known, t.looked), share(t.within_error, t.known),
                  share(t.small, t.looked), share(t.asked, (uint64_t)count) / ((double)run_ns * 1e-9));
    assert_int_equal(t.within_bound, t.known);
    return t;
}

/** A run counts as one, whose looks are alike: few of them scatter. */
static double often(double normal)
{
    return random_cases(100) >= 100 ? normal : normal - 0.01;
}

static void the_error_is_true_and_small(void **state)
{
    static const link_kind links[] = {
        {"20 ms +- 5 evenly", SCATTER_EVEN, 20.0, 20.0, 5.0, 0.01, 0.02},
        {"20 ms +- 5 evenly, 10 % lost", SCATTER_EVEN, 20.0, 20.0, 5.0, 0.1, 0.02},
        {"0.3 ms +- 0.2", SCATTER_EVEN, 0.3, 0.3, 0.2, 0.0, 0.0},
        {"20 ms", SCATTER_EVEN, 20.0, 20.0, 0.0, 0.0, 0.0},
        {"20 ms, normal, sigma 2.5", SCATTER_NORMAL, 20.0, 20.0, 2.5, 0.01, 0.02},
        {"15 ms and more, heavy tail", SCATTER_HEAVY, 15.0, 15.0, 5.0, 0.01, 0.02},
    };

    (void)state;
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        const tally t = run_many(&links[i], 120 * SECOND);

        assert_true(t.looked > (uint64_t)random_enough(40000));
        assert_int_equal(t.known, t.looked);
        assert_true(share(t.within_error, t.looked) >= often(0.998));
        assert_true(share(t.small, t.looked) >= often(0.998));
    }
}

/** .. of the first seconds too. */
static void the_error_is_true_and_small_soon(void **state)
{
    static const link_kind link = {"20 ms +- 5 evenly, soon", SCATTER_EVEN, 20.0, 20.0, 5.0, 0.01, 0.02};
    const tally t = run_many(&link, 10 * SECOND);

    (void)state;
    assert_int_equal(t.known, t.looked);
    assert_true(share(t.within_error, t.looked) >= often(0.998));
    assert_true(share(t.small, t.looked) >= often(0.998));
}

/** What is said of a wide or loaded link is not always small, but true. */
static void the_error_is_true_where_it_is_large(void **state)
{
    static const struct {
        link_kind link;
        double within_error, small;
    } cases[] = {
        {{"20 ms, normal, sigma 5", SCATTER_NORMAL, 20.0, 20.0, 5.0, 0.01, 0.02}, 0.99, 0.98},
        {{"80 ms +- 20 evenly, 10 % lost", SCATTER_EVEN, 80.0, 80.0, 20.0, 0.1, 0.0}, 0.99, 0.8},
        {{"20 ms +- 5, loaded there", SCATTER_LOADED, 20.0, 20.0, 5.0, 0.01, 0.02}, 0.98, 0.95},
        {{"20 ms +- 5, bloat there", SCATTER_BLOAT, 20.0, 20.0, 5.0, 0.01, 0.02}, 0.98, 0.9},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const tally t = run_many(&cases[i].link, 60 * SECOND);

        assert_true(share(t.known, t.looked) >= often(0.99));
        assert_true(share(t.within_error, t.known) >= often(cases[i].within_error));
        assert_true(share(t.small, t.looked) >= often(cases[i].small));
    }
}

/** Nobody can see that the way back takes longer: the bound has to hold. */
static void the_bound_is_true_however_the_delays_are(void **state)
{
    static const link_kind links[] = {{"10 ms there, 30 back", SCATTER_EVEN, 10.0, 30.0, 5.0, 0.02, 0.0},
                                      {"60 ms there, 6 back", SCATTER_EVEN, 60.0, 6.0, 5.0, 0.0, 0.0},
                                      {"0 ms there, 40 back", SCATTER_EVEN, 0.0, 40.0, 0.0, 0.0, 0.0}};

    (void)state;
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        const tally t = run_many(&links[i], 60 * SECOND);

        assert_int_equal(t.known, t.looked);
        assert_true(t.within_error < t.looked); /* else the case is none */
    }
}

/** However many ask: together they ask no more than a machine can bear, and none asks less often than it has to. */
static void a_crowd_asks_less_often(void **state)
{
    static room_candidate others[300];
    room_passed_over never = {0};

    (void)state;
    for (size_t count = 1; count <= 300; count = count * 3 / 2 + 1) {
        room_message_clock question;
        room_clock c;
        uint64_t asked = 0;

        for (size_t i = 0; i < count; i++)
            others[i] = (room_candidate){i == 0 ? "anna" : "carl", "aaaa", i == 0 ? "aaaa" : "", false, &never};
        room_clock_init(&c, "ben", "bbbb", false);
        room_clock_join(&c, true, SECOND);
        for (int64_t at_ns = SECOND; at_ns < 3 * SECOND; at_ns += 10 * MS) /* nobody answers */
            asked += room_clock_tick(&c, others, count, at_ns, &question);
        assert_in_range(asked, 8, 200);
        assert_true(asked * count < 3000);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_error_is_true_and_small),
        cmocka_unit_test(the_error_is_true_and_small_soon),
        cmocka_unit_test(the_error_is_true_where_it_is_large),
        cmocka_unit_test(the_bound_is_true_however_the_delays_are),
        cmocka_unit_test(a_crowd_asks_less_often),
        cmocka_unit_test(impossible_answers_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
