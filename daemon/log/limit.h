/* Messages that repeat: the first few of the same text are said at once, and then once a period how many more there were,
 * so that nothing that goes on for ever fills the log, and nothing of it is hidden either. Of only so many texts at a
 * time. Pure: reads no clock. One thread at a time. */
#ifndef CLASHD_LOG_LIMIT_H
#define CLASHD_LOG_LIMIT_H

#include "ports/log.h"

#include <stdbool.h>
#include <stdint.h>

/** Said at once: who asks for the same thing again, by SIGHUP for instance, is to hear of it again. */
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

/** Zeroed at first. */
typedef struct log_limit {
    log_limit_text texts[LOG_LIMIT_TEXTS];
} log_limit;

/** Whether to say it. `now_ms` is on any clock that never goes back. */
bool log_limit_pass(log_limit *l, uint64_t now_ms, log_level level, const char *message);
/** What is to be said of those that were not: one after the other, until there is no more and it returns false. `all`: also
 *  of periods that are not over, at the end of the log. */
bool log_limit_sum_up(log_limit *l, uint64_t now_ms, bool all, log_level *out_level, char *out_text, size_t size);

#endif
