/* Poses that clients push: how many, of what times, and devices of which none come any more. See push.h. */
#include "push_private.h"

#include "feeds.h"

static bool take_token(push_owner *o, int64_t now_ns)
{
    const int64_t full = PUSH_RATE_HZ * NS_PER_S;
    const int64_t passed = now_ns - o->filled_ns;

    o->tokens = passed >= NS_PER_S ? full : o->tokens + passed * PUSH_RATE_HZ;
    o->tokens = o->tokens < full ? o->tokens : full;
    o->filled_ns = now_ns;
    if (o->tokens < NS_PER_S)
        return false;
    o->tokens -= NS_PER_S;
    return true;
}

static int check_time(push *p, const char *name, const scene_arrivals *arrivals, int64_t time_ns, int64_t now_ns,
                      protocol_error *out_error)
{
    if (time_ns > now_ns + PUSH_AHEAD_MAX_NS) {
        p->counters.future++;
        return protocol_refuse(out_error, PROTOCOL_ERROR_BAD_TIME, "time_ns: %.1f ms in the future, 50 ms are allowed",
                               (double)(time_ns - now_ns) * 1e-6);
    }
    if (time_ns < now_ns - PUSH_BEHIND_MAX_NS ||
        (arrivals->has_pose && p->settings.epoch_ns + time_ns <= arrivals->pose_ns)) {
        p->counters.late++;
        return protocol_refuse(out_error, PROTOCOL_ERROR_BAD_TIME,
                               "time_ns: expected a time after that of the last pose of \"%s\", and not over 1 s ago",
                               name);
    }
    return 0;
}

/* Nothing is taken of a message before all of it has been found right. */
static int check_poses(push *p, push_owner *o, const protocol_own_poses *poses, int64_t time_ns, int64_t now_ns,
                       protocol_error *out_error)
{
    for (size_t i = 0; i < poses->count; i++) {
        const char *name = poses->poses[i].device;
        uint32_t id;
        const scene_arrivals *arrivals = o ? scene_find_arrivals(p->settings.scene, o->client, name, &id) : NULL;

        if (!arrivals)
            return protocol_refuse(
                out_error, PROTOCOL_ERROR_UNKNOWN_NAME,
                "poses: no blade of this client is on a device \"%s\", nor does it feed one: define one first", name);
        if (check_time(p, name, arrivals, time_ns, now_ns, out_error) != 0)
            return -1;
        for (size_t k = 0; k < i; k++)
            if (strcmp(poses->poses[k].device, name) == 0)
                return protocol_refuse(out_error, PROTOCOL_ERROR_BAD_MESSAGE, "poses: \"%s\" stands twice", name);
    }
    return 0;
}

static pose_sample make_sample(uint32_t id, scene_arrivals *arrivals, const protocol_own_pose *pose, int64_t time_ns,
                               int64_t now_ns)
{
    *arrivals = (scene_arrivals){.has_pose = true, .live = true, .pose_ns = time_ns, .arrived_ns = now_ns};
    return (pose_sample){.device = id,
                         .pose = pose->pose,
                         .flags = (pose->valid ? POSE_VALID : 0u) | (pose->valid && pose->tracked ? POSE_TRACKED : 0u) |
                                  (pose->teleport ? POSE_TELEPORT : 0u)};
}

int push_take_poses(push *p, push_owner *o, const protocol_own_poses *poses, int64_t now_ns, protocol_error *out_error)
{
    const int64_t time_ns = poses->has_time ? poses->time_ns : now_ns;
    pose_frame frame = {.time_ns = p->settings.epoch_ns + time_ns};
    scene *s = p->settings.scene;

    if (o && !take_token(o, now_ns)) {
        p->counters.limited++;
        return protocol_refuse(out_error, PROTOCOL_ERROR_LIMIT, "poses: at most %d messages a second", PUSH_RATE_HZ);
    }
    if (check_poses(p, o, poses, time_ns, now_ns, out_error) != 0)
        return -1;
    p->counters.messages++;
    p->counters.poses += poses->count;
    for (size_t i = 0; i < poses->count; i++) {
        uint32_t id;
        scene_arrivals *arrivals = scene_find_arrivals(s, o->client, poses->poses[i].device, &id);

        frame.samples[frame.count++] =
            make_sample(id, arrivals, &poses->poses[i], frame.time_ns, p->settings.epoch_ns + now_ns);
        if (frame.count == POSE_FRAME_SAMPLES_MAX || i + 1 == poses->count) {
            frame.more = i + 1 < poses->count;
            scene_frame(s, o->client, &frame, p->settings.epoch_ns + now_ns);
            frame.count = 0;
        }
    }
    return 0;
}

bool push_check_silence(push *p, int64_t now_ns)
{
    const int64_t time_ns = p->settings.epoch_ns + now_ns;

    if (p->owners)
        p->counters.silent += scene_check_silence(p->settings.scene, time_ns, time_ns - p->settings.timeout_ns);
    return p->owners != NULL;
}
