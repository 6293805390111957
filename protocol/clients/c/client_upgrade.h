/* The HTTP that a WebSocket begins with (RFC 6455, 4.1): our request, and what is made of the answer. clashd refuses in
 * words (a wrong token, a Host that it does not know): they are what a program is told. No I/O. */
#ifndef CLASH_CLIENT_UPGRADE_H
#define CLASH_CLIENT_UPGRADE_H

#include <stddef.h>

#include "protocol/messages/websocket_key.h"

#define CLIENT_ANSWER_MAX 8192
#define CLIENT_REQUEST_MAX 2048

typedef struct client_upgrade {
    char accept[WEBSOCKET_ACCEPT_SIZE]; /* what shows that the request was understood */
    size_t length;
    char answer[CLIENT_ANSWER_MAX + 1]; /* so far; what is no header's end is no string yet */
} client_upgrade;

typedef enum client_upgrade_verdict {
    CLIENT_UPGRADE_MORE, /* not all has come */
    CLIENT_UPGRADE_DONE,
    CLIENT_UPGRADE_REFUSED
} client_upgrade_verdict;

/** Write the request for ws://HOST/PATH; `host` has its port, `path` its "/", `token` may be "". Its length; 0 if it
 *  does not fit, has a control character or a space, or there are no random numbers. */
size_t client_upgrade_ask(client_upgrade *u, const char *host, const char *path, const char *token,
                          char out[CLIENT_REQUEST_MAX]);
/** Take bytes of the answer; `out_used` of them belong to it. What a refusal says is in `out_why`. */
client_upgrade_verdict client_upgrade_take(client_upgrade *u, const char *bytes, size_t length, size_t *out_used,
                                           char *out_why, size_t size);
/** The connection ended before the answer did: why, as far as is known. */
void client_upgrade_end(client_upgrade *u, char *out_why, size_t size);

#endif
