/* Port: where a blade's picture should stop so that it does not penetrate what it hit. Called on the loop's thread,
 * only if somebody wants to know. Interface only: depends on nothing but the public headers. */
#ifndef CLASHD_PORTS_POSE_RESOLVER_H
#define CLASHD_PORTS_POSE_RESOLVER_H

#include "ports/pose_source.h"

typedef enum pose_resolution {
    POSE_RESOLUTION_NONE, /* nothing to resolve: no blade, or it is not followed */
    POSE_RESOLUTION_FREE, /* it penetrates nothing at `pose` */
    POSE_RESOLUTION_MOVED,
    POSE_RESOLUTION_STUCK, /* no place outside was found within reach */
    POSE_RESOLUTION_SPENT  /* not searched, or not to the end: the present work is spent */
} pose_resolution;

typedef struct pose_resolved {
    pose_resolution result;
    clash_pose pose; /* stage_from_device; where it is if FREE; undefined for the other results */
} pose_resolved;

typedef struct pose_resolver {
    void *context;
    /** A frame of that time comes, and its events and poses are asked for next: they share its work. May be NULL. */
    void (*frame)(void *context, int64_t time_ns);
    /** Resolve the two blades of a clash or hold, at its time. Only while that event is delivered: later the motions
     *  are gone. */
    void (*event)(void *context, const clash_event *event, pose_resolved out_resolved[2]);
    /** Resolve devices that are where the samples say at that time, even if those samples have not entered a track yet.
     *  Each device at most once. */
    void (*poses)(void *context, int64_t time_ns, const pose_sample *samples, size_t count,
                  pose_resolved *out_resolved);
} pose_resolver;

#endif
