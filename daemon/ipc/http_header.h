/* Strict parser of an HTTP/1.1 request header: any deviation from the grammar is refused, because browsers never send
 * one. Keeps only the fields that the WebSocket handshake and plain requests use. Pure; nothing is copied. */
#ifndef CLASHD_IPC_HTTP_HEADER_H
#define CLASHD_IPC_HTTP_HEADER_H

#include <stdbool.h>
#include <stddef.h>

/** A slice of the request; `bytes` is NULL if the part is missing. */
typedef struct http_text {
    const char *bytes;
    size_t length;
} http_text;

typedef struct http_request {
    http_text method, target;
    http_text host, origin, key, version;
    http_text authorization;
    http_text none_match;     /* If-None-Match */
    http_text fetch_site;     /* Sec-Fetch-Site: where the request came from, according to the browser */
    bool upgrades;            /* Upgrade lists websocket */
    bool connection_upgrades; /* Connection lists upgrade */
    bool has_protocols;       /* Sec-WebSocket-Protocol is present */
    bool has_subprotocol;     /* and lists clashd's */
    http_text token;          /* from Sec-WebSocket-Protocol, from the target's query, or from Authorization: Bearer */
} http_request;

/** Parse `bytes`, which end in the empty line. Return NULL, or the error as text for people. */
const char *http_parse(const char *bytes, size_t length, const char *subprotocol, const char *token_prefix,
                       http_request *out_request);
/** Return the target's path, without its query. */
http_text http_path(const http_request *request);
/** Compare, ignoring case. */
bool http_equals(http_text text, const char *expected);
/** Copy for display anywhere: truncated to `size`, and with '?' for every byte that is not printable ASCII. */
void http_show(http_text text, char *out_text, size_t size);

#endif
