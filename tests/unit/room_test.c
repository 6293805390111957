/* A room of several players without a network: what is shared, taken in, refused; lost, doubled and swapped messages; players that restart, change
 * blades, lie. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sources/peer/room_guard.h"
#include "sources/peer/room_ids.h"

#include "support/room_pair.h"

static void samples_are_placed_on_the_other_clock(void **state)
{
    machine a, b;
    int64_t now_ns = meet(&a, &b);

    (void)state;
    for (int i = 0; i < 20; i++, now_ns += 11 * MS) {
        share(&b, now_ns, (float)i);
        exchange(&a, &b, now_ns);
    }
    assert_int_equal(a.taken_count, 20);
    for (size_t i = 0; i < 20; i++) {
        assert_string_equal(a.taken[i].device, "peer/ben/hand/right");
        assert_float_equal(a.taken[i].x, (float)i, 0.0f);
        assert_in_range(a.taken[i].time_ns + MS - (now_ns - (20 - (int64_t)i) * 11 * MS), 0, 2 * MS);
    }
    assert_string_equal(a.defined[0], "ben/saber");
    machine_close(&a, now_ns);
    machine_close(&b, now_ns);
}

/* The sessions' times are 50 s apart; what is known of the other's clock is told as soon as a sample of it has come. */
static void others_are_listed(void **state)
{
    protocol_status_player listed[2];
    machine a, b;
    int64_t now_ns = meet(&a, &b);

    (void)state;
    assert_int_equal(room_list_players(a.room, now_ns, listed, 0), 0);
    assert_int_equal(room_list_players(a.room, now_ns, listed, 2), 1);
    assert_string_equal(listed[0].player, "ben");
    assert_true(listed[0].is_here && !listed[0].is_muted && !listed[0].is_placed);
    assert_int_equal(listed[0].delay_ns, -1);
    for (int i = 0; i < 20; i++, now_ns += 11 * MS) {
        share(&b, now_ns, (float)i);
        share(&a, now_ns, (float)i);
        now_ns += 3 * MS;
        exchange(&a, &b, now_ns);
    }
    assert_int_equal(room_list_players(a.room, now_ns, listed, 2), 1);
    assert_true(listed[0].is_placed);
    assert_in_range(listed[0].clock_offset_ns + 50 * SECOND + listed[0].clock_error_ns, 0,
                    2 * listed[0].clock_error_ns);
    assert_in_range(listed[0].clock_drift_ppb + 1000000, 0, 2000000);
    assert_in_range(listed[0].delay_ns, 2 * MS, 4 * MS);
    assert_int_equal(listed[0].samples, 20);
    assert_int_equal(listed[0].lost, 0);
    assert_true(listed[0].repeated > 0);
    assert_int_equal(room_list_players(b.room, now_ns - b.epoch_ns, listed, 2), 1);
    assert_in_range(listed[0].clock_offset_ns - 50 * SECOND + listed[0].clock_error_ns, 0,
                    2 * listed[0].clock_error_ns);
    room_online(a.room, "ben", false, now_ns);
    if (room_list_players(a.room, now_ns, listed, 2) > 0)
        assert_false(listed[0].is_here);
    machine_close(&a, now_ns);
    machine_close(&b, now_ns);
}

/** Three of four messages are lost, those that come come twice and in the wrong order: nothing is missing, nothing comes twice. */
static void lost_doubled_and_swapped_messages_lose_nothing(void **state)
{
    machine a, b;
    int64_t now_ns = meet(&a, &b);

    (void)state;
    for (int i = 0; i < 80; i++, now_ns += 11 * MS) {
        share(&b, now_ns, (float)i);
        if (i % 8 == 7) { /* of eight messages the last and the fourth, in this order, twice */
            const size_t last = b.mail_count - 1;

            assert_int_equal(b.mail_count, 8);
            pass(&b, &b.mail[last - 4], &a, now_ns);
            pass(&b, &b.mail[last], &a, now_ns);
            pass(&b, &b.mail[last - 4], &a, now_ns);
            pass(&b, &b.mail[last], &a, now_ns);
            b.mail_count = 0;
        }
    }
    assert_int_equal(a.taken_count, 80);
    for (size_t i = 0; i < 80; i++)
        assert_float_equal(a.taken[i].x, (float)i, 0.0f);
    machine_close(&a, now_ns);
    machine_close(&b, now_ns);
}

