/* The blocking end of a connection to clashd: whole lines out, whole lines in. Knows no message. */
#ifndef CLASHD_CTL_CLIENT_H
#define CLASHD_CTL_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct client client;

/** `path` NULL: where the user's configuration or the default says. NULL where nobody listens: then it has been said on
 *  standard error, with what to do about it. */
client *client_connect(const char *command, const char *path);
void client_close(client *c);

/** Sends one line; `text` ends in a newline. False where the connection is gone. */
bool client_send(client *c, const char *text);

typedef enum client_end {
    CLIENT_STOPPED, /* by the callback, or as nobody reads */
    CLIENT_CLOSED,  /* by clashd */
    CLIENT_TIMEOUT  /* no line within the time allowed */
} client_end;

/** A line without its newline, terminated by zero. Returns false to stop. */
typedef bool (*client_line_function)(void *context, const char *line, size_t length);

/** Hands over lines until one of the ends. timeout_s is how long to wait for bytes; 0: for ever, that is until nobody reads
 *  standard output any more. */
client_end client_read(client *c, unsigned timeout_s, client_line_function on_line, void *context);

#endif
