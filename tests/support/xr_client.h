/* A small headless OpenXR program for tests, on the stand-in runtime through the real loader. The steps of its start
 * can be taken one by one, to look at errors, or all at once with xr_client_start. Every helper that cannot fail
 * asserts. */
#ifndef CLASHD_TESTS_XR_CLIENT_H
#define CLASHD_TESTS_XR_CLIENT_H

#define XR_USE_TIMESPEC
#include <time.h>

#include <openxr/openxr.h>
#include <openxr/openxr_platform.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/temporary.h"

#define XR_CLIENT_VALID (XR_SPACE_LOCATION_POSITION_VALID_BIT | XR_SPACE_LOCATION_ORIENTATION_VALID_BIT)
#define XR_CLIENT_TRACKED (XR_SPACE_LOCATION_POSITION_TRACKED_BIT | XR_SPACE_LOCATION_ORIENTATION_TRACKED_BIT)
#define XR_CLIENT_MS 1000000LL
#define XR_CLIENT_TIMEOUT_S 180
#define XR_CLIENT_INDEX "/interaction_profiles/valve/index_controller"
#define XR_CLIENT_IDENTITY ((XrPosef){{0, 0, 0, 1}, {0, 0, 0}})

/* Loader 1.0.20 leaks 1.3 kB with every instance (valgrind shows it for a program that does nothing else). Leaks of the
 * runtime itself are tested without the loader, in runtime_direct_test.c. */
