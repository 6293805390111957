/* The events that are kept for clients that come back. */
#include "server/history.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/sample_events.h"

/* The first from that number on. */
static const clash_event *find(const history *h, uint64_t seq)
{
    return history_at(h, history_index(h, seq));
}

static void add(history *h, clash_event event)
{
    history_add(h, &event);
}

static void nothing_is_found_in_nothing(void **state)
{
    history h = {0};

    (void)state;
    assert_null(find(&h, 0));
    history_finish(&h);
}

static void an_event_is_found_by_its_number_or_the_next(void **state)
{
    history h = {0};

    (void)state;
    for (uint64_t seq = 1; seq <= 20; seq++)
        if (seq != 7)
            add(&h, sample_clash(seq, 1.0f));
    for (uint64_t seq = 0; seq <= 20; seq++)
        assert_int_equal(find(&h, seq)->seq, seq == 0 ? 1 : seq == 7 ? 8 : seq);
    assert_null(find(&h, 21));
    history_finish(&h);
}

/* The strings of an event are the caller's, and change after the call. */
static void names_are_kept(void **state)
{
    history h = {0};
    char left[64], right[64], device[POSE_DEVICE_NAME_MAX], parts[2][CLASH_PART_NAME_MAX];
    clash_event clash = sample_clash(1, 1.0f), tracking = sample_tracking(2, true);

    (void)state;
    memset(left, 'l', sizeof left), memset(right, 'r', sizeof right), memset(device, 'd', sizeof device);
    left[63] = right[63] = device[POSE_DEVICE_NAME_MAX - 1] = '\0';
    clash.blades[0] = left, clash.blades[1] = right;
    tracking.as.tracking.device = device;
    memset(parts[0], 'p', sizeof parts[0]), memset(parts[1], 'q', sizeof parts[1]);
    parts[0][CLASH_PART_NAME_MAX - 1] = parts[1][CLASH_PART_NAME_MAX - 1] = '\0';
    clash.as.clash.parts[0] = parts[0], clash.as.clash.parts[1] = parts[1];
    add(&h, clash);
    add(&h, tracking);
    add(&h, (clash_event){.kind = CLASH_EVENT_SPACE_CHANGED, .seq = 3});
    clash.seq = 4, clash.kind = CLASH_EVENT_HOLD, clash.as.clash.parts[0] = NULL;
    add(&h, clash);
    left[0] = right[0] = device[0] = parts[0][0] = parts[1][0] = 'x';
    assert_int_equal(strspn(find(&h, 1)->blades[0], "l"), 63);
    assert_int_equal(strspn(find(&h, 1)->blades[1], "r"), 63);
    assert_int_equal(strspn(find(&h, 2)->as.tracking.device, "d"), POSE_DEVICE_NAME_MAX - 1);
    assert_int_equal(strspn(find(&h, 1)->as.clash.parts[0], "p"), CLASH_PART_NAME_MAX - 1);
    assert_int_equal(strspn(find(&h, 1)->as.clash.parts[1], "q"), CLASH_PART_NAME_MAX - 1);
    assert_null(find(&h, 4)->as.clash.parts[0]);
    assert_int_equal(strspn(find(&h, 4)->as.clash.parts[1], "q"), CLASH_PART_NAME_MAX - 1);
    assert_int_equal(find(&h, 3)->kind, CLASH_EVENT_SPACE_CHANGED);
    history_finish(&h);
}

/* Round and round: the last HISTORY_EVENTS_MAX are there and those before are not. 60 s of 800 a second fit. */
static void the_oldest_go_first(void **state)
{
    history h = {0};
    const uint64_t last = HISTORY_EVENTS_MAX * 2 + 100;

    (void)state;
    assert_true(HISTORY_EVENTS_MAX >= (size_t)60 * 800);
    for (uint64_t seq = 1; seq <= last; seq++) {
        add(&h, sample_clash(seq, 1.0f));
        if (seq % 997 == 0 || seq == last) {
            const uint64_t oldest = seq > HISTORY_EVENTS_MAX ? seq - HISTORY_EVENTS_MAX + 1 : 1;
            assert_int_equal(find(&h, 0)->seq, oldest);
            assert_int_equal(find(&h, seq)->seq, seq);
            assert_int_equal(find(&h, (oldest + seq) / 2)->seq, (oldest + seq) / 2);
            assert_string_equal(find(&h, oldest)->blades[1], "right");
        }
    }
    history_finish(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_found_in_nothing),
        cmocka_unit_test(an_event_is_found_by_its_number_or_the_next),
        cmocka_unit_test(names_are_kept),
        cmocka_unit_test(the_oldest_go_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
