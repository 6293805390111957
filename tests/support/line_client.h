/* A client of a line socket for tests that run the server's loop in the same thread: nothing here ever blocks on the
 * socket, waiting means running the loop. Waits end in a failure after 30 s, far beyond anything that works. */
#ifndef TESTS_LINE_CLIENT_H
#define TESTS_LINE_CLIENT_H

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <uv.h>

#include <cmocka.h>

#include "ports/log.h"

#define LINE_CLIENT_WAIT_NS (UINT64_C(30) * 1000000000)

typedef struct line_client {
    int fd;
    bool ended; /* end of file or an error was read */
    char *bytes;
    size_t start, end, capacity;
} line_client;

static inline void line_client_init(line_client *c, int fd)
{
    *c = (line_client){.fd = fd};
    assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
}

static inline void line_client_finish(line_client *c)
{
    if (c->fd >= 0)
        close(c->fd);
    free(c->bytes);
    c->bytes = NULL;
    c->start = c->end = c->capacity = 0;
    c->fd = -1;
}

static inline void line_client_connect(line_client *c, const char *path)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0 && strlen(path) < sizeof at.sun_path);
    memcpy(at.sun_path, path, strlen(path) + 1);
    assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
    line_client_init(c, fd);
}

/* Read at most `limit` bytes of what is there; return how many. */
static inline size_t line_client_read(line_client *c, size_t limit)
{
    size_t total = 0;

    while (total < limit && !c->ended) {
        if (c->end == c->capacity) {
            c->capacity = c->capacity ? c->capacity * 2 : 65536;
            c->bytes = realloc(c->bytes, c->capacity);
            assert_non_null(c->bytes);
        }
        size_t room = c->capacity - c->end;
        ssize_t count = read(c->fd, c->bytes + c->end, room < limit - total ? room : limit - total);
        if (count > 0) {
            c->end += (size_t)count;
            total += (size_t)count;
        } else if (count == 0 || errno != EAGAIN) {
            c->ended = true;
        } else {
            break;
        }
    }
    return total;
}

/* Return the next whole line read so far, with a zero in the newline's place; NULL if there is none. */
static inline char *line_client_next(line_client *c)
{
    char *line, *newline;

    if (c->end <= c->start)
        return NULL;
    line = c->bytes + c->start;
    newline = memchr(line, '\n', c->end - c->start);
    if (!newline)
        return NULL;
    *newline = '\0';
    c->start += (size_t)(newline - line) + 1;
    return line;
}

/* Run one turn of the loop that waits at most a few milliseconds. */
static inline void line_client_turn(uv_loop_t *loop)
{
    uv_run(loop, UV_RUN_NOWAIT);
    usleep(500);
}

/* Return the next line, running the loop until it comes; NULL at the end of the stream. */
static inline char *line_client_wait(line_client *c, uv_loop_t *loop)
{
    uint64_t deadline = uv_hrtime() + LINE_CLIENT_WAIT_NS;
    char *line;

    while (!(line = line_client_next(c)) && !c->ended) {
        assert_true(uv_hrtime() < deadline);
        uv_run(loop, UV_RUN_NOWAIT);
        if (line_client_read(c, SIZE_MAX) == 0)
            line_client_turn(loop);
    }
    return line ? line : line_client_next(c);
}

/* Send all of it. If the socket is full, run the loop, so that the server reads, and read too, so that the server goes
 * on reading. */
static inline void line_client_send(line_client *c, uv_loop_t *loop, const char *bytes, size_t length)
{
    uint64_t deadline = uv_hrtime() + LINE_CLIENT_WAIT_NS;

    while (length > 0) {
        ssize_t count = send(c->fd, bytes, length, MSG_NOSIGNAL);
        assert_true(count > 0 || errno == EAGAIN);
        assert_true(uv_hrtime() < deadline);
        if (count > 0) {
            bytes += count;
            length -= (size_t)count;
        } else {
            line_client_read(c, SIZE_MAX);
            line_client_turn(loop);
        }
    }
}

static inline void line_client_say(line_client *c, uv_loop_t *loop, const char *line)
{
    line_client_send(c, loop, line, strlen(line));
    line_client_send(c, loop, "\n", 1);
}

/* Runs the loop until the condition holds. */
#define WAIT_UNTIL(loop, condition)                                  \
    do {                                                             \
        uint64_t wait_deadline_ = uv_hrtime() + LINE_CLIENT_WAIT_NS; \
        while (!(condition)) {                                       \
            assert_true(uv_hrtime() < wait_deadline_);               \
            line_client_turn(loop);                                  \
        }                                                            \
    } while (0)

/* Return the number after "name": in a line, or -1 if it is missing. */
static inline long long line_number(const char *line, const char *name)
{
    char key[64];
    const char *at;

    snprintf(key, sizeof key, "\"%s\":", name);
    at = strstr(line, key);
    return at ? strtoll(at + strlen(key), NULL, 10) : -1;
}

static inline bool line_has_type(const char *line, const char *type)
{
    char key[64];

    snprintf(key, sizeof key, "\"type\":\"%s\"", type);
    return strstr(line, key) != NULL;
}

/* Keeps what is logged. */
typedef struct kept_log {
    unsigned count;
    char last[1024];
    char all[8192];
} kept_log;

static inline void kept_log_write(void *context, log_level level, const char *message)
{
    kept_log *log = context;
    size_t length = strlen(log->all);

    (void)level;
    log->count++;
    snprintf(log->last, sizeof log->last, "%s", message);
    snprintf(log->all + length, sizeof log->all - length, "%s\n", message);
}

#endif
