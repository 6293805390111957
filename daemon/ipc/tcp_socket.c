/* Listens on TCP. The options are set on the listening socket: Linux copies them to accepted connections. See
 * tcp_socket.h. */
#include "ipc/tcp_socket.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/** Limits of the kernel's buffer for a client that does not read. Events must wait in the client's queue, which can
 *  drop and report them, and not in the kernel: there they would be some seconds old when they arrive. */
#define SEND_BUFFER_BYTES 65536
#define UNSENT_BYTES 16384
/** Detect after about half a minute that the other end has vanished. */
#define KEEPALIVE_IDLE_S 15
#define KEEPALIVE_INTERVAL_S 5
#define KEEPALIVE_COUNT 3

static int set_option(int fd, int level, int option, int value)
{
    return setsockopt(fd, level, option, &value, sizeof value);
}

static int set_connection_options(int fd)
{
    return set_option(fd, SOL_SOCKET, SO_SNDBUF, SEND_BUFFER_BYTES) != 0 ||
                   set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1) != 0 ||
                   set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1) != 0 ||
                   set_option(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, UNSENT_BYTES) != 0 ||
                   set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, KEEPALIVE_IDLE_S) != 0 ||
                   set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, KEEPALIVE_INTERVAL_S) != 0 ||
                   set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, KEEPALIVE_COUNT) != 0
               ? -1
               : 0;
}

static int set_options(int fd, int family)
{
    if (family == AF_INET6 && set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1) != 0)
        return -1;
    return set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1) != 0 ? -1 : set_connection_options(fd);
}

static int bind_and_listen(int fd, address *a)
{
    if (set_options(fd, a->storage.ss_family) != 0 || bind(fd, (struct sockaddr *)&a->storage, a->length) != 0 ||
        listen(fd, SOMAXCONN) != 0)
        return -1;
    return getsockname(fd, (struct sockaddr *)&a->storage, &a->length);
}

listener_result tcp_socket_listen(address *a, int *out_fd, failure *out_failure)
{
    int fd = socket(a->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP);
    char text[ADDRESS_TEXT_MAX];
    int error;

    address_format(a, text);
    if (fd >= 0 && bind_and_listen(fd, a) == 0) {
        *out_fd = fd;
        return LISTENER_OK;
    }
    error = errno;
    if (fd >= 0)
        close(fd);
    if (error == EADDRINUSE) {
        fail_with(out_failure, "cannot listen on %s: another program listens there: end it, or use another port", text);
        return LISTENER_BUSY;
    }
    fail_with(out_failure, "cannot listen on %s: %s", text, strerror(error));
    return error == EADDRNOTAVAIL ? LISTENER_BAD : LISTENER_ERROR;
}

/* Ignore a failure: the connection is dead then, and the first read reports it. */
void tcp_socket_adjust(int fd)
{
    (void)set_connection_options(fd);
}

void tcp_socket_peer(int fd, char out_text[ADDRESS_TEXT_MAX])
{
    address a = {.length = sizeof a.storage};

    if (getpeername(fd, (struct sockaddr *)&a.storage, &a.length) != 0)
        a.storage.ss_family = AF_UNSPEC;
    address_format(&a, out_text);
}
