/* What one client asked for, and whether an event or a frame is part of it. Knows only the contacts it was shown: with
 * min_apart_ms and min_peak_speed show it every event once, in order. No clock, no I/O. */
#ifndef CLASHD_SERVER_SUBSCRIPTION_H
#define CLASHD_SERVER_SUBSCRIPTION_H

#include "protocol/messages/codec.h"
#include "reported_pairs.h"

#define SUBSCRIPTION_PACES 8

/** Zero-initialised: nothing. Finish with subscription_finish(). */
typedef struct subscription {
    protocol_subscribe wanted;
    reported_pairs pairs;
    float
        late_speed; /* of the release that was last wanted, if its clash was reported late: that clash's closing speed, m/s; else 0 */
    struct {
        bool has_sent;
        int64_t last_ns, next_ns; /* on the frames' clock */
    } paces[SUBSCRIPTION_PACES];  /* by a frame's first device: each source and client has its own rate and times */
} subscription;

/** Replace what was asked for before. Return 0, or -1 with out_error if a blade is not in the session: then nothing
 *  changes. */
int subscription_set(subscription *s, const protocol_subscribe *wanted, const protocol_session *session,
                     protocol_error *out_error);
void subscription_finish(subscription *s);
/** Return whether the event is wanted, and take note of it. */
bool subscription_wants_event(subscription *s, const clash_event *event);
/** The same for a late clash (see event_sink.h), which is wanted at most once in a contact. */
bool subscription_wants_late(subscription *s, const clash_event *late);
/** Return whether what is wanted depends on earlier events. */
bool subscription_remembers(const subscription *s);
bool subscription_wants_any_poses(const subscription *s);
/** Return whether a frame of that time with that first device is due; true for all frames of the same time. */
bool subscription_take_poses(subscription *s, uint32_t device, int64_t time_ns);

#endif
