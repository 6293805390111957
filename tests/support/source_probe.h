/* Listen to a pose source on a loop of its own, keep everything it reports, in order, and wait for what should come. */
#ifndef CLASHD_TESTS_SOURCE_PROBE_H
#define CLASHD_TESTS_SOURCE_PROBE_H

#include "ports/log.h"
#include "ports/pose_source.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include <cmocka.h>

#define PROBE_REPORTS_MAX 200000
#define PROBE_DEVICES_MAX 64
#define PROBE_LOG_MAX 65536
#define PROBE_TIMEOUT_S 180

typedef enum probe_kind { PROBE_FRAME, PROBE_LOST, PROBE_SPACE, PROBE_ENDED, PROBE_JUMPED } probe_kind;

typedef struct probe_report {
    probe_kind kind;
    pose_frame frame; /* PROBE_FRAME; time_ns of all */
    uint32_t device;  /* PROBE_LOST */
    clash_tracking_reason reason;
} probe_report;

typedef struct probe {
    uv_loop_t loop;
    uv_timer_t ticker; /* so that a wait without reports ends */
    pose_source *source;
    pose_source *stop_at_frame; /* stopped by the listener after `stop_count` frames */
    size_t stop_count;
    char devices[PROBE_DEVICES_MAX][POSE_DEVICE_NAME_MAX];
    uint32_t device_count;
    probe_report *reports;
    size_t count, frames;
    char equipment[4096]; /* a line for each report: RUNTIME, then " DEVICE=PROFILE" for each controller */
    pthread_mutex_t log_mutex;
    char log[PROBE_LOG_MAX]; /* a line a message, after "E ", "W ", "I " or "D " */
    size_t log_length;
} probe;

static inline uint32_t probe_on_device(void *context, const char *name)
{
    probe *p = context;

    for (uint32_t i = 0; i < p->device_count; i++)
        if (strcmp(p->devices[i], name) == 0)
            return i;
    assert_true(p->device_count < PROBE_DEVICES_MAX);
    snprintf(p->devices[p->device_count], POSE_DEVICE_NAME_MAX, "%s", name);
    return p->device_count++;
}

static inline probe_report *probe_add(probe *p, probe_kind kind, int64_t time_ns)
{
    probe_report *report = &p->reports[p->count];

    assert_true(p->count < PROBE_REPORTS_MAX);
    p->count++;
    report->kind = kind;
    report->frame.time_ns = time_ns;
    return report;
}

static inline void probe_on_frame(void *context, const pose_frame *frame)
{
    probe *p = context;

    probe_add(p, PROBE_FRAME, frame->time_ns)->frame = *frame;
    if (++p->frames == p->stop_count && p->stop_at_frame)
        p->stop_at_frame->stop(p->stop_at_frame);
}

static inline void probe_on_lost(void *context, uint32_t device, int64_t time_ns, clash_tracking_reason reason)
{
    probe_report *report = probe_add(context, PROBE_LOST, time_ns);

    report->device = device;
    report->reason = reason;
}

static inline void probe_on_space(void *context, int64_t time_ns)
{
    probe_add(context, PROBE_SPACE, time_ns);
}

static inline void probe_on_equipment(void *context, const pose_equipment *equipment)
{
    probe *p = context;
    char line[1024];
    size_t length = (size_t)snprintf(line, sizeof line, "%s", equipment->runtime), before = strlen(p->equipment);

    for (size_t i = 0; i < equipment->controller_count; i++)
        length += (size_t)snprintf(line + length, sizeof line - length, " %s=%s", equipment->controllers[i].device,
                                   equipment->controllers[i].profile);
    assert_true(length < sizeof line && before + length + 2 < sizeof p->equipment);
    snprintf(p->equipment + before, sizeof p->equipment - before, "%s\n", line);
}

static inline void probe_on_ended(void *context)
{
    probe_add(context, PROBE_ENDED, 0);
}

static inline void probe_on_jumped(void *context, int64_t time_ns)
{
    probe_add(context, PROBE_JUMPED, time_ns);
}

static inline void probe_on_log(void *context, log_level level, const char *message)
{
    probe *p = context;

    pthread_mutex_lock(&p->log_mutex);
    p->log_length +=
        (size_t)snprintf(p->log + p->log_length, PROBE_LOG_MAX - p->log_length, "%c %s\n", "EWID"[level], message);
    if (p->log_length > PROBE_LOG_MAX - 1)
        p->log_length = PROBE_LOG_MAX - 1;
    pthread_mutex_unlock(&p->log_mutex);
}

