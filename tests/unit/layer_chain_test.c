/* The API layer's place in a chain, without the loader: what it is told in the negotiation, several instances at once, a runtime
 * that lacks a function, and calls that come from within a call of the layer's own. */
#include "layer/loader_interface.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PERIOD 11111111

typedef XrResult (*negotiation)(const loader_info *info, const char *name, loader_layer_request *request);

/* Two runtimes, of which the tests see who was called last. */
static int called, created, ended, located;
static const char *lacking = "";
static XrInstance of_runtime[2] = {(XrInstance)(uintptr_t)0x100, (XrInstance)(uintptr_t)0x200};
static PFN_xrEndFrame layers_end_frame;
static bool calls_back;

static XrResult anything(void)
{
    return XR_SUCCESS;
}

static XrResult end_frame_of_0(XrSession session, const XrFrameEndInfo *info)
{
    (void)session, (void)info;
    called = 0;
    ended++;
    return XR_SUCCESS;
}

static XrResult end_frame_of_1(XrSession session, const XrFrameEndInfo *info)
{
    (void)session, (void)info;
    called = 1;
    ended++;
    return XR_SUCCESS;
}

static XrResult create_session(XrInstance instance, const XrSessionCreateInfo *info, XrSession *out_session)
{
    (void)info;
    *out_session = (XrSession)((uintptr_t)instance + 1); /* NOLINT(performance-no-int-to-ptr) */
    return XR_SUCCESS;
}

static XrResult create_space(XrSession session, const XrReferenceSpaceCreateInfo *info, XrSpace *out_space)
{
    (void)info;
    *out_space = (XrSpace)((uintptr_t)session + 1); /* NOLINT(performance-no-int-to-ptr) */
    return XR_SUCCESS;
}

static XrResult create_action_space(XrSession session, const XrActionSpaceCreateInfo *info, XrSpace *out_space)
{
    (void)info;
    *out_space = (XrSpace)((uintptr_t)session + 2); /* NOLINT(performance-no-int-to-ptr) */
    return XR_SUCCESS;
}

static XrResult wait_frame(XrSession session, const XrFrameWaitInfo *info, XrFrameState *state)
{
    (void)session, (void)info;
    state->predictedDisplayTime += PERIOD;
    state->predictedDisplayPeriod = PERIOD;
    return XR_SUCCESS;
}

/* As a debug messenger of the game's may, which the runtime calls from anywhere. */
static XrResult locate_space(XrSpace space, XrSpace base, XrTime time, XrSpaceLocation *location)
{
    XrFrameEndInfo info = {.type = XR_TYPE_FRAME_END_INFO, .displayTime = time};

    (void)space, (void)base;
    located++;
    location->locationFlags = 0;
    return calls_back ? layers_end_frame((XrSession)(uintptr_t)0x101, &info) : XR_SUCCESS;
}

static XrResult get_proc(XrInstance instance, const char *name, PFN_xrVoidFunction *out_function)
{
    const struct {
        const char *name;
        PFN_xrVoidFunction function;
    } own[] = {
        {"xrEndFrame",
         instance == of_runtime[0] ? (PFN_xrVoidFunction)end_frame_of_0 : (PFN_xrVoidFunction)end_frame_of_1},
        {"xrCreateSession", (PFN_xrVoidFunction)create_session},
        {"xrCreateReferenceSpace", (PFN_xrVoidFunction)create_space},
        {"xrCreateActionSpace", (PFN_xrVoidFunction)create_action_space},
        {"xrWaitFrame", (PFN_xrVoidFunction)wait_frame},
        {"xrLocateSpace", (PFN_xrVoidFunction)locate_space},
    };

    *out_function = NULL;
    if (strcmp(name, lacking) == 0 || strstr(name, "KHR") ||
        strcmp(name, "xrEnumerateInstanceExtensionProperties") == 0)
        return XR_ERROR_FUNCTION_UNSUPPORTED;
    *out_function = (PFN_xrVoidFunction)anything;
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (strcmp(name, own[i].name) == 0)
            *out_function = own[i].function;
    return XR_SUCCESS;
}

