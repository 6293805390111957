/* Filter what a runtime's library prints for the log: log each line once (Monado's client prints the same dozen at each
 * try) and only a few of those that are always new; after a crash also the last lines that were left out. Pure: reads
 * no clock. */
#ifndef CLASHD_SOURCES_OPENXR_RUNTIME_OUTPUT_H
#define CLASHD_SOURCES_OPENXR_RUNTIME_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Longer lines are cut. */
#define XR_OUTPUT_LINE_MAX 512
/** Lines that are remembered; two that differ only in numbers are the same. */
#define XR_OUTPUT_KNOWN_MAX 256
/** New lines that pass in one period. */
#define XR_OUTPUT_NEW_MAX 40
#define XR_OUTPUT_PERIOD_NS 60000000000
#define XR_OUTPUT_LAST_MAX 16

/** Zeroed at first. */
typedef struct xr_output {
    char line[XR_OUTPUT_LINE_MAX]; /* that has begun */
    size_t length;
    uint64_t known[XR_OUTPUT_KNOWN_MAX];
    size_t known_count, known_next;
    int64_t period_ns; /* when the period began */
    unsigned passed;   /* lines in it */
    uint64_t left_out; /* since xr_output_count */
    char last[XR_OUTPUT_LAST_MAX][XR_OUTPUT_LINE_MAX];
    size_t last_count, last_next;
} xr_output;

typedef void (*xr_output_function)(void *context, const char *line);

/** Take what was printed, in pieces of any size, and tell each line that passes. `now_ns` is from a clock that never
 *  goes back. */
void xr_output_take(xr_output *s, const char *text, size_t length, int64_t now_ns, xr_output_function tell,
                    void *context);
/** The process has ended: finish an unfinished line and, after a crash, tell the last lines that were left out. */
void xr_output_end(xr_output *s, bool crashed, int64_t now_ns, xr_output_function tell, void *context);
/** Forget the known lines: the runtime works, so log its troubles again the next time they come. */
void xr_output_forget(xr_output *s);
/** Return how many lines were left out since the last call. */
uint64_t xr_output_count(xr_output *s);

#endif
