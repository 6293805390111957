/* Contacts that a subscription leaves out as a whole because the two had just parted, and those that it is told of late. Each
 * subscription knows what it was told itself. Times in ms. */
#include "support/line_client.h"

#include "server/subscription.h"

#define MS INT64_C(1000000)

static subscription asked(float min_closing_speed, float min_peak_speed, int64_t min_apart_ms)
{
    const protocol_subscribe wanted = {.events = PROTOCOL_EVENTS_DEFAULT,
                                       .min_closing_speed = min_closing_speed,
                                       .min_peak_speed = min_peak_speed,
                                       .min_apart_ns = min_apart_ms * MS};
    const protocol_session session = {0};
    subscription s = {0};
    protocol_error error;

    assert_int_equal(subscription_set(&s, &wanted, &session, &error), 0);
    return s;
}

static clash_event contact(clash_event_kind kind, uint64_t id, int64_t ms, float start, const char *a, const char *b)
{
    return (clash_event){.kind = kind, .id = id, .time_ns = ms * MS, .blades = {a, b}, .start_closing_speed = start};
}

static bool takes(subscription *s, clash_event_kind kind, uint64_t id, int64_t ms, float start)
{
    clash_event event = contact(kind, id, ms, start, "left", "right");

    if (kind == CLASH_EVENT_CLASH)
        event.as.clash.closing_speed = start;
    if (kind == CLASH_EVENT_HOLD)
        event.as.clash.closing_speed = 1000.0f; /* a hold's speed is no matter: peaks are said apart */
    return subscription_wants_event(s, &event);
}

static bool takes_late(subscription *s, uint64_t id, int64_t ms, float start, float now)
{
    clash_event event = contact(CLASH_EVENT_CLASH, id, ms, start, "left", "right");

    event.as.clash.late = true;
    event.as.clash.closing_speed = now;
    return subscription_wants_late(s, &event);
}

/** A contact from .. to, with a hold in between: all of it, or nothing. */
static bool takes_contact(subscription *s, uint64_t id, int64_t from_ms, int64_t to_ms, float start)
{
    const bool clash = takes(s, CLASH_EVENT_CLASH, id, from_ms, start);

    assert_int_equal(takes(s, CLASH_EVENT_HOLD, id, (from_ms + to_ms) / 2, start), clash);
    assert_int_equal(takes(s, CLASH_EVENT_RELEASE, id, to_ms, start), clash);
    return clash;
}

static void whoever_had_just_parted_is_left_out(void **state)
{
    subscription s = asked(0, 0, 50);

    (void)state;
    assert_true(takes_contact(&s, 1, 0, 10, 1));
    assert_false(takes_contact(&s, 2, 30, 55, 99)); /* whatever its speed */
    assert_false(
        takes_contact(&s, 3, 59, 300, 1)); /* 49 after the one that was told; the one in between does not count */
    assert_true(takes_contact(&s, 4, 301, 302, 1));
    assert_false(takes_contact(&s, 5, 351, 352, 1));
    assert_true(takes_contact(&s, 6, 352, 353, 1)); /* 50 are enough */
    subscription_finish(&s);
    s = asked(0, 0, 0);
    for (uint64_t id = 1; id < 5; id++)
        assert_true(takes_contact(&s, id, (int64_t)id, (int64_t)id, 1));
    assert_int_equal(s.pairs.count, 0); /* nothing is remembered that is not needed */
    subscription_finish(&s);
}

static void what_was_not_told_does_not_count(void **state)
{
    subscription s = asked(5, 0, 50);

    (void)state;
    assert_false(takes_contact(&s, 1, 0, 10, 4));
    assert_true(takes_contact(&s, 2, 11, 12, 6));
    assert_false(takes_contact(&s, 3, 20, 21, 6));
    assert_false(takes_contact(&s, 4, 70, 71, 4));
    assert_true(takes_contact(&s, 5, 72, 73, 6));
    subscription_finish(&s);
}

/* In either order: it may be another one after a blade was defined anew. Another pair is another pair. */
static void pairs_are_told_apart_by_their_names(void **state)
{
    static const char *const names[][2] = {{"left", "right"}, {"right", "left"}, {"left", "npc"}, {"npc", "right"}};
    static const bool expected[] = {true, false, true, true};
    subscription s = asked(0, 0, 50);

    (void)state;
    for (uint64_t i = 0; i < 4; i++) {
        clash_event clash = contact(CLASH_EVENT_CLASH, i + 1, 2 * (int64_t)i, 1, names[i][0], names[i][1]);
        clash_event release = contact(CLASH_EVENT_RELEASE, i + 1, 2 * (int64_t)i + 1, 1, names[i][0], names[i][1]);

        assert_int_equal(subscription_wants_event(&s, &clash), expected[i]);
        assert_int_equal(subscription_wants_event(&s, &release), expected[i]);
    }
    subscription_finish(&s);
}

