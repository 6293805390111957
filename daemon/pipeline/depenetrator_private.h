/* What the depenetrator's two parts share: depenetrator.c (requests and their turns) and depenetrator_settle.c (who yields). Nobody
 * else includes it. */
#ifndef CLASHD_PIPELINE_DEPENETRATOR_PRIVATE_H
#define CLASHD_PIPELINE_DEPENETRATOR_PRIVATE_H

#include "pipeline/depenetrator.h"
#include "pipeline/depenetrator_scene.h"
#include "pipeline/depenetrator_work.h"

struct depenetrator {
    const pipeline *pipeline;
    depenetrator_work work;
    depenetrator_counters counters;
    uint32_t next_device; /* where poses begin next time: the first one left over */
    uint32_t expected;    /* how many are still to be placed: they share the work that is left */
    bool is_first;        /* none of them has been placed yet */
    depenetrator_scene scene;
    clash_obstacle *obstacles; /* of the mover being placed */
    uint32_t obstacle_capacity;
    uint32_t *met; /* movers that are placed together */
    uint32_t met_capacity;
};

/** Make room for the whole scene. Return false when out of memory. */
bool depenetrator_reserve(depenetrator *r);
/** Find where the mover stays at this time, together with those that make way for each other. */
void depenetrator_settle(depenetrator *r, depenetrator_mover *m);
/** Look for a better place of a settled mover whose search was cut short, if there is more work now. */
void depenetrator_improve(depenetrator *r, depenetrator_mover *m);

#endif
