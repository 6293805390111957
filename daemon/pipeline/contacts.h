/* A pair's contact over its life: turns what the contact tracker finds in an interval into clash, hold and release events
 * in order of time. Knows neither tracks nor which interval comes next. */
#ifndef CLASHD_PIPELINE_CONTACTS_H
#define CLASHD_PIPELINE_CONTACTS_H

#include <clash/contact.h>

#include "contact_kinematics.h"
#include "pipeline/release_times.h"

/** Where events leave the pipeline and are numbered; one for all pairs. */
typedef struct contacts_output {
    const pipeline_settings *settings;
    int64_t hold_period_ns; /* 0: no holds */
    pipeline_event_function deliver;
    void *context;
    pipeline_event_function peak; /* NULL: nobody looks */
    void *peak_context;
    pipeline_counters *counters;
    uint64_t last_id;             /* of the contacts reported so far */
    release_times *release_times; /* when they ended */
} contacts_output;

/** Zero-initialise: apart. */
typedef struct pair_contact {
    clash_contact_state state;
    bool reported; /* its clash was sent; while touching */
    uint64_t id;
    int64_t start_ns, next_hold_ns;
    float start_closing_speed, peak_closing_speed; /* m/s */
    float seen_closing_speed;                      /* likewise, at the start of sampled intervals too; 0 at least */
    bool has_since_release;                        /* as in its clash */
    int64_t since_release_ns;
} pair_contact;

/** ns between two holds for a rate; 0 for no holds. */
int64_t contacts_hold_period(float hold_rate_hz);

/** Numbers `event` and delivers it. */
void contacts_deliver(contacts_output *output, clash_event *event);

/** Sweeps `interval`, which follows the one before without a gap, and sends the events in it. */
void contacts_sweep(pair_contact *contact, contacts_output *output, const pair_interval *interval);

/** Ends a contact that cannot be followed beyond `time_ns`; does nothing if there is none. */
void contacts_abandon(pair_contact *contact, contacts_output *output, const pipeline_opponents *who, int64_t time_ns,
                      clash_release_reason reason);

#endif