/** A message that overtakes more of them than its own repeats wait for: what it left behind is no loss if it comes soon after. */
static void messages_overtake_others_by_more_than_they_repeat(void **state)
{
    static const size_t order[] = {0, 9, 3, 5, 7};
    machine a, b;
    int64_t now_ns = meet(&a, &b);
    const uint64_t lost = counter(&a, now_ns, "room_lost");

    (void)state;
    for (int i = 0; i < 10; i++, now_ns += 11 * MS)
        share(&b, now_ns, (float)i);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        pass(&b, &b.mail[order[i]], &a, now_ns + (int64_t)i * MS);
    assert_int_equal(a.taken_count, 10);
    for (size_t i = 0; i < 10; i++)
        assert_float_equal(a.taken[i].x, (float)i, 0.0f);
    assert_int_equal(counter(&a, now_ns, "room_lost"), lost);
    machine_close(&a, now_ns);
    machine_close(&b, now_ns);
}

/** What never comes is waited for no longer than ROOM_GAP_NS, even if nothing else comes. */
static void what_is_lost_holds_the_rest_up_for_a_moment(void **state)
{
    machine a, b;
    int64_t now_ns = meet(&a, &b);
    const uint64_t lost = counter(&a, now_ns, "room_lost");

    (void)state;
    for (int i = 0; i < 10; i++, now_ns += 11 * MS)
        share(&b, now_ns, (float)i);
    pass(&b, &b.mail[0], &a, now_ns);
    pass(&b, &b.mail[9], &a, now_ns); /* with 6, 7, 8 and 9 in it */
    room_tick(a.room, now_ns + 49 * MS - a.epoch_ns);
    assert_int_equal(a.taken_count, 1);
    room_tick(a.room, now_ns + 51 * MS - a.epoch_ns);
    assert_int_equal(a.taken_count, 5);
    assert_float_equal(a.taken[4].x, 9.0f, 0.0f);
    assert_int_equal(counter(&a, now_ns, "room_lost"), lost + 5);
    machine_close(&a, now_ns);
    machine_close(&b, now_ns);
}

/** Blades change with the sample that goes with them, even if the message that says so comes later. */
static void blades_wait_for_their_samples(void **state)
{
    machine a, b;
    int64_t now_ns = meet(&a, &b);
    letter late;

    (void)state;
    share(&b, now_ns, 0.0f);
    exchange(&a, &b, now_ns);
    now_ns += 20 * MS;
    b.blades[0] = blade_named("axe", "/user/hand/right");
    room_on_blades(b.room);
    assert_int_equal(b.mail[0].kind, ROOM_MESSAGE_PEER);
    late = b.mail[0];
    b.mail_count = 0;
    share(&b, now_ns, 1.0f);
    exchange(&a, &b, now_ns);
    assert_int_equal(a.taken_count, 1); /* it waits */
    pass(&b, &late, &a, now_ns + 40 * MS);
    assert_int_equal(a.taken_count, 2);
    assert_string_equal(a.defined[1], "-ben/saber");
    assert_string_equal(a.defined[2], "ben/axe");
    machine_close(&a, now_ns);
    machine_close(&b, now_ns);
}

static void a_restarted_player_begins_anew(void **state)
{
    machine a, b, again;
    int64_t now_ns = meet(&a, &b);

    (void)state;
    share(&b, now_ns, 0.0f);
    exchange(&a, &b, now_ns);
    machine_open(&again, "ben", "cccc", 70 * SECOND, now_ns, 0);
    room_online(again.room, "anna", true, now_ns - again.epoch_ns);
    room_move(a.room, &(clash_pose){.orientation = {.w = 1.0f}},
              now_ns - a.epoch_ns); /* what was retained comes again */
    for (int i = 0; i < 40; i++, now_ns += 50 * MS) {
        room_tick(a.room, now_ns - a.epoch_ns);
        room_tick(again.room, now_ns - again.epoch_ns);
        exchange(&a, &again, now_ns);
    }
    assert_int_equal(a.gone, 1);
    share(&again, now_ns, 5.0f);
    exchange(&a, &again, now_ns);
    assert_int_equal(a.taken_count, 2);
    assert_float_equal(a.taken[1].x, 5.0f, 0.0f);
    room_online(a.room, "ben", false, now_ns - a.epoch_ns);
    assert_int_equal(a.gone, 2);
    machine_close(&a, now_ns);
    machine_close(&b, now_ns);
    machine_close(&again, now_ns);
}

/** anna's clock was the room's: when she leaves, the room's time goes on by ben's. */
static void the_room_s_time_goes_on_without_its_clock(void **state)
{
    machine a, b;
    int64_t now_ns = meet(&a, &b), before, after;

    (void)state;
    before = room_map_forward(&room_clock_of(b.room)->map, now_ns - b.epoch_ns);
    room_online(b.room, "anna", false, now_ns - b.epoch_ns);
    for (int i = 0; i < 100; i++, now_ns += 50 * MS)
        room_tick(b.room, now_ns - b.epoch_ns);
    after = room_map_forward(&room_clock_of(b.room)->map, now_ns - b.epoch_ns);
    assert_true(room_clock_of(b.room)->is_reference);
    assert_string_equal(room_clock_of(b.room)->id, "aaaa");
    assert_in_range(after - before + MS - 5 * SECOND, 0, 2 * MS);
    machine_close(&a, now_ns);
    machine_close(&b, now_ns);
}

