/* The recording benchmark: how fast recordings are read, parsed and searched for clashes, and in how much memory. What its
 * files share. */
#ifndef BENCH_RECORDING_H
#define BENCH_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BENCH_PATH_MAX 4096
/** Bytes behind every line that may be read: some parsers look ahead. */
#define BENCH_PADDING 64

typedef struct workload {
    const char *name;
    double seconds, rate_hz; /* rate 0: as the swings were sampled, about 91 Hz */
    bool is_long;            /* runs once, and only where it is asked for */
} workload;

/** A recording as clashd writes it, plain and compressed. */
typedef struct input {
    char plain[BENCH_PATH_MAX], packed[BENCH_PATH_MAX];
    uint64_t plain_bytes, packed_bytes; /* of the files */
    uint64_t lines, frames, poses, events;
} input;

/** Writes `out->plain`: the human swings of `source`, to and fro so that nothing jumps, until `w->seconds` are full, with
 *  the events that come of them. Ends the program where it cannot. */
void input_make(const workload *w, const char *source, input *out);

/** A way to go through a file, in this process. Returns how many lines (or, of the bytes alone, bytes) there were. */
typedef struct stage {
    const char *key, *name;
    uint64_t (*run)(const char *path);
} stage;

extern const stage stages[];
extern const size_t stage_count;

/** Calls `take` with every line of a file, plain or compressed, followed by BENCH_PADDING bytes that can be read. Returns
 *  how many. */
uint64_t lines_each(const char *path, void (*take)(void *context, const char *line, size_t length), void *context);

#ifdef WITH_SIMDJSON
/** Every line of a file as a tree of simdjson's. */
uint64_t simdjson_lines(const char *path);
#endif

/** What a process took. */
typedef struct spent {
    double seconds, cpu_seconds;
    double peak_mb; /* of memory */
} spent;

/** Runs a command to its end, its output thrown away. Ends the program where its exit status is not 0. */
spent command_run(char *const argv[]);

typedef struct command {
    const char *key, *name;
    const char *words[8]; /* after clashctl; INPUT and OUTPUT stand for files, NULL ends them */
} command;

#define COMMAND_INPUT "INPUT"
#define COMMAND_OUTPUT "OUTPUT"

extern const command commands[];
extern const size_t command_count;

/** Ends the program: what failed, and why. */
_Noreturn void die(const char *what, const char *why);

#endif
