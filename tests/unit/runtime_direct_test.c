/* The stand-in runtime without the loader between: the negotiation, every function of OpenXR 1.0 being there (the
 * loader would hand a program a null pointer), and, under a sanitizer, that an instance takes with it all that it was
 * given. */
#include "runtime/entries.h"
#include "runtime/negotiation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define assert_xr(call) assert_int_equal(call, XR_SUCCESS)

typedef XrResult (*negotiate_function)(const negotiation_loader_info *, negotiation_runtime_request *);

static const negotiation_loader_info good_info = {
    NEGOTIATION_LOADER_INFO,         1, sizeof(negotiation_loader_info), 1, 1, XR_MAKE_VERSION(1, 0, 0),
    XR_MAKE_VERSION(1, 0x3ff, 0xfff)};
static const negotiation_runtime_request good_request = {
    NEGOTIATION_RUNTIME_REQUEST, 1, sizeof(negotiation_runtime_request), 0, 0, NULL};

static void *library(void)
{
    void *found = dlopen(TEST_BUILD "/daemon/runtime/libclash_runtime.so", RTLD_NOW | RTLD_LOCAL);
    if (!found)
        fail_msg("%s", dlerror());
    return found;
}

static negotiate_function negotiation(void)
{
    negotiate_function function = (negotiate_function)dlsym(library(), "xrNegotiateLoaderRuntimeInterface");
    assert_non_null(function);
    return function;
}

static void negotiation_wants_what_both_know(void **state)
{
    (void)state;
    negotiate_function negotiate = negotiation();
    negotiation_loader_info info = good_info;
    negotiation_runtime_request request = good_request;
    assert_xr(negotiate(&info, &request));
    assert_int_equal(request.interface_version, 1);
    assert_int_equal(XR_VERSION_MAJOR(request.api_version), 1);
    assert_int_equal(XR_VERSION_MINOR(request.api_version), 0);
    assert_non_null(request.get_instance_proc_addr);
    assert_int_equal(negotiate(NULL, &request), XR_ERROR_INITIALIZATION_FAILED);
    assert_int_equal(negotiate(&info, NULL), XR_ERROR_INITIALIZATION_FAILED);
    info.struct_type = 0;
    assert_int_equal(negotiate(&info, &request), XR_ERROR_INITIALIZATION_FAILED);
    info = good_info;
    info.min_interface_version = info.max_interface_version = 2;
    assert_int_equal(negotiate(&info, &request), XR_ERROR_INITIALIZATION_FAILED);
    info = good_info;
    info.min_api_version = XR_MAKE_VERSION(2, 0, 0);
    assert_int_equal(negotiate(&info, &request), XR_ERROR_INITIALIZATION_FAILED);
    request.struct_size = 8;
    assert_int_equal(negotiate(&good_info, &request), XR_ERROR_INITIALIZATION_FAILED);
}

static void only_the_negotiation_is_visible(void **state)
{
    (void)state;
    void *runtime = library();
    const char *hidden[] = {"xr_create_instance", "clash_motion_at", "recording_open", "xrCreateInstance"};
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
        Dl_info where;
        void *symbol = dlsym(runtime, hidden[i]); /* may be found in a library that ours depends on, never in ours */
        assert_true(!symbol || (dladdr(symbol, &where) && !strstr(where.dli_fname, "libclash_runtime")));
    }
}

typedef struct direct {
    PFN_xrGetInstanceProcAddr get;
    XrInstance instance;
} direct;

static PFN_xrVoidFunction find(const direct *d, const char *name)
{
    PFN_xrVoidFunction function = NULL;
    XrResult result = d->get(d->instance, name, &function);
    if (result != XR_SUCCESS || !function)
        fail_msg("%s: %d", name, (int)result);
    return function;
}

#define CALL(d, name) ((PFN_##name)find(d, #name))

