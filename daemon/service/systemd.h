/* The service manager that started clashd, if one did: what it is told, and the sockets that it hands over. The only part
 * that knows libsystemd, in systemd.c; where clashd is built without it, systemd_none.c stands in and knows no manager.
 * Reads and clears environment variables: from the main thread, and before any other one runs, but for notify. */
#ifndef CLASHD_SERVICE_SYSTEMD_H
#define CLASHD_SERVICE_SYSTEMD_H

#include "cli/failure.h"
#include <stddef.h>
#include <stdint.h>

/** The first descriptor that a service manager hands over; the others follow it. */
#define SYSTEMD_FIRST_DESCRIPTOR 3
#define SYSTEMD_DESCRIPTORS_MAX 8
#define SYSTEMD_NAME_MAX 256

typedef struct systemd_descriptors {
    size_t count;
    char names[SYSTEMD_DESCRIPTORS_MAX][SYSTEMD_NAME_MAX]; /* FileDescriptorName= of each; "unknown" without one */
} systemd_descriptors;

/** Says lines of NAME=VALUE to NOTIFY_SOCKET; waits at most timeout_ms for a manager that does not read. 0, also if
 *  nobody wants to be told, or -1 with errno. */
int systemd_notify(const char *lines, int timeout_ms);
/** Within how many microseconds the watchdog has to be fed, over and over; 0: there is none. Clears WATCHDOG_*. */
uint64_t systemd_watchdog_us(void);
/** What was handed over to this process, from SYSTEMD_FIRST_DESCRIPTOR on, close-on-exec from now on. Clears LISTEN_*, so
 *  that no child takes them for its own. 0, or -1 with a message in out_failure. */
int systemd_take_descriptors(systemd_descriptors *out, failure *out_failure);

#endif