static XrResult create_instance(const XrInstanceCreateInfo *info, const loader_create_info *chain,
                                XrInstance *out_instance)
{
    (void)info, (void)chain;
    *out_instance = of_runtime[created++];
    return XR_SUCCESS;
}

static const loader_info right_info = {.struct_type = LOADER_INFO,
                                       .struct_version = LOADER_STRUCT_VERSION,
                                       .struct_size = sizeof(loader_info),
                                       .min_interface_version = 1,
                                       .max_interface_version = 1,
                                       .min_api_version = XR_MAKE_VERSION(1, 0, 0),
                                       .max_api_version = XR_MAKE_VERSION(1, 0x3ff, 0xfff)};
static const loader_layer_request right_request = {.struct_type = LOADER_LAYER_REQUEST,
                                                   .struct_version = LOADER_STRUCT_VERSION,
                                                   .struct_size = sizeof(loader_layer_request)};
static negotiation negotiate;
static loader_layer_request layer;

static int load(void **state)
{
    void *library = dlopen(TEST_BUILD "/daemon/layer/libclash_layer.so", RTLD_NOW | RTLD_LOCAL);

    (void)state;
    if (!library)
        fail_msg("%s", dlerror());
    *(void **)&negotiate = dlsym(library, "xrNegotiateLoaderApiLayerInterface");
    assert_non_null(negotiate);
    setenv("CLASHD_SOCKET", "/nowhere/clashd.sock", 1);
    layer = right_request;
    return negotiate(&right_info, LAYER_NAME, &layer);
}

static XrInstance make_instance(void)
{
    XrInstanceCreateInfo info = {.type = XR_TYPE_INSTANCE_CREATE_INFO, .applicationInfo = {.applicationName = "test"}};
    loader_next_info next = {.struct_type = LOADER_LAYER_NEXT_INFO,
                             .struct_version = LOADER_STRUCT_VERSION,
                             .struct_size = sizeof next,
                             .layer_name = LAYER_NAME,
                             .next_get_proc = get_proc,
                             .next_create = create_instance};
    loader_create_info chain = {.struct_type = LOADER_LAYER_CREATE_INFO,
                                .struct_version = LOADER_STRUCT_VERSION,
                                .struct_size = sizeof chain,
                                .next = &next};
    XrInstance instance = XR_NULL_HANDLE;

    assert_int_equal(layer.create_instance(&info, &chain, &instance), XR_SUCCESS);
    return instance;
}

#define FIND(instance, name) ((PFN_##name)find(instance, #name))

static PFN_xrVoidFunction find(XrInstance instance, const char *name)
{
    PFN_xrVoidFunction function = NULL;

    assert_int_equal(layer.get_proc(instance, name, &function), XR_SUCCESS);
    return function;
}

static void refused(const loader_info *info, const char *name, loader_layer_request *request)
{
    assert_int_equal(negotiate(info, name, request), XR_ERROR_INITIALIZATION_FAILED);
}

static void a_negotiation_that_fails(void **state)
{
    loader_layer_request request = right_request;
    loader_info info = right_info;

    (void)state;
    refused(NULL, LAYER_NAME, &request);
    refused(&info, LAYER_NAME, NULL);
    refused(&info, "XR_APILAYER_SOMEONE_else", &request);
    info.struct_size--;
    refused(&info, LAYER_NAME, &request);
    info = right_info;
    info.min_interface_version = info.max_interface_version = 2;
    refused(&info, LAYER_NAME, &request);
    info = right_info;
    request.struct_type = 3;
    refused(&info, LAYER_NAME, &request);
    request = right_request;
    assert_int_equal(negotiate(&info, NULL, &request), XR_SUCCESS);
    assert_int_equal(layer.create_instance(NULL, NULL, NULL), XR_ERROR_INITIALIZATION_FAILED);
}

