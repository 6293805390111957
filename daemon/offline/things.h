/* The blades and targets that there are at some moment of a recording, by its lines. */
#ifndef CLASHD_OFFLINE_THINGS_H
#define CLASHD_OFFLINE_THINGS_H

#include "protocol/recording/recording.h"

/** Zeroed at first. */
typedef struct app_things {
    clash_blade_definition *blades;
    clash_target_definition **targets;
    size_t blade_count, blade_capacity, target_count, target_capacity;
    bool blades_changed, targets_changed; /* for the user to take back */
    bool is_out_of_memory;                /* something is missing */
} app_things;

/** Each in the place of the one of that name. */
void app_things_define_blade(app_things *things, const clash_blade_definition *blade);
void app_things_define_target(app_things *things, const clash_target_definition *target);
/** An item of kind REMOVE: a blade, a target, or all that is on a device. */
void app_things_remove(app_things *things, const recording_item *item);
void app_things_finish(app_things *things);

#endif
