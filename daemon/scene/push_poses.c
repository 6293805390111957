/* Poses that clients push: how many, of what times, and devices of which none come any more. See push.h. */
#include "push_private.h"

#include "feeds.h"
#include "sources/replay/player.h"

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

/* One message, on its way to the scene. */
typedef struct pushed {
    scene *scene;
    const void *client;
    int64_t time_ns, arrived_ns;
} pushed;

static uint32_t on_device(void *context, const char *name)
{
    const pushed *m = context;
    uint32_t id;

    *scene_find_arrivals(m->scene, m->client, name, &id) =
        (scene_arrivals){.has_pose = true, .live = true, .pose_ns = m->time_ns, .arrived_ns = m->arrived_ns};
    return id;
}

static void on_frame(void *context, const pose_frame *frame)
{
    const pushed *m = context;

    scene_frame(m->scene, m->client, frame, m->arrived_ns);
}

int push_take_poses(push *p, push_owner *o, const protocol_own_poses *poses, int64_t now_ns, protocol_error *out_error)
{
    const int64_t time_ns = poses->has_time ? poses->time_ns : now_ns;
    pushed message = {.scene = p->settings.scene,
                      .client = o ? o->client : NULL,
                      .time_ns = p->settings.epoch_ns + time_ns,
                      .arrived_ns = p->settings.epoch_ns + now_ns};

    if (o && !take_token(o, now_ns)) {
        p->counters.limited++;
        return protocol_refuse(out_error, PROTOCOL_ERROR_LIMIT, "poses: at most %d messages a second", PUSH_RATE_HZ);
    }
    if (check_poses(p, o, poses, time_ns, now_ns, out_error) != 0)
        return -1;
    p->counters.messages++;
    p->counters.poses += poses->count;
    if (poses->count == 0)
        return 0;
    player_split(poses->poses, poses->count, message.time_ns, false,
                 &(player_frames){.context = &message, .device = on_device, .frame = on_frame});
    return 0;
}

bool push_check_silence(push *p, int64_t now_ns)
{
    const int64_t time_ns = p->settings.epoch_ns + now_ns;

    if (p->owners)
        p->counters.silent += scene_check_silence(p->settings.scene, time_ns, time_ns - p->settings.timeout_ns);
    return p->owners != NULL;
}
