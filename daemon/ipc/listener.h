/* A Unix stream socket that waits for clients: its directory, lock, mode and removal, and accepting. Private to its user
 * from its first moment; never takes the place of one that is alive, nor of anything that is no socket.
 * Hands over connected sockets; knows nothing of what is said on them. */
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
    LISTENER_BAD,  /* the path cannot be used: too long, no socket, a directory that is not ours .. */
    LISTENER_ERROR /* the system refused */
} listener_result;

typedef struct listener_settings {
    uv_loop_t *loop;
    const char *path;
    int passed_fd; /* listens there already, see passed_socket.h, and is not removed at the end; 0: none, it is made */
    bool make_directory; /* the default path: its directory is made if it is missing, and must be ours and 0700 */
    logger log;
    void *context;
    /** A client of the same user (or root); the callee owns fd, which is non-blocking and close-on-exec. */
    void (*connection)(void *context, int fd);
} listener_settings;

typedef struct listener_counters {
    uint64_t accepted;
    uint64_t refused_user;  /* of another user */
    uint64_t accept_errors; /* times that accepting had to pause, for want of descriptors for instance */
} listener_counters;

typedef struct listener listener;

/** Listen from now on. Also makes SIGPIPE ignored if it still has its default. On failure `out_failure`
 *  says why, naming the path. Blocking file operations; start-up only. */
listener_result listener_open(const listener_settings *settings, listener **out_listener, failure *out_failure);
const listener_counters *listener_get_counters(const listener *l);
/** Stop at once and remove its socket and lock; what libuv holds goes when the loop next runs. Accepts NULL. */
void listener_close(listener *l);

#endif
