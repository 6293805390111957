/* For builds without libsystemd; see systemd.h. Sockets that are passed all the same are reported, not ignored. */
#include "systemd.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int systemd_notify(const char *lines, int timeout_ms)
{
    (void)lines;
    (void)timeout_ms;
    return 0;
}

uint64_t systemd_watchdog_us(void)
{
    return 0;
}

int systemd_take_descriptors(systemd_descriptors *out, failure *out_failure)
{
    const char *process = getenv("LISTEN_PID");

    *out = (systemd_descriptors){0};
    if (!process || strtol(process, NULL, 10) != (long)getpid())
        return 0;
    return fail_int(
        out_failure,
        "sockets were handed over (LISTEN_FDS), but this clashd was built without libsystemd: start it without "
        "clashd.socket");
}
