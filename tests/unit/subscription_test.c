/* What one client is told: events by kind, blade and speed, poses by rate. */
#include "support/line_client.h"

#include "server/subscription.h"

static const clash_blade blades[] = {{.name = "left"}, {.name = "right"}, {.name = "npc/1"}};
static const protocol_session session = {.blades = blades, .blade_count = 3};

static void set(subscription *s, uint32_t events, const char *blade, float speed, float rate)
{
    protocol_subscribe wanted = {.events = events, .min_closing_speed = speed, .pose_rate_hz = rate};
    protocol_error error;

    if (blade)
        snprintf(wanted.blades[wanted.blade_count++], PROTOCOL_NAME_MAX, "%s", blade);
    assert_int_equal(subscription_set(s, &wanted, &session, &error), 0);
}

static clash_event contact(clash_event_kind kind, const char *a, const char *b, float speed)
{
    clash_event event = {.kind = kind, .blades = {a, b}, .start_closing_speed = speed};

    if (kind == CLASH_EVENT_CLASH)
        event.as.clash.closing_speed = speed;
    if (kind == CLASH_EVENT_HOLD)
        event.as.clash.closing_speed = -speed; /* its own speed decides nothing */
    return event;
}

static bool wants(subscription *s, clash_event_kind kind, const char *a, const char *b, float speed)
{
    clash_event event = contact(kind, a, b, speed);

    return subscription_wants_event(s, &event);
}

static void nothing_is_wanted_at_first(void **state)
{
    subscription s = {0};

    (void)state;
    for (int kind = CLASH_EVENT_CLASH; kind <= CLASH_EVENT_SPACE_CHANGED; kind++)
        assert_false(wants(&s, (clash_event_kind)kind, "left", "right", 5.0f));
    assert_false(subscription_take_poses(&s, 0, 1));
}

static void each_kind_has_its_bit(void **state)
{
    (void)state;
    for (int wanted = CLASH_EVENT_CLASH; wanted <= CLASH_EVENT_SPACE_CHANGED; wanted++)
        for (int kind = CLASH_EVENT_CLASH; kind <= CLASH_EVENT_SPACE_CHANGED; kind++) {
            subscription s = {0};
            set(&s, 1u << wanted, NULL, 0.0f, 0.0f); /* the bits are in the order of the kinds */
            assert_int_equal(wants(&s, (clash_event_kind)kind, "left", "right", 1.0f), kind == wanted);
        }
}

static void either_blade_of_a_contact_will_do(void **state)
{
    subscription s = {0};

    (void)state;
    set(&s, PROTOCOL_EVENTS_DEFAULT, "right", 0.0f, 0.0f);
    assert_true(wants(&s, CLASH_EVENT_CLASH, "left", "right", 1.0f));
    assert_true(wants(&s, CLASH_EVENT_RELEASE, "right", "npc/1", 1.0f));
    assert_false(wants(&s, CLASH_EVENT_CLASH, "left", "npc/1", 1.0f));
    assert_true(wants(&s, CLASH_EVENT_TRACKING, NULL, NULL, 0.0f)); /* of no contact */
    assert_true(wants(&s, CLASH_EVENT_SPACE_CHANGED, NULL, NULL, 0.0f));
}

/* A client that hears of a clash hears of its end, and of no other. */
static void how_a_contact_began_decides_for_all_of_it(void **state)
{
    subscription s = {0};
    const clash_event_kind kinds[] = {CLASH_EVENT_CLASH, CLASH_EVENT_HOLD, CLASH_EVENT_RELEASE};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        set(&s, PROTOCOL_EVENTS_DEFAULT, NULL, 2.0f, 0.0f);
        assert_false(wants(&s, kinds[i], "left", "right", 1.9f));
        assert_true(wants(&s, kinds[i], "left", "right", 2.0f));
        assert_false(wants(&s, kinds[i], "left", "right", -3.0f));
        set(&s, PROTOCOL_EVENTS_DEFAULT, NULL, 0.0f, 0.0f);
        assert_true(wants(&s, kinds[i], "left", "right", -3.0f)); /* no limit leaves nothing out */
    }
}

