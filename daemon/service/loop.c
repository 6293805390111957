/* Make sure of what libuv takes for granted; see loop.h. */
#include "loop.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

/* epoll, an eventfd, two pipes for signals, and one to spare. */
#define LOOP_DESCRIPTORS 8
/* Descriptors for everything but clients. */
#define DESCRIPTORS_OWN 64

static int check_descriptors(void)
{
    int fds[LOOP_DESCRIPTORS], count = 0, error = 0;

    while (count < LOOP_DESCRIPTORS && error == 0) {
        fds[count] = eventfd(0, EFD_CLOEXEC);
        if (fds[count] < 0)
            error = UV_EMFILE;
        else
            count++;
    }
    while (count > 0)
        close(fds[--count]);
    return error;
}

int loop_init(uv_loop_t *loop)
{
    const int error = check_descriptors();

    return error != 0 ? error : uv_loop_init(loop);
}

static void ignore(uv_poll_t *poll, int status, int events)
{
    (void)poll;
    (void)status;
    (void)events;
}

static void free_poll(uv_handle_t *poll)
{
    free(poll);
}

/* libuv's table grows when a descriptor is watched, and never shrinks. */
static void watch_once(uv_loop_t *loop, int fd)
{
    uv_poll_t *poll = malloc(sizeof *poll);

    if (!poll || uv_poll_init(loop, poll, fd) != 0) {
        free(poll);
        return;
    }
    uv_poll_start(poll, UV_READABLE, ignore);
    uv_close((uv_handle_t *)poll, free_poll);
}

static void reserve(uv_loop_t *loop, int count)
{
    const int low = eventfd(0, EFD_CLOEXEC);
    struct rlimit limit = {0};
    int high = -1;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < (rlim_t)count)
        count = (int)limit.rlim_cur;
    if (low >= 0)
        high = fcntl(low, F_DUPFD_CLOEXEC, count - 1);
    if (high >= 0) {
        watch_once(loop, high);
        close(high);
    }
    if (low >= 0)
        close(low);
}

/* Each client needs a descriptor, and the usual limit of 1024 is only a soft one. */
static void raise_limit(uint32_t clients, const logger *log)
{
    const rlim_t wanted = (rlim_t)clients + DESCRIPTORS_OWN;
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < wanted)
        LOG_WARNING(log, "socket.max_clients: only %ju descriptors are allowed, which is too few for %u clients",
                    (uintmax_t)limit.rlim_cur, clients);
}

void loop_reserve_clients(uv_loop_t *loop, uint32_t clients, const logger *log)
{
    raise_limit(clients, log);
    reserve(loop, (int)clients + DESCRIPTORS_OWN);
}