static void each_instance_has_its_own_runtime(void **state)
{
    XrInstance first = make_instance(), second = make_instance();
    XrSession sessions[2];
    PFN_xrEndFrame end = FIND(first, xrEndFrame);

    (void)state;
    assert_int_equal(FIND(first, xrCreateSession)(first, NULL, &sessions[0]), XR_SUCCESS);
    assert_int_equal(FIND(second, xrCreateSession)(second, NULL, &sessions[1]), XR_SUCCESS);
    for (int i = 1; i >= 0; i--) {
        assert_int_equal(end(sessions[i], NULL), XR_SUCCESS);
        assert_int_equal(called, i);
    }
    assert_int_equal(FIND(first, xrDestroyInstance)(first), XR_SUCCESS);
    assert_int_equal(end(sessions[1], NULL), XR_SUCCESS);
    assert_int_equal(called, 1);
    assert_int_equal(FIND(second, xrDestroyInstance)(second), XR_SUCCESS);
    assert_int_equal(end(sessions[1], NULL), XR_ERROR_HANDLE_INVALID);
    created = 0;
}

static void where_a_function_is_missing_all_is_passed_on(void **state)
{
    XrInstance instance;

    (void)state;
    lacking = "xrLocateViews";
    instance = make_instance();
    assert_true(FIND(instance, xrEndFrame) == end_frame_of_0);
    assert_int_equal(FIND(instance, xrDestroyInstance)(instance), XR_SUCCESS);
    lacking = "";
    created = 0;
}

static void a_call_from_within_one_is_passed_on(void **state)
{
    XrInstance instance = make_instance();
    XrSession session;
    XrSpace space;
    XrActionSet set = (XrActionSet)(uintptr_t)0x77;
    XrReferenceSpaceCreateInfo reference = {.type = XR_TYPE_REFERENCE_SPACE_CREATE_INFO,
                                            .referenceSpaceType = XR_REFERENCE_SPACE_TYPE_LOCAL,
                                            .poseInReferenceSpace = {.orientation = {.w = 1}}};
    XrSessionActionSetsAttachInfo attached = {
        .type = XR_TYPE_SESSION_ACTION_SETS_ATTACH_INFO, .countActionSets = 1, .actionSets = &set};
    XrFrameState frame = {.type = XR_TYPE_FRAME_STATE, .predictedDisplayTime = 1};
    XrCompositionLayerProjection drawn = {.type = XR_TYPE_COMPOSITION_LAYER_PROJECTION};
    const XrCompositionLayerBaseHeader *layers[] = {(const XrCompositionLayerBaseHeader *)&drawn};
    XrFrameEndInfo end = {.type = XR_TYPE_FRAME_END_INFO, .layerCount = 1, .layers = layers};

    (void)state;
    layers_end_frame = FIND(instance, xrEndFrame);
    assert_int_equal(FIND(instance, xrCreateSession)(instance, NULL, &session), XR_SUCCESS);
    assert_int_equal(FIND(instance, xrCreateReferenceSpace)(session, &reference, &space), XR_SUCCESS);
    assert_int_equal(FIND(instance, xrAttachSessionActionSets)(session, &attached), XR_SUCCESS);
    drawn.space = space;
    ended = located = 0;
    calls_back = true;
    for (int i = 1; i <= 3; i++) {
        assert_int_equal(FIND(instance, xrWaitFrame)(session, NULL, &frame), XR_SUCCESS);
        end.displayTime = frame.predictedDisplayTime;
        assert_int_equal(layers_end_frame(session, &end), XR_SUCCESS);
        assert_int_equal(located, 2 * i + 1); /* both hands, and once where STAGE is */
        assert_int_equal(ended, 3 * i + 1);   /* each of them called back, and the game itself */
    }
    calls_back = false;
    assert_int_equal(layers_end_frame(session, &end), XR_SUCCESS);
    assert_int_equal(located, 7); /* a frame that was ended goes nowhere twice */
    end.displayTime = INT64_MAX;
    assert_int_equal(layers_end_frame(session, &end), XR_SUCCESS);
    assert_int_equal(located, 7); /* and one that nobody will see, nowhere at all */
    assert_int_equal(FIND(instance, xrDestroyInstance)(instance), XR_SUCCESS);
    created = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_negotiation_that_fails),
        cmocka_unit_test(each_instance_has_its_own_runtime),
        cmocka_unit_test(where_a_function_is_missing_all_is_passed_on),
        cmocka_unit_test(a_call_from_within_one_is_passed_on),
    };

    return cmocka_run_group_tests(tests, load, NULL);
}
