/* Entries to events: see log_detection.h. */
#include "log_detection.h"

#include "scene/feeds.h"
#include "sources/replay/player.h"

#include <stdlib.h>

struct log_detection {
    scene scene; /* first: the player reports to it */
    event_sink sinks;
    player player;
    const log_store *store;
    size_t played;
    log_detection_user user;
    recording_item item;
    char line[PROTOCOL_LINE_MAX];
};

static void on_event(void *context, const clash_event *event)
{
    log_detection *d = context;

    d->user.event(d->user.context, event, d->line, protocol_encode_event(d->line, sizeof d->line, event, 0));
}

static void on_target(void *context, int64_t time_ns, const clash_target_definition *target)
{
    log_detection *d = context;
    failure reason = {0}, message = {0};
    scene_target *made = scene_target_make(target, &reason);
    protocol_error refusal;

    if (made && scene_define_target(&d->scene, scene_recording, time_ns, made, &refusal) == 0)
        return;
    if (made && refusal.code == PROTOCOL_ERROR_NAME_TAKEN)
        return;
    fail_with(&message, "target '%s' is left out: %s", target->name, made ? refusal.message : reason.text);
    d->user.problem(d->user.context, message.text);
}

log_detection *log_detection_create(const log_store *store, const config_values *config, const log_detection_user *user,
                                    failure *out_failure)
{
    log_detection *d = calloc(1, sizeof *d);

    if (!d) {
        fail_with(out_failure, "out of memory");
        return NULL;
    }
    d->store = store;
    d->user = *user;
    d->sinks = (event_sink){.context = d, .event = on_event};
    if (scene_open_of(&d->scene, config, &d->sinks, (logger){0}, out_failure) != 0) {
        log_detection_destroy(d);
        return NULL;
    }
    d->player.listener = scene_listener(&d->scene);
    d->player.listener.target = on_target; /* its context is the scene, the first member */
    return d;
}

void log_detection_destroy(log_detection *d)
{
    if (!d)
        return;
    scene_close(&d->scene);
    free(d);
}

size_t log_detection_advance(log_detection *d, size_t until, size_t most)
{
    for (; most > 0 && d->played < until; most--, d->played++) {
        if (log_store_entry(d->store, d->played)->kind == LOG_WRONG)
            continue;
        log_store_item(d->store, d->played, &d->item);
        player_play(&d->player, &d->item, d->item.time_ns);
    }
    return d->played;
}

void log_detection_end(log_detection *d)
{
    scene_source_gone(&d->scene, d->scene.last_ns, CLASH_TRACKING_SOURCE_ENDED);
}

const pipeline_counters *log_detection_counters(const log_detection *d)
{
    return pipeline_get_counters(d->scene.pipeline);
}
