/* What the resolver's two parts share: resolver.c (requests and their turns) and resolver_settle.c (who yields). Nobody
 * else includes it. */
#ifndef CLASHD_PIPELINE_RESOLVER_PRIVATE_H
#define CLASHD_PIPELINE_RESOLVER_PRIVATE_H

#include "pipeline/resolver.h"
#include "pipeline/resolver_scene.h"
#include "pipeline/resolver_work.h"

struct resolver {
    const pipeline *pipeline;
    resolver_work work;
    resolver_counters counters;
    uint32_t next_device; /* where poses begin next time: the first one left over */
    uint32_t expected;    /* how many are still to be placed: they share the work that is left */
    bool is_first;        /* none of them has been placed yet */
    resolver_scene scene;
    clash_obstacle *obstacles; /* of the mover being placed */
    uint32_t obstacle_room;
    uint32_t *met; /* movers that are placed together */
    uint32_t met_room;
};

/** Make room for the whole scene. Return false when out of memory. */
bool resolver_make_room(resolver *r);
/** Find where the mover stays at this time, together with those that make way for each other. */
void resolver_settle(resolver *r, resolver_mover *m);
/** Look for a better place of a settled mover whose search was cut short, if there is more work now. */
void resolver_improve(resolver *r, resolver_mover *m);

#endif