static void an_unknown_blade_changes_nothing(void **state)
{
    subscription s = {0};
    protocol_subscribe wanted = {.events = PROTOCOL_EVENT_HOLD, .blade_count = 2, .blades = {"left", "lefty"}};
    protocol_error error = {0};

    (void)state;
    set(&s, PROTOCOL_EVENT_CLASH, NULL, 0.0f, 0.0f);
    assert_int_equal(subscription_set(&s, &wanted, &session, &error), -1);
    assert_int_equal(error.code, PROTOCOL_ERROR_UNKNOWN_NAME);
    assert_string_equal(error.message, "blades: there is no blade \"lefty\"; there are \"left\", \"right\", \"npc/1\"");
    assert_int_equal(s.wanted.events, PROTOCOL_EVENT_CLASH);
}

static void a_long_list_of_blades_is_cut_short(void **state)
{
    static char names[100][32];
    static clash_blade many[100];
    const protocol_session crowd = {.blades = many, .blade_count = 100};
    protocol_subscribe wanted = {.events = PROTOCOL_EVENT_HOLD, .blade_count = 1};
    subscription s = {0};
    protocol_error error = {0};

    (void)state;
    for (int i = 0; i < 100; i++) {
        snprintf(names[i], sizeof names[i], "blade-number-%d", i);
        many[i].name = names[i];
    }
    memset(wanted.blades[0], 'x', PROTOCOL_NAME_MAX - 1);
    assert_int_equal(subscription_set(&s, &wanted, &crowd, &error), -1);
    assert_in_range(strlen(error.message), sizeof error.message - 40, sizeof error.message - 1);
    assert_string_equal(error.message + strlen(error.message) - 6, "\", ...");
}

/* How many of `count` frames, `step_ns` apart, a client of this rate gets. */
static int taken(float rate, int64_t start_ns, int64_t step_ns, int count)
{
    subscription s = {0};
    int n = 0;

    set(&s, PROTOCOL_EVENT_POSES, NULL, 0.0f, rate);
    for (int i = 0; i < count; i++)
        n += subscription_take_poses(&s, 0, start_ns + i * step_ns);
    return n;
}

static void poses_keep_to_the_rate(void **state)
{
    (void)state;
    assert_int_equal(taken(0.0f, 0, 1000000, 1000), 1000);
    assert_int_equal(taken(1000.0f, 0, 1000000, 1000), 1000);
    assert_in_range(taken(90.0f, 123456789, 2000000, 500), 89, 91); /* no divisor of 500 Hz */
    assert_in_range(taken(30.0f, 5, 11111111, 900), 299, 302);
    assert_int_equal(taken(1000.0f, 0, 11111111, 90), 90); /* no faster than they come */
    assert_int_equal(taken(1e-30f, 0, 1000000, 1000), 1);
}

static void all_frames_of_one_time_go_together(void **state)
{
    subscription s = {0};

    (void)state;
    set(&s, PROTOCOL_EVENT_POSES, NULL, 0.0f, 10.0f);
    for (int i = 0; i < 3; i++)
        assert_true(subscription_take_poses(&s, 0, 5));
    for (int i = 0; i < 3; i++)
        assert_false(subscription_take_poses(&s, 0, 6));
}

static void a_clock_that_goes_back_starts_anew(void **state)
{
    subscription s = {0};

    (void)state;
    set(&s, PROTOCOL_EVENT_POSES, NULL, 0.0f, 10.0f);
    assert_true(subscription_take_poses(&s, 0, 1000000000));
    assert_true(subscription_take_poses(&s, 0, 0));
    assert_false(subscription_take_poses(&s, 0, 50000000));
    assert_true(subscription_take_poses(&s, 0, 100000000));
    assert_true(subscription_take_poses(&s, 0, 900000000)); /* after a pause: no burst to make up for it */
    assert_false(subscription_take_poses(&s, 0, 950000000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_wanted_at_first),
        cmocka_unit_test(each_kind_has_its_bit),
        cmocka_unit_test(either_blade_of_a_contact_will_do),
        cmocka_unit_test(how_a_contact_began_decides_for_all_of_it),
        cmocka_unit_test(an_unknown_blade_changes_nothing),
        cmocka_unit_test(a_long_list_of_blades_is_cut_short),
        cmocka_unit_test(poses_keep_to_the_rate),
        cmocka_unit_test(all_frames_of_one_time_go_together),
        cmocka_unit_test(a_clock_that_goes_back_starts_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
