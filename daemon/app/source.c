/* Picks the pose source: see source.h. */
#include "source.h"

#include "sources/none/none.h"
#include "sources/openxr/openxr.h"
#include "sources/replay/replay.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Roles of trackers that something is on. */
static uint32_t find_trackers(const app_source_request *request)
{
    const app_config *config = request->config;
    uint32_t trackers = 0;

    for (size_t i = 0; i < config->blade_count + config->target_count; i++) {
        const char *device =
            i < config->blade_count ? config->blades[i].device : config->targets[i - config->blade_count].device;
        const uint32_t bit = openxr_tracker(device);

        if (bit == 0 && strncmp(device, OPENXR_TRACKER_PREFIX, strlen(OPENXR_TRACKER_PREFIX)) == 0)
            LOG_WARNING(&request->log, "\"%s\" is no role of a tracker: it will be nowhere", device);
        else if (__builtin_popcount(trackers | bit) > OPENXR_TRACKERS_MAX)
            LOG_WARNING(&request->log, "\"%s\" is one tracker too many: %d are followed", device, OPENXR_TRACKERS_MAX);
        else
            trackers |= bit;
    }
    return trackers;
}

static pose_source *create_openxr(const app_source_request *request, haptic_output *out_haptics)
{
    const app_openxr_config *config = &request->config->openxr;
    const openxr_settings settings = {
        .rate_hz = config->rate_hz,
        .may_rest = config->rate_is_auto,
        .space = strcmp(config->space, "local") == 0 ? OPENXR_SPACE_LOCAL : OPENXR_SPACE_STAGE,
        .lookahead_ns = llround(config->lookahead_ms * 1e6),
        .haptics = config->haptics,
        .trackers = find_trackers(request),
    };
    pose_source *source = openxr_source_create(&settings, request->loop, request->log);

    if (source && config->haptics)
        *out_haptics = openxr_source_haptics(source);
    return source;
}

static pose_source *create_replay(const app_source_request *request, failure *out_failure)
{
    const replay_settings settings = {
        .path = request->options->replay_path,
        .speed = request->options->speed > 0.0 ? request->options->speed : REPLAY_SPEED_MAX,
        .epoch_ns = request->epoch_ns,
        .loops = request->options->loops,
        .context = request->context,
        .changed = request->replay_changed,
    };

    return replay_source_create(&settings, request->loop, request->log, out_failure);
}

clash_feed_source app_source_is(const app_options *options)
{
    static const clash_feed_source sources[] = {[APP_SOURCE_DEFAULT] = CLASH_SOURCE_OPENXR,
                                                [APP_SOURCE_OPENXR] = CLASH_SOURCE_OPENXR,
                                                [APP_SOURCE_REPLAY] = CLASH_SOURCE_REPLAY,
                                                [APP_SOURCE_NONE] = CLASH_SOURCE_NONE};

    return sources[options->source];
}

int app_source_create(const app_source_request *request, pose_source **out_source, haptic_output *out_haptics,
                      failure *out_failure)
{
    *out_haptics = (haptic_output){0};
    switch (request->options->source) {
    case APP_SOURCE_REPLAY:
        *out_source = create_replay(request, out_failure);
        break;
    case APP_SOURCE_DEFAULT:
    case APP_SOURCE_OPENXR:
        *out_source = create_openxr(request, out_haptics);
        break;
    case APP_SOURCE_NONE:
        *out_source = none_source_create();
        break;
    }
    return *out_source ? 0 : fail_int(out_failure, "out of memory"); /* if nobody has said another thing */
}
