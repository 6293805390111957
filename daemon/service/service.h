/* clashd as a service: tell the manager that it listens, what it does (one line, when that changes), and as long as the
 * loop turns that it lives. A hanging runtime does not stop that: tracking is lost then, and a restart would not help.
 * Does nothing without a manager. Knows nothing of how the state is found out. */
#ifndef CLASHD_SERVICE_SERVICE_H
#define CLASHD_SERVICE_SERVICE_H

#include "ports/log.h"

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#define SERVICE_STATUS_MAX 512
/** Changes are reported at most this often. */
#define SERVICE_STATUS_MS 1000

typedef struct service_state {
    const char *source, *state, *detail; /* as in a source's status */
    size_t devices, tracked, clients;
} service_state;

typedef struct service {
    uv_timer_t watchdog, status;
    size_t open; /* how many of these two handles are open */
    uint64_t watchdog_us;
    void *context;
    void (*describe)(void *context, service_state *out_state);
    logger log;
    bool ready, had_tracking, complained;
    char last_status[SERVICE_STATUS_MAX];
} service;

/** Begin without telling anything yet. `describe` is called on the loop's thread from service_ready on. Return 0, or -1
 *  if libuv refuses. */
int service_open(service *s, uv_loop_t *loop, void *context, void (*describe)(void *context, service_state *out_state),
                 logger log);
/** Tell that the start takes longer: `what` it does, and for how many seconds at most. */
void service_starting(service *s, const char *what, uint32_t seconds);
/** clashd listens; call again at the end of a reload. */
void service_ready(service *s);
/** The configuration is about to be read again; service_ready follows. */
void service_reloading(service *s);
/** The end has begun. The watchdog is still fed. */
void service_stopping(service *s);
/** Tell nothing more; the memory is free once the loop has run. Idempotent. The handles never keep a loop alive. */
void service_close(service *s);

/** Write "openxr running: 2 of 2 devices tracked; 1 client", one line of ASCII whatever the runtime calls itself. */
void service_format_status(const service_state *state, bool had_tracking, char out_text[SERVICE_STATUS_MAX]);

#endif
