/* Two players who tell each other which contacts they find: who waits, for how long, and what is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sources/peer/room_agree.h"
#include "sources/peer/room_ids.h"

#include "support/room_pair.h"

#define WAIT (100 * MS)

/* anna/saber comes before ben/saber, so ben waits. */
typedef struct duel {
    machine anna, ben;
    int64_t now_ns;
} duel;

static duel *begin(int64_t anna_ns, int64_t ben_ns)
{
    duel *d = malloc(sizeof *d);

    assert_non_null(d);
    d->now_ns = meet_who_agree(&d->anna, &d->ben, anna_ns, ben_ns);
    for (int i = 0; i < 3; i++, d->now_ns += 11 * MS) { /* each has the other one's blades */
        share(&d->anna, d->now_ns, 0.0f);
        share(&d->ben, d->now_ns, 0.0f);
        exchange(&d->anna, &d->ben, d->now_ns);
    }
    assert_non_null(d->anna.owner);
    assert_non_null(d->ben.owner);
    return d;
}

static void end(duel *d)
{
    machine_close(&d->anna, d->now_ns);
    machine_close(&d->ben, d->now_ns);
    free(d);
}

static clash_event event_of(const machine *m, clash_event_kind kind, uint64_t contact, int64_t start_ns, int64_t for_ns)
{
    return (clash_event){.kind = kind,
                         .id = contact,
                         .time_ns = start_ns + for_ns,
                         .duration_ns = for_ns,
                         .blades = {"saber", m->name[0] == 'a' ? "ben/saber" : "anna/saber"}};
}

/* What the pipeline finds, as the room fills it in. */
static clash_event find_at(machine *m, clash_event_kind kind, uint64_t contact, int64_t start_ns, int64_t for_ns,
                           int64_t now_ns)
{
    clash_event event = event_of(m, kind, contact, start_ns, for_ns);
    const void *const owners[2] = {NULL, m->owner};

    room_note_event(m->room, &event, owners, m->epoch_ns, now_ns - m->epoch_ns);
    assert_int_not_equal(event.room.id, 0);
    assert_int_equal(event.room.agreed, CLASH_AGREEMENT_NONE);
    return event;
}

static clash_event find(machine *m, clash_event_kind kind, uint64_t contact, const duel *d)
{
    return find_at(m, kind, contact, d->now_ns - 20 * MS, kind == CLASH_EVENT_CLASH ? 0 : 10 * MS, d->now_ns);
}

static void pass_time(duel *d, int64_t ns)
{
    d->now_ns += ns;
    room_decide(d->anna.room, d->now_ns - d->anna.epoch_ns);
    room_decide(d->ben.room, d->now_ns - d->ben.epoch_ns);
}

static void who_is_second_waits_for_the_first(void **state)
{
    duel *d = begin(WAIT, WAIT);
    clash_event anna = find(&d->anna, CLASH_EVENT_CLASH, 1, d), ben = find(&d->ben, CLASH_EVENT_CLASH, 7, d);
    clash_event hold = find(&d->anna, CLASH_EVENT_HOLD, 1, d);

    (void)state;
    assert_int_equal(anna.room.id, ben.room.id);
    assert_true(room_judge_event(d->anna.room, &anna));
    assert_int_equal(anna.room.agreed, CLASH_AGREEMENT_NONE); /* nobody could know */
    assert_true(room_judge_event(d->anna.room, &hold));
    assert_int_equal(hold.room.agreed, CLASH_AGREEMENT_NONE);
    assert_false(room_judge_event(d->ben.room, &ben));
    exchange(&d->anna, &d->ben, d->now_ns);
    assert_true(room_judge_event(d->ben.room, &ben));
    assert_int_equal(ben.room.agreed, CLASH_AGREEMENT_YES);
    assert_true(room_judge_event(d->anna.room, &hold));
    assert_int_equal(hold.room.agreed, CLASH_AGREEMENT_YES);
    assert_int_equal(counter(&d->anna, d->now_ns, "room_agreed"), 1);
    assert_int_equal(counter(&d->ben, d->now_ns, "room_agreed"), 1);
    assert_true(room_due(d->anna.room) == INT64_MAX && room_due(d->ben.room) == INT64_MAX);
    end(d);
}

