/* Where blades' pictures should stop: put everything in its place at one time, and move blades out of what they
 * penetrate. Reads a pipeline and never changes it, so its events are the same whoever asks. PROTOCOL.md says who
 * yields. Work is counted, not timed, and limited per frame: the same questions get the same answers. All of a frame's
 * poses first get an equal share; what is left goes to those whose search it cut short. When the work is spent, the
 * rest is answered so, and the next frame begins with them. One thread, the pipeline's; no clock, no I/O, and no
 * allocation except for more blades than ever before. */
#ifndef CLASHD_PIPELINE_DEPENETRATOR_H
#define CLASHD_PIPELINE_DEPENETRATOR_H

#include "pipeline/pipeline.h"
#include "ports/counter.h"
#include "ports/pose_resolver.h"

/** How far a picture is moved at most, m: any further, and it no longer shows where the hand is. */
#define DEPENETRATOR_REACH 1.0f

/** The work of one frame, in units of clash_push_out: a millisecond at most. */
#define DEPENETRATOR_WORK 12000u
/** Frames closer together than this, ns, share one frame's work, so that it takes no more than a fifth of the time. */
#define DEPENETRATOR_WORK_NS INT64_C(5000000)

typedef struct depenetrator depenetrator;

typedef struct depenetrator_counters {
    uint64_t asked; /* poses of blades and bodies that were asked for and exist */
    uint64_t spent; /* of these: not found because the work was spent */
    uint64_t work;  /* units */
} depenetrator_counters;

/** Create a depenetrator; `p` must outlive it. `work`: the limit per frame, normally DEPENETRATOR_WORK. Return NULL when out of
 *  memory. */
depenetrator *depenetrator_create(const pipeline *p, uint32_t work);
void depenetrator_destroy(depenetrator *r);
depenetrator_counters depenetrator_get_counters(const depenetrator *r);
void depenetrator_list_counters(const depenetrator *r, counter_list *out);
/** Return it as a port, valid as long as `r`. Out of memory it answers NONE. */
pose_resolver depenetrator_port(depenetrator *r);

#endif