static void who_becomes_fast_is_told_once(void **state)
{
    subscription s = asked(0, 5, 0);

    (void)state;
    assert_false(takes(&s, CLASH_EVENT_CLASH, 1, 0, 1));
    assert_false(takes_late(&s, 1, 1, 1, 4.99f));
    assert_false(takes(&s, CLASH_EVENT_HOLD, 1, 2, 1));
    assert_true(takes_late(&s, 1, 3, 1, 5));
    assert_false(takes_late(&s, 1, 4, 1, 7)); /* it is told */
    assert_true(takes(&s, CLASH_EVENT_HOLD, 1, 5, 1));
    assert_true(takes(&s, CLASH_EVENT_RELEASE, 1, 6, 1));
    assert_true(takes(&s, CLASH_EVENT_CLASH, 2, 7, 6)); /* fast from the start on */
    assert_false(takes_late(&s, 2, 8, 6, 9));
    assert_true(takes(&s, CLASH_EVENT_RELEASE, 2, 9, 6));
    assert_false(takes(&s, CLASH_EVENT_CLASH, 3, 10, 1)); /* never */
    assert_false(takes(&s, CLASH_EVENT_HOLD, 3, 11, 1));
    assert_false(takes(&s, CLASH_EVENT_RELEASE, 3, 12, 1));
    assert_false(takes(&s, CLASH_EVENT_CLASH, 4, 13, 1)); /* the same two again: anew */
    assert_true(takes_late(&s, 4, 14, 1, 6));
    assert_true(takes(&s, CLASH_EVENT_RELEASE, 4, 15, 1));
    subscription_finish(&s);
    s = asked(3, 0, 0); /* who did not ask for it is never told late */
    assert_false(takes(&s, CLASH_EVENT_CLASH, 1, 0, 1));
    assert_false(takes_late(&s, 1, 1, 1, 900));
    assert_false(takes(&s, CLASH_EVENT_RELEASE, 1, 2, 1));
    subscription_finish(&s);
}

/* Of two thresholds one is enough: fast enough at the start, or fast enough at some time. */
static void with_both_thresholds(void **state)
{
    subscription s = asked(2, 5, 0);

    (void)state;
    assert_true(takes(&s, CLASH_EVENT_CLASH, 1, 0, 2.5f));
    assert_false(takes_late(&s, 1, 1, 2.5f, 9));
    assert_true(takes(&s, CLASH_EVENT_RELEASE, 1, 2, 2.5f));
    assert_false(takes(&s, CLASH_EVENT_CLASH, 2, 3, 1));
    assert_false(takes_late(&s, 2, 4, 1, 3));
    assert_true(takes_late(&s, 2, 5, 1, 6));
    subscription_finish(&s);
    s = asked(5, 2, 0); /* the other way round: at the start the lower one is passed already */
    assert_true(takes(&s, CLASH_EVENT_CLASH, 1, 0, 3));
    assert_false(takes_late(&s, 1, 1, 3, 9));
    subscription_finish(&s);
}

/* A contact that began too soon is left out as a whole, however hard it is struck; one that was told late counts like any. */
static void apart_and_late(void **state)
{
    subscription s = asked(0, 5, 50);

    (void)state;
    assert_true(takes_contact(&s, 1, 0, 10, 6));
    assert_false(takes(&s, CLASH_EVENT_CLASH, 2, 20, 1));
    assert_false(takes_late(&s, 2, 100, 1, 9));
    assert_false(takes(&s, CLASH_EVENT_HOLD, 2, 110, 1));
    assert_false(takes(&s, CLASH_EVENT_RELEASE, 2, 120, 1));
    assert_false(takes(&s, CLASH_EVENT_CLASH, 3, 121, 1));
    assert_true(takes_late(&s, 3, 122, 1, 9));
    assert_true(takes(&s, CLASH_EVENT_RELEASE, 3, 123, 1));
    assert_false(takes_contact(&s, 4, 130, 140, 9));
    assert_true(takes_contact(&s, 5, 173, 174, 9));
    subscription_finish(&s);
}