static void what_was_heard_before_needs_no_wait(void **state)
{
    duel *d = begin(WAIT, WAIT);
    clash_event ben;

    (void)state;
    find(&d->anna, CLASH_EVENT_CLASH, 1, d);
    exchange(&d->anna, &d->ben, d->now_ns);
    ben = find(&d->ben, CLASH_EVENT_CLASH, 7, d);
    assert_true(room_judge_event(d->ben.room, &ben));
    assert_int_equal(ben.room.agreed, CLASH_AGREEMENT_YES);
    end(d);
}

static void the_wait_is_bounded(void **state)
{
    duel *d = begin(WAIT, WAIT);
    clash_event ben = find(&d->ben, CLASH_EVENT_CLASH, 7, d), release = find(&d->ben, CLASH_EVENT_RELEASE, 7, d);

    (void)state;
    assert_true(room_due(d->ben.room) == d->now_ns - d->ben.epoch_ns + WAIT);
    pass_time(d, WAIT - 1);
    assert_false(room_judge_event(d->ben.room, &ben));
    pass_time(d, 1);
    assert_true(room_due(d->ben.room) == INT64_MAX);
    assert_true(room_judge_event(d->ben.room, &ben));
    assert_int_equal(ben.room.agreed, CLASH_AGREEMENT_NO);
    find(&d->anna, CLASH_EVENT_CLASH, 1, d); /* too late */
    exchange(&d->anna, &d->ben, d->now_ns);
    assert_true(room_judge_event(d->ben.room, &release));
    assert_int_equal(release.room.agreed, CLASH_AGREEMENT_NO);
    assert_int_equal(counter(&d->ben, d->now_ns, "room_disagreed"), 1);
    end(d);
}

static void nobody_waits_for_who_does_not_say(void **state)
{
    for (int who = 0; who < 3; who++) {
        duel *d = begin(who == 1 ? WAIT : 0, who == 2 ? WAIT : 0);
        clash_event anna = find(&d->anna, CLASH_EVENT_CLASH, 1, d), ben = find(&d->ben, CLASH_EVENT_CLASH, 7, d);

        (void)state;
        assert_int_equal(d->anna.mail_count + d->ben.mail_count, 0);
        assert_true(room_judge_event(d->anna.room, &anna) && room_judge_event(d->ben.room, &ben));
        assert_int_equal(ben.room.agreed, CLASH_AGREEMENT_NONE);
        end(d);
    }
}

/* A message of anna's, changed. */
static void take_lie(duel *d, const letter *told, const char *from, const char *to)
{
    char text[sizeof told->text];
    const char *at;

    memcpy(text, told->text, told->length);
    text[told->length] = '\0';
    at = strstr(text, from);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - text), told->text, to, told->text + (at - text) + strlen(from));
    room_take(d->ben.room, "anna", ROOM_MESSAGE_CONTACT, text, strlen(text), d->now_ns - d->ben.epoch_ns);
}

static void lies_agree_with_nothing(void **state)
{
    static const char *const lies[][2] = {
        {"\"aaaa\",\"clock\"", "\"aaab\",\"clock\""},
        {"\"clock\":\"aaaa\"", "\"clock\":\"cccc\""},
        {"saber", "sabre"},
        {"room_time_ns\":", "room_time_ns\":1"},
        {"\"room_id\":", "\"room_id\":-"},
        {"[", "[1,"},
        {"\"saber\"]", "\"saber\",\"x\"]"},
        {"contact", "peer"},
    };
    duel *d = begin(WAIT, WAIT);
    clash_event ben = find(&d->ben, CLASH_EVENT_CLASH, 7, d);
    letter told;

    (void)state;
    find(&d->anna, CLASH_EVENT_CLASH, 1, d);
    assert_int_equal(d->anna.mail_count, 1);
    told = d->anna.mail[0];
    told.text[told.length] = '\0';
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        take_lie(d, &told, lies[i][0], lies[i][1]);
        assert_false(room_judge_event(d->ben.room, &ben));
    }
    assert_int_equal(counter(&d->ben, d->now_ns, "room_unplaced"), 2);
    pass(&d->anna, &told, &d->ben, d->now_ns);
    assert_true(room_judge_event(d->ben.room, &ben));
    assert_int_equal(ben.room.agreed, CLASH_AGREEMENT_YES);
    end(d);
}

