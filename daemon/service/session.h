/* One run of the daemon as its clients and recordings see it: a random id, both clocks at the same instant, and what
 * never changes during the run. */
#ifndef CLASHD_SERVICE_SESSION_H
#define CLASHD_SERVICE_SESSION_H

#include "protocol/recording/recording.h"

#define SESSION_ID_BYTES 8

typedef struct service_session {
    char id[2 * SESSION_ID_BYTES + 1];
    char space[sizeof((recording_header *)0)->space];
    int64_t epoch_monotonic_ns; /* 0 on the wire */
    int64_t epoch_unix_ns;      /* the same instant */
} service_session;

/** Begin a session. Return 0, or -1 if the system has no randomness or no clock. */
int session_init(service_session *session, const char *space);
/** Return the time now, ns since the epoch. */
int64_t session_time_ns(const service_session *session);
/** Fill in what hello says, except blades and targets; strings stay the session's. */
void session_describe(const service_session *session, protocol_session *out_session);

#endif
