/* A listening socket that somebody else bound and handed over: what it is, and whether clients can be taken from it. Made
 * ready for the loop here. Knows nothing of who handed it over, nor of what it is for. */
#ifndef CLASHD_IPC_PASSED_SOCKET_H
#define CLASHD_IPC_PASSED_SOCKET_H

#include "cli/failure.h"
#include "ipc/address.h"

#include <stdbool.h>
#include <sys/un.h>

typedef struct passed_socket {
    int fd;
    bool is_unix;                                             /* else TCP */
    char path[sizeof((struct sockaddr_un *)0)->sun_path + 1]; /* of a Unix socket */
    address address;                                          /* of a TCP one */
    char text[sizeof((struct sockaddr_un *)0)->sun_path + 1]; /* either, for people */
} passed_socket;

/** A Unix stream socket with a path, or a TCP socket, that listens; from now on non-blocking and close-on-exec. Return 0, or -1
 *  with what it is and what was expected in out_failure; the descriptor is the caller's either way. */
int passed_socket_look(int fd, passed_socket *out_socket, failure *out_failure);

#endif
