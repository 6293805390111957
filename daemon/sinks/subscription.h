/* What one client asked to be told, and whether an event or a frame is that. Pure. */
#ifndef CLASHD_SINKS_SUBSCRIPTION_H
#define CLASHD_SINKS_SUBSCRIPTION_H

#include "protocol/codec.h"

#define SUBSCRIPTION_PACES 8

/** Zero-initialised: nothing. */
typedef struct subscription {
    protocol_subscribe wanted;
    struct {
        bool has_sent;
        int64_t last_ns, next_ns; /* on the frames' clock */
    } paces[SUBSCRIPTION_PACES]; /* by a frame's first device: each source and client has a rate and times of its own */
} subscription;

/** Takes the place of what was asked for before. 0, or -1 with out_error where a blade is none of the session's: then
 *  nothing changes. */
int subscription_set(subscription *s, const protocol_subscribe *wanted, const protocol_session *session,
                     protocol_error *out_error);
bool subscription_wants_event(const subscription *s, const clash_event *event);
bool subscription_wants_any_poses(const subscription *s);
/** Whether a frame of that time, whose first device this is, is due; says yes to all frames of the same time. */
bool subscription_take_poses(subscription *s, uint32_t device, int64_t time_ns);

#endif
