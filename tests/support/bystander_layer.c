/* Another OpenXR API layer, between the game and ours or between ours and the runtime: passes everything on. The one
 * behind ours (BYSTANDER_IS_LAST) drops what is drawn, as the stand-in runtime draws nothing, and writes to the file
 * BYSTANDER_LOG each call that the runtime refused and that no game of the tests makes: it must be one of ours. */
#include "layer_hooks.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

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

static const layer_hook *list_hooks(size_t *out_count)
{
    static const layer_hook hooks[] = {
        LAYER_HOOK("xrEndFrame", next_end_frame, end_frame),
        LAYER_HOOK("xrLocateSpace", next_locate, locate),
        LAYER_HOOK("xrSyncActions", next_sync, sync_actions),
        LAYER_HOOK("xrCreateActionSpace", next_action_space, create_action_space),
        LAYER_HOOK("xrSuggestInteractionProfileBindings", next_suggest, suggest),
    };

    *out_count = sizeof hooks / sizeof hooks[0];
    return hooks;
}

static void begin(void)
{
}
