/* The benchmark's clashd and its one client: blocking reads, the clock read as soon as one returns. */
#include "latency.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SUBSCRIBE "{\"type\":\"subscribe\",\"id\":1,\"events\":[\"poses\",\"clash\"]}\n"
/* Until the controllers are found and both processes are warm nothing is counted. */
#define WARM_UP_NS 500000000

typedef struct client {
    int fd;
    int64_t epoch_ns; /* of the session, CLOCK_MONOTONIC */
    int64_t frame_ns; /* time of the last poses line, since the epoch */
    char bytes[2 * LATENCY_LINE_MAX];
    size_t filled;
} client;

static pid_t start_clashd(const char *program, const char *socket_path)
{
    char rate[] = "1000";
    pid_t pid = fork();

    if (pid < 0)
        die("fork");
    if (pid == 0) {
        execl(program, program, "--socket", socket_path, "--source", "openxr", "--rate", rate, "--log-level", "warning",
              (char *)NULL);
        die(program);
    }
    return pid;
}

/* The epoch is a string: as a JSON number it would be rounded. */
static int64_t parse_epoch(const char *hello, size_t length)
{
    cJSON *message = cJSON_ParseWithLength(hello, length);
    const char *epoch = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(message, "epoch_monotonic_ns"));
    int64_t value;

    if (!epoch) {
        fprintf(stderr, "latency: expected hello with epoch_monotonic_ns, got %.*s\n", (int)length, hello);
        exit(1);
    }
    value = strtoll(epoch, NULL, 10);
    cJSON_Delete(message);
    return value;
}

/* Blocks for more bytes and returns the time at which they could be read. */
static int64_t fill(client *c)
{
    ssize_t got = read(c->fd, c->bytes + c->filled, sizeof c->bytes - c->filled);
    int64_t readable_ns = now_ns();

    if (got <= 0)
        die("clashd has closed the connection");
    c->filled += (size_t)got;
    return readable_ns;
}

static int64_t find_time(const char *line)
{
    const char *time = strstr(line, "\"time_ns\":");

    return time ? strtoll(time + strlen("\"time_ns\":"), NULL, 10) : 0;
}

static bool is_type(const char *line, const char *start)
{
    return strncmp(line, start, strlen(start)) == 0;
}

static void take_line(client *c, const char *line, size_t length, int64_t readable_ns, samples *poses, samples *clashes,
                      bench_line *out_line)
{
    if (is_type(line, "{\"type\":\"poses\"")) {
        c->frame_ns = find_time(line);
        if (poses)
            samples_add(poses, readable_ns - c->epoch_ns - c->frame_ns);
        memcpy(out_line->text, line, length);
        out_line->length = length;
    } else if (is_type(line, "{\"type\":\"clash\"") && clashes) {
        /* clashd sends a frame before the events that it causes, so the last frame is the one that showed this. */
        samples_add(clashes, readable_ns - c->epoch_ns - c->frame_ns);
    } else if (is_type(line, "{\"type\":\"hello\"")) {
        c->epoch_ns = parse_epoch(line, length);
    }
}

static void read_until(client *c, int64_t end_ns, samples *poses, samples *clashes, bench_line *out_line)
{
    while (now_ns() < end_ns) {
        int64_t readable_ns = fill(c);
        size_t start = 0;
        char *newline;

        while ((newline = memchr(c->bytes + start, '\n', c->filled - start)) != NULL) {
            size_t length = (size_t)(newline - c->bytes) + 1 - start;

            take_line(c, c->bytes + start, length, readable_ns, poses, clashes, out_line);
            start += length;
        }
        c->filled -= start;
        memmove(c->bytes, c->bytes + start, c->filled);
    }
}

void clashd_measure(const char *program, const char *socket_path, double seconds, samples *poses, samples *clashes,
                    bench_line *out_line)
{
    static client c;
    pid_t clashd = start_clashd(program, socket_path);

    c = (client){.fd = connect_soon(socket_path)};
    if (write(c.fd, SUBSCRIBE, strlen(SUBSCRIBE)) != (ssize_t)strlen(SUBSCRIBE))
        die("subscribe");
    read_until(&c, now_ns() + WARM_UP_NS, NULL, NULL, out_line);
    read_until(&c, now_ns() + (int64_t)(seconds * 1e9), poses, clashes, out_line);
    close(c.fd);
    stop_process(clashd);
}
