/* A TCP port at which every connection has to pass a handshake before it becomes a client: `auth` in the first line, or
 * an upgrade to WebSocket. Until then it costs little, has a few seconds, and gets nothing but a refusal.
 * Hands over connected sockets, from which exactly the handshake has been read. All on the loop's thread. */
#ifndef CLASHD_IPC_ENDPOINT_H
#define CLASHD_IPC_ENDPOINT_H

#include "cli/failure.h"
#include "ipc/handshake.h"
#include "ipc/listener.h"
#include "ipc/passed_socket.h"
#include "ports/log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#define ENDPOINT_WAIT_MS_DEFAULT 5000

/** So many connections more than max_clients may be in the handshake where there is a page: it can be looked at when it is
 *  wanted most. */
#define ENDPOINT_PAGE_ROOM 4

/** What a plain request of HTTP gets. */
typedef struct endpoint_page {
    char *bytes; /* on the heap; the endpoint frees them. NULL: there is no memory for it */
    size_t length;
    const char *content_type;
} endpoint_page;

typedef enum endpoint_kind { ENDPOINT_TCP, ENDPOINT_WEBSOCKET } endpoint_kind;

typedef struct endpoint_settings {
    uv_loop_t *loop;
    endpoint_kind kind;
    const char *address; /* see address.h; copied */
    const passed_socket
        *passed; /* listens already: then that one, and the address does not matter; copied. NULL: none */
    handshake_rules rules;
    uint32_t wait_ms; /* for the handshake; 0: the default */
    size_t max_clients;
    logger log;
    void *context;
    /** How many clients there are: with those in the handshake here, at most max_clients. */
    size_t (*clients)(void *context);
    /** One has passed; the callee owns fd. `id` is of an `auth` that waits for its `ok`; "" for none. */
    void (*admitted)(void *context, endpoint_kind kind, int fd, const char *id);
    /** Makes what rules.page is at this moment; of ENDPOINT_WEBSOCKET only. May be NULL if there is no such page. */
    void (*page)(void *context, endpoint_page *out_page);
} endpoint_settings;

typedef struct endpoint_counters {
    uint64_t admitted;
    uint64_t pages;         /* answered in whole */
    uint64_t refused;       /* wrong or no token, wrong origin, no handshake in time, .. */
    uint64_t refused_full;  /* max_clients */
    uint64_t accept_errors; /* as a listener's */
} endpoint_counters;

typedef struct endpoint endpoint;

/** Listens from now on; results and out_failure as in listener_open. */
listener_result endpoint_open(const endpoint_settings *settings, endpoint **out_endpoint, failure *out_failure);
/** With the real port. */
const char *endpoint_address(const endpoint *e);
const endpoint_counters *endpoint_get_counters(const endpoint *e);
/** Connections in their handshake, or on the way out with an answer. */
size_t endpoint_pending_count(const endpoint *e);
/** Stops at once, also those in the handshake; the memory goes when the loop next runs. Calls nothing any more. Accepts
 *  NULL. */
void endpoint_close(endpoint *e);

#endif
