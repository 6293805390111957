/* Pass what a source reports to the scene: poses, and what a recording defines; the same in clashd, detect and play. A
 * client or the configuration that has such a name already keeps it. See scene.h. */
#include "feeds.h"
#include "pending_targets.h"

#include <stdio.h>

static uint32_t on_device(void *context, const char *name)
{
    /* a recording's device is left out if a client has taken its name */
    return scene_source_device(context, name);
}

/* Log a bad pose once for each device, until it has a good one again. */
static void log_bad_pose(scene *s, const pose_sample *sample)
{
    const pose_verdict verdict = pose_check(sample);
    scene_device *device = sample->device < PIPELINE_DEVICES_MAX ? &s->devices[sample->device] : NULL;

    if (device && verdict != POSE_GOOD && !device->is_bad)
        LOG_WARNING(&s->log, "poses of '%s' are left out until they are right again: %s",
                    pipeline_device_name(s->pipeline, sample->device), pose_verdict_text(verdict));
    if (device)
        device->is_bad = verdict != POSE_GOOD;
}

static void on_frame(void *context, const pose_frame *frame)
{
    scene *s = context;

    s->last_ns = frame->time_ns;
    for (uint32_t i = 0; s->log.write && i < frame->count; i++)
        log_bad_pose(s, &frame->samples[i]);
    scene_frame(s, NULL, frame, 0);
}

static void on_lost(void *context, uint32_t device, int64_t time_ns, clash_tracking_reason reason)
{
    ((scene *)context)->last_ns = time_ns;
    scene_source_lost(context, device, time_ns, reason);
}

static void on_space_changed(void *context, int64_t time_ns)
{
    ((scene *)context)->last_ns = time_ns;
    scene_source_space_changed(context, time_ns);
}

/* Clients' devices are not affected. */
static void on_jumped(void *context, int64_t time_ns)
{
    scene_source_gone(context, time_ns, CLASH_TRACKING_JUMPED);
}

static void leave_out(const scene *s, const char *kind, const char *name, const char *reason)
{
    LOG_WARNING(&s->log, "the recording's %s '%s' is left out: %s", kind, name, reason);
}

static void on_blade(void *context, int64_t time_ns, const clash_blade *blade)
{
    protocol_error error;

    if (scene_define_blade(context, scene_recording, time_ns, blade, &error) != 0)
        leave_out(context, "blade", blade->name, error.message);
}

/* What is not the recording's stays. */
static void on_removed(void *context, int64_t time_ns, const char *blade, const char *device)
{
    scene *s = context;
    protocol_error ignored;

    if (blade) {
        scene_remove(s, scene_recording, time_ns, blade, &ignored);
        return;
    }
    if (s->late)
        pending_targets_forget(s->late, NULL, device);
    scene_remove_device(s, scene_recording, time_ns, device);
}

/* Somebody else may have taken the name meanwhile. */
static void on_made(void *context, int64_t time_ns, const char *name, scene_target *target, const char *reason)
{
    protocol_error error;

    if (!target)
        leave_out(context, "target", name, reason);
    else if (scene_define_target(context, scene_recording, time_ns, target, &error) != 0)
        leave_out(context, "target", name, error.message);
}

static void on_target(void *context, int64_t time_ns, const clash_target_definition *target)
{
    scene *s = context;
    protocol_error error;

    if (scene_check(s, scene_recording, target->name, true, target->device, &error) == 0)
        pending_targets_add(s->late, time_ns, target);
    else
        leave_out(s, "target", target->name, error.message);
}

static void on_target_removed(void *context, int64_t time_ns, const char *target)
{
    scene *s = context;
    protocol_error ignored;

    if (s->late)
        pending_targets_forget(s->late, target, NULL);
    scene_remove(s, scene_recording, time_ns, target, &ignored);
}

int scene_open_pending(scene *s, surface_loader *loader, void (*hold)(void *s, bool is_held))
{
    s->late = pending_targets_create(loader, &(pending_targets_user){.context = s, .hold = hold, .made = on_made});
    return s->late ? 0 : -1;
}

pose_listener scene_listener(scene *s)
{
    return (pose_listener){.context = s,
                           .device = on_device,
                           .frame = on_frame,
                           .lost = on_lost,
                           .space_changed = on_space_changed,
                           .jumped = on_jumped,
                           .blade = on_blade,
                           .removed = on_removed,
                           .target = s->late ? on_target : NULL,
                           .target_removed = on_target_removed};
}
