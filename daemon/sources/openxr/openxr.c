/* Source: OpenXR. Runs the runtime in a process of its own (helper_process.h), hands what comes from it to the listener
 * (helper_messages.c), and starts another process when it is gone. See openxr.h. */
#include "openxr_private.h"
#include "platform/helper_place.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The pause between two processes; each is twice the one before. */
#define PAUSE_FIRST_MS 50
#define PAUSE_MAX_MS 30000
#define PAUSE_RENEWED_MAX_MS 2000

/* ---- one process after another ---- */

static void on_ended(void *context, xr_end end, int number);

static void source_begin(openxr_source *s)
{
    const xr_process_user user = {.context = s,
                                  .message = source_on_message,
                                  .printed = source_on_printed,
                                  .silent = source_on_silent,
                                  .ended = on_ended};
    failure problem = {0};
    char path[PATH_MAX];

    s->has_delivered = false;
    s->thread = XR_THREAD_ALIVE;
    if (helper_place(OPENXR_HELPER_NAME, OPENXR_HELPER_VARIABLE, "sources/openxr/helper", path, sizeof path) != 0)
        snprintf(path, sizeof path, OPENXR_HELPER_NAME);
    s->process = xr_process_start(s->loop, path, &s->settings, &user, &problem);
    if (s->process) {
        s->trouble[0] = '\0';
        xr_process_hold(s->process, s->is_held);
        return;
    }
    LOG_ERROR(&s->log, "openxr: the process for the runtime cannot be started: %s", problem.text);
    snprintf(s->trouble, sizeof s->trouble, "the process for the runtime cannot be started: %.160s", problem.text);
    source_lost_all(s, CLASH_TRACKING_NO_RUNTIME);
}

/* Free the processes that have ended at last. Return whether there is room for one more that may hang. */
static bool source_reap(openxr_source *s)
{
    bool has_room = false;

    for (size_t i = 0; i < LEFT_MAX; i++) {
        if (s->left[i] && xr_process_is_gone(s->left[i])) {
            xr_process_release(s->left[i]);
            s->left[i] = NULL;
        }
        has_room = has_room || !s->left[i];
    }
    return has_room;
}

static void source_pause(openxr_source *s, uint64_t most_ms);

static void on_timer(uv_timer_t *timer)
{
    openxr_source *s = timer->data;

    if (source_reap(s))
        source_begin(s);
    else
        snprintf(s->trouble, sizeof s->trouble, "%d processes that hang in the runtime do not even end when killed",
                 LEFT_MAX);
    if (!s->process)
        source_pause(s, PAUSE_MAX_MS);
}

static void source_pause(openxr_source *s, uint64_t most_ms)
{
    if (!s->timer) /* the listener stopped it meanwhile */
        return;
    s->pause_ms = s->has_delivered ? PAUSE_FIRST_MS : s->pause_ms < most_ms / 2 ? 2 * s->pause_ms : most_ms;
    s->has_delivered = false;
    if (uv_timer_start(s->timer, on_timer, s->pause_ms, 0) < 0 && !s->process)
        source_begin(s);
}

/* Say what became of a process that ended without being told to. Return NULL if it only starts again. */
static const char *source_explain(const openxr_source *s, xr_end end, int number, char *text, size_t size)
{
    if (end == XR_END_EXIT && number == 0)
        return NULL;
    if (s->thread == XR_THREAD_NO_END)
        return "the runtime does not end its instance";
    if (s->thread == XR_THREAD_NO_ANSWER)
        return "the runtime has not answered for a minute";
    if (s->thread == XR_THREAD_ENDED)
        return "the runtime has ended the thread that was in it";
    if (end == XR_END_SIGNAL)
        snprintf(text, size, "the runtime's library has crashed (%s)", strsignal(number));
    else if (end == XR_END_EXIT && number == XR_WIRE_NO_START)
        snprintf(text, size, "the process for the runtime could not begin");
    else if (end == XR_END_EXIT)
        snprintf(text, size, "the runtime's library has ended its process (exit code %d)", number);
    else
        snprintf(text, size, "the process with the runtime %s",
                 end == XR_END_NEVER ? "was not heard of any more, and does not end when killed"
                                     : "made no sense any more");
    return text;
}

