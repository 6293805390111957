/* What the parts of an endpoint share: endpoint.c (connections in their handshake) and endpoint_page.c (those that asked for
 * the page, until they have it). Included by nobody else. */
#ifndef CLASHD_IPC_ENDPOINT_PRIVATE_H
#define CLASHD_IPC_ENDPOINT_PRIVATE_H

#include "ipc/acceptor.h"
#include "ipc/address.h"
#include "ipc/endpoint.h"
#include "log_throttle.h"

typedef struct pending {
    struct pending *next, *previous;
    endpoint *endpoint;
    int fd;
    uv_poll_t poll;
    uv_timer_t timer;
    unsigned handles_open;
    char *answer; /* with a page; NULL: none is on its way */
    size_t answer_length, answer_sent;
    size_t length;
    char bytes[HANDSHAKE_HEADER_MAX];
} pending;

struct endpoint {
    endpoint_settings settings;
    char address[ADDRESS_TEXT_MAX];
    int fd;
    bool is_passed; /* the socket was handed over */
    acceptor *acceptor;
    pending *pending;
    size_t pending_count;
    endpoint_counters counters;
    log_throttle refused;
    handshake verdict; /* of the one that is looked at */
};

/** Returns its descriptor, which is not closed. */
int endpoint_remove(pending *p);
/** Answers, closes, and logs why. */
void endpoint_refuse(endpoint *e, int fd, const handshake *h);
/** Closes so that what has been sent arrives. */
void endpoint_close_drained(int fd);
/** Sends the page to one whose verdict asks for it, and closes. */
void endpoint_send_page(pending *p);

#endif
