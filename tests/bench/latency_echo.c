/* The yardstick: a libuv server that writes back what it reads, and a client that sends a line at a steady rate. */
#include "latency.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#define WARM_UP_NS 500000000

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
    static char bytes[LATENCY_LINE_MAX];

    (void)handle, (void)suggested;
    *buffer = uv_buf_init(bytes, sizeof bytes);
}

static void on_read(uv_stream_t *stream, ssize_t length, const uv_buf_t *buffer)
{
    uv_buf_t answer = uv_buf_init(buffer->base, (unsigned)(length > 0 ? length : 0));

    if (length < 0)
        uv_stop(stream->loop);
    else if (length > 0 && uv_try_write(stream, &answer, 1) != length)
        die("echo");
}

static void on_connection(uv_stream_t *server, int status)
{
    static uv_pipe_t peer;

    if (status < 0 || uv_pipe_init(server->loop, &peer, 0) < 0 || uv_accept(server, (uv_stream_t *)&peer) < 0 ||
        uv_read_start((uv_stream_t *)&peer, on_alloc, on_read) < 0)
        die("echo: accept");
}

/* Until its client goes. `ready` is closed once it listens. */
static void serve(const char *path, int ready)
{
    uv_loop_t *loop = uv_default_loop();
    uv_pipe_t server;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    unlink(path);
    if (uv_pipe_init(loop, &server, 0) < 0 || uv_pipe_bind(&server, path) < 0 ||
        uv_listen((uv_stream_t *)&server, 1, on_connection) < 0)
        die("echo: listen");
    close(ready);
    uv_run(loop, UV_RUN_DEFAULT);
    unlink(path);
}

pid_t echo_start(const char *path)
{
    int ready[2];
    char byte;
    pid_t pid;

    if (pipe(ready) < 0 || (pid = fork()) < 0)
        die("echo: fork");
    if (pid == 0) {
        close(ready[0]);
        serve(path, ready[1]);
        _exit(0);
    }
    close(ready[1]);
    if (read(ready[0], &byte, 1) != 0)
        die("echo: start");
    close(ready[0]);
    return pid;
}

void sleep_until(int64_t until_ns)
{
    struct timespec until = {.tv_sec = until_ns / 1000000000, .tv_nsec = until_ns % 1000000000};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
    }
}

int64_t echo_round_trip(int fd, const bench_line *line)
{
    char answer[LATENCY_LINE_MAX];
    int64_t sent_ns = now_ns();

    if (write(fd, line->text, line->length) != (ssize_t)line->length)
        die("echo: write");
    for (size_t filled = 0; filled < line->length;) {
        ssize_t got = read(fd, answer, sizeof answer);

        if (got <= 0)
            die("echo: read");
        filled += (size_t)got;
    }
    return now_ns() - sent_ns;
}

void echo_measure(const char *socket_path, const bench_line *line, double rate_hz, double seconds, samples *round_trips)
{
    int64_t period_ns = (int64_t)(1e9 / rate_hz), next_ns;
    pid_t server = echo_start(socket_path);
    int64_t start_ns = now_ns() + WARM_UP_NS, end_ns = start_ns + (int64_t)(seconds * 1e9);
    int fd = connect_unix(socket_path);

    if (fd < 0)
        die("echo: connect");
    for (next_ns = now_ns(); next_ns < end_ns; next_ns += period_ns) {
        sleep_until(next_ns);
        int64_t taken_ns = echo_round_trip(fd, line);
        if (next_ns >= start_ns)
            samples_add(round_trips, taken_ns);
    }
    close(fd);
    if (waitpid(server, NULL, 0) != server)
        die("echo: waitpid");
}
