/* The stand-in runtime's faults: each does what daemon/runtime/README.md says, when it says, once. */
#include "support/xr_client.h"
#include <pthread.h>

#define GOOD (XR_CLIENT_VALID | XR_CLIENT_TRACKED)

static XrSpaceLocationFlags flags_at(const xr_client *c, int hand, int64_t after_ms)
{
    return xr_client_locate(c, hand, after_ms * XR_CLIENT_MS).locationFlags;
}

static void tracking_is_lost_and_comes_back(void **state)
{
    (void)state;
    xr_client c;
    xr_client_environment(NULL, "lost@1s+500ms, lost@2s+0.25s:left");
    xr_client_start(&c);
    const struct {
        int64_t after_ms;
        bool left, right;
    } expected[] = {{999, true, true},   {1000, false, false}, {1499, false, false}, {1500, true, true},
                    {2000, false, true}, {2249, false, true},  {2250, true, true}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_int_equal(flags_at(&c, 0, expected[i].after_ms), expected[i].left ? GOOD : 0);
        assert_int_equal(flags_at(&c, 1, expected[i].after_ms), expected[i].right ? GOOD : 0);
    }
    xr_client_stop(&c);
}

static void untracked_repeats_the_last_pose(void **state)
{
    (void)state;
    xr_client c;
    xr_client_environment(NULL, "untracked@1s+1s:right");
    xr_client_start(&c);
    XrSpaceLocation last = xr_client_locate(&c, 1, 999999999);
    for (int64_t after_ms = 1000; after_ms < 2000; after_ms += 37) {
        XrSpaceLocation at = xr_client_locate(&c, 1, after_ms * XR_CLIENT_MS);
        assert_int_equal(at.locationFlags, XR_CLIENT_VALID);
        assert_pose_near(at.pose, last.pose, 1e-6);
        assert_int_equal(flags_at(&c, 0, after_ms), GOOD);
    }
    assert_int_equal(flags_at(&c, 1, 2000), GOOD);
    xr_client_stop(&c);
}

/* Syncs until the hand is active or not, as wanted. */
static void await_active(xr_client *c, int hand, bool active)
{
    for (int i = 0; xr_client_is_active(c, hand) != active; i++) {
        assert_true(i < XR_CLIENT_TIMEOUT_S * 500);
        assert_true(XR_SUCCEEDED(xr_client_sync(c)));
        xr_client_nap();
    }
}

static void a_controller_goes_off_and_on(void **state)
{
    (void)state;
    xr_client c;
    xr_client_environment(NULL, "inactive@100ms+200ms:left");
    xr_client_start(&c);
    await_active(&c, 0, false);
    assert_true(xr_client_now(&c) >= c.begin + 100 * XR_CLIENT_MS);
    XrSpaceLocation at = xr_client_locate(&c, 0, 0);
    assert_int_equal(at.locationFlags, 0);
    assert_near(at.pose.orientation.w, 0, 0);
    assert_true(xr_client_is_active(&c, 1));
    await_active(&c, 0, true);
    assert_true(xr_client_now(&c) >= c.begin + 300 * XR_CLIENT_MS);
    xr_client_stop(&c);
}

static void the_focus_goes_and_comes(void **state)
{
    (void)state;
    xr_client c;
    xr_client_environment(NULL, "unfocused@100ms+200ms");
    xr_client_start(&c);
    xr_client_await_state(&c, XR_SESSION_STATE_VISIBLE);
    assert_int_equal(xr_client_sync(&c), XR_SESSION_NOT_FOCUSED);
    assert_false(xr_client_is_active(&c, 0));
    XrHapticActionInfo info = {.type = XR_TYPE_HAPTIC_ACTION_INFO, .action = c.haptic};
    XrHapticVibration pulse = {.type = XR_TYPE_HAPTIC_VIBRATION, .duration = XR_MIN_HAPTIC_DURATION};
    assert_int_equal(xrApplyHapticFeedback(c.session, &info, (const XrHapticBaseHeader *)&pulse),
                     XR_SESSION_NOT_FOCUSED);
    xr_client_await_state(&c, XR_SESSION_STATE_FOCUSED);
    assert_xr(xr_client_sync(&c));
    assert_true(xr_client_is_active(&c, 0));
    xr_client_stop(&c);
}

