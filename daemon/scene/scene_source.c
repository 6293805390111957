/* Pass what a source reports to the scene: poses, and what a recording defines; the same in clashd, detect and play. A
 * client or the configuration that has such a name already keeps it. See scene.h. */
#include "feeds.h"
#include "target_load.h"

#include <stdio.h>

/* Of a device so many are named; later ones are only counted, as a sender may alternate good and bad ones. */
#define BAD_POSES_NAMED 8

static uint32_t on_device(void *context, const char *name)
{
    /* a recording's device is left out if a client has taken its name */
    return scene_source_device(context, name);
}

static scene_device *device_of(const scene *s, const pose_sample *sample)
{
    return sample->device < PIPELINE_DEVICES_MAX ? &s->devices[sample->device] : NULL;
}

/* Log a bad pose once for each device, until it has a good one again. */
static void log_verdict(scene *s, const pose_sample *sample, pose_verdict verdict)
{
    scene_device *device = device_of(s, sample);

    if (device && verdict != POSE_GOOD && !device->is_bad && device->bad_named < BAD_POSES_NAMED)
        LOG_WARNING(&s->log, "poses of '%s' are left out until they are right again: %s%s",
                    pipeline_device_name(s->pipeline, sample->device), pose_verdict_text(verdict),
                    ++device->bad_named == BAD_POSES_NAMED ? "; later ones are only counted" : "");
    if (device)
        device->is_bad = verdict != POSE_GOOD;
}

/* Log once that the source has given a device two poses for one time. */
static void log_replaced(scene *s)
{
    if (s->is_replaced_logged || pipeline_get_counters(s->pipeline)->replaced_elsewhere == 0)
        return;
    s->is_replaced_logged = true;
    LOG_WARNING(&s->log,
                "the source has two poses of a device at one time: the later one counts, and no clash is found between "
                "the two (replaced_elsewhere in 'clashctl status' counts them)");
}

void scene_source_frame(scene *s, const pose_frame *frame)
{
    s->last_ns = frame->time_ns;
    for (uint32_t i = 0; s->log.write && i < frame->count; i++)
        log_verdict(s, &frame->samples[i], pose_check(&frame->samples[i]));
    scene_frame(s, NULL, frame, 0);
    if (s->log.write)
        log_replaced(s);
}

static void on_frame(void *context, const pose_frame *frame)
{
    scene_source_frame(context, frame);
}

/* Log it once. */
static bool is_too_often(scene *s, int64_t now_ns)
{
    if (!s->is_sent_poses)
        s->rate = (pose_rate){POSE_RATE_FULL, now_ns};
    s->is_sent_poses = true;
    if (pose_rate_take(&s->rate, now_ns))
        return false;
    if (!s->is_rate_exceeded)
        LOG_WARNING(&s->log, "poses are left out that are sent in more than %d messages a second", POSE_RATE_HZ);
    s->is_rate_exceeded = true;
    return true;
}

typedef struct delivery {
    scene *scene;
    int64_t now_ns;
} delivery;

static void deliver(void *context, const pose_frame *frame)
{
    const delivery *d = context;

    scene_frame(d->scene, NULL, frame, d->now_ns);
}

size_t scene_source_sent(scene *s, int64_t time_ns, int64_t now_ns, const pose_sample *samples, size_t count)
{
    delivery to = {s, now_ns};
    pose_frames frames = {&to, deliver, .pending.time_ns = time_ns};
    size_t refused = 0;

    if (is_too_often(s, now_ns))
        return count;
    for (size_t i = 0; i < count; i++) {
        scene_device *device = device_of(s, &samples[i]); /* NULL: a client has its name, or there is no room for it */
        const pose_verdict verdict =
            device && !device->client ? pose_take(&frames, &device->arrivals, &samples[i], now_ns) : POSE_GOOD;

        log_verdict(s, &samples[i], verdict);
        refused += !device || device->client || verdict != POSE_GOOD;
    }
    if (refused < count) {
        s->last_ns = time_ns;
        pose_frames_end(&frames, false);
    }
    return refused;
}

static size_t on_sent(void *context, int64_t time_ns, int64_t now_ns, const pose_sample *samples, size_t count)
{
    return scene_source_sent(context, time_ns, now_ns, samples, count);
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
                           .sent = on_sent,
                           .lost = on_lost,
                           .space_changed = on_space_changed,
                           .jumped = on_jumped,
                           .blade = on_blade,
                           .removed = on_removed,
                           .target = s->late ? on_target : NULL,
                           .target_removed = on_target_removed};
}
