/* Where each blade has been lately: a box around its device's last motion, and on demand around more of them. Boxes are
 * certain: what lies outside of them is not touched. Indexed by the blades' slots. */
#ifndef CLASHD_PIPELINE_SWEPT_AABB_H
#define CLASHD_PIPELINE_SWEPT_AABB_H

#include <clash/broad.h>

#include "blades.h"

/** A blade's last motion: that between the last two samples of its device. */
typedef struct last_motion {
    int64_t from_ns, last_ns; /* equal if the track does not end in a motion; both INT64_MIN if it is empty; of a
                                 static target from INT64_MIN to INT64_MAX */
    bool moved;               /* the motion was added in this step */
} last_motion;

typedef struct swept_aabbs {
    last_motion *all;
    clash_body *bodies;  /* of the last motion, if there is one; of a sword, with one capsule around all of it; of a
                            target, with a ball around its device's origin that holds it */
    clash_bounds *boxes; /* around it, half the margin included */
    uint32_t *devices;   /* ids; BLADES_STATIC; LOOKUP_NONE for a slot that is free */
    uint32_t capacity;
    uint32_t *moved; /* slots of the blades that moved in this step, in no order */
    uint32_t moved_count;
    float widening;    /* m, on every side of every box */
    bool is_boundless; /* every box is everywhere */
} swept_aabbs;

void swept_aabbs_init(swept_aabbs *s, const pipeline_settings *settings);
/** Those that are there have to be entered, or updated, again. */
void swept_aabbs_change(swept_aabbs *s, const pipeline_settings *settings);
void swept_aabbs_finish(swept_aabbs *s);
/** Makes room for that many slots. False when out of memory. */
bool swept_aabbs_reserve(swept_aabbs *s, uint32_t slots);

/** The slot is a new blade's. */
void swept_aabbs_enter(swept_aabbs *s, uint32_t slot, const blade_slot *b);
/** The slot is a new target's, of which `rest` is valid. A static one is where it is from now on and for ever. */
void swept_aabbs_enter_target(swept_aabbs *s, uint32_t slot, const blade_slot *b, const clash_collider *rest);
/** The blade or carried target was added, or its device's track has changed in this step, for which it is called once at most. */
void swept_aabbs_update(swept_aabbs *s, uint32_t slot, const blade_slot *b, const device_slot *d);
/** The step is over: nothing has moved any more. */
void swept_aabbs_end_step(swept_aabbs *s);
/** The slot is free. */
void swept_aabbs_clear(swept_aabbs *s, uint32_t slot);

/** A box around what the blade did after since_ns (its track `t` is not read of a static target), but not around motions that begin at until_ns or later; everywhere
 *  where that has left the track's ring. False if there is nothing. */
bool swept_aabbs_window(const swept_aabbs *s, uint32_t slot, const track *t, int64_t since_ns, int64_t until_ns,
                        clash_bounds *out_box);

/** Whether both did nothing but one motion, over the same time: whole motions are swept. */
static inline bool motions_are_whole(const last_motion *a, const last_motion *b)
{
    return a->from_ns == b->from_ns && a->last_ns == b->last_ns && a->from_ns < a->last_ns;
}

static inline bool boxes_overlap(const clash_bounds *a, const clash_bounds *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
           a->low.z <= b->high.z && b->low.z <= a->high.z;
}

#endif
