/* A TCP port on which every connection must complete a handshake before it becomes a client: `auth` in the first line,
 * or an upgrade to WebSocket. Until then it uses few resources, has a few seconds, and receives only a refusal. Passes
 * on connected sockets from which exactly the handshake has been read. Everything runs on the loop's thread. */
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

/** With pages, allow this many connections in their handshake beyond max_clients: the page must open even when clashd
 *  is full. A browser opens up to six connections at once. */
#define ENDPOINT_PAGE_ROOM 8

/** A client must read this many bytes of an answer, or the rest of it, within each wait_ms; otherwise it is
 *  disconnected. */
#define ENDPOINT_PAGE_PACE 65536

/** A plain HTTP request that waits for its answer. */
typedef struct page_answer page_answer;

typedef enum endpoint_kind { ENDPOINT_TCP, ENDPOINT_WEBSOCKET } endpoint_kind;

typedef struct endpoint_settings {
    uv_loop_t *loop;
    endpoint_kind kind;
    const char *address;         /* see address.h; copied */
    const passed_socket *passed; /* if set, use this listening socket and ignore `address`; copied. NULL: none */
    handshake_rules rules;
    uint32_t wait_ms; /* for the handshake; 0: ENDPOINT_WAIT_MS_DEFAULT */
    size_t max_clients;
    logger log;
    void *context;
    /** Return the number of clients. Together with this endpoint's handshakes they are limited to max_clients. */
    size_t (*clients)(void *context);
    /** A client was admitted; the callee owns fd. `id` is that of an `auth` that waits for its `ok`; "" for none. */
    void (*admitted)(void *context, endpoint_kind kind, int fd, const char *id);
    /** ENDPOINT_WEBSOCKET only: a client requested one of rules.pages. The callee answers at once, or calls
     *  page_answer_later and answers then. May be NULL without pages. */
    void (*page)(void *context, page_answer *answer, const page_request *request);
} endpoint_settings;

typedef struct endpoint_counters {
    uint64_t admitted;
    uint64_t pages;         /* answered completely */
    uint64_t refused;       /* wrong or missing token, wrong origin, handshake timeout, .. */
    uint64_t refused_full;  /* because of max_clients */
    uint64_t accept_errors; /* see listener_counters */
} endpoint_counters;

typedef struct endpoint endpoint;

/** Start listening; results and out_failure as in listener_open. */
listener_result endpoint_open(const endpoint_settings *settings, endpoint **out_endpoint, failure *out_failure);
/** Return the bound address, with the actual port. */
const char *endpoint_address(const endpoint *e);
const endpoint_counters *endpoint_get_counters(const endpoint *e);
/** Answer a page's request by exactly one of the functions below. The body is omitted if the request has the head's
 *  etag, or is HEAD. */
/** Answer with bytes that outlive the endpoint. */
void page_answer_static(page_answer *a, const page_head *head, const void *bytes);
/** Answer with bytes on the heap, whose ownership passes to the endpoint. NULL: out of memory, which is answered so. */
void page_answer_heap(page_answer *a, const page_head *head, char *bytes);
/** Answer with the first head->length bytes of a file. Another thread reads them in pieces; the endpoint closes the
 *  file. If the file was truncated or cannot be read, the connection ends early. */
void page_answer_file(page_answer *a, const page_head *head, int fd);
/** `status` is like "404 Not Found", `format` describes the error. */
__attribute__((format(printf, 3, 4))) void page_answer_refuse(page_answer *a, const char *status, const char *format,
                                                              ...);
/** Answer later, within wait_ms; after that the request is refused. If the connection ends first, `gone` is called: do
 *  not use the answer afterwards. */
void page_answer_later(page_answer *a, void (*gone)(void *context), void *context);

/** Return the number of connections in their handshake or still receiving an answer. */
size_t endpoint_pending_count(const endpoint *e);
/** Stop at once, also the handshakes under way; the memory is freed when the loop next runs. Afterwards the only
 *  callback is the `gone` passed to page_answer_later. Accepts NULL. */
void endpoint_close(endpoint *e);

#endif
