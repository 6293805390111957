/* Preloaded into a game with the API layer: how the way of a frame to clashd divides. The layer's calls to the C library, and no one
 * else's, are measured: the write that wakes its thread, in the game's frame; then that thread's return from ppoll, and its
 * send. With each frame a line of nanoseconds goes to the file LAYER_SPLIT: the write; from its begin until the thread runs; from then to the send,
 * which is the encoding; the send. */
#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Of the frame that was written last; 0: not yet. The frame's thread writes the first two, the layer's thread the others, and it is long done
 * when the next frame comes, or that frame's line is left out. */
static _Atomic int64_t begun, woken, running, sending, sent;
static _Thread_local bool is_woken; /* in the layer's thread: it has yet to send what it was woken for */
static FILE *file;

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/** Whether code at that address is the layer's; each place that calls keeps the answer. */
static bool is_layer(const void *address, const void **known_yes)
{
    Dl_info info;

    if (address == *known_yes)
        return true;
    if (!dladdr(address, &info) || !info.dli_fname || !strstr(info.dli_fname, "libclash_layer.so"))
        return false;
    *known_yes = address;
    return true;
}

/** Write down the frame before, if all of it has happened. */
static void end_line(void)
{
    if (!file)
        file = fopen(getenv("LAYER_SPLIT"), "w");
    if (file && begun != 0 && sent > sending && sending > running && running > begun)
        fprintf(file, "%lld %lld %lld %lld\n", (long long)(woken - begun), (long long)(running - begun),
                (long long)(sending - running), (long long)(sent - sending));
    begun = woken = running = sending = sent = 0;
}

ssize_t write(int fd, const void *bytes, size_t count)
{
    static ssize_t (*real)(int, const void *, size_t);
    static const void *known;
    ssize_t result;

    if (!real)
        real = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    if (count != sizeof(uint64_t) || !is_layer(__builtin_return_address(0), &known))
        return real(fd, bytes, count);
    end_line();
    begun = now_ns();
    result = real(fd, bytes, count);
    woken = now_ns();
    return result;
}

int ppoll(struct pollfd *waits, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
    static int (*real)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
    static const void *known;
    int result;

    if (!real)
        real = (int (*)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *))dlsym(RTLD_NEXT, "ppoll");
    result = real(waits, count, timeout, mask);
    if (is_layer(__builtin_return_address(0), &known) && result > 0 && waits[0].revents) {
        running = now_ns();
        is_woken = true;
    }
    return result;
}

ssize_t send(int fd, const void *bytes, size_t count, int flags)
{
    static ssize_t (*real)(int, const void *, size_t, int);
    static const void *known;
    ssize_t result;

    if (!real)
        real = (ssize_t(*)(int, const void *, size_t, int))dlsym(RTLD_NEXT, "send");
    if (!is_woken ||
        !is_layer(__builtin_return_address(0), &known)) /* else it may be the game's thread, of a busy machine */
        return real(fd, bytes, count, flags);
    sending = now_ns();
    result = real(fd, bytes, count, flags);
    sent = now_ns();
    is_woken = false;
    return result;
}