/* The next contact is another one, however often the first is told. */
static void a_message_that_comes_twice_says_no_more(void **state)
{
    duel *d = begin(WAIT, WAIT);
    clash_event first = find(&d->ben, CLASH_EVENT_CLASH, 7, d), second;
    letter told;

    (void)state;
    find(&d->anna, CLASH_EVENT_CLASH, 1, d);
    told = d->anna.mail[0];
    for (int i = 0; i < 3; i++)
        pass(&d->anna, &told, &d->ben, d->now_ns);
    assert_true(room_judge_event(d->ben.room, &first));
    second = find_at(&d->ben, CLASH_EVENT_CLASH, 8, d->now_ns - 15 * MS, 0, d->now_ns);
    pass(&d->anna, &told, &d->ben, d->now_ns);
    assert_false(room_judge_event(d->ben.room, &second));
    end(d);
}

/* A start on the border of two steps of ids: both tell of it by the first one's. */
static void two_ids_of_a_contact_become_one(void **state)
{
    duel *d = begin(WAIT, WAIT);
    const int64_t border_ns = d->now_ns / ROOM_ID_STEP_NS * ROOM_ID_STEP_NS;
    clash_event anna = find_at(&d->anna, CLASH_EVENT_CLASH, 1, border_ns - 2 * MS, 0, d->now_ns);
    clash_event ben = find_at(&d->ben, CLASH_EVENT_CLASH, 7, border_ns + 2 * MS, 0, d->now_ns);

    (void)state;
    assert_int_not_equal(anna.room.id, ben.room.id);
    exchange(&d->anna, &d->ben, d->now_ns);
    assert_true(room_judge_event(d->ben.room, &ben));
    assert_int_equal(ben.room.agreed, CLASH_AGREEMENT_YES);
    assert_int_equal(ben.room.id, anna.room.id);
    end(d);
}

static void who_goes_is_waited_for_no_more(void **state)
{
    duel *d = begin(WAIT, WAIT);
    clash_event ben = find(&d->ben, CLASH_EVENT_CLASH, 7, d);

    (void)state;
    assert_false(room_judge_event(d->ben.room, &ben));
    room_online(d->ben.room, "anna", false, d->now_ns - d->ben.epoch_ns);
    assert_true(room_judge_event(d->ben.room, &ben));
    assert_true(room_due(d->ben.room) == INT64_MAX);
    end(d);
}

static void contacts_beyond_the_bound_do_not_wait(void **state)
{
    duel *d = begin(WAIT, WAIT);
    clash_event last = {0};

    (void)state;
    for (uint64_t i = 1; i <= ROOM_AGREE_FOUND_MAX + 1; i++) {
        last = find_at(&d->ben, CLASH_EVENT_CLASH, i, d->now_ns - 20 * MS, 0, d->now_ns);
        if (i <= ROOM_AGREE_FOUND_MAX)
            assert_false(room_judge_event(d->ben.room, &last));
    }
    assert_true(room_judge_event(d->ben.room, &last));
    room_give_up(d->ben.room, 1);
    last = find_at(&d->ben, CLASH_EVENT_CLASH, 99, d->now_ns - 20 * MS, 0, d->now_ns); /* in the place of the first */
    assert_false(room_judge_event(d->ben.room, &last));
    pass_time(d, WAIT);
    assert_int_equal(counter(&d->ben, d->now_ns, "room_disagreed"), ROOM_AGREE_FOUND_MAX + 1);
    end(d);
}

static void any_times_can_be_told_apart(void **state)
{
    static const int64_t times[] = {INT64_MIN, -1, 0, 1, ROOM_AGREE_NEAR_NS, ROOM_AGREE_NEAR_NS + 1, INT64_MAX};
    const size_t count = sizeof times / sizeof times[0];

    (void)state;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++) {
            room_agree a = {0};
            const bool near = i == k || (i > 0 && k > 0 && i < count - 1 && k < count - 1 &&
                                         llabs(times[i] - times[k]) <= ROOM_AGREE_NEAR_NS);

            room_agree_found(&a, &(room_found){.contact = 1, .pair = 5, .start_ns = times[i], .until_ns = 1});
            assert_int_equal(room_agree_heard(&a, 5, times[k], 3), near);
            assert_int_equal(a.waiting, !near);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_second_waits_for_the_first),
        cmocka_unit_test(what_was_heard_before_needs_no_wait),
        cmocka_unit_test(the_wait_is_bounded),
        cmocka_unit_test(nobody_waits_for_who_does_not_say),
        cmocka_unit_test(lies_agree_with_nothing),
        cmocka_unit_test(a_message_that_comes_twice_says_no_more),
        cmocka_unit_test(two_ids_of_a_contact_become_one),
        cmocka_unit_test(who_goes_is_waited_for_no_more),
        cmocka_unit_test(contacts_beyond_the_bound_do_not_wait),
        cmocka_unit_test(any_times_can_be_told_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
