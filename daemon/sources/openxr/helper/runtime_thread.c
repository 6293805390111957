/* The OpenXR thread; see runtime_thread.h. One connection after another, each a cycle at absolute deadlines until
 * something fails. Every failure is reported to clients and, once for each kind, to the log. */
#include "runtime_thread.h"

#include "runtime_files.h"
#include "xr_session.h"

#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

/* Each pause is twice the one before, except that a runtime without a headset is only asked again, which costs next to
 * nothing. */
#define PAUSE_MAX_NS 30000000000
#define PAUSE_NO_HEADSET_NS 2000000000
/* How often to look at the files during a pause. */
#define FILES_PERIOD_NS 500000000
/* About half a minute of questions. */
#define INSTANCE_QUESTIONS_MAX 15
/* Wake within this of a deadline; Linux allows itself 50 us by default. */
#define TIMER_SLACK_NS 1000

typedef struct xr_thread {
    xr_link *link;
    xr_reports reports;
    xr_instance instance;
    xr_session session;
    int asked_for_headset; /* how often, of the instance that is open */
    int64_t last_frame_ns;
    bool delivered;                                   /* a frame, during this connection */
    clash_tracking_reason reason;                     /* why the last connection ended or failed */
    uint64_t files;                                   /* their state before that */
    bool told_waiting;                                /* `last_failure` is in the log */
    char last_failure[sizeof((xr_failure *)0)->text]; /* of the last connection that failed */
} xr_thread;

/* ---- one cycle ---- */

static void thread_notify_changes(xr_thread *t, int64_t time_ns)
{
    int64_t change_ns;

    while (xr_session_take_change(&t->session, time_ns, &change_ns))
        xr_reports_space_changed(&t->reports, change_ns > t->last_frame_ns ? change_ns : t->last_frame_ns);
}

static void thread_notify_poses(xr_thread *t, int64_t time_ns, const xr_poses *poses)
{
    bool is_any = false;

    for (int device = 0; device < xr_devices_end(&t->link->settings); device++) {
        is_any |= poses->active[device];
        if (!poses->active[device] && xr_device_is_wanted(&t->link->settings, (uint32_t)device))
            xr_reports_lost(&t->reports, device, time_ns, CLASH_TRACKING_INACTIVE);
    }
    if (!is_any)
        return;
    xr_reports_frame(&t->reports, time_ns, poses->samples, poses->active);
    t->last_frame_ns = time_ns;
    t->delivered = true;
}

static void thread_notify_state(xr_thread *t)
{
    static const char *const others[] = {"no session yet", "the controllers belong to another program for now", ""};
    const bool has_hands = t->session.state == XR_SESSION_STATE_FOCUSED ||
                           t->session.xdevs.spaces[0] != XR_NULL_HANDLE || t->session.xdevs.spaces[1] != XR_NULL_HANDLE;
    const char *detail = others[!t->session.running ? 0 : has_hands ? 2 : 1];

    if (t->reports.runtime.running != t->session.running || strcmp(t->reports.runtime.detail, detail) != 0)
        xr_reports_runtime(&t->reports, t->session.running, t->instance.runtime, detail);
}

static int64_t thread_lookahead(const xr_thread *t)
{
    return atomic_load_explicit(&t->link->lookahead_ns, memory_order_relaxed);
}

/* Take events after the poses but report them before the poses: if the poses already show a change of the space, the
 * change must come first. If the cycle hung, drop its poses. They carry the time at which they were asked for, so they
 * would join the motion before the gap to poses from after it; and they may be older than the loss that the watchdog
 * reported. */
