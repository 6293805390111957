/* What a recording is played into if there is no daemon: a pipeline and its targets. For detect and play. */
#ifndef CLASHD_OFFLINE_OFFLINE_SCENE_H
#define CLASHD_OFFLINE_OFFLINE_SCENE_H

#include "scene/assembly.h"
#include "scene/targets.h"

typedef struct offline_scene {
    pipeline *pipeline;
    app_targets *targets;
    int64_t last_ns; /* of the last frame, loss or move */
} offline_scene;

/** With the settings' blades and targets, for whose files it waits. 0, or -1 with a message in out_error, APP_ERROR_MAX bytes.
 *  Close it in either case. */
int offline_scene_open(offline_scene *s, const app_config *config, pipeline_event_function on_event, void *context,
                       char *out_error);
/** From now on nothing is followed: contacts that are open are released. */
void offline_scene_lose_all(offline_scene *s, clash_tracking_reason reason);
void offline_scene_close(offline_scene *s);

/** Reports to it, but for `target` and `ended`. `context` is an offline_scene, or a struct that begins with one. */
pose_listener offline_scene_listener(void *context);
/** Two of these reports. */
void offline_scene_on_removed(void *context, int64_t time_ns, const char *blade, const char *device);
void offline_scene_on_target_removed(void *context, int64_t time_ns, const char *target);

#endif