/* It subscribed in the middle of a contact. */
static void what_began_before(void **state)
{
    subscription s = asked(0, 5, 50);

    (void)state;
    assert_true(takes(&s, CLASH_EVENT_HOLD, 1, 0, 6));
    assert_false(takes_late(&s, 1, 1, 6, 9)); /* told, to whoever was there */
    assert_true(takes(&s, CLASH_EVENT_RELEASE, 1, 2, 6));
    assert_false(takes_contact(&s, 2, 3, 4, 6));
    subscription_finish(&s);
    s = asked(0, 5, 50);
    assert_false(takes(&s, CLASH_EVENT_HOLD, 1, 0, 1));
    assert_true(takes_late(&s, 1, 1, 1, 9));
    assert_true(takes(&s, CLASH_EVENT_RELEASE, 1, 2, 1));
    subscription_finish(&s);
}

/* Who wants releases only has them of the same contacts. */
static void what_is_not_asked_for_is_taken_note_of(void **state)
{
    subscription s = asked(0, 5, 50);

    (void)state;
    s.wanted.events = PROTOCOL_EVENT_RELEASE;
    assert_false(takes(&s, CLASH_EVENT_CLASH, 1, 0, 1));
    assert_false(takes_late(&s, 1, 1, 1, 9));
    assert_true(takes(&s, CLASH_EVENT_RELEASE, 1, 2, 1));
    assert_false(takes(&s, CLASH_EVENT_CLASH, 2, 3, 9));
    assert_false(takes(&s, CLASH_EVENT_RELEASE, 2, 4, 9));
    snprintf(s.wanted.blades[s.wanted.blade_count++], PROTOCOL_NAME_MAX, "npc");
    assert_false(takes(&s, CLASH_EVENT_CLASH, 3, 100, 1));
    assert_false(takes_late(&s, 3, 101, 1, 9));
    assert_false(takes(&s, CLASH_EVENT_RELEASE, 3, 102, 1));
    subscription_finish(&s);
}

/** Pairs i = 0, 1, .. have each a contact of 1 ms at i ms, which is told. */
static void let_them_part(subscription *s, int count, int64_t from_ms)
{
    for (int i = 0; i < count; i++) {
        char name[32];
        clash_event clash, release;

        snprintf(name, sizeof name, "npc %d", i);
        clash = contact(CLASH_EVENT_CLASH, (uint64_t)i + 1, from_ms + i, 9, name, "right");
        release = contact(CLASH_EVENT_RELEASE, (uint64_t)i + 1, from_ms + i + 1, 9, name, "right");
        assert_true(subscription_wants_event(s, &clash) && subscription_wants_event(s, &release));
    }
}

static bool takes_npc(subscription *s, int i, int64_t ms)
{
    char name[32];
    clash_event clash;

    snprintf(name, sizeof name, "npc %d", i);
    clash = contact(CLASH_EVENT_CLASH, 1000000, ms, 9, name, "right");
    return subscription_wants_event(s, &clash);
}

static void memory_is_bounded(void **state)
{
    subscription s = asked(0, 5, 60000);

    (void)state;
    let_them_part(&s, SUBSCRIPTION_PAIRS_MAX + 100, 0);
    assert_int_equal(s.pairs.count, SUBSCRIPTION_PAIRS_MAX);
    for (int i = 0; i < SUBSCRIPTION_PAIRS_MAX + 100; i++) /* the first hundred are forgotten, and so are told */
        assert_int_equal(takes_npc(&s, i, 1200), i < 100);
    subscription_finish(&s);
    s = asked(0, 5, 20);
    let_them_part(&s, 5000, 0); /* whose time is over makes room */
    assert_in_range(s.pairs.count, 20, 32);
    subscription_finish(&s);
    s = asked(0, 5, 0);
    let_them_part(&s, 5000, 0);
    assert_int_equal(s.pairs.count, 0);
    subscription_finish(&s);
}

/* Whose contact is open is not forgotten for one that has parted. */
static void an_open_one_goes_last(void **state)
{
    subscription s = asked(0, 5, 60000);

    (void)state;
    assert_false(takes(&s, CLASH_EVENT_CLASH, 7, 0, 1));
    assert_true(takes_late(&s, 7, 1, 1, 9));
    let_them_part(&s, 3 * SUBSCRIPTION_PAIRS_MAX, 2);
    assert_false(takes_late(&s, 7, 9000, 1, 10));
    assert_true(takes(&s, CLASH_EVENT_RELEASE, 7, 9001, 1));
    subscription_finish(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whoever_had_just_parted_is_left_out),
        cmocka_unit_test(what_was_not_told_does_not_count),
        cmocka_unit_test(pairs_are_told_apart_by_their_names),
        cmocka_unit_test(who_becomes_fast_is_told_once),
        cmocka_unit_test(with_both_thresholds),
        cmocka_unit_test(apart_and_late),
        cmocka_unit_test(what_began_before),
        cmocka_unit_test(what_is_not_asked_for_is_taken_note_of),
        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(an_open_one_goes_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
