/* The connection: see client.h. */
#include "client.h"

#include "cli/output.h"
#include "ctl.h"
#include "protocol/json/json_text.h"
#include "protocol/messages/codec.h"
#include "protocol/messages/framing.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

struct client {
    int fd;
    framing *framing;
    client_line_function on_line;
    void *context;
    bool stopped;
    const char *command;
    char line[PROTOCOL_LINE_MAX];
};

/* Below /tmp anybody may have been quicker than clashd: what listens there may be anybody's. */
static bool is_one_of_us(const char *command, int fd, const char *path)
{
    struct ucred server = {.uid = (uid_t)-1};
    socklen_t size = sizeof server;

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &server, &size) == 0 && (server.uid == geteuid() || server.uid == 0))
        return true;
    output_error(command, "user %lu is listening on %s: expected user %lu or root", (unsigned long)server.uid, path,
                 (unsigned long)geteuid());
    return false;
}

static int connect_path(const char *command, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    int fd;

    if (length >= sizeof address.sun_path) {
        output_error(command, "%s: too long for a socket: %zu bytes at most", path, sizeof address.sun_path - 1);
        return -1;
    }
    memcpy(address.sun_path, path, length + 1);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0) {
        if (is_one_of_us(command, fd, path))
            return fd;
        close(fd);
        return -1;
    }
    if (errno == ENOENT || errno == ECONNREFUSED) {
        output_error(command, "no clashd is listening on %s", path);
        fputs("Start one with 'clashd', or say where it listens with --socket PATH.\n", stderr);
    } else {
        output_error(command, "cannot connect to %s: %s", path, strerror(errno));
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

client *client_connect(const char *command, const char *path)
{
    char found[CTL_PATH_MAX];
    client *c;

    if (!path && ctl_find_socket(found, sizeof found) < 0) {
        output_error(command, "cannot tell where clashd listens: say it with --socket PATH");
        return NULL;
    }
    c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->command = command;
    c->fd = connect_path(command, path ? path : found);
    c->framing = framing_create(PROTOCOL_LINE_MAX);
    if (c->fd >= 0 && c->framing)
        return c;
    client_close(c);
    return NULL;
}

void client_close(client *c)
{
    if (!c)
        return;
    if (c->fd >= 0)
        close(c->fd);
    framing_destroy(c->framing);
    free(c);
}

bool client_send(client *c, const char *text)
{
    size_t length = strlen(text);

    while (length > 0) {
        ssize_t sent = send(c->fd, text, length, MSG_NOSIGNAL);

        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return false;
        text += sent;
        length -= (size_t)sent;
    }
    return true;
}

/* cJSON forgives more than JSON allows: raw control characters in a string, which a terminal would obey. */
static bool take_line(void *context, const char *line, size_t length)
{
    client *c = context;
    char wrong[128];

    if (!json_text_check(line, length, wrong, sizeof wrong)) {
        output_error(c->command, "left out a line of clashd's that is not JSON: %s", wrong);
        return true;
    }
    memcpy(c->line, line, length);
    c->line[length] = '\0';
    c->stopped = !c->on_line(c->context, c->line, length);
    return !c->stopped;
}

/* clashd keeps to the limit; whatever this was, the next line is whole again. */
static bool take_too_long(void *context)
{
    (void)context;
    return true;
}

client_end client_read(client *c, unsigned timeout_s, client_line_function on_line, void *context)
{
    const framing_listener listener = {.context = c, .line = take_line, .too_long = take_too_long};
    const struct timeval timeout = {.tv_sec = (time_t)timeout_s};
    char bytes[16384];

    c->on_line = on_line;
    c->context = context;
    c->stopped = false;
    setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    while (!c->stopped) {
        ssize_t length;

        if (timeout_s == 0 && !output_wait(c->fd))
            break;
        length = recv(c->fd, bytes, sizeof bytes, 0);
        if (length < 0 && errno == EINTR)
            continue;
        if (length < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return CLIENT_TIMEOUT;
        if (length <= 0)
            return CLIENT_CLOSED;
        framing_push(c->framing, bytes, (size_t)length, &listener);
    }
    return CLIENT_STOPPED;
}
