/* Where blades' pictures should stop: puts everything where it is at one time and moves blades out of what they sink into.
 * Asks a pipeline and changes nothing of it, so that its events are the same whoever asks. Who yields is said in
 * PROTOCOL.md. One thread, the pipeline's; no clock, no I/O, and no allocation but for more blades than ever before. */
#ifndef CLASHD_PIPELINE_RESOLVER_H
#define CLASHD_PIPELINE_RESOLVER_H

#include "pipeline/pipeline.h"
#include "ports/pose_resolver.h"

/** How far a picture is moved at most, m: beyond that it says nothing any more of where the hand is. */
#define RESOLVER_REACH 1.0f

typedef struct resolver resolver;

/** `p` outlives it. NULL when out of memory. */
resolver *resolver_create(const pipeline *p);
void resolver_destroy(resolver *r);
/** As a port, valid as long as `r`. Where there is no memory its answers are NONE. */
pose_resolver resolver_port(resolver *r);

#endif
