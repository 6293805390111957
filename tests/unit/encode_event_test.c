/* What clashd says of a contact, of tracking and of space, word for word; its own schemas accept it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka's header wants these before it. */
#include <cmocka.h>
#include <string.h>

#include "protocol/messages/codec.h"
#include "protocol/messages/names.h"
#include "support/encoded_line.h"
#include "support/sample_events.h"

static void a_clash_is_told(void **state)
{
    clash_event event = sample_clash(3, 4.5f);

    (void)state;
    assert_string_equal(
        event_line(&event),
        "{\"type\":\"clash\",\"seq\":3,\"time_ns\":3000000,\"id\":3,\"blades\":[\"left\",\"right\"],"
        "\"midpoint\":[0.100000001,1.20000005,-0.5],\"distance\":0.0199999996,"
        "\"points\":[[0.0900000036,1.20000005,-0.5],[0.109999999,1.20000005,-0.5]],\"normal\":[1,0,0],"
        "\"along\":[0.5,0.600000024],\"velocities\":[[4.5,0,0],[0,0,0]],\"closing_speed\":4.5,"
        "\"slide_speed\":0.300000012,\"crossing_angle\":1.5,\"intensity\":0.200000003,\"fraction\":0.25,"
        "\"interval_ns\":11000000,\"tracked\":true}");
}

static void a_clash_says_how_long_they_were_apart(void **state)
{
    clash_event event = sample_clash(3, 4.5f);

    (void)state;
    event.as.clash.has_since_release = true;
    assert_non_null(strstr(event_line(&event), ",\"interval_ns\":11000000,\"since_release_ns\":0,\"tracked\":"));
    event.as.clash.since_release_ns = INT64_C(9007199254740991);
    assert_non_null(strstr(event_line(&event), ",\"since_release_ns\":9007199254740991,\"tracked\":"));
    assert_null(strstr(event_line(&event), "late"));
    event.as.clash.late = true;
    assert_non_null(strstr(event_line(&event), ",\"since_release_ns\":9007199254740991,\"late\":true,\"tracked\":"));
    event.kind = CLASH_EVENT_HOLD;
    assert_null(strstr(event_line(&event), "since_release_ns"));
    assert_null(strstr(event_line(&event), "late"));
}