static inline void probe_on_tick(uv_timer_t *timer)
{
    (void)timer;
}

static inline probe *probe_create(void)
{
    probe *p = calloc(1, sizeof *p);

    assert_non_null(p);
    p->reports = calloc(PROBE_REPORTS_MAX, sizeof *p->reports);
    assert_non_null(p->reports);
    pthread_mutex_init(&p->log_mutex, NULL);
    assert_int_equal(uv_loop_init(&p->loop), 0);
    uv_timer_init(&p->loop, &p->ticker);
    uv_timer_start(&p->ticker, probe_on_tick, 5, 5);
    return p;
}

static inline logger probe_logger(probe *p)
{
    return (logger){.context = p, .write = probe_on_log};
}

static inline pose_listener probe_listener(probe *p)
{
    return (pose_listener){.context = p,
                           .device = probe_on_device,
                           .frame = probe_on_frame,
                           .lost = probe_on_lost,
                           .space_changed = probe_on_space,
                           .equipment = probe_on_equipment,
                           .jumped = probe_on_jumped,
                           .ended = probe_on_ended};
}

static inline void probe_start(probe *p)
{
    const pose_listener listener = probe_listener(p);

    assert_non_null(p->source);
    assert_int_equal(p->source->start(p->source, &listener), 0);
}

/** End the source and the loop; a handle left open fails the test. */
static inline void probe_destroy(probe *p)
{
    pose_source_destroy(p->source);
    uv_close((uv_handle_t *)&p->ticker, NULL);
    uv_run(&p->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&p->loop), 0);
    pthread_mutex_destroy(&p->log_mutex);
    free(p->reports);
    free(p);
}

/* ---- looking at what came ---- */

/** How many times `text` is in the log. */
static inline size_t probe_logged(probe *p, const char *text)
{
    size_t count = 0;

    pthread_mutex_lock(&p->log_mutex);
    for (const char *at = p->log; (at = strstr(at, text)); at += strlen(text))
        count++;
    pthread_mutex_unlock(&p->log_mutex);
    return count;
}

/** Return the first report from `from` on of that kind, and for PROBE_LOST of that device and reason; p->count if
 *  none. */
static inline size_t probe_find(const probe *p, size_t from, probe_kind kind, uint32_t device,
                                clash_tracking_reason reason)
{
    for (size_t i = from; i < p->count; i++)
        if (p->reports[i].kind == kind &&
            (kind != PROBE_LOST || (p->reports[i].device == device && p->reports[i].reason == reason)))
            return i;
    return p->count;
}

static inline size_t probe_count_lost(const probe *p, uint32_t device, clash_tracking_reason reason)
{
    size_t count = 0;

    for (size_t i = 0; (i = probe_find(p, i, PROBE_LOST, device, reason)) < p->count; i++)
        count++;
    return count;
}

static inline pose_source_status probe_status(const probe *p)
{
    pose_source_status status;

    p->source->status(p->source, &status);
    return status;
}

/** Runs the loop until `condition`, which sees it as `p`, holds. */
#define PROBE_WAIT(p, condition)                                                       \
    do {                                                                               \
        const uint64_t probe_until_ns = uv_hrtime() + PROBE_TIMEOUT_S * 1000000000ull; \
        while (!(condition)) {                                                         \
            if (uv_hrtime() > probe_until_ns)                                          \
                fail_msg("waited in vain for %s; log:\n%s", #condition, (p)->log);     \
            uv_run(&(p)->loop, UV_RUN_ONCE);                                           \
        }                                                                              \
    } while (0)

/** Waits for a report, from `from` on, and returns its index. */
static inline size_t probe_wait(probe *p, size_t from, probe_kind kind, uint32_t device, clash_tracking_reason reason)
{
    PROBE_WAIT(p, probe_find(p, from, kind, device, reason) < p->count);
    return probe_find(p, from, kind, device, reason);
}

static inline size_t probe_wait_lost(probe *p, size_t from, uint32_t device, clash_tracking_reason reason)
{
    return probe_wait(p, from, PROBE_LOST, device, reason);
}

/** Waits for `more` frames from now. */
static inline void probe_wait_frames(probe *p, size_t more)
{
    const size_t wanted = p->frames + more;

    PROBE_WAIT(p, p->frames >= wanted);
}

#endif
