/* The socket's path and its preparation: the default path, the directory, the lock against a second daemon, and the
 * removal of a dead socket. Blocking file operations, no libuv; clients need only the default path. */
#ifndef CLASHD_IPC_SOCKET_PATH_H
#define CLASHD_IPC_SOCKET_PATH_H

#include "cli/failure.h"
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** $XDG_RUNTIME_DIR/clashd/clashd.sock. Without that variable, /run/user/UID or, if that is missing, /tmp/clashd-UID
 *  takes its place. Return 0, or -1 if it does not fit into `size`. */
int socket_path_default(char *out_path, size_t size);

typedef enum socket_path_result {
    SOCKET_PATH_OK,
    SOCKET_PATH_BUSY, /* another process listens there, or is about to */
    SOCKET_PATH_BAD,  /* the path itself cannot be used */
    SOCKET_PATH_ERROR /* the system refused */
} socket_path_result;

/** A socket bound to a path; descriptors are -1 when there is none. */
typedef struct socket_path_hold {
    int fd;      /* listening, non-blocking, close-on-exec, mode 0600 */
    int lock_fd; /* of PATH.lock, locked until released */
    dev_t device;
    ino_t inode; /* of the socket: release removes only this one */
} socket_path_hold;

/** Lock, check, remove a dead socket, bind and listen. On failure nothing is held and `out_failure` has the reason. */
socket_path_result socket_path_take(const char *path, bool make_directory, socket_path_hold *out_hold,
                                    failure *out_failure);
/** Remove the socket if it is still the one that was bound, and the lock. Idempotent. */
void socket_path_release(const char *path, socket_path_hold *hold);

/** Check whether a socket can be created there, without creating anything; does not check for another daemon. Return 0,
 *  or -1 with a message that begins with "socket.path". */
int socket_path_check(const char *path, failure *out_failure);

#endif
