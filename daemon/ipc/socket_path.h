/* Where the socket is, and making its place ready: the default path, the directory, the lock against a second daemon,
 * what is left of a dead one. Blocking file operations, no libuv; clients need only the default path. */
#ifndef CLASHD_IPC_SOCKET_PATH_H
#define CLASHD_IPC_SOCKET_PATH_H

#include "cli/failure.h"
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** $XDG_RUNTIME_DIR/clashd/clashd.sock; without that variable /run/user/UID, else /tmp/clashd-UID, in its place.
 *  0, or -1 if it does not fit into `size`. */
int socket_path_default(char *out_path, size_t size);

typedef enum socket_path_result {
    SOCKET_PATH_OK,
    SOCKET_PATH_BUSY, /* somebody listens there, or is about to */
    SOCKET_PATH_BAD,  /* the path itself cannot be used */
    SOCKET_PATH_ERROR /* the system refused */
} socket_path_result;

/** A socket bound to a path; -1s when there is none. */
typedef struct socket_path_hold {
    int fd;      /* listening, non-blocking, close-on-exec, mode 0600 */
    int lock_fd; /* of PATH.lock, held until released */
    dev_t device;
    ino_t inode; /* of the socket: only that one is removed */
} socket_path_hold;

/** Lock, check, remove a dead socket, bind and listen. On failure nothing is held and `out_failure` says why. */
socket_path_result socket_path_take(const char *path, bool make_directory, socket_path_hold *out_hold,
                                    failure *out_failure);
/** Remove the socket if it is still the one bound, and the lock. Idempotent. */
void socket_path_release(const char *path, socket_path_hold *hold);

/** Look whether a socket can be made there, without making anything; whether another daemon has it is not looked at.
 *  Return 0, or -1 with a message that begins with "socket.path". */
int socket_path_check(const char *path, failure *out_failure);

#endif