static direct create(void)
{
    negotiation_runtime_request request = good_request;
    direct d = {0};
    unsetenv("CLASH_RUNTIME_FAULTS");
    const char *extensions[] = {XR_MND_HEADLESS_EXTENSION_NAME, XR_KHR_CONVERT_TIMESPEC_TIME_EXTENSION_NAME};
    XrInstanceCreateInfo info = {.type = XR_TYPE_INSTANCE_CREATE_INFO,
                                 .applicationInfo = {.applicationName = "test", .apiVersion = XR_MAKE_VERSION(1, 0, 0)},
                                 .enabledExtensionCount = 2,
                                 .enabledExtensionNames = extensions};
    assert_xr(negotiation()(&good_info, &request));
    d.get = request.get_instance_proc_addr;
    XrResult result = CALL(&d, xrCreateInstance)(&info, &d.instance);
    assert_int_equal(result, XR_SUCCESS);
    return d;
}

static const char *const core[] = {
    "xrGetInstanceProcAddr",
    "xrEnumerateApiLayerProperties",
    "xrEnumerateInstanceExtensionProperties",
    "xrCreateInstance",
    "xrDestroyInstance",
    "xrGetInstanceProperties",
    "xrPollEvent",
    "xrResultToString",
    "xrStructureTypeToString",
    "xrGetSystem",
    "xrGetSystemProperties",
    "xrEnumerateEnvironmentBlendModes",
    "xrCreateSession",
    "xrDestroySession",
    "xrEnumerateReferenceSpaces",
    "xrCreateReferenceSpace",
    "xrGetReferenceSpaceBoundsRect",
    "xrCreateActionSpace",
    "xrLocateSpace",
    "xrDestroySpace",
    "xrEnumerateViewConfigurations",
    "xrGetViewConfigurationProperties",
    "xrEnumerateViewConfigurationViews",
    "xrEnumerateSwapchainFormats",
    "xrCreateSwapchain",
    "xrDestroySwapchain",
    "xrEnumerateSwapchainImages",
    "xrAcquireSwapchainImage",
    "xrWaitSwapchainImage",
    "xrReleaseSwapchainImage",
    "xrBeginSession",
    "xrEndSession",
    "xrRequestExitSession",
    "xrWaitFrame",
    "xrBeginFrame",
    "xrEndFrame",
    "xrLocateViews",
    "xrStringToPath",
    "xrPathToString",
    "xrCreateActionSet",
    "xrDestroyActionSet",
    "xrCreateAction",
    "xrDestroyAction",
    "xrSuggestInteractionProfileBindings",
    "xrAttachSessionActionSets",
    "xrGetCurrentInteractionProfile",
    "xrGetActionStateBoolean",
    "xrGetActionStateFloat",
    "xrGetActionStateVector2f",
    "xrGetActionStatePose",
    "xrSyncActions",
    "xrEnumerateBoundSourcesForAction",
    "xrGetInputSourceLocalizedName",
    "xrApplyHapticFeedback",
    "xrStopHapticFeedback",
};

static void every_core_function_is_there(void **state)
{
    (void)state;
    direct d = create();
    for (size_t i = 0; i < sizeof core / sizeof *core; i++)
        find(&d, core[i]);
    PFN_xrVoidFunction function = NULL;
    assert_int_equal(d.get(d.instance, "xrNoSuchThing", &function), XR_ERROR_FUNCTION_UNSUPPORTED);
    assert_null(function);
    assert_int_equal(d.get(XR_NULL_HANDLE, "xrPollEvent", &function), XR_ERROR_HANDLE_INVALID);
    assert_xr(CALL(&d, xrDestroyInstance)(d.instance));
    assert_int_equal(d.get(d.instance, "xrPollEvent", &function), XR_ERROR_HANDLE_INVALID);
}

