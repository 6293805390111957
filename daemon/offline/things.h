/* The blades and targets that there are at some moment of a recording, by its lines. */
#ifndef CLASHD_OFFLINE_THINGS_H
#define CLASHD_OFFLINE_THINGS_H

#include "protocol/recording/recording.h"

/** Zeroed at first. */
typedef struct thing_list {
    clash_blade_definition *blades;
    clash_target_definition **targets;
    size_t blade_count, blade_capacity, target_count, target_capacity;
    bool blades_changed, targets_changed; /* for the user to take back */
    bool is_out_of_memory;                /* something is missing */
} thing_list;

/** Add it, or replace the one of that name. */
void things_define_blade(thing_list *things, const clash_blade_definition *blade);
void things_define_target(thing_list *things, const clash_target_definition *target);
/** An item of kind REMOVE: a blade, a target, or all that is on a device. */
void things_remove(thing_list *things, const recording_item *item);
void things_finish(thing_list *things);

#endif