__attribute__((used, visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libopenxr_loader\n";
}

#define assert_xr(call) assert_int_equal(call, XR_SUCCESS)

enum { XR_CLIENT_LEFT, XR_CLIENT_RIGHT };

typedef struct xr_client {
    XrInstance instance;
    XrSystemId system;
    XrSession session;
    XrActionSet set;
    XrAction grip, haptic;
    XrPath hands[2];
    XrSpace grips[2], stage, local, view;
    XrSessionState state;
    XrTime begin;                    /* from which the recording plays: the time of the SYNCHRONIZED event */
    XrTime changes[8];               /* of the reference spaces, as announced */
    XrPosef origins[8];              /* in the previous space */
    XrReferenceSpaceType changed[8]; /* which one */
    int change_count, profile_changes;
    PFN_xrConvertTimespecTimeToTimeKHR to_time;
    PFN_xrConvertTimeToTimespecTimeKHR to_timespec;
} xr_client;

/** Set the environment for the next instance; NULL: unset. The faults' clock starts again, even for the same faults. */
static inline void xr_client_environment(const char *recording, const char *faults)
{
    static int times;
    char text[2048];

    setenv("XR_RUNTIME_JSON", TEST_BUILD "/daemon/runtime/clash_runtime.json", 1);
    setenv("XR_LOADER_DEBUG", "none", 1); /* refusals are intended here, and the loader prints much about each */
    const char *others[] = {"SPEED",    "LOOP",  "SCRIPT",      "PROFILE", "LOG",
                            "TIMESPEC", "EPOCH", "EVENT_TIMES", "NOISE",   "FRAMES_HZ"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        snprintf(text, sizeof text, "CLASH_RUNTIME_%s", others[i]);
        unsetenv(text);
    }
    if (recording)
        setenv("CLASH_RUNTIME_RECORDING", recording, 1);
    else
        unsetenv("CLASH_RUNTIME_RECORDING");
    snprintf(text, sizeof text, "%s%*s", faults ? faults : "", ++times, ""); /* blanks make it a different text */
    setenv("CLASH_RUNTIME_FAULTS", text, 1);
}

/** Write a recording with these lines to a file whose name is the caller's to unlink and free. */
static inline char *xr_client_recording(const char *space, const char *lines)
{
    char *path = strdup("/tmp/clashd-recording-" TEMPORARY);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    assert_non_null(file);
    fprintf(file, "{\"type\":\"recording\",\"version\":1,\"space\":\"%s\"}\n%s", space, lines);
    fclose(file);
    return path;
}

/* There can be one at a time; a failed test must not leave it to the next one. */
static XrInstance xr_client_open;

static inline int xr_client_clean(void **state)
{
    (void)state;
    if (xr_client_open != XR_NULL_HANDLE)
        xrDestroyInstance(xr_client_open);
    xr_client_open = XR_NULL_HANDLE;
    return 0;
}

#define XR_CLIENT_TEST(function) cmocka_unit_test_teardown(function, xr_client_clean)

static inline XrResult xr_client_create_instance(XrInstance *out_instance)
{
    const char *extensions[] = {XR_MND_HEADLESS_EXTENSION_NAME, XR_KHR_CONVERT_TIMESPEC_TIME_EXTENSION_NAME};
    XrInstanceCreateInfo info = {.type = XR_TYPE_INSTANCE_CREATE_INFO,
                                 .applicationInfo = {.applicationName = "test", .apiVersion = XR_MAKE_VERSION(1, 0, 0)},
                                 .enabledExtensionCount = 2,
                                 .enabledExtensionNames = extensions};
    XrResult result = xrCreateInstance(&info, out_instance);
    if (result == XR_SUCCESS)
        xr_client_open = *out_instance;
    return result;
}

static inline XrResult xr_client_get_system(xr_client *c)
{
    XrSystemGetInfo info = {.type = XR_TYPE_SYSTEM_GET_INFO, .formFactor = XR_FORM_FACTOR_HEAD_MOUNTED_DISPLAY};
    return xrGetSystem(c->instance, &info, &c->system);
}

static inline XrResult xr_client_create_session(xr_client *c)
{
    XrSessionCreateInfo info = {.type = XR_TYPE_SESSION_CREATE_INFO, .systemId = c->system};
    return xrCreateSession(c->instance, &info, &c->session);
}

static inline XrPath xr_client_path(const xr_client *c, const char *string)
{
    XrPath path = XR_NULL_PATH;
    assert_xr(xrStringToPath(c->instance, string, &path));
    return path;
}

static inline XrResult xr_client_create_action(xr_client *c, const char *name, XrActionType type, XrAction *out_action)
{
    XrActionCreateInfo info = {
        .type = XR_TYPE_ACTION_CREATE_INFO, .actionType = type, .countSubactionPaths = 2, .subactionPaths = c->hands};
    snprintf(info.actionName, sizeof info.actionName, "%s", name);
    snprintf(info.localizedActionName, sizeof info.localizedActionName, "%s", name);
    return xrCreateAction(c->set, &info, out_action);
}

static inline void xr_client_create_actions(xr_client *c)
{
    c->hands[0] = xr_client_path(c, "/user/hand/left");
    c->hands[1] = xr_client_path(c, "/user/hand/right");
    XrActionSetCreateInfo info = {
        .type = XR_TYPE_ACTION_SET_CREATE_INFO, .actionSetName = "test", .localizedActionSetName = "Test"};
    assert_xr(xrCreateActionSet(c->instance, &info, &c->set));
    assert_xr(xr_client_create_action(c, "grip", XR_ACTION_TYPE_POSE_INPUT, &c->grip));
    assert_xr(xr_client_create_action(c, "haptic", XR_ACTION_TYPE_VIBRATION_OUTPUT, &c->haptic));
}

static inline XrResult xr_client_suggest(const xr_client *c, const char *profile)
{
    XrActionSuggestedBinding bindings[] = {
        {c->grip, xr_client_path(c, "/user/hand/left/input/grip/pose")},
        {c->grip, xr_client_path(c, "/user/hand/right/input/grip/pose")},
        {c->haptic, xr_client_path(c, "/user/hand/left/output/haptic")},
        {c->haptic, xr_client_path(c, "/user/hand/right/output/haptic")},
    };
    XrInteractionProfileSuggestedBinding info = {.type = XR_TYPE_INTERACTION_PROFILE_SUGGESTED_BINDING,
                                                 .interactionProfile = xr_client_path(c, profile),
                                                 .countSuggestedBindings = 4,
                                                 .suggestedBindings = bindings};
    return xrSuggestInteractionProfileBindings(c->instance, &info);
}

static inline XrResult xr_client_attach(const xr_client *c)
{
    XrSessionActionSetsAttachInfo info = {
        .type = XR_TYPE_SESSION_ACTION_SETS_ATTACH_INFO, .countActionSets = 1, .actionSets = &c->set};
    return xrAttachSessionActionSets(c->session, &info);
}

static inline XrSpace xr_client_reference(const xr_client *c, XrReferenceSpaceType type, XrPosef offset)
{
    XrReferenceSpaceCreateInfo info = {
        .type = XR_TYPE_REFERENCE_SPACE_CREATE_INFO, .referenceSpaceType = type, .poseInReferenceSpace = offset};
    XrSpace space = XR_NULL_HANDLE;
    assert_xr(xrCreateReferenceSpace(c->session, &info, &space));
    return space;
}

static inline void xr_client_create_spaces(xr_client *c)
{
    for (int i = 0; i < 2; i++) {
        XrActionSpaceCreateInfo info = {.type = XR_TYPE_ACTION_SPACE_CREATE_INFO,
                                        .action = c->grip,
                                        .subactionPath = c->hands[i],
                                        .poseInActionSpace = XR_CLIENT_IDENTITY};
        assert_xr(xrCreateActionSpace(c->session, &info, &c->grips[i]));
    }
    c->stage = xr_client_reference(c, XR_REFERENCE_SPACE_TYPE_STAGE, XR_CLIENT_IDENTITY);
    c->local = xr_client_reference(c, XR_REFERENCE_SPACE_TYPE_LOCAL, XR_CLIENT_IDENTITY);
    c->view = xr_client_reference(c, XR_REFERENCE_SPACE_TYPE_VIEW, XR_CLIENT_IDENTITY);
}

static inline XrResult xr_client_begin(const xr_client *c)
{
    XrSessionBeginInfo info = {.type = XR_TYPE_SESSION_BEGIN_INFO};
    return xrBeginSession(c->session, &info);
}

static inline void xr_client_take_event(xr_client *c, const XrEventDataBuffer *event)
{
    if (event->type == XR_TYPE_EVENT_DATA_SESSION_STATE_CHANGED) {
        const XrEventDataSessionStateChanged *changed = (const XrEventDataSessionStateChanged *)event;
        c->state = changed->state;
        if (changed->state == XR_SESSION_STATE_SYNCHRONIZED && c->begin == 0)
            c->begin = changed->time;
    } else if (event->type == XR_TYPE_EVENT_DATA_REFERENCE_SPACE_CHANGE_PENDING && c->change_count < 8) {
        const XrEventDataReferenceSpaceChangePending *pending = (const XrEventDataReferenceSpaceChangePending *)event;
        assert_int_equal(pending->poseValid, XR_TRUE);
        c->changed[c->change_count] = pending->referenceSpaceType;
        c->origins[c->change_count] = pending->poseInPreviousSpace;
        c->changes[c->change_count++] = pending->changeTime;
    } else if (event->type == XR_TYPE_EVENT_DATA_INTERACTION_PROFILE_CHANGED) {
        c->profile_changes++;
    }
}

/** Take all events. Return the last result: XR_EVENT_UNAVAILABLE, or an error. */
static inline XrResult xr_client_poll(xr_client *c)
{
    for (;;) {
        XrEventDataBuffer event = {.type = XR_TYPE_EVENT_DATA_BUFFER};
        XrResult result = xrPollEvent(c->instance, &event);
        if (result != XR_SUCCESS)
            return result;
        xr_client_take_event(c, &event);
    }
}

static inline XrResult xr_client_sync(const xr_client *c)
{
    XrActiveActionSet active = {.actionSet = c->set};
    XrActionsSyncInfo info = {
        .type = XR_TYPE_ACTIONS_SYNC_INFO, .countActiveActionSets = 1, .activeActionSets = &active};
    return xrSyncActions(c->session, &info);
}

/** Go from the instance to FOCUSED and sync once. Zero-initialises `c`. */
static inline void xr_client_start(xr_client *c)
{
    *c = (xr_client){0};
    assert_xr(xr_client_create_instance(&c->instance));
    assert_xr(xrGetInstanceProcAddr(c->instance, "xrConvertTimespecTimeToTimeKHR", (PFN_xrVoidFunction *)&c->to_time));
    assert_xr(
        xrGetInstanceProcAddr(c->instance, "xrConvertTimeToTimespecTimeKHR", (PFN_xrVoidFunction *)&c->to_timespec));
    assert_xr(xr_client_get_system(c));
    assert_xr(xr_client_create_session(c));
    xr_client_create_actions(c);
    assert_xr(xr_client_suggest(c, XR_CLIENT_INDEX));
    assert_xr(xr_client_attach(c));
    xr_client_create_spaces(c);
    assert_int_equal(xr_client_poll(c), XR_EVENT_UNAVAILABLE);
    assert_int_equal(c->state, XR_SESSION_STATE_READY);
    assert_xr(xr_client_begin(c));
    assert_int_equal(xr_client_poll(c), XR_EVENT_UNAVAILABLE);
    assert_int_equal(c->state, XR_SESSION_STATE_FOCUSED);
    assert_xr(xr_client_sync(c));
}

static inline void xr_client_stop(xr_client *c)
{
    assert_xr(xrDestroyInstance(c->instance));
    c->instance = xr_client_open = XR_NULL_HANDLE;
}

static inline XrSpaceLocation xr_client_locate_in(XrSpace space, XrSpace base, XrTime time)
{
    XrSpaceLocation location = {.type = XR_TYPE_SPACE_LOCATION};
    assert_xr(xrLocateSpace(space, base, time, &location));
    return location;
}

/** Return a grip in STAGE, `after_ns` after the recording began to play. */
static inline XrSpaceLocation xr_client_locate(const xr_client *c, int hand, int64_t after_ns)
{
    return xr_client_locate_in(c->grips[hand], c->stage, c->begin + after_ns);
}

static inline bool xr_client_is_active(const xr_client *c, int hand)
{
    XrActionStateGetInfo info = {
        .type = XR_TYPE_ACTION_STATE_GET_INFO, .action = c->grip, .subactionPath = c->hands[hand]};
    XrActionStatePose state = {.type = XR_TYPE_ACTION_STATE_POSE};
    assert_xr(xrGetActionStatePose(c->session, &info, &state));
    return state.isActive;
}

/** XrTime now. */
static inline XrTime xr_client_now(const xr_client *c)
{
    struct timespec now;
    XrTime time = 0;
    clock_gettime(CLOCK_MONOTONIC, &now);
    assert_xr(c->to_time(c->instance, &now, &time));
    return time;
}

static inline void xr_client_nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 2 * XR_CLIENT_MS}, NULL);
}

