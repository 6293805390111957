/* The work that the resolver may do in a frame, and whose turn it is if that is not enough for all. Counted in units of
 * clash_push_out; time is that of frames, and no clock is read. */
#ifndef CLASHD_PIPELINE_RESOLVER_WORK_H
#define CLASHD_PIPELINE_RESOLVER_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Zero-initialise, then set `frame`, `left` to the same and `refused_ns`; finish with resolver_work_finish(). */
typedef struct resolver_work {
    uint32_t frame;         /* what a frame may cost */
    uint32_t left;          /* of it now */
    uint64_t done;          /* in all */
    bool has_begun;         /* granted_ns is valid */
    int64_t granted_ns;     /* when work was last granted */
    int64_t now_ns;         /* of the present question */
    int64_t refused_ns;     /* when anybody was last refused, or RESOLVER_NEVER */
    int64_t *refused_at_ns; /* the same for each slot, until it is served */
    uint32_t slots;
} resolver_work;

#define RESOLVER_NEVER INT64_MIN

void resolver_work_finish(resolver_work *w);
/** Make room for that many slots. Return -1 when out of memory: then nothing changes. */
int resolver_work_make_room(resolver_work *w, uint32_t slots);
/** Grant the work of a frame of that time: all of it, or a share if the last was less than `share_ns` ago. */
void resolver_work_grant(resolver_work *w, int64_t time_ns, int64_t share_ns);
/** Take `price` from the work. Return false if that spends it. */
bool resolver_work_pay(resolver_work *w, uint32_t price);
/** Return whether the slot was refused lately and not served since. */
bool resolver_work_waits(const resolver_work *w, uint32_t slot);
/** Return whether there is work for this slot, not only for those that have waited. */
bool resolver_work_has_turn(const resolver_work *w, uint32_t slot);
/** Note that the slot was served, or refused because no work was left. */
void resolver_work_note(resolver_work *w, uint32_t slot, bool is_served);

#endif
