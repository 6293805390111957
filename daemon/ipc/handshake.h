/* The handshake that a connection must complete before it becomes a client, and the answer if it is wrong. Pure: takes
 * bytes, returns a verdict and the bytes of the answer. One thread at a time. */
#ifndef CLASHD_IPC_HANDSHAKE_H
#define CLASHD_IPC_HANDSHAKE_H

#include "ipc/http_header.h"
#include "ipc/token.h"
#include "protocol/messages/codec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Maximum length of a first line, and of an HTTP request's header including its empty line. */
#define HANDSHAKE_LINE_MAX 4096
#define HANDSHAKE_HEADER_MAX 8192
/** The longest answer. */
#define HANDSHAKE_ANSWER_MAX 2048

typedef enum handshake_verdict {
    HANDSHAKE_MORE,   /* incomplete */
    HANDSHAKE_ADMIT,  /* send the answer first, if there is one */
    HANDSHAKE_PAGE,   /* a request for `page`; handshake_page_head makes the answer's head */
    HANDSHAKE_REFUSE, /* send the answer, then close */
    HANDSHAKE_DROP    /* close without an answer: the client uses another protocol */
} handshake_verdict;

/** Which clients may get a page, besides the checks of Host and Origin. */
typedef enum page_access {
    PAGE_PUBLIC, /* any client: contains no secret */
    PAGE_TOKEN,  /* clients that present the token, if one is required */
    PAGE_OWN     /* clients that present the token, but no foreign page; no client if tokens are not required */
} page_access;

/** A page that a plain HTTP request may ask for. */
typedef struct page_route {
    const char *path; /* matches every longer path that begins with it, if it ends in '/' and is not "/" itself */
    page_access access;
    const void *what; /* owned and interpreted by the endpoint's owner */
} page_route;

/** The requested page: slices of the request's bytes. */
typedef struct page_request {
    const page_route *route;
    http_text path, host, none_match;
    bool head_only;
} page_request;

/** Which clients are admitted. The strings belong to the owner, and outlive this. */
typedef struct handshake_rules {
    const token *token;                 /* NULL: any client is admitted */
    const char (*allowed_origins)[128]; /* of web pages, as browsers send them; none: only pages of this machine */
    size_t origin_count;
    const char (*allowed_hosts)[128]; /* names of this host that a browser may use, in addition to the loopback names */
    size_t host_count;
    const page_route *pages; /* the first match is used; none: plain requests are refused */
    size_t page_count;
} handshake_rules;

typedef struct handshake {
    handshake_verdict verdict;
    page_request page;        /* for HANDSHAKE_PAGE */
    char id[PROTOCOL_ID_MAX]; /* of an `auth` that needs an answer; "" for none */
    char reason[256];         /* of a refusal, for the log */
    char answer[HANDSHAKE_ANSWER_MAX];
    size_t answer_length;
} handshake;

/** The header of an answer. */
typedef struct page_head {
    const char *content_type;
    const char *cache; /* Cache-Control */
    const char *etag;  /* including its quotes; NULL: none. If the request has it the answer is 304, without a body */
    uint64_t length;   /* of the body */
} page_head;

/** Return how many of `length` bytes belong to the handshake that the functions below judge; 0: incomplete. The first
 *  `seen` bytes were searched before. */
size_t handshake_line_end(const char *bytes, size_t length, size_t seen);
size_t handshake_header_end(const char *bytes, size_t length, size_t seen);
/** Return whether a message line can begin with this byte: an object, white space, or the first byte of a byte order
 *  mark. */
bool handshake_can_begin_line(char c);

/** Judge the first `length` bytes of a connection; `complete`: one of the functions above found the end. Rules for
 *  lines always have a token. */
void handshake_judge_line(const handshake_rules *rules, const char *bytes, size_t length, bool complete,
                          handshake *out_handshake);
void handshake_judge_http(const handshake_rules *rules, const char *bytes, size_t length, bool complete,
                          handshake *out_handshake);
/** The answer to a client that timed out, or that exceeds max_clients. */
void handshake_line_timeout(const handshake_rules *rules, unsigned wait_ms, handshake *out_handshake);
void handshake_line_full(size_t max_clients, handshake *out_handshake);
void handshake_http_timeout(unsigned wait_ms, handshake *out_handshake);
void handshake_http_full(size_t max_clients, handshake *out_handshake);
/** Make the head of the answer to a request that was judged HANDSHAKE_PAGE. Return whether a body follows. */
bool handshake_page_head(const page_head *head, const page_request *request, handshake *out_handshake);
/** Refuse such a request; `status` is like "404 Not Found". */
void handshake_page_refuse(const char *status, const char *text, const page_request *request, handshake *out_handshake);

#endif
