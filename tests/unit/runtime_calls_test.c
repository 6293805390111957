/* The stand-in runtime as a program sees it that makes mistakes: wrong order, stale handles, bad structures, unknown
 * names. Each gets the error that OpenXR says, and none harms the session that goes on beside it. */
#include "support/xr_client.h"

static void creation_checks_what_is_asked_for(void **state)
{
    (void)state;
    XrInstance instance;
    const char *unknown[] = {"XR_EXT_no_such_thing"};
    XrInstanceCreateInfo info = {
        .type = XR_TYPE_INSTANCE_CREATE_INFO,
        .applicationInfo = {.applicationName = "test", .apiVersion = XR_MAKE_VERSION(1, 0, 0)}};
    xr_client_environment(NULL, NULL);
    info.enabledExtensionCount = 1;
    info.enabledExtensionNames = unknown;
    assert_int_equal(xrCreateInstance(&info, &instance), XR_ERROR_EXTENSION_NOT_PRESENT);
    info.enabledExtensionCount = 0;
    info.applicationInfo.apiVersion = XR_MAKE_VERSION(2, 0, 0);
    assert_int_equal(xrCreateInstance(&info, &instance), XR_ERROR_API_VERSION_UNSUPPORTED);
}

static void extensions_are_those_of_a_headless_runtime(void **state)
{
    (void)state;
    XrExtensionProperties properties[16];
    uint32_t count = 0;
    int found = 0;
    xr_client_environment(NULL, NULL);
    assert_xr(xrEnumerateInstanceExtensionProperties(NULL, 0, &count, NULL));
    assert_true(count >= 2 && count <= 16);
    for (uint32_t i = 0; i < count; i++)
        properties[i] = (XrExtensionProperties){.type = XR_TYPE_EXTENSION_PROPERTIES};
    assert_xr(xrEnumerateInstanceExtensionProperties(NULL, count, &count, properties));
    for (uint32_t i = 0; i < count; i++)
        found += !strcmp(properties[i].extensionName, XR_MND_HEADLESS_EXTENSION_NAME) ||
                 !strcmp(properties[i].extensionName, XR_KHR_CONVERT_TIMESPEC_TIME_EXTENSION_NAME);
    assert_int_equal(found, 2);
}

/* Without the extensions there is neither a session without graphics nor a conversion of times. */
static void extensions_must_be_enabled(void **state)
{
    (void)state;
    xr_client c = {0};
    XrInstanceCreateInfo info = {
        .type = XR_TYPE_INSTANCE_CREATE_INFO,
        .applicationInfo = {.applicationName = "test", .apiVersion = XR_MAKE_VERSION(1, 0, 0)}};
    xr_client_environment(NULL, NULL);
    assert_xr(xrCreateInstance(&info, &c.instance));
    xr_client_open = c.instance;
    assert_xr(xr_client_get_system(&c));
    assert_int_equal(xr_client_create_session(&c), XR_ERROR_GRAPHICS_DEVICE_INVALID);
    PFN_xrVoidFunction function;
    assert_int_equal(xrGetInstanceProcAddr(c.instance, "xrConvertTimespecTimeToTimeKHR", &function),
                     XR_ERROR_FUNCTION_UNSUPPORTED);
    xr_client_stop(&c);
}

static void the_session_is_begun_and_ended_in_order(void **state)
{
    (void)state;
    xr_client c = {0};
    xr_client_environment(NULL, NULL);
    assert_xr(xr_client_create_instance(&c.instance));
    c.system = 1;
    assert_int_equal(xr_client_create_session(&c), XR_ERROR_SYSTEM_INVALID); /* not asked for yet */
    assert_xr(xr_client_get_system(&c));
    assert_xr(xr_client_create_session(&c));
    assert_int_equal(xr_client_create_session(&c), XR_ERROR_LIMIT_REACHED);
    assert_int_equal(xrEndSession(c.session), XR_ERROR_SESSION_NOT_RUNNING);
    assert_int_equal(xrRequestExitSession(c.session), XR_ERROR_SESSION_NOT_RUNNING);
    XrFrameBeginInfo frame = {.type = XR_TYPE_FRAME_BEGIN_INFO};
    assert_int_equal(xrBeginFrame(c.session, &frame), XR_ERROR_SESSION_NOT_RUNNING);
    assert_xr(xr_client_begin(&c));
    assert_int_equal(xr_client_begin(&c), XR_ERROR_SESSION_RUNNING);
    assert_int_equal(xrEndSession(c.session), XR_ERROR_SESSION_NOT_STOPPING);
    assert_int_equal(xrBeginFrame(c.session, &frame), XR_ERROR_CALL_ORDER_INVALID);
    assert_xr(xrRequestExitSession(c.session));
    assert_xr(xrEndSession(c.session));
    assert_int_equal(xr_client_begin(&c), XR_ERROR_SESSION_NOT_READY);
    xr_client_stop(&c);
}