static void source_notify_end(openxr_source *s, const char *why)
{
    s->left_behind++;
    LOG_WARNING(&s->log, "openxr: %s: it is left behind, and another process begins (%" PRIu64 " so far)", why,
                s->left_behind);
    snprintf(s->trouble, sizeof s->trouble, "%s", why);
    source_lost_all(s, CLASH_TRACKING_RUNTIME_LOST);
}

static void source_leave(openxr_source *s, xr_end end)
{
    xr_process *p = s->process;

    s->process = NULL;
    for (size_t i = 0; p && end == XR_END_NEVER && i < LEFT_MAX; i++)
        if (!s->left[i]) {
            s->left[i] = p;
            return;
        }
    xr_process_release(p);
}

static void on_ended(void *context, xr_end end, int number)
{
    openxr_source *s = context;
    char text[128];
    const char *why = source_explain(s, end, number, text, sizeof text);

    source_take_last_words(s, end == XR_END_SIGNAL);
    source_leave(s, end);
    s->dropped_before += s->dropped;
    s->sessions_before += s->runtime.sessions;
    s->dropped = 0;
    s->is_silent = false;
    s->runtime.running = false;
    s->runtime.sessions = 0;
    if (why)
        source_notify_end(s, why);
    source_pause(s, why ? PAUSE_MAX_MS : PAUSE_RENEWED_MAX_MS);
}

/* ---- starting and stopping ---- */

static void free_handle(uv_handle_t *handle)
{
    free(handle);
}

static int source_open_timer(openxr_source *s)
{
    uv_timer_t *timer = calloc(1, sizeof *timer);

    if (!timer || uv_timer_init(s->loop, timer) < 0) {
        free(timer);
        return -1;
    }
    timer->data = s;
    s->timer = timer;
    return 0;
}

static int source_start(pose_source *source, const pose_listener *listener)
{
    openxr_source *s = (openxr_source *)source;

    assert(!s->timer);
    s->listener = *listener;
    for (uint32_t i = 0; i < XR_DEVICES; i++)
        s->devices[i] =
            xr_device_is_wanted(&s->settings, i) ? listener->device(listener->context, xr_devices[i]) : UINT32_MAX;
    s->runtime = (ring_runtime){0};
    s->is_silent = false;
    s->lost_ns = INT64_MIN;
    s->pause_ms = PAUSE_FIRST_MS;
    memset(s->profiles, 0, sizeof s->profiles);
    source_choose_offsets(s);
    memset(s->reported, 0, sizeof s->reported);
    if (source_open_timer(s) < 0) {
        LOG_ERROR(&s->log, "openxr: out of memory");
        return -1;
    }
    source_begin(s);
    if (!s->process)
        source_pause(s, PAUSE_MAX_MS);
    return 0;
}

static void source_stop(pose_source *source)
{
    openxr_source *s = (openxr_source *)source;

    if (!s->timer)
        return;
    uv_close((uv_handle_t *)s->timer, free_handle);
    s->timer = NULL;
    s->dropped_before += s->dropped;
    s->dropped = 0;
    xr_process_release(s->process);
    s->process = NULL;
    for (size_t i = 0; i < LEFT_MAX; i++) {
        xr_process_release(s->left[i]);
        s->left[i] = NULL;
    }
}

/* ---- the ports ---- */

static void source_hold(pose_source *source, bool is_held)
{
    openxr_source *s = (openxr_source *)source;

    s->is_held = is_held;
    if (s->process)
        xr_process_hold(s->process, is_held);
}

static bool source_is_stalled(const openxr_source *s)
{
    return s->process && (s->is_silent || s->thread != XR_THREAD_ALIVE);
}

static void source_status(const pose_source *source, pose_source_status *out_status)
{
    const openxr_source *s = (const openxr_source *)source;
    const uint64_t sessions = s->sessions_before + s->runtime.sessions;
    const bool is_stalled = source_is_stalled(s);

    *out_status = (pose_source_status){
        .kind = "openxr",
        .state = is_stalled           ? "stalled"
                 : s->runtime.running ? "running"
                                      : "waiting",
        .runtime = s->runtime.name,
        .detail = is_stalled && s->is_silent ? "the process with the runtime, clashd-openxr, does not answer"
                  : is_stalled               ? "the runtime does not answer"
                  : s->trouble[0]            ? s->trouble
                                             : s->runtime.detail,
        .frames = s->frames,
        .dropped = s->dropped_before + s->dropped,
        .reconnects = sessions > 1 ? sessions - 1 : 0,
        .left_behind = s->left_behind,
        .clock_error_ns = s->clock_error_ns,
    };
}

