/* What one client asked to be told, and whether an event or a frame is that. Knows of contacts only what it was shown: with
 * min_apart_ms and min_peak_speed every event is shown to it once, in order. No clock, no I/O. */
#ifndef CLASHD_SERVER_SUBSCRIPTION_H
#define CLASHD_SERVER_SUBSCRIPTION_H

#include "protocol/messages/codec.h"
#include "reported_pairs.h"

#define SUBSCRIPTION_PACES 8

/** Zero-initialised: nothing. Finish with subscription_finish(). */
typedef struct subscription {
    protocol_subscribe wanted;
    reported_pairs pairs;
    struct {
        bool has_sent;
        int64_t last_ns, next_ns; /* on the frames' clock */
    } paces[SUBSCRIPTION_PACES]; /* by a frame's first device: each source and client has a rate and times of its own */
} subscription;

/** Takes the place of what was asked for before. 0, or -1 with out_error where a blade is none of the session's: then
 *  nothing changes. */
int subscription_set(subscription *s, const protocol_subscribe *wanted, const protocol_session *session,
                     protocol_error *out_error);
void subscription_finish(subscription *s);
/** Whether it is wanted; takes note of it. */
bool subscription_wants_event(subscription *s, const clash_event *event);
/** The same of a clash that is late (see event_sink.h), which is wanted once in a contact at most. */
bool subscription_wants_late(subscription *s, const clash_event *late);
/** Whether what is wanted depends on events before. */
bool subscription_remembers(const subscription *s);
bool subscription_wants_any_poses(const subscription *s);
/** Whether a frame of that time, whose first device this is, is due; says yes to all frames of the same time. */
bool subscription_take_poses(subscription *s, uint32_t device, int64_t time_ns);

#endif
