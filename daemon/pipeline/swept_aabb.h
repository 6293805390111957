/* Where each blade has been lately: a box around its device's last motion and, on demand, around more of them. Boxes
 * are conservative: nothing outside one is touched. Indexed by the blades' slots. */
#ifndef CLASHD_PIPELINE_SWEPT_AABB_H
#define CLASHD_PIPELINE_SWEPT_AABB_H

#include <clash/broad.h>

#include "blades.h"

/** A blade's last motion: between the last two samples of its device. */
typedef struct last_motion {
    int64_t from_ns, last_ns; /* equal if the track does not end in a motion; both INT64_MIN if it is empty; from
                                 INT64_MIN to INT64_MAX for a static target */
    bool moved;               /* the motion was added in this step */
} last_motion;

typedef struct swept_aabbs {
    last_motion *all;
    clash_body *bodies;  /* in the last motion, if there is one; for a sword with one capsule around it all, for a
                            target with a ball around its device's origin */
    clash_bounds *boxes; /* around it, half the margin included */
    uint32_t *devices;   /* ids; BLADES_STATIC; LOOKUP_NONE for a free slot */
    uint32_t capacity;
    uint32_t *moved; /* slots of the blades that moved in this step, unordered */
    uint32_t moved_count;
    float widening;    /* m, on every side of every box */
    bool is_boundless; /* every box is infinite */
} swept_aabbs;

void swept_aabbs_init(swept_aabbs *s, const pipeline_settings *settings);
/** Change the settings. Then enter, or update, all blades again. */
void swept_aabbs_change(swept_aabbs *s, const pipeline_settings *settings);
void swept_aabbs_finish(swept_aabbs *s);
/** Make room for that many slots. Return false when out of memory. */
bool swept_aabbs_reserve(swept_aabbs *s, uint32_t slots);

/** Enter a new blade in the slot. */
void swept_aabbs_enter(swept_aabbs *s, uint32_t slot, const blade_slot *b);
/** Enter a new target, of which `rest` is valid, in the slot. A static one stays there for ever. */
void swept_aabbs_enter_target(swept_aabbs *s, uint32_t slot, const blade_slot *b, const clash_collider *rest);
/** Call after a blade or carried target was added, or when its device's track changed: at most once a step. */
void swept_aabbs_update(swept_aabbs *s, uint32_t slot, const blade_slot *b, const device_slot *d);
/** The step is over: nothing has moved any more. */
void swept_aabbs_end_step(swept_aabbs *s);
/** Free the slot. */
void swept_aabbs_clear(swept_aabbs *s, uint32_t slot);

/** Return a box around what the blade did after since_ns, without motions that begin at until_ns or later; infinite if
 *  that has left the ring of its track `t` (not read for a static target). Return false if it did nothing. */
bool swept_aabbs_window(const swept_aabbs *s, uint32_t slot, const track *t, int64_t since_ns, int64_t until_ns,
                        clash_bounds *out_box);

/** Return whether both did nothing but one motion each, over the same time: whole motions are swept. */
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
