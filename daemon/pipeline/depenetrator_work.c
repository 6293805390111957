/* A token bucket that frames fill. Half of it is kept for those refused lately, if any: so whoever comes first in every
 * frame does not always get everything, and nobody waits for ever. See depenetrator_work.h. */
#include "pipeline/depenetrator_work.h"
#include "cli/array.h"

#include <stdlib.h>

/* Whoever was refused longer ago no longer waits. */
#define WAITS_NS INT64_C(1000000000)

void depenetrator_work_finish(depenetrator_work *w)
{
    free(w->refused_at_ns);
    w->refused_at_ns = NULL;
    w->slots = 0;
}

int depenetrator_work_reserve(depenetrator_work *w, uint32_t slots)
{
    if (slots <= w->slots)
        return 0;
    if (!array_resize(&w->refused_at_ns, (size_t)slots + slots / 2, sizeof *w->refused_at_ns))
        return -1;
    for (; w->slots < slots + slots / 2; w->slots++)
        w->refused_at_ns[w->slots] = DEPENETRATOR_NEVER;
    return 0;
}

void depenetrator_work_grant(depenetrator_work *w, int64_t time_ns, int64_t share_ns)
{
    const int64_t passed_ns = w->has_begun ? time_ns - w->granted_ns : share_ns;
    uint64_t more = w->frame;

    w->now_ns = time_ns;
    if (passed_ns < 0 && passed_ns > -share_ns)
        return; /* a frame of another device, which comes a little later */
    if (passed_ns >= 0 && passed_ns < share_ns)
        more = more * (uint64_t)passed_ns / (uint64_t)share_ns;
    w->has_begun = true;
    w->granted_ns = time_ns;
    w->left = more < w->frame - w->left ? w->left + (uint32_t)more : w->frame;
}

bool depenetrator_work_pay(depenetrator_work *w, uint32_t price)
{
    const uint32_t paid = price < w->left ? price : w->left;

    w->left -= paid;
    w->done += paid;
    return w->left > 0;
}

static bool is_recent(const depenetrator_work *w, int64_t then_ns)
{
    return then_ns != DEPENETRATOR_NEVER && w->now_ns >= then_ns && w->now_ns - then_ns < WAITS_NS;
}

bool depenetrator_work_waits(const depenetrator_work *w, uint32_t slot)
{
    return slot < w->slots && is_recent(w, w->refused_at_ns[slot]);
}

bool depenetrator_work_has_turn(const depenetrator_work *w, uint32_t slot)
{
    if (w->left == 0)
        return false;
    return w->left > w->frame / 2 || !is_recent(w, w->refused_ns) || depenetrator_work_waits(w, slot);
}

void depenetrator_work_note(depenetrator_work *w, uint32_t slot, bool is_served)
{
    if (slot < w->slots)
        w->refused_at_ns[slot] = is_served ? DEPENETRATOR_NEVER : w->now_ns;
    if (!is_served)
        w->refused_ns = w->now_ns;
}
