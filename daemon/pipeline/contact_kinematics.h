/* The kinematics of a contact: at what speed, angle and edge alignment the blades meet. Pure arithmetic on one interval
 * of two motions; uses no library function but sqrt, so that the same samples give the same bits on every machine. */
#ifndef CLASHD_PIPELINE_CONTACT_KINEMATICS_H
#define CLASHD_PIPELINE_CONTACT_KINEMATICS_H

#include <clash/time_of_impact.h>

#include "pipeline.h"

/** Who meets whom. Of two blades the one added earlier is index 0; a target is index 1. */
typedef struct pipeline_opponents {
    const pipeline_blade *blades[2]; /* of a target only name and device are valid */
    const pipeline_target *target;   /* NULL: two blades */
} pipeline_opponents;

/** What one sweep covers: the part of two motions between two neighbouring sample times of either track. */
typedef struct pair_interval {
    int64_t from_ns, to_ns; /* from < to */
    clash_toi_input input;  /* points to the motions below */
    clash_motion motions[2];
    int64_t motion_ns[2];   /* duration of each collider's own motion, > 0 */
    pipeline_opponents who; /* index as in `input` */
    bool tracked;           /* the samples at both ends of both motions were measured, not guessed */
} pair_interval;

/** Fill `out_clash`. Of the settings only those of intensity matter. */
void contact_kinematics_at(const pair_interval *interval, const clash_toi_output *touch,
                           const pipeline_settings *settings, clash_event_clash *out_clash);

/** Return (v0 - v1) . normal of `contact`, m/s. */
float contact_closing_speed(const pair_interval *interval, const clash_contact *contact);

#endif
