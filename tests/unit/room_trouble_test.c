/* A room in trouble that is nobody's lie: a broker that is away for long, players who are said to be there and are not, machines that slept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "support/room_pair.h"

static void join_both(machine *a, machine *b, bool is_joined, int64_t now_ns)
{
    room_join(a->room, is_joined, now_ns - a->epoch_ns);
    room_join(b->room, is_joined, now_ns - b->epoch_ns);
    if (!is_joined)
        return;
    room_online(a->room, "ben", true, now_ns - a->epoch_ns);
    room_online(b->room, "anna", true, now_ns - b->epoch_ns);
}

/* Both tick, and what they say is there 5 ms later. */
static int64_t run_both(machine *a, machine *b, int64_t now_ns, int64_t for_ns)
{
    const int64_t end_ns = now_ns + for_ns;

    for (; now_ns < end_ns; now_ns += 10 * MS) {
        room_tick(a->room, now_ns - a->epoch_ns);
        room_tick(b->room, now_ns - b->epoch_ns);
        exchange(a, b, now_ns);
    }
    return now_ns;
}

static int64_t room_time(const machine *m, int64_t now_ns)
{
    return room_map_forward(&room_clock_of(m->room)->map, now_ns - m->epoch_ns);
}

/** However long there was no broker: the room's time runs as clocks do, and both have the same. */
static void a_broker_that_was_away_for_long_leaves_the_time_as_it_was(void **state)
{
    static const int64_t away_s[] = {30, 90, 600, 7200};

    (void)state;
    for (size_t i = 0; i < sizeof away_s / sizeof away_s[0]; i++) {
        machine a, b;
        int64_t now_ns = meet(&a, &b), before_ns = room_time(&a, now_ns), met_ns = now_ns;
        uint64_t steps;

        join_both(&a, &b, false, now_ns);
        now_ns = run_both(&a, &b, now_ns, 2 * SECOND) + (away_s[i] - 2) * SECOND;
        join_both(&a, &b, true, now_ns);
        now_ns = run_both(&a, &b, now_ns, 5 * SECOND);
        steps = counter(&b, now_ns, "room_clock_steps");
        now_ns = run_both(&a, &b, now_ns, 10 * SECOND);
        assert_in_range(room_time(&a, now_ns) - before_ns - (now_ns - met_ns) + MS, 0, 2 * MS);
        assert_in_range(room_time(&b, now_ns) - room_time(&a, now_ns) + MS, 0, 2 * MS);
        assert_int_equal(counter(&b, now_ns, "room_clock_steps"), steps);
        share(&b, now_ns, 1.0f);
        exchange(&a, &b, now_ns);
        assert_int_equal(a.taken_count, 1);
        machine_close(&a, now_ns);
        machine_close(&b, now_ns);
    }
}

/** The broker still has the word of one who is not there any more, and who would be the room's clock: it is asked now and then, and until it
 *  answers the one who has been asked so far counts. */
static void who_is_said_to_be_there_and_is_not_costs_the_clock_nothing(void **state)
{
    static const char peer[] =
        "{\"type\":\"peer\",\"session\":\"dead\",\"version\":1,\"from_sample\":0,\"referee\":true,"
        "\"clock\":\"aaaa\",\"blades\":[]}";
    machine a, b, *const both[2] = {&a, &b};
    int64_t now_ns = meet(&a, &b), worst_ns = 0;
    uint64_t to_nobody = 0;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        room_online(both[i]->room, "aaron", true, now_ns - both[i]->epoch_ns);
        room_take(both[i]->room, "aaron", ROOM_MESSAGE_PEER, peer, sizeof peer - 1, now_ns - both[i]->epoch_ns);
    }
    for (int i = 0; i < 12000; i++, now_ns += 10 * MS) {
        const room_clock *c = room_clock_of(b.room);

        b.epoch_ns += 500; /* its clock runs 50 ppm too slow */
        room_tick(a.room, now_ns - a.epoch_ns);
        room_tick(b.room, now_ns - b.epoch_ns);
        for (size_t j = 0; j < b.mail_count; j++)
            to_nobody += strcmp(b.mail[j].to, "aaron") == 0;
        exchange(&a, &b, now_ns);
        if (i > 1000)
            worst_ns = llabs(room_time(&b, now_ns) - room_time(&a, now_ns)) - c->error_ns > worst_ns
                           ? llabs(room_time(&b, now_ns) - room_time(&a, now_ns)) - c->error_ns
                           : worst_ns;
    }
    assert_int_equal(worst_ns, 0);
    assert_true(to_nobody > 0 && to_nobody < 1500);
    machine_close(&a, now_ns);
    machine_close(&b, now_ns);
}

/** A clock that stands still for an hour, or leaps ahead or back, of whoever's the room's time is: soon both have the same time again, what
 *  is said of its error is true, and samples are where they were. */
static void a_clock_that_leaps_once_is_followed(void **state)
{
    static const int64_t leaps_ns[] = {3600 * SECOND, -3600 * SECOND, SECOND, -SECOND, 52 * MS, -52 * MS};

    (void)state;
    for (size_t i = 0; i < 2 * sizeof leaps_ns / sizeof leaps_ns[0]; i++) {
        machine a, b, *const who = i % 2 == 0 ? &a : &b;
        int64_t now_ns = meet(&a, &b) + 8000 * SECOND, apart_ns;

        now_ns = run_both(&a, &b, now_ns, 3 * SECOND);
        who->epoch_ns += leaps_ns[i / 2]; /* no clock goes back: the other one's goes on meanwhile */
        now_ns += leaps_ns[i / 2] > 0 ? leaps_ns[i / 2] : 0;
        now_ns = run_both(&a, &b, now_ns, 5 * SECOND);
        apart_ns = llabs(room_time(&b, now_ns) - room_time(&a, now_ns));
        assert_true(apart_ns <= room_clock_of(b.room)->error_ns && apart_ns < MS);
        assert_true(counter(&b, now_ns, "room_clock_steps") <= 2);
        share(&b, now_ns, 7.0f);
        exchange(&a, &b, now_ns);
        assert_int_equal(a.taken_count, 1);
        assert_in_range(a.taken[0].time_ns - (now_ns - a.epoch_ns) + MS, 0, 2 * MS);
        machine_close(&a, now_ns);
        machine_close(&b, now_ns);
    }
}