static XrAction create_action(const direct *d, XrActionSet set)
{
    XrAction action;
    XrActionCreateInfo info = {.type = XR_TYPE_ACTION_CREATE_INFO,
                               .actionName = "grip",
                               .localizedActionName = "Grip",
                               .actionType = XR_ACTION_TYPE_POSE_INPUT};
    XrInteractionProfileSuggestedBinding suggestions = {.type = XR_TYPE_INTERACTION_PROFILE_SUGGESTED_BINDING,
                                                        .countSuggestedBindings = 1};
    XrActionSuggestedBinding suggestion;
    assert_xr(CALL(d, xrCreateAction)(set, &info, &action));
    suggestion.action = action;
    suggestions.suggestedBindings = &suggestion;
    assert_xr(CALL(d, xrStringToPath)(d->instance, "/user/hand/left/input/grip/pose", &suggestion.binding));
    assert_xr(CALL(d, xrStringToPath)(d->instance, "/interaction_profiles/khr/simple_controller",
                                      &suggestions.interactionProfile));
    for (int i = 0; i < 2; i++) /* the second replaces the first */
        assert_xr(CALL(d, xrSuggestInteractionProfileBindings)(d->instance, &suggestions));
    return action;
}

/* A session with spaces and an action, left as they are: destroying the instance must free them. */
static void leave_everything_open(const direct *d)
{
    XrSystemId system;
    XrSession session;
    XrActionSet set;
    XrSpace space;
    XrSystemGetInfo get = {.type = XR_TYPE_SYSTEM_GET_INFO, .formFactor = XR_FORM_FACTOR_HEAD_MOUNTED_DISPLAY};
    XrSessionCreateInfo session_info = {.type = XR_TYPE_SESSION_CREATE_INFO};
    XrActionSetCreateInfo set_info = {
        .type = XR_TYPE_ACTION_SET_CREATE_INFO, .actionSetName = "set", .localizedActionSetName = "Set"};
    XrReferenceSpaceCreateInfo reference = {.type = XR_TYPE_REFERENCE_SPACE_CREATE_INFO,
                                            .referenceSpaceType = XR_REFERENCE_SPACE_TYPE_STAGE,
                                            .poseInReferenceSpace = {{0, 0, 0, 1}, {0, 0, 0}}};
    XrActionSpaceCreateInfo action_space = {.type = XR_TYPE_ACTION_SPACE_CREATE_INFO,
                                            .poseInActionSpace = {{0, 0, 0, 1}, {0, 0, 0}}};
    assert_xr(CALL(d, xrGetSystem)(d->instance, &get, &system));
    session_info.systemId = system;
    assert_xr(CALL(d, xrCreateSession)(d->instance, &session_info, &session));
    assert_xr(CALL(d, xrCreateActionSet)(d->instance, &set_info, &set));
    action_space.action = create_action(d, set);
    for (int i = 0; i < 100; i++) {
        assert_xr(CALL(d, xrCreateReferenceSpace)(session, &reference, &space));
        assert_xr(CALL(d, xrCreateActionSpace)(session, &action_space, &space));
    }
}

static void an_instance_takes_everything_with_it(void **state)
{
    (void)state;
    setenv("CLASH_RUNTIME_RECORDING", TEST_DATA "/duel-start-5s.jsonl", 1);
    for (int i = 0; i < 3; i++) {
        direct d = create();
        leave_everything_open(&d);
        XrInstance second;
        XrInstanceCreateInfo info = {
            .type = XR_TYPE_INSTANCE_CREATE_INFO,
            .applicationInfo = {.applicationName = "t", .apiVersion = XR_MAKE_VERSION(1, 0, 0)}};
        assert_int_equal(CALL(&d, xrCreateInstance)(&info, &second), XR_ERROR_LIMIT_REACHED);
        assert_xr(CALL(&d, xrDestroyInstance)(d.instance));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(negotiation_wants_what_both_know),
        cmocka_unit_test(only_the_negotiation_is_visible),
        cmocka_unit_test(every_core_function_is_there),
        cmocka_unit_test(an_instance_takes_everything_with_it),
    };
    return cmocka_run_group_tests_name("runtime_direct", tests, NULL, NULL);
}
