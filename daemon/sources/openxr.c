/* Source: OpenXR; the loop's side. Starts the thread, hands what comes through the ring to the listener, keeps watch, and
 * passes pulses back. See openxr.h; the thread's side is openxr_thread.c. */
#include "sources/openxr_thread.h"
#include "sources/openxr_watchdog.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STOP_PATIENCE_NS 1000000000
#define THREAD_ENDED "its thread has ended inside the runtime"

/* What the loop holds; outlives the source until both have closed. */
typedef struct source_handles {
    uv_async_t async;
    uv_timer_t timer;
    int open;
} source_handles;

typedef struct openxr_source {
    pose_source source;
    openxr_settings settings;
    uv_loop_t *loop;
    logger log;
    pose_listener listener;
    uint32_t devices[XR_HANDS];
    source_handles *handles; /* NULL: stopped */
    xr_link *link;           /* NULL: stopped */
    pthread_t thread;
    xr_watchdog watchdog;
    ring_runtime runtime;                   /* as last heard */
    char profiles[XR_HANDS][RING_TEXT_MAX]; /* likewise; "": no controller, or none is known */
    uint64_t frames, dropped;
} openxr_source;

/* ---- from the ring to the listener ---- */

static void source_deliver_frame(openxr_source *s, const ring_record *record)
{
    pose_frame frame = {.time_ns = record->time_ns, .count = record->as.frame.count};

    if (record->gap)
        LOG_WARNING(&s->log, "openxr: %" PRIu64 " frames dropped so far, the loop did not take them in time",
                    ring_dropped(s->link->ring));
    memcpy(frame.samples, record->as.frame.samples, frame.count * sizeof *frame.samples);
    s->frames++;
    s->listener.frame(s->listener.context, &frame);
}

/* ---- what poses come from ---- */

static void source_tell_equipment(openxr_source *s)
{
    pose_equipment equipment = {.runtime = s->runtime.name};

    if (!s->listener.equipment)
        return;
    for (int hand = 0; hand < XR_HANDS; hand++) {
        const size_t index = equipment.controller_count;

        if (s->profiles[hand][0] == '\0')
            continue;
        equipment.controllers[index].device = hand == 0 ? OPENXR_DEVICE_LEFT : OPENXR_DEVICE_RIGHT;
        equipment.controllers[index].profile = s->profiles[hand];
        equipment.controller_count++;
    }
    s->listener.equipment(s->listener.context, &equipment);
}

static void source_take_runtime(openxr_source *s, const ring_runtime *runtime)
{
    const bool is_other = strcmp(s->runtime.name, runtime->name) != 0;

    s->runtime = *runtime;
    if (is_other)
        source_tell_equipment(s);
}

static void source_take_profile(openxr_source *s, uint32_t device, const char *profile)
{
    for (int hand = 0; hand < XR_HANDS; hand++)
        if (s->devices[hand] == device)
            snprintf(s->profiles[hand], sizeof s->profiles[hand], "%s", profile);
    source_tell_equipment(s);
}

static void source_deliver(openxr_source *s, const ring_record *record)
{
    switch (record->kind) {
    case RING_FRAME:
        source_deliver_frame(s, record);
        break;
    case RING_LOST:
        s->listener.lost(s->listener.context, record->as.lost.device, record->time_ns, record->as.lost.reason);
        break;
    case RING_SPACE_CHANGED:
        s->listener.space_changed(s->listener.context, record->time_ns);
        break;
    case RING_RUNTIME:
        source_take_runtime(s, &record->as.runtime);
        break;
    case RING_CONTROLLER:
        source_take_profile(s, record->as.controller.device, record->as.controller.profile);
        break;
    }
}

static void source_drain(openxr_source *s)
{
    ring_record record;

    while (s->link && ring_pop(s->link->ring, &record))
        source_deliver(s, &record);
}

static void source_on_async(uv_async_t *async)
{
    source_drain(async->data);
}

/* What came before the stall is delivered before the loss. */
static void source_on_timer(uv_timer_t *timer)
{
    openxr_source *s = timer->data;
    xr_watchdog_change change;

    source_drain(s);
    if (!s->link)
        return;
    change = xr_watchdog_look(&s->watchdog, s->link);
    if (change == XR_WATCHDOG_GOES_ON)
        LOG_INFO(&s->log, "openxr: the runtime answers again");
    if (change != XR_WATCHDOG_STALLS && change != XR_WATCHDOG_DIES)
        return;
    if (change == XR_WATCHDOG_STALLS)
        LOG_WARNING(&s->log, "openxr: the runtime does not answer");
    else
        LOG_ERROR(&s->log, "openxr: " THREAD_ENDED "; only a restart of clashd brings tracking back");
    for (int hand = 0; hand < XR_HANDS && s->link; hand++)
        s->listener.lost(s->listener.context, s->devices[hand], xr_now_ns() + s->settings.lookahead_ns,
                         CLASH_TRACKING_RUNTIME_STALLED);
}

/* ---- starting and stopping ---- */

static void source_on_close(uv_handle_t *handle)
{
    source_handles *handles = handle->data;

    if (--handles->open == 0)
        free(handles);
}

static void source_close_handles(openxr_source *s)
{
    source_handles *handles = s->handles;

    s->handles = NULL;
    handles->async.data = handles->timer.data = handles;
    uv_close((uv_handle_t *)&handles->async, source_on_close);
    uv_close((uv_handle_t *)&handles->timer, source_on_close);
}

