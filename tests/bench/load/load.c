/* How much processor time does clashd take beyond what the runtime's calls cost? clashd at a rate on the stand-in runtime
 * with one client, and bare.c at the same rate, in turns. Both are processes of their own, clashd with a second one for the
 * runtime, whose clocks of processor time are read from outside, to the nanosecond.
 *
 *   load CLASHD SOCKET [RATE_HZ [ROUNDS [SECONDS]]] */
#include "load.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS_MAX 64
#define WARM_UP_S 1.0

/* What the one client asks for, after what the row of the table says of it. */
static const struct {
    const char *name, *subscribe;
} clients[] = {
    {"events", "{\"type\":\"subscribe\",\"id\":1}\n"},
    {"events and poses at 90 Hz",
     "{\"type\":\"subscribe\",\"id\":1,\"events\":[\"clash\",\"hold\",\"release\",\"tracking\",\"poses\"],"
     "\"pose_rate_hz\":90}\n"},
    {"clashd's page (by the Unix socket)", "{\"type\":\"subscribe\",\"id\":1,\"events\":[\"clash\",\"hold\","
                                           "\"release\",\"tracking\",\"space_changed\",\"poses\"],"
                                           "\"pose_rate_hz\":120}\n"},
};
#define CLIENT_COUNT (sizeof clients / sizeof clients[0])

typedef struct setting {
    const char *clashd, *socket;
    char rate[32];
    double seconds;
} setting;

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
    exit(1);
}

static double clock_s(clockid_t clock)
{
    struct timespec now;

    if (clock_gettime(clock, &now) != 0)
        die("the clock of a process that is gone");
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double number(const char *word)
{
    char *end;
    double value = strtod(word, &end);

    if (end == word || *end != '\0') {
        fprintf(stderr, "load: expected a number, got \"%s\"\n", word);
        exit(2);
    }
    return value;
}

/* clashd on the socket, or the bare calls. */
static pid_t start(const setting *s, bool is_clashd)
{
    pid_t pid = fork();

    if (pid < 0)
        die("fork");
    if (pid > 0)
        return pid;
    if (is_clashd)
        execl(s->clashd, s->clashd, "--socket", s->socket, "--source", "openxr", "--rate", s->rate, "--log-level",
              "warning", (char *)NULL);
    else
        bare_run(number(s->rate));
    die(s->clashd);
}

static int try_to_connect(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || strlen(path) >= sizeof address.sun_path)
        die("socket");
    memcpy(address.sun_path, path, strlen(path) + 1);
    if (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    close(fd);
    return -1;
}

static int subscribe(const char *path, const char *message)
{
    int fd = -1;

    for (int tries = 0; fd < 0 && tries < 500; tries++) {
        usleep(20000);
        fd = try_to_connect(path);
    }
    if (fd < 0 || write(fd, message, strlen(message)) != (ssize_t)strlen(message))
        die("no clashd to subscribe to");
    return fd;
}

/* Lets that time pass; reads what comes, where there is somebody to read from. Returns the lines read. */
static uint64_t pass(double seconds, int fd)
{
    const double end_s = clock_s(CLOCK_MONOTONIC) + seconds;
    uint64_t lines = 0;
    char bytes[65536];
    double left_s;

    while ((left_s = end_s - clock_s(CLOCK_MONOTONIC)) > 0) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};

        if (poll(&ready, 1, (int)(left_s * 1000) + 1) <= 0)
            continue;
        ssize_t got = read(fd, bytes, sizeof bytes);
        if (got <= 0)
            die("clashd has closed the connection");
        for (ssize_t i = 0; i < got; i++)
            lines += bytes[i] == '\n';
    }
    return lines;
}

static void stop(pid_t pid)
{
    int status;

    if (kill(pid, 0) != 0 || waitpid(pid, &status, WNOHANG) != 0)
        die("a process that was measured has ended by itself");
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
}

static double process_s(pid_t pid)
{
    clockid_t clock;

    if ((errno = clock_getcpuclockid(pid, &clock)) != 0)
        die("clock_getcpuclockid");
    return clock_s(clock);
}

/* Of the process and its children: the runtime's calls are made in one of clashd's. */
static double spent_s(pid_t pid)
{
    double sum = process_s(pid);
    char text[256] = "", *next = text;
    FILE *children;

    snprintf(text, sizeof text, "/proc/%ld/task/%ld/children", (long)pid, (long)pid);
    children = fopen(text, "re");
    if (!children)
        die(text);
    text[fread(text, 1, sizeof text - 1, children)] = '\0';
    fclose(children);
    for (long child; (child = strtol(next, &next, 10)) > 0;)
        sum += process_s((pid_t)child);
    return sum;
}

/* Percent of a core. `message` NULL: the bare calls. */
static double measure(const setting *s, const char *message, uint64_t *out_lines)
{
    pid_t pid = start(s, message);
    int fd = message ? subscribe(s->socket, message) : -1;
    double cpu_s, wall_s;

    pass(WARM_UP_S, fd);
    cpu_s = spent_s(pid);
    wall_s = clock_s(CLOCK_MONOTONIC);
    *out_lines = pass(s->seconds, fd);
    cpu_s = spent_s(pid) - cpu_s;
    wall_s = clock_s(CLOCK_MONOTONIC) - wall_s;
    if (fd >= 0)
        close(fd);
    stop(pid);
    return 100 * cpu_s / wall_s;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[count / 2];
}

static void report(double bare, const char *name, double whole, double lines_s)
{
    printf("| %-26s | %8.2f | %8.2f | %8.2f | %8.0f |\n", name, bare, whole, whole - bare, lines_s);
}

int main(int argc, char **argv)
{
    static double bare[ROUNDS_MAX], whole[CLIENT_COUNT][ROUNDS_MAX];
    setting s = {.clashd = argc > 2 ? argv[1] : "", .socket = argc > 2 ? argv[2] : "", .rate = "500", .seconds = 5};
    int rounds = argc > 4 ? (int)number(argv[4]) : 5;
    uint64_t lines[CLIENT_COUNT] = {0}, none;

    if (argc < 3 || argc > 6 || rounds < 1 || rounds > ROUNDS_MAX) {
        fprintf(stderr, "usage: load CLASHD SOCKET [RATE_HZ [ROUNDS [SECONDS]]]\n");
        return 2;
    }
    if (argc > 3)
        snprintf(s.rate, sizeof s.rate, "%s", argv[3]);
    if (argc > 5)
        s.seconds = number(argv[5]);
    for (int round = 0; round < rounds; round++) {
        bare[round] = measure(&s, NULL, &none);
        for (size_t i = 0; i < CLIENT_COUNT; i++)
            whole[i][round] = measure(&s, clients[i].subscribe, &lines[i]);
    }
    printf("Percent of a core at %s Hz, two hands, one client; medians of %d rounds of %g s.\n\n", s.rate, rounds,
           s.seconds);
    printf("| the client gets            | the bare |   clashd | clashd's |  lines/s |\n");
    printf("|                            |    calls |          |      own |          |\n");
    printf("| :------------------------- | -------: | -------: | -------: | -------: |\n");
    double bare_median = median(bare, rounds);
    for (size_t i = 0; i < CLIENT_COUNT; i++)
        report(bare_median, clients[i].name, median(whole[i], rounds), (double)lines[i] / s.seconds);
    return 0;
}
