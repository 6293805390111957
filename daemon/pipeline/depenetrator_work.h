/* The work that the depenetrator may do in a frame, and whose turn it is if that is not enough for all. Counted in units of
 * clash_push_out; time is that of frames, and no clock is read. */
#ifndef CLASHD_PIPELINE_DEPENETRATOR_WORK_H
#define CLASHD_PIPELINE_DEPENETRATOR_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Zero-initialise, then set `frame`, `left` to the same and `refused_ns`; finish with depenetrator_work_finish(). */
typedef struct depenetrator_work {
    uint32_t frame;         /* what a frame may cost */
    uint32_t left;          /* of it now */
    uint64_t done;          /* in all */
    bool has_begun;         /* granted_ns is valid */
    int64_t granted_ns;     /* when work was last granted */
    int64_t now_ns;         /* of the present question */
    int64_t refused_ns;     /* when anybody was last refused, or DEPENETRATOR_NEVER */
    int64_t *refused_at_ns; /* the same for each slot, until it is served */
    uint32_t slots;
} depenetrator_work;

#define DEPENETRATOR_NEVER INT64_MIN

void depenetrator_work_finish(depenetrator_work *w);
/** Make room for that many slots. Return -1 when out of memory: then nothing changes. */
int depenetrator_work_reserve(depenetrator_work *w, uint32_t slots);
/** Grant the work of a frame of that time: all of it, or a share if the last was less than `share_ns` ago. */
void depenetrator_work_grant(depenetrator_work *w, int64_t time_ns, int64_t share_ns);
/** Take `price` from the work. Return false if that spends it. */
bool depenetrator_work_pay(depenetrator_work *w, uint32_t price);
/** Return whether the slot was refused lately and not served since. */
bool depenetrator_work_waits(const depenetrator_work *w, uint32_t slot);
/** Return whether there is work for this slot, not only for those that have waited. */
bool depenetrator_work_has_turn(const depenetrator_work *w, uint32_t slot);
/** Note that the slot was served, or refused because no work was left. */
void depenetrator_work_note(depenetrator_work *w, uint32_t slot, bool is_served);

#endif
