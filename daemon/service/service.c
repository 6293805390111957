/* What the service manager is told; see service.h. */
#include "service.h"

#include "systemd.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Wait a moment for READY=1, which the manager waits for; everything else is sent again anyway. */
#define READY_TIMEOUT_MS 1000
/* Seconds that the rest of a start takes at most. */
#define START_SECONDS 30

/* ---- the text ---- */

static void format_tracking(const service_state *state, bool had_tracking, char *out, size_t size)
{
    if (state->devices == 0)
        snprintf(out, size, "no devices");
    else if (state->tracked == 0)
        snprintf(out, size, "%s", had_tracking ? "tracking lost" : "nothing tracked");
    else
        snprintf(out, size, "%zu of %zu devices tracked", state->tracked, state->devices);
}

/* Replace line breaks, which would begin another assignment, and non-ASCII, which the manager might not take. */
static void sanitize(char *text)
{
    for (; *text; text++)
        if (*text < ' ' || *text > '~')
            *text = '?';
}

void service_format_status(const service_state *state, bool had_tracking, char out_text[SERVICE_STATUS_MAX])
{
    char tracking[64], clients[64];
    const bool explains = state->detail[0] != '\0';

    format_tracking(state, had_tracking, tracking, sizeof tracking);
    if (state->clients == 0)
        snprintf(clients, sizeof clients, "no clients");
    else
        snprintf(clients, sizeof clients, "%zu client%s", state->clients, state->clients == 1 ? "" : "s");
    snprintf(out_text, SERVICE_STATUS_MAX, "%s %s: %s; %s%s%.300s%s", state->source, state->state, tracking, clients,
             explains ? " (" : "", state->detail, explains ? ")" : "");
    sanitize(out_text);
}

/* ---- telling ---- */

static bool notify(service *s, const char *lines, int timeout_ms)
{
    if (systemd_notify(lines, timeout_ms) == 0)
        return true;
    if (!s->complained)
        LOG_WARNING(&s->log, "the service manager cannot be told: %s", strerror(errno));
    s->complained = true;
    return false;
}

/* Return whether the status changed since it was last sent; if so it is the new one. */
static bool take_status(service *s)
{
    char text[SERVICE_STATUS_MAX];
    service_state state;

    s->describe(s->context, &state);
    s->had_tracking = s->had_tracking || state.tracked > 0;
    service_format_status(&state, s->had_tracking, text);
    if (strcmp(text, s->last_status) == 0)
        return false;
    memcpy(s->last_status, text, sizeof s->last_status);
    return true;
}

static void notify_status(service *s, const char *first)
{
    char lines[SERVICE_STATUS_MAX + 64];

    snprintf(lines, sizeof lines, "%sSTATUS=%s", first, s->last_status);
    if (!notify(s, lines, first[0] ? READY_TIMEOUT_MS : 0))
        s->last_status[0] = '\0'; /* try again later */
}

static void on_status(uv_timer_t *timer)
{
    service *s = timer->data;

    if (take_status(s))
        notify_status(s, "");
}

static void on_watchdog(uv_timer_t *timer)
{
    notify(timer->data, "WATCHDOG=1", 0);
}

/* ---- the life ---- */

int service_open(service *s, uv_loop_t *loop, void *context, void (*describe)(void *context, service_state *out_state),
                 logger log)
{
    uv_timer_t *timers[] = {&s->watchdog, &s->status};

    *s = (service){.context = context, .describe = describe, .log = log};
    s->watchdog_us = systemd_watchdog_us();
    for (size_t i = 0; i < sizeof timers / sizeof timers[0]; i++) {
        if (uv_timer_init(loop, timers[i]) != 0)
            return -1;
        timers[i]->data = s;
        uv_unref((uv_handle_t *)timers[i]);
        s->open = i + 1;
    }
    return 0;
}

/* Start the timers; the watchdog counts from READY=1. */
static void start_timers(service *s)
{
    const uint64_t half_ms = s->watchdog_us / 2000;

    if (s->watchdog_us > 0)
        uv_timer_start(&s->watchdog, on_watchdog, 0, half_ms > 0 ? half_ms : 1);
    if (getenv("NOTIFY_SOCKET"))
        uv_timer_start(&s->status, on_status, SERVICE_STATUS_MS, SERVICE_STATUS_MS);
}

void service_starting(service *s, const char *what, uint32_t seconds)
{
    char lines[SERVICE_STATUS_MAX];

    snprintf(lines, sizeof lines, "STATUS=%s\nEXTEND_TIMEOUT_USEC=%" PRIu64, what,
             ((uint64_t)seconds + START_SECONDS) * 1000000);
    notify(s, lines, READY_TIMEOUT_MS);
}

void service_ready(service *s)
{
    take_status(s);
    notify_status(s, "READY=1\n");
    if (s->ready)
        return;
    s->ready = true;
    start_timers(s);
}

/* The time is for Type=notify-reload; other types ignore it. */
void service_reloading(service *s)
{
    char lines[64];

    snprintf(lines, sizeof lines, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, uv_hrtime() / 1000);
    notify(s, lines, READY_TIMEOUT_MS);
}

void service_stopping(service *s)
{
    if (s->open == 0)
        return;
    uv_timer_stop(&s->status);
    notify(s, "STOPPING=1\nSTATUS=stopping", 0);
}

void service_close(service *s)
{
    uv_timer_t *timers[] = {&s->watchdog, &s->status};

    while (s->open > 0)
        uv_close((uv_handle_t *)timers[--s->open], NULL);
}
