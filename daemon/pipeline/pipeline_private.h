/* What the two halves of the pipeline share: pipeline.c (creation and the step) and members.c (devices and blades that come
 * and go). Included by nobody else. */
#ifndef CLASHD_PIPELINE_PRIVATE_H
#define CLASHD_PIPELINE_PRIVATE_H

#include "pipeline/candidates.h"

struct pipeline {
    pipeline_settings settings;
    pipeline_counters counters;
    contacts_output output;
    devices devices;
    blades blades;
    reaches reaches;
    records records;
    partings partings;
    candidates candidates;
    bool is_in_step; /* more frames of step_ns were promised */
    int64_t step_ns;
    void (*stage)(void *context, pipeline_stage done);
    void *stage_context;
};

/** Ends a step of which more frames were promised that did not come. */
void pipeline_end_open_step(pipeline *p);

/** What a pair of slots reads and writes; the first was added earlier. */
pair_view pipeline_view(pipeline *p, const uint32_t slots[2]);
/** Takes a pair from those that are kept. */
void pipeline_forget(pipeline *p, record *gone);

#endif
