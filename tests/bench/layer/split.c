/* Preloaded into a game with the API layer: how the way of a frame to clashd divides. The layer's calls to the C library, and no one
 * else's, are measured: the look at the clock when a frame is put into the ring, and the write that wakes the thread, if it
 * is asleep, both in the game's frame; then that thread's last return from ppoll, and its send. With each frame a line of nanoseconds
 * goes to the file LAYER_SPLIT: the write, 0 without one; from the frame until the thread runs for it; from then to the send, which is the
 * encoding; the send. */
#include <dlfcn.h>
#include <link.h>
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
    _Atomic int64_t begun, waking, running, sending, sent;
} split;

/** A power of two: the layer's thread is never so many frames behind. */
#define SPLITS 64u
static split splits[SPLITS];
static _Atomic unsigned begun_count;       /* the newest frame's number */
static unsigned written_count, sent_count; /* the layer's thread's own */
static _Thread_local bool is_layers;       /* the layer's thread */
static _Thread_local int64_t running;      /* since then the layer's thread has not waited */

typedef int clock_call(clockid_t, struct timespec *);

static int look(clockid_t clock, struct timespec *now)
{
    static clock_call *real;

    if (!real)
        real = (clock_call *)dlsym(RTLD_NEXT, "clock_gettime");
    return real(clock, now);
}

static int64_t now_ns(void)
{
    struct timespec now;

    look(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static _Atomic uintptr_t layer_begin, layer_end; /* where the layer's code is */

static int find_layer(struct dl_phdr_info *library, size_t size, void *context)
{
    (void)size, (void)context;
    for (int i = 0; strstr(library->dlpi_name, "libclash_layer.so") && i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[i];

        if (part->p_type == PT_LOAD && part->p_flags & PF_X) {
            layer_end = library->dlpi_addr + part->p_vaddr + part->p_memsz;
            layer_begin = library->dlpi_addr + part->p_vaddr;
        }
    }
    return layer_begin != 0;
}

static bool is_layer(const void *address)
{
    return (uintptr_t)address >= layer_begin && (uintptr_t)address < layer_end;
}

/** Write down the frames before that one, of which all has happened; by the layer's thread, as it would cost the game's frame. */
static void write_until(unsigned number)
{
    static FILE *file;

    if (!file)
        file = fopen(getenv("LAYER_SPLIT"), "w");
    for (; file && written_count + 1 < number; written_count++) {
        const split *s = &splits[(written_count + 1) % SPLITS];

        if (s->sent > s->sending && s->sending > s->running && s->begun != 0)
            fprintf(file, "%lld %lld %lld %lld\n", (long long)s->waking,
                    (long long)(s->running > s->begun ? s->running - s->begun : 0),
                    (long long)(s->sending - s->running), (long long)(s->sent - s->sending));
    }
}

/* In the game's thread the layer looks last when it puts the frame into the ring. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
    if (!is_layers && is_layer(__builtin_return_address(0))) {
        split *s = &splits[(begun_count + 1) % SPLITS];

        s->waking = s->running = s->sending = s->sent = 0;
        s->begun = now_ns();
        begun_count++;
    }
    return look(clock, now);
}

ssize_t write(int fd, const void *bytes, size_t count)
{
    static ssize_t (*real)(int, const void *, size_t);
    int64_t begun;
    ssize_t result;

    if (!real)
        real = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    if (count != sizeof(uint64_t) || is_layers || !is_layer(__builtin_return_address(0)))
        return real(fd, bytes, count);
    begun = now_ns();
    result = real(fd, bytes, count);
    splits[begun_count % SPLITS].waking = now_ns() - begun;
    return result;
}

int ppoll(struct pollfd *waits, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
    static int (*real)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
    int result;

    if (!real)
        real = (int (*)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *))dlsym(RTLD_NEXT, "ppoll");
    if (layer_begin == 0)
        dl_iterate_phdr(find_layer, NULL); /* its thread, if anybody's, calls this at its start */
    result = real(waits, count, timeout, mask);
    if (is_layer(__builtin_return_address(0))) {
        is_layers = true;
        running = now_ns();
        write_until(begun_count);
    }
    return result;
}

ssize_t send(int fd, const void *bytes, size_t count, int flags)
{
    static ssize_t (*real)(int, const void *, size_t, int);
    ssize_t result;

    if (!real)
        real = (ssize_t(*)(int, const void *, size_t, int))dlsym(RTLD_NEXT, "send");
    if (!is_layers || sent_count == begun_count || !is_layer(__builtin_return_address(0)))
        return real(fd, bytes, count, flags); /* of a busy machine the game's thread sends */
    sent_count = begun_count;
    splits[sent_count % SPLITS].running = running;
    splits[sent_count % SPLITS].sending = now_ns();
    result = real(fd, bytes, count, flags);
    splits[sent_count % SPLITS].sent = now_ns();
    return result;
}