static void recentring_is_announced_and_moves_both_spaces(void **state)
{
    (void)state;
    xr_client c;
    xr_client_environment(NULL, "recentre@300ms:0.5/0/-2:90deg,recentre@600ms:1/0.25/0");
    xr_client_start(&c);
    for (int i = 0; c.change_count < 4; i++) {
        assert_true(i < XR_CLIENT_TIMEOUT_S * 500);
        assert_int_equal(xr_client_poll(&c), XR_EVENT_UNAVAILABLE);
        if (c.change_count < 2)
            assert_int_equal(flags_at(&c, 0, 0), GOOD);
        xr_client_nap();
    }
    assert_int_equal(c.changed[0] + c.changed[1], XR_REFERENCE_SPACE_TYPE_LOCAL + XR_REFERENCE_SPACE_TYPE_STAGE);
    assert_int_equal(c.changes[0], c.begin + 300 * XR_CLIENT_MS);
    assert_int_equal(c.changes[1], c.changes[0]);
    assert_int_equal(c.changes[2], c.begin + 600 * XR_CLIENT_MS);
    XrPosef first = {{0, 0.70710678f, 0, 0.70710678f}, {0.5f, 0, -2}};
    assert_pose_near(c.origins[0], first, 1e-6);
    /* The head stays where it is; the spaces move under it. */
    XrTime change = c.changes[0];
    assert_pose_near(xr_client_locate_in(c.view, c.stage, change - 1).pose, (XrPosef){{0, 0, 0, 1}, {0, 1.6f, 0}},
                     1e-6);
    XrPosef turned = {{0, -0.70710678f, 0, 0.70710678f}, {-2, 1.6f, -0.5f}};
    assert_pose_near(xr_client_locate_in(c.view, c.stage, change).pose, turned, 1e-6);
    turned.position.y = 0;
    assert_pose_near(xr_client_locate_in(c.view, c.local, change).pose, turned, 1e-6);
    turned.position = (XrVector3f){-3, -0.25f, -0.5f}; /* the second counts from the first */
    assert_pose_near(xr_client_locate_in(c.view, c.local, c.changes[2]).pose, turned, 1e-6);
    xr_client_stop(&c);
}

static void another_controller_is_picked_up(void **state)
{
    (void)state;
    const char *simple = "/interaction_profiles/khr/simple_controller";
    char text[XR_MAX_PATH_LENGTH];
    uint32_t length;
    xr_client c = {0};
    xr_client_environment(NULL, "profile@100ms:/interaction_profiles/khr/simple_controller");
    assert_xr(xr_client_create_instance(&c.instance));
    assert_xr(xr_client_get_system(&c));
    assert_xr(xr_client_create_session(&c));
    xr_client_create_actions(&c);
    assert_xr(xr_client_suggest(&c, simple));
    assert_xr(xr_client_suggest(&c, XR_CLIENT_INDEX));
    assert_xr(xr_client_attach(&c));
    assert_xr(xr_client_begin(&c));
    XrInteractionProfileState profile = {.type = XR_TYPE_INTERACTION_PROFILE_STATE};
    assert_xr(xrGetCurrentInteractionProfile(c.session, c.hands[0], &profile));
    assert_int_equal(profile.interactionProfile, XR_NULL_PATH); /* nothing synced yet */
    for (int i = 0; c.profile_changes < 2; i++) {
        assert_true(i < XR_CLIENT_TIMEOUT_S * 500);
        assert_xr(xr_client_sync(&c));
        assert_int_equal(xr_client_poll(&c), XR_EVENT_UNAVAILABLE);
        assert_xr(xrGetCurrentInteractionProfile(c.session, c.hands[0], &profile));
        assert_xr(xrPathToString(c.instance, profile.interactionProfile, sizeof text, &length, text));
        assert_string_equal(text, c.profile_changes < 2 ? XR_CLIENT_INDEX : simple);
        assert_true(xr_client_is_active(&c, 0));
        xr_client_nap();
    }
    xr_client_stop(&c);
}

