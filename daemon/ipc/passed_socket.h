/* A listening socket that another program bound and passed on: what it is, and whether clashd can accept clients on it.
 * Also prepares it for the loop. Does not know which program passed it, or what it is used for. */
#ifndef CLASHD_IPC_PASSED_SOCKET_H
#define CLASHD_IPC_PASSED_SOCKET_H

#include "cli/failure.h"
#include "ipc/address.h"

#include <stdbool.h>
#include <sys/un.h>

typedef struct passed_socket {
    int fd;
    bool is_unix;                                             /* otherwise TCP */
    char path[sizeof((struct sockaddr_un *)0)->sun_path + 1]; /* for a Unix socket */
    address address;                                          /* for a TCP socket */
    char text[sizeof((struct sockaddr_un *)0)->sun_path + 1]; /* the path or address, for people */
} passed_socket;

/** Check that fd is a listening Unix stream socket with a path, or a listening TCP socket; make it non-blocking and
 *  close-on-exec. Return 0, or -1 with what it is and what was expected in out_failure. The caller keeps ownership of
 *  the descriptor either way. */
int passed_socket_look(int fd, passed_socket *out_socket, failure *out_failure);

#endif
