/* Limits what refusals write to the log, which anybody who can connect could otherwise fill. The log names the first
 * few of a window and later how many more there were; `status` counts all. Reads no clock. */
#ifndef CLASHD_IPC_LOG_THROTTLE_H
#define CLASHD_IPC_LOG_THROTTLE_H

#include "ports/log.h"

#include <stdint.h>

/** How many are named, and in a window of what length. */
#define LOG_THROTTLE_MAX 20
#define LOG_THROTTLE_WINDOW_MS 10000

/** Zeroed at first. */
typedef struct log_throttle {
    uint64_t began_ms;
    unsigned logged;
    uint64_t left_out;
} log_throttle;

/** A warning, or nothing if there have been enough of late. `now_ms` is on any clock that never goes back. `client`
 *  is who was refused; "" if that is not known. */
void log_throttle_warn(log_throttle *t, const logger *log, uint64_t now_ms, const char *client, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
