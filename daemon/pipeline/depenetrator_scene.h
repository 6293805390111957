/* Everything in the stage at one time, as the depenetrator sees it: what moves (the blades of each device, and its bodies),
 * and the targets, which do not. Knows where things are, not who yields. */
#ifndef CLASHD_PIPELINE_DEPENETRATOR_SCENE_H
#define CLASHD_PIPELINE_DEPENETRATOR_SCENE_H

#include <clash/broad.h>
#include <clash/push_out.h>

#include "pipeline/pipeline.h"
#include "ports/pose_resolver.h"

#define DEPENETRATOR_NOBODY UINT32_MAX

/** All blades of a device, or all its bodies: they move together. */
typedef struct depenetrator_mover {
    uint32_t device;
    bool is_body;
    bool is_there;    /* followed at that time */
    bool is_settled;  /* `placed` is final */
    bool has_waited;  /* for work: it is placed alone */
    bool is_met;      /* one of those that are placed together */
    bool is_cut;      /* its search used up its work, */
    uint32_t granted; /* which was this much */
    pose_resolution result;
    clash_pose pose, placed; /* stage_from_device */
    clash_bounds box;        /* around it, at `pose` or at `placed` */
    uint32_t layers, mask;   /* all that its blades have together */
    uint32_t count;
    clash_capsule capsules[CLASH_PARTS_MAX]; /* only the first ones if it has more */
} depenetrator_mover;

typedef struct depenetrator_target {
    uint32_t device; /* that carries it; DEPENETRATOR_NOBODY: static */
    uint32_t layers, mask;
    clash_obstacle is;
    clash_bounds box;
} depenetrator_target;

/** Poses that are newer than the pipeline's. */
typedef struct depenetrator_samples {
    const pose_sample *samples;
    size_t count;
} depenetrator_samples;

/** Zero-initialise; finish with depenetrator_scene_finish(). */
typedef struct depenetrator_scene {
    depenetrator_mover *movers; /* in the order in which their first blades were added */
    uint32_t mover_count, mover_capacity;
    depenetrator_target *targets; /* those present at that time */
    uint32_t target_count, target_capacity;
    uint32_t *mover_of; /* by twice the device's id, plus one for its bodies; DEPENETRATOR_NOBODY: none */
    uint32_t device_count, device_capacity; /* of mover_of's places */
} depenetrator_scene;

void depenetrator_scene_finish(depenetrator_scene *s);
/** Put everything in its place at that time. Return -1 when out of memory. */
int depenetrator_scene_set(depenetrator_scene *s, const pipeline *p, int64_t time_ns,
                           const depenetrator_samples *known);
/** Return whether the device has any, present or not. */
bool depenetrator_scene_has(const depenetrator_scene *s, uint32_t device, bool is_body);
/** Return the device's mover, or NULL if it has none present. */
depenetrator_mover *depenetrator_scene_find(const depenetrator_scene *s, uint32_t device, bool is_body);
/** Move it to `placed`. */
void depenetrator_scene_settle(depenetrator_mover *m);
/** Move it back to `pose`. */
void depenetrator_scene_unsettle(depenetrator_mover *m);
/** Return whether each of the two, movers or targets, is in a layer of the other's mask. */
#define depenetrator_layers_meet(a, b) (((a)->layers & (b)->mask) && ((b)->layers & (a)->mask))
/** Return whether the two boxes come closer than `reach`, m. */
bool depenetrator_boxes_meet(const clash_bounds *a, const clash_bounds *b, float reach);

#endif
