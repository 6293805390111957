/* Shared by the parts of an endpoint: endpoint.c (connections in their handshake), endpoint_page.c (connections that
 * receive a page) and page_file.c (pages that are files). Internal to these. */
#ifndef CLASHD_IPC_ENDPOINT_PRIVATE_H
#define CLASHD_IPC_ENDPOINT_PRIVATE_H

#include "ipc/acceptor.h"
#include "ipc/address.h"
#include "ipc/endpoint.h"
#include "log_throttle.h"

typedef struct pending pending;
typedef struct page_file page_file;

/** An answer with a page: its head, on the heap, then its body, which is in memory or a file sent piece by piece. */
struct page_answer {
    pending *pending;
    page_request request;
    bool is_given;
    void (*gone)(void *context); /* called if the connection ends before the answer; may be NULL */
    void *gone_context;
    char *head;
    size_t head_length;
    const char *body; /* for a file: the piece that was read last */
    size_t body_length;
    char *owned;     /* the body, if it is on the heap */
    size_t sent;     /* bytes of head and body */
    size_t paced;    /* bytes sent since the timer was last started */
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
    bool is_passed; /* the listening socket was passed in */
    acceptor *acceptor;
    pending *pending;
    size_t pending_count;
    endpoint_counters counters;
    log_throttle refused;
    handshake verdict; /* for the connection that is being judged */
};

/** Remove it from the endpoint and return its descriptor, which remains open. */
int endpoint_remove(pending *p);
/** Send the answer, close, and log the reason. */
void endpoint_refuse(endpoint *e, int fd, const handshake *h);
/** Close so that the bytes already sent still arrive. */
void endpoint_close_drained(int fd);
/** The verdict is HANDSHAKE_PAGE: ask the owner for the answer, send it, and close. */
void endpoint_send_page(pending *p);
/** Abandon an answer: releases everything but the struct itself. */
void page_answer_drop(page_answer *a);

/** Take ownership of the descriptor of a file of `length` bytes. Return NULL when out of memory; the descriptor is
 *  closed then. */
page_file *page_file_open(uv_loop_t *loop, int fd, uint64_t length, page_answer *reader);
/** Start reading the next piece in another thread, which page_answer_take then receives. Return 1, 0 at the end, or -1
 *  on failure. */
int page_file_read(page_file *file);
/** Called with the piece that page_file_read has read, valid until the next read. NULL: reading failed. */
void page_answer_take(page_answer *a, const char *bytes, size_t length);
/** Close the file, after a read in progress has ended, and free it. Its reader gets no more callbacks. Accepts NULL. */
void page_file_close(page_file *file);

#endif
