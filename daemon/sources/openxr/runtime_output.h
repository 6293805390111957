/* What a runtime's library prints, for the log: each line once, however often it comes, as Monado's client says the same dozen
 * at each try; few of those that are always new; and of what was left out the last lines, should the process crash. Pure:
 * reads no clock. */
#ifndef CLASHD_SOURCES_OPENXR_RUNTIME_OUTPUT_H
#define CLASHD_SOURCES_OPENXR_RUNTIME_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Longer lines are cut. */
#define XR_SAID_LINE_MAX 512
/** Different lines that are remembered; two that differ in numbers alone are the same. */
#define XR_SAID_KNOWN_MAX 256
/** New lines that pass in a period. */
#define XR_SAID_NEW_MAX 40
#define XR_SAID_PERIOD_NS 60000000000
#define XR_SAID_LAST_MAX 16

/** Zeroed at first. */
typedef struct xr_said {
    char line[XR_SAID_LINE_MAX]; /* that has begun */
    size_t length;
    uint64_t known[XR_SAID_KNOWN_MAX];
    size_t known_count, known_next;
    int64_t period_ns; /* when it began */
    unsigned passed;   /* in it */
    uint64_t left_out; /* since xr_said_count */
    char last[XR_SAID_LAST_MAX][XR_SAID_LINE_MAX];
    size_t last_count, last_next;
} xr_said;

typedef void (*xr_said_function)(void *context, const char *line);

/** Takes what was printed, in whatever pieces; tells each line that passes. `now_ns` is of a clock that never goes back. */
void xr_said_take(xr_said *s, const char *text, size_t length, int64_t now_ns, xr_said_function tell, void *context);
/** The process has ended: a line that has only begun is one, and after a crash the last that were left out are told. */
void xr_said_end(xr_said *s, bool crashed, int64_t now_ns, xr_said_function tell, void *context);
/** The runtime works: say its troubles again the next time they come. */
void xr_said_forget(xr_said *s);
/** How many lines were left out since the last call. */
uint64_t xr_said_count(xr_said *s);

#endif