/* Those of CLASH_EVENT_FIELDS, in clashes and holds. */
static void what_else_a_clash_has_is_told_unless_it_says_nothing(void **state)
{
    (void)state;
#define IS_TOLD(type, member, none)                                       \
    {                                                                     \
        clash_event event = sample_clash(3, 4.5f);                        \
                                                                          \
        sample_fill_fields(&event.as.clash);                              \
        assert_non_null(strstr(event_line(&event), ",\"" #member "\":")); \
        event.kind = CLASH_EVENT_HOLD;                                    \
        assert_non_null(strstr(event_line(&event), ",\"" #member "\":")); \
        event.as.clash.member = (none);                                   \
        assert_null(strstr(event_line(&event), #member));                 \
    }
    CLASH_EVENT_FIELDS(IS_TOLD)
#undef IS_TOLD
}

static void a_clash_of_parts_names_them(void **state)
{
    clash_event event = sample_clash(3, 4.5f);
    const char *text;

    (void)state;
    event.as.clash.parts[1] = "gu\"ard";
    text = event_line(&event);
    assert_non_null(strstr(text, ",\"blades\":[\"left\",\"right\"],\"parts\":[null,\"gu\\\"ard\"],\"midpoint\":"));
    event.kind = CLASH_EVENT_HOLD;
    event.as.clash.parts[0] = "tip";
    assert_non_null(strstr(event_line(&event), ",\"parts\":[\"tip\",\"gu\\\"ard\"],\"duration_ns\":"));
}

static void a_hold_is_a_clash_that_lasts(void **state)
{
    clash_event event = sample_clash(4, -1.0f);
    const char *text;

    (void)state;
    event.kind = CLASH_EVENT_HOLD;
    event.duration_ns = INT64_C(33333333);
    text = event_line(&event);
    assert_ptr_equal(strstr(text, "{\"type\":\"hold\",\"seq\":4,\"time_ns\":4000000,\"id\":4,"
                                  "\"blades\":[\"left\",\"right\"],\"duration_ns\":33333333,\"midpoint\":["),
                     text);
    assert_non_null(strstr(text, "\"closing_speed\":-1,"));
}

static void edges_are_told_where_there_are_some(void **state)
{
    clash_event event = sample_clash(1, 1.0f);

    (void)state;
    assert_null(strstr(event_line(&event), "edge_alignment"));
    event.as.clash.has_edge[0] = true;
    event.as.clash.edge_alignment[0] = -0.25f;
    event.as.clash.edge_alignment[1] = 0.75f;
    assert_non_null(strstr(event_line(&event), ",\"edge_alignment\":[-0.25,null],\"intensity\""));
    event.as.clash.has_edge[1] = true;
    assert_non_null(strstr(event_line(&event), ",\"edge_alignment\":[-0.25,0.75],"));
    event.as.clash.has_edge[0] = false;
    assert_non_null(strstr(event_line(&event), ",\"edge_alignment\":[null,0.75],"));
}

static void a_target_is_named_with_the_surface_that_is_struck(void **state)
{
    clash_event event = sample_target_clash(3, 4.5f), release = sample_release(4, 3, 4.5f);
    const char *text;

    (void)state;
    text = event_line(&event);
    assert_non_null(strstr(text, ",\"blades\":[\"left\",\"shield\"],\"target\":\"shield\",\"midpoint\":"));
    assert_non_null(
        strstr(text, ",\"normal\":[1,0,0],\"surface_normal\":[-1,0,0.5],\"triangle\":17,\"along\":[0.5,0]"));
    event.kind = CLASH_EVENT_HOLD;
    event.as.clash.triangle = 0;
    text = event_line(&event);
    assert_non_null(strstr(text, ",\"target\":\"shield\",\"duration_ns\":"));
    assert_non_null(strstr(text, ",\"triangle\":0,"));
    event.as.clash.triangle = CLASH_NO_TRIANGLE;
    assert_null(strstr(event_line(&event), "triangle"));
    release.has_target = true;
    assert_non_null(
        strstr(event_line(&release), ",\"blades\":[\"left\",\"right\"],\"target\":\"right\",\"duration_ns\":"));
    event = sample_clash(5, 1.0f); /* between two blades nothing of it is told, whatever stands there */
    event.as.clash.triangle = 17;
    assert_null(strstr(event_line(&event), "target"));
    assert_null(strstr(line, "triangle"));
    assert_null(strstr(line, "surface_normal"));
}

static void a_release_is_told(void **state)
{
    static const char *const reasons[] = {"apart", "track_cut", "removed"};
    clash_event event = sample_release(5, 2, 1.5f);
    char expected[300];

    (void)state;
    for (int reason = CLASH_RELEASE_APART; reason <= CLASH_RELEASE_REMOVED; reason++) {
        event.as.release.reason = (clash_release_reason)reason;
        snprintf(expected, sizeof expected,
                 "{\"type\":\"release\",\"seq\":5,\"time_ns\":5000000,\"id\":2,\"blades\":[\"left\",\"right\"],"
                 "\"duration_ns\":1000000,\"min_distance\":0.00999999978,\"peak_closing_speed\":1.5,\"reason\":\"%s\"}",
                 reasons[reason]);
        assert_string_equal(event_line(&event), expected);
    }
}

static void tracking_and_space_are_told(void **state)
{
    static const char *const reasons[] = {"ok",           "untracked",       "lost",
                                          "inactive",     "no_runtime",      "no_headset",
                                          "runtime_lost", "runtime_stalled", "source_ended"};
    clash_event event = sample_tracking(6, false);
    char expected[200];

    (void)state;
    for (int reason = CLASH_TRACKING_OK; reason <= CLASH_TRACKING_SOURCE_ENDED; reason++) {
        clash_tracking_reason found = CLASH_TRACKING_OK;

        event.as.tracking.reason = (clash_tracking_reason)reason;
        snprintf(expected, sizeof expected,
                 "{\"type\":\"tracking\",\"seq\":6,\"time_ns\":6000000,\"device\":\"/user/hand/left\","
                 "\"tracked\":false,\"reason\":\"%s\"}",
                 reasons[reason]);
        assert_string_equal(event_line(&event), expected);
        assert_true(names_find_tracking_reason(reasons[reason], &found));
        assert_int_equal(found, reason);
    }
    event = (clash_event){.kind = CLASH_EVENT_SPACE_CHANGED, .seq = 7, .time_ns = SAMPLE_EPOCH_NS - 8};
    assert_string_equal(event_line(&event), "{\"type\":\"space_changed\",\"seq\":7,\"time_ns\":-8}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clash_is_told),
        cmocka_unit_test(a_clash_says_how_long_they_were_apart),
        cmocka_unit_test(what_else_a_clash_has_is_told_unless_it_says_nothing),
        cmocka_unit_test(a_clash_of_parts_names_them),
        cmocka_unit_test(a_hold_is_a_clash_that_lasts),
        cmocka_unit_test(edges_are_told_where_there_are_some),
        cmocka_unit_test(a_target_is_named_with_the_surface_that_is_struck),
        cmocka_unit_test(a_release_is_told),
        cmocka_unit_test(tracking_and_space_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