/** A small leap is made good slowly, and so long what is said of the error has it in it. */
static void a_small_leap_is_made_good(void **state)
{
    static const int64_t leaps_ns[] = {47 * MS, -47 * MS};

    (void)state;
    for (size_t i = 0; i < 2 * sizeof leaps_ns / sizeof leaps_ns[0]; i++) {
        machine a, b, *const who = i % 2 == 0 ? &a : &b;
        int64_t now_ns = meet(&a, &b), apart_ns = 0;

        who->epoch_ns += leaps_ns[i / 2];
        now_ns += leaps_ns[i / 2] > 0 ? leaps_ns[i / 2] : 0;
        for (int second = 0; second < 70; second++) {
            now_ns = run_both(&a, &b, now_ns, SECOND);
            apart_ns = llabs(room_time(&b, now_ns) - room_time(&a, now_ns));
            assert_true(apart_ns <= room_clock_of(b.room)->error_ns);
        }
        assert_true(apart_ns < MS);
        assert_int_equal(counter(&b, now_ns, "room_clock_steps"), 0);
        machine_close(&a, now_ns);
        machine_close(&b, now_ns);
    }
}

/* An answer of who has no clock to a question. */
static void answer_anyhow(const machine *to, const letter *ask, int64_t now_ns, int64_t wrong_ns, const char *clock)
{
    const int64_t own_ns = now_ns - to->epoch_ns;
    room_message_clock question;
    room_message parsed;
    failure why = {0};
    char text[1000];
    int length;

    assert_int_equal(room_parse(ROOM_MESSAGE_CLOCK_ASK, ask->text, ask->length, &parsed, &why), 0);
    question = parsed.clock;
    length =
        snprintf(text, sizeof text,
                 "{\"type\":\"clock_answer\",\"session\":\"evil\",\"asked_by\":\"%s\",\"number\":%" PRIu64
                 ",\"sent_ns\":%" PRId64 ",\"received_ns\":%" PRId64 ",\"answered_ns\":%" PRId64 ",\"clock\":\"%s\"}",
                 question.session, question.number, question.sent_ns, own_ns + wrong_ns, own_ns + wrong_ns, clock);
    room_take(to->room, "aaron", ROOM_MESSAGE_CLOCK_ANSWER, text, (size_t)length, own_ns);
}

/* What is sent to aaron is answered, by another time each time or by another clock; anything else is exchanged. */
static void exchange_with_liar(machine *a, machine *b, int64_t now_ns, uint64_t *lies)
{
    static const char *const clocks[] = {"evil", "worse"};
    machine *const both[2] = {a, b};

    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < both[i]->mail_count; j++)
            if (strcmp(both[i]->mail[j].to, "aaron") == 0) {
                answer_anyhow(both[i], &both[i]->mail[j], now_ns, (int64_t)(*lies * 77777 % 1000) * SECOND,
                              clocks[*lies % 7 == 0]);
                ++*lies;
            }
    exchange(a, b, now_ns);
}

/** Who would be the room's clock, and says another time at each question: the others soon have a clock without it. */
static void a_clock_that_leaps_is_none(void **state)
{
    static const char peer[] =
        "{\"type\":\"peer\",\"session\":\"evil\",\"version\":1,\"from_sample\":0,\"referee\":true,"
        "\"clock\":\"evil\",\"blades\":[]}";
    machine a, b;
    int64_t now_ns = meet(&a, &b);
    uint64_t lies = 0, good = 0, looks = 0;

    (void)state;
    room_online(a.room, "aaron", true, now_ns - a.epoch_ns);
    room_online(b.room, "aaron", true, now_ns - b.epoch_ns);
    room_take(a.room, "aaron", ROOM_MESSAGE_PEER, peer, sizeof peer - 1, now_ns - a.epoch_ns);
    room_take(b.room, "aaron", ROOM_MESSAGE_PEER, peer, sizeof peer - 1, now_ns - b.epoch_ns);
    for (int i = 0; i < 12000; i++, now_ns += 10 * MS) {
        room_tick(a.room, now_ns - a.epoch_ns);
        room_tick(b.room, now_ns - b.epoch_ns);
        exchange_with_liar(&a, &b, now_ns, &lies);
        looks++;
        good += room_clock_is_known(room_clock_of(a.room)) && room_clock_is_known(room_clock_of(b.room)) &&
                llabs(room_time(&a, now_ns) - room_time(&b, now_ns)) < MS;
    }
    assert_true(lies > 0 && lies < 100);
    assert_true(good >= looks / 100 * 95);
    machine_close(&a, now_ns);
    machine_close(&b, now_ns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clock_that_leaps_once_is_followed),
        cmocka_unit_test(a_small_leap_is_made_good),
        cmocka_unit_test(a_clock_that_leaps_is_none),
        cmocka_unit_test(who_is_said_to_be_there_and_is_not_costs_the_clock_nothing),
        cmocka_unit_test(a_broker_that_was_away_for_long_leaves_the_time_as_it_was),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
