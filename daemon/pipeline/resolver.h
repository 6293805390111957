/* Where blades' pictures should stop: puts everything where it is at one time and moves blades out of what they sink into.
 * Asks a pipeline and changes nothing of it, so that its events are the same whoever asks. Who yields is said in
 * PROTOCOL.md. Its work is counted, not timed, and bounded for each frame: the same questions get the same answers. All of a
 * frame's poses get an equal share of it first, and what is left then goes to whose search that cut short. Where it is spent
 * the rest is told so, and the next frame begins with those. One thread, the pipeline's; no clock, no I/O, and no
 * allocation but for more blades than ever before. */
#ifndef CLASHD_PIPELINE_RESOLVER_H
#define CLASHD_PIPELINE_RESOLVER_H

#include "pipeline/pipeline.h"
#include "ports/counter.h"
#include "ports/pose_resolver.h"

/** How far a picture is moved at most, m: beyond that it says nothing any more of where the hand is. */
#define RESOLVER_REACH 1.0f

/** The work of one frame, in units of clash_push_out: a millisecond at most. */
#define RESOLVER_WORK 12000u
/** Frames that follow each other sooner than this, ns, share that much: so that no more than a fifth of the time goes by. */
#define RESOLVER_WORK_NS INT64_C(5000000)

typedef struct resolver resolver;

typedef struct resolver_counters {
    uint64_t asked; /* blades' and bodies' poses that were asked for and are there */
    uint64_t spent; /* of these: not found, because the work was spent */
    uint64_t work;  /* units */
} resolver_counters;

/** `p` outlives it. `work`: what a frame may cost, RESOLVER_WORK. NULL when out of memory. */
resolver *resolver_create(const pipeline *p, uint32_t work);
void resolver_destroy(resolver *r);
resolver_counters resolver_get_counters(const resolver *r);
void resolver_list_counters(const resolver *r, counter_list *out);
/** As a port, valid as long as `r`. Where there is no memory its answers are NONE. */
pose_resolver resolver_port(resolver *r);

#endif
