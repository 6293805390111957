/* The blades and targets that there are at some moment of a recording, for mcap_export. */
#ifndef CLASHD_OFFLINE_MCAP_THINGS_H
#define CLASHD_OFFLINE_MCAP_THINGS_H

#include "protocol/recording/recording.h"

/** Zeroed at first. */
typedef struct mcap_things {
    clash_blade_definition *blades;
    clash_target_definition **targets;
    size_t blade_count, blade_capacity, target_count, target_capacity;
    bool blades_changed, targets_changed; /* for the user to take back */
    bool is_out_of_memory;                /* something is missing */
} mcap_things;

/** Each in the place of the one of that name. */
void mcap_things_define_blade(mcap_things *things, const clash_blade_definition *blade);
void mcap_things_define_target(mcap_things *things, const clash_target_definition *target);
/** An item of kind REMOVE: a blade, a target, or all that is on a device. */
void mcap_things_remove(mcap_things *things, const recording_item *item);
void mcap_things_finish(mcap_things *things);

#endif
