/* Create the pose source; see source.h. */
#include "source.h"

#include "sources/none/none.h"
#include "sources/openxr/openxr.h"
#include "sources/replay/replay.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Return the roles of trackers that carry something. */
static uint32_t find_trackers(const app_source_request *request)
{
    const config_values *config = request->config;
    uint32_t trackers = 0;

    for (size_t i = 0; i < config->blade_count + config->target_count; i++) {
        const char *device =
            i < config->blade_count ? config->blades[i].device : config->targets[i - config->blade_count].device;

        trackers = openxr_tracker_add(trackers, device, &request->log);
    }
    return trackers;
}

static pose_source *create_openxr(const app_source_request *request, haptic_output *out_haptics, failure *out_failure)
{
    const config_openxr *config = &request->config->openxr;
    const openxr_settings settings = {
        .rate_hz = config->rate_hz,
        .may_rest = config->rate_is_auto,
        .space = strcmp(config->space, "local") == 0 ? OPENXR_SPACE_LOCAL : OPENXR_SPACE_STAGE,
        .lookahead_ns = llround(config->lookahead_ms * 1e6),
        .haptics = config->haptics,
        .trackers = find_trackers(request),
    };
    pose_source *source = openxr_source_create(&settings, request->loop, request->log);

    (void)out_failure;
    if (source)
        source->offset(source, &config->offsets);
    if (source && config->haptics)
        *out_haptics = openxr_source_haptics(source);
    return source;
}

static pose_source *create_replay(const app_source_request *request, haptic_output *out_haptics, failure *out_failure)
{
    const replay_settings settings = {
        .path = request->options->source_argument,
        .speed = request->options->speed > 0.0 ? request->options->speed : REPLAY_SPEED_MAX,
        .epoch_ns = request->epoch_ns,
        .loops = request->options->loops,
        .context = request->context,
        .changed = request->replay_changed,
    };

    (void)out_haptics;
    return replay_source_create(&settings, request->loop, request->log, out_failure);
}

static pose_source *create_none(const app_source_request *request, haptic_output *out_haptics, failure *out_failure)
{
    (void)request, (void)out_haptics, (void)out_failure;
    return none_source_create();
}

#define CREATE(kind, name, ...) [CONFIG_SOURCE_##kind] = create_##name,
static pose_source *(*const create[CONFIG_SOURCE_KINDS])(const app_source_request *request, haptic_output *out_haptics,
                                                         failure *out_failure) = {CONFIG_SOURCES(CREATE)};

int app_source_create(const app_source_request *request, pose_source **out_source, haptic_output *out_haptics,
                      failure *out_failure)
{
    assert(request->options->source != CONFIG_SOURCE_DEFAULT); /* config_settings_load has decided */
    *out_haptics = (haptic_output){0};
    *out_source = create[request->options->source](request, out_haptics, out_failure);
    return *out_source ? 0 : fail_int(out_failure, "out of memory"); /* unless a more exact reason is noted */
}