static void a_player_that_falls_silent_is_lost(void **state)
{
    machine a, b;
    int64_t now_ns = meet(&a, &b);

    (void)state;
    share(&b, now_ns, 0.0f);
    exchange(&a, &b, now_ns);
    for (int i = 0; i < 20; i++, now_ns += 50 * MS)
        room_tick(a.room, now_ns - a.epoch_ns);
    assert_int_equal(a.lost, 1);
    machine_close(&a, now_ns);
    machine_close(&b, now_ns);
}

/** Whatever it is, it is refused by itself; who goes on is not listened to. */
static void lies_are_refused_and_liars_muted(void **state)
{
    static const char *const lies[] = {
        "",
        "{}",
        "nonsense",
        "{\"type\":\"samples\"}",
        "{\"type\":\"samples\",\"session\":\"bbbb\",\"version\":2,\"clock\":\"aaaa\",\"error_ns\":0,\"knots\":[[0,0],["
        "1000000000,9000000000]],"
        "\"devices\":[\"d\"],\"first\":0,\"samples\":[]}",
        "{\"type\":\"samples\",\"session\":\"bbbb\",\"version\":2,\"clock\":\"aaaa\",\"error_ns\":0,\"knots\":[[0,0],["
        "1000000000,1000000000]],"
        "\"devices\":[\"d\"],\"first\":0,\"samples\":[[1,0,5]]}",
        "{\"type\":\"samples\",\"session\":\"bbbb\",\"version\":2,\"clock\":\"aaaa\",\"error_ns\":0,\"knots\":[[0,0],["
        "1000000000,1000000000]],"
        "\"devices\":[\"d\"],\"first\":0,\"samples\":[[0,1,5,1e300,0,0,0,0,0]]}",
        "{\"type\":\"samples\",\"session\":\"bbbb\",\"version\":2,\"clock\":\"aaaa\",\"error_ns\":0,\"knots\":[["
        "900000000000,900000000000],"
        "[901000000000,901000000000]],\"devices\":[\"d\"],\"first\":0,\"samples\":[[0,0,900500000000]]}",
    };
    machine a, b;
    int64_t now_ns = meet(&a, &b);
    const size_t count = sizeof lies / sizeof lies[0];

    (void)state;
    for (size_t i = 1; i < count; i++)
        room_take(a.room, "ben", ROOM_MESSAGE_SAMPLES, lies[i], strlen(lies[i]), now_ns - a.epoch_ns);
    assert_int_equal(counter(&a, now_ns, "room_refused"), count - 1);
    assert_int_equal(counter(&a, now_ns, "room_muted"), 0);
    share(&b, now_ns, 0.0f); /* what is right is taken all the same */
    exchange(&a, &b, now_ns);
    assert_int_equal(a.taken_count, 1);
    for (size_t i = 0; i < ROOM_REFUSALS_MAX; i++)
        room_take(a.room, "ben", ROOM_MESSAGE_SAMPLES, lies[2], strlen(lies[2]), now_ns - a.epoch_ns);
    assert_int_equal(counter(&a, now_ns, "room_muted"), 1);
    assert_int_equal(a.gone, 1);
    now_ns += 20 * MS;
    share(&b, now_ns, 1.0f);
    exchange(&a, &b, now_ns);
    assert_int_equal(a.taken_count, 1); /* nobody listens.. */
    for (int i = 0; i < 240; i++, now_ns += 50 * MS) {
        room_tick(a.room, now_ns - a.epoch_ns);
        room_tick(b.room, now_ns - b.epoch_ns);
        exchange(&a, &b, now_ns);
    }
    share(&b, now_ns, 2.0f);
    exchange(&a, &b, now_ns);
    assert_float_equal(a.taken[a.taken_count - 1].x, 2.0f, 0.0f); /* ..for a while */
    machine_close(&a, now_ns);
    machine_close(&b, now_ns);
}

