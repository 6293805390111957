/* The service manager through libsystemd; see systemd.h. */
#include "systemd.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

/* Connect to a path, or to an abstract name that begins with '@'. */
static int connect_to(const char *name, int fd)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const size_t length = strlen(name), start = offsetof(struct sockaddr_un, sun_path);

    if ((name[0] != '/' && name[0] != '@') || length >= sizeof address.sun_path) {
        errno = EAFNOSUPPORT;
        return -1;
    }
    memcpy(address.sun_path, name, length);
    if (name[0] == '@')
        address.sun_path[0] = '\0';
    return connect(fd, (struct sockaddr *)&address, (socklen_t)(start + length));
}

static int send_to(const char *name, int fd, const char *lines, int timeout_ms)
{
    struct pollfd writable = {.fd = fd, .events = POLLOUT};

    if (connect_to(name, fd) < 0)
        return -1;
    if (send(fd, lines, strlen(lines), MSG_NOSIGNAL | MSG_DONTWAIT) >= 0)
        return 0;
    if (errno != EAGAIN || timeout_ms == 0 || poll(&writable, 1, timeout_ms) != 1)
        return -1;
    return send(fd, lines, strlen(lines), MSG_NOSIGNAL | MSG_DONTWAIT) >= 0 ? 0 : -1;
}

/* Not sd_notify, which waits as long as the manager does not read: clients would wait with it. */
int systemd_notify(const char *lines, int timeout_ms)
{
    const char *name = getenv("NOTIFY_SOCKET");
    int fd, result, error;

    if (!name || !name[0])
        return 0;
    fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    result = send_to(name, fd, lines, timeout_ms);
    error = errno;
    close(fd);
    errno = error;
    return result;
}

uint64_t systemd_watchdog_us(void)
{
    uint64_t us;

    return sd_watchdog_enabled(1, &us) > 0 ? us : 0;
}

static void free_names(char **names)
{
    for (size_t i = 0; names && names[i]; i++)
        free(names[i]);
    free((void *)names);
}

int systemd_take_descriptors(systemd_descriptors *out, failure *out_failure)
{
    char **names = NULL;
    int count = sd_listen_fds_with_names(1, &names);

    *out = (systemd_descriptors){0};
    if (count < 0) {
        return fail_int(
            out_failure,
            "the sockets handed over cannot be taken: %s; expected LISTEN_FDS descriptors from 3 on, and as many "
            "names in LISTEN_FDNAMES",
            strerror(-count));
    }
    if (count > SYSTEMD_DESCRIPTORS_MAX) {
        free_names(names);
        return fail_int(out_failure, "%d sockets were handed over: expected three at most", count);
    }
    for (int i = 0; i < count; i++)
        snprintf(out->names[i], sizeof out->names[i], "%s", names[i]);
    out->count = (size_t)count;
    free_names(names);
    return 0;
}
