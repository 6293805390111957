/* The service manager that started clashd, if any: messages to it, and the sockets it passes. Only systemd.c knows
 * libsystemd; if clashd is built without it, systemd_none.c replaces it and knows no manager. Except for notify these
 * read and clear environment variables: call them from the main thread, before any other runs. */
#ifndef CLASHD_SERVICE_SYSTEMD_H
#define CLASHD_SERVICE_SYSTEMD_H

#include "cli/failure.h"
#include <stddef.h>
#include <stdint.h>

/** The first descriptor that a service manager passes; the others follow. */
#define SYSTEMD_FIRST_DESCRIPTOR 3
#define SYSTEMD_DESCRIPTORS_MAX 8
#define SYSTEMD_NAME_MAX 256

typedef struct systemd_descriptors {
    size_t count;
    char names[SYSTEMD_DESCRIPTORS_MAX][SYSTEMD_NAME_MAX]; /* FileDescriptorName= of each; "unknown" without one */
} systemd_descriptors;

/** Send lines of NAME=VALUE to NOTIFY_SOCKET; wait at most timeout_ms for a manager that does not read. Return 0, also
 *  without a manager, or -1 with errno. */
int systemd_notify(const char *lines, int timeout_ms);
/** Return the watchdog's period in microseconds, within which it must be fed each time; 0: none. Clears WATCHDOG_*. */
uint64_t systemd_watchdog_us(void);
/** Take the descriptors passed to this process, from SYSTEMD_FIRST_DESCRIPTOR on, and make them close-on-exec. Clears
 *  LISTEN_*, so that no child takes them for its own. Return 0, or -1 with a message in out_failure. */
int systemd_take_descriptors(systemd_descriptors *out, failure *out_failure);

#endif