static bool thread_cycle(xr_thread *t, xr_failure *out_failure)
{
    const int64_t began_ns = xr_now_ns(), time_ns = began_ns + thread_lookahead(t);
    bool was_running = t->session.running;
    xr_poses poses;

    if (was_running && !xr_session_look(&t->session, time_ns, &poses, out_failure))
        return false;
    if (!xr_session_events(&t->session, out_failure))
        return false;
    if (!was_running && t->session.running)
        xr_reports_session(&t->reports);
    thread_notify_state(t);
    for (int hand = 0; hand < XR_HANDS; hand++)
        xr_reports_profile(&t->reports, hand, t->session.profile_names[hand]);
    thread_notify_changes(t, time_ns);
    if (was_running && t->session.running && xr_now_ns() - began_ns < XR_LATE_NS)
        thread_notify_poses(t, time_ns, &poses);
    else if (was_running && !t->session.running)
        xr_reports_lost_all(&t->reports, time_ns, CLASH_TRACKING_RUNTIME_LOST);
    xr_actions_vibrate(&t->session.actions, t->session.handle, t->link, t->session.running);
    xr_reports_send(&t->reports);
    return true;
}

/* Return the first deadline after `now_ns`; missed ones are not made up for. */
static int64_t deadline_after(int64_t deadline_ns, int64_t period_ns, int64_t now_ns)
{
    deadline_ns += period_ns;
    if (deadline_ns <= now_ns)
        deadline_ns += (now_ns - deadline_ns) / period_ns * period_ns + period_ns;
    return deadline_ns;
}

/* Put the deadline off while nothing can meet, but keep cycles at most 1 / OPENXR_REST_HZ apart. */
static int64_t rested_deadline(const xr_thread *t, int64_t cycle_ns, int64_t deadline_ns)
{
    const int64_t latest_ns = cycle_ns + (int64_t)(1e9 / OPENXR_REST_HZ);
    int64_t rest_ns;

    if (!t->link->settings.may_rest || !t->link->rest)
        return deadline_ns;
    rest_ns = atomic_load_explicit(t->link->rest, memory_order_relaxed);
    rest_ns = rest_ns < latest_ns ? rest_ns : latest_ns;
    return rest_ns > deadline_ns ? rest_ns : deadline_ns;
}

/* Run cycles until the runtime fails (true, with out_failure) or the thread is to end (false). */
static bool thread_run(xr_thread *t, xr_failure *out_failure)
{
    const int64_t period_ns = (int64_t)(1e9 / t->link->settings.rate_hz);
    int64_t deadline_ns = xr_now_ns();

    int64_t cycle_ns = deadline_ns; /* the deadline of the last cycle */

    while (xr_link_sleep_until(t->link, deadline_ns)) {
        /* clashd's answer to the last poses arrives during this sleep */
        const int64_t rested_ns = rested_deadline(t, cycle_ns, deadline_ns);

        if (rested_ns > deadline_ns) {
            deadline_ns = rested_ns;
            continue;
        }
        if (!thread_cycle(t, out_failure))
            return true;
        cycle_ns = deadline_ns;
        deadline_ns = deadline_after(deadline_ns, period_ns, xr_now_ns());
    }
    return false;
}

/* ---- one connection ---- */

/* Keep an instance that lacks only a headset and ask it again: loader 1.0.20 leaks 1.4 kB with each one. Do not keep it
 * for ever, as a runtime may have decided when the instance was created. */
static bool thread_keeps_instance(xr_thread *t, const xr_failure *failure)
{
    if (failure->reason != CLASH_TRACKING_NO_HEADSET || t->asked_for_headset == INSTANCE_QUESTIONS_MAX)
        t->asked_for_headset = 0;
    else
        t->asked_for_headset++;
    return t->asked_for_headset > 0;
}

static bool thread_connect(xr_thread *t, xr_failure *out_failure)
{
    if (t->instance.handle == XR_NULL_HANDLE && !xr_instance_open(&t->instance, out_failure))
        return false;
    return xr_instance_find_headset(&t->instance, out_failure) &&
           xr_session_open(&t->session, &t->instance, t->link, out_failure);
}

