/* clashd as a service: tells its manager that it listens, what it does (one line, when that changes), and, for as long as
 * the loop turns, that it lives. A runtime that hangs is no reason for silence: tracking is lost then,
 * and a restart would not help. Does nothing if there is no manager. Knows nothing of how the state is found out. */
#ifndef CLASHD_SERVICE_SERVICE_H
#define CLASHD_SERVICE_SERVICE_H

#include "ports/log.h"

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#define SERVICE_STATUS_MAX 512
/** Changes are told at most this often. */
#define SERVICE_STATUS_MS 1000

typedef struct service_state {
    const char *source, *state, *detail; /* as a source's status has them */
    size_t devices, tracked, clients;
} service_state;

typedef struct service {
    uv_timer_t watchdog, status;
    size_t open; /* of these two handles */
    uint64_t watchdog_us;
    void *context;
    void (*describe)(void *context, service_state *out_state);
    logger log;
    bool ready, had_tracking, complained;
    char said[SERVICE_STATUS_MAX];
} service;

/** Says nothing yet. `describe` is called on the loop's thread from service_ready on. 0, or -1 if libuv refuses. */
int service_open(service *s, uv_loop_t *loop, void *context, void (*describe)(void *context, service_state *out_state),
                 logger log);
/** It takes longer to begin: `what` it does, and for how many seconds at most. */
void service_starting(service *s, const char *what, uint32_t seconds);
/** clashd listens; again at the end of a reload. */
void service_ready(service *s);
/** The configuration is about to be read again; service_ready follows. */
void service_reloading(service *s);
/** The end has begun. The watchdog is fed still. */
void service_stopping(service *s);
/** Nothing more is said; the memory is free when the loop has run. Idempotent. The handles never keep a loop alive. */
void service_close(service *s);

/** "openxr running: 2 of 2 devices tracked; 1 client", in ASCII and one line whatever the runtime calls itself. */
void service_format_status(const service_state *state, bool had_tracking, char out_text[SERVICE_STATUS_MAX]);

#endif
