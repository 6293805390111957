/* From a pose sample to the line that its subscriber can read, beside the round trip of a bare libuv echo of the same
 * line. Both are measured in turns in one run, never at the same time, so that a noisy machine is as noisy for both. */
#include "latency.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define RATE_HZ 1000.0

void die(const char *message)
{
    fprintf(stderr, "latency: %s: %s\n", message, strerror(errno));
    exit(1);
}

void samples_add(samples *s, int64_t value)
{
    if (s->count == s->capacity) {
        s->capacity = s->capacity ? s->capacity * 2 : 4096;
        s->values = realloc(s->values, s->capacity * sizeof *s->values);
        if (!s->values)
            die("samples");
    }
    s->values[s->count++] = value;
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

int64_t samples_quantile(samples *s, double share)
{
    size_t rank = (size_t)((double)s->count * share);

    if (s->count == 0)
        return 0;
    qsort(s->values, s->count, sizeof *s->values, compare);
    return s->values[rank < s->count ? rank : s->count - 1];
}

void samples_finish(samples *s)
{
    free(s->values);
    *s = (samples){0};
}

int connect_unix(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || strlen(path) >= sizeof address.sun_path)
        die(path);
    memcpy(address.sun_path, path, strlen(path) + 1);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    close(fd);
    return -1;
}

void stop_process(pid_t pid)
{
    kill(pid, SIGTERM);
    if (waitpid(pid, NULL, 0) != pid)
        die("waitpid");
}

static void report(const char *name, samples *s)
{
    printf("%-30s%9zu%10.1f%10.1f%10.1f\n", name, s->count, (double)samples_quantile(s, 0.5) * 1e-3,
           (double)samples_quantile(s, 0.99) * 1e-3, (double)samples_quantile(s, 0.999) * 1e-3);
}

static double ratio(samples *a, samples *b, double share)
{
    int64_t under = samples_quantile(b, share);

    return under > 0 ? (double)samples_quantile(a, share) / (double)under : 0.0;
}

int main(int argc, char **argv)
{
    static bench_line line;
    samples poses = {0}, clashes = {0}, echoes = {0};
    long rounds = argc > 3 ? strtol(argv[3], NULL, 10) : 5;
    double seconds = argc > 4 ? strtod(argv[4], NULL) : 6.0;

    if (argc < 3 || rounds < 1 || seconds <= 0.0) {
        fprintf(stderr, "usage: latency CLASHD SOCKET [ROUNDS [SECONDS]]\n");
        return 2;
    }
    for (long round = 0; round < rounds; round++) {
        clashd_measure(argv[1], argv[2], seconds, &poses, &clashes, &line);
        echo_measure(argv[2], &line, RATE_HZ, seconds, &echoes);
    }
    printf("%.0f a second, a line of %zu bytes, %ld rounds of %.0f s each; microseconds\n", RATE_HZ, line.length,
           rounds, seconds);
    printf("%-30s%9s%10s%10s%10s\n", "", "lines", "p50", "p99", "p99.9");
    report("pose sample to client", &poses);
    report("the sample of a clash to client", &clashes);
    report("libuv echo, round trip", &echoes);
    printf("%-39s%10.2f%10.2f%10.2f\n", "pose sample / echo", ratio(&poses, &echoes, 0.5), ratio(&poses, &echoes, 0.99),
           ratio(&poses, &echoes, 0.999));
    samples_finish(&poses);
    samples_finish(&clashes);
    samples_finish(&echoes);
    return 0;
}