/** A machine that has slept makes a map anew: nothing of before counts, and not a sample is lost. */
static void other_knots_begin_anew(void **state)
{
    machine a, b;
    int64_t now_ns = meet(&a, &b);

    (void)state;
    share(&b, now_ns, 0.0f);
    exchange(&a, &b, now_ns);
    b.epoch_ns += 3 * SECOND; /* its clock stood still for so long */
    now_ns += 3 * SECOND;
    for (int i = 0; i < 100; i++, now_ns += 50 * MS) {
        room_tick(a.room, now_ns - a.epoch_ns);
        room_tick(b.room, now_ns - b.epoch_ns);
        exchange(&a, &b, now_ns);
    }
    a.taken_count = 0;
    for (int i = 0; i < 5; i++, now_ns += 20 * MS) {
        share(&b, now_ns, 10.0f + (float)i);
        exchange(&a, &b, now_ns);
    }
    assert_true(a.gone >= 1);
    assert_int_equal(a.taken_count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_float_equal(a.taken[i].x, 10.0f + (float)i, 0.0f);
    assert_in_range(a.taken[4].time_ns + MS - (now_ns - 20 * MS), 0, 2 * MS);
    machine_close(&a, now_ns);
    machine_close(&b, now_ns);
}

static void the_guard_counts_messages_and_bytes(void **state)
{
    room_guard g = {0};
    size_t taken_now = 0;

    (void)state;
    for (int i = 0; i < 1000; i++)
        taken_now += room_guard_take(&g, 100, 0);
    assert_int_equal(taken_now, ROOM_MESSAGES_HZ);
    assert_false(room_guard_take(&g, 100, MS));
    assert_true(room_guard_take(&g, 100, SECOND));
    assert_false(room_guard_take(&g, ROOM_BYTES_HZ + 1, 5 * SECOND));
    for (int i = 1; i < ROOM_REFUSALS_MAX; i++)
        assert_false(room_guard_refuse(&g, 5 * SECOND));
    assert_true(room_guard_refuse(&g, 5 * SECOND));
    assert_true(room_guard_is_muted(&g, 5 * SECOND + ROOM_MUTE_NS - 1));
    assert_true(room_guard_take(&g, 100, 5 * SECOND + ROOM_MUTE_NS));
}

static void ids_are_the_pair_s_and_the_time_s(void **state)
{
    const char *const pair[2] = {"anna/saber", "ben/saber"}, *const turned[2] = {"ben/saber", "anna/saber"};
    const char *const other[2] = {"anna/saber", "ben/axe"};
    room_ids a = {0}, b = {0};
    const int64_t id = room_ids_find(&a, pair, 1, SECOND + 5, true);
    int64_t again, third;

    (void)state;
    assert_true(id > 0 && id < INT64_C(1) << 53);
    assert_int_equal(room_ids_find(&b, turned, 7, SECOND + 9, true), id); /* 4 ns later there */
    assert_int_equal(room_ids_find(&a, pair, 1, SECOND + 5, false), id);  /* its release */
    assert_int_not_equal(room_ids_find(&a, other, 2, SECOND + 5, true), id);
    again = room_ids_find(&a, pair, 3, SECOND + 5 * MS, true); /* they touch again within the step */
    assert_int_not_equal(again, id);
    assert_int_equal(room_ids_find(&b, turned, 8, SECOND + 5 * MS + 3, true), again);
    third = room_ids_find(&a, pair, 4, SECOND + 9 * MS, true); /* and again */
    assert_true(third != id && third != again);
    assert_int_equal(room_ids_find(&b, turned, 9, SECOND + 9 * MS + 3, true), third);
    /* It is held until the knots of its start are gone, or the room's time is another one. */
    assert_int_equal(room_ids_find(&a, pair, 4, SECOND + 9 * MS - 33000, false), third);
    assert_int_equal(room_ids_find(&a, pair, 4, 5 * SECOND, false), third);
    /* The room's time began anew, with less on its clock. */
    assert_int_equal(room_ids_find(&a, pair, 5, 5, true), room_ids_find(&b, turned, 10, 9, true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_placed_on_the_other_clock),
        cmocka_unit_test(others_are_listed),
        cmocka_unit_test(lost_doubled_and_swapped_messages_lose_nothing),
        cmocka_unit_test(messages_overtake_others_by_more_than_they_repeat),
        cmocka_unit_test(what_is_lost_holds_the_rest_up_for_a_moment),
        cmocka_unit_test(blades_wait_for_their_samples),
        cmocka_unit_test(a_restarted_player_begins_anew),
        cmocka_unit_test(the_room_s_time_goes_on_without_its_clock),
        cmocka_unit_test(a_player_that_falls_silent_is_lost),
        cmocka_unit_test(lies_are_refused_and_liars_muted),
        cmocka_unit_test(other_knots_begin_anew),
        cmocka_unit_test(the_guard_counts_messages_and_bytes),
        cmocka_unit_test(ids_are_the_pair_s_and_the_time_s),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
