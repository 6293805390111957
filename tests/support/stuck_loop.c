/* An event loop that does not turn: preloaded. While the file that CLASHD_STUCK_LOOP names exists, the process' first
 * thread waits where libuv asks the kernel for events; all other threads go on. */
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* What the linker knows by the C library's names. */
#define SHOWN(name) __asm__(name) __attribute__((visibility("default")))

int stuck_epoll_wait(int fd, struct epoll_event *events, int size, int timeout) SHOWN("epoll_wait");
int stuck_epoll_pwait(int fd, struct epoll_event *events, int size, int timeout, const sigset_t *mask)
    SHOWN("epoll_pwait");

static void wait_while_stuck(void)
{
    const char *path = getenv("CLASHD_STUCK_LOOP");
    const struct timespec pause = {.tv_nsec = 5000000};

    while (path && syscall(SYS_gettid) == getpid() && access(path, F_OK) == 0)
        nanosleep(&pause, NULL);
}

int stuck_epoll_pwait(int fd, struct epoll_event *events, int size, int timeout, const sigset_t *mask)
{
    wait_while_stuck();
    return (int)syscall(SYS_epoll_pwait, fd, events, size, timeout, mask, (size_t)8); /* the kernel's sigset_t */
}

int stuck_epoll_wait(int fd, struct epoll_event *events, int size, int timeout)
{
    return stuck_epoll_pwait(fd, events, size, timeout, NULL);
}
