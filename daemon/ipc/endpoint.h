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

/** With pages, allow this many connections in the handshake beyond max_clients: the page has to open even when clashd
 *  is full. A browser opens up to six at once. */
#define ENDPOINT_PAGE_ROOM 8

/** A client has to read this much of an answer within wait_ms, or all that is left; else it is cut off. */
#define ENDPOINT_PAGE_PACE 65536

/** A plain request of HTTP that waits for its answer. */
typedef struct page_answer page_answer;

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
    /** One of rules.pages is asked for; of ENDPOINT_WEBSOCKET only. The callee answers at once, or calls page_answer_later and
     *  answers then. May be NULL if there are none. */
    void (*page)(void *context, page_answer *answer, const page_request *request);
} endpoint_settings;

typedef struct endpoint_counters {
    uint64_t admitted;
    uint64_t pages;         /* answered in whole */
    uint64_t refused;       /* wrong or no token, wrong origin, no handshake in time, .. */
    uint64_t refused_full;  /* max_clients */
    uint64_t accept_errors; /* as a listener's */
} endpoint_counters;

typedef struct endpoint endpoint;

/** Listen from now on; results and out_failure as in listener_open. */
listener_result endpoint_open(const endpoint_settings *settings, endpoint **out_endpoint, failure *out_failure);
/** Return its address, with the port that it really has. */
const char *endpoint_address(const endpoint *e);
const endpoint_counters *endpoint_get_counters(const endpoint *e);
/** Answer a page's request by one of these, once. The body is left out if the request has head's etag, or is HEAD. */
/** With bytes that outlive the endpoint. */
void page_answer_static(page_answer *a, const page_head *head, const void *bytes);
/** With bytes on the heap, which become the endpoint's; NULL: there was no memory for them. */
void page_answer_heap(page_answer *a, const page_head *head, char *bytes);
/** With the first head->length bytes of a file, which are read piece by piece in another thread; the endpoint closes it. If it
 *  has become shorter, or cannot be read, the connection ends early. */
void page_answer_file(page_answer *a, const page_head *head, int fd);
/** `status` as "404 Not Found", `format` what is wrong. */
__attribute__((format(printf, 3, 4))) void page_answer_refuse(page_answer *a, const char *status, const char *format,
                                                              ...);
/** Answer later, within wait_ms, else the request is refused. If the connection ends before, `gone` is called: do not
 *  use the answer after that. */
void page_answer_later(page_answer *a, void (*gone)(void *context), void *context);

/** Connections in their handshake, or on the way out with an answer. */
size_t endpoint_pending_count(const endpoint *e);
/** Stop at once, also those in the handshake; the memory goes when the loop next runs. Calls nothing any more, but for
 *  what page_answer_later was given. Accepts
 *  NULL. */
void endpoint_close(endpoint *e);

#endif
