/* What the resolver's two parts share: resolver.c (who asks, and whose turn it is) and resolver_settle.c (who yields). Included by
 * nobody else. */
#ifndef CLASHD_PIPELINE_RESOLVER_PRIVATE_H
#define CLASHD_PIPELINE_RESOLVER_PRIVATE_H

#include "pipeline/resolver.h"
#include "pipeline/resolver_scene.h"
#include "pipeline/resolver_work.h"

struct resolver {
    const pipeline *pipeline;
    resolver_work work;
    resolver_counters counters;
    uint32_t next_device; /* that poses begin with: the first that was left over */
    uint32_t expected;    /* how many are yet to be placed: they share what work is left */
    bool is_first;        /* .. and none has been */
    resolver_scene scene;
    clash_obstacle *obstacles; /* of the mover that is being placed */
    uint32_t obstacle_room;
    uint32_t *met; /* movers that are settled together */
    uint32_t met_room;
};

/** Room for all of the scene. False when out of memory. */
bool resolver_make_room(resolver *r);
/** Finds where the mover stays for this time, and those that make way for each other with it. */
void resolver_settle(resolver *r, resolver_mover *m);
/** Looks again, where more work is left now, for a better place of one that is settled and whose search was cut short. */
void resolver_improve(resolver *r, resolver_mover *m);

#endif
