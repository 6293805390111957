/* Reports to calls of the pipeline and its targets: see offline_scene.h. */
#include "offline_scene.h"

int offline_scene_open(offline_scene *s, const app_config *config, pipeline_event_function on_event, void *context,
                       char *out_error)
{
    s->pipeline = app_pipeline_create(config, on_event, context, out_error);
    s->targets = s->pipeline ? app_targets_create_with(s->pipeline, config, out_error) : NULL;
    return s->targets ? 0 : -1;
}

void offline_scene_lose_all(offline_scene *s, clash_tracking_reason reason)
{
    app_pipeline_lose_all(s->pipeline, s->last_ns, reason);
}

void offline_scene_close(offline_scene *s)
{
    pipeline_destroy(s->pipeline);
    app_targets_destroy(s->targets);
}

static uint32_t on_device(void *context, const char *name)
{
    return pipeline_device(((offline_scene *)context)->pipeline, name);
}

static void on_frame(void *context, const pose_frame *frame)
{
    offline_scene *s = context;

    s->last_ns = frame->time_ns;
    pipeline_frame(s->pipeline, frame);
}

static void on_lost(void *context, uint32_t device, int64_t time_ns, clash_tracking_reason reason)
{
    offline_scene *s = context;

    s->last_ns = time_ns;
    pipeline_lost(s->pipeline, device, time_ns, reason);
}

static void on_space_changed(void *context, int64_t time_ns)
{
    offline_scene *s = context;

    s->last_ns = time_ns;
    pipeline_space_changed(s->pipeline, time_ns);
}

static void on_jumped(void *context, int64_t time_ns)
{
    app_pipeline_lose_all(((offline_scene *)context)->pipeline, time_ns, CLASH_TRACKING_JUMPED);
}

static void on_blade(void *context, int64_t time_ns, const clash_blade *blade)
{
    (void)time_ns;
    app_pipeline_define(((offline_scene *)context)->pipeline, blade);
}

void offline_scene_on_removed(void *context, int64_t time_ns, const char *blade, const char *device)
{
    offline_scene *s = context;

    (void)time_ns;
    if (blade) {
        pipeline_remove_blade(s->pipeline, blade);
        return;
    }
    pipeline_remove_device(s->pipeline, app_pipeline_find_device(s->pipeline, device));
    app_targets_forget_device(s->targets, device);
}

void offline_scene_on_target_removed(void *context, int64_t time_ns, const char *target)
{
    (void)time_ns;
    app_targets_remove(((offline_scene *)context)->targets, target);
}

pose_listener offline_scene_listener(void *context)
{
    return (pose_listener){.context = context,
                           .device = on_device,
                           .frame = on_frame,
                           .lost = on_lost,
                           .space_changed = on_space_changed,
                           .jumped = on_jumped,
                           .blade = on_blade,
                           .removed = offline_scene_on_removed,
                           .target_removed = offline_scene_on_target_removed};
}
