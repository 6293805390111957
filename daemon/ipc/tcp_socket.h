/* A listening TCP socket, with the options that every accepted connection inherits. */
#ifndef CLASHD_IPC_TCP_SOCKET_H
#define CLASHD_IPC_TCP_SOCKET_H

#include "cli/failure.h"
#include "ipc/address.h"
#include "ipc/listener.h"

/** Bind and listen, non-blocking and close-on-exec. If the port was 0, `a` then has the assigned one. On failure
 *  out_failure has the reason, with the address. */
listener_result tcp_socket_listen(address *a, int *out_fd, failure *out_failure);
/** Set the options on a connection accepted on a passed socket: it may have connected before that socket had them. */
void tcp_socket_adjust(int fd);
/** Write the remote address as text; "?" if it has disconnected. */
void tcp_socket_peer(int fd, char out_text[ADDRESS_TEXT_MAX]);

#endif
