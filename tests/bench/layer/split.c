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

/* Of one frame; 0: not yet. The game's thread fills in the first two, the layer's the others. */
typedef struct split {
    _Atomic int64_t begun, woken, running, sending, sent;
} split;

/** A power of two: the layer's thread is never so many frames behind. */
#define SPLITS 64u
static split splits[SPLITS];
static _Atomic unsigned begun_count; /* the newest frame's number */
static unsigned written_count;       /* the layer's thread's own */
static _Thread_local split *woken;   /* in the layer's thread: what it was woken for and has yet to send */

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

/** Write down the frames before that one, of which all has happened; by the layer's thread, as it would cost the game's frame. */
static void write_until(unsigned number)
{
    static FILE *file;

    if (!file)
        file = fopen(getenv("LAYER_SPLIT"), "w");
    for (; file && written_count + 1 < number; written_count++) {
        const split *s = &splits[(written_count + 1) % SPLITS];

        if (s->sent > s->sending && s->sending > s->running && s->running > s->begun && s->woken > s->begun)
            fprintf(file, "%lld %lld %lld %lld\n", (long long)(s->woken - s->begun), (long long)(s->running - s->begun),
                    (long long)(s->sending - s->running), (long long)(s->sent - s->sending));
    }
}

ssize_t write(int fd, const void *bytes, size_t count)
{
    static ssize_t (*real)(int, const void *, size_t);
    static const void *known;
    unsigned number;
    ssize_t result;
    split *s;

    if (!real)
        real = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    if (count != sizeof(uint64_t) || !is_layer(__builtin_return_address(0), &known))
        return real(fd, bytes, count);
    number = begun_count + 1;
    s = &splits[number % SPLITS];
    s->woken = s->running = s->sending = s->sent = 0;
    s->begun = now_ns();
    begun_count = number;
    result = real(fd, bytes, count);
    s->woken = now_ns();
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
        const int64_t running = now_ns();

        write_until(begun_count);
        woken = &splits[begun_count % SPLITS];
        woken->running = running;
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
    if (!woken ||
        !is_layer(__builtin_return_address(0), &known)) /* else it may be the game's thread, of a busy machine */
        return real(fd, bytes, count, flags);
    woken->sending = now_ns();
    result = real(fd, bytes, count, flags);
    woken->sent = now_ns();
    woken = NULL;
    return result;
}
