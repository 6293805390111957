/* Everything that is in the stage at one time, as the resolver sees it: what moves (the blades of each device, and its
 * bodies), and the targets that do not. Knows where things are, not who yields. */
#ifndef CLASHD_PIPELINE_RESOLVER_SCENE_H
#define CLASHD_PIPELINE_RESOLVER_SCENE_H

#include <clash/broad.h>
#include <clash/push_out.h>

#include "pipeline/pipeline.h"
#include "ports/pose_resolver.h"

#define RESOLVER_NOBODY UINT32_MAX

/** All blades of a device, or all its bodies: they move together. */
typedef struct resolver_mover {
    uint32_t device;
    bool is_body;
    bool is_there;    /* followed at that time */
    bool is_settled;  /* `placed` is where it stays */
    bool has_waited;  /* for work: it is placed alone */
    bool is_met;      /* one of those that are being settled together */
    bool is_cut;      /* its search for a place was at the end of its work.. */
    uint32_t granted; /* .. which was that much */
    pose_resolution result;
    clash_pose pose, placed; /* stage_from_device */
    clash_bounds box;        /* around it, where it is or is placed */
    uint32_t count;
    clash_capsule capsules[CLASH_PARTS_MAX]; /* of more the first ones */
} resolver_mover;

typedef struct resolver_target {
    uint32_t device; /* that carries it; RESOLVER_NOBODY: it stands still */
    clash_obstacle is;
    clash_bounds box;
} resolver_target;

/** Poses that are known better than the pipeline does. */
typedef struct resolver_samples {
    const pose_sample *samples;
    size_t count;
} resolver_samples;

/** Zero-initialise; finish with resolver_scene_finish(). */
typedef struct resolver_scene {
    resolver_mover *movers; /* in the order in which their first blades were added */
    uint32_t mover_count, mover_room;
    resolver_target *targets; /* that are there at that time */
    uint32_t target_count, target_room;
    uint32_t *mover_of;                 /* by twice the device's id, one more for its bodies; RESOLVER_NOBODY: none */
    uint32_t device_count, device_room; /* of mover_of's places */
} resolver_scene;

void resolver_scene_finish(resolver_scene *s);
/** Puts everything where it is at that time. -1 when out of memory. */
int resolver_scene_set(resolver_scene *s, const pipeline *p, int64_t time_ns, const resolver_samples *known);
/** Whether that device has any, whether it is there or not. */
bool resolver_scene_has(const resolver_scene *s, uint32_t device, bool is_body);
/** NULL if that device has none that is there. */
resolver_mover *resolver_scene_find(const resolver_scene *s, uint32_t device, bool is_body);
/** Moves it to `placed`. */
void resolver_scene_settle(resolver_mover *m);
/** Moves it back to where it is. */
void resolver_scene_unsettle(resolver_mover *m);
/** Whether the two boxes come nearer to each other than `reach`, m. */
bool resolver_boxes_meet(const clash_bounds *a, const clash_bounds *b, float reach);

#endif
