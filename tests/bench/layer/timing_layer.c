/* What the API layer costs a game, measured by two layers about it: one that sees the game's calls (TIMING_IS_FIRST) and one that
 * sees what comes of them at the runtime's side. The difference, summed over a frame, is the layer's own; of what the runtime
 * did in it, the calls that the game did not make are those that the layer adds. With each frame a line of nanoseconds goes to the
 * file LAYER_TIMES: the layer's own, the runtime's for calls that the layer added, the runtime's for the game's calls; and, for what the
 * machine takes whoever asks, two looks at the clock, and a send of as many bytes as a frame has to a thread that sleeps until they come. */
#include "../../support/layer_hooks.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define FRAME_BYTES 372

/* One for both of the libraries, which do not know each other: its address goes by the environment. */
typedef struct timing {
    int64_t outside, inside, added; /* of this frame so far */
    bool is_of_game;                /* the next call to the runtime of that kind is the game's */
    FILE *file;
} timing;

static timing *times;
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

static int bare[2]; /* a socket of clashd's kind, and its reader */

static void *read_bare(void *context)
{
    char bytes[4096];

    while (recv(bare[1], bytes, sizeof bytes, 0) > 0)
        continue;
    return context;
}

static void open_bare(void)
{
    pthread_t thread;

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, bare) != 0 || pthread_create(&thread, NULL, read_bare, NULL) != 0)
        abort();
    pthread_detach(thread);
}

static int64_t send_bare(void)
{
    static const char bytes[FRAME_BYTES];
    int64_t begun = now_ns();

    if (send(bare[0], bytes, sizeof bytes, MSG_DONTWAIT | MSG_NOSIGNAL) != FRAME_BYTES)
        abort();
    return now_ns() - begun;
}

static XrResult end_frame(XrSession session, const XrFrameEndInfo *info)
{
    XrResult result;

    GAMES_CALL(result, next_end_frame(session, info));
    if (IS_FIRST) {
        int64_t clock = now_ns();

        clock = now_ns() - clock;
        fprintf(times->file, "%lld %lld %lld %lld %lld\n", (long long)(times->outside - times->inside - times->added),
                (long long)times->added, (long long)times->inside, (long long)clock, (long long)send_bare());
        times->outside = times->inside = times->added = 0;
    }
    return result;
}

static const layer_hook *list_hooks(size_t *out_count)
{
    static const layer_hook hooks[] = {
        LAYER_HOOK("xrWaitFrame", next_wait_frame, wait_frame), LAYER_HOOK("xrSyncActions", next_sync, sync_actions),
        LAYER_HOOK("xrLocateViews", next_views, locate_views),  LAYER_HOOK("xrLocateSpace", next_locate, locate_space),
        LAYER_HOOK("xrEndFrame", next_end_frame, end_frame),    LAYER_HOOK("xrPollEvent", next_poll, poll_event),
    };

    *out_count = sizeof hooks / sizeof hooks[0];
    return hooks;
}

static void begin(void)
{
    char text[32];
    const char *path = getenv("LAYER_TIMES");

    if (!IS_FIRST) {
        times = (timing *)strtoull(getenv("LAYER_TIMING"), NULL, 16); /* NOLINT(performance-no-int-to-ptr) */
        return;
    }
    open_bare();
    times = calloc(1, sizeof *times);
    if (times)
        times->file = fopen(path ? path : "layer_times", "w");
    if (!times || !times->file)
        abort();
    snprintf(text, sizeof text, "%llx", (unsigned long long)(uintptr_t)times);
    setenv("LAYER_TIMING", text, 1);
}