/** Poll until the state comes; fail the test if it does not. */
static inline void xr_client_await_state(xr_client *c, XrSessionState state)
{
    for (int i = 0; c->state != state; i++) {
        assert_true(i < XR_CLIENT_TIMEOUT_S * 500);
        assert_int_equal(xr_client_poll(c), XR_EVENT_UNAVAILABLE);
        xr_client_nap();
    }
}

static inline void assert_near(double a, double b, double tolerance)
{
    if (!(a - b <= tolerance && b - a <= tolerance))
        fail_msg("%.9g is not within %.3g of %.9g", a, tolerance, b);
}

static inline void assert_pose_near(XrPosef pose, XrPosef expected, double tolerance)
{
    assert_near(pose.position.x, expected.position.x, tolerance);
    assert_near(pose.position.y, expected.position.y, tolerance);
    assert_near(pose.position.z, expected.position.z, tolerance);
    const XrQuaternionf *p = &pose.orientation, *e = &expected.orientation;
    float sign = p->x * e->x + p->y * e->y + p->z * e->z + p->w * e->w < 0 ? -1 : 1; /* q and -q are one rotation */
    assert_near(p->x, sign * e->x, tolerance);
    assert_near(p->y, sign * e->y, tolerance);
    assert_near(p->z, sign * e->z, tolerance);
    assert_near(p->w, sign * e->w, tolerance);
}

#endif
