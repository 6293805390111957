/* Where clashd is, and a socket on its way there. Nothing blocks. */
#include "client_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

int client_default_path(char *out_path, size_t size)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    char fallback[64];
    struct stat status;
    int length;

    if (!runtime || runtime[0] != '/') { /* the specification: a relative one is to be ignored */
        snprintf(fallback, sizeof fallback, "/run/user/%lu", (unsigned long)geteuid());
        if (stat(fallback, &status) != 0 || status.st_uid != geteuid())
            snprintf(fallback, sizeof fallback, "/tmp/clashd-%lu", (unsigned long)geteuid());
        runtime = fallback;
    }
    length = snprintf(out_path, size, "%s/clashd/clashd.sock", runtime);
    return length > 0 && (size_t)length < size ? 0 : -1;
}

int client_open(clash_client *c, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    int fd, failed;

    if (length == 0 || length >= sizeof address.sun_path)
        return client_fail(c, "'%.80s' has %zu characters: a socket's path has 1 to %zu", path, length,
                           sizeof address.sun_path - 1);
    memcpy(address.sun_path, path, length + 1);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return client_fail(c, "no socket: %s", strerror(errno));
    do
        failed = connect(fd, (const struct sockaddr *)&address, sizeof address);
    while (failed != 0 && errno == EINTR);
    if (failed == 0)
        return fd;
    /* A Unix socket connects at once or not at all: EAGAIN says that too many wait to be let in. */
    client_fail(c, "cannot connect to %.120s: %s", path,
                errno == EAGAIN ? "too many others are connecting, try again" : strerror(errno));
    close(fd);
    return -1;
}
