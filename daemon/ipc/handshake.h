/* What a connection has to send before it becomes a client, and the answer if that is wrong. Pure: bytes in, a verdict
 * and the bytes of the answer out. One thread at a time. */
#ifndef CLASHD_IPC_HANDSHAKE_H
#define CLASHD_IPC_HANDSHAKE_H

#include "ipc/http_header.h"
#include "ipc/token.h"
#include "protocol/messages/codec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A first line, or an HTTP request's header with its empty line, is at most so long. */
#define HANDSHAKE_LINE_MAX 4096
#define HANDSHAKE_HEADER_MAX 8192
/** The longest answer. */
#define HANDSHAKE_ANSWER_MAX 2048

typedef enum handshake_verdict {
    HANDSHAKE_MORE,   /* incomplete */
    HANDSHAKE_ADMIT,  /* after the answer, if there is one */
    HANDSHAKE_PAGE,   /* it asks for `page`; handshake_page_head makes the answer's head */
    HANDSHAKE_REFUSE, /* close, after the answer */
    HANDSHAKE_DROP    /* close without an answer: it speaks another protocol */
} handshake_verdict;

/** Who may see a page, besides that Host and Origin are right. */
typedef enum page_access {
    PAGE_PUBLIC, /* everybody: there is no secret in it */
    PAGE_TOKEN,  /* who shows the token, if one is required */
    PAGE_OWN     /* who has shown the token, and no page but clashd's own; nobody if none is required */
} page_access;

/** A page that a plain request of HTTP may ask for. */
typedef struct page_route {
    const char *path; /* ends in '/', other than "/" itself: all longer paths that begin with it */
    page_access access;
    const void *what; /* the owner's */
} page_route;

/** What was asked for: parts of the request's bytes. */
typedef struct page_request {
    const page_route *route;
    http_text path, host, none_match;
    bool head_only;
} page_request;

/** Who may come in. Strings are the owner's, and outlive this. */
typedef struct handshake_rules {
    const token *token;                 /* NULL: everybody */
    const char (*allowed_origins)[128]; /* of web pages, as browsers send them; none: pages of this machine */
    size_t origin_count;
    const char (*allowed_hosts)[128]; /* names of this host that a browser may use, besides those of loopback */
    size_t host_count;
    const page_route *pages; /* the first match counts; none: plain requests are refused */
    size_t page_count;
} handshake_rules;

typedef struct handshake {
    handshake_verdict verdict;
    page_request page;        /* of a page */
    char id[PROTOCOL_ID_MAX]; /* of an `auth` that is to be answered; "" for none */
    char reason[256];         /* of a refusal, for the log */
    char answer[HANDSHAKE_ANSWER_MAX];
    size_t answer_length;
} handshake;

/** An answer's header. */
typedef struct page_head {
    const char *content_type;
    const char *cache; /* Cache-Control */
    const char *etag;  /* with its quotes; NULL: none. If the request has it the answer is 304, without a body */
    uint64_t length;   /* of the body */
} page_head;

/** Return how many of `length` bytes belong to what one of the functions below judges; 0: its end has not come. `seen` of them
 *  have been looked at before. */
size_t handshake_line_end(const char *bytes, size_t length, size_t seen);
size_t handshake_header_end(const char *bytes, size_t length, size_t seen);
/** Return whether a line of ours can begin so: with an object, white space, or the first byte of a byte order mark. */
bool handshake_can_begin_line(char c);

/** Look at the first `length` bytes of a connection, of which one of the functions above says `complete`. The rules of
 *  a line have a token. */
void handshake_judge_line(const handshake_rules *rules, const char *bytes, size_t length, bool complete,
                          handshake *out_handshake);
void handshake_judge_http(const handshake_rules *rules, const char *bytes, size_t length, bool complete,
                          handshake *out_handshake);
/** What is answered to one that has not said enough in time, or that finds no room. */
void handshake_line_timeout(const handshake_rules *rules, unsigned wait_ms, handshake *out_handshake);
void handshake_line_full(size_t max_clients, handshake *out_handshake);
void handshake_http_timeout(unsigned wait_ms, handshake *out_handshake);
void handshake_http_full(size_t max_clients, handshake *out_handshake);
/** The head of the answer to a request that was judged HANDSHAKE_PAGE. Return whether a body follows. */
bool handshake_page_head(const page_head *head, const page_request *request, handshake *out_handshake);
/** Its refusal; `status` as "404 Not Found". */
void handshake_page_refuse(const char *status, const char *text, const page_request *request, handshake *out_handshake);

#endif
