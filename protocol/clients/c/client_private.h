/* What the files of the C client share. */
#ifndef CLASH_CLIENT_PRIVATE_H
#define CLASH_CLIENT_PRIVATE_H

#include <clash/client.h>

#include "protocol/framing.h"
#include "protocol/json_writer.h"

#define CLIENT_LINE_MAX 65536
#define CLIENT_OUT_MAX ((size_t)256 * 1024)
#define CLIENT_POSES_MAX \
    ((size_t)64 * 1024)      /* waiting when poses are pushed: there is always room for other requests */
#define CLIENT_TOKEN_MAX 132 /* 128 characters, a line's end, zero */

struct clash_client {
    clash_client_listener listener;
    framing *lines; /* NULL without a connection */
    int fd;         /* -1 without a connection */
    bool connecting;
    bool greeted; /* hello has come: the epoch is known */
    int64_t epoch_ns;
    char *out; /* what is yet to be sent: out_length bytes from out_start on */
    size_t out_start, out_length, out_size;
    char token_file[512]; /* "": the default one */
    char problem[256];
};

/** Notes why a call failed; returns -1. */
__attribute__((format(printf, 2, 3))) int client_fail(clash_client *c, const char *format, ...);

/** `name` in $XDG_RUNTIME_DIR/clashd, or what clashd takes in its place. 0, or -1 where it does not fit. */
int client_default_path(const char *name, char *out_path, size_t size);

/** A non-blocking socket on its way to a Unix socket's path, or to tcp:HOST:PORT. Its descriptor; -1, problem noted. */
int client_open(clash_client *c, const char *address);
bool client_is_tcp(const char *address);
/** The token's text, "" where there is none to show. 0, or -1, problem noted. */
int client_read_token(clash_client *c, char *out_token, size_t size);
/** Queues the line that shows the token. 0, or -1, problem noted. */
int client_show_token(clash_client *c, const char *token);

/** Understands one line and calls the listener. */
void client_take_line(clash_client *c, const char *line, size_t length);
/** Calls `error` for a line that is no message. */
void client_bad_line(clash_client *c, const char *why);

/** A request's line up to its first field of its own; `id` may be NULL. */
void client_begin_request(json_writer *w, char *out, size_t size, const char *type, const char *id);
/** Ends the line, queues it whole, and sends what the socket takes. 0, or -1, problem noted. */
int client_end_request(clash_client *c, json_writer *w);

/** Queues whole bytes, or nothing. 0, or -1, problem noted. */
int client_queue(clash_client *c, const char *bytes, size_t length);
/** Sends what the socket takes. 0, or -1 when the connection is broken, problem noted. */
int client_flush(clash_client *c);

#endif