static int64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* No call that comes in during the stall returns before its end. The one that was held also ends the loop. */
static void a_stall_holds_every_call(void **state)
{
    (void)state;
    xr_client c;
    struct timespec begin;
    xr_client_environment(NULL, "stall@50ms+1s");
    xr_client_start(&c);
    assert_xr(c.to_timespec(c.instance, c.begin, &begin));
    const int64_t stall_ns = (int64_t)begin.tv_sec * 1000000000 + begin.tv_nsec + 50 * XR_CLIENT_MS;
    const int64_t end_ns = stall_ns + 1000 * XR_CLIENT_MS;
    int64_t before_ns, after_ns;
    do {
        before_ns = monotonic_ns();
        assert_int_equal(xr_client_poll(&c), XR_EVENT_UNAVAILABLE);
        after_ns = monotonic_ns();
        assert_true(before_ns < stall_ns || after_ns >= end_ns);
    } while (after_ns < end_ns);
    assert_true(before_ns < end_ns);
    xr_client_stop(&c);
}

static void the_user_ends_the_session(void **state)
{
    (void)state;
    xr_client c;
    xr_client_environment(NULL, "exit@50ms");
    xr_client_start(&c);
    xr_client_await_state(&c, XR_SESSION_STATE_STOPPING);
    assert_xr(xrEndSession(c.session));
    xr_client_await_state(&c, XR_SESSION_STATE_EXITING);
    xr_client_stop(&c);
}

static void a_lost_session_can_be_replaced(void **state)
{
    (void)state;
    xr_client c;
    xr_client_environment(NULL, "session_loss@50ms");
    xr_client_start(&c);
    xr_client_await_state(&c, XR_SESSION_STATE_LOSS_PENDING);
    XrSpaceLocation at = {.type = XR_TYPE_SPACE_LOCATION};
    assert_int_equal(xr_client_sync(&c), XR_ERROR_SESSION_LOST);
    assert_int_equal(xrLocateSpace(c.grips[0], c.stage, c.begin, &at), XR_ERROR_SESSION_LOST);
    assert_xr(xrDestroySession(c.session));
    assert_int_equal(xrLocateSpace(c.grips[0], c.stage, c.begin, &at), XR_ERROR_HANDLE_INVALID);
    assert_xr(xr_client_create_session(&c));
    assert_xr(xr_client_attach(&c));
    xr_client_create_spaces(&c);
    xr_client_await_state(&c, XR_SESSION_STATE_READY);
    c.begin = 0;
    assert_xr(xr_client_begin(&c));
    xr_client_await_state(&c, XR_SESSION_STATE_FOCUSED);
    assert_xr(xr_client_sync(&c));
    assert_int_equal(flags_at(&c, 0, 1), GOOD);
    xr_client_stop(&c);
}

static XrResult await_result(xr_client *c, XrResult wanted)
{
    for (int i = 0; i < XR_CLIENT_TIMEOUT_S * 500; i++) {
        XrResult result = xr_client_poll(c);
        if (result == wanted)
            return result;
        xr_client_nap();
    }
    return XR_EVENT_UNAVAILABLE;
}

static void a_lost_instance_is_refused_for_a_while(void **state)
{
    (void)state;
    xr_client c;
    XrSpaceLocation at = {.type = XR_TYPE_SPACE_LOCATION};
    xr_client_environment(NULL, "instance_loss@50ms:3");
    xr_client_start(&c);
    assert_int_equal(await_result(&c, XR_ERROR_INSTANCE_LOST), XR_ERROR_INSTANCE_LOST);
    assert_int_equal(xr_client_sync(&c), XR_ERROR_INSTANCE_LOST);
    assert_int_equal(xrLocateSpace(c.grips[0], c.stage, c.begin, &at), XR_ERROR_INSTANCE_LOST);
    assert_int_equal(xr_client_get_system(&c), XR_ERROR_INSTANCE_LOST);
    assert_xr(xrDestroySpace(c.stage));
    assert_xr(xrDestroySession(c.session));
    xr_client_stop(&c);
    for (int i = 0; i < 3; i++)
        assert_int_equal(xr_client_create_instance(&c.instance), XR_ERROR_RUNTIME_FAILURE);
    xr_client_start(&c); /* and the loss does not come again */
    nanosleep(&(struct timespec){.tv_nsec = 100 * XR_CLIENT_MS}, NULL);
    assert_int_equal(xr_client_poll(&c), XR_EVENT_UNAVAILABLE);
    assert_int_equal(flags_at(&c, 0, 1), GOOD);
    xr_client_stop(&c);
}

