/* What one client asked to be told, and whether an event or a frame is that. Pure. */
#ifndef CLASHD_SINKS_SUBSCRIPTION_H
#define CLASHD_SINKS_SUBSCRIPTION_H

#include "protocol/codec.h"

/** Zero-initialised: nothing. */
typedef struct subscription {
    protocol_subscribe wanted;
    bool has_sent_poses;
    int64_t last_poses_ns, next_poses_ns; /* on the frames' clock */
} subscription;

/** Takes the place of what was asked for before. 0, or -1 with out_error where a blade is none of the session's: then
 *  nothing changes. */
int subscription_set(subscription *s, const protocol_subscribe *wanted, const protocol_session *session,
                     protocol_error *out_error);
bool subscription_wants_event(const subscription *s, const clash_event *event);
bool subscription_wants_any_poses(const subscription *s);
/** Whether a frame of that time is due; says yes to all frames of the same time. */
bool subscription_take_poses(subscription *s, int64_t time_ns);

#endif
