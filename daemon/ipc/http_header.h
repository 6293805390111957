/* A request's header of HTTP/1.1, strictly: what differs from the grammar by a byte is refused, because a browser never
 * sends it. Only what the handshake of WebSocket and plain requests look at is kept. Pure; nothing is copied. */
#ifndef CLASHD_IPC_HTTP_HEADER_H
#define CLASHD_IPC_HTTP_HEADER_H

#include <stdbool.h>
#include <stddef.h>

/** A part of the request; NULL if there is none. */
typedef struct http_text {
    const char *bytes;
    size_t length;
} http_text;

typedef struct http_request {
    http_text method, target;
    http_text host, origin, key, version;
    http_text authorization;
    http_text none_match;     /* If-None-Match */
    http_text fetch_site;     /* Sec-Fetch-Site: from where a browser says that it was asked */
    bool upgrades;            /* Upgrade has websocket */
    bool connection_upgrades; /* Connection has upgrade */
    bool has_protocols;       /* there is a Sec-WebSocket-Protocol */
    bool has_subprotocol;     /* and it has ours */
    http_text token;          /* from there, from the target's query, or from Authorization: Bearer */
} http_request;

/** `bytes` end in the empty line. NULL, or what is wrong, for people. */
const char *http_parse(const char *bytes, size_t length, const char *subprotocol, const char *token_prefix,
                       http_request *out_request);
/** The path of the target, without its query. */
http_text http_path(const http_request *request);
/** Without regard to case. */
bool http_equals(http_text text, const char *expected);
/** Shortened, and with what is not printable ASCII as '?', so that it can be shown anywhere. */
void http_show(http_text text, char *out_text, size_t size);

#endif