/* Forget the handles; they go with the instance. */
static void thread_disconnect(xr_thread *t)
{
    xr_pulse late;

    while (xr_link_pop_pulse(t->link, &late))
        continue;
    xr_link_set_closing(t->link, true);
    xr_instance_close(&t->instance);
    xr_link_set_closing(t->link, false);
    t->session = (xr_session){0};
}

static void thread_notify_failure(xr_thread *t, const xr_failure *failure)
{
    xr_reports_lost_all(&t->reports, xr_now_ns() + thread_lookahead(t), failure->reason);
    xr_reports_runtime(&t->reports, false, NULL, failure->text);
    xr_reports_send(&t->reports);
}

static void thread_log_waiting(xr_thread *t, const xr_failure *failure)
{
    if (t->told_waiting && strcmp(t->last_failure, failure->text) == 0)
        return;
    xr_link_log(t->link, LOG_LEVEL_WARNING, "%s; trying again until it works", failure->text);
    memcpy(t->last_failure, failure->text, sizeof t->last_failure);
    t->told_waiting = true;
}

static void thread_log_connected(xr_thread *t)
{
    xr_link_log(t->link, LOG_LEVEL_INFO, "connected to %s%s%s", t->instance.runtime,
                t->instance.headset[0] ? ", headset " : "", t->instance.headset);
    t->told_waiting = false;
}

/* Run one connection from beginning to end. Return true if another is to be tried. */
static bool thread_connection(xr_thread *t)
{
    xr_failure failure = {0};
    bool again = true;

    t->delivered = false;
    t->files = xr_files_look();
    if (thread_connect(t, &failure)) {
        thread_log_connected(t);
        again = thread_run(t, &failure);
        if (again)
            xr_link_log(t->link, LOG_LEVEL_WARNING, "the OpenXR session is lost: %s", failure.text);
    } else {
        thread_log_waiting(t, &failure);
    }
    t->reason = failure.reason;
    if (again)
        thread_notify_failure(t, &failure);
    if (!thread_keeps_instance(t, &failure))
        thread_disconnect(t);
    return again;
}

/* ---- between connections ---- */

int64_t xr_pause_after(int64_t pause_ns, clash_tracking_reason reason)
{
    const int64_t max_ns = reason == CLASH_TRACKING_NO_HEADSET ? PAUSE_NO_HEADSET_NS : PAUSE_MAX_NS;

    return pause_ns < max_ns / 2 ? 2 * pause_ns : max_ns;
}

/* Wait before the next connection. Return false if there is none in this process: it is to end, or the runtime's files
 * changed and a fresh process must begin without the old ones. */
static bool thread_pause(xr_thread *t, int64_t pause_ns)
{
    const int64_t until_ns = xr_now_ns() + pause_ns;

    for (int64_t now_ns = xr_now_ns(); now_ns < until_ns; now_ns = xr_now_ns()) {
        if (!xr_link_sleep_until(t->link, until_ns < now_ns + FILES_PERIOD_NS ? until_ns : now_ns + FILES_PERIOD_NS))
            return false;
        xr_reports_send(&t->reports);
        if (xr_files_look() != t->files)
            return false;
    }
    return true;
}

void *xr_thread_main(void *argument)
{
    xr_thread t = {.link = argument};
    int64_t pause_ns = XR_PAUSE_FIRST_NS;

    xr_link_begin(t.link);
    pthread_setname_np(pthread_self(), "clashd-openxr");
    prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS);
    xr_reports_init(&t.reports, t.link);
    while (xr_link_sleep_until(t.link, 0) && thread_connection(&t)) {
        if (t.delivered)
            pause_ns = XR_PAUSE_FIRST_NS;
        if (!thread_pause(&t, pause_ns))
            break;
        pause_ns = xr_pause_after(pause_ns, t.reason);
    }
    thread_disconnect(&t);
    xr_link_finish(t.link);
    return NULL;
}
