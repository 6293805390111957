/* What the parts of the pipeline share: pipeline.c (creation and samples), step.c (the end of a step) and members.c
 * (devices and blades that come and go). Nobody else includes it. */
#ifndef CLASHD_PIPELINE_PRIVATE_H
#define CLASHD_PIPELINE_PRIVATE_H

#include "pipeline/candidates.h"

typedef enum step_part { STEP_NONE, STEP_BATCH, STEP_SWEEPS, STEP_EVENTS } step_part;

/** How far the end of a step has come. */
typedef struct pipeline_step {
    step_part part; /* NONE: no step is being ended */
    int64_t time_ns;
    bool space_changed; /* to be reported at the end */
    bool is_short;      /* memory was lacking for some of its pairs */
    size_t next;        /* the next candidate to be proved apart, then to be swept */
} pipeline_step;

struct pipeline {
    pipeline_settings settings;
    pipeline_counters counters;
    contacts_output output;
    devices devices;
    blades blades;
    swept_aabbs swept_aabbs;
    active_pairs active_pairs;
    release_times release_times;
    candidates candidates;
    bool is_in_step; /* more frames of step_ns were promised */
    int64_t step_ns;
    pipeline_step step;
    bool (*pause)(void *context); /* NULL: never pause */
    void *pause_context;
    void (*stage)(void *context, pipeline_stage done);
    void *stage_context;
};

/** End a step, up to a pause. */
void pipeline_end_step(pipeline *p, int64_t time_ns, bool space_changed);
/** Finish a step that is being ended, or of which more frames were promised that did not come. */
void pipeline_end_open_step(pipeline *p);

/** Return what a pair of slots reads and writes; the first was added earlier. */
pair_view pipeline_view(pipeline *p, const uint32_t slots[2]);
/** Remove a pair from those that are kept. */
void pipeline_forget(pipeline *p, active_pair *gone);

#endif
