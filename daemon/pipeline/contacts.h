/* The life of a pair's contact: turn what the contact tracker finds in an interval into clash, hold and release events
 * in order of time. Knows neither tracks nor which interval comes next. */
#ifndef CLASHD_PIPELINE_CONTACTS_H
#define CLASHD_PIPELINE_CONTACTS_H

#include <clash/contact.h>

#include "contact_kinematics.h"
#include "pipeline/release_times.h"

/** Where events are numbered and leave the pipeline; one for all pairs. */
typedef struct contacts_output {
    const pipeline_settings *settings;
    int64_t hold_period_ns; /* 0: no holds */
    pipeline_event_function deliver;
    void *context;
    pipeline_event_function peak; /* NULL: not wanted */
    void *peak_context;
    pipeline_counters *counters;
    uint64_t last_id;             /* of the last contact reported */
    release_times *release_times; /* when each pair was last released */
} contacts_output;

/** The state of one pair's contact; zero-initialised: apart. */
typedef struct pair_contact {
    clash_contact_state state;
    bool reported; /* while touching: its clash was sent */
    uint64_t id;
    int64_t start_ns, next_hold_ns;
    float start_closing_speed, peak_closing_speed; /* m/s */
    float seen_closing_speed;                      /* likewise, but also looked at where sampled intervals start; at
                                                      least 0 */
    bool has_since_release;                        /* as in its clash event */
    int64_t since_release_ns;
} pair_contact;

/** Return the ns between two holds for a rate; 0 for no holds. */
int64_t contacts_hold_period(float hold_rate_hz);

/** Number `event` and deliver it. */
void contacts_deliver(contacts_output *output, clash_event *event);

/** Sweep `interval`, which directly follows the last one, and send its events. */
void contacts_sweep(pair_contact *contact, contacts_output *output, const pair_interval *interval);

/** End a contact that cannot be followed beyond `time_ns`; does nothing without one. */
void contacts_abandon(pair_contact *contact, contacts_output *output, const pipeline_opponents *who, int64_t time_ns,
                      clash_release_reason reason);

#endif