static void a_frame_loop_runs_without_graphics(void **state)
{
    (void)state;
    xr_client c;
    XrTime last = 0;
    xr_client_environment(NULL, NULL);
    xr_client_start(&c);
    for (int i = 0; i < 3; i++) {
        XrFrameState frame = {.type = XR_TYPE_FRAME_STATE};
        XrFrameEndInfo end = {.type = XR_TYPE_FRAME_END_INFO, .environmentBlendMode = XR_ENVIRONMENT_BLEND_MODE_OPAQUE};
        assert_xr(xrWaitFrame(c.session, NULL, &frame));
        assert_int_equal(frame.shouldRender, XR_FALSE);
        assert_true(frame.predictedDisplayTime > last);
        assert_xr(xrBeginFrame(c.session, NULL));
        end.displayTime = last = frame.predictedDisplayTime;
        assert_xr(xrEndFrame(c.session, &end));
        assert_int_equal(xrEndFrame(c.session, &end), XR_ERROR_CALL_ORDER_INVALID);
    }
    xr_client_stop(&c);
}

static void paths_must_be_well_formed(void **state)
{
    (void)state;
    xr_client c;
    char text[8];
    uint32_t length;
    xr_client_environment(NULL, NULL);
    xr_client_start(&c);
    const char *bad[] = {"", "/", "user", "/user/", "//user", "/User", "/user/..", "/user/hand left"};
    XrPath path;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(xrStringToPath(c.instance, bad[i], &path), XR_ERROR_PATH_FORMAT_INVALID);
    path = xr_client_path(&c, "/user/head");
    assert_int_equal(path, xr_client_path(&c, "/user/head"));
    assert_int_equal(xrPathToString(c.instance, path, sizeof text, &length, text), XR_ERROR_SIZE_INSUFFICIENT);
    assert_int_equal(length, strlen("/user/head") + 1);
    assert_int_equal(xrPathToString(c.instance, 999999, 0, &length, NULL), XR_ERROR_PATH_INVALID);
    assert_int_equal(xrPathToString(c.instance, XR_NULL_PATH, 0, &length, NULL), XR_ERROR_PATH_INVALID);
    xr_client_stop(&c);
}

static XrResult suggest_one(const xr_client *c, XrPath profile, XrAction action, XrPath binding)
{
    XrActionSuggestedBinding suggestion = {action, binding};
    XrInteractionProfileSuggestedBinding info = {.type = XR_TYPE_INTERACTION_PROFILE_SUGGESTED_BINDING,
                                                 .interactionProfile = profile,
                                                 .countSuggestedBindings = 1,
                                                 .suggestedBindings = &suggestion};
    return xrSuggestInteractionProfileBindings(c->instance, &info);
}

static void bindings_are_held_against_the_profiles(void **state)
{
    (void)state;
    xr_client c = {0};
    xr_client_environment(NULL, NULL);
    assert_xr(xr_client_create_instance(&c.instance));
    xr_client_create_actions(&c);
    const char *index = XR_CLIENT_INDEX, *touch = "/interaction_profiles/oculus/touch_controller";
    const struct {
        const char *profile, *binding;
        XrResult result;
    } cases[] = {
        {index, "/user/hand/left/input/grip/pose", XR_SUCCESS},
        {index, "/user/hand/left/input/grip", XR_SUCCESS}, /* short for the same */
        {index, "/user/hand/left/input/trackpad/force", XR_SUCCESS},
        {touch, "/user/hand/left/input/x/click", XR_SUCCESS},
        {touch, "/user/hand/right/input/x/click", XR_ERROR_PATH_UNSUPPORTED}, /* x is on the left one */
        {index, "/user/hand/left/input/gri", XR_ERROR_PATH_UNSUPPORTED},
        {index, "/user/hand/left", XR_ERROR_PATH_UNSUPPORTED},
        {index, "/user/gamepad/input/a/click", XR_ERROR_PATH_UNSUPPORTED},
        {"/interaction_profiles/microsoft/xbox_controller", "/user/gamepad/input/a/click", XR_SUCCESS},
        {"/interaction_profiles/htc/vive_pro", "/user/head/input/mute_mic/click", XR_SUCCESS},
        {"/interaction_profiles/hp/mixed_reality_controller", "/user/hand/left/input/grip/pose",
         XR_ERROR_PATH_UNSUPPORTED}, /* of an extension */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        XrPath profile = xr_client_path(&c, cases[i].profile), binding = xr_client_path(&c, cases[i].binding);
        if (suggest_one(&c, profile, c.grip, binding) != cases[i].result)
            fail_msg("%s on %s: expected %d", cases[i].binding, cases[i].profile, (int)cases[i].result);
    }
    XrPath profile = xr_client_path(&c, index), binding = xr_client_path(&c, "/user/hand/left/input/grip/pose");
    assert_int_equal(suggest_one(&c, 999999, c.grip, binding), XR_ERROR_PATH_INVALID);
    assert_int_equal(suggest_one(&c, profile, c.grip, 999999), XR_ERROR_PATH_INVALID);
    assert_int_equal(suggest_one(&c, profile, XR_NULL_HANDLE, binding), XR_ERROR_HANDLE_INVALID);
    xr_client_stop(&c);
}

