/* A recording through the pipeline: see detect.h. The player gives it what the replay source gives the daemon. */
#include "detect.h"

#include "cli/progress.h"
#include "scene/feeds.h"
#include "sources/replay/player.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct detection {
    scene scene; /* first: the player reports to it */
    event_sink sinks;
    player player;
    failure *failure;
    bool failed;
    const detect_output *output;
    detect_report *report;
    recording_item item;
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

/* Fail: without one of its targets a recording would give other contacts. */
static void on_target(void *context, int64_t time_ns, const clash_target_definition *target)
{
    detection *d = context;
    failure reason = {0};
    scene_target *made = scene_target_make(target, &reason);
    protocol_error refusal;

    if (made && scene_define_target(&d->scene, scene_recording, time_ns, made, &refusal) == 0)
        return;
    if (made && refusal.code == PROTOCOL_ERROR_NAME_TAKEN) /* the settings define it, and come first */
        return;
    fail_with(d->failure, "target '%s': %s", target->name, made ? refusal.message : reason.text);
    d->failed = d->report->stopped = true;
}

void detect_progress(const recording *r)
{
    uint64_t read_bytes, total_bytes;

    recording_get_extent(r, &read_bytes, &total_bytes);
    progress_update(read_bytes, total_bytes);
}

static void play(detection *d, recording *r)
{
    detect_report *report = d->report;

    while (!report->stopped && recording_next(r, &d->item) != RECORDING_END) {
        if (d->output->item)
            d->output->item(d->output->context, &d->item);
        if (d->item.kind == RECORDING_POSES && report->frames++ == 0)
            report->first_ns = d->item.time_ns;
        player_play(&d->player, &d->item, d->item.time_ns);
        detect_progress(r);
    }
    if (d->output->item)
        d->output->item(d->output->context, &d->item);
    scene_source_gone(&d->scene, d->scene.last_ns, CLASH_TRACKING_SOURCE_ENDED);
    report->last_ns = d->scene.last_ns;
    report->counters = *pipeline_get_counters(d->scene.pipeline);
    report->recording = *recording_get_counters(r);
}

int detect_run(recording *r, const config_values *config, const detect_output *output, detect_report *out_report,
               failure *out_failure)
{
    detection *d = calloc(1, sizeof *d);
    int result;

    *out_report = (detect_report){0};
    if (!d)
        return fail_int(out_failure, "out of memory");
    d->output = output;
    d->report = out_report;
    d->failure = out_failure;
    d->player.listener = scene_listener(&d->scene);
    d->player.listener.target = on_target;
    d->sinks = (event_sink){.context = d, .event = on_event};
    d->failed = scene_open_of(&d->scene, config, &d->sinks, (logger){0}, out_failure) != 0;
    if (!d->failed)
        play(d, r);
    if (!d->failed && recording_get_error(r)) {
        fail_with(out_failure, "%s", recording_get_error(r));
        d->failed = true;
    }
    if (!d->failed && out_report->counters.starved > 0) {
        fail_with(out_failure, "out of memory: %" PRIu64 " contacts or events are missing or out of order",
                  out_report->counters.starved);
        d->failed = true;
    }
    result = d->failed ? -1 : 0;
    scene_close(&d->scene);
    free(d);
    return result;
}
