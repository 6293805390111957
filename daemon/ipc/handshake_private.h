/* Shared by the parts of the HTTP handshake: handshake_http.c (the upgrade) and handshake_page.c (pages). Internal to
 * these. */
#ifndef CLASHD_IPC_HANDSHAKE_PRIVATE_H
#define CLASHD_IPC_HANDSHAKE_PRIVATE_H

#include "ipc/handshake.h"
#include "ipc/http_header.h"

/** Headers of every answer, for browsers: do not guess types, do not allow other sites or frames, send no Referer. */
#define HTTP_GUARDS                                                                    \
    "X-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: same-origin\r\n" \
    "Cross-Origin-Opener-Policy: same-origin\r\nReferrer-Policy: no-referrer\r\nX-Frame-Options: DENY\r\n"

/** `extra`: further headers, each with its "\r\n". */
void http_refuse(handshake *h, const char *status, const char *extra, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/** Remove the body of an answer to HEAD, whatever its Content-Length. */
void http_cut_body(handshake *h);
bool http_is_method(const http_request *r, const char *name);
/** Return whether the requesting page is one of clashd's own. */
bool http_is_own_origin(const http_request *r);
/** Check the request; on failure refuse it and return false. */
bool http_check_names(const handshake_rules *rules, const http_request *r, handshake *h);
bool http_check_token(const handshake_rules *rules, const http_request *r, handshake *h);
/** Judge a request without an upgrade. */
void page_judge(const handshake_rules *rules, const http_request *r, handshake *h);

#endif
