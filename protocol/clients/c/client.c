/* The connection: its life, and bytes in and out. They are lines or WebSocket's frames by client_stream.c; lines are
 * understood in client_line.c, requests made in client_request.c. A callback may close the client: after each one `fd`
 * says whether there still is a connection. */
#include "client_private.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define READ_BYTES 65536
#define READS_MAX 16 /* a dispatch: 1 MiB */

int client_fail(clash_client *c, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(c->problem, sizeof c->problem, format, arguments);
    va_end(arguments);
    errno = 0;
    return -1;
}

clash_client *clash_client_create(const clash_client_listener *listener)
{
    clash_client *c = calloc(1, sizeof *c);

    assert(listener);
    if (!c)
        return NULL;
    c->listener = *listener;
    c->fd = -1;
    return c;
}

void clash_client_destroy(clash_client *client)
{
    if (!client)
        return;
    clash_client_close(client);
    client_stream_end(client);
    free(client->out);
    free(client);
}

void clash_client_close(clash_client *client)
{
    /* The stream stays: this may be a callback of its line. */
    if (client->fd >= 0)
        close(client->fd);
    client->fd = -1;
    client->out_start = 0;
    client->out_length = 0;
    client->request_left = 0;
}

/** Start anew on a descriptor; `url` and `token` if it is one of WebSocket. Return 0, or -1 with the descriptor still the
 *  caller's. */
static int begin(clash_client *c, int fd, bool connecting, const char *url, const char *token)
{
    if (client_stream_begin(c, url, token) != 0)
        return -1;
    c->fd = fd;
    c->connecting = connecting;
    c->greeted = false;
    c->answered = false;
    c->cause = CLASH_CLIENT_CAUSE_NONE;
    c->problem[0] = '\0';
    return 0;
}

int clash_client_set_token_file(clash_client *client, const char *path)
{
    size_t length = path ? strlen(path) : 0;

    if (length >= sizeof client->token_file)
        return client_fail(client, "the token file's path has %zu characters, more than %zu", length,
                           sizeof client->token_file - 1);
    memcpy(client->token_file, path ? path : "", length + 1);
    return 0;
}

/** The socket is there: what is to be said first. Return 0, or -1, problem noted. */
static int introduce(clash_client *c, int fd, const char *address)
{
    client_way way = client_way_of(address);
    char token[CLIENT_TOKEN_MAX] = "";

    if (way != CLIENT_UNIX && client_read_token(c, token, sizeof token) != 0)
        return -1;
    if (begin(c, fd, true, way == CLIENT_WEBSOCKET ? address : NULL, token) != 0)
        return -1;
    if (way != CLIENT_TCP || !token[0] || client_show_token(c, token) == 0)
        return 0;
    c->fd = -1;
    return -1;
}

int clash_client_connect(clash_client *client, const char *address)
{
    char path[512];
    int fd;

    clash_client_close(client);
    if (!address) {
        if (client_default_path("clashd.sock", path, sizeof path) != 0)
            return client_fail(client, "the default socket path is too long");
        address = path;
    }
    snprintf(client->address, sizeof client->address, "%.127s", address);
    client->cause = CLASH_CLIENT_CAUSE_ADDRESS;
    fd = client_open(client, address);
    if (fd < 0)
        return -1;
    if (introduce(client, fd, address) == 0)
        return 0;
    close(fd);
    return -1;
}

int clash_client_adopt(clash_client *client, int fd)
{
    int flags = fcntl(fd, F_GETFL);

    clash_client_close(client);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0)
        return client_fail(client, "descriptor %d: %s", fd, strerror(errno));
    return begin(client, fd, false, NULL, NULL);
}

int clash_client_fd(const clash_client *client)
{
    return client->fd;
}

unsigned clash_client_wants(const clash_client *client)
{
    if (client->fd < 0)
        return 0;
    return CLASH_CLIENT_READ | (client->connecting || client_sendable(client) > 0 ? (unsigned)CLASH_CLIENT_WRITE : 0u);
}

const char *clash_client_problem(const clash_client *client)
{
    return client->problem;
}

