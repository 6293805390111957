/* A listening TCP socket with the options that every connection accepted on it inherits. */
#ifndef CLASHD_IPC_TCP_SOCKET_H
#define CLASHD_IPC_TCP_SOCKET_H

#include "cli/failure.h"
#include "ipc/address.h"
#include "ipc/listener.h"

/** Bind and listen, non-blocking and close-on-exec; `a` then has the port that was given if it was 0. On failure
 *  out_failure says why, naming the address. */
listener_result tcp_socket_listen(address *a, int *out_fd, failure *out_failure);
/** For a connection accepted on a socket of somebody else's: it may have come before that had any of these options. */
void tcp_socket_adjust(int fd);
/** The other side's address, as text; "?" if it has gone. */
void tcp_socket_peer(int fd, char out_text[ADDRESS_TEXT_MAX]);

#endif
