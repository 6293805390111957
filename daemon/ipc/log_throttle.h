/* Limits the log lines about refusals, with which any client that can connect could otherwise fill the log. The log has
 * the first few refusals of a window, and later the number of those left out; `status` counts all. Does not read a
 * clock. */
#ifndef CLASHD_IPC_LOG_THROTTLE_H
#define CLASHD_IPC_LOG_THROTTLE_H

#include "ports/log.h"

#include <stdint.h>

/** Lines in one window, and its length. */
#define LOG_THROTTLE_MAX 20
#define LOG_THROTTLE_WINDOW_MS 10000

/** Zero-initialise. */
typedef struct log_throttle {
    uint64_t began_ms;
    unsigned logged;
    uint64_t left_out;
} log_throttle;

/** Log a warning, unless the window's limit is reached. `now_ms` is from any monotonic clock. `client` describes the
 *  refused client; "" if unknown. */
void log_throttle_warn(log_throttle *t, const logger *log, uint64_t now_ms, const char *client, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
