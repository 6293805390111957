/* One run of the daemon; see session.h. */
#include "session.h"

#include <stdio.h>
#include <sys/random.h>
#include <time.h>

#define NS_PER_S INT64_C(1000000000)

static int64_t read_clock_ns(clockid_t clock)
{
    struct timespec now;

    if (clock_gettime(clock, &now) != 0)
        return -1;
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

/* Read the wall clock between two readings of the other one: off by at most half of the time between those. */
static int read_epoch(service_session *session)
{
    int64_t before = read_clock_ns(CLOCK_MONOTONIC);
    int64_t after;

    session->epoch_unix_ns = read_clock_ns(CLOCK_REALTIME);
    after = read_clock_ns(CLOCK_MONOTONIC);
    session->epoch_monotonic_ns = before + (after - before) / 2;
    return before < 0 || after < 0 || session->epoch_unix_ns < 0 ? -1 : 0;
}

int session_init(service_session *session, const char *space)
{
    unsigned char bytes[SESSION_ID_BYTES];

    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes || read_epoch(session) < 0)
        return -1;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(session->id + 2 * i, 3, "%02x", bytes[i]);
    snprintf(session->space, sizeof session->space, "%s", space);
    return 0;
}

int64_t session_time_ns(const service_session *session)
{
    return read_clock_ns(CLOCK_MONOTONIC) - session->epoch_monotonic_ns;
}

void session_describe(const service_session *session, protocol_session *out_session)
{
    *out_session = (protocol_session){
        .version = CLASH_VERSION_STRING,
        .session = session->id,
        .space = session->space,
        .epoch_monotonic_ns = session->epoch_monotonic_ns,
        .epoch_unix_ns = session->epoch_unix_ns,
        .time_ns = session_time_ns(session),
    };
}
