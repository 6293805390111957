/* Another OpenXR API layer, between the game and ours or between ours and the runtime: passes everything on. The one behind ours
 * (BYSTANDER_IS_LAST) drops what is drawn, as the stand-in runtime draws nothing, and writes down in the file BYSTANDER_LOG each
 * call that the runtime refused and that no game of the tests makes: it would be one of ours. */
#include "layer/loader_interface.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static PFN_xrGetInstanceProcAddr next_get_proc;
static PFN_xrEndFrame next_end_frame;
static PFN_xrLocateSpace next_locate;
static PFN_xrSyncActions next_sync;
static PFN_xrCreateActionSpace next_action_space;
static PFN_xrSuggestInteractionProfileBindings next_suggest;

static XrResult note(const char *call, XrResult result)
{
    const char *path = getenv("BYSTANDER_LOG");
    FILE *log = XR_FAILED(result) && path ? fopen(path, "ae") : NULL;

    if (log) {
        fprintf(log, "%s %d\n", call, (int)result);
        fclose(log);
    }
    return result;
}

static XrResult end_frame(XrSession session, const XrFrameEndInfo *info)
{
    XrFrameEndInfo plain = *info;

#ifdef BYSTANDER_IS_LAST
    plain.layerCount = 0;
#endif
    return note("xrEndFrame", next_end_frame(session, &plain));
}

static XrResult locate(XrSpace space, XrSpace base, XrTime time, XrSpaceLocation *location)
{
    return note("xrLocateSpace", next_locate(space, base, time, location));
}

static XrResult sync_actions(XrSession session, const XrActionsSyncInfo *info)
{
    return note("xrSyncActions", next_sync(session, info));
}

static XrResult create_action_space(XrSession session, const XrActionSpaceCreateInfo *info, XrSpace *space)
{
    return note("xrCreateActionSpace", next_action_space(session, info, space));
}

static XrResult suggest(XrInstance instance, const XrInteractionProfileSuggestedBinding *info)
{
    return note("xrSuggestInteractionProfileBindings", next_suggest(instance, info));
}

static XrResult get_proc(XrInstance instance, const char *name, PFN_xrVoidFunction *function)
{
    const struct {
        const char *name;
        PFN_xrVoidFunction *next, ours;
    } hooks[] = {
        {"xrEndFrame", (PFN_xrVoidFunction *)&next_end_frame, (PFN_xrVoidFunction)end_frame},
        {"xrLocateSpace", (PFN_xrVoidFunction *)&next_locate, (PFN_xrVoidFunction)locate},
        {"xrSyncActions", (PFN_xrVoidFunction *)&next_sync, (PFN_xrVoidFunction)sync_actions},
        {"xrCreateActionSpace", (PFN_xrVoidFunction *)&next_action_space, (PFN_xrVoidFunction)create_action_space},
        {"xrSuggestInteractionProfileBindings", (PFN_xrVoidFunction *)&next_suggest, (PFN_xrVoidFunction)suggest},
    };
    XrResult result = next_get_proc(instance, name, function);

    for (size_t i = 0; XR_SUCCEEDED(result) && i < sizeof hooks / sizeof hooks[0]; i++) {
        if (strcmp(name, hooks[i].name) == 0) {
            *hooks[i].next = *function;
            *function = hooks[i].ours;
        }
    }
    return result;
}

static XrResult create(const XrInstanceCreateInfo *info, const loader_create_info *chain, XrInstance *instance)
{
    loader_create_info rest = *chain;

    rest.next = chain->next->next;
    next_get_proc = chain->next->next_get_proc;
    return chain->next->next_create(info, &rest, instance);
}

__attribute__((visibility("default"))) XrResult xrNegotiateLoaderApiLayerInterface(const loader_info *info,
                                                                                   const char *layer_name,
                                                                                   loader_layer_request *request)
{
    (void)info, (void)layer_name;
    request->interface_version = LOADER_INTERFACE_VERSION;
    request->api_version = XR_MAKE_VERSION(1, 0, 0);
    request->get_proc = get_proc;
    request->create_instance = create;
    return XR_SUCCESS;
}
