/* A Unix stream socket that accepts clients. Handles its directory, lock, mode and removal. The socket is private to
 * its user from the start. Never replaces a live socket, or a file that is not a socket. Passes on connected sockets
 * and does not know the protocol. */
#ifndef CLASHD_IPC_LISTENER_H
#define CLASHD_IPC_LISTENER_H

#include "cli/failure.h"
#include "ports/log.h"

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

typedef enum listener_result {
    LISTENER_OK,
    LISTENER_BUSY, /* another process listens there: "another clashd is listening on PATH" */
    LISTENER_BAD,  /* the path cannot be used: too long, not a socket, a directory of another user, .. */
    LISTENER_ERROR /* the system refused */
} listener_result;

typedef struct listener_settings {
    uv_loop_t *loop;
    const char *path;
    int passed_fd; /* listens there already, see passed_socket.h, and is not removed at the end; 0: none, create one */
    bool make_directory; /* the default path: create its directory; it must be this user's, with mode 0700 */
    logger log;
    void *context;
    /** A client of the same user (or root) connected. The callee owns fd, which is non-blocking and close-on-exec. */
    void (*connection)(void *context, int fd);
} listener_settings;

typedef struct listener_counters {
    uint64_t accepted;
    uint64_t refused_user;  /* clients of another user */
    uint64_t accept_errors; /* times that accepting paused, for example when out of descriptors */
} listener_counters;

typedef struct listener listener;

/** Start listening. Also ignores SIGPIPE if it still has its default action. On failure `out_failure` has the reason,
 *  with the path. Blocking file operations; start-up only. */
listener_result listener_open(const listener_settings *settings, listener **out_listener, failure *out_failure);
const listener_counters *listener_get_counters(const listener *l);
/** Stop at once and remove the socket and its lock; the acceptor is freed when the loop next runs. Accepts NULL. */
void listener_close(listener *l);

#endif
