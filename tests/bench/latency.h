/* The latency benchmark's parts: a clashd of its own with a client, a bare libuv echo, and what was measured. */
#ifndef CLASHD_BENCH_LATENCY_H
#define CLASHD_BENCH_LATENCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#define LATENCY_LINE_MAX 65536

/** Measured times, ns. Zero-initialise; samples_finish frees. */
typedef struct samples {
    int64_t *values;
    size_t count, capacity;
} samples;

void samples_add(samples *s, int64_t value);
/** The smallest value that at least `share` (0..1) of all values do not exceed; 0 where there is none. Sorts. */
int64_t samples_quantile(samples *s, double share);
void samples_finish(samples *s);

/** Prints the message and errno's text, and exits 1. */
_Noreturn void die(const char *message);

static inline int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/** A connected stream socket, or -1. */
int connect_unix(const char *path);
/** The same to a server that starts just now; dies where there is none for 10 s. */
int connect_soon(const char *path);
/** Sends SIGTERM and waits for the end. */
void stop_process(pid_t pid);

/** One line as clashd sends it, newline included. */
typedef struct bench_line {
    char text[LATENCY_LINE_MAX];
    size_t length;
} bench_line;

/** Runs `program` on `socket_path`, asks it for poses and clashes, and for `seconds` adds to `poses` the time from each
 *  sample to its line, and to `clashes` the time from the sample that showed a clash to the clash's line. A `poses` line
 *  is left in out_line. */
void clashd_measure(const char *program, const char *socket_path, double seconds, samples *poses, samples *clashes,
                    bench_line *out_line);

/** Starts an echo server in a process of its own, which ends when its one client goes. */
pid_t echo_start(const char *socket_path);
/** Sends the line to it and waits until all of it is back; how long that took, ns. */
int64_t echo_round_trip(int fd, const bench_line *line);
void sleep_until(int64_t until_ns);

/** Sends `line` to an echo server in a process of its own, `rate_hz` times a second for `seconds`, and adds the round
 *  trips. */
void echo_measure(const char *socket_path, const bench_line *line, double rate_hz, double seconds,
                  samples *round_trips);

#endif
