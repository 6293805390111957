/* The work that the resolver may do for a frame, and whose turn it is where that is not enough for all. Counted in units of
 * clash_push_out; time is that of frames, and no clock is read. */
#ifndef CLASHD_PIPELINE_RESOLVER_WORK_H
#define CLASHD_PIPELINE_RESOLVER_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Zero-initialise but for `frame`, `left` which is the same, and `refused_ns`; finish with resolver_work_finish(). */
typedef struct resolver_work {
    uint32_t frame;         /* what a frame may cost */
    uint32_t left;          /* now */
    uint64_t done;          /* in all */
    bool has_begun;         /* the next means something */
    int64_t granted_ns;     /* when work was granted last */
    int64_t now_ns;         /* of what is asked now */
    int64_t refused_ns;     /* when somebody was last sent away; RESOLVER_NEVER */
    int64_t *refused_at_ns; /* the same of each slot, until it has had its turn */
    uint32_t slots;
} resolver_work;

#define RESOLVER_NEVER INT64_MIN

void resolver_work_finish(resolver_work *w);
/** Room for that many who may ask. -1 when out of memory: then nothing changes. */
int resolver_work_make_room(resolver_work *w, uint32_t slots);
/** A frame of that time comes: all of its work, or a share where the one before was less than `share_ns` ago. */
void resolver_work_grant(resolver_work *w, int64_t time_ns, int64_t share_ns);
/** False if all that is left is spent by that. */
bool resolver_work_pay(resolver_work *w, uint32_t price);
/** Whether it was sent away lately and has had nothing since. */
bool resolver_work_waits(const resolver_work *w, uint32_t slot);
/** Whether there is work for this one, and not only for those who have waited. */
bool resolver_work_has_turn(const resolver_work *w, uint32_t slot);
/** That it was served, or sent away because there was no work left. */
void resolver_work_note(resolver_work *w, uint32_t slot, bool is_served);

#endif
