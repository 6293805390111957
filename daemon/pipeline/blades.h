/* The blades and targets: each has a slot, which stays the same until it is removed and is then reused; their order,
 * which is that of adding; and which of them a device carries. Knows nothing of motions or pairs. */
#ifndef CLASHD_PIPELINE_BLADES_H
#define CLASHD_PIPELINE_BLADES_H

#include <clash/time_of_impact.h>

#include "pipeline/devices.h"

/** In place of a device's id, for targets that no device carries. */
#define BLADES_STATIC (LOOKUP_NONE - 1)

typedef struct blade_slot {
    pipeline_blade is;       /* of a target only name and device */
    pipeline_target *target; /* NULL for a blade */
    bool used;
    uint32_t order;        /* smaller for what was added earlier */
    uint32_t next;         /* slot of the next blade on the same device, or LOOKUP_NONE */
    uint32_t contacts;     /* kept pairs with it */
    uint32_t layers, mask; /* both 0: it can touch nothing */
} blade_slot;

/** Return the blade as a collider for the time of impact, moving by `motion`. Points to both arguments. */
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
    uint32_t slot_count; /* one past the highest slot ever used */
    uint32_t capacity;   /* of slots, and of each list */
    blade_list blades, targets;
    uint32_t *free_slots; /* those below slot_count */
    uint32_t free_count;
    uint32_t next_order;
    lookup names;
} blades;

void blades_init(blades *b);
void blades_finish(blades *b);

#define BLADES_NO_MEMORY "out of memory"

/** Add a blade on an existing device. Return NULL, or why it is refused. Moves the others in memory. */
const char *blades_add(blades *b, devices *d, const pipeline_blade *from, uint32_t *out_slot);
/** Add a target on an existing device or on none; likewise. */
const char *blades_add_target(blades *b, devices *d, const pipeline_target *from, uint32_t *out_slot);
/** Give the blade in that slot other properties and another sword (copied). Return false when out of memory: then nothing changes. */
bool blades_change(blades *b, uint32_t slot, const pipeline_blade *from);
/** Remove a blade or target that no kept pair uses. */
void blades_remove(blades *b, devices *d, uint32_t slot);

/** A walk through all blades and targets in the order in which they were added; zero-initialise. */
typedef struct blades_walk {
    uint32_t blade, target;
} blades_walk;

/** Return the next slot, or LOOKUP_NONE at the end. Add and remove nothing meanwhile. */
uint32_t blades_next(const blades *b, blades_walk *walk);

/** Return the slot of that name, or LOOKUP_NONE. */
uint32_t blades_find(const blades *b, const char *name);

/** Return whether the two can touch at all: two blades, or a blade or body and a target, each in a layer of the other's mask. What another machine's blade does
 *  to targets and to other such blades is told there. */
static inline bool blades_can_meet(const blades *b, uint32_t slot, uint32_t other)
{
    const blade_slot *s = &b->slots[slot], *o = &b->slots[other];
    const clash_blade_properties *p = &s->is.properties, *q = &o->is.properties;

    if (!(s->layers & o->mask) || !(o->layers & s->mask))
        return false;
    if (s->target || o->target)
        return !s->target != !o->target && !p->is_peer && !q->is_peer;
    return !p->is_body && !q->is_body && !(p->is_peer && q->is_peer);
}

/** Return the key by which pairs are ordered: as if each new blade were paired with all earlier ones. */
static inline uint64_t blades_pair_order(const blades *b, uint32_t earlier, uint32_t later)
{
    return (uint64_t)b->slots[later].order << 32 | b->slots[earlier].order;
}

#endif
