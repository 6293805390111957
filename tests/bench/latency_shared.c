/* What the benchmarks of latency have in common: measured times, sockets, the end of a process. */
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

void die(const char *message)
{
    fprintf(stderr, "%s: %s\n", message, strerror(errno));
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

int connect_soon(const char *path)
{
    for (int tries = 0; tries < 500; tries++) {
        int fd = connect_unix(path);
        if (fd >= 0)
            return fd;
        usleep(20000);
    }
    die("clashd does not listen");
}

void stop_process(pid_t pid)
{
    kill(pid, SIGTERM);
    if (waitpid(pid, NULL, 0) != pid)
        die("waitpid");
}
