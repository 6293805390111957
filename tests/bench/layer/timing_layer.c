/* What the API layer costs a game, measured by three layers about it, at TIMING_PLACE: the game's side; between that and the API layer, so that
 * between the first and this one is what a layer costs that does nothing; the runtime's side. Each sums, over a frame, what the calls of
 * each kind took that the game made. Of what the runtime did, the locates that the game did not ask for are those that the API layer
 * adds. With each frame a line of nanoseconds goes to the file LAYER_TIMES: of each kind of call the three places' sums; the runtime's for
 * the added locates; and, for what the machine takes whoever asks, two looks at the clock, a send of as many bytes as a frame has to a
 * thread that sleeps until they come, waking a thread that gives way as the API layer's does, and what it is until 20 us are over, of
 * looking at the clock and nothing else. */
#include "../../support/layer_hooks.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define FRAME_BYTES 372
#define PLACES 3
#define IS_FIRST (TIMING_PLACE == 0)
#define IS_LAST (TIMING_PLACE == PLACES - 1)

typedef enum call_kind { WAITING, SYNCING, LOOKING, POLLING, ENDING, KINDS } call_kind;

/* One for all the libraries, which do not know each other: its address goes by the environment. */
typedef struct timing {
    int64_t took[KINDS][PLACES], added; /* of this frame so far */
    bool is_of_game;                    /* the next locate is the game's */
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

#define GAMES_CALL(kind, result, call)                       \
    do {                                                     \
        int64_t begun = now_ns();                            \
        (result) = (call);                                   \
        times->took[kind][TIMING_PLACE] += now_ns() - begun; \
    } while (0)

static XrResult wait_frame(XrSession session, const XrFrameWaitInfo *info, XrFrameState *state)
{
    XrResult result;

    GAMES_CALL(WAITING, result, next_wait_frame(session, info, state));
    return result;
}

static XrResult sync_actions(XrSession session, const XrActionsSyncInfo *info)
{
    XrResult result;

    GAMES_CALL(SYNCING, result, next_sync(session, info));
    return result;
}

static XrResult locate_views(XrSession session, const XrViewLocateInfo *info, XrViewState *state, uint32_t capacity,
                             uint32_t *count, XrView *views)
{
    XrResult result;

    GAMES_CALL(LOOKING, result, next_views(session, info, state, capacity, count, views));
    return result;
}

static XrResult poll_event(XrInstance instance, XrEventDataBuffer *event)
{
    XrResult result;

    GAMES_CALL(POLLING, result, next_poll(instance, event));
    return result;
}

/* The game's comes by the first place, and goes on at once. */
static XrResult locate_space(XrSpace space, XrSpace base, XrTime time, XrSpaceLocation *location)
{
    int64_t begun = now_ns();
    bool is_of_game = times->is_of_game;
    XrResult result;

    times->is_of_game = is_of_game || IS_FIRST;
    result = next_locate(space, base, time, location);
    times->is_of_game = is_of_game;
    if (IS_LAST && !is_of_game)
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

static int wakes; /* as the API layer's thread is woken */

/* sched_attr of sched_setattr(2). */
typedef struct scheduling {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t slice_ns, deadline, period;
} scheduling;

static void *wait_for_wakes(void *context)
{
    /* daemon/layer/feed_link.c: policy SCHED_BATCH, 10 steps below the game's -10 */
    scheduling wanted = {.size = sizeof wanted, .policy = 3, .nice = 0, .slice_ns = 200000};
    uint64_t count;

    syscall(SYS_sched_setattr, 0, &wanted, 0);
    while (read(wakes, &count, sizeof count) == sizeof count)
        continue;
    return context;
}

static void start(void *(*run)(void *))
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, run, NULL) != 0)
        abort();
    pthread_detach(thread);
}

static void open_bare(void)
{
    wakes = eventfd(0, EFD_CLOEXEC);
    if (wakes < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, bare) != 0)
        abort();
    start(read_bare);
    start(wait_for_wakes);
}

static int64_t send_bare(void)
{
    static const char bytes[FRAME_BYTES];
    int64_t begun = now_ns();

    if (send(bare[0], bytes, sizeof bytes, MSG_DONTWAIT | MSG_NOSIGNAL) != FRAME_BYTES)
        abort();
    return now_ns() - begun;
}

/* As long as the API layer takes at the median. */
#define IDLE_NS 20000

static int64_t idle(void)
{
    int64_t begun = now_ns(), now = begun;

    while (now - begun < IDLE_NS)
        now = now_ns();
    return now - begun;
}

static int64_t wake_bare(void)
{
    const uint64_t one = 1;
    int64_t begun = now_ns();

    if (write(wakes, &one, sizeof one) != sizeof one)
        abort();
    return now_ns() - begun;
}

static void end_line(void)
{
    int64_t clock = now_ns();

    clock = now_ns() - clock;
    for (int kind = 0; kind < KINDS; kind++)
        for (int place = 0; place < PLACES; place++)
            fprintf(times->file, "%lld ", (long long)times->took[kind][place]);
    fprintf(times->file, "%lld %lld %lld ", (long long)times->added, (long long)clock, (long long)send_bare());
    fprintf(times->file, "%lld %lld\n", (long long)wake_bare(), (long long)idle());
    memset(times->took, 0, sizeof times->took);
    times->added = 0;
}

static XrResult end_frame(XrSession session, const XrFrameEndInfo *info)
{
    XrResult result;

    GAMES_CALL(ENDING, result, next_end_frame(session, info));
    if (IS_FIRST)
        end_line();
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