static void a_runtime_is_away_for_a_time(void **state)
{
    (void)state;
    xr_client c;
    xr_client_environment(NULL, "instance_loss@20ms+300ms");
    xr_client_start(&c);
    XrTime back = c.begin + 320 * XR_CLIENT_MS;
    assert_int_equal(await_result(&c, XR_ERROR_INSTANCE_LOST), XR_ERROR_INSTANCE_LOST);
    xr_client_stop(&c);
    XrResult result;
    do {
        xr_client_nap();
        result = xr_client_create_instance(&c.instance);
        assert_true(result == XR_SUCCESS || result == XR_ERROR_RUNTIME_FAILURE);
    } while (result != XR_SUCCESS);
    assert_xr(xrGetInstanceProcAddr(c.instance, "xrConvertTimespecTimeToTimeKHR", (PFN_xrVoidFunction *)&c.to_time));
    assert_true(xr_client_now(&c) >= back);
    xr_client_stop(&c);
}

static void creation_and_headset_are_refused_as_often_as_asked(void **state)
{
    (void)state;
    xr_client c = {0};
    xr_client_environment(NULL, "refuse:2,no_headset:3");
    for (int i = 0; i < 2; i++)
        assert_int_equal(xr_client_create_instance(&c.instance), XR_ERROR_RUNTIME_FAILURE);
    assert_xr(xr_client_create_instance(&c.instance));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(xr_client_get_system(&c), XR_ERROR_FORM_FACTOR_UNAVAILABLE);
        assert_int_equal(xr_client_create_session(&c), XR_ERROR_SYSTEM_INVALID);
    }
    assert_xr(xr_client_get_system(&c));
    assert_xr(xr_client_create_session(&c));
    xr_client_stop(&c);
}

typedef struct worker {
    xr_client *c;
    int rounds;
} worker;

static void *work(void *context)
{
    worker *w = context;
    for (int i = 0; i < 3000; i++) {
        XrSpaceLocation at = {.type = XR_TYPE_SPACE_LOCATION};
        XrPath path;
        bool good = XR_SUCCEEDED(xr_client_sync(w->c)) &&
                    XR_SUCCEEDED(xrLocateSpace(w->c->grips[i % 2], w->c->stage, w->c->begin + i, &at)) &&
                    XR_SUCCEEDED(xrStringToPath(w->c->instance, i % 2 ? "/user/head" : "/user/gamepad", &path));
        w->rounds += good;
    }
    return NULL;
}

static void many_threads_may_call_at_once(void **state)
{
    (void)state;
    xr_client c;
    pthread_t threads[4];
    worker workers[4];
    xr_client_environment(NULL, "stall@2ms+20ms,unfocused@30ms+5ms");
    xr_client_start(&c);
    for (int i = 0; i < 4; i++) {
        workers[i] = (worker){&c, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(workers[i].rounds, 3000);
    }
    xr_client_stop(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        XR_CLIENT_TEST(tracking_is_lost_and_comes_back),
        XR_CLIENT_TEST(untracked_repeats_the_last_pose),
        XR_CLIENT_TEST(a_controller_goes_off_and_on),
        XR_CLIENT_TEST(the_focus_goes_and_comes),
        XR_CLIENT_TEST(recentring_is_announced_and_moves_both_spaces),
        XR_CLIENT_TEST(another_controller_is_picked_up),
        XR_CLIENT_TEST(a_stall_holds_every_call),
        XR_CLIENT_TEST(the_user_ends_the_session),
        XR_CLIENT_TEST(a_lost_session_can_be_replaced),
        XR_CLIENT_TEST(a_lost_instance_is_refused_for_a_while),
        XR_CLIENT_TEST(a_runtime_is_away_for_a_time),
        XR_CLIENT_TEST(creation_and_headset_are_refused_as_often_as_asked),
        XR_CLIENT_TEST(many_threads_may_call_at_once),
    };
    return cmocka_run_group_tests_name("runtime_faults", tests, NULL, NULL);
}
