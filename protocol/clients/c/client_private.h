/* What the files of the C client share. */
#ifndef CLASH_CLIENT_PRIVATE_H
#define CLASH_CLIENT_PRIVATE_H

#include <clash/client.h>

#include "client_frames.h"
#include "client_upgrade.h"
#include "protocol/json/json_writer.h"
#include "protocol/messages/framing.h"

#define CLIENT_LINE_MAX 65536
#define CLIENT_OUT_MAX ((size_t)256 * 1024)
#define CLIENT_POSES_MAX \
    ((size_t)64 * 1024) /* waiting when poses are pushed: there is always room for other requests */
#define CLIENT_CONTROL_MAX ((size_t)64 * 1024) /* of WebSocket's own answers, beyond all requests */
#define CLIENT_TOKEN_MAX 132                   /* 128 characters, a line's end, zero */

struct clash_client {
    clash_client_listener listener;
    framing *lines;          /* NULL without a connection, and if there are frames */
    client_frames *frames;   /* of WebSocket, instead of lines; NULL with others */
    client_upgrade *upgrade; /* until WebSocket's answer has come; nothing but the request may be sent before */
    size_t request_left;     /* of that: what is yet to be sent */
    int fd;                  /* -1 without a connection */
    bool connecting;
    clash_client_cause cause;
    char address[128]; /* of the last connect, for messages; may be cut */
    bool greeted;      /* hello has come: the epoch is known */
    bool answered;     /* a line has come */
    int64_t epoch_ns;
    const clash_client_resolved *resolved; /* two, during the call of an event that has them; else NULL */
    char *out;                             /* what is yet to be sent: out_length bytes from out_start on */
    size_t out_start, out_length, out_size;
    char token_file[512]; /* "": the default one */
    char problem[512];
};

/** Note why a call failed; return -1, with errno 0. */
__attribute__((format(printf, 2, 3))) int client_fail(clash_client *c, const char *format, ...);

/** `name` in $XDG_RUNTIME_DIR/clashd, or what clashd takes in its place. Return 0, or -1 if it does not fit. */
int client_default_path(const char *name, char *out_path, size_t size);

/** What an address says. */
typedef enum client_way { CLIENT_UNIX, CLIENT_TCP, CLIENT_WEBSOCKET } client_way;
client_way client_way_of(const char *address);
/** HOST:PORT and what stands after it in ws://HOST:PORT/PATH, "/" if that is nothing. Return false if it has no room. */
bool client_split_url(const char *address, char out_host[80], const char **out_path);
/** Note that nothing listens at the address of the last connect, or why else it cannot be reached. Return -1 with errno
 *  `error`. */
int client_unreachable(clash_client *c, int error);
/** A non-blocking socket on its way to an address as in clash_client_connect. Its descriptor; -1, problem noted. */
int client_open(clash_client *c, const char *address);
/** The token's text, "" if there is none to show. Return 0, or -1, problem noted. */
int client_read_token(clash_client *c, char *out_token, size_t size);
/** Queue the line that shows the token. Return 0, or -1, problem noted. */
int client_show_token(clash_client *c, const char *token);

/** Understands one line and calls the listener. */
void client_take_line(clash_client *c, const char *line, size_t length);
/** Call `error` for a line that is no message. */
void client_bad_line(clash_client *c, const char *why);

/** A request's line up to its first field of its own; `id` may be NULL. */
void client_begin_request(json_writer *w, char *out, size_t size, const char *type, const char *id);
/** End the line, queue it whole, and send what the socket takes. Return 0, or -1, problem noted. */
int client_end_request(clash_client *c, json_writer *w);
/** Queue a whole line, and send what the socket takes; of length 0, it did not fit. Return 0, or -1, problem noted. */
int client_send_line(clash_client *c, const char *line, size_t length);

/** Anew, for a connection that begins: what comes and goes is lines, or with a `url` WebSocket's frames, before which the
 *  request with `token` is queued. Not within a callback. Return 0, or -1, problem noted. */
int client_stream_begin(clash_client *c, const char *url, const char *token);
/** Free all that it keeps. Not within a callback of it. */
void client_stream_end(clash_client *c);
/** Take bytes of clashd's: answers, lines. Return 0, or -1 if they are the connection's last, problem noted. */
int client_stream_take(clash_client *c, const char *bytes, size_t length);
/** There are no more. Returns -1, problem noted. */
int client_stream_over(clash_client *c);
/** Queue a line of ours, which has its newline, whole or not at all. Return 0, or -1, problem noted. */
int client_stream_put(clash_client *c, const char *line, size_t length);

/** Room for `length` bytes more behind those that wait, `limit` in all. Return 0, or -1, problem noted. */
int client_reserve(clash_client *c, size_t length, size_t limit);
/** Queue bytes for which there is room. */
void client_queue(clash_client *c, const void *bytes, size_t length);
/** Of what waits, how much may go now. */
size_t client_sendable(const clash_client *c);
/** Send what the socket takes. Return 0, or -1 when the connection is broken, problem noted. */
int client_flush(clash_client *c);

#endif