static void actions_are_fixed_once_attached(void **state)
{
    (void)state;
    xr_client c;
    XrAction action;
    xr_client_environment(NULL, NULL);
    xr_client_start(&c);
    assert_int_equal(xr_client_create_action(&c, "late", XR_ACTION_TYPE_POSE_INPUT, &action),
                     XR_ERROR_ACTIONSETS_ALREADY_ATTACHED);
    assert_int_equal(xr_client_attach(&c), XR_ERROR_ACTIONSETS_ALREADY_ATTACHED);
    assert_int_equal(xr_client_suggest(&c, XR_CLIENT_INDEX), XR_ERROR_ACTIONSETS_ALREADY_ATTACHED);
    xr_client_stop(&c);
}

static void names_are_checked(void **state)
{
    (void)state;
    xr_client c = {0};
    XrAction action;
    xr_client_environment(NULL, NULL);
    assert_xr(xr_client_create_instance(&c.instance));
    xr_client_create_actions(&c);
    assert_int_equal(xr_client_create_action(&c, "grip", XR_ACTION_TYPE_POSE_INPUT, &action), XR_ERROR_NAME_DUPLICATED);
    assert_int_equal(xr_client_create_action(&c, "", XR_ACTION_TYPE_POSE_INPUT, &action), XR_ERROR_NAME_INVALID);
    assert_int_equal(xr_client_create_action(&c, "Grip!", XR_ACTION_TYPE_POSE_INPUT, &action),
                     XR_ERROR_PATH_FORMAT_INVALID);
    c.hands[0] = c.hands[1];
    assert_int_equal(xr_client_create_action(&c, "twice", XR_ACTION_TYPE_POSE_INPUT, &action),
                     XR_ERROR_PATH_UNSUPPORTED);
    c.hands[0] = xr_client_path(&c, "/user/foot");
    assert_int_equal(xr_client_create_action(&c, "foot", XR_ACTION_TYPE_POSE_INPUT, &action),
                     XR_ERROR_PATH_UNSUPPORTED);
    xr_client_stop(&c);
}

static void states_are_asked_for_rightly(void **state)
{
    (void)state;
    xr_client c;
    xr_client_environment(NULL, NULL);
    xr_client_start(&c);
    XrActionStateGetInfo info = {.type = XR_TYPE_ACTION_STATE_GET_INFO, .action = c.grip};
    XrActionStatePose pose = {.type = XR_TYPE_ACTION_STATE_POSE};
    XrActionStateBoolean boolean = {.type = XR_TYPE_ACTION_STATE_BOOLEAN};
    assert_int_equal(xrGetActionStateBoolean(c.session, &info, &boolean), XR_ERROR_ACTION_TYPE_MISMATCH);
    info.subactionPath = xr_client_path(&c, "/user/head"); /* not declared */
    assert_int_equal(xrGetActionStatePose(c.session, &info, &pose), XR_ERROR_PATH_UNSUPPORTED);
    info.subactionPath = 999999;
    assert_int_equal(xrGetActionStatePose(c.session, &info, &pose), XR_ERROR_PATH_INVALID);
    info.subactionPath = XR_NULL_PATH;
    pose.type = XR_TYPE_ACTION_STATE_BOOLEAN;
    assert_int_equal(xrGetActionStatePose(c.session, &info, &pose), XR_ERROR_VALIDATION_FAILURE);
    XrHapticActionInfo haptic = {.type = XR_TYPE_HAPTIC_ACTION_INFO, .action = c.haptic};
    XrHapticVibration pulse = {.type = XR_TYPE_HAPTIC_VIBRATION, .duration = XR_MIN_HAPTIC_DURATION, .amplitude = 2};
    assert_int_equal(xrApplyHapticFeedback(c.session, &haptic, (XrHapticBaseHeader *)&pulse),
                     XR_ERROR_VALIDATION_FAILURE);
    haptic.action = c.grip;
    assert_int_equal(xrStopHapticFeedback(c.session, &haptic), XR_ERROR_ACTION_TYPE_MISMATCH);
    xr_client_stop(&c);
}

