/* The API layer loaded as the loader would, between the test as the game and two minimal runtimes. */
#ifndef TESTS_LAYER_CHAIN_H
#define TESTS_LAYER_CHAIN_H

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

/* Two runtimes; the tests see which was called last. */
static int called, created, ended, located;
static const char *lacking = "";
static XrInstance of_runtime[2] = {(XrInstance)(uintptr_t)0x100, (XrInstance)(uintptr_t)0x200};
static PFN_xrEndFrame layers_end_frame;
static bool calls_back;
static bool is_losing; /* the runtime is about to lose the session: it reports that and nothing else */
static XrTime located_at;
static void (*while_locating)(void); /* NULL: nothing happens meanwhile */

static inline XrResult anything(void)
{
    return XR_SUCCESS;
}

static inline XrResult end_frame_of_0(XrSession session, const XrFrameEndInfo *info)
{
    (void)session, (void)info;
    called = 0;
    ended++;
    return XR_SUCCESS;
}

static inline XrResult end_frame_of_1(XrSession session, const XrFrameEndInfo *info)
{
    (void)session, (void)info;
    called = 1;
    ended++;
    return XR_SUCCESS;
}

static inline XrResult create_session(XrInstance instance, const XrSessionCreateInfo *info, XrSession *out_session)
{
    (void)info;
    *out_session = (XrSession)((uintptr_t)instance + 1); /* NOLINT(performance-no-int-to-ptr) */
    return XR_SUCCESS;
}

static inline XrResult create_space(XrSession session, const XrReferenceSpaceCreateInfo *info, XrSpace *out_space)
{
    (void)info;
    *out_space = (XrSpace)((uintptr_t)session + 1); /* NOLINT(performance-no-int-to-ptr) */
    return XR_SUCCESS;
}

static inline XrResult create_action_space(XrSession session, const XrActionSpaceCreateInfo *info, XrSpace *out_space)
{
    (void)info;
    *out_space = (XrSpace)((uintptr_t)session + 2); /* NOLINT(performance-no-int-to-ptr) */
    return XR_SUCCESS;
}

static inline XrResult wait_frame(XrSession session, const XrFrameWaitInfo *info, XrFrameState *state)
{
    (void)session, (void)info;
    if (is_losing)
        return XR_SESSION_LOSS_PENDING;
    state->predictedDisplayTime += PERIOD;
    state->predictedDisplayPeriod = PERIOD;
    return XR_SUCCESS;
}

/* Called as from a game's debug messenger, which the runtime calls from anywhere. */
static inline XrResult locate_space(XrSpace space, XrSpace base, XrTime time, XrSpaceLocation *location)
{
    XrFrameEndInfo info = {.type = XR_TYPE_FRAME_END_INFO, .displayTime = time};

    (void)space, (void)base;
    located++;
    located_at = time;
    if (while_locating)
        while_locating();
    if (is_losing)
        return XR_SESSION_LOSS_PENDING;
    location->locationFlags = 0;
    return calls_back ? layers_end_frame((XrSession)(uintptr_t)0x101, &info) : XR_SUCCESS;
}

static inline XrResult get_proc(XrInstance instance, const char *name, PFN_xrVoidFunction *out_function)
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

static inline XrResult create_instance(const XrInstanceCreateInfo *info, const loader_create_info *chain,
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

static inline int load(void **state)
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

static inline XrInstance make_instance(void)
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

static inline PFN_xrVoidFunction find(XrInstance instance, const char *name)
{
    PFN_xrVoidFunction function = NULL;

    assert_int_equal(layer.get_proc(instance, name, &function), XR_SUCCESS);
    return function;
}

/* A game's session, with everything needed for its poses to be sent. */
typedef struct playing {
    XrInstance instance;
    XrSession session;
    XrFrameState frame;
    XrCompositionLayerProjection drawn;
} playing;

static inline playing begin(XrInstance instance)
{
    playing p = {.instance = instance,
                 .frame = {.type = XR_TYPE_FRAME_STATE, .predictedDisplayTime = 1},
                 .drawn = {.type = XR_TYPE_COMPOSITION_LAYER_PROJECTION}};
    XrActionSet set = (XrActionSet)(uintptr_t)0x77;
    XrReferenceSpaceCreateInfo reference = {.type = XR_TYPE_REFERENCE_SPACE_CREATE_INFO,
                                            .referenceSpaceType = XR_REFERENCE_SPACE_TYPE_LOCAL,
                                            .poseInReferenceSpace = {.orientation = {.w = 1}}};
    XrSessionActionSetsAttachInfo attached = {
        .type = XR_TYPE_SESSION_ACTION_SETS_ATTACH_INFO, .countActionSets = 1, .actionSets = &set};

    assert_int_equal(FIND(instance, xrCreateSession)(instance, NULL, &p.session), XR_SUCCESS);
    assert_int_equal(FIND(instance, xrCreateReferenceSpace)(p.session, &reference, &p.drawn.space), XR_SUCCESS);
    assert_int_equal(FIND(instance, xrAttachSessionActionSets)(p.session, &attached), XR_SUCCESS);
    return p;
}

/* Wait, and end the frame at that time, or at its own if 0. */
static inline void play_frame(playing *p, XrTime time)
{
    const XrCompositionLayerBaseHeader *layers[] = {(const XrCompositionLayerBaseHeader *)&p->drawn};
    XrFrameEndInfo end = {.type = XR_TYPE_FRAME_END_INFO, .layerCount = 1, .layers = layers};
    XrResult result = FIND(p->instance, xrWaitFrame)(p->session, NULL, &p->frame);

    assert_int_equal(result, is_losing ? XR_SESSION_LOSS_PENDING : XR_SUCCESS);
    end.displayTime = time ? time : p->frame.predictedDisplayTime;
    assert_int_equal(FIND(p->instance, xrEndFrame)(p->session, &end), XR_SUCCESS);
}

#endif