/* Poses are asked for `lookahead_ns` ahead, so rest ends that much earlier. Tell the process only if it can leave out
 * at least one sample, and only until the next one at OPENXR_REST_HZ: a definition or a push may end the rest
 * before. */
static void source_rest(pose_source *source, int64_t until_ns)
{
    openxr_source *s = (openxr_source *)source;
    const int64_t period_ns = (int64_t)(1e9 / s->settings.rate_hz), now_ns = source_now_ns();

    const int64_t longest_ns = now_ns + (int64_t)(1e9 / OPENXR_REST_HZ);

    until_ns -= until_ns == INT64_MAX ? 0 : s->settings.lookahead_ns;
    until_ns = until_ns < longest_ns ? until_ns : longest_ns;
    if (s->process && until_ns > now_ns + period_ns)
        xr_process_rest(s->process, until_ns);
}

static void source_look_ahead(pose_source *source, int64_t ahead_ns)
{
    openxr_source *s = (openxr_source *)source;

    s->settings.lookahead_ns = ahead_ns;
    if (s->process && !xr_process_look_ahead(s->process, ahead_ns))
        LOG_WARNING(&s->log, "the other lookahead waits for the next connection to the runtime");
}

static void source_offset(pose_source *source, const pose_offsets *offsets)
{
    openxr_source *s = (openxr_source *)source;

    s->offsets = *offsets;
    source_choose_offsets(s);
}

static void source_destroy(pose_source *source)
{
    source_stop(source);
    free(source);
}

static void source_pulse(void *context, uint32_t device, float amplitude, int64_t duration_ns)
{
    openxr_source *s = context;

    for (uint32_t hand = 0; hand < XR_HANDS && s->process; hand++)
        if (s->devices[hand] == device && amplitude > 0 && duration_ns > 0)
            xr_process_pulse(
                s->process, &(xr_pulse){.hand = hand, .amplitude = fminf(amplitude, 1.0f), .duration_ns = duration_ns});
}

pose_source *openxr_source_create(const openxr_settings *settings, uv_loop_t *loop, logger log)
{
    openxr_source *s = calloc(1, sizeof *s);

    assert(settings->rate_hz >= 1 && settings->rate_hz <= 10000);
    if (!s)
        return NULL;
    /* Quiet the loader: it would print its errors at every attempt, and we log them once. */
    setenv("XR_LOADER_DEBUG", "none", 0);
    s->source = (pose_source){.start = source_start,
                              .stop = source_stop,
                              .hold = source_hold,
                              .status = source_status,
                              .rest = settings->may_rest ? source_rest : NULL,
                              .look_ahead = source_look_ahead,
                              .offset = source_offset,
                              .destroy = source_destroy};
    for (int hand = 0; hand < XR_HANDS; hand++)
        s->held[hand] = (xr_offset){XR_OFFSET_NONE, false};
    s->settings = *settings;
    s->loop = loop;
    s->log = log;
    return &s->source;
}

haptic_output openxr_source_haptics(pose_source *source)
{
    return (haptic_output){.context = source, .pulse = source_pulse};
}

uint32_t openxr_tracker_add(uint32_t trackers, const char *device, const logger *log)
{
    const uint32_t bit = openxr_tracker(device);

    if (bit == 0 && strncmp(device, OPENXR_TRACKER_PREFIX, strlen(OPENXR_TRACKER_PREFIX)) == 0)
        LOG_WARNING(log, "\"%s\" is no role of a tracker: it will be nowhere", device);
    else if (__builtin_popcount(trackers | bit) > OPENXR_TRACKERS_MAX)
        LOG_WARNING(log, "\"%s\" is one tracker too many: %d are followed", device, OPENXR_TRACKERS_MAX);
    else
        trackers |= bit;
    return trackers;
}