clash_client_cause clash_client_problem_cause(const clash_client *client)
{
    return client->cause;
}

int client_reserve(clash_client *c, size_t length, size_t limit)
{
    size_t size = c->out_size ? c->out_size : 4096;
    char *grown;

    if (c->out_length > 0 && c->out_start > 0)
        memmove(c->out, c->out + c->out_start, c->out_length);
    c->out_start = 0;
    if (c->out_length + length > limit)
        return client_fail(c, "clashd does not read: %zu bytes wait to be sent", c->out_length);
    while (size < c->out_length + length)
        size *= 2;
    if (size == c->out_size)
        return 0;
    grown = realloc(c->out, size);
    if (!grown)
        return client_fail(c, "out of memory");
    c->out = grown;
    c->out_size = size;
    return 0;
}

void client_queue(clash_client *c, const void *bytes, size_t length)
{
    assert(c->out_start + c->out_length + length <= c->out_size);
    memcpy(c->out + c->out_start + c->out_length, bytes, length);
    c->out_length += length;
}

size_t client_sendable(const clash_client *c)
{
    return c->upgrade ? c->request_left : c->out_length;
}

int client_flush(clash_client *c)
{
    while (client_sendable(c) > 0 && !c->connecting) {
        ssize_t sent = send(c->fd, c->out + c->out_start, client_sendable(c), MSG_NOSIGNAL);

        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return 0;
        if (sent < 0)
            return client_fail(c, "cannot send: %s", strerror(errno));
        c->out_start += (size_t)sent;
        c->out_length -= (size_t)sent;
        if (c->upgrade)
            c->request_left -= (size_t)sent;
    }
    return 0;
}

/** Return whether a connect that was under way is over; -1 when it failed. */
static int finish_connecting(clash_client *c)
{
    int error = 0;
    socklen_t length = sizeof error;
    struct sockaddr_storage peer;
    socklen_t peer_length = sizeof peer;

    if (getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0)
        error = errno;
    if (error != 0)
        return client_unreachable(c, error);
    if (getpeername(c->fd, (struct sockaddr *)&peer, &peer_length) == 0)
        c->connecting = false;
    else if (errno != ENOTCONN)
        return client_unreachable(c, errno);
    return 0;
}

/** One read's worth. 1: there may be more, 0: not now, -1: the end, problem noted. */
static int read_some(clash_client *c)
{
    char bytes[READ_BYTES];
    ssize_t length = recv(c->fd, bytes, sizeof bytes, 0);

    if (length < 0 && errno == EINTR)
        return 1;
    if (length < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return 0;
    if (length < 0)
        return client_fail(c, "cannot read: %s", strerror(errno));
    if (length == 0)
        return client_stream_over(c);
    if (client_stream_take(c, bytes, (size_t)length) != 0 || c->cause == CLASH_CLIENT_CAUSE_TOKEN)
        return -1;
    return 1;
}

/** What clashd said before it went is read even if nothing can be sent any more: it may say why. */
static int read_all(clash_client *c)
{
    int more = 1;

    for (int i = 0; i < READS_MAX && more > 0 && c->fd >= 0; i++)
        more = read_some(c);
    return more < 0 ? -1 : 0;
}

int clash_client_dispatch(clash_client *client)
{
    int failed;

    if (client->fd < 0)
        return -1;
    failed = client->connecting ? finish_connecting(client) : 0;
    if (failed == 0 && !client->connecting) {
        int unsent = client_flush(client);

        failed = read_all(client);
        if (client->fd >= 0 && failed == 0)
            failed = unsent;
        if (client->fd >= 0 && failed == 0)
            failed = client_flush(client); /* what the callbacks asked for */
    }
    if (client->fd < 0)
        return -1;
    if (failed == 0)
        return 0;
    clash_client_close(client);
    if (client->cause == CLASH_CLIENT_CAUSE_NONE)
        client->cause = CLASH_CLIENT_CAUSE_ENDED;
    if (client->listener.disconnect)
        client->listener.disconnect(client->listener.context, client->problem);
    return -1;
}
