/* What the API layer costs a game, measured by two layers about it: one that sees the game's calls (TIMING_IS_FIRST) and one that
 * sees what comes of them at the runtime's side. The difference, summed over a frame, is the layer's own; of what the runtime
 * did in it, the calls that the game did not make are those that the layer adds. With each frame a line of nanoseconds goes to the
 * file LAYER_TIMES: the layer's own, the runtime's for calls that the layer added, the runtime's for the game's calls. */
#include "layer/loader_interface.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* One for both of the libraries, which do not know each other: its address goes by the environment. */
typedef struct timing {
    int64_t outside, inside, added; /* of this frame so far */
    bool is_of_game;                /* the next call to the runtime of that kind is the game's */
    FILE *file;
} timing;

static timing *times;
static PFN_xrGetInstanceProcAddr next_get_proc;
static PFN_xrWaitFrame next_wait_frame;
static PFN_xrSyncActions next_sync;
static PFN_xrLocateViews next_views;
static PFN_xrLocateSpace next_locate;
static PFN_xrEndFrame next_end_frame;
static PFN_xrPollEvent next_poll;

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* A call of the game's, at both places. */
#define GAMES_CALL(result, call)                           \
    do {                                                   \
        int64_t begun = now_ns(), *sum;                    \
        (result) = (call);                                 \
        sum = IS_FIRST ? &times->outside : &times->inside; \
        *sum += now_ns() - begun;                          \
    } while (0)
#ifdef TIMING_IS_FIRST
#define IS_FIRST true
#else
#define IS_FIRST false
#endif

static XrResult wait_frame(XrSession session, const XrFrameWaitInfo *info, XrFrameState *state)
{
    XrResult result;

    GAMES_CALL(result, next_wait_frame(session, info, state));
    return result;
}

static XrResult sync_actions(XrSession session, const XrActionsSyncInfo *info)
{
    XrResult result;

    GAMES_CALL(result, next_sync(session, info));
    return result;
}

static XrResult locate_views(XrSession session, const XrViewLocateInfo *info, XrViewState *state, uint32_t capacity,
                             uint32_t *count, XrView *views)
{
    XrResult result;

    GAMES_CALL(result, next_views(session, info, state, capacity, count, views));
    return result;
}

static XrResult poll_event(XrInstance instance, XrEventDataBuffer *event)
{
    XrResult result;

    GAMES_CALL(result, next_poll(instance, event));
    return result;
}

/* Both make it. The game's comes by the first place, and goes on at once. */
static XrResult locate_space(XrSpace space, XrSpace base, XrTime time, XrSpaceLocation *location)
{
    int64_t begun = now_ns();
    XrResult result;

    if (IS_FIRST) {
        times->is_of_game = true;
        result = next_locate(space, base, time, location);
        times->is_of_game = false;
        return result;
    }
    result = next_locate(space, base, time, location);
    if (!times->is_of_game)
        times->added += now_ns() - begun;
    return result;
}

static XrResult end_frame(XrSession session, const XrFrameEndInfo *info)
{
    XrResult result;

    GAMES_CALL(result, next_end_frame(session, info));
    if (IS_FIRST) {
        fprintf(times->file, "%lld %lld %lld\n", (long long)(times->outside - times->inside - times->added),
                (long long)times->added, (long long)times->inside);
        times->outside = times->inside = times->added = 0;
    }
    return result;
}

static XrResult get_proc(XrInstance instance, const char *name, PFN_xrVoidFunction *function)
{
    const struct {
        const char *name;
        PFN_xrVoidFunction *next, ours;
    } hooks[] = {
        {"xrWaitFrame", (PFN_xrVoidFunction *)&next_wait_frame, (PFN_xrVoidFunction)wait_frame},
        {"xrSyncActions", (PFN_xrVoidFunction *)&next_sync, (PFN_xrVoidFunction)sync_actions},
        {"xrLocateViews", (PFN_xrVoidFunction *)&next_views, (PFN_xrVoidFunction)locate_views},
        {"xrLocateSpace", (PFN_xrVoidFunction *)&next_locate, (PFN_xrVoidFunction)locate_space},
        {"xrEndFrame", (PFN_xrVoidFunction *)&next_end_frame, (PFN_xrVoidFunction)end_frame},
        {"xrPollEvent", (PFN_xrVoidFunction *)&next_poll, (PFN_xrVoidFunction)poll_event},
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

static void find_times(void)
{
    char text[32];
    const char *path = getenv("LAYER_TIMES");

    if (!IS_FIRST) {
        times = (timing *)strtoull(getenv("LAYER_TIMING"), NULL, 16); /* NOLINT(performance-no-int-to-ptr) */
        return;
    }
    times = calloc(1, sizeof *times);
    if (times)
        times->file = fopen(path ? path : "layer_times", "w");
    if (!times || !times->file)
        abort();
    snprintf(text, sizeof text, "%llx", (unsigned long long)(uintptr_t)times);
    setenv("LAYER_TIMING", text, 1);
}

static XrResult create(const XrInstanceCreateInfo *info, const loader_create_info *chain, XrInstance *instance)
{
    loader_create_info rest = *chain;

    find_times();
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
