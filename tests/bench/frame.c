/* A game's frame: how long after it pushed the poses of two hands and ten other blades has it read the `ok`, and with it all
 * events that they caused? Beside it the round trip of a bare libuv echo of the same bytes, half a frame later. */
#include "latency.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PERIOD_NS 11111111
#define WARM_UP_FRAMES 90
#define OTHERS 10
#define SUBSCRIBE                                                                                                      \
    "{\"type\":\"subscribe\",\"id\":\"s\",\"events\":[\"clash\",\"hold\",\"release\",\"tracking\",\"space_changed\"]}" \
    "\n"
#define FEED \
    "{\"type\":\"feed\",\"id\":\"f\",\"devices\":[\"/user/hand/left\",\"/user/hand/right\"],\"space\":\"bench\"}\n"

typedef struct client {
    int fd;
    char bytes[2 * LATENCY_LINE_MAX];
    size_t filled;
    size_t lines; /* before the ok, in all */
} client;

static pid_t start_clashd(const char *program, const char *socket_path)
{
    pid_t pid = fork();

    if (pid < 0)
        die("fork");
    if (pid == 0) {
        execl(program, program, "--socket", socket_path, "--source", "none", "--log-level", "warning", (char *)NULL);
        die(program);
    }
    return pid;
}

static void send_text(const client *c, const char *text)
{
    if (write(c->fd, text, strlen(text)) != (ssize_t)strlen(text))
        die("write");
}

/* Reads up to the line that begins so; an error is the end. */
static void read_until(client *c, const char *start)
{
    for (;;) {
        char *newline = memchr(c->bytes, '\n', c->filled);

        if (newline) {
            size_t length = (size_t)(newline - c->bytes) + 1;
            bool is_it = strncmp(c->bytes, start, strlen(start)) == 0;

            if (strncmp(c->bytes, "{\"type\":\"error\"", 15) == 0) {
                fprintf(stderr, "frame: %.*s", (int)length, c->bytes);
                exit(1);
            }
            c->filled -= length;
            memmove(c->bytes, c->bytes + length, c->filled);
            if (is_it)
                return;
            c->lines++;
            continue;
        }
        ssize_t got = read(c->fd, c->bytes + c->filled, sizeof c->bytes - c->filled);
        if (got <= 0)
            die("clashd has closed the connection");
        c->filled += (size_t)got;
    }
}

static void define_others(client *c)
{
    char text[512];

    for (int i = 0; i < OTHERS; i++) {
        snprintf(text, sizeof text,
                 "{\"type\":\"blade\",\"id\":\"b%d\",\"name\":\"other %d\",\"device\":\"other/%d\",\"base\":[0,0,0],"
                 "\"tip\":[0,0,-1],\"radius\":0.015}\n",
                 i, i, i);
        send_text(c, text);
        snprintf(text, sizeof text, "{\"type\":\"ok\",\"id\":\"b%d\"", i);
        read_until(c, text);
    }
}

/* Two swords that cross each other and, in turns, the others', which stand around them: each turns about its hilt. */
static void write_push(bench_line *line, long frame)
{
    double t = (double)frame / 90.0;
    size_t used = (size_t)snprintf(line->text, sizeof line->text, "{\"type\":\"poses\",\"id\":%ld,\"poses\":[", frame);

    for (int i = 0; i < OTHERS + 2; i++) {
        double place = i < 2 ? (i ? 0.3 : -0.3) : 0.6 * cos(i), depth = i < 2 ? 0.0 : -0.8 + 0.3 * sin(2.0 * i);
        double turn = (i < 2 ? (i ? 0.9 : -0.9) : 1.5) * sin((2.0 + 0.3 * i) * t + i) + (i < 2 ? 0.0 : 3.0);
        char device[32];

        if (i < 2)
            snprintf(device, sizeof device, "/user/hand/%s", i ? "right" : "left");
        else
            snprintf(device, sizeof device, "other/%d", i - 2);
        used += (size_t)snprintf(line->text + used, sizeof line->text - used,
                                 "%s{\"device\":\"%s\",\"position\":[%.6f,%.6f,%.6f],\"orientation\":[0,%.9f,0,%.9f]}",
                                 i ? "," : "", device, place, 1.2 + 0.001 * i, depth, sin(0.5 * turn), cos(0.5 * turn));
    }
    used += (size_t)snprintf(line->text + used, sizeof line->text - used, "]}\n");
    line->length = used;
}

static int64_t push(client *c, const bench_line *line, long frame)
{
    char answer[64];
    int64_t sent_ns = now_ns();

    snprintf(answer, sizeof answer, "{\"type\":\"ok\",\"id\":%ld", frame);
    if (write(c->fd, line->text, line->length) != (ssize_t)line->length)
        die("push");
    read_until(c, answer);
    return now_ns() - sent_ns;
}

static void measure(client *c, int echo, long frames, samples *pushes, samples *echoes)
{
    static bench_line line;
    int64_t next_ns = now_ns();

    for (long frame = 1; frame <= frames + WARM_UP_FRAMES; frame++, next_ns += PERIOD_NS) {
        write_push(&line, frame);
        sleep_until(next_ns);
        int64_t taken_ns = push(c, &line, frame);
        sleep_until(next_ns + PERIOD_NS / 2);
        int64_t echoed_ns = echo_round_trip(echo, &line);
        if (frame == WARM_UP_FRAMES)
            c->lines = 0;
        if (frame <= WARM_UP_FRAMES)
            continue;
        samples_add(pushes, taken_ns);
        samples_add(echoes, echoed_ns);
    }
}

static void report(const char *name, samples *s)
{
    printf("%-30s%9zu%10.1f%10.1f%10.1f\n", name, s->count, (double)samples_quantile(s, 0.5) * 1e-3,
           (double)samples_quantile(s, 0.99) * 1e-3, (double)samples_quantile(s, 0.999) * 1e-3);
}

int main(int argc, char **argv)
{
    static client c;
    samples pushes = {0}, echoes = {0};
    char echo_path[256];
    long seconds = argc > 3 ? strtol(argv[3], NULL, 10) : 30;

    if (argc < 3 || seconds < 1) {
        fprintf(stderr, "usage: frame CLASHD SOCKET [SECONDS]\n");
        return 2;
    }
    snprintf(echo_path, sizeof echo_path, "%s.echo", argv[2]);
    pid_t clashd = start_clashd(argv[1], argv[2]);
    pid_t echo = echo_start(echo_path);
    int echo_fd = connect_unix(echo_path);

    c.fd = connect_soon(argv[2]);
    if (echo_fd < 0)
        die("echo: connect");
    send_text(&c, SUBSCRIBE FEED);
    read_until(&c, "{\"type\":\"ok\",\"id\":\"f\"");
    define_others(&c);
    measure(&c, echo_fd, seconds * 90, &pushes, &echoes);
    printf("90 frames a second for %ld s, %zu events in all; microseconds\n", seconds, c.lines);
    printf("%-30s%9s%10s%10s%10s\n", "", "frames", "p50", "p99", "p99.9");
    report("push to last event and ok", &pushes);
    report("libuv echo of the same bytes", &echoes);
    close(c.fd);
    close(echo_fd);
    stop_process(clashd);
    kill(echo, SIGKILL);
    samples_finish(&pushes);
    samples_finish(&echoes);
    return 0;
}