static int source_open_handles(openxr_source *s)
{
    source_handles *handles = calloc(1, sizeof *handles);

    if (!handles)
        return -1;
    handles->async.data = handles->timer.data = handles;
    if (uv_async_init(s->loop, &handles->async, source_on_async) < 0) {
        free(handles);
        return -1;
    }
    handles->open = 1;
    if (uv_timer_init(s->loop, &handles->timer) < 0) {
        uv_close((uv_handle_t *)&handles->async, source_on_close);
        return -1;
    }
    handles->open = 2;
    s->handles = handles;
    if (uv_timer_start(&handles->timer, source_on_timer, XR_WATCHDOG_PERIOD_MS, XR_WATCHDOG_PERIOD_MS) < 0) {
        source_close_handles(s);
        return -1;
    }
    handles->async.data = handles->timer.data = s;
    return 0;
}

/* Signals are the loop's; a runtime whose socket has died must not end us by SIGPIPE either. */
static int source_start_thread(openxr_source *s)
{
    sigset_t all, before;
    int error;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(&s->thread, NULL, xr_thread_main, s->link);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

static int source_start(pose_source *source, const pose_listener *listener)
{
    openxr_source *s = (openxr_source *)source;

    assert(!s->link);
    s->listener = *listener;
    s->devices[0] = listener->device(listener->context, OPENXR_DEVICE_LEFT);
    s->devices[1] = listener->device(listener->context, OPENXR_DEVICE_RIGHT);
    s->watchdog = (xr_watchdog){0};
    s->runtime = (ring_runtime){0};
    memset(s->profiles, 0, sizeof s->profiles);
    if (source_open_handles(s) < 0) {
        LOG_ERROR(&s->log, "openxr: out of memory or descriptors");
        return -1;
    }
    s->link = xr_link_create(&s->settings, s->devices, &s->handles->async, s->log);
    if (!s->link || source_start_thread(s) != 0) {
        LOG_ERROR(&s->log, "openxr: the system refuses a thread");
        xr_link_destroy(s->link);
        s->link = NULL;
        source_close_handles(s);
        return -1;
    }
    return 0;
}

#ifdef __GLIBC__
/* What runs at a process's end takes the loader and the runtime apart, which is nothing for a thread that is still in there. */
static void end_at_once(int code, void *unused)
{
    (void)unused;
    _exit(code);
}
#endif

static void leave_thread(openxr_source *s)
{
    pthread_detach(s->thread);
#ifdef __GLIBC__
    on_exit(end_at_once, NULL);
#endif
    LOG_WARNING(&s->log, "openxr: the runtime still does not answer; its thread is left behind");
}

static void source_stop(pose_source *source)
{
    openxr_source *s = (openxr_source *)source;
    xr_link *link = s->link;

    if (!link)
        return;
    s->link = NULL;
    if (!xr_link_thread_lives(link) || xr_link_stop(link, STOP_PATIENCE_NS)) {
        pthread_join(s->thread, NULL);
        s->dropped += ring_dropped(link->ring);
        xr_link_destroy(link);
    } else {
        leave_thread(s);
    }
    source_close_handles(s);
}

/* ---- the ports ---- */

static const char *source_state(const openxr_source *s)
{
    if (s->watchdog.stalled || s->watchdog.dead)
        return "stalled";
    return s->runtime.running ? "running" : "waiting";
}

static const char *source_detail(const openxr_source *s)
{
    if (s->watchdog.dead)
        return THREAD_ENDED;
    return s->watchdog.stalled ? "the runtime does not answer" : s->runtime.detail;
}

static void source_status(const pose_source *source, pose_source_status *out_status)
{
    const openxr_source *s = (const openxr_source *)source;

    *out_status = (pose_source_status){
        .kind = "openxr",
        .state = source_state(s),
        .runtime = s->runtime.name,
        .detail = source_detail(s),
        .frames = s->frames,
        .dropped = s->dropped + (s->link ? ring_dropped(s->link->ring) : 0),
        .reconnects = s->runtime.sessions > 1 ? s->runtime.sessions - 1 : 0,
        .dead = s->watchdog.dead,
    };
}

static void source_destroy(pose_source *source)
{
    source_stop(source);
    free(source);
}

static void source_pulse(void *context, uint32_t device, float amplitude, int64_t duration_ns)
{
    openxr_source *s = context;

    for (uint32_t hand = 0; hand < XR_HANDS && s->link; hand++)
        if (s->devices[hand] == device && amplitude > 0 && duration_ns > 0)
            xr_link_push_pulse(
                s->link, &(xr_pulse){.hand = hand, .amplitude = fminf(amplitude, 1.0f), .duration_ns = duration_ns});
}

pose_source *openxr_source_create(const openxr_settings *settings, uv_loop_t *loop, logger log)
{
    openxr_source *s = calloc(1, sizeof *s);

    assert(settings->rate_hz >= 1 && settings->rate_hz <= 10000);
    if (!s)
        return NULL;
    /* The loader would print the same errors at every attempt, on top of what we say once. */
    setenv("XR_LOADER_DEBUG", "none", 0);
    s->source =
        (pose_source){.start = source_start, .stop = source_stop, .status = source_status, .destroy = source_destroy};
    s->settings = *settings;
    s->loop = loop;
    s->log = log;
    return &s->source;
}

haptic_output openxr_source_haptics(pose_source *source)
{
    return (haptic_output){.context = source, .pulse = source_pulse};
}
