/* Checks a descriptor that was passed in. See passed_socket.h. */
#include "ipc/passed_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static int fail(failure *out_failure, const char *what)
{
    return fail_int(out_failure,
                    "is %s: expected a listening Unix stream socket with a path, or a listening TCP socket", what);
}

/* Return -1 if the option does not exist: then fd is not a socket, or one of another kind. */
static int option(int fd, int name)
{
    int value;
    socklen_t size = sizeof value;

    return getsockopt(fd, SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
}

static const char *find_fault(int fd)
{
    const int family = option(fd, SO_DOMAIN);

    if (family < 0)
        return errno == EBADF ? "not open" : "no socket";
    if (family != AF_UNIX && family != AF_INET && family != AF_INET6)
        return "a socket of another family";
    if (option(fd, SO_TYPE) != SOCK_STREAM || (family != AF_UNIX && option(fd, SO_PROTOCOL) != IPPROTO_TCP))
        return "no stream socket";
    return option(fd, SO_ACCEPTCONN) == 1 ? NULL : "a socket that does not listen";
}

static int take_unix(const address *a, passed_socket *out)
{
    struct sockaddr_un name = {0};

    memcpy(&name, &a->storage, a->length < sizeof name ? a->length : sizeof name);
    if (a->length <= offsetof(struct sockaddr_un, sun_path) || name.sun_path[0] == '\0')
        return -1;
    snprintf(out->path, sizeof out->path, "%.*s", (int)sizeof name.sun_path, name.sun_path);
    snprintf(out->text, sizeof out->text, "%s", out->path);
    return 0;
}

static int make_ready(int fd)
{
    const int status = fcntl(fd, F_GETFL), descriptor = fcntl(fd, F_GETFD);

    return status < 0 || descriptor < 0 || fcntl(fd, F_SETFL, status | O_NONBLOCK) < 0 ||
                   fcntl(fd, F_SETFD, descriptor | FD_CLOEXEC) < 0
               ? -1
               : 0;
}

int passed_socket_look(int fd, passed_socket *out_socket, failure *out_failure)
{
    const char *fault = find_fault(fd);
    address a = {.length = sizeof a.storage};

    *out_socket = (passed_socket){.fd = fd};
    if (fault)
        return fail(out_failure, fault);
    if (getsockname(fd, (struct sockaddr *)&a.storage, &a.length) != 0 || make_ready(fd) != 0) {
        return fail_int(out_failure, "cannot be used: %s", strerror(errno));
    }
    out_socket->is_unix = a.storage.ss_family == AF_UNIX;
    if (out_socket->is_unix)
        return take_unix(&a, out_socket) == 0 ? 0 : fail(out_failure, "a Unix socket without a path");
    out_socket->address = a;
    address_format(&a, out_socket->text);
    return 0;
}
