/* Limit messages that repeat: pass the first few of the same text at once, then once a period say how many more there
 * were. So nothing that repeats for ever fills the log, and nothing is hidden. Keeps a limited number of texts. Pure:
 * reads no clock. One thread at a time. */
#ifndef CLASHD_LOG_LIMIT_H
#define CLASHD_LOG_LIMIT_H

#include "ports/log.h"

#include <stdbool.h>
#include <stdint.h>

/** Passed at once: whoever repeats a request, for instance by SIGHUP, must see the answer again. */
#define LOG_LIMIT_AT_ONCE 4
#define LOG_LIMIT_PERIOD_MS 10000
#define LOG_LIMIT_TEXTS 16
#define LOG_LIMIT_TEXT_MAX 1024

typedef struct log_limit_text {
    uint64_t began_ms;
    unsigned logged;   /* 0: the place is free */
    uint64_t left_out; /* since began_ms */
    log_level level;
    char text[LOG_LIMIT_TEXT_MAX];
} log_limit_text;

/** Zero-initialise. */
typedef struct log_limit {
    log_limit_text texts[LOG_LIMIT_TEXTS];
} log_limit;

/** Return whether to log the message. `now_ms` is from any clock that never goes back. */
bool log_limit_pass(log_limit *l, uint64_t now_ms, log_level level, const char *message);
/** Write a sum of messages that were left out; call until it returns false. `all`: also of periods that are not over,
 *  at the end of the log. */
bool log_limit_sum_up(log_limit *l, uint64_t now_ms, bool all, log_level *out_level, char *out_text, size_t size);

#endif
