/* The life of a pair's contact: turn what the contact tracker finds in an interval into clash, hold and release events
 * in order of time. Knows neither tracks nor which interval comes next. */
#ifndef CLASHD_PIPELINE_CONTACTS_H
#define CLASHD_PIPELINE_CONTACTS_H

#include <clash/contact.h>

#include "contact_kinematics.h"
#include "pipeline/release_times.h"

/** An event of the present step. */
typedef struct step_event {
    clash_event event;
    int64_t order_ns; /* where it belongs in the order of time: its own time, but for what has to come last */
    bool is_peak;     /* a late clash for the peak function, which has no number of its own */
} step_event;

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

/** The holds of a long interval. Delivering computes each one again, so a step's memory does not grow with the length of its
 *  intervals. */
typedef struct hold_run {
    pair_interval interval; /* its input points to the motions of the interval from which it was copied */
    pair_contact contact;   /* next_hold_ns: of the next one to be delivered */
    int64_t until_ns;
    size_t place; /* number of events collected before it */
} hold_run;

/** Where a step's events are collected, and then numbered and delivered in the order of their times; one for all pairs. */
typedef struct contacts_output {
    step_event *events;
    uint32_t *order, *scratch; /* of `events`, to sort them */
    size_t count, capacity, delivered;
    hold_run *runs;
    uint32_t *heap; /* of `runs`, the one with the next hold first */
    size_t run_count, run_capacity, heap_count;
    bool is_sorted;    /* `events` themselves are in order; else `order` is */
    int64_t latest_ns; /* of those collected */
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

/** Return the ns between two holds for a rate; 0 for no holds. */
int64_t contacts_hold_period(float hold_rate_hz);

/** Collect an event. With `is_last` it comes after all events so far, whatever its time: what the step ends with. */
void contacts_deliver(contacts_output *output, const clash_event *event, bool is_last);
/** Put what is collected in the order of time; of one time, in the order of collecting. */
void contacts_order(contacts_output *output);
/** After contacts_order: number and deliver so many events at most. Return whether more are left. */
bool contacts_deliver_some(contacts_output *output, size_t most);
/** Do both at once. */
void contacts_flush(contacts_output *output);
void contacts_finish(contacts_output *output);

/** Sweep `interval`, which directly follows the last one, and send its events. */
void contacts_sweep(pair_contact *contact, contacts_output *output, const pair_interval *interval);

/** End a contact that cannot be followed beyond `time_ns`; does nothing without one. */
void contacts_abandon(pair_contact *contact, contacts_output *output, const pipeline_opponents *who, int64_t time_ns,
                      clash_release_reason reason);

#endif