static void locating_is_checked(void **state)
{
    (void)state;
    xr_client c;
    xr_client_environment(NULL, NULL);
    xr_client_start(&c);
    XrSpaceLocation at = {.type = XR_TYPE_SPACE_LOCATION};
    assert_int_equal(xrLocateSpace(c.grips[0], c.stage, 0, &at), XR_ERROR_TIME_INVALID);
    assert_int_equal(xrLocateSpace(c.grips[0], c.stage, -5, &at), XR_ERROR_TIME_INVALID);
    at.type = XR_TYPE_SPACE_VELOCITY;
    assert_int_equal(xrLocateSpace(c.grips[0], c.stage, c.begin, &at), XR_ERROR_VALIDATION_FAILURE);
    at.type = XR_TYPE_SPACE_LOCATION;
    XrSpaceVelocity velocity = {.type = XR_TYPE_SPACE_VELOCITY, .velocityFlags = ~0ull};
    at.next = &velocity; /* none is claimed */
    assert_xr(xrLocateSpace(c.grips[0], c.stage, c.begin, &at));
    assert_int_equal(velocity.velocityFlags, 0);
    at.next = NULL;
    XrSpace stale = c.grips[1];
    assert_xr(xrDestroySpace(stale));
    assert_int_equal(xrDestroySpace(stale), XR_ERROR_HANDLE_INVALID);
    assert_int_equal(xrLocateSpace(stale, c.stage, c.begin, &at), XR_ERROR_HANDLE_INVALID);
    assert_int_equal(xrLocateSpace(c.grips[0], stale, c.begin, &at), XR_ERROR_HANDLE_INVALID);
    xr_client_reference(&c, XR_REFERENCE_SPACE_TYPE_STAGE, XR_CLIENT_IDENTITY); /* takes the freed place .. */
    assert_int_equal(xrLocateSpace(stale, c.stage, c.begin, &at), XR_ERROR_HANDLE_INVALID); /* .. not its name */
    XrReferenceSpaceCreateInfo info = {.type = XR_TYPE_REFERENCE_SPACE_CREATE_INFO,
                                       .referenceSpaceType = XR_REFERENCE_SPACE_TYPE_STAGE};
    assert_int_equal(xrCreateReferenceSpace(c.session, &info, &stale), XR_ERROR_POSE_INVALID); /* all zero */
    xr_client_stop(&c);
}

static void too_many_events_are_told_as_lost(void **state)
{
    (void)state;
    xr_client c;
    bool lost = false;
    xr_client_environment(NULL, NULL);
    xr_client_start(&c);
    for (int i = 0; i < 40; i++) { /* four events each, and nobody takes them */
        assert_xr(xrDestroySession(c.session));
        assert_xr(xr_client_create_session(&c));
        assert_xr(xr_client_begin(&c));
    }
    for (;;) {
        XrEventDataBuffer event = {.type = XR_TYPE_EVENT_DATA_BUFFER};
        XrResult result = xrPollEvent(c.instance, &event);
        if (result == XR_EVENT_UNAVAILABLE)
            break;
        assert_xr(result);
        lost = lost || event.type == XR_TYPE_EVENT_DATA_EVENTS_LOST;
        xr_client_take_event(&c, &event);
    }
    assert_true(lost);
    assert_int_equal(c.state, XR_SESSION_STATE_FOCUSED); /* the newest are kept */
    xr_client_stop(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        XR_CLIENT_TEST(creation_checks_what_is_asked_for),
        XR_CLIENT_TEST(extensions_are_those_of_a_headless_runtime),
        XR_CLIENT_TEST(extensions_must_be_enabled),
        XR_CLIENT_TEST(the_session_is_begun_and_ended_in_order),
        XR_CLIENT_TEST(a_frame_loop_runs_without_graphics),
        XR_CLIENT_TEST(paths_must_be_well_formed),
        XR_CLIENT_TEST(bindings_are_held_against_the_profiles),
        XR_CLIENT_TEST(actions_are_fixed_once_attached),
        XR_CLIENT_TEST(names_are_checked),
        XR_CLIENT_TEST(states_are_asked_for_rightly),
        XR_CLIENT_TEST(locating_is_checked),
        XR_CLIENT_TEST(too_many_events_are_told_as_lost),
    };
    return cmocka_run_group_tests_name("runtime_calls", tests, NULL, NULL);
}
