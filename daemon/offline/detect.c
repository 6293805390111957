/* A recording through the pipeline: see detect.h. What the replay source and the loop do for the daemon is done here
 * straight away; both have to give the same calls in the same order, which tests/e2e/daemon_test.py holds them to. */
#include "detect.h"

#include "cli/progress.h"
#include "scene/assembly.h"
#include "scene/targets.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct detection {
    pipeline *pipeline;
    app_targets *targets;
    char *error; /* APP_ERROR_MAX bytes */
    bool failed;
    const app_detect_output *output;
    app_detect_report *report;
    recording_item item;
    bool is_in_step; /* the last frame promised more of its time */
    char line[PROTOCOL_LINE_MAX];
} detection;

static void on_event(void *context, const clash_event *event)
{
    detection *d = context;
    size_t length;

    if (d->report->stopped)
        return;
    length = protocol_encode_event(d->line, sizeof d->line, event, 0);
    if (length == 0)
        d->report->lost_lines++;
    else if (!d->output->line(d->output->context, event, d->line, length))
        d->report->stopped = true;
}

static uint32_t sample_flags(const recording_pose *pose)
{
    return (pose->valid ? POSE_VALID : 0u) | (pose->valid && pose->tracked ? POSE_TRACKED : 0u) |
           (pose->teleport ? POSE_TELEPORT : 0u);
}

/* A line may carry more poses than a frame: then it is several frames of the same step. */
static void take_poses(detection *d)
{
    const recording_item *item = &d->item;
    pose_frame frame = {.time_ns = item->time_ns};
    size_t taken = 0;

    if (d->report->frames++ == 0)
        d->report->first_ns = item->time_ns;
    if (item->pose_count > 0)
        d->report->last_ns = item->time_ns;
    if (item->pose_count == 0 && !d->is_in_step)
        return;
    do {
        for (frame.count = 0; frame.count < POSE_FRAME_SAMPLES_MAX && taken < item->pose_count; taken++) {
            const recording_pose *pose = &item->poses[taken];

            frame.samples[frame.count++] = (pose_sample){
                .device = pipeline_device(d->pipeline, pose->device),
                .flags = sample_flags(pose),
                .pose = pose->pose,
            };
        }
        frame.more = d->is_in_step = taken < item->pose_count || item->more;
        pipeline_frame(d->pipeline, &frame);
    } while (taken < item->pose_count);
}

/* Without a target that it had, a recording would seem to have other contacts than it has. */
static void take_target(detection *d)
{
    char reason[APP_ERROR_MAX - 128];

    if (app_targets_define(d->targets, &d->item.target, reason, sizeof reason) == 0)
        return;
    snprintf(d->error, APP_ERROR_MAX, "target '%s': %s", d->item.target.name, reason);
    d->failed = d->report->stopped = true;
}

static void take_removal(detection *d)
{
    const recording_item *item = &d->item;

    if (item->blade.name[0]) {
        pipeline_remove_blade(d->pipeline, item->blade.name);
    } else if (item->target.name[0]) {
        app_targets_remove(d->targets, item->target.name);
    } else {
        pipeline_remove_device(d->pipeline, app_pipeline_find_device(d->pipeline, item->device));
        app_targets_forget_device(d->targets, item->device);
    }
}

static void take_blade(detection *d)
{
    const clash_blade blade = clash_blade_of(&d->item.blade);

    app_pipeline_define(d->pipeline, &blade);
}

static void take_item(detection *d, recording_item_kind kind)
{
    const recording_item *item = &d->item;

    switch (kind) {
    case RECORDING_POSES:
        take_poses(d);
        break;
    case RECORDING_TRACKING_LOST:
        d->report->last_ns = item->time_ns;
        pipeline_lost(d->pipeline, pipeline_device(d->pipeline, item->device), item->time_ns, item->reason);
        break;
    case RECORDING_SPACE_CHANGED:
        d->report->last_ns = item->time_ns;
        pipeline_space_changed(d->pipeline, item->time_ns);
        break;
    case RECORDING_BLADE:
        take_blade(d);
        break;
    case RECORDING_TARGET:
        take_target(d);
        break;
    case RECORDING_REMOVE:
        take_removal(d);
        break;
    case RECORDING_EQUIPMENT:
    case RECORDING_GAP: /* a long one cuts the tracks */
    case RECORDING_MARK:
    case RECORDING_EVENT:
    case RECORDING_LATER:
    case RECORDING_END:
        break;
    }
}

static void say_progress(const recording *r)
{
    uint64_t read_bytes, total_bytes;

    recording_get_extent(r, &read_bytes, &total_bytes);
    progress_update(read_bytes, total_bytes);
}

static void finish(detection *d)
{
    pipeline_destroy(d->pipeline);
    app_targets_destroy(d->targets);
    free(d);
}

int app_detect(recording *r, const app_config *config, const app_detect_output *output, app_detect_report *out_report,
               char *out_error)
{
    detection *d = calloc(1, sizeof *d);
    recording_item_kind kind;
    bool failed;

    *out_report = (app_detect_report){0};
    if (!d) {
        snprintf(out_error, APP_ERROR_MAX, "out of memory");
        return -1;
    }
    d->output = output;
    d->report = out_report;
    d->error = out_error;
    d->pipeline = app_pipeline_create(config, on_event, d, out_error);
    d->targets = d->pipeline ? app_targets_create_with(d->pipeline, config, out_error) : NULL;
    if (!d->targets) {
        finish(d);
        return -1;
    }
    while (!out_report->stopped && (kind = recording_next(r, &d->item)) != RECORDING_END) {
        if (output->item)
            output->item(output->context, &d->item);
        take_item(d, kind);
        say_progress(r);
    }
    if (output->item)
        output->item(output->context, &d->item);
    app_pipeline_lose_all(d->pipeline, out_report->last_ns, CLASH_TRACKING_SOURCE_ENDED);
    out_report->counters = *pipeline_get_counters(d->pipeline);
    out_report->recording = *recording_get_counters(r);
    if (!d->failed && recording_get_error(r)) {
        snprintf(out_error, APP_ERROR_MAX, "%s", recording_get_error(r));
        d->failed = true;
    }
    failed = d->failed;
    finish(d);
    return failed ? -1 : 0;
}
