/* What the parts of an endpoint share: endpoint.c (connections in their handshake), endpoint_page.c (those that asked for a page,
 * until they have it) and page_file.c (pages that are files). Included by nobody else. */
#ifndef CLASHD_IPC_ENDPOINT_PRIVATE_H
#define CLASHD_IPC_ENDPOINT_PRIVATE_H

#include "ipc/acceptor.h"
#include "ipc/address.h"
#include "ipc/endpoint.h"
#include "log_throttle.h"

typedef struct pending pending;
typedef struct page_file page_file;

/** An answer with a page: its head, on the heap, then its body: bytes, or a file piece by piece. */
struct page_answer {
    pending *pending;
    page_request request;
    bool is_given;
    void (*gone)(void *context); /* called if the answer never comes; may be NULL */
    void *gone_context;
    char *head;
    size_t head_length;
    const char *body; /* or, of a file, the piece that has been read */
    size_t body_length;
    char *owned;     /* the body, if it is on the heap */
    size_t sent;     /* of head and body */
    size_t paced;    /* sent since the timer was last set */
    page_file *file; /* NULL: none */
};

struct pending {
    struct pending *next, *previous;
    endpoint *endpoint;
    int fd;
    uv_poll_t poll;
    uv_timer_t timer;
    unsigned handles_open;
    page_answer answer;
    size_t length;
    char bytes[HANDSHAKE_HEADER_MAX];
};

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

/** Return its descriptor, which is not closed. */
int endpoint_remove(pending *p);
/** Answer, close, and log why. */
void endpoint_refuse(endpoint *e, int fd, const handshake *h);
/** Close so that what has been sent arrives. */
void endpoint_close_drained(int fd);
/** Ask for the answer to one whose verdict wants a page, send it, and close. */
void endpoint_send_page(pending *p);
/** Abandon an answer: afterwards only its memory is left. */
void page_answer_drop(page_answer *a);

/** Take over the descriptor of a file of so many bytes. Return NULL if there is no memory; it is closed then. */
page_file *page_file_open(uv_loop_t *loop, int fd, uint64_t length, page_answer *reader);
/** Read the next piece in another thread; page_answer_take has it then. 1, 0 if all has been read, or -1. */
int page_file_read(page_file *file);
/** Called with what page_file_read has read, valid until the next read; NULL: reading failed. */
void page_answer_take(page_answer *a, const char *bytes, size_t length);
/** Close it, as soon as nothing is read; its memory goes then. Its reader is told nothing any more. Accepts NULL. */
void page_file_close(page_file *file);

#endif
