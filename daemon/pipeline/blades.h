/* The blades and targets: a slot for each, which stays the same for as long as it is there and is then given to another;
 * their order, which is that of adding; and which of them a device carries. Knows nothing of motions or pairs. */
#ifndef CLASHD_PIPELINE_BLADES_H
#define CLASHD_PIPELINE_BLADES_H

#include <clash/time_of_impact.h>

#include "pipeline/devices.h"

/** Instead of a device's id, for targets that no device carries. */
#define BLADES_STATIC (LOOKUP_NONE - 1)

typedef struct blade_slot {
    pipeline_blade is;       /* of a target its name and device only */
    pipeline_target *target; /* NULL: a blade */
    bool used;
    uint32_t order;    /* of two blades the one added earlier has the smaller one */
    uint32_t next;     /* slot of the next blade on the same device, or LOOKUP_NONE */
    uint32_t contacts; /* pairs with it that are kept */
} blade_slot;

/** What the blade is for the time of impact, as it goes through that motion. Points to both. */
static inline clash_collider blade_collider(const pipeline_blade *blade, const clash_motion *motion)
{
    return blade->sword ? clash_collider_of_capsules(blade->sword->capsules, blade->sword->capsule_count, motion)
                        : clash_collider_of_capsules(&blade->properties.shape, 1, motion);
}

/** Slots in order of adding. */
typedef struct blade_list {
    uint32_t *slots;
    uint32_t count;
} blade_list;

typedef struct blades {
    blade_slot *slots;
    uint32_t slot_count; /* slots ever used at once */
    uint32_t capacity;   /* of slots, and of each list */
    blade_list blades, targets;
    uint32_t *free_slots; /* of those below slot_count */
    uint32_t free_count;
    uint32_t next_order;
    lookup names;
} blades;

void blades_init(blades *b);
void blades_finish(blades *b);

#define BLADES_NO_MEMORY "out of memory"

/** A new blade, on a device that is there. NULL, or why it is refused. Moves the others in memory. */
const char *blades_add(blades *b, devices *d, const pipeline_blade *from, uint32_t *out_slot);
/** The same of a new target, on a device that is there or on none. */
const char *blades_add_target(blades *b, devices *d, const pipeline_target *from, uint32_t *out_slot);
/** Forgets a blade or target with which no pair is kept. */
void blades_remove(blades *b, devices *d, uint32_t slot);

/** A way through all blades and targets in the order in which they were added; begins zeroed. */
typedef struct blades_walk {
    uint32_t blade, target;
} blades_walk;

/** The next one's slot, or LOOKUP_NONE at the end. Nothing may be added or removed meanwhile. */
uint32_t blades_walk_on(const blades *b, blades_walk *walk);

/** LOOKUP_NONE if there is none of that name. */
uint32_t blades_find(const blades *b, const char *name);

/** Whether the two can touch at all: two blades, or a blade or body and a target. */
static inline bool blades_can_meet(const blades *b, uint32_t slot, uint32_t other)
{
    const blade_slot *s = &b->slots[slot], *o = &b->slots[other];

    return s->target || o->target ? !s->target != !o->target : !s->is.properties.is_body && !o->is.properties.is_body;
}

/** By which pairs are put in order: as if each new blade were paired with all that were there before it. */
static inline uint64_t blades_pair_order(const blades *b, uint32_t earlier, uint32_t later)
{
    return (uint64_t)b->slots[later].order << 32 | b->slots[earlier].order;
}

#endif
